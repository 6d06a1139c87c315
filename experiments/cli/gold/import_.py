"""`chunksweep gold import`: a gold set of another tool's format to a folder of ours."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.cli import asking, options

if TYPE_CHECKING:
    from evaluation.gold.formats.importing import Converted

MOST_SHOWN = 15
"""Rows refused that are printed, and notes: together one screen."""


class Synthetic(StrEnum):
    """How questions were made that no person asked."""

    PROXY = "proxy"
    MODEL = "model"


Format = Annotated[str, typer.Argument(help="Format, see: chunksweep list formats.", show_default=False)]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the format.", show_default=False),
]
FirstOccurrence = Annotated[
    bool,
    typer.Option(
        "--first-occurrence",
        help="chroma: evidence that repeats word for word counts where its row says alone.",
    ),
]


def import_(
    format: Format,
    path: Annotated[Path, typer.Argument(help="Its file or folder.", show_default=False)],
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Folder to write. Default: the format's name.", show_default=False),
    ] = None,
    first_occurrence: FirstOccurrence = False,
    set_: Set = None,
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            help="Name of the set, as tables show it. Default: a mapping's own, else that of its folder.",
            show_default=False,
        ),
    ] = None,
    synthetic: Annotated[
        Synthetic | None,
        typer.Option(
            help="How questions were made, by a model or as proxies, of those that do not say it themselves.",
            show_default=False,
        ),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out rows that cannot be converted, and count them.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Make a gold set of another tool's.

    Every row that cannot be converted is told, and why; nothing is written then, unless they may be left out.
    """
    from shlex import quote

    from evaluation.gold.formats.importing import format_of, import_set, marked_as
    from experiments.signals import gated_signals
    from strategies.errors import brief, visible

    folder = to if to is not None else Path(format)
    chosen = format_of(format, values(format, set_, first_occurrence))
    with gated_signals(goes_on=False):
        outcome = import_set(
            chosen, path, folder, name=name, synthetic=synthetic.value if synthetic else "", skip_bad=skip_bad
        )
    facts: dict[str, Any] = {
        "folder": str(folder),
        "name": outcome.gold.name,
        "marked": outcome.marked,
    }
    done = f"Wrote {brief(str(folder))}"
    if outcome.written:
        marks = [f"{marked_as(outcome.marked, synthetic.value)}."] if synthetic else []
        licence = "Licence and language are for you to write into its card.yaml."
        report(outcome, facts, json, done, *marks, licence)
        if not json:
            typer.echo(f"Look at what it can tell: chunksweep gold check {visible(quote(str(folder)))}")
        return 0
    report(outcome, facts, json, done)
    return 2


def values(format: str, sets: list[str] | None, first_occurrence: bool) -> dict[str, object]:
    """Parameters of a format from a command line; what is text may look like a number. Raises BadInput."""
    from evaluation.gold.formats import FORMATS
    from evaluation.yaml_reading import parse_option
    from strategies.parameters import parameters

    texts = (
        {one.name for one in parameters(FORMATS[format]) if one.type == "text"} if format in FORMATS else ()
    )
    given = {
        key: text if key in texts else parse_option(text, f"--set {key}")
        for key, text in asking.pairs(sets or []).items()
    }
    return given | ({"first_occurrence": True} if first_occurrence else {})


def report(
    outcome: Converted,
    facts: dict[str, Any],
    json: bool,
    done: str,
    *more: str,
    kind: Callable[[int], str] | None = None,
) -> None:
    """Say what became of a set, and of rows that were refused: a screenful. `kind` counts them."""
    import sys
    from dataclasses import asdict
    from json import dumps

    from evaluation.gold.formats.importing import rows_or_files
    from experiments.paragraph import say
    from strategies.errors import counted as told_count

    counts = counted(outcome)
    if json:
        rows = {"refused": outcome.refused, "notes": outcome.notes}
        told = {key: [asdict(problem) for problem in some] for key, some in rows.items()}
        facts = facts | {"written": outcome.written, **counts, "left_out": outcome.left_out, **told}
        typer.echo(dumps({**facts, "digest": outcome.gold.digest}, allow_nan=False, indent=1))
        return
    refused = (kind or rows_or_files)(outcome.left_out)
    for before, some in (
        ("left out: " if outcome.written else "", outcome.refused),
        ("note: ", outcome.notes),
    ):
        for problem in some[:MOST_SHOWN]:
            options.warn(f"{before}{problem}")
        if len(some) > MOST_SHOWN:
            options.warn(f"{before}and {len(some) - MOST_SHOWN:,} more; --json lists all")
    if outcome.written:
        said = ", ".join(told_count(number, what.removesuffix("s")) for what, number in counts.items())
        left = f"; left out {refused}" if outcome.left_out else ""
        for line in (f"{done}: {said}{left}.", *more):
            say(line, sys.stdout)
    else:
        options.warn(
            f"Nothing was written: {refused} cannot be converted, "
            f"{told_count(counts['questions'], 'question')} can. Mend them, or leave them out with --skip-bad"
        )


def counted(outcome: Converted) -> dict[str, int]:
    """Documents, questions, spans and alternatives of a set."""
    entries = [entry for question in outcome.gold.questions for entry in question.evidence]
    return {
        "documents": len(outcome.gold.documents),
        "questions": len(outcome.gold.questions),
        "spans": len(entries),
        "alternatives": sum(len(entry.passages) - 1 for entry in entries),
    }
