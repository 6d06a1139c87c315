"""How long a text is, in a named unit, and where the units lie in it."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

Borders = npt.NDArray[np.int64]
"""Shape (n_units + 1,): code point at which each unit starts, never decreasing, then the length
of the text. A unit that starts inside a character counts as starting at that character."""


class Counter(Protocol):
    """Counts a text in one unit."""

    unit: str
    """The unit's name in a sweep file."""

    def count(self, text: str) -> int:
        """Units in `text`, taken on its own."""

    def borders(self, text: str) -> Borders:
        """Where each unit of `text` starts. `len(borders(text)) - 1 >= count(text)`, equal but for `[UNK]`."""
