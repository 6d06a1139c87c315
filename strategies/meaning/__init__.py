"""Cutting by meaning: how alike neighbours are, and where that makes a border."""
