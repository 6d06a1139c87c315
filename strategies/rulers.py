"""Exact counts of slices of one text, at the price of their edges.

Counts of tokens do not add up, but for a text cut at the right places they do: see
`Counter.adds_up`. A slice is cut at the first and the last such place in it; what lies between was
counted with the whole text, and only the two edges are counted anew.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strategies.counting import Borders, Counter

_WHITE = np.array([i for i in range(0x3001) if chr(i).isspace()], dtype=np.uint32)


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
        return int(self.counts(np.array([start]), np.array([end]))[0])

    def counts(self, starts: npt.ArrayLike, ends: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Units of many slices at once; `starts` and `ends` have shape (n,)."""
        first, last = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        if self.counter.adds_up == "anywhere":
            return self.units_in(first, last)
        count, text = self.counter.count, self.text
        if self._joints is None:
            pairs = zip(first.tolist(), last.tolist(), strict=True)
            return np.array([count(text[start:end]) for start, end in pairs], dtype=np.int64)
        heads_end = self._joints[np.searchsorted(self._joints, first)]
        tails_start = self._joints[np.searchsorted(self._joints, last, side="right") - 1]
        whole = heads_end > tails_start
        # A slice without a joint is all head; its tail and its middle are empty.
        heads_end, tails_start = np.where(whole, last, heads_end), np.where(whole, last, tails_start)
        totals = np.where(whole, 0, self.units_in(heads_end, tails_start))
        for edge_starts, edge_ends in ((first, heads_end), (tails_start, last)):
            for row in np.flatnonzero(edge_ends > edge_starts).tolist():
                totals[row] += (
                    count(text[int(edge_starts[row]) : int(edge_ends[row])]) - self.counter.overhead
                )
        return totals + self.counter.overhead

    def units_in(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Units of the whole text that start inside each range: they add up, and estimate `counts`."""
        return np.searchsorted(self._firsts, ends) - np.searchsorted(self._firsts, starts)


def _joints(text: str) -> npt.NDArray[np.int64]:
    """Both ends of the text, and every space that follows a printing character, in order."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    spaces = np.flatnonzero(codes[1:] == 0x20) + 1
    before = codes[spaces - 1]
    inner = spaces[(before > 0x20) & ~np.isin(before, _WHITE)]
    return np.unique(np.concatenate(([0], inner, [len(text)]))).astype(np.int64)
