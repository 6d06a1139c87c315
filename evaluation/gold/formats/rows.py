"""Values of foreign files, asked for by type: what is wrong with a row is gathered, and the row refused."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.gold.documents import decode
from evaluation.gold.metadata import shown
from evaluation.gold.walking import read_bytes
from evaluation.scalars import HALF_PAIR, LARGEST, is_unicode
from strategies.errors import BadInput, Problem, brief, refuse


def text_of(path: Path, where: str) -> str:
    """The text of a UTF-8 file, its byte-order mark removed. Raises BadInput."""
    if not os.path.lexists(path):
        raise refuse(where, "is not there")
    data = read_bytes(path, where)
    text = data if isinstance(data, Problem) else decode(data, where)
    if isinstance(text, Problem):
        raise BadInput([text])
    return text


def json_of(text: str, where: str) -> Any:
    """The content of a JSON text. Raises BadInput."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise refuse(f"{where}:{error.lineno}", f"is not JSON (column {error.colno}: {error.msg})") from None
    except (ValueError, RecursionError) as error:
        raise refuse(where, f"is not JSON ({error})") from None


class Row:
    """One row of a foreign file, or an object in it; `refused` gains what is wrong, with the row's place."""

    def __init__(
        self, where: str, content: object, refused: list[Problem], part: str = "", of: Row | None = None
    ) -> None:
        self.where = where
        self.refused = refused
        self.ok = True
        self._part = part
        self._of = of
        self.content: Mapping[str, Any] = content if isinstance(content, dict) else {}
        if not isinstance(content, dict):
            self.problem(f"is {shown(content)}, not an object")

    def inside(self, part: str, content: object) -> Row:
        """An object in the row: what is wrong with it refuses the row."""
        return Row(self.where, content, self.refused, f"{self._part}{part}: ", self)

    def told(self, what: str, remedy: str = "") -> Problem:
        """Something about the row."""
        return Problem(self.where, f"{self._part}{what}", remedy)

    def problem(self, what: str, remedy: str = "") -> None:
        """Refuse the row."""
        self.refused.append(self.told(what, remedy))
        self.refuse()

    def refuse(self) -> None:
        """Leave the row out, and what it is part of."""
        self.ok = False
        if self._of is not None:
            self._of.refuse()

    def text(self, key: str, *, blank: bool = False) -> str:
        """The text at a key, which is not to be blank unless allowed."""
        value = self.content.get(key)
        if not isinstance(value, str) or not (blank or value.strip()):
            self.problem(f"{brief(key)} is {_told(value)}, not text")
        elif not is_unicode(value):
            self.problem(f"{brief(key)} {HALF_PAIR[0]}", HALF_PAIR[1])
        else:
            return value
        return ""

    def id(self, key: str, default: str = "", *, blank: bool = False) -> str:
        """The id at a key: text, or a whole number, which counts as its text; `default` where none is.

        Names of files may be `blank`, ids of questions not.
        """
        value = self.content.get(key)
        if type(value) is int and abs(value) <= LARGEST:
            return str(value)
        return default if value in (None, "") and default else self.text(key, blank=blank)

    def whole(self, key: str) -> int:
        """The offset at a key."""
        value = self.content.get(key)
        if type(value) is int and 0 <= value <= LARGEST:
            return value
        self.problem(f"{brief(key)} is {_told(value)}, not an offset in characters")
        return 0

    def items(self, key: str) -> Sequence[Any]:
        """The list at a key; one that is missing, or null, is empty."""
        value = self.content.get(key)
        if value is None or isinstance(value, list):
            return value or []
        self.problem(f"{brief(key)} is {shown(value)}, not a list")
        return []

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts at a key, each once."""
        values = self.items(key)
        if all(isinstance(value, str) and value.strip() and is_unicode(value) for value in values):
            return tuple(dict.fromkeys(values))
        self.problem(f"{brief(key)} is {shown(list(values))}, not a list of texts")
        return ()


class Ids:
    """Ids of questions: each once."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def check(self, id: str, row: Row) -> None:
        """Refuse a row whose id another has."""
        if id and self._seen.setdefault(id, row.where) != row.where:
            what = f"id {brief(repr(id))} stands at {self._seen[id]} already"
            row.problem(what, "Give each question an id of its own; a number counts as its text")


def _told(value: object) -> str:
    return "missing" if value is None else shown(value)
