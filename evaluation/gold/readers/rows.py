"""CSV, TSV and JSON lines: a document of each row, where the user chose the fields that make one."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from evaluation.gold.metadata import flat, shown
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.readers.verbatim import read as read_verbatim
from evaluation.gold.sidecars import SUFFIX
from evaluation.gold.sources import Choice, Rows
from evaluation.gold.unwritable import LONGEST_NAME_BYTES, Taken, foreign_problem
from evaluation.scalars import is_scalar
from evaluation.yaml_reading import parse_scalar
from strategies.document import Scalar
from strategies.errors import Problem, brief, listed, nearest

ROOM_BYTES = LONGEST_NAME_BYTES - len(f".txt{SUFFIX}")
"""Of an id that names a file, in UTF-8: what its own ending and its sidecar's leave."""
JSON_LINES = (".jsonl", ".ndjson")
MOST_TOLD = 5
"""Rows of a file that a verdict tells of, before it counts the others."""


class _BadRow(Exception):
    """What is wrong with a row, after its place, or with a whole file, after its name."""


class _Row(NamedTuple):
    """A row, and where to look for it."""

    number: int
    """From 1; of JSON lines, that of the line."""
    place: str
    """For people, `row 2 (line 3)`; empty of what is wrong with the whole file."""
    fields: Mapping[str, Any]
    wrong: str = ""
    """Why it has no fields."""


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


def _texts(table: Iterable[_Row], rows: Rows, where: str, most: int, *, typed: bool) -> Outcome:
    texts: list[ReadText] = []
    wrong: list[str] = []
    places: dict[str, str] = {}
    taken = Taken()
    length = 0
    for row in table:
        try:
            text, name, metadata = _made(row, rows, typed)
        except _BadRow as error:
            wrong.append(f"{row.place} {error}".lstrip())
            continue
        length += len(text)
        if length > most:
            return too_long(where, most, "the text of its rows")
        if other := taken.by(name):
            alike = "" if other == name else f" ({brief(other)}, one name on some systems)"
            wrong.append(
                f"{row.place} has the {brief(rows.id or '')} {brief(name)} of {places[other]}{alike}"
            )
            continue
        taken.add(name)
        places[name] = row.place
        texts.append(ReadText(text, f"/{name}.txt", metadata=metadata, row=row.number))
    if wrong:
        rest = len(wrong) - MOST_TOLD
        told = wrong[:MOST_TOLD] + ([f"and {rest:,} more"] if rest > 0 else [])
        return Problem(where, "; ".join(told), "Mend the file, or correct `sources` on the card")
    return texts or Problem(where, "holds no row", "Remove it")


def _made(row: _Row, rows: Rows, typed: bool) -> tuple[str, str, dict[str, Scalar]]:
    """Text, name and metadata of the document that a row becomes."""
    if row.wrong:
        raise _BadRow(row.wrong)
    return _text(row.fields, rows), _name(row.fields, rows, row.number), _metadata(row.fields, rows, typed)


def _cells(text: str, suffix: str, rows: Rows, most: int) -> Iterator[_Row]:
    """Rows of a table by their head."""
    delimiter = rows.delimiter or ("\t" if suffix == ".tsv" else ",")
    before = csv.field_size_limit(max(1, most))  # one for the whole process
    number, line = 0, 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        head = next(reader, [])
        _check_head(head, rows, delimiter)
        line = reader.line_num + 1
        for cells in reader:
            if cells:
                number += 1
                place = f"row {number} (line {line})"
                if len(cells) == len(head):
                    yield _Row(number, place, dict(zip(head, cells, strict=True)))
                else:
                    yield _Row(number, place, {}, f"has {len(cells)} cells, and the head {len(head)}")
            line = reader.line_num + 1
    except csv.Error as error:
        # Nobody knows where the next row begins.
        wrong = f"is no row of a table ({error}), so what follows it was not read"
        yield _Row(number + 1, f"line {line}", {}, wrong)
    finally:
        csv.field_size_limit(before)


def _check_head(head: list[str], rows: Rows, delimiter: str) -> None:
    missing = [name for name in _fields(rows) if name not in head]
    other = next((mark for mark in ";\t|," if mark != delimiter and mark in "".join(head)), None)
    if missing and len(head) == 1 and other:
        raise _BadRow(f"has one column, with {json.dumps(other)} in its head: name it as the delimiter")
    wrong = [
        f"has {head.count(name)} columns called {brief(name)}"
        for name in dict.fromkeys(_fields(rows))
        if head.count(name) > 1
    ]
    if missing:
        wrong.append(_lacking("column", missing, {*head}))
    if wrong:
        raise _BadRow("; ".join(wrong))


def _lacking(noun: str, missing: Sequence[str], known: Collection[str], where: str = "") -> str:
    remedy = nearest(missing[0], known) if len(missing) == 1 else f"Known: {', '.join(sorted(known))}"
    names = listed([brief(name) for name in dict.fromkeys(missing)])
    return f"has no {noun}{'s' * (len(missing) > 1)} {names}{where}. {brief(remedy, longest=300)}"


def _objects(text: str, rows: Rows) -> Iterable[_Row]:
    """The objects of JSON lines, by the number of their line."""
    objects = [_object(line, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    bad = [row for row in objects if row.wrong]
    known = set[str]().union(*(row.fields for row in objects))
    missing = [name for name in _fields(rows) if name not in known]
    if len(bad) == len(objects) or not missing:
        return objects
    read = " that can be read" if bad else ""
    return [_Row(0, "", {}, _lacking("field", missing, known, f" in any row{read}")), *bad]


def _object(line: str, number: int) -> _Row:
    def once(items: list[tuple[str, Any]]) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for name, value in items:
            if name in row:
                raise _BadRow(f"has {brief(name)} twice in one object")
            row[name] = value
        return row

    fields: Any = {}
    try:
        fields = json.loads(line, object_pairs_hook=once)
        wrong = "" if isinstance(fields, dict) else "is no object of names and values"
    except _BadRow as error:
        wrong = str(error)
    except json.JSONDecodeError as error:  # which would say that all is in line 1
        wrong = f"is no JSON ({error.msg}, column {error.colno})"
    except (ValueError, RecursionError) as error:
        wrong = f"is no JSON that can be read ({brief(str(error))})"
    return _Row(number, f"line {number}", {} if wrong else fields, wrong)


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
