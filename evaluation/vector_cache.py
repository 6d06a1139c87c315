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
from typing import Any, NamedTuple

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
        found = {}
        for key, blob, crc, *rest in self._select(_COLUMNS, wanted):
            if crc == _checksum(blob, rest) and len(blob) % 4 == 0:
                found[key] = Entry(np.frombuffer(blob, dtype="<f4"), *rest)
        return found | {key: self._unwritten[key] for key in wanted if key in self._unwritten}

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys are there, without reading their vectors."""
        return {row[0] for row in self._select("key", keys)} | {key for key in keys if key in self._unwritten}

    def _select(self, columns: str, keys: Sequence[bytes]) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            rows += self._read(f"select {columns} from vectors where key in ({marks})", batch)
        return rows

    def _read(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """The rows of a query; none from a file that turns out to be damaged, which is put aside."""
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.DatabaseError:
            self._database.close()
            try:
                self._database = _open_anew(self.path)
            except (OSError, sqlite3.Error):
                self._database, self.writable = _open(None), False
            return []

    def put(self, entries: Mapping[bytes, Entry]) -> None:
        """Keep entries, all or none; a disk that refuses costs the cache, never the sweep."""
        rows = []
        for key, entry in entries.items():
            blob = np.ascontiguousarray(entry.vector, dtype="<f4").tobytes()
            rows.append((key, blob, _checksum(blob, entry[1:]), *entry[1:]))
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

    def pace(self, machine: str) -> float | None:
        """Milliseconds a token on this machine, from what was embedded here; None if nothing was."""
        rows = self._read(
            "select sum(embed_ms), sum(tokens) from "
            "(select embed_ms, tokens from vectors where machine = ? limit 5000)",
            (machine,),
        )
        return rows[0][0] / rows[0][1] if rows and rows[0][1] else None

    def close(self) -> None:
        """Close the file; entries stay."""
        self._database.close()


def _checksum(blob: bytes, rest: Sequence[object]) -> int:
    """Of a whole row: the vector, and what is kept beside it."""
    return zlib.crc32(repr(tuple(rest)).encode("utf-8"), zlib.crc32(blob))


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
        return _open_anew(path)
    return database


def _open_anew(path: Path | None) -> sqlite3.Connection:
    """An empty cache in place of a file that is not a database any more, which is put aside."""
    if path is not None and path.exists():
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        path.replace(path.with_suffix(".damaged"))
    return _open(path)
