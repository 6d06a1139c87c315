"""The first candidates of any ranker, ordered anew by a model that reads question and text together."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from evaluation.footprint import StoredBytes
from evaluation.ranking.order import HitOrder, places
from evaluation.ranking.pair_desk import Pair, PairDesk, Scored
from evaluation.ranking.ranker import Asking, Query, Ranker
from evaluation.stores.nearest import best
from evaluation.stores.store import Found, Rows
from strategies.document import Chunk
from strategies.strategy import Vectors


class Reranked:
    """Candidates by the model's score of the question with what is embedded of the chunk, then the rest."""

    def __init__(self, first: Ranker, desk: PairDesk, candidates: int) -> None:
        """`first`: empty. The desk is closed by its owner."""
        self.first = first
        self.candidates = candidates
        self._desk = desk

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Build what gives the candidates."""
        self.first.build(vectors, chunks)
        self._texts = [chunk.embedded_text for chunk in chunks]
        self._order = HitOrder(chunks)

    def prepare(self, asked: Sequence[Asking]) -> list[Scored | None]:
        """Score the candidates of many searches together, which takes less time than one after the other.

        What each of them took and found; None where the search failed, which then fails again.
        """
        wanted: list[list[Pair] | None] = []
        for query, documents in asked:
            pairs = None
            with suppress(Exception):
                pairs = self._pairs(query, self._listed(query, 0, documents).rows[: self.candidates])
            wanted.append(pairs)
        self._desk.prepare([pair for pairs in wanted if pairs for pair in pairs])
        return [None if pairs is None else self._desk.scored(pairs) for pairs in wanted]

    def search(self, query: Query, depth: int, documents: frozenset[str] | None = None) -> Found:
        """The candidates with the model's scores; the others with scores one and more below the lowest."""
        found = self._listed(query, depth, documents)
        top = found.rows[: self.candidates]
        if not len(top):
            return found
        scores = self._desk.scored(self._pairs(query, top)).scores
        below = scores.min() - 1 - places(found.scores[self.candidates :])
        return best(found.rows, np.concatenate([scores, below]), depth)

    def stored(self) -> StoredBytes:
        """What gives the candidates; the model is not part of an index."""
        return self.first.stored()

    def close(self) -> None:
        """Close what gives the candidates."""
        self.first.close()

    def _listed(self, query: Query, depth: int, documents: frozenset[str] | None) -> Found:
        return self._order.sort(self.first.search(query, max(depth, self.candidates), documents))

    def _pairs(self, query: Query, rows: Rows) -> list[Pair]:
        return [(query.text, self._texts[row]) for row in rows.tolist()]
