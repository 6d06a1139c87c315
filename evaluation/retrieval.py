"""Questions to ranked hits, with one tie rule."""

from __future__ import annotations

from typing import NamedTuple


class Hit(NamedTuple):
    """One entry of a ranked list: what a reader is handed at that rank."""

    document: str
    start: int
    """Start of the returned range."""
    end: int
    score: float
    """Rounded to 1e-6."""
    chunk: int
    """Row of the (best ranked) chunk whose returned range this is."""
