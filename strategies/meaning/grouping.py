"""From sentences and the borders between their groups to cuts of at least and at most a size."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from strategies.meaning.similarity import Numbers
from strategies.packing import furthest
from strategies.pieces import FINEST, LINES, Piece, shorten
from strategies.strategy import Cut
from strategies.units.rulers import Ruler

Group = tuple[int, int]
"""The first and the last piece of a group."""

_INSIDE = -1.0
"""Distance across a place inside a sentence, below any that was measured."""


def grouped(
    pieces: Sequence[Piece],
    distances: Numbers,
    borders: npt.NDArray[np.bool_],
    ruler: Ruler,
    *,
    size: int | None,
    min_size: int = 0,
) -> Iterator[Cut]:
    """The groups of n pieces between borders, each brought to at least `min_size` and at most `size` units.

    `distances` and `borders` have shape (n - 1,): one for each piece and its next. First groups that are
    too large are cut (see `parted`), at `size` None none; then those that are too small join the next one
    where both together fit, and the last one the one before.
    """
    if size is not None:
        pieces, distances, borders = shortened(pieces, distances, borders, ruler, size)
    ranges = _Ranges(pieces, ruler)
    groups: Iterable[Group] = runs(borders) if pieces else ()
    if size is not None:
        groups = (part for group in groups for part in parted(group, distances, ranges, size))
    if min_size > 0:
        groups = joined(groups, ranges, size, min_size)
    for first, last in groups:
        oversize = size is not None and first == last and not ranges.fit(first, last, size)
        yield Cut(pieces[first].start, pieces[last].end, oversize=oversize)


class _Ranges:
    """Counts runs of pieces."""

    def __init__(self, pieces: Sequence[Piece], ruler: Ruler) -> None:
        self.starts = [piece.start for piece in pieces]
        self.ends = [piece.end for piece in pieces]
        self.ruler = ruler

    def count(self, first: int, last: int) -> int:
        return self.ruler.count(self.starts[first], self.ends[last])

    def fit(self, first: int, last: int, size: int | None) -> bool:
        return size is None or self.count(first, last) <= size


def runs(borders: npt.NDArray[np.bool_]) -> Iterator[Group]:
    """The groups of n pieces, from n - 1 borders.

    >>> list(runs(np.array([False, True, False])))
    [(0, 1), (2, 3)]
    """
    first = 0
    for last in np.flatnonzero(borders).tolist():
        yield first, last
        first = last + 1
    yield first, len(borders)


def shortened(
    pieces: Sequence[Piece],
    distances: Numbers,
    borders: npt.NDArray[np.bool_],
    ruler: Ruler,
    size: int,
) -> tuple[list[Piece], Numbers, npt.NDArray[np.bool_]]:
    """The same with every piece above the size cut at line ends, then at words, then at characters.

    Places inside a piece are farther from being a border than any between two, but a part that is `fresh`
    has a border before it.
    """
    parts = shorten(pieces, (LINES, *FINEST), ruler, size)
    if len(parts) <= len(pieces):
        return parts, distances, borders
    starts = [piece.start for piece in pieces]
    origin = np.searchsorted(starts, [part.start for part in parts], side="right") - 1
    before, after = origin[:-1], origin[1:]
    between = before != after
    fresh = np.array([part.fresh for part in parts[1:]], dtype=np.bool_)
    at = np.minimum(before, max(len(distances) - 1, 0))
    if not len(distances):  # all parts are of one sentence
        return parts, np.full(len(parts) - 1, _INSIDE), fresh
    return parts, np.where(between, distances[at], _INSIDE), (between & borders[at]) | fresh


def parted(group: Group, distances: Numbers, ranges: _Ranges, size: int) -> Iterator[Group]:
    """The group in parts that fit, from the left, each cut off where the distance is largest.

    Only places in the second half of what fits are looked at, so that a part is never a mere crumb, and the
    farther of equals is taken: what is alike all over is cut as seldom as can be. A piece that is too large
    is a part of its own. Every part asks for a handful of counts.
    """
    first, end = group
    usual = 0
    while first <= end:
        fits = partial(ranges.fit, first, size=size)
        reach = furthest(fits, low=first, high=end, guess=first + usual)
        last = reach
        if reach < end:
            middle = (ranges.starts[first] + ranges.ends[reach]) / 2
            nearest = bisect_left(ranges.ends, middle, first, reach)
            candidates = distances[nearest : reach + 1]
            last = reach - int(np.argmax(candidates[::-1]))
            if last < reach and not fits(last):  # a part of a slice may count more than the slice
                last = reach
        yield first, last
        usual = reach - first
        first = last + 1


def joined(groups: Iterable[Group], ranges: _Ranges, size: int | None, min_size: int) -> Iterator[Group]:
    """Groups of less than `min_size` with the next one where that fits, the last with the one before."""
    done: list[Group] = []
    for first, last in groups:
        if done and ranges.count(*done[-1]) < min_size and ranges.fit(done[-1][0], last, size):
            done[-1] = (done[-1][0], last)
        else:
            done.append((first, last))
    if len(done) > 1 and ranges.count(*done[-1]) < min_size and ranges.fit(done[-2][0], done[-1][1], size):
        last = done.pop()[1]
        done[-1] = (done[-1][0], last)
    yield from done
