"""`chunksweep by-group`: which configuration does well on which kind of question."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options

By = Annotated[
    str,
    typer.Option(
        "--by",
        help="tag, synthetic (who asked), or a metadata of documents that hold evidence, such as type.",
    ),
]


def by_group(
    name: Annotated[str, typer.Argument(help="Name of the sweep.")],
    by: By = "tag",
    tracking_uri: options.TrackingUri = None,
    json: options.Json = False,
) -> None:
    """Show a sweep's comparison by kind of question.

    For each tag of the questions, each kind of who asked (synthetic), or each value of a metadata of the
    documents that hold their evidence: the mean of every configuration, and which of them may be the best.
    """
    from json import dumps

    from rich.console import Console
    from rich.text import Text

    from experiments.exporting import load
    from experiments.matrix import Matrix
    from experiments.matrix import by_group as grouped
    from experiments.paragraph import Paragraph, shown
    from strategies.errors import counted

    result = load(name, tracking_uri=tracking_uri, report=options.warn)
    table = grouped(result, by)
    if json:
        rows = [dict(row) for row in table.rows()]
        found = {"name": result.name, "by": by, "notes": list(result.notes), "rows": rows}
        typer.echo(dumps(found, allow_nan=False, indent=1))
        return
    groups = counted(len(set(table["group"])), "group")
    of = "the questions to choose on" if result.judging.test_questions else "all questions"
    console = Console()
    console.print(shown(Text(f"{result.name}: {result.judging.headline} of {of}, {groups} by {by}\n")))
    console.print(Matrix(table, by))
    for note in table.notes:
        console.print(Paragraph(Text(f"warning: {note}", style="yellow")))
