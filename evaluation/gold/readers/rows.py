"""CSV, TSV and JSON lines: a document of each row, where the user chose the fields that make one."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from evaluation.gold.formats.names import foreign_problem
from evaluation.gold.metadata import flat, shown
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.readers.verbatim import read as read_verbatim
from evaluation.gold.sidecars import SUFFIX
from evaluation.gold.sources import Choice, Rows
from evaluation.gold.unwritable import LONGEST_NAME_BYTES, Taken
from evaluation.scalars import is_scalar
from evaluation.yaml_reading import parse_scalar
from strategies.document import Scalar
from strategies.errors import Problem, brief, listed, nearest

ROOM_BYTES = LONGEST_NAME_BYTES - len(f".txt{SUFFIX}")
"""Of an id that names a file, in UTF-8: what its own ending and its sidecar's leave."""
JSON_LINES = (".jsonl", ".ndjson")


class _BadRow(Exception):
    """What is wrong with one row, after its number."""


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """A text of each row; all that is wrong with any of them is one verdict."""
    whole = read_verbatim(data, where, choice, most)
    if isinstance(whole, Problem) or choice.rows is None:
        return whole
    text, rows = whole[0].text, choice.rows
    suffix = PurePosixPath(where).suffix.lower()
    try:
        table = _objects(text, rows) if suffix in JSON_LINES else _cells(text, suffix, rows, most)
        return _texts(table, rows, where, most, typed=suffix in JSON_LINES)
    except _BadRow as error:
        return Problem(where, str(error), "Mend it, or correct `sources` on the card")


def _texts(
    table: Iterator[tuple[int, Mapping[str, Any]]], rows: Rows, where: str, most: int, *, typed: bool
) -> Outcome:
    texts: list[ReadText] = []
    wrong: list[str] = []
    numbers: dict[str, int] = {}
    taken = Taken()
    length = 0
    for number, row in table:
        try:
            text = _text(row, rows)
            name = _name(row, rows, number)
            metadata = _metadata(row, rows, typed)
        except _BadRow as error:
            wrong.append(f"row {number} {error}")
            continue
        length += len(text)
        if length > most:
            return too_long(where, most, "the text of its rows")
        if other := taken.by(name):
            both = f"rows {numbers[other]} and {number} have the {rows.id} {brief(other)}"
            alike = "" if other == name else f" and {brief(name)}, one name on some systems"
            wrong.append(both + alike)
            continue
        taken.add(name)
        numbers[name] = number
        texts.append(ReadText(text, f"/{name}.txt", metadata=metadata, row=number))
    if wrong:
        return Problem(where, f"{listed(wrong)}", "Mend these rows, or correct `sources` on the card")
    return texts or Problem(where, "holds no row", "Remove it")


def _cells(text: str, suffix: str, rows: Rows, most: int) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a table by their head, numbered from 1."""
    delimiter = rows.delimiter or ("\t" if suffix == ".tsv" else ",")
    before = csv.field_size_limit(max(1, most))  # one for the whole process
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        head = next(reader, [])
        _check_head(head, rows, delimiter)
        number = 0
        for cells in reader:
            if not cells:
                continue
            number += 1
            if len(cells) != len(head):
                what = (
                    f"row {number} (line {reader.line_num}) has {len(cells)} cells, and the head {len(head)}"
                )
                raise _BadRow(what)
            yield number, dict(zip(head, cells, strict=True))
    except csv.Error as error:
        raise _BadRow(f"is no table: {error} (line {reader.line_num})") from error
    finally:
        csv.field_size_limit(before)


def _check_head(head: list[str], rows: Rows, delimiter: str) -> None:
    for name in _fields(rows):
        if head.count(name) > 1:
            raise _BadRow(f"has {head.count(name)} columns called {brief(name)}")
        if name not in head:
            other = next((mark for mark in ";\t|," if mark != delimiter and mark in "".join(head)), None)
            if len(head) == 1 and other:
                raise _BadRow(
                    f"has one column, with {json.dumps(other)} in its head: name it as the delimiter"
                )
            raise _BadRow(f"has no column {brief(name)}. {brief(nearest(name, head), longest=300)}")


def _objects(text: str, rows: Rows) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of JSON lines, by the number of their line."""
    objects = [_object(line, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    known = set().union(*(row for _, row in objects))
    for name in _fields(rows) if objects else ():
        if name not in known:
            raise _BadRow(
                f"has no field {brief(name)} in any row. {brief(nearest(name, known), longest=300)}"
            )
    return iter(objects)


def _object(line: str, number: int) -> tuple[int, dict[str, Any]]:
    def once(items: list[tuple[str, Any]]) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for name, value in items:
            if name in row:
                raise _BadRow(f"row {number} has {brief(name)} twice in one object")
            row[name] = value
        return row

    try:
        row = json.loads(line, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise _BadRow(f"line {number} is no JSON ({brief(str(error))})") from error
    if not isinstance(row, dict):
        raise _BadRow(f"line {number} is no object of names and values")
    return number, row


def _fields(rows: Rows) -> list[str]:
    return [*rows.text, *([rows.id] if rows.id else []), *rows.metadata]


def _text(row: Mapping[str, Any], rows: Rows) -> str:
    parts = []
    for name in rows.text:
        value = row.get(name)
        if value is not None and not is_scalar(value):
            raise _BadRow(f"has no text in {brief(name)}")
        # Of an object, a number is text as JSON writes it.
        part = value if isinstance(value, str) else "" if value is None else json.dumps(value)
        if part.strip():
            parts.append(part)
    text = tidy("\n\n".join(parts))
    if not text.strip():
        raise _BadRow("holds no text")
    return text


def _name(row: Mapping[str, Any], rows: Rows, number: int) -> str:
    """The name that a row gives its document: one that every system can hold, and no hidden one."""
    if rows.id is None:
        return str(number)
    value = row.get(rows.id)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise _BadRow(f"has no {brief(rows.id)}")
    of_file = isinstance(value, str | int) and not isinstance(value, bool)
    name = unicodedata.normalize("NFC", str(value).strip()) if of_file else shown(value)
    allowed = of_file and name.isprintable() and "/" not in name and not foreign_problem(f"{name}.txt")
    if not allowed or len(name.encode("utf-8")) > ROOM_BYTES:
        raise _BadRow(f"has the {brief(rows.id)} {brief(name)}, which can name no file")
    return name


def _metadata(row: Mapping[str, Any], rows: Rows, typed: bool) -> dict[str, Scalar]:
    """Its metadata: cells of a table as YAML reads plain values, values of an object as they are."""
    own = {name: row.get(name) for name in rows.metadata}
    if not typed:
        own = {name: _plain(str(value)) for name, value in own.items()}
    metadata, problems = flat(own, str)
    if problems:
        raise _BadRow(f"has {problems[0].what}")
    return metadata


def _plain(cell: str) -> Scalar | None:
    value = parse_scalar(cell) if len(cell) <= 60 else cell
    return value if value is None or is_scalar(value) else cell


ROWS = Reader(
    name="rows",
    suffixes=(".csv", ".tsv", *JSON_LINES),
    library=None,
    suffix="",
    becomes="itself; with a choice in `sources`, `NAME.csv/ID.txt` for each row",
    keeps="as itself everything; of rows the fields that you name, as text and as metadata",
    loses="of rows, the fields that you do not name",
    read=read,
)
