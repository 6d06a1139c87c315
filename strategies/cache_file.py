"""What was costly to make, kept in one SQLite file: it gives what a cache shared by several processes
needs, atomic writes, locking, and survival of a kill at any moment.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from strategies.errors import refuse

Values = tuple[Any, ...]
"""What is kept under a key, one value a column."""

_BATCH = 500
"""Keys a query, below SQLite's limit of variables."""


class CacheFile:
    """One table of values by key, safe to share between threads. `path` None keeps it in memory.

    A damaged row counts as not there; a damaged file is put aside and begun anew; where the disk refuses
    a write, values stay in memory, or go if they are not to `spill`. None of these costs more than the cache.
    """

    def __init__(
        self, path: Path | None, table: str, columns: Mapping[str, str], *, spill: bool = True
    ) -> None:
        """`columns`: name -> type, the weightiest first; `spill`: whether memory takes what the disk refuses.

        Raises BadInput where the file cannot be used.
        """
        self.path = path
        self._spill = spill
        self.writable = True
        """Turns False when the disk refuses; what is put from then on stays in memory, or goes."""
        first, *others = columns
        self._columns = ", ".join(["key", first, "crc", *others])
        types = [f"{name} {columns[name]} not null" for name in others]
        self._schema = (
            f"create table if not exists {table} (key blob primary key, "
            f"{', '.join([f'{first} {columns[first]} not null', 'crc integer not null', *types])})"
        )
        self._table = table
        self._unwritten: dict[bytes, Values] = {}
        self._lock = Lock()
        self._closed = False
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = self._open(path)
        except (OSError, sqlite3.Error) as error:
            raise refuse(
                "cache-dir",
                f"{path} cannot be used ({error})",
                "Name a folder you may write with --cache-dir",
            ) from None

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Values]:
        """The values that are there."""
        wanted = list(dict.fromkeys(keys))
        found = {}
        for key, first, crc, *others in self._select(self._columns, wanted):
            if crc == _checksum(first, others):
                found[key] = (first, *others)
        return found | {key: self._unwritten[key] for key in wanted if key in self._unwritten}

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys are there, without reading their values."""
        return {row[0] for row in self._select("key", keys)} | {key for key in keys if key in self._unwritten}

    def put(self, entries: Mapping[bytes, Values], *, replace: bool = True) -> None:
        """Keep entries, all or none; without `replace`, those whose key is not there yet."""
        rows = [(key, first, _checksum(first, others), *others) for key, (first, *others) in entries.items()]
        marks = ", ".join("?" for _ in self._columns.split(","))
        with self._lock:
            if self.writable and not self._closed:
                try:
                    with self._database:
                        how = "replace" if replace else "ignore"
                        statement = f"insert or {how} into {self._table} ({self._columns}) values ({marks})"
                        self._database.executemany(statement, rows)
                    return
                except sqlite3.Error:
                    self.writable = False
            if self._spill:
                self._unwritten.update(entries)

    def read(self, query: str, values: Sequence[object]) -> list[Values]:
        """The rows of a query; none where the file cannot be read, or turns out to be damaged."""
        with self._lock:
            if self._closed:
                return []
            try:
                return self._database.execute(query, values).fetchall()
            except sqlite3.OperationalError:  # no damage: what is there may be read the next time
                return []
            except sqlite3.DatabaseError:
                self._database.close()
                try:
                    self._database = self._open_anew(self.path)
                except (OSError, sqlite3.Error):
                    self._database, self.writable = self._open(None), False
                return []

    def close(self) -> None:
        """Close the file; entries stay.

        Threads that a signal did not wait for may go on reading and putting: they find nothing, and what they
        put is in memory alone.
        """
        with self._lock:
            self._closed = True
            self._database.close()

    def _select(self, columns: str, keys: Sequence[bytes]) -> list[Values]:
        rows: list[Values] = []
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            rows += self.read(f"select {columns} from {self._table} where key in ({marks})", batch)
        return rows

    def _open(self, path: Path | None) -> sqlite3.Connection:
        database = sqlite3.connect(path or ":memory:", timeout=60, check_same_thread=False)
        try:
            database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = normal")
            database.execute(self._schema)
        except sqlite3.DatabaseError as error:
            database.close()
            if path is None or isinstance(error, sqlite3.OperationalError):
                raise
            return self._open_anew(path)
        return database

    def _open_anew(self, path: Path | None) -> sqlite3.Connection:
        """An empty cache in place of a file that is not a database any more, which is put aside."""
        if path is not None and path.exists():
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            path.replace(path.with_suffix(".damaged"))
        return self._open(path)


def _checksum(first: object, others: Sequence[object]) -> int:
    """Of a whole row."""
    content = first if isinstance(first, bytes) else str(first).encode("utf-8", "surrogatepass")
    return zlib.crc32(repr(tuple(others)).encode("utf-8"), zlib.crc32(content))
