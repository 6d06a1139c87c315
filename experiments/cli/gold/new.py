"""`chunksweep gold new`: a folder of files to a gold set that waits for its questions."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli import options

if TYPE_CHECKING:
    from evaluation.gold.from_folder import NewSet


MOST_SHOWN = 30
"""Files left out that are printed: one screen."""


class Html(StrEnum):
    """What becomes of HTML."""

    TEXT = "text"
    SOURCE = "source"


def new(
    path: Annotated[Path, typer.Argument(metavar="SET", help="Folder to write: a new one, or an empty one.")],
    source: Annotated[Path, typer.Option("--from", help="Folder that holds the files.", show_default=False)],
    card: Annotated[
        Path | None,
        typer.Option(help="File that says what the card of the set will say, and how to read which files."),
    ] = None,
    name: Annotated[
        str, typer.Option(help="Name of the set. Default: its folder's.", show_default=False)
    ] = "",
    html: Annotated[
        Html, typer.Option(help="HTML as Markdown text, or its source for the html strategy.")
    ] = Html.TEXT,
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Leave out files that cannot be read, and list them on the card."),
    ] = False,
    max_mb: Annotated[
        float, typer.Option(help="Largest file, and most million characters of the text made of one.")
    ] = 50,
    json: options.Json = False,
) -> None:
    """Make a gold set of a folder of files.

    Reads PDF, DOCX, HTML, CSV, JSON lines and any UTF-8 text. The set then waits for questions.
    """
    from json import dumps

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from evaluation.gold.from_folder import new_set
    from experiments.signals import gated_signals

    console = Console(stderr=True)
    columns = (TextColumn("reading"), BarColumn(), MofNCompleteColumn())
    moving = console.is_terminal and not console.is_dumb_terminal
    with (
        gated_signals(goes_on=False),
        Progress(*columns, console=console, transient=True, disable=not moving) as bar,
    ):
        task = bar.add_task("reading", total=None)
        made = new_set(
            path,
            source,
            card=card,
            name=name,
            html=html.value,
            skip_bad=skip_bad,
            max_mb=max_mb,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        typer.echo(dumps(made.as_dict(), indent=1))
    else:
        _show(made, path)


def _show(made: NewSet, path: Path) -> None:
    """The set in a table, what was left out, and what comes next."""
    import shlex
    import sys

    from experiments.paragraph import say
    from strategies.errors import brief

    documents = "1 document" if made.documents == 1 else f"{made.documents:,} documents"
    say(f"{brief(made.name)}: {documents}", sys.stdout)
    rows: list[list[str]] = [["kind", "files", "documents", "characters", "skipped"]]
    for reader, tally in made.readers.items():
        counts = (tally.files, tally.documents, tally.characters, tally.skipped)
        rows.append([reader.name, *(f"{count:,}" for count in counts)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for kind, *cells in rows:
        right = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        say("  ".join([f"  {kind.ljust(widths[0])}", *right]), sys.stdout)
    for file, why in list(made.skipped.items())[:MOST_SHOWN]:
        say(f"  left out: {brief(f'{file}: {why}', longest=200)}", sys.stdout)
    if len(made.skipped) > MOST_SHOWN:
        say(f"  left out: {len(made.skipped) - MOST_SHOWN:,} more; the card lists all", sys.stdout)
    for note in made.notes:
        say(f"  {note}", sys.stdout)
    shown = shlex.quote(str(path))
    shown = brief(shown, longest=len(shown))
    say(
        f"Next: chunksweep gold add {shown}, or chunksweep gold bootstrap {shown} for a first look",
        sys.stdout,
    )
