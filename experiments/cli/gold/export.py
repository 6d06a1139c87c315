"""`chunksweep gold export`: a gold set to the files of another tool's format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli import options
from experiments.cli.gold import import_


def export(
    path: Annotated[str, typer.Argument(help="Folder of a data set, or a bundled set's name.")],
    format: import_.Format,
    target: Annotated[Path, typer.Argument(help="File or folder to write.", show_default=False)],
    first_occurrence: import_.FirstOccurrence = False,
    set_: import_.Set = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out questions that the format cannot hold.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Write a gold set as another tool's.

    Every question that the format cannot hold is told, and why; nothing is written then, unless they may be
    left out. What else is lost is told with counts.
    """
    from evaluation.gold import load
    from evaluation.gold.formats.importing import command, export_set, format_of
    from experiments.signals import gated_signals
    from strategies.errors import brief

    chosen = format_of(format, import_.values(format, set_, first_occurrence))
    with gated_signals(goes_on=False):
        outcome = export_set(chosen, load(path), target, skip_bad=skip_bad)
    back = f"Read it back with: {command(chosen, str(target))}"
    done = f"Wrote {brief(str(target))}"
    import_.report(outcome, {"target": str(target)}, json, done, back, kind=_questions)
    return 0 if outcome.written else 2


def _questions(count: int) -> str:
    from strategies.errors import counted

    return counted(count, "question")
