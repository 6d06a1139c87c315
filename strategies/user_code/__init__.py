"""Splitters that users wrote themselves."""
