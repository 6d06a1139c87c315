"""A GitHub table: columns without any value are left out, and whatever would break or dress it is escaped.

White space that Markdown would trim or fold becomes a character reference, and a text that a spreadsheet
would run gets an apostrophe as in CSV, since tables are pasted there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from experiments.exports.csv import neutral, spelled
from experiments.tables import Cell, Table

_MARKUP = re.compile(r"[\\`*\[\]<>&~|$]|(?<![^\W_])_|_(?![^\W_])")
_SPACE = re.compile(r"^ +| +$|[^\S ]")


def render(table: Table) -> Iterator[bytes]:
    """Header, alignment (numbers to the right) and rows; below them what the comparison says."""
    shown = [
        (held, cells)
        for held, cells in zip(table.columns, table.cells, strict=True)
        if held.name == "name" or any(cell is not None for cell in cells)
    ]
    yield _line(_cell(held.name) for held, _ in shown)
    yield _line("---:" if held.kind in ("integer", "number") else "---" for held, _ in shown)
    for row in zip(*(cells for _, cells in shown), strict=True):
        yield _line(_cell(cell) for cell in row)
    if table.recommendation is not None:
        yield f"\n{_cell(table.recommendation.sentence)}\n".encode()
    if table.notes:
        yield b"\n"
        yield from (f"- {_cell(note)}\n".encode() for note in table.notes)


def _line(cells: Iterable[str]) -> bytes:
    return f"| {' | '.join(cells)} |\n".encode()


def _cell(cell: Cell) -> str:
    """One cell's source.

    >>> _cell("a|b"), _cell("two\\nlines"), _cell("=1"), _cell(0.25), _cell("mrr_at_5")
    ('a\\\\|b', 'two&#10;lines', "'=1", '0.25', 'mrr_at_5')
    """
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return spelled(cell)
    escaped = _MARKUP.sub(r"\\\g<0>", neutral(cell))
    return _SPACE.sub(lambda found: "".join(f"&#{ord(character)};" for character in found[0]), escaped)
