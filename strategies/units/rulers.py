"""Exact counts of slices of one text, at the price of their edges.

Counts of tokens do not add up, but for a text cut at the right places they do: see
`Counter.adds_up`. A slice is cut at the first and the last such place in it; what lies between was
counted with the whole text, and only the two edges are counted anew.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from strategies.units.characters import code_points, is_white
from strategies.units.counting import Borders, Counter

_CHARACTERS_A_PIECE = 16
"""Of the text, for each piece that is remembered with it: some 10 bytes a character at most."""
_ASCII = 0x7F
"""The last character that is one byte in UTF-8."""
_UNKNOWN = 2**31
"""Units that a character makes at most where that is not known: more than any size."""


@dataclass(slots=True)
class Meter:
    """Milliseconds that work took which was found done."""

    ms: float = 0.0


class Ruler:
    """Measures slices of `text` exactly as `counter.count(text[start:end])` does."""

    def __init__(self, text: str, counter: Counter) -> None:
        self.text = text
        self.counter = counter
        self.borders: Borders = counter.borders(text)
        self.borders.flags.writeable = False
        self._firsts = self.borders[:-1]
        codes = code_points(text)
        self._joints = _joints(codes) if counter.adds_up == "before_spaces" else None
        self._wide = np.flatnonzero(codes > _ASCII)
        self.remembered: dict[Hashable, Any] = {}
        """What several strategies of a sweep find out about the text, for as long as the ruler is held."""
        self.room = len(text) // _CHARACTERS_A_PIECE
        """Pieces that may still be remembered."""
        self.shared = Meter()
        """Charged for what is looked up in `remembered`: what finding it out took."""

    def count(self, start: int, end: int) -> int:
        """Units of the slice, taken on its own."""
        counter, text, joints = self.counter, self.text, self._joints
        if counter.adds_up == "anywhere":
            return int(self.units_in(start, end))
        if joints is None:
            return counter.count(text[start:end])
        head, tail = joints.searchsorted(start), joints.searchsorted(end, side="right") - 1
        if head > tail:
            return counter.count(text[start:end])
        head_end, tail_start = int(joints[head]), int(joints[tail])
        total = counter.overhead + int(self.units_in(head_end, tail_start))
        if start < head_end:
            total += counter.count(text[start:head_end]) - counter.overhead
        if tail_start < end:
            total += counter.count(text[tail_start:end]) - counter.overhead
        return total

    def counts(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Units of many slices; `starts`, `ends` and the answer have shape (n,)."""
        edges = Edges(self, np.asarray(starts).tolist(), np.asarray(ends).tolist())
        return np.array([edges.count(i, i) for i in range(len(edges.starts))], dtype=np.int64)

    def exceeding(self, starts: Sequence[int], ends: Sequence[int], limit: int) -> list[int]:
        """In order, the indices of the slices that count more than the limit.

        Only those are counted of which their lengths do not tell it: an edge counts no more than its
        characters allow.
        """
        places = self.places(starts, ends)
        joined = places.head_ends <= places.tail_starts
        at_least = np.where(joined, places.upto - places.before, 0) + self.counter.overhead
        first_end = np.where(joined, places.head_ends, places.ends)
        last_start = np.where(joined, places.tail_starts, places.ends)
        loose = self.at_most(places.starts, first_end) + self.at_most(last_start, places.ends)
        over = at_least > limit
        unsure = np.flatnonzero(~over & (at_least + loose > limit)).tolist()
        over[[i for i in unsure if self.count(starts[i], ends[i]) > limit]] = True
        found: list[int] = np.flatnonzero(over).tolist()
        return found

    def places(self, starts: Sequence[int], ends: Sequence[int]) -> Places:
        """Where slices from these starts to these ends have their edges."""
        first, last = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        if self._joints is not None:
            head, tail = self._joints.searchsorted(first), self._joints.searchsorted(last, side="right") - 1
            joints = self._joints[head], self._joints[tail]
        elif self.counter.adds_up == "anywhere":
            joints = first, last
        else:
            joints = np.full(len(first), len(self.text) + 1), np.full(len(first), -1)
        return Places(first, last, *joints, *map(self._firsts.searchsorted, joints))

    def at_most(self, starts: Borders, ends: Borders) -> Borders:
        """Units that slices can make at the very most, as far as their characters tell; shape (n,).

        An ASCII character makes one at most, and no character makes more than the counter says.
        """
        lengths, most = ends - starts, self.counter.per_character
        if most is None:
            return lengths * _UNKNOWN
        if most == 1 or not len(self._wide):
            return lengths
        return lengths + (most - 1) * (self._wide.searchsorted(ends) - self._wide.searchsorted(starts))

    def units_in(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Units of the whole text that start inside each range: they add up, and estimate `count`."""
        return np.subtract(self._firsts.searchsorted(end), self._firsts.searchsorted(start))


class Places(NamedTuple):
    """Where slices begin, end, and have the joints that part their edges from what lies between; shape (n,).

    A slice without a joint in it has its `head_end` behind its `tail_start`.
    """

    starts: Borders
    ends: Borders
    head_ends: Borders
    tail_starts: Borders
    before: Borders
    """Units of the whole text before `head_ends`."""
    upto: Borders
    """Units of the whole text before `tail_starts`."""


class Edges:
    """Where slices of a ruler's text begin and end, looked up together: a count is a subtraction then.

    Edges are counted when they are needed and then remembered.
    """

    def __init__(self, ruler: Ruler, starts: Sequence[int], ends: Sequence[int]) -> None:
        """`starts` and `ends`: code points, of one length."""
        self.starts, self.ends = starts, ends
        self._text, self._counter = ruler.text, ruler.counter
        self._overhead = ruler.counter.overhead
        self.places = places = ruler.places(starts, ends)
        self._head_ends: list[int] = places.head_ends.tolist()
        self._tail_starts: list[int] = places.tail_starts.tolist()
        self._head_most: list[int] = ruler.at_most(places.starts, places.head_ends).tolist()
        self._tail_most: list[int] = ruler.at_most(places.tail_starts, places.ends).tolist()
        self._before: list[int] = places.before.tolist()
        self._upto: list[int] = places.upto.tolist()
        self._heads: list[int | None] = [None] * len(starts)
        self._tails: list[int | None] = [None] * len(starts)

    def count(self, i: int, j: int) -> int:
        """Units of the slice from the start of slice `i` to the end of slice `j`, taken on its own."""
        head_end, tail_start = self._head_ends[i], self._tail_starts[j]
        if head_end > tail_start:
            return self._counter.count(self._text[self.starts[i] : self.ends[j]])
        head, tail = self._heads[i], self._tails[j]
        if head is None:
            head = self._heads[i] = self._alone(self.starts[i], head_end)
        if tail is None:
            tail = self._tails[j] = self._alone(tail_start, self.ends[j])
        return self._upto[j] - self._before[i] + head + tail + self._overhead

    def fits(self, i: int, j: int, limit: int) -> bool:
        """Whether `count(i, j) <= limit`, told by what is known already where that is enough."""
        head_end, tail_start = self._head_ends[i], self._tail_starts[j]
        if head_end <= tail_start:
            room = limit - self._overhead - self._upto[j] + self._before[i]
            if room < 0:
                return False
            if self._head_most[i] + self._tail_most[j] <= room:
                return True
        return self.count(i, j) <= limit

    def _alone(self, start: int, end: int) -> int:
        return self._counter.count(self._text[start:end]) - self._overhead if start < end else 0


def _joints(codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Both ends of a text, and every space that follows a printing character, in order."""
    spaces = np.flatnonzero(codes[1:] == 0x20) + 1
    before = codes[spaces - 1]
    inner = spaces[(before > 0x20) & ~is_white(before)]
    return np.concatenate(([0], inner, [len(codes)])).astype(np.int64, copy=False)
