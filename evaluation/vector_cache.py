"""Content-addressed vectors on disk: a text is embedded once for a model, and never again.

One SQLite file a model (its fingerprint), one row a text. SQLite gives what a cache shared by
several processes needs: atomic writes, locking, and survival of a kill at any moment.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strategies.errors import refuse

_BATCH = 500
"""Keys a query, below SQLite's limit of variables."""

_COLUMNS = "key, vector, crc, tokens, seen_characters, embed_ms, machine"

_SCHEMA = """
create table if not exists vectors (
    key blob primary key,
    vector blob not null,
    crc integer not null,
    tokens integer not null,
    seen_characters integer not null,
    embed_ms real not null,
    machine text not null
)
"""


class Entry(NamedTuple):
    """What is kept of one text."""

    vector: npt.NDArray[np.float32]
    """Shape (dim,), unit length."""
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
    """Vectors of one model. `path` None keeps them in memory."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.writable = True
        """Turns False when the disk refuses a write; what was computed then stays in memory."""
        self._unwritten: dict[bytes, Entry] = {}
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = _open(path)
        except (OSError, sqlite3.Error) as error:
            raise refuse(
                "cache-dir",
                f"{path} cannot be used ({error})",
                "Name a folder you may write with --cache-dir",
            ) from None

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Entry]:
        """The entries that are there; a damaged one counts as not there."""
        wanted = list(dict.fromkeys(keys))
        found = {key: self._unwritten[key] for key in wanted if key in self._unwritten}
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            for key, blob, crc, *rest in self._database.execute(
                f"select {_COLUMNS} from vectors where key in ({marks})",
                batch,
            ):
                if crc == zlib.crc32(blob) and len(blob) % 4 == 0:
                    found[key] = Entry(np.frombuffer(blob, dtype="<f4"), *rest)
        return found

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys are there, without reading their vectors."""
        found = {key for key in keys if key in self._unwritten}
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            found.update(
                row[0]
                for row in self._database.execute(f"select key from vectors where key in ({marks})", batch)
            )
        return found

    def put(self, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries, all or none; a disk that refuses costs the cache, never the sweep."""
        rows = []
        for key, entry in entries.items():
            blob = np.ascontiguousarray(entry.vector, dtype="<f4").tobytes()
            rows.append((key, blob, zlib.crc32(blob), *entry[1:]))
        if self.writable:
            try:
                with self._database:
                    self._database.executemany(
                        "insert or replace into vectors values (?, ?, ?, ?, ?, ?, ?)", rows
                    )
                return
            except sqlite3.Error:
                self.writable = False
        self._unwritten.update(entries)

    def forget(self, keys: Sequence[bytes]) -> None:
        """Drop entries, so that damaged ones are computed anew."""
        with self._database:
            self._database.executemany("delete from vectors where key = ?", [(key,) for key in keys])

    def pace(self, machine: str) -> float | None:
        """Milliseconds a token on this machine, from what was embedded here; None if nothing was."""
        row = self._database.execute(
            "select sum(embed_ms), sum(tokens) from "
            "(select embed_ms, tokens from vectors where machine = ? limit 5000)",
            (machine,),
        ).fetchone()
        return row[0] / row[1] if row and row[1] else None

    def close(self) -> None:
        """Close the file; entries stay."""
        self._database.close()


def _open(path: Path | None) -> sqlite3.Connection:
    database = sqlite3.connect(path or ":memory:", timeout=60)
    try:
        database.execute("pragma journal_mode = wal")
        database.execute("pragma synchronous = normal")
        database.execute(_SCHEMA)
    except sqlite3.DatabaseError as error:
        database.close()
        if path is None or isinstance(error, sqlite3.OperationalError):
            raise
        path.replace(path.with_suffix(".damaged"))  # not a database any more: put aside, start anew
        return _open(path)
    return database
