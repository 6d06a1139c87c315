"""Half-open intervals of code points, and sets of them.

A *range* is a pair `(start, end)` with `start <= end`; it holds `start` and not `end`, so two ranges that
merely touch share nothing. A *set* is a tuple of ranges in normal form: sorted, none empty, none
overlapping or touching another. `union` puts any ranges into normal form; every other function takes and
gives normal forms and runs in linear time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

Range = tuple[int, int]
"""Start and end of a half-open range."""

Ranges = tuple[Range, ...]
"""Ranges in normal form."""


def shared(one: Range, other: Range) -> int:
    """Length of what two ranges have in common.

    >>> shared((0, 20), (12, 30)), shared((0, 10), (10, 20))
    (8, 0)
    """
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def contains(outer: Range, inner: Range) -> bool:
    """Whether `inner` lies wholly inside `outer`.

    >>> contains((0, 10), (4, 10)), contains((0, 10), (4, 11))
    (True, False)
    """
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def length(ranges: Iterable[Range]) -> int:
    """Number of code points in a set.

    >>> length(((0, 5), (7, 9)))
    7
    """
    return sum(end - start for start, end in ranges)


def union(ranges: Iterable[Range]) -> Ranges:
    """Any ranges, in any order, as a set.

    >>> union([(10, 30), (0, 20), (40, 40), (30, 35)])
    ((0, 35),)
    """
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if start == end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def intersect(one: Ranges, other: Ranges) -> Ranges:
    """What is in both sets.

    >>> intersect(((0, 10), (20, 30)), ((5, 20), (29, 40)))
    ((5, 10), (29, 30))
    """
    common: list[Range] = []
    i = j = 0
    while i < len(one) and j < len(other):
        start, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if start < end:
            common.append((start, end))
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return tuple(common)


def subtract(one: Ranges, other: Ranges) -> Ranges:
    """What is in the first set and not in the second.

    >>> subtract(((0, 10), (20, 30)), ((5, 22), (25, 26)))
    ((0, 5), (22, 25), (26, 30))
    """
    left: list[Range] = []
    j = 0
    for start, end in one:
        while j < len(other) and other[j][1] <= start:
            j += 1
        cursor, i = start, j
        while i < len(other) and other[i][0] < end:
            if cursor < other[i][0]:
                left.append((cursor, other[i][0]))
            cursor = other[i][1]
            i += 1
        if cursor < end:
            left.append((cursor, end))
        j = max(j, i - 1)
    return tuple(left)


class GrowingUnion:
    """A set that ranges are added to one by one, in any order."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    @property
    def ranges(self) -> Ranges:
        """What has been added so far."""
        return tuple(zip(self._starts, self._ends, strict=True))

    def add(self, start: int, end: int) -> Ranges:
        """Add a range and give the parts of it that were not there yet.

        >>> text = GrowingUnion()
        >>> text.add(0, 20), text.add(10, 30), text.add(5, 15)
        (((0, 20),), ((20, 30),), ())
        """
        if start >= end:
            return ()
        # Neighbours that merely touch are found too, so that the set stays in normal form.
        first, past = bisect_left(self._ends, start), bisect_right(self._starts, end)
        new: list[Range] = []
        cursor = start
        for i in range(first, past):
            if cursor < self._starts[i]:
                new.append((cursor, self._starts[i]))
            cursor = self._ends[i]
        if cursor < end:
            new.append((cursor, end))
        if first < past:
            start, end = min(start, self._starts[first]), max(end, self._ends[past - 1])
        self._starts[first:past], self._ends[first:past] = [start], [end]
        return tuple(new)
