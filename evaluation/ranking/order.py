"""The order of hits: one tie rule, whatever ranks them and in whatever order it tells them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluation.stores.store import Found
from strategies.document import Chunk


class HitOrder:
    """Score descending, then document id, then start of what is returned, of the chunk itself, then row."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        names = sorted({chunk.document_id for chunk in chunks})
        rank = {document: position for position, document in enumerate(names)}
        self._documents = np.array([rank[chunk.document_id] for chunk in chunks], dtype=np.int64)
        self._starts = np.array([chunk.returned[0] for chunk in chunks], dtype=np.int64)
        self._own_starts = np.array([chunk.start for chunk in chunks], dtype=np.int64)

    def sort(self, found: Found) -> Found:
        """The same, best first."""
        rows, scores = found
        keys = (rows, self._own_starts[rows], self._starts[rows], self._documents[rows], -scores)
        order = np.lexsort(keys)
        return Found(rows[order], scores[order])


def places(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How many stand before each, of scores in descending order; ties share a place.

    >>> places(np.array([0.9, 0.5, 0.5, 0.1])).tolist()
    [0.0, 1.0, 1.0, 3.0]
    """
    return np.searchsorted(-scores, -scores, side="left").astype(np.float64)
