"""`chunksweep gold bootstrap`: proxy questions from the documents alone."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options


def bootstrap(
    path: Annotated[str, typer.Argument(help="Folder of a data set.")],
    questions: Annotated[
        int, typer.Option("--questions", min=1, max=1_000_000, help="Proxies to make.")
    ] = 100,
    seed: Annotated[int, typer.Option("--seed", help="The same seed makes the same questions.")] = 7,
    kinds: Annotated[
        str, typer.Option("--kinds", help="Ways to make them: headings, cloze, or both.")
    ] = "headings,cloze",
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace proxies that were made before; all other questions stay."),
    ] = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Make proxy questions.

    From the documents' own headings and sentences, for a first sweep where nobody has asked anything yet.
    They rank cuts only roughly, and every table that rests on them says so.
    """
    import sys
    from contextlib import nullcontext
    from json import dumps

    from rich.console import Console

    from evaluation.gold.loading import locate
    from evaluation.gold.making.proxy_lines import bootstrap as made
    from evaluation.gold.making.proxy_lines import told
    from experiments.paragraph import say
    from experiments.signals import gated_signals
    from strategies.errors import brief

    folder, errors = locate(path), Console(stderr=True)
    chosen = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    silent = quiet or not errors.is_terminal
    status = nullcontext() if silent else errors.status("Reading documents, making questions")
    with gated_signals(goes_on=False), status:
        found = made(folder, questions, seed=seed, kinds=chosen, replace=replace)
    proxies = found.proxies
    if json:
        told_all = {
            "name": found.name,
            "path": str(folder),
            "wanted": proxies.wanted,
            "made": len(proxies.questions),
            "kinds": proxies.kinds,
            "replaced": found.replaced,
            "kept": found.kept,
            "changed": found.changed,
            "left_out": proxies.left_out,
            "ids": [question.id for question in proxies.questions],
        }
        typer.echo(dumps(told_all, allow_nan=False, indent=1))
        return
    for line in told(found, path):
        say(brief(line, longest=len(line)), sys.stdout)
