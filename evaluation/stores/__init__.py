"""VectorStore: where vectors lie and are searched. One file a store; STORES says which there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.footprint import StoredBytes
from strategies.document import Chunk
from strategies.strategy import Vectors

Rows = npt.NDArray[np.int64]


class Found(NamedTuple):
    """Answer to one query, in no particular order."""

    rows: Rows
    """Rows of chunks, shape (n,): the best `depth`, and all that tie with the last of them."""
    scores: npt.NDArray[np.float64]
    """Their similarity, rounded to 1e-6, shape (n,)."""


class VectorStore(Protocol):
    """Holds one configuration's vectors."""

    name: str

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Take vectors, float32 of shape (n, dim) and unit length, and the chunks they stand for."""

    def search(self, query: Vectors, depth: int, allowed: npt.NDArray[np.bool_] | None = None) -> Found:
        """The `depth` nearest chunks of one query of shape (dim,), among the allowed rows.

        Never pads: with fewer chunks than `depth`, fewer come back.
        """

    def stored(self) -> StoredBytes:
        """What it all takes, written to disk and measured."""

    def payloads(self) -> list[dict[str, Any]]:
        """What is stored beside each vector, in order of rows, read back from where it lies.

        The fields of `footprint.payload`, and `text`.
        """


def _exact() -> VectorStore:
    from evaluation.stores.exact import ExactStore

    return ExactStore()


STORES: dict[str, Callable[[], VectorStore]] = {"exact": _exact}
"""Name -> a new, empty store."""


def open_store(name: str) -> VectorStore:
    """A new, empty store."""
    return STORES[name]()
