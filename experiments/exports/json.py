"""Strict JSON (no NaN): what the comparison says, what the columns are, then the rows, one a line.

    {"schema": 1, "recommendation": {...} or null, "notes": [text, ...],
     "columns": [{"name", "label", "unit", "direction", "group", "kind", "meaning"}, ...],
     "rows": [{column name: value}, ...]}

A missing cell is `null`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from experiments.tables import Table

SCHEMA = 1
"""Raised when a reader of the older form could be misled."""


def render(table: Table) -> Iterator[bytes]:
    """The object described above."""
    said = None if table.recommendation is None else asdict(table.recommendation)
    yield f'{{"schema": {SCHEMA},\n"recommendation": {_text(said)},\n"notes": ['.encode()
    yield from _lines(table.notes)
    yield b'],\n"columns": ['
    yield from _lines(asdict(held) for held in table.columns)
    yield b'],\n"rows": ['
    yield from _lines(table.rows())
    yield b"]}\n"


def _lines(items: Iterable[Any]) -> Iterator[bytes]:
    for number, item in enumerate(items):
        yield f"{',' if number else ''}\n{_text(item)}".encode()


def _text(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False, allow_nan=False)
