"""Strict JSON (no NaN): what the columns are, then the rows, one a line.

    {"schema": 1, "columns": [{"name", "label", "unit", "direction", "group", "kind", "meaning"}, ...],
     "rows": [{column name: value}, ...]}

A missing cell is `null`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from experiments.tables import Table

SCHEMA = 1
"""Raised when a reader of the older form could be misled."""


def render(table: Table) -> Iterator[bytes]:
    """The object described above."""
    yield f'{{"schema": {SCHEMA},\n"columns": ['.encode()
    yield from _lines(asdict(held) for held in table.columns)
    yield b'],\n"rows": ['
    yield from _lines(table.rows())
    yield b"]}\n"


def _lines(objects: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    for number, item in enumerate(objects):
        text = json.dumps(item, ensure_ascii=False, allow_nan=False)
        yield f"{',' if number else ''}\n{text}".encode()
