"""Records to tables, and the only door to pandas.

A `Table` is plain values in declared columns; the terminal, the files and pandas are all fed from it. In a
table a missing cell is None, an empty text is a missing cell, no number is NaN or infinite, and a text holds
no control character but tab and line ends: any other is spelled out, as `\\u001b`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import stdev
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evaluation.cost import COSTS
from evaluation.gold.provenance import provenance_warnings
from evaluation.scorers import ROW_KEYS
from experiments.chunk_list import hits
from experiments.columns import (
    COLUMNS,
    FAILED_PREFIX,
    QUESTION_COLUMNS,
    RETRIEVED_COLUMNS,
    Column,
    Kind,
    measure,
    ordered,
)
from experiments.compared import varies
from experiments.likeness import differing_scores, differing_versions, same_chunks
from experiments.records import TABLES, RunRecord, newest

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.statistics import Recommendation

Cell = str | int | float | bool | None
Statistics = Mapping[str, Mapping[str, Any]]
"""Configuration name -> column of what is not recorded but judged or reckoned: a verdict, a cost -> value."""

ABOUT_QUESTIONS = ROW_KEYS
"""Entries of a question's row that are no scores; `unit` is the unit of resampling."""

NO_SIDES: Mapping[str, str] = MappingProxyType({})
"""Of a sweep without a split."""

REPEATED = ("split_ms", "index_ms", "search_ms_median", "search_ms_p95")
"""Times that every repeat measures anew; what is embedded is timed once."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
"""Lone surrogates (from file names), which UTF-8 cannot hold, and controls, of which terminals obey some."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and one tuple of cells for each; every cell is None or of its column's kind."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """cells[i] belong to columns[i]; all of one length."""
    recommendation: Recommendation | None = None
    """What the sweep's comparison recommends; None where rows stand for themselves."""
    notes: tuple[str, ...] = ()
    """What to know before trusting the comparison: of the whole, where `warnings` is of a row."""

    def __len__(self) -> int:
        return len(self.cells[0]) if self.cells else 0

    def __getitem__(self, name: str) -> tuple[Cell, ...]:
        for held, cells in zip(self.columns, self.cells, strict=True):
            if held.name == name:
                return cells
        raise KeyError(name)

    def rows(self) -> Iterator[dict[str, Cell]]:
        """The rows as column name -> cell."""
        names = [held.name for held in self.columns]
        for row in zip(*self.cells, strict=True):
            yield dict(zip(names, row, strict=True))


def wide(records: Iterable[RunRecord], statistics: Statistics | None = None) -> Table:
    """One row a configuration, in the order in which the configurations first appear.

    Repeats are averaged: a measure is the mean over the finished repeats (`repeats` says how many), and
    missing if any of them lacks it; of times, `_sd` is the sample standard deviation over them.
    Configurations that did not finish keep their row, with status and error.
    Every declared column is there, and one for each parameter and each score that any record has.
    """
    groups = _by_configuration(records)
    merged = [_merge(group) for group in groups]
    measures = {name for group in groups for record in group for name in (*record.metrics, *record.reasons)}
    parameters = {name for group in groups for record in group for name in record.params}
    same, differing = same_chunks(groups), differing_versions(groups)
    computed: list[dict[str, Any]] = []
    for group, row in zip(groups, merged, strict=True):
        name = row.name
        asked = next((record.questions for record in group if record.questions), ())
        warnings = [*provenance_warnings(question.get("synthetic") for question in asked)]
        warnings += [*dict.fromkeys(row.warnings), *differing.get(row.config_id, ())]
        if not varies(row) and (names := differing_scores(group)):
            warnings.append(f"differ between repeats, and must not: {', '.join(names)}")
        computed.append(
            {
                "name": name,
                "config_id": row.config_id,
                "status": row.status,
                "repeats": sum(record.status == "finished" for record in group),
                "same_chunks_as": same.get(row.config_id),
                "warnings": "; ".join(warnings),
                "missing_reasons": "; ".join(f"{key}: {why}" for key, why in row.reasons.items()),
                "error": row.error,
                "run_id": row.run_id,
                **(statistics or {}).get(name, {}),
            }
        )
    columns = _wide_columns(measures, parameters)
    cells: list[tuple[Column, Sequence[Any]]] = []
    for held in columns:
        if held.group == "parameter":
            cells.append((held, [row.params.get(held.name) for row in merged]))
        elif held.group in ("configuration", "verdict", "notes"):
            cells.append((held, [values.get(held.name) for values in computed]))
        else:
            found = [
                values.get(held.name, row.metrics.get(held.name))
                for values, row in zip(computed, merged, strict=True)
            ]
            cells.append((held, found))
    return table_of(cells)


