"""Questions to ranked hits, with one tie rule.

The order is that of `evaluation.ranking.order`. Hits that return the same range are merged, best rank
kept, before any K is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import cycle, islice, pairwise
from math import fsum
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation.gold import Question, admits
from evaluation.latency import stopwatch
from evaluation.ranking import Reranked, dense_part
from evaluation.ranking.order import HitOrder
from evaluation.ranking.pair_desk import Scored
from evaluation.ranking.ranker import Asking, Query, Ranker
from evaluation.stores.exact import ExactStore
from evaluation.stores.store import Found
from strategies.document import Chunk, Document
from strategies.strategy import Vectors

TIMED_QUERIES = 200
"""Searches that are timed; more would not move the median."""

_WARM_UP_QUERIES = 3

CLIENTS = 8
"""Threads that search at once, where that is timed."""

_SHARED_QUERIES = 64
"""Searches that they share at least: fewer questions are asked again."""


class Hit(NamedTuple):
    """One entry of a ranked list: what a reader is handed at that rank."""

    document: str
    start: int
    """Start of the returned range."""
    end: int
    score: float
    """As its ranker scores: a similarity of vectors, or what orders hits and means nothing else."""
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
        self._chunks = chunks
        self._own_documents = scope == "document"
        self._yardstick: ExactStore | None = None
        self._places: list[tuple[str, int, int]] = [(chunk.document_id, *chunk.returned) for chunk in chunks]
        self._sizes = Counter(chunk.document_id for chunk in chunks)
        self._order = HitOrder(chunks)
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

    def time_searches(
        self, questions: Sequence[Question], vectors: Vectors, k: int, clients: int = 1
    ) -> list[float]:
        """Milliseconds of single searches for the best `k`, after a warm-up that is not counted.

        Searches that fail have no time. Reranking is not timed here: its candidates are searched. With
        several clients, that many threads search at once, each its next when it has an answer.
        """
        if not questions:
            return []
        ranker, depth = self._ranker, k
        if isinstance(self._ranker, Reranked):
            ranker, depth = self._ranker.first, max(k, self._ranker.candidates)
        picked = np.linspace(0, len(questions) - 1, min(len(questions), TIMED_QUERIES)).astype(int).tolist()
        asked = [self._asking(questions[row], vectors[row]) for row in picked]

        def timed(asking: Asking) -> float | None:
            with stopwatch() as watch:
                try:
                    ranker.search(asking[0], depth, asking[1])
                except Exception:  # is counted where the question is asked for its hits
                    return None
            return watch.ms

        for asking in asked[:_WARM_UP_QUERIES]:
            timed(asking)
        if clients == 1:
            return _whole(map(timed, asked))
        asked = list(islice(cycle(asked), max(len(asked), _SHARED_QUERIES)))
        with ThreadPoolExecutor(clients) as threads:
            list(threads.map(timed, asked[:clients]))  # their threads, and connections of a store, are there
            return _whole(threads.map(timed, asked))

    def rerank(self, questions: Sequence[Question], vectors: Vectors) -> list[Scored] | None:
        """Score the candidates of all questions at once; what each took. None where nothing is reranked."""
        if not isinstance(self._ranker, Reranked):
            return None
        asked = [self._asking(question, vectors[row]) for row, question in enumerate(questions)]
        return [scored for scored in self._ranker.prepare(asked) if scored is not None]

    def store_recall(
        self, questions: Sequence[Question], vectors: Vectors, of: Vectors, k: int
    ) -> float | None:
        """Share of the `k` nearest chunks that the store finds, mean over questions; None without a store.

        `of` are the chunks' vectors as the store took them, shape (n, dim). Nearest are the chunks that exact
        search of these finds; any that tie with the k-th are as good as it. Questions that may search
        nothing, or whose search fails, are left out.
        """
        dense = dense_part(self._ranker)
        if dense is None:
            return None
        yardstick = self._exactly(of)
        shares = []
        for question, vector in zip(questions, vectors, strict=True):
            wanted = min(k, self._admits(question).chunks)
            query, documents = self._asking(question, vector)
            if not wanted:
                continue
            with suppress(Exception):  # one that fails is counted where it is asked for its hits
                found = self._order.sort(dense.search(query, wanted, documents)).rows[:wanted]
                nearest = yardstick.search(vector, wanted, documents).rows
                shares.append(int(np.isin(found, nearest).sum()) / wanted)
        return fsum(shares) / len(shares) if shares else None

    def nearest(self, question: Question, vector: Vectors, of: Vectors, n: int) -> tuple[Hit, ...]:
        """The first `n` hits of exact search among the chunks' vectors, `of`, as for `store_recall`."""
        yardstick, documents, depth = self._exactly(of), self._admits(question).asked, n
        while True:
            found = yardstick.search(vector, depth, documents)
            hits = self._merge(found, depth)
            if len(hits) >= n or len(found.rows) < depth:
                return hits[:n]
            depth *= 2

    def _exactly(self, of: Vectors) -> ExactStore:
        """Exact search of the chunks' vectors, built once."""
        if self._yardstick is None:
            self._yardstick = ExactStore(Path())  # which writes nothing unless it is measured
            self._yardstick.build(of, self._chunks)
        return self._yardstick

    def _asking(self, question: Question, vector: Vectors) -> Asking:
        return Query(question.text, vector), self._admits(question).asked

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
        rows, scores = self._order.sort(found)
        hits: dict[tuple[str, int, int], Hit] = {}
        for row, score in zip(rows[:depth].tolist(), scores[:depth].tolist(), strict=True):
            place = document, start, end = self._places[row]
            if place not in hits:
                hits[place] = Hit(document, start, end, score, row)
        return tuple(hits.values())


def _evidence_documents(question: Question) -> frozenset[str]:
    return frozenset(passage.document for entry in question.evidence for passage in entry.passages)


def _whole(times_ms: Iterable[float | None]) -> list[float]:
    """The times that there are."""
    return [ms for ms in times_ms if ms is not None]
