"""Exact search: one matrix product, every score computed. The yardstick for any index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np

from evaluation.footprint import StoredBytes, folder_bytes
from evaluation.stores.nearest import STEP, best, depth_score, float_error, nothing
from evaluation.stores.payloads import Payloads, check_numbers
from evaluation.stores.quantising import Codes, Quantiser, Signs, fitted
from evaluation.stores.store import Found, Rows, Similarity, Store, VectorType
from strategies.document import Chunk
from strategies.strategy import Vectors


@dataclass(frozen=True, slots=True)
class Exact(Store):
    """Every score computed, by one matrix product: the default, and what other stores are held against."""

    name: ClassVar[str] = "exact"
    vector_types: ClassVar[tuple[VectorType, ...]] = get_args(VectorType)

    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> ExactStore:
        """Vectors in memory; the folder holds what is measured."""
        return ExactStore(folder, vector_type)


class ExactStore:
    """Codes in one array; cosine similarity is the dot product of unit vectors."""

    def __init__(self, folder: Path, vector_type: VectorType = "float32") -> None:
        self._folder, self._vector_type = folder, vector_type
        self._payloads = Payloads(folder)
        self._keep(fitted(np.zeros((0, 0), np.float32), vector_type), np.zeros((0, 0), np.float32))

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Fit the vector type to the vectors, and keep their codes."""
        check_numbers(vectors, chunks)
        quantiser = fitted(vectors, self._vector_type)
        self._keep(quantiser, quantiser.encode(vectors))
        self._payloads.take(chunks)

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        """All scores, then the best by partition."""
        rows = self._payloads.rows_of(documents)
        if depth < 1 or not len(rows):
            return nothing()
        rows = self._likely(rows, query, depth)
        return best(rows, self._quantiser.scores(self._codes[rows], query), depth)

    def replace_document(self, document: str, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Codes of what is kept stay; what is new is encoded as they are."""
        check_numbers(vectors, chunks)
        kept = self._payloads.rows_without(document)
        others = [self._payloads.chunks[row] for row in kept.tolist()]
        if not len(kept):
            self.build(vectors, chunks)
            return
        new = [self._quantiser.encode(vectors)] if len(vectors) else []
        self._keep(self._quantiser, np.concatenate([self._codes[kept], *new]))
        self._payloads.take([*others, *chunks])

    def stored(self) -> StoredBytes:
        """Written to the folder and measured; the ranges of `int8` count as index."""
        text, metadata = self._payloads.write()
        np.save(self._folder / "vectors.npy", self._codes)
        ranges = self._quantiser.ranges
        if ranges.size:
            np.save(self._folder / "ranges.npy", ranges)
        return StoredBytes(
            vectors=int(self._codes.nbytes),
            index=ranges.nbytes,
            text=text,
            metadata=metadata,
            on_disk=folder_bytes(self._folder),
        )

    def payloads(self) -> list[dict[str, Any]]:
        """Read from the files that are measured."""
        return self._payloads.read()

    def close(self) -> None:
        """Nothing is open."""

    def _keep(self, quantiser: Quantiser, codes: Codes) -> None:
        self._quantiser, self._codes = quantiser, codes
        # Of signs there is no need: they are compared as they are.
        self._decoded = None if isinstance(quantiser, Signs) else quantiser.decode(codes)
        lengths = np.zeros(0) if self._decoded is None else np.linalg.norm(self._decoded, axis=1)
        self._longest = float(lengths.max(initial=0.0))

    def _likely(self, rows: Rows, query: Vectors, depth: int) -> Rows:
        """The rows that may be among the best: all but those whose float32 score is clearly too low."""
        if self._decoded is None or depth >= len(rows):
            return rows
        # Picking scores is cheap; picking rows of the matrix first would copy it for each query.
        rough = (self._decoded @ query)[rows].astype(np.float64)
        least = depth_score(rough, depth) - 2 * float_error(query, self._longest) - STEP
        return rows[rough >= least]
