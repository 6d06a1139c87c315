"""Tables as files: one small module a format, every value as it was to the last digit.

A new format is a module with `render(table) -> Iterator[bytes]` and a line in `FORMATS`.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from experiments import tables
from experiments.exports import csv, json, markdown, parquet
from experiments.exports.csv import read_csv
from experiments.records import RunRecord
from experiments.tables import Statistics, Table
from strategies.errors import nearest, refuse

__all__ = ["FORMATS", "Format", "read_csv", "write", "write_table"]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format."""

    suffix: str
    render: Callable[[Table], Iterator[bytes]]
    """The file's bytes, in pieces."""
    text: bool = True
    """Whether a terminal can show it."""


FORMATS: Mapping[str, Format] = {
    "csv": Format(".csv", csv.render),
    "json": Format(".json", json.render),
    "parquet": Format(".parquet", parquet.render, text=False),
    "markdown": Format(".md", markdown.render),
}


def write(
    records: Iterable[RunRecord],
    format: str,
    path: Path | None = None,
    *,
    statistics: Statistics | None = None,
    long: bool = False,
) -> None:
    """Write the wide or the long table of `records` to `path`, or to standard output where it is None.

    A file is replaced only when all of the new one is written. Raises BadInput for a format that is not in
    `FORMATS`, a path that cannot be written, and Parquet on a terminal.
    """
    if format not in FORMATS:
        raise refuse("format", f"unknown format {format!r}", nearest(format, FORMATS))
    write_table(tables.long(records) if long else tables.wide(records, statistics), FORMATS[format], path)


def write_table(table: Table, format: Format, path: Path | None = None) -> None:
    """Write one table: see `write`."""
    if path is not None:
        _replace(path, format.render(table))
        return
    if not format.text and sys.stdout.isatty():
        raise refuse("output", "a terminal cannot show this format", "Name a file, or send the output to one")
    for piece in format.render(table):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    """Write beside `path`, then put the file in its place: a reader sees the old one or the new one."""
    if os.path.isdir(path):
        raise refuse(str(path), "is a folder", "Name a file in it")
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    if os.path.exists(target) and not os.path.isfile(target):
        # A device or a pipe, such as /dev/stdout, cannot be replaced, only written to.
        with _reporting(path), target.open("wb") as file:
            file.writelines(pieces)
        return
    beside = target.with_name(f".chunksweep-{secrets.token_hex(8)}.tmp")
    try:
        with _reporting(path):
            with beside.open("wb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(target):
                beside.chmod(target.stat().st_mode)
            beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def _reporting(path: Path) -> Iterator[None]:
    """Turn what the system says about a path into BadInput."""
    try:
        yield
    except OSError as error:
        remedy = "Create the folder, or name another file" if isinstance(error, FileNotFoundError) else ""
        remedy = remedy or "Name a file that can be written"
        raise refuse(str(path), f"cannot be written: {error.strerror or error}", remedy) from error
