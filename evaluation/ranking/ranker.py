"""What a ranker owes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from evaluation.footprint import StoredBytes
from evaluation.stores.store import Found
from strategies.document import Chunk
from strategies.strategy import Vectors


class Query(NamedTuple):
    """A question as rankers take it."""

    text: str
    vector: Vectors
    """float32, shape (dim,); (0,) where nothing is embedded."""


Asking = tuple[Query, frozenset[str] | None]
"""What a search is given beside its depth: a question, and the documents it may search (None: all)."""


class Ranker(Protocol):
    """Ranks one configuration's chunks. Searches may come from several threads at a time."""

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Index chunks; `vectors` has shape (n, dim), or (n, 0) where nothing is embedded."""

    def search(self, query: Query, depth: int, documents: frozenset[str] | None = None) -> Found:
        """The best `depth` chunks of these documents, or of all, and those that tie with the last.

        Deeper lists begin with the same chunks in the same order.
        """

    def stored(self) -> StoredBytes:
        """What it all takes, flushed, compacted and measured on disk."""

    def close(self) -> None:
        """Give back what it holds."""
