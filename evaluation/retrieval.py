"""Questions to ranked hits, with one tie rule.

Order: score (rounded to 1e-6 by the store) descending, then document id, then start. Hits that
return the same range are merged, best rank kept, before any K is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evaluation.gold import Question, admits
from evaluation.latency import stopwatch
from evaluation.ranking.ranker import Query, Ranker
from evaluation.stores.store import Found
from strategies.document import Chunk, Document
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
    """What one question may search."""

    documents: frozenset[str]
    everything: bool
    """Whether that is every document that has chunks."""
    chunks: int
    """How many chunks they have."""

    @property
    def asked(self) -> frozenset[str] | None:
        """As a ranker is asked."""
        return None if self.everything else self.documents


class Retriever:
    """One configuration's index, asked by question; chunks of other documents than those given never come."""

    def __init__(
        self, ranker: Ranker, chunks: Sequence[Chunk], documents: Sequence[Document], scope: str = "corpus"
    ) -> None:
        """With the scope `document`, a question searches only documents that hold some of its evidence."""
        self._ranker = ranker
        self._own_documents = scope == "document"
        self._places: list[tuple[str, int, int]] = [(chunk.document_id, *chunk.returned) for chunk in chunks]
        self._sizes = Counter(chunk.document_id for chunk in chunks)
        rank = {document: position for position, document in enumerate(sorted(self._sizes))}
        self._document_rank = np.array([rank[chunk.document_id] for chunk in chunks], dtype=np.int64)
        self._starts = np.array([chunk.returned[0] for chunk in chunks], dtype=np.int64)
        self._own_starts = np.array([chunk.start for chunk in chunks], dtype=np.int64)
        self._metadata = {document.id: document.metadata for document in documents}
        self._admitted: dict[tuple[object, ...], _Admitted] = {
            ((), None): self._admitting(frozenset(self._metadata))
        }

    def searchable(self, question: Question) -> frozenset[str]:
        """Ids of the documents that the question's filter lets through, of those that are given."""
        return self._admits(question).documents

    def rank(self, question: Question, vector: Vectors, depth: int) -> Iterator[tuple[Hit, ...]]:
        """The ranked list, at least one, then deeper and deeper until nothing is left."""
        admitted = self._admits(question)
        before = -1
        while True:
            found = self._ranker.search(Query(question.text, vector), depth, admitted.asked)
            yield self._merge(found, depth)
            # An index that is not exact, or knows words alone, may have no more to give. What ties with the
            # last of the list came too, and follows in the next one.
            exhausted = len(found.rows) >= admitted.chunks or len(found.rows) <= before
            if exhausted and len(found.rows) <= depth:
                return
            before = len(found.rows)
            depth = max(2 * depth, before + 1)

    def time_searches(self, questions: Sequence[Question], vectors: Vectors, k: int) -> list[float]:
        """Milliseconds of single searches for the best `k`, after a warm-up that is not counted."""
        if not questions:
            return []
        picked = np.linspace(0, len(questions) - 1, min(len(questions), TIMED_QUERIES)).astype(int).tolist()
        asked = [
            (Query(questions[row].text, vectors[row]), self._admits(questions[row]).asked) for row in picked
        ]
        for query, documents in asked[:_WARM_UP_QUERIES]:
            self._ranker.search(query, k, documents)
        times = []
        for query, documents in asked:
            with stopwatch() as watch:
                self._ranker.search(query, k, documents)
            times.append(watch.ms)
        return times

    def _admits(self, question: Question) -> _Admitted:
        wanted = question.filter
        within = _evidence_documents(question) if self._own_documents else None
        key = (tuple((name, type(value).__name__, value) for name, value in sorted(wanted.items())), within)
        if key not in self._admitted:
            documents = (
                name
                for name, metadata in self._metadata.items()
                if (within is None or name in within) and admits(wanted, metadata)
            )
            self._admitted[key] = self._admitting(frozenset(documents))
        return self._admitted[key]

    def _admitting(self, documents: frozenset[str]) -> _Admitted:
        chunks = sum(self._sizes[document] for document in documents)
        return _Admitted(documents, self._sizes.keys() <= documents, chunks)

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


def _evidence_documents(question: Question) -> frozenset[str]:
    return frozenset(passage.document for entry in question.evidence for passage in entry.passages)
