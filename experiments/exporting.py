"""A recorded sweep, read back from the store."""

from __future__ import annotations

from pathlib import Path

from experiments.mlflow_tracker import MlflowTracker
from experiments.results import Judging, NothingRecorded, SweepResult, judge
from strategies.errors import nearest, refuse


def load(name: str, *, tracking_uri: str | None = None) -> SweepResult:
    """The newest launch of a sweep, compared anew. Raises NothingRecorded if the store has none."""
    tracker = MlflowTracker(tracking_uri)
    described = tracker.judging(name)
    if described is None:
        known = tracker.sweeps()
        remedy = (
            f"The store has: {', '.join(known)}"
            if known
            else "The store has no sweep yet: chunksweep run first"
        )
        raise NothingRecorded(f"No sweep {name!r} in {tracker.uri}. {remedy}")
    return judge(name, Judging.from_json(described), list(tracker.completed(name).values()))


def export_sweep(
    name: str, *, format: str | None, output: Path | None, long: bool, tracking_uri: str | None
) -> None:
    """Write a sweep's table to a file or to standard output."""
    from experiments.exports import FORMATS, write_table

    chosen = FORMATS[_format(format, output)]
    result = load(name, tracking_uri=tracking_uri)
    write_table(result.questions if long else result.table, chosen, output)


def _format(asked: str | None, output: Path | None) -> str:
    """The format asked for, or that of the file's name, or CSV on standard output. Raises BadInput."""
    from experiments.exports import FORMATS

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
