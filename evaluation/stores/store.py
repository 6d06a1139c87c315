"""What a store owes: `Store`, as a sweep names it, and `VectorStore`, one that is open."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.footprint import StoredBytes
from strategies.document import Chunk
from strategies.named import Named
from strategies.strategy import Vectors

Rows = npt.NDArray[np.int64]

VectorType = Literal["float32", "float16", "int8", "binary"]
"""What a number of a stored vector is; a `binary` one is its sign."""


Similarity = Literal["cosine", "dot"]
"""Of vectors: the dot product of unit vectors, or of vectors as the model gives them."""


class Found(NamedTuple):
    """Answer to one query, in no particular order."""

    rows: Rows
    """Rows of chunks, shape (n,): the best `depth`, and all that tie with the last of them."""
    scores: npt.NDArray[np.float64]
    """Their similarity, rounded to 1e-6, shape (n,)."""


class VectorStore(Protocol):
    """Holds one configuration's vectors. Searches may come from several threads at a time."""

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Take vectors, float32 of shape (n, dim), and the chunks they stand for; index, flush, compact.

        Of unit length, or of any where the store was opened for dot products. Raises ValueError where the
        numbers differ.
        """

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        """The `depth` nearest chunks of one query of shape (dim,), of these documents, or of all.

        Never pads: with fewer chunks than `depth`, fewer come back. An approximate index may miss some;
        what it gives has its true score, up to what `vector_type` leaves of the vectors.
        """

    def replace_document(self, document: str, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Put chunks of a changed document in the place of all it had; none removes it.

        Rows of other chunks move up to close the gaps, in their order; the new ones follow all others.
        """

    def stored(self) -> StoredBytes:
        """What it all takes, flushed, compacted and measured on disk."""

    def payloads(self) -> list[dict[str, Any]]:
        """What is stored beside each vector, in order of rows, read back from where it lies.

        The fields of `footprint.payload`, and `text`.
        """

    def close(self) -> None:
        """Give back what it holds: connections, files, a server's tables."""


class Store(Named):
    """A store as a sweep names it, with its parameters."""

    __slots__ = ()

    family: ClassVar[str] = "store"
    vector_types: ClassVar[tuple[VectorType, ...]]
    """What it can hold."""

    @classmethod
    def members(cls) -> Mapping[str, type[Store]]:
        """`STORES`."""
        from evaluation.stores import STORES

        return STORES

    def versions(self) -> Mapping[str, str]:
        """What decides the answers beside the parameters: library -> version."""
        return {}

    def check(self) -> None:
        """Raise BadInput where it cannot be used here: a library is missing, or a server. Before any work."""

    @abstractmethod
    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> VectorStore:
        """A new, empty store that keeps its files in an empty folder, which its caller removes."""
