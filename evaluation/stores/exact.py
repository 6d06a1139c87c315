"""Exact search: one matrix product, every score computed. The yardstick for any index."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.footprint import StoredBytes, folder_bytes, metadata_line, text_bytes
from evaluation.stores import Found
from strategies.document import Chunk
from strategies.strategy import Vectors

METADATA, TEXT = "metadata.jsonl", "text.bin"


class ExactStore:
    """Vectors in one array; cosine similarity, which is the dot product of unit vectors."""

    name = "exact"

    def __init__(self) -> None:
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._chunks: Sequence[Chunk] = ()

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Keep the array as it is."""
        if len(vectors) != len(chunks):
            raise ValueError(f"{len(vectors)} vectors for {len(chunks)} chunks")
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self._chunks = chunks

    def search(self, query: Vectors, depth: int, allowed: npt.NDArray[np.bool_] | None = None) -> Found:
        """All scores, then the best by partition."""
        rows = np.arange(len(self._vectors)) if allowed is None else np.flatnonzero(allowed)
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

    def stored(self) -> StoredBytes:
        """Written to a folder, measured, and removed."""
        with self._written() as folder:
            return StoredBytes(
                vectors=int(self._vectors.nbytes),
                index=0,
                text=text_bytes(self._chunks),
                metadata=(folder / METADATA).stat().st_size,
                on_disk=folder_bytes(folder),
            )

    def payloads(self) -> list[dict[str, Any]]:
        """Read from the files that are measured; a text is as long as its range."""
        with self._written() as folder:
            lines = (folder / METADATA).read_bytes().decode("utf-8", "surrogatepass").split("\n")[:-1]
            text = (folder / TEXT).read_bytes().decode("utf-8", "surrogatepass")
        found = [json.loads(line) for line in lines]
        ends = [0, *accumulate(fields["end"] - fields["start"] for fields in found)]
        return [
            {**fields, "text": text[start:end]}
            for fields, (start, end) in zip(found, pairwise(ends), strict=True)
        ]

    @contextmanager
    def _written(self) -> Iterator[Path]:
        """A folder with all that is stored, for as long as it is looked at."""
        with tempfile.TemporaryDirectory(prefix="chunksweep-store-") as name:
            folder = Path(name)
            np.save(folder / "vectors.npy", self._vectors)
            with (folder / METADATA).open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
                file.writelines(f"{metadata_line(chunk)}\n" for chunk in self._chunks)
            with (folder / TEXT).open("wb") as binary:
                binary.writelines(chunk.text.encode("utf-8", "surrogatepass") for chunk in self._chunks)
            yield folder
