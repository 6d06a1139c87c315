"""`chunksweep gold show`: questions, with their evidence in its surroundings."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options


def show(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID...", help="Ids of questions.", show_default=False),
    ] = None,
    dataset: Annotated[str, typer.Option("--dataset", help="Folder of a data set, or a bundled set.")] = ".",
    every: Annotated[bool, typer.Option("--all", help="Show all questions.")] = False,
    context: Annotated[
        int | None,
        typer.Option(
            "--context",
            min=0,
            help="Characters shown before and after evidence. Default: two lines of a terminal.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Show questions with their evidence in its surroundings."""
    import sys
    from json import dumps

    from rich.console import Console
    from rich.text import Text

    from evaluation.gold.loading import locate, read
    from evaluation.gold.showing import CONTEXT, Surroundings, chosen
    from experiments.evidence_view import view, write
    from experiments.paragraph import say
    from strategies.errors import BadInput, brief, refuse

    if not ids and not every:
        raise refuse("gold show", "no question is named", "Give the id of one, or --all")
    if ids and every:
        raise refuse("--all", "does not go with ids", "Leave out the one or the other")
    reading = read(locate(dataset))
    gold = reading.gold
    questions, unknown = chosen(gold, ids) if ids else (list(gold.questions), [])
    if unknown and not questions:
        raise BadInput(unknown)
    documents = {document.id: document for document in gold.documents}
    surroundings = Surroundings(documents, CONTEXT if context is None else context)
    if json:
        typer.echo(dumps([surroundings.question(question) for question in questions], indent=1))
    else:
        console = Console(highlight=False)
        for number, question in enumerate(questions):
            if number:
                write(console, Text(""))
            view(console, question, surroundings)
    # What does not resolve is left out of a question: say so, or half its evidence would seem to be all.
    names = [f"question {question.id}: " for question in questions]
    own = [problem for problem in reading.problems if problem.what.startswith(tuple(names) or ("\0",))]
    for problem in (*own, *unknown):
        say(f"chunksweep: {brief(str(problem), longest=len(str(problem)))}", sys.stderr)
    if others := len(reading.problems) - len(own):
        some = "a problem" if others == 1 else f"{others} problems"
        options.warn(f"The set has {some} elsewhere: chunksweep gold check {brief(dataset)}")
    return 2 if own or unknown else 0
