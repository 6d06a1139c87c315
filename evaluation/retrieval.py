"""Questions to ranked hits, with one tie rule.

Order: score (rounded to 1e-6 by the store) descending, then document id, then start. Hits that
return the same range are merged, best rank kept, before any K is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.gold import Question, admits
from evaluation.latency import stopwatch
from evaluation.stores import Found, VectorStore
from strategies.document import Chunk, Document, Scalar
from strategies.strategy import Vectors

TIMED_QUERIES = 200
"""Searches that are timed; more would not move the median."""

_WARM_UP_QUERIES = 3


class Hit(NamedTuple):
    """One entry of a ranked list: what a reader is handed at that rank."""

    document: str
    start: int
    """Start of the returned range."""
    end: int
    score: float
    """Rounded to 1e-6."""
    chunk: int
    """Row of the (best ranked) chunk whose returned range this is."""


def tied(hits: Sequence[Hit], k: int) -> bool:
    """Whether the tie rule decided anything about the first `k` hits: their order, or which they are.

    >>> first, second, third = (Hit("d", i, i + 1, score, i) for i, score in enumerate((0.9, 0.5, 0.5)))
    >>> tied([first, second, third], 1), tied([first, second, third], 2)
    (False, True)
    """
    return any(above.score == below.score for above, below in pairwise(hits[: k + 1]))


class _Admitted(NamedTuple):
    """What one filter lets through."""

    documents: frozenset[str]
    rows: npt.NDArray[np.bool_] | None
    """Shape (n_chunks,); None for all."""


class Retriever:
    """One configuration's index, asked by question; chunks of other documents than those given never come."""

    def __init__(self, store: VectorStore, chunks: Sequence[Chunk], documents: Sequence[Document]) -> None:
        self._store = store
        self._places: list[tuple[str, int, int]] = [(chunk.document_id, *chunk.returned) for chunk in chunks]
        self._ids = sorted({chunk.document_id for chunk in chunks})
        rank = {document: position for position, document in enumerate(self._ids)}
        self._document_rank = np.array([rank[chunk.document_id] for chunk in chunks], dtype=np.int64)
        self._starts = np.array([chunk.returned[0] for chunk in chunks], dtype=np.int64)
        self._own_starts = np.array([chunk.start for chunk in chunks], dtype=np.int64)
        self._metadata = {document.id: document.metadata for document in documents}
        self._admitted: dict[tuple[tuple[str, str, Scalar], ...], _Admitted] = {
            (): self._admitting(frozenset(self._metadata))
        }

    def searchable(self, question: Question) -> frozenset[str]:
        """Ids of the documents that the question's filter lets through, of those that are given."""
        return self._admits(question).documents

    def rank(self, question: Question, vector: Vectors, depth: int) -> Iterator[tuple[Hit, ...]]:
        """The ranked list, at least one, then deeper and deeper until nothing is left."""
        allowed = self._admits(question).rows
        available = len(self._places) if allowed is None else int(allowed.sum())
        while True:
            found = self._store.search(vector, depth, allowed)
            yield self._merge(found, depth)
            if len(found.rows) >= available:
                return
            depth = max(2 * depth, len(found.rows) + 1)

    def time_searches(self, questions: Sequence[Question], vectors: Vectors, k: int) -> list[float]:
        """Milliseconds of single searches for the best `k`, after a warm-up that is not counted."""
        if not questions:
            return []
        picked = np.linspace(0, len(questions) - 1, min(len(questions), TIMED_QUERIES)).astype(int).tolist()
        masks = [self._admits(questions[row]).rows for row in picked]
        for row, mask in list(zip(picked, masks, strict=True))[:_WARM_UP_QUERIES]:
            self._store.search(vectors[row], k, mask)
        times = []
        for row, mask in zip(picked, masks, strict=True):
            with stopwatch() as watch:
                self._store.search(vectors[row], k, mask)
            times.append(watch.ms)
        return times

    def _admits(self, question: Question) -> _Admitted:
        wanted = question.filter
        key = tuple((name, type(value).__name__, value) for name, value in sorted(wanted.items()))
        if key not in self._admitted:
            documents = frozenset(
                name for name, metadata in self._metadata.items() if admits(wanted, metadata)
            )
            self._admitted[key] = self._admitting(documents)
        return self._admitted[key]

    def _admitting(self, documents: frozenset[str]) -> _Admitted:
        inside = np.array([document in documents for document in self._ids], dtype=np.bool_)
        return _Admitted(documents, None if inside.all() else inside[self._document_rank])

    def _merge(self, found: Found, depth: int) -> tuple[Hit, ...]:
        rows = found.rows
        order = np.lexsort(
            (self._own_starts[rows], self._starts[rows], self._document_rank[rows], -found.scores)
        )[:depth]
        hits: dict[tuple[str, int, int], Hit] = {}
        for row, score in zip(rows[order].tolist(), found.scores[order].tolist(), strict=True):
            place = document, start, end = self._places[row]
            if place not in hits:
                hits[place] = Hit(document, start, end, score, row)
        return tuple(hits.values())
