"""Exact search: one matrix product, every score computed. The yardstick for any index."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from evaluation.footprint import StoredBytes, folder_bytes, metadata_line, text_bytes
from evaluation.stores.store import Found, Similarity, Store, VectorType
from strategies.document import Chunk
from strategies.strategy import Vectors

METADATA, TEXT = "metadata.jsonl", "text.bin"


@dataclass(frozen=True, slots=True)
class Exact(Store):
    """Every score computed, by one matrix product: the default, and what other stores are held against."""

    name: ClassVar[str] = "exact"
    vector_types: ClassVar[tuple[VectorType, ...]] = ("float32",)

    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> ExactStore:
        """Vectors in memory; the folder holds what is measured."""
        return ExactStore(folder)


class ExactStore:
    """Vectors in one array; cosine similarity is the dot product of unit vectors."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._chunks: list[Chunk] = []
        self._documents: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._numbers: dict[str, int] = {}

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Keep the array as it is."""
        if len(vectors) != len(chunks):
            raise ValueError(f"{len(vectors)} vectors for {len(chunks)} chunks")
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self._chunks = list(chunks)
        self._numbers = {name: n for n, name in enumerate(dict.fromkeys(c.document_id for c in chunks))}
        self._documents = np.array([self._numbers[c.document_id] for c in chunks], dtype=np.int64)

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        """All scores, then the best by partition."""
        rows = np.arange(len(self._vectors)) if documents is None else self._rows_of(documents)
        if depth < 1 or not len(rows):
            return Found(np.zeros(0, np.int64), np.zeros(0))
        # Picking scores is cheap; picking rows of the matrix first would copy it for each query.
        scores = (self._vectors @ query)[rows]
        # Rounding makes the order the same whatever kernel computed the product; the 0.0 turns -0.0 into 0.0.
        rounded = np.asarray(np.round(scores.astype(np.float64), 6) + 0.0, dtype=np.float64)
        if depth < len(rows):
            last = np.partition(rounded, len(rows) - depth)[len(rows) - depth]
            kept = rounded >= last
            rows, rounded = rows[kept], rounded[kept]
        return Found(rows, rounded)

    def replace_document(self, document: str, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Build anew of what is kept and what is new."""
        kept = [row for row, chunk in enumerate(self._chunks) if chunk.document_id != document]
        both = [self._vectors[kept], vectors] if len(vectors) else [self._vectors[kept]]
        self.build(np.concatenate(both), [*(self._chunks[row] for row in kept), *chunks])

    def stored(self) -> StoredBytes:
        """Written to the folder and measured."""
        self._write()
        return StoredBytes(
            vectors=int(self._vectors.nbytes),
            index=0,
            text=text_bytes(self._chunks),
            metadata=(self._folder / METADATA).stat().st_size,
            on_disk=folder_bytes(self._folder),
        )

    def payloads(self) -> list[dict[str, Any]]:
        """Read from the files that are measured; a text is as long as its range."""
        self._write()
        lines = (self._folder / METADATA).read_bytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
        text = (self._folder / TEXT).read_bytes().decode("utf-8", "surrogatepass")
        found = [json.loads(line) for line in lines]
        ends = [0, *accumulate(fields["end"] - fields["start"] for fields in found)]
        return [
            {**fields, "text": text[start:end]}
            for fields, (start, end) in zip(found, pairwise(ends), strict=True)
        ]

    def close(self) -> None:
        """Nothing is open."""

    def _rows_of(self, documents: frozenset[str]) -> npt.NDArray[np.int64]:
        numbers = [self._numbers[name] for name in documents if name in self._numbers]
        return np.flatnonzero(np.isin(self._documents, numbers))

    def _write(self) -> None:
        """All that is stored, as files."""
        np.save(self._folder / "vectors.npy", self._vectors)
        with (self._folder / METADATA).open("wb") as file:
            lines = (f"{metadata_line(chunk)}\n" for chunk in self._chunks)
            file.writelines(line.encode("utf-8", "surrogatepass") for line in lines)
        with (self._folder / TEXT).open("wb") as binary:
            binary.writelines(chunk.text.encode("utf-8", "surrogatepass") for chunk in self._chunks)
