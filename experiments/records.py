"""What one configuration measured: the frozen row from which every table and artifact is made."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np

from strategies.document import Scalar

Status = Literal["finished", "failed", "killed"]
STATUSES: tuple[Status, ...] = ("finished", "failed", "killed")

Row = dict[str, Any]
"""One line of a table: column name -> JSON value."""

FORMAT = 1
"""Version of the JSON form. A record of another version is refused, never guessed at."""

TABLES = ("questions", "chunks", "retrieved", "documents")
"""Fields that hold rows."""

_LATER: Mapping[str, Any] = {"retrieved": [], "documents": []}
"""Fields that older records of this form do not have, and what they stand for."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One configuration of a sweep, measured once (or tried: see `status`).

    Construction copies what it is given into plain JSON values: NumPy scalars become Python's, tuples
    become lists. A value that JSON cannot hold, NaN and infinity included, raises `ValueError`.
    """

    config_id: str
    """Readable slug, `-`, ten hexadecimal digits. The same id means the same experiment."""
    name: str
    """Readable and unique within its sweep; what the tables show."""
    status: Status
    repeat: int = 0
    """0 for the first of the sweep's `repeats`."""
    params: Mapping[str, Scalar] = field(default_factory=dict)
    """What was varied, short: strategy, unit, size, overlap, headings, vectors, ..., threads, backend."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """The full canonical configuration, of which `config_id` holds the hash."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Metric name -> value over all questions. What could not be measured is absent, see `reasons`."""
    curves: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """Metric family -> K or budget in tokens -> value, as in `context_recall_over_k`."""
    questions: tuple[Row, ...] = ()
    """One row a question: `question_id`, `tags`, every value, the reason of a miss."""
    chunks: tuple[Row, ...] = ()
    """One row a chunk: `document`, `index`, `start`, `end`, `tokens`, `section`, ..."""
    retrieved: tuple[Row, ...] = ()
    """One row a question: `question_id`; by rank, `chunks` (rows of these) and `scores`; `relevant` ranks."""
    documents: tuple[Row, ...] = ()
    """One row a document of which something is known: `document`, `metadata`."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Metric name -> why it is missing from `metrics`."""
    warnings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    """Libraries, model revision, data digest, this project's own version."""
    error: str | None = None
    """One line, for a configuration that failed."""
    started_at: float | None = None
    """Seconds since 1970-01-01 UTC."""
    ended_at: float | None = None
    run_id: str | None = None
    """The tracker's id of the run, once there is one."""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"status is {self.status!r}, not one of {', '.join(STATUSES)}")
        if self.repeat < 0:
            raise ValueError(f"repeat is {self.repeat}, must be 0 or more")
        set_field = object.__setattr__
        for name in ("params", "config", "reasons", "versions"):
            set_field(self, name, plain(getattr(self, name), name))
        set_field(self, "metrics", _numbers(self.metrics, "metrics"))
        curves = {
            str(family): {int(step): value for step, value in _numbers(points, f"curves[{family}]").items()}
            for family, points in self.curves.items()
        }
        set_field(self, "curves", curves)
        for name in TABLES:
            set_field(self, name, tuple(plain(row, name) for row in getattr(self, name)))
        set_field(self, "warnings", tuple(str(warning) for warning in self.warnings))
        for name in ("started_at", "ended_at"):
            set_field(self, name, plain(getattr(self, name), name))

    @property
    def key(self) -> tuple[str, int]:
        """What a resumed sweep looks a configuration up by."""
        return self.config_id, self.repeat

    def with_run_id(self, run_id: str) -> RunRecord:
        """The same record, placed in the tracker."""
        return replace(self, run_id=run_id)

    def to_json(self) -> str:
        """JSON text without NaN; `RunRecord.from_json` gives back an equal record."""
        content = {item.name: getattr(self, item.name) for item in fields(self)}
        # ASCII only: a lone surrogate in a file name must survive being written as UTF-8.
        return json.dumps({"format": FORMAT, **content}, allow_nan=False, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> RunRecord:
        """The record that `to_json` wrote; raises `ValueError` for anything else."""
        try:
            content = json.loads(text, parse_constant=_refuse_constant)
        except RecursionError as error:
            raise ValueError("nested too deeply to be a record") from error
        if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
            raise ValueError(f"not a record of format {FORMAT}")
        content = {**_LATER, **content}
        names = {item.name for item in fields(RunRecord)}
        if content.keys() != names:
            raise ValueError(f"fields differ: {', '.join(sorted(content.keys() ^ names))}")
        if wrong := sorted(name for name, fits in _FITS.items() if not fits(content[name])):
            raise ValueError(f"of the wrong type: {', '.join(wrong)}")
        try:
            # JSON has text keys only; the steps of a curve are whole numbers.
            content["curves"] = {
                family: {int(step): value for step, value in points.items()}
                for family, points in content["curves"].items()
            }
            for name in (*TABLES, "warnings"):
                content[name] = tuple(content[name])
            return RunRecord(**content)
        except (AttributeError, TypeError, RecursionError) as error:
            raise ValueError(f"a field has the wrong type: {error}") from error


def plain(value: Any, where: str = "value") -> Any:
    """A copy of `value` in plain JSON types; raises `ValueError` for what JSON cannot hold.

    >>> plain({"sizes": (1, 2)})
    {'sizes': [1, 2]}
    """
    if value is None or type(value) in (str, bool, int):
        return value
    if isinstance(value, np.generic):
        return plain(value.item(), where)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} is {value}; a value that cannot be measured is left out instead")
        return float(value)
    if isinstance(value, str | int):
        return str(value) if isinstance(value, str) else int(value)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ValueError(f"{where} has the key {key!r}, which is not text")
        return {str(key): plain(item, f"{where}[{key}]") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, where) for item in value]
    raise ValueError(f"{where} holds {type(value).__name__}, which is not a JSON value")


