"""A recorded sweep, read back from the store."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from experiments.mlflow_tracker import MlflowTracker, recorded_sweeps
from experiments.results import Judging, SweepResult, judge
from experiments.store import shown
from strategies.errors import nearest, refuse

AGAIN = "Run the sweep again: what is measured already is not measured twice"


def load(
    name: str, *, tracking_uri: str | None = None, report: Callable[[str], None] = warnings.warn
) -> SweepResult:
    """The newest launch of a sweep, compared anew. Raises BadInput if there is none that can be read.

    `report` is told of records that cannot be read.
    """
    tracker = MlflowTracker(name, tracking_uri, report=report)
    described = tracker.described()
    if described is None:
        known = recorded_sweeps(tracker.uri)
        if name in known:
            raise refuse(name, f"is described only in part in {shown(tracker.uri)}", AGAIN)
        there = (
            f"It has: {', '.join(known)}" if known else "It has no sweep yet; run one first: chunksweep run"
        )
        raise refuse(name, f"is no sweep in {shown(tracker.uri)}", there)
    try:
        judging = Judging.from_json(described)
    except ValueError as error:
        raise refuse(name, f"cannot be read back from {shown(tracker.uri)}: {error}", AGAIN) from error
    return judge(name, judging, tracker.records(judging.config_ids))


def export_sweep(
    name: str,
    *,
    format: str | None,
    output: Path | None,
    long: bool,
    retrieved: bool,
    by: str | None = None,
    tracking_uri: str | None,
    report: Callable[[str], None],
) -> None:
    """Write one of a sweep's tables to a file or to standard output."""
    from experiments.exports import FORMATS, write_table

    asked = [option for option, on in (("--long", long), ("--retrieved", retrieved), ("--by", by)) if on]
    if len(asked) > 1:
        raise refuse(asked[1], f"is another table than {asked[0]}", "Write one of them at a time")
    chosen = FORMATS[_format(format, output)]
    result = load(name, tracking_uri=tracking_uri, report=report)
    if by is not None:
        from experiments.matrix import by_group

        table = by_group(result, by)
    else:
        table = result.retrieved if retrieved else result.questions if long else result.table
    for note in table.notes:
        report(note)
    write_table(table, chosen, output)


def _format(asked: str | None, output: Path | None) -> str:
    """The format asked for, or that of the file's name, or CSV on standard output. Raises BadInput."""
    from experiments.exports import FORMATS

    asked = "markdown" if asked == "md" else asked
    if asked is not None:
        if asked not in FORMATS:
            raise refuse("--format", f"unknown format {asked!r}", nearest(asked, FORMATS))
        return asked
    if output is None:
        return "csv"
    found = [name for name, known in FORMATS.items() if known.suffix == output.suffix.lower()]
    if not found:
        raise refuse(str(output), "its name tells no format", f"Add --format: {', '.join(FORMATS)}")
    return found[0]