def told(table: Table, recommendation: Recommendation, notes: Iterable[str]) -> Table:
    """The table with what its sweep's comparison says, its texts as cells hold them."""
    said = replace(
        recommendation,
        name=_text(recommendation.name or ""),
        best=_text(recommendation.best or ""),
        tied=tuple(_text(name) or "" for name in recommendation.tied),
        sentence=_text(recommendation.sentence) or "",
    )
    return replace(table, recommendation=said, notes=tuple(_text(note) or "" for note in notes))


def in_currency(table: Table, currency: str | None) -> Table:
    """The table with the currency of the prices said wherever they were reckoned with; unchanged without one.

    A language model's own prices are in whatever currency they were given in.
    """
    if currency is None:
        return table
    columns = [
        replace(held, label=f"{held.label}, {currency}", meaning=f"{held.meaning}, in {currency}")
        if held.name in COSTS
        else held
        for held in table.columns
    ]
    return replace(table, columns=tuple(columns))


def long(records: Iterable[RunRecord], sides: Mapping[str, str] = NO_SIDES) -> Table:
    """One row a configuration, metric and question; repeats are not averaged but stand below each other.

    `sides` are those of a split, by question id.
    A configuration without questions (one that failed, say) keeps a single row without metric and question.
    """
    lists: dict[str, list[Any]] = {held.name: [] for held in QUESTION_COLUMNS}
    for group in _by_configuration(records):
        for record in group:
            for cells in _question_rows(record, sides):
                for held, cell in zip(QUESTION_COLUMNS, cells, strict=True):
                    lists[held.name].append(cell)
    return table_of([(held, lists[held.name]) for held in QUESTION_COLUMNS])


def retrieved(records: Iterable[RunRecord], sides: Mapping[str, str] = NO_SIDES) -> Table:
    """One row a configuration, question and hit; of repeats, which retrieve alike, the first that finished.

    A question that retrieved nothing keeps a single row without hit.
    """
    rows: list[dict[str, Any]] = []
    for group in _by_configuration(records):
        first = next((record for record in group if record.status == "finished"), None)
        if first is not None:
            about = {"name": first.name, "config_id": first.config_id}
            rows += ({**about, "side": sides.get(hit["question_id"]), **hit} for hit in hits(first))
    return table_of([(held, [row.get(held.name) for row in rows]) for held in RETRIEVED_COLUMNS])


def frame(table: Table) -> pd.DataFrame:
    """The table for pandas, with nullable types: a missing cell is `pandas.NA`.

    `frame.attrs` holds `units`, `directions` and `meanings`, each column name -> text.
    """
    import pandas as pd
    from pandas.api.extensions import ExtensionDtype

    types: dict[Kind, ExtensionDtype] = {
        "text": pd.StringDtype(),
        "integer": pd.Int64Dtype(),
        "number": pd.Float64Dtype(),
        "boolean": pd.BooleanDtype(),
    }
    made = pd.DataFrame(
        {
            held.name: pd.Series(list(cells), dtype=types[held.kind])
            for held, cells in zip(table.columns, table.cells, strict=True)
        }
    )
    made.attrs["units"] = {held.name: held.unit for held in table.columns}
    made.attrs["directions"] = {held.name: held.direction for held in table.columns}
    made.attrs["meanings"] = {held.name: held.meaning for held in table.columns}
    return made


def _by_configuration(records: Iterable[RunRecord]) -> list[list[RunRecord]]:
    """The newest record of each configuration and repeat, repeats together and in order."""
    groups: dict[str, list[RunRecord]] = {}
    for record in newest(records).values():
        groups.setdefault(record.config_id, []).append(record)
    return [sorted(group, key=lambda record: record.repeat) for group in groups.values()]


