"""The foreign formats of gold sets, one file each."""

from __future__ import annotations

from evaluation.gold.formats.format import Format

FORMATS: dict[str, type[Format]] = {}
"""By name, in the order in which they are listed."""
