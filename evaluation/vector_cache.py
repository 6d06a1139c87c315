"""Content-addressed vectors on disk: a text is embedded once for a model, and never again.

One SQLite file a model (its fingerprint), one row a text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strategies.cache_file import CacheFile

_COLUMNS = {
    "vector": "blob",
    "tokens": "integer",
    "seen_characters": "integer",
    "embed_ms": "real",
    "machine": "text",
}


class Entry(NamedTuple):
    """What is kept of one text."""

    vector: npt.NDArray[np.float32]
    """Shape (dim,), as the model gives it: not scaled."""
    tokens: int
    """Length for the model, special tokens included, before truncation."""
    seen_characters: int
    """Characters of prompt and text that reach the model."""
    embed_ms: float
    """Time its embedding took when it was embedded."""
    machine: str
    """Where that was: processor, threads and backend."""


def key_of(prompt: str, text: str) -> bytes:
    """The content address of a text under a prompt; the model is the file's business."""
    content = f"{len(prompt)}:{prompt}{text}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).digest()


class VectorCache:
    """Vectors of one model. `path` None keeps them in memory.

    A disk that refuses, or damages what it holds, costs the cache, never the sweep.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._file = CacheFile(path, "vectors", _COLUMNS)

    @property
    def writable(self) -> bool:
        """Turns False when the disk refuses a write; what was computed then stays in memory."""
        return self._file.writable

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Entry]:
        """The entries that are there; a damaged one counts as not there."""
        return {
            key: Entry(np.frombuffer(blob, dtype="<f4"), *others)
            for key, (blob, *others) in self._file.get(keys).items()
            if len(blob) % 4 == 0
        }

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys are there, without reading their vectors."""
        return self._file.known(keys)

    def put(self, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries, all or none."""
        self._file.put(
            {
                key: (np.ascontiguousarray(entry.vector, dtype="<f4").tobytes(), *entry[1:])
                for key, entry in entries.items()
            }
        )

    def pace(self, machine: str) -> float | None:
        """Milliseconds a token on this machine, from what was embedded here; None if nothing was."""
        return sampled_pace(self._file, "vectors", machine, 5000)

    def close(self) -> None:
        """Close the file; entries stay."""
        self._file.close()


def sampled_pace(file: CacheFile, table: str, machine: str, rows: int) -> float | None:
    """Milliseconds a token, over some rows of a table that were made on a machine; None without any."""
    found = file.read(
        "select sum(embed_ms), sum(tokens) from "
        f"(select embed_ms, tokens from {table} where machine = ? limit {rows})",
        (machine,),
    )
    return found[0][0] / found[0][1] if found and found[0][1] else None
