"""What lies beside the vectors, as two files of a folder: for stores that keep vectors alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.footprint import as_bytes, as_text, metadata_line
from evaluation.stores.store import Rows
from strategies.document import Chunk

METADATA, TEXT = "metadata.jsonl", "text.bin"


class Payloads:
    """The chunks of an index, in order of rows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.take(())

    def take(self, chunks: Sequence[Chunk]) -> None:
        """These, in the place of all others."""
        self.chunks = list(chunks)
        self._numbers = {name: n for n, name in enumerate(dict.fromkeys(c.document_id for c in chunks))}
        self._documents: npt.NDArray[np.int64] = np.array(
            [self._numbers[chunk.document_id] for chunk in chunks], dtype=np.int64
        )

    def __len__(self) -> int:
        return len(self.chunks)

    def rows_of(self, documents: frozenset[str] | None) -> Rows:
        """The rows of the chunks of documents; of all for None."""
        if documents is None:
            return np.arange(len(self.chunks))
        numbers = [self._numbers[name] for name in documents if name in self._numbers]
        return np.flatnonzero(np.isin(self._documents, numbers))

    def rows_without(self, document: str) -> Rows:
        """The rows of the chunks of all other documents."""
        return np.flatnonzero(self._documents != self._numbers.get(document, -1))

    def write(self) -> tuple[int, int]:
        """Write the files; the bytes of texts and of metadata."""
        with (self._folder / METADATA).open("wb") as file:
            lines = (f"{metadata_line(chunk)}\n" for chunk in self.chunks)
            file.writelines(as_bytes(line) for line in lines)
        with (self._folder / TEXT).open("wb") as binary:
            binary.writelines(as_bytes(chunk.text) for chunk in self.chunks)
        return (self._folder / TEXT).stat().st_size, (self._folder / METADATA).stat().st_size

    def read(self) -> list[dict[str, Any]]:
        """Written, and read back; a text is as long as its range."""
        self.write()
        lines = as_text((self._folder / METADATA).read_bytes()).split("\n")[:-1]
        text = as_text((self._folder / TEXT).read_bytes())
        found = [json.loads(line) for line in lines]
        ends = [0, *accumulate(fields["end"] - fields["start"] for fields in found)]
        return [
            {**fields, "text": text[start:end]}
            for fields, (start, end) in zip(found, pairwise(ends), strict=True)
        ]


def check_numbers(vectors: Sequence[Any] | npt.NDArray[Any], chunks: Sequence[Chunk]) -> None:
    """Raise ValueError where there is not one vector a chunk."""
    if len(vectors) != len(chunks):
        raise ValueError(f"{len(vectors)} vectors for {len(chunks)} chunks")