def _merge(group: Sequence[RunRecord]) -> RunRecord:
    """One record for all repeats, without chunks and questions: means over those that finished."""
    finished = [record for record in group if record.status == "finished"]
    others = [record for record in group if record.status != "finished"]
    if not finished:
        return next((record for record in others if record.status == "failed"), others[0])
    reasons = {key: why for record in finished for key, why in record.reasons.items()}
    metrics = {}
    for key in dict.fromkeys(key for record in finished for key in record.metrics):
        values = [record.metrics[key] for record in finished if key in record.metrics]
        if key.startswith(FAILED_PREFIX):
            # Recorded only where a judge failed; in the other repeats it did not.
            values += [0.0] * (len(finished) - len(values))
        if len(values) == len(finished):
            # Equal values stay what they are: a sum over a count may be one bit off.
            metrics[key] = values[0] if len(set(values)) == 1 else math.fsum(values) / len(values)
            if key in REPEATED and len(values) > 1:
                metrics[f"{key}_sd"] = stdev(values)
        else:
            reasons.setdefault(key, f"measured in {len(values)} of {len(finished)} repeats")
    warnings = [warning for record in finished for warning in record.warnings]
    warnings += [
        f"repeat {record.repeat} {record.status}: {record.error or 'no reason'}" for record in others
    ]
    # A score can be there and still have a reason against it: it is not to be compared, say.
    warnings += [f"{key}: {why}" for key, why in reasons.items() if key in metrics]
    reasons = {key: why for key, why in reasons.items() if key not in metrics}
    # A record copies what it is given: no table needs a second copy of every chunk and question.
    rows: dict[str, Any] = dict.fromkeys(TABLES, ())
    return replace(finished[0], metrics=metrics, reasons=reasons, warnings=tuple(warnings), **rows)


def _wide_columns(measures: Iterable[str], parameters: Iterable[str]) -> list[Column]:
    """Every declared column, every parameter and every measure."""
    columns = {held.name: held for held in COLUMNS}
    for name in parameters:
        columns.setdefault(name, Column(name, name, "", "none", "parameter", "text", "Parameter"))
    for name in measures:
        columns.setdefault(name, measure(name))
    return ordered(columns.values())


def _question_rows(record: RunRecord, sides: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Cells of `QUESTION_COLUMNS`: every number of every question."""
    head = (record.name, record.config_id, record.repeat, record.status)
    present = dict.fromkeys(key for row in record.questions for key in row if key not in ABOUT_QUESTIONS)
    scores = ordered(measure(name) for name in present)
    if not (record.questions and scores):
        yield (*head, *[None] * (len(QUESTION_COLUMNS) - len(head) - 1), record.error)
    for score in scores:
        for row in record.questions:
            tags = ", ".join(row.get("tags") or ())
            side = sides.get(row.get("question_id") or "")
            about = (score.name, score.unit, row.get("question_id"), tags, row.get("synthetic"), side)
            yield (*head, *about, row.get(score.name), row.get("miss"), row.get("error") or record.error)


def table_of(columns: Iterable[tuple[Column, Sequence[Any]]]) -> Table:
    """A table of these columns and their cells, which are brought into the column's kind."""
    settled = [_settle(held, cells) for held, cells in columns]
    return Table(tuple(held for held, _ in settled), tuple(cells for _, cells in settled))


def _settle(held: Column, cells: Sequence[Any]) -> tuple[Column, tuple[Cell, ...]]:
    """The cells as values of one kind: what a format without mixed columns, such as Parquet, can hold."""
    present = [cell for cell in cells if cell is not None]
    kind: Kind = held.kind
    if held.group == "parameter" and present:
        kind = _common_kind(present)
    elif kind == "integer" and not all(float(cell).is_integer() and abs(cell) < 2**63 for cell in present):
        kind = "number"
    convert: dict[Kind, Callable[[Any], Cell]]
    convert = {"text": _text, "integer": int, "number": _number, "boolean": bool}
    return replace(held, kind=kind), tuple(None if cell is None else convert[kind](cell) for cell in cells)


def _common_kind(cells: Sequence[Any]) -> Kind:
    """The narrowest kind that holds every value exactly.

    >>> _common_kind([0, 24]), _common_kind([0, "10%"]), _common_kind([1, 0.5]), _common_kind([True, 1])
    ('integer', 'text', 'number', 'text')
    """
    types = {type(cell) for cell in cells}
    if types == {bool}:
        return "boolean"
    if types == {int} and all(-(2**63) <= cell < 2**63 for cell in cells):
        return "integer"
    if types <= {int, float} and all(abs(cell) <= 2**53 for cell in cells if isinstance(cell, int)):
        return "number"
    return "text"


def _number(cell: Any) -> float | None:
    number = float(cell)
    return number if math.isfinite(number) else None


def _text(cell: Any) -> str | None:
    text = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) or None
