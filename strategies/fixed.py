"""Windows of a fixed number of units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.parameters import settle
from strategies.sizes import resolve
from strategies.strategy import Cut, SplitTools, Strategy, parameter
from strategies.units.rulers import Ruler

Positions = npt.NDArray[np.int64]

_CLUSTER = r"\X[\p{M}\u200D\U0001F3FB-\U0001F3FF]*"
"""A grapheme cluster, and marks, joiners or skin tones that stand astray after it."""


@dataclass(frozen=True, slots=True)
class Fixed(Strategy):
    """Windows of `size` units over the whole document, whatever they cut through.

    Windows keep their white space. One that counts more than `size` when it is counted alone ends
    earlier, and the next one starts from there; one that would add nothing but white space is left out.
    Where neither happens, n units give max(1, ceil((n - overlap) / (size - overlap))) windows.

    Use it as the baseline: it knows nothing of sentences or structure, so what others gain over it, they
    gain by cutting at better places. Costs little more than counting the text once.
    """

    name: ClassVar[str] = "fixed"

    size: int = parameter("largest chunk, in units")
    overlap: int | str = parameter(
        'units repeated from the chunk before, or a share such as "10%"', default=0
    )
    stride: int | None = parameter(
        "units from one start to the next, instead of `overlap`: 1 up to `size`", default=None
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    keep_graphemes: bool = parameter(
        "never cut inside what a reader sees as one character, such as a joined emoji or a letter with "
        "its accents; one that is larger than `size` becomes an oversize chunk",
        default=False,
    )

    def __post_init__(self) -> None:
        settle(self)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the windows, in order."""
        text = document.text
        if not text.strip():
            return
        size, overlap = resolve(self.size, self.overlap)
        windows = _Windows(tools.ruler(document, self.unit), size, self.keep_graphemes)
        content_end = len(text.rstrip())
        start, covered = 0, 0
        while covered < content_end:
            end, oversize = windows.end(start)
            if end > covered:
                if not text[covered:end].isspace():
                    yield Cut(start, end, oversize=oversize)
                covered = end
                back = windows.back(end, overlap)
                start = back if back > start else windows.after(start)
            else:  # A window that recounted above the size and now lies inside the one before.
                start = windows.after(start)
            start = min(start, covered)


class _Windows:
    """Where windows may start, and where they end."""

    def __init__(self, ruler: Ruler, size: int, keep_graphemes: bool) -> None:
        self._ruler = ruler
        self._size = size
        self._length = len(ruler.text)
        self._clusters = _cluster_starts(ruler.text) if keep_graphemes else None
        # A unit that starts inside an atom counts as starting at its beginning, so that no border cuts one.
        self._firsts: Positions = ruler.borders[:-1]
        if self._clusters is not None:
            clusters = self._clusters
            self._firsts = clusters[np.searchsorted(clusters, self._firsts, side="right") - 1]

    def end(self, start: int) -> tuple[int, bool]:
        """End of the window that starts here, and whether it is oversize: a lone atom above the size."""
        room = self._size - self._ruler.counter.overhead
        end = self._unit_start(int(self._firsts.searchsorted(start)) + room)
        if room < 1 or end <= start:
            end = self._atom_end(start)
        while (excess := self._ruler.count(start, end) - self._size) > 0:
            shorter = self._unit_start(max(int(self._firsts.searchsorted(end)) - excess, 0))
            if not start < shorter < end:  # Within one unit: by halves, so that a long one takes few steps.
                shorter = self._atom_start((start + end) // 2)
            if shorter <= start:
                shorter = self._atom_end(start)
                if shorter >= end:
                    return end, True
            end = shorter
        return end, False

    def back(self, end: int, units: int) -> int:
        """Start of the first atom that begins within so many units before `end`."""
        unit = max(int(self._firsts.searchsorted(end)) - units, 0)
        if 0 < unit < len(self._firsts) and self._firsts[unit - 1] == self._firsts[unit]:
            return self.after(int(self._firsts[unit]))
        return self._unit_start(unit)

    def after(self, start: int) -> int:
        """The next place after `start` at which a window may start."""
        return self._unit_start(int(self._firsts.searchsorted(start, side="right")))

    def _unit_start(self, unit: int) -> int:
        return int(self._firsts[unit]) if unit < len(self._firsts) else self._length

    def _atom_start(self, position: int) -> int:
        if self._clusters is None:
            return position
        return int(self._clusters[self._clusters.searchsorted(position, side="right") - 1])

    def _atom_end(self, start: int) -> int:
        if self._clusters is None:
            return start + 1
        after = int(self._clusters.searchsorted(start, side="right"))
        return int(self._clusters[after]) if after < len(self._clusters) else self._length


def _cluster_starts(text: str) -> Positions:
    import regex

    return np.array([match.start() for match in regex.finditer(_CLUSTER, text)], dtype=np.int64)
