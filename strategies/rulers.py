"""Exact counts of slices of one text, at the price of their edges.

Counts of tokens do not add up, but for a text cut at the right places they do: see
`Counter.adds_up`. A slice is cut at the first and the last such place in it; what lies between was
counted with the whole text, and only the two edges are counted anew.
"""

from __future__ import annotations

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
        pairs = zip(np.asarray(starts).tolist(), np.asarray(ends).tolist(), strict=True)
        return np.array([self.count(start, end) for start, end in pairs], dtype=np.int64)

    def units_in(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Units of the whole text that start inside each range: they add up, and estimate `count`."""
        return np.subtract(self._firsts.searchsorted(end), self._firsts.searchsorted(start))


def _joints(text: str) -> npt.NDArray[np.int64]:
    """Both ends of the text, and every space that follows a printing character, in order."""
    codes = code_points(text)
    spaces = np.flatnonzero(codes[1:] == 0x20) + 1
    before = codes[spaces - 1]
    inner = spaces[(before > 0x20) & ~is_white(before)]
    return np.concatenate(([0], inner, [len(text)])).astype(np.int64, copy=False)
