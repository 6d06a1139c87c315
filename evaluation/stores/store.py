"""What a store owes: `Store`, as a sweep names it, and `VectorStore`, one that is open."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.footprint import StoredBytes
from strategies.document import Chunk
from strategies.errors import ChunksweepError, Problem, refuse
from strategies.named import Named
from strategies.strategy import Vectors

Rows = npt.NDArray[np.int64]

VectorType = Literal["float32", "float16", "int8", "binary"]
"""What a number of a stored vector is; a `binary` one is its sign."""


Similarity = Literal["cosine", "dot"]
"""Of vectors: the dot product of unit vectors, or of vectors as the model gives them."""


class StoreError(ChunksweepError):
    """A store cannot take what it is given, too few vectors to train on, say: that configuration fails."""


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
    """What it can hold, with some parameters at least: see `unfit`."""
    extra: ClassVar[str | None] = None
    """The extra that installs it: `pip install 'chunksweep[extra]'`; None where the core has all."""
    packages: ClassVar[tuple[str, ...]] = ()
    """The top-level packages that are imported, of those that the extra brings."""
    distributions: ClassVar[tuple[str, ...]] = ()
    """What is installed whose version decides the answers."""

    @classmethod
    def members(cls) -> Mapping[str, type[Store]]:
        """`STORES`."""
        from evaluation.stores import STORES

        return STORES

    @classmethod
    def is_installed(cls) -> bool:
        """Whether its libraries are here; none is imported to find out."""
        found = [find_spec(package) for package in cls.packages]
        return all(spec is not None and spec.origin for spec in found)  # a plain folder has no origin

    @property
    def varies(self) -> bool:
        """Whether two builds of the same vectors may answer differently: an index is drawn at random."""
        return False

    def versions(self) -> Mapping[str, str]:
        """What decides the answers beside the parameters: library -> version, of those that are installed."""
        found = {}
        for name in self.distributions:
            with suppress(metadata.PackageNotFoundError):
                found[name] = metadata.version(name)
        return found

    def check(self) -> None:
        """Raise BadInput where it cannot be used here: a library is missing, or a server. Before any work."""
        if not self.is_installed():
            what = f"{self.name} needs {', '.join(self.packages)}, which is not installed"
            raise refuse("store", what, f"Run pip install 'chunksweep[{self.extra}]'")

    def unfit(self, vector_type: VectorType, metric: Similarity) -> tuple[str, str] | None:
        """Why it cannot hold such vectors for such a similarity, and what to do; None where it can."""
        if vector_type not in self.vector_types:
            return f"{self.name} holds no {vector_type}", f"Use {', '.join(self.vector_types)}"
        if vector_type == "binary" and metric == "dot":
            return "binary is no dot product: signs keep no length", "Use metric: cosine, or another type"
        return None

    @abstractmethod
    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> VectorStore:
        """A new, empty store that keeps its files in an empty folder, which its caller removes."""


def settle_index(
    store: Any, used_by: Mapping[str, tuple[Collection[str], int | None]], known: set[str]
) -> Iterator[Problem]:
    """Write down what an index's parameters are unless said; tell of those that mean nothing beside it.

    `used_by`: parameter -> the indexes that use it, and its value there; `known` are wrong in themselves.
    """
    for name, (indexes, default) in used_by.items():
        if store.index in indexes:
            if getattr(store, name) is None:
                object.__setattr__(store, name, default)
        elif name not in known and getattr(store, name) is not None:
            what = f"means nothing with index {store.index}"
            yield Problem(name, what, f"Leave it out, or use {', '.join(indexes)}")
