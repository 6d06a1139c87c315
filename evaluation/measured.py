"""A document with its white space and its tokens counted up, so that any range of it is measured at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.spans import Range
from strategies.units.characters import code_points, is_white

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Measured:
    """What lengths of one document are read from."""

    non_white: Counts
    """Shape (length of the text + 1,): characters before each position that are not white space."""
    token_starts: Counts
    """Shape (n_tokens,), never decreasing: where each cl100k token of the whole document starts."""

    @classmethod
    def of(cls, document: Document, token_starts: Counts) -> Measured:
        """Count a document up once; `str.isspace` decides what is white."""
        points = code_points(document.text)
        solid = ~is_white(points)
        non_white = np.zeros(len(points) + 1, dtype=np.int64)
        np.cumsum(solid, out=non_white[1:])
        return cls(non_white, np.asarray(token_starts, dtype=np.int64))

    def non_white_length(self, ranges: Iterable[Range]) -> int:
        """Characters in a set of ranges that are not white space."""
        return sum(int(self.non_white[end] - self.non_white[start]) for start, end in ranges)

    def tokens(self, start: int, end: int) -> int:
        """Tokens that start inside the range: they add up over neighbouring ranges."""
        first, past = self.token_starts.searchsorted((start, end))
        return int(past - first)

    def cut_at_tokens(self, start: int, end: int, n: int) -> int:
        """Where the range ends if it may hold only its first `n` tokens: where the next one starts.

        Tokens that start at the same character stay together, so the answer may hold fewer than `n`.
        """
        first, past = self.token_starts.searchsorted((start, end))
        return int(self.token_starts[first + n]) if first + n < past else end
