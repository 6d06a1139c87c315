"""Reads records back, and says in few lines which of them cannot be read."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.mlflow_tracker.failures import errors, sentence
from experiments.mlflow_tracker.writing import TAG
from experiments.records import RunRecord
from experiments.tracking import Key

_DETAILED = 3


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A run whose record is missing, damaged or another run's."""

    run_id: str
    name: str
    why: str


def read_records(
    client: Any, runs: Iterable[Any], config_ids: Collection[str] | None, skip: Collection[Key] = ()
) -> tuple[list[RunRecord], list[Unreadable]]:
    """The records of runs, and the runs that have none to read and no later run in their place.

    Only those of `config_ids`, and not of `skip`, are fetched: a store may hold years of them.
    """
    wanted = None if config_ids is None else frozenset(config_ids)
    failures: tuple[type[Exception], ...] = (*errors(), ValueError)
    skipped = {(config_id, str(repeat)) for config_id, repeat in skip}
    records: list[RunRecord] = []
    unreadable: list[tuple[Any, Unreadable]] = []
    latest_ms: dict[tuple[str | None, str | None], int] = {}
    for run in runs:
        key = _key(run)
        if key in skipped or (wanted is not None and key[0] not in wanted):
            continue
        try:
            record = _fetch(client, run.info.run_id)
            if record.config_id != key[0]:
                raise ValueError(f"it is the record of {record.config_id}")
        except failures as error:
            unreadable.append((run, Unreadable(run.info.run_id, run.info.run_name, sentence(error))))
        else:
            records.append(record)
            latest_ms[key] = max(latest_ms.get(key, 0), run.info.end_time or 0)
    return records, [
        each for run, each in unreadable if latest_ms.get(_key(run), 0) <= (run.info.end_time or 0)
    ]


def tell(unreadable: Collection[Unreadable]) -> list[str]:
    """A sentence a run, and one for all beyond the first few."""
    sentences = [
        f"The record of run {each.name} ({each.run_id}) counts as missing, "
        f"because it cannot be read: {each.why}"
        for each in list(unreadable)[:_DETAILED]
    ]
    more = len(unreadable) - len(sentences)
    if more:
        runs = "1 more run" if more == 1 else f"{more} more runs"
        sentences.append(f"The records of {runs} cannot be read and count as missing, too")
    return sentences


def _key(run: Any) -> tuple[str | None, str | None]:
    """Configuration id and repeat, as they are in the tags."""
    return run.data.tags.get(f"{TAG}config_id"), run.data.tags.get(f"{TAG}repeat")


def _fetch(client: Any, run_id: str) -> RunRecord:
    with tempfile.TemporaryDirectory() as folder:
        path = client.download_artifacts(run_id, "record.json", folder)
        return RunRecord.from_json(Path(path).read_text(encoding="utf-8")).with_run_id(run_id)