def newest(records: Iterable[RunRecord]) -> dict[tuple[str, int], RunRecord]:
    """One record a configuration and repeat: the one that ended last, the later in order where equal."""
    latest: dict[tuple[str, int], RunRecord] = {}
    for record in records:
        held = latest.get(record.key)
        if held is None or (record.ended_at or 0.0) >= (held.ended_at or 0.0):
            latest[record.key] = record
    return latest


def _numbers(values: Mapping[Any, Any], where: str) -> dict[Any, float]:
    """The values as finite floats."""
    numbers = {}
    for key, value in values.items():
        try:
            number = float(value)
        except OverflowError as error:
            raise ValueError(f"{where}[{key}] is too large for a float") from error
        if not math.isfinite(number):
            raise ValueError(
                f"{where}[{key}] is {number}; a value that cannot be measured is left out instead"
            )
        numbers[key] = number
    return numbers


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _all(kind: type, fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A check for a list, or for the values of a map."""

    def check(value: Any) -> bool:
        items = value.values() if isinstance(value, dict) else value
        return isinstance(value, kind) and all(fits(item) for item in items)

    return check


def _or_null(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


_FITS: dict[str, Callable[[Any], bool]] = {
    "config_id": _is_text,
    "name": _is_text,
    "status": _is_text,
    "repeat": lambda value: type(value) is int,
    "params": _all(dict, lambda value: isinstance(value, str | int | float)),
    "config": _is_map,
    "metrics": _all(dict, _is_number),
    "curves": _all(dict, _all(dict, _is_number)),
    **dict.fromkeys(TABLES, _all(list, _is_map)),
    "reasons": _all(dict, _is_text),
    "warnings": _all(list, _is_text),
    "versions": _all(dict, _is_text),
    "error": _or_null(_is_text),
    "started_at": _or_null(_is_number),
    "ended_at": _or_null(_is_number),
    "run_id": _or_null(_is_text),
}
"""Field -> whether a value as read from JSON is of its type."""


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that a record may hold")
