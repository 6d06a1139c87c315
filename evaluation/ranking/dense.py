"""By vectors, in a store."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.footprint import StoredBytes
from evaluation.ranking.ranker import Query
from evaluation.stores.store import Found, VectorStore
from strategies.document import Chunk
from strategies.strategy import Vectors


class Dense:
    """The chunks whose vectors are most like the question's."""

    def __init__(self, store: VectorStore) -> None:
        """`store`: open, and empty."""
        self._store = store

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Hand them to the store."""
        self._store.build(vectors, chunks)

    def search(self, query: Query, depth: int, documents: frozenset[str] | None = None) -> Found:
        """What the store finds."""
        return self._store.search(query.vector, depth, documents)

    def stored(self) -> StoredBytes:
        """What the store takes."""
        return self._store.stored()

    def close(self) -> None:
        """Close the store."""
        self._store.close()
