"""Exact counts of slices of one text, at the price of their edges.

Counts of tokens do not add up, but for a text cut at the right places they do: see
`Counter.adds_up`. A slice is cut at the first and the last such place in it; what lies between was
counted with the whole text, and only the two edges are counted anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strategies.characters import code_points, is_white
from strategies.counting import Borders, Counter


class Ruler:
    """Measures slices of `text` exactly as `counter.count(text[start:end])` does."""

    def __init__(self, text: str, counter: Counter) -> None:
        self.text = text
        self.counter = counter
        self.borders: Borders = counter.borders(text)
        self.borders.flags.writeable = False
        self._firsts = self.borders[:-1]
        self._joints = _joints(text) if counter.adds_up == "before_spaces" else None

    def count(self, start: int, end: int) -> int:
        """Units of the slice, taken on its own."""
        counter, text, joints = self.counter, self.text, self._joints
        if counter.adds_up == "anywhere":
            return int(self.units_in(start, end))
        if joints is None:
            return counter.count(text[start:end])
        head_end = int(joints[joints.searchsorted(start)])
        tail_start = int(joints[joints.searchsorted(end, side="right") - 1])
        if head_end > tail_start:
            return counter.count(text[start:end])
        total = counter.overhead + int(self.units_in(head_end, tail_start))
        if start < head_end:
            total += counter.count(text[start:head_end]) - counter.overhead
        if tail_start < end:
            total += counter.count(text[tail_start:end]) - counter.overhead
        return total

    def counts(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Units of many slices; `starts`, `ends` and the answer have shape (n,)."""
        edges = self.edges(np.asarray(starts).tolist(), np.asarray(ends).tolist())
        return np.array([edges.count(i, i) for i in range(len(edges))], dtype=np.int64)

    def edges(self, starts: Sequence[int], ends: Sequence[int]) -> Edges:
        """Slices to be counted that begin at one of `starts` and end at one of `ends`."""
        return Edges(self, starts, ends)

    def units_in(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Units of the whole text that start inside each range: they add up, and estimate `count`."""
        return np.subtract(self._firsts.searchsorted(end), self._firsts.searchsorted(start))


class Edges:
    """Where slices of a ruler's text begin and end, looked up together: a count is a subtraction then.

    Edges are counted when they are needed and then remembered. Many slices can be told to fit, or not
    to, without that: no edge counts more than its characters allow.
    """

    def __init__(self, ruler: Ruler, starts: Sequence[int], ends: Sequence[int]) -> None:
        """`starts` and `ends`: code points, of one length."""
        self.starts, self.ends = starts, ends
        self._text, self._counter = ruler.text, ruler.counter
        self._overhead = ruler.counter.overhead
        # An edge of c characters counts c * most at most; where nothing is known, anything.
        most = ruler.counter.per_character
        self._most = most if most is not None else len(ruler.text) + 1
        first, last = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        head_ends, tail_starts = first, last
        if (joints := ruler._joints) is not None:
            head_ends = joints[joints.searchsorted(first)]
            tail_starts = joints[joints.searchsorted(last, side="right") - 1]
        elif self._counter.adds_up == "nowhere":
            head_ends, tail_starts = last, first
        firsts = ruler._firsts
        before, upto = firsts.searchsorted(head_ends), firsts.searchsorted(tail_starts)
        self._arrays = first, last, head_ends, tail_starts, before, upto
        self._head_ends: list[int] = head_ends.tolist()
        self._tail_starts: list[int] = tail_starts.tolist()
        self._before: list[int] = before.tolist()
        self._upto: list[int] = upto.tolist()
        self._heads: list[int | None] = [None] * len(starts)
        self._tails: list[int | None] = [None] * len(starts)

    def __len__(self) -> int:
        return len(self.starts)

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
            if (head_end - self.starts[i] + self.ends[j] - tail_start) * self._most <= room:
                return True
        return self.count(i, j) <= limit

    def exceeding(self, limit: int) -> list[int]:
        """The slices `i` of which `count(i, i) > limit`, in order."""
        first, last, head_ends, tail_starts, before, upto = self._arrays
        joined = head_ends <= tail_starts
        within = np.where(joined, upto - before, 0)
        loose = np.where(joined, head_ends - first + last - tail_starts, last - first)
        suspects = np.flatnonzero(within + loose * self._most + self._overhead > limit)
        return [i for i in suspects.tolist() if not self.fits(i, i, limit)]

    def _alone(self, start: int, end: int) -> int:
        return self._counter.count(self._text[start:end]) - self._overhead if start < end else 0


def _joints(text: str) -> npt.NDArray[np.int64]:
    """Both ends of the text, and every space that follows a printing character, in order."""
    codes = code_points(text)
    spaces = np.flatnonzero(codes[1:] == 0x20) + 1
    before = codes[spaces - 1]
    inner = spaces[(before > 0x20) & ~is_white(before)]
    return np.concatenate(([0], inner, [len(text)])).astype(np.int64, copy=False)
