"""What is written into a run: requests below MLflow's limits, tags below its lengths, tables for its UI."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.gold.provenance import provenance
from experiments.chunk_list import hits, with_metadata
from experiments.metric_names import changed, spelled, spellings
from experiments.records import Row, RunRecord, Status
from experiments.tracking import NONE
from strategies.document import Scalar

TAG = "chunksweep."
"""Before each of our tags: `chunksweep.complete`, `.config_id`, `.repeat`, `.owner`, ..."""

COMPLETE = f"{TAG}complete"
CONFIGURATION = f"tags.`{TAG}kind` = 'configuration'"
"""The query for runs of configurations."""

STATUS: dict[Status, str] = {"finished": "FINISHED", "failed": "FAILED", "killed": "KILLED"}

_MAX_PARAM, MAX_TAG, _MAX_NAME = 500, 4000, 250
"""Characters; MLflow cuts params at 6,000 and tags at 8,000, with a warning."""

_BATCH = {"metrics": 900, "params": 90, "tags": 90}
"""Entries of one request, below MLflow's limits of 1,000, 100 and 100."""


def write_record(client: Any, run_id: str, record: RunRecord, params: Mapping[str, Scalar]) -> None:
    """Store a record whole and end its run; the tag that says it is complete comes last.

    `params` are those that the run does not have yet.
    """
    names = changed(spellings([*record.metrics, *record.curves]))
    texts = {
        "config_hash": hashlib.sha256(compact(record.config).encode()).hexdigest(),
        "versions": compact(record.versions),
        "error": record.error or "",
        "missing": compact(record.reasons) if record.reasons else "",
        "warnings": "\n".join(record.warnings),
        "names": compact(names) if names else "",
        "synthetic": provenance(row.get("synthetic") for row in record.questions)[0],
    }
    tables = {
        "questions.json": record.questions,
        "chunks.json": with_metadata(record),
        "retrieved.json": hits(record),
    }
    tags = own_tags({name: text for name, text in texts.items() if text})
    tags["mlflow.loggedArtifacts"] = json.dumps([{"path": file, "type": "table"} for file in tables])
    log(client, run_id, metrics=record.metrics, curves=record.curves, params=params, tags=tags)
    client.log_text(run_id, compact(record.config), "config.json")
    for file, rows in tables.items():
        client.log_text(run_id, table(rows), file)
    client.log_text(run_id, record.to_json(), "record.json")
    client.set_terminated(run_id, STATUS[record.status])
    if record.status == "finished":
        client.set_tag(run_id, COMPLETE, "true")


def log(
    client: Any,
    run_id: str,
    *,
    metrics: Mapping[str, float] = NONE,
    curves: Mapping[str, Mapping[int, float]] = NONE,
    params: Mapping[str, Scalar] = NONE,
    tags: Mapping[str, str] = NONE,
) -> None:
    """Write into a run. A curve's points are steps of one metric. A long param is left to the artifacts."""
    from mlflow.entities import Metric, Param, RunTag

    now = now_ms()
    points = [(name, value, 0) for name, value in metrics.items()]
    points += [(name, value, step) for name, curve in curves.items() for step, value in curve.items()]
    texts = {name: str(value) for name, value in params.items()}
    rows: dict[str, Sequence[Any]] = {
        "metrics": [Metric(spelled(name), value, now, step) for name, value, step in points],
        "params": [Param(spelled(name), text) for name, text in texts.items() if len(text) <= _MAX_PARAM],
        "tags": [RunTag(name, value) for name, value in tags.items()],
    }
    for kind, size in _BATCH.items():
        for start in range(0, len(rows[kind]), size):
            client.log_batch(run_id, synchronous=True, **{kind: rows[kind][start : start + size]})


def own_tags(tags: Mapping[str, Scalar]) -> dict[str, str]:
    """Tags under our prefix, as text that MLflow will not cut."""
    return {
        f"{TAG}{name}"[:_MAX_NAME]: text if len(text) <= MAX_TAG else f"{text[:MAX_TAG]} ..."
        for name, text in ((name, _text(value)) for name, value in tags.items())
    }


def table(rows: Iterable[Row]) -> str:
    """Rows in the form that MLflow's UI shows as a table; a missing cell is null.

    >>> table([{"question_id": "q1", "hit": 1.0}, {"question_id": "q2", "tags": ["code"]}])
    '{"columns": ["question_id", "hit", "tags"], "data": [["q1", 1.0, null], ["q2", null, ["code"]]]}'
    """
    rows = list(rows)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return json.dumps({"columns": columns, "data": [[row.get(name) for name in columns] for row in rows]})


def compact(value: Any) -> str:
    """JSON in one form: equal text for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def now_ms() -> int:
    """Milliseconds since 1970-01-01 UTC, as MLflow counts."""
    return time.time_ns() // 1_000_000


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
