"""CSV in UTF-8, quoted so that types survive: texts always stand in quotes, nothing else ever does.

A number is written as Python spells it (`repr`: shortest text that parses back to the same float), a flag as
`true` or `false`, a missing cell as nothing at all.

Spreadsheets run a text that begins with `=`, `+`, `-` or `@`, so such a text gets an apostrophe before it, as
in `'=SUM(A1)`. `read_csv` takes it away again. In pandas:
`read_csv(path, keep_default_na=False, na_values=[""])`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from experiments.tables import Cell, Table
from strategies.errors import refuse

# White space before the sign and wide forms of it count too, since some spreadsheets look past them; and so
# do apostrophes, so that taking one away is always right.
_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_FIELD = re.compile(r'(?:"((?:[^"]|"")*+)"|([^",\r\n]*+))(,|\r?\n|\Z)')
_INTEGER = re.compile(r"-?[0-9]+")


def render(table: Table) -> Iterator[bytes]:
    """Header and rows, one line each unless a text holds line ends."""
    yield _line(held.name for held in table.columns)
    for row in zip(*table.cells, strict=True):
        yield _line(row)


def read_csv(path: Path) -> list[dict[str, Cell]]:
    """The rows of a file that `render` wrote, same values and types; raises BadInput for another file."""
    lines = list(_parse(path.read_bytes().decode("utf-8-sig"), str(path)))
    header = [str(name) for name in lines[0]] if lines else []
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(header):
            raise refuse(f"{path}, row {number}", f"has {len(line)} cells, the header {len(header)}")
    return [dict(zip(header, line, strict=True)) for line in lines[1:]]


def neutral(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would run.

    >>> neutral("=1+1"), neutral("'=1"), neutral("fixed-256")
    ("'=1+1", "''=1", 'fixed-256')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def restored(text: str) -> str:
    """What `neutral` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def spelled(cell: bool | int | float) -> str:
    """A flag or number as text that parses back to it."""
    return str(cell).lower() if isinstance(cell, bool) else repr(cell)


def _line(row: Iterator[Cell] | tuple[Cell, ...]) -> bytes:
    return (",".join(_field(cell) for cell in row) + "\n").encode()


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return '"' + neutral(cell).replace('"', '""') + '"'
    return spelled(cell)


def _parse(text: str, where: str) -> Iterator[list[Cell]]:
    line: list[Cell] = []
    place = 0
    while place < len(text):
        match = _FIELD.match(text, place)
        if match is None:
            raise refuse(f"{where}, character {place}", "is not a cell as `chunksweep export` writes them")
        line.append(
            restored(match[1].replace('""', '"')) if match[1] is not None else _unquoted(match[2], where)
        )
        place = match.end()
        if match[3] != ",":
            yield line
            line = []
    if line:
        yield [*line, None]


def _unquoted(text: str, where: str) -> Cell:
    if not text:
        return None
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if _INTEGER.fullmatch(text) else float(text)
    except ValueError:
        raise refuse(where, f"{text!r} is neither quoted nor a number") from None
