"""By vectors and by words, fused: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).

A chunk gains 1 / (60 + rank) from each of the two lists that has it among its first `candidates`. Behind
all that gained come the rest of the vectors' list in its order, and last what words alone still find.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluation.footprint import StoredBytes
from evaluation.ranking.bm25 import BM25
from evaluation.ranking.dense import Dense
from evaluation.ranking.order import HitOrder, places
from evaluation.ranking.ranker import Query
from evaluation.stores.nearest import best
from evaluation.stores.store import Found, Rows
from strategies.document import Chunk
from strategies.strategy import Vectors

RRF_K = 60
"""What is added to each rank: the paper's."""


class Hybrid:
    """What both lists have near their tops comes first."""

    def __init__(self, dense: Dense, words: BM25, candidates: int) -> None:
        """Of two empty rankers; `candidates` is how much of each list is fused."""
        self.dense = dense
        self._words = words
        self._candidates = candidates

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Build both."""
        self.dense.build(vectors, chunks)
        self._words.build(vectors, chunks)
        self._order = HitOrder(chunks)

    def search(self, query: Query, depth: int, documents: frozenset[str] | None = None) -> Found:
        """The fused, scored by what they gain; the others below 0, by how many of them stand before.

        Sums of two reciprocals are exact enough to be equal where they are, and so are not rounded.
        """
        deep = max(depth, self._candidates)
        dense, words = (
            self._order.sort(ranker.search(query, deep, documents)) for ranker in (self.dense, self._words)
        )
        first = [found.rows[: self._candidates] for found in (dense, words)]
        rows, scores = fuse(first)
        behind = _without(dense, rows)
        below = -1 - places(behind.scores)
        if len(dense.rows) < deep:  # the vectors' list has ended
            last = _without(words, np.concatenate([rows, behind.rows]))
            behind = Found(np.concatenate([behind.rows, last.rows]), behind.scores)
            below = np.concatenate([below, -1 - len(below) - places(last.scores)])
        return best(np.concatenate([rows, behind.rows]), np.concatenate([scores, below]), depth)

    def stored(self) -> StoredBytes:
        """Both indexes; texts and metadata once."""
        stored, index = self.dense.stored(), self._words.save_index()
        return StoredBytes(
            stored.vectors, stored.index + index, stored.text, stored.metadata, stored.on_disk + index
        )

    def close(self) -> None:
        """Close both."""
        self.dense.close()
        self._words.close()


def fuse(lists: Sequence[Rows]) -> tuple[Rows, npt.NDArray[np.float64]]:
    """Rows of ranked lists, each once, in no particular order, and what each gains over all lists.

    >>> rows, scores = fuse([np.array([7, 3]), np.array([3, 5])])
    >>> rows.tolist(), (1 / scores).round(1).tolist()
    ([3, 5, 7], [30.7, 62.0, 61.0])
    """
    gains = np.concatenate([1 / (RRF_K + 1.0 + np.arange(len(rows))) for rows in lists])
    rows, at = np.unique(np.concatenate(lists), return_inverse=True)
    return rows, np.bincount(at, weights=gains, minlength=len(rows)).astype(np.float64)


def _without(found: Found, rows: Rows) -> Found:
    kept = np.isin(found.rows, rows, invert=True)
    return Found(found.rows[kept], found.scores[kept])
