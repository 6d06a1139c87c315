"""Headings stay with what follows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from strategies.pieces import Piece


def led(
    headings: Sequence[list[Piece]], fits: Callable[[int, int], bool], first: Piece | None = None
) -> Iterator[Piece]:
    """The pieces of headings with nothing between them, so marked that chunks begin where they should.

    The first begins a chunk, and as many of the last as fit stay with `first`, the piece below them all.
    `fits` says whether a range is small enough for a chunk.
    """
    nearest = len(headings)
    if first is not None and not first.fresh:
        while nearest > 0 and fits(headings[nearest - 1][0].start, first.end):
            nearest -= 1
    for index, (beginning, *rest) in enumerate(headings):
        yield beginning._replace(fresh=True) if index in (0, nearest) else beginning
        yield from rest
