"""Questions to ranked hits, with one tie rule.

Order: score (rounded to 1e-6 by the store) descending, then document id, then start. Hits that
return the same range are merged, best rank kept, before any K is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Ranking:
    """The ranked list of one question, deep enough for every K and budget."""

    hits: tuple[Hit, ...]
    tied: bool
    """Two of the ranks that count have the same score, so the tie rule decided."""


class Retriever:
    """One configuration's index, asked by question."""

    def __init__(self, store: VectorStore, chunks: Sequence[Chunk], documents: Sequence[Document]) -> None:
        self._store = store
        self._chunks = chunks
        ids = sorted({chunk.document_id for chunk in chunks})
        rank = {document: position for position, document in enumerate(ids)}
        self._document_rank = np.array([rank[chunk.document_id] for chunk in chunks], dtype=np.int64)
        self._starts = np.array([chunk.returned[0] for chunk in chunks], dtype=np.int64)
        self._own_starts = np.array([chunk.start for chunk in chunks], dtype=np.int64)
        self._metadata = {document.id: document.metadata for document in documents}
        self._masks: dict[tuple[tuple[str, str, Scalar], ...], npt.NDArray[np.bool_]] = {}

    def searchable(self, question: Question) -> frozenset[str]:
        """Ids of the documents that the question's filter lets through."""
        return frozenset(
            document for document, metadata in self._metadata.items() if admits(question.filter, metadata)
        )

    def rank(
        self, question: Question, vector: Vectors, depth: int, enough: Callable[[Sequence[Hit]], bool]
    ) -> Ranking:
        """The ranked list, deepened until `enough` says so or nothing is left."""
        allowed = self._allowed(question)
        available = len(self._chunks) if allowed is None else int(allowed.sum())
        while True:
            found = self._store.search(vector, depth, allowed)
            hits, tied = self._merge(found, depth)
            if len(found.rows) >= available or enough(hits):
                return Ranking(hits, tied)
            depth = max(2 * depth, len(found.rows) + 1)

    def time_searches(self, questions: Sequence[Question], vectors: Vectors, k: int) -> list[float]:
        """Milliseconds of single searches for the best `k`, after a warm-up that is not counted."""
        if not questions:
            return []
        step = max(1, len(questions) // TIMED_QUERIES)
        picked = range(0, len(questions), step)[:TIMED_QUERIES]
        masks = [self._allowed(questions[row]) for row in picked]
        for row, mask in list(zip(picked, masks, strict=True))[:_WARM_UP_QUERIES]:
            self._store.search(vectors[row], k, mask)
        times = []
        for row, mask in zip(picked, masks, strict=True):
            with stopwatch() as watch:
                self._store.search(vectors[row], k, mask)
            times.append(watch.ms)
        return times

    def _allowed(self, question: Question) -> npt.NDArray[np.bool_] | None:
        if not question.filter:
            return None
        key = tuple((name, type(value).__name__, value) for name, value in sorted(question.filter.items()))
        if key not in self._masks:
            documents = self.searchable(question)
            self._masks[key] = np.array(
                [chunk.document_id in documents for chunk in self._chunks], dtype=bool
            )
        return self._masks[key]

    def _merge(self, found: Found, depth: int) -> tuple[tuple[Hit, ...], bool]:
        rows = found.rows
        order = np.lexsort(
            (self._own_starts[rows], self._starts[rows], self._document_rank[rows], -found.scores)
        )
        hits: dict[tuple[str, int, int], Hit] = {}
        for position in order[:depth]:
            row = int(rows[position])
            chunk = self._chunks[row]
            place = (chunk.document_id, *chunk.returned)
            if place not in hits:
                hits[place] = Hit(*place, float(found.scores[position]), row)
        scores = found.scores[order]
        tied = bool((scores[1 : depth + 1] == scores[:depth][: max(0, len(scores) - 1)]).any())
        return tuple(hits.values()), tied
