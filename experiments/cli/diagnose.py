"""`chunksweep diagnose`: why a configuration misses questions, and what to try."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options


def diagnose(
    name: Annotated[str, typer.Argument(help="Name of the sweep.")],
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            help="Configuration, by name or id. Default: the recommended one, else the best.",
            show_default=False,
        ),
    ] = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="Missed questions to list.")] = 10,
    tracking_uri: options.TrackingUri = None,
    json: options.Json = False,
) -> None:
    """Say why a configuration misses questions, and what to try.

    Reasons in total and by tag, what many misses have in common, similarities, duplicates among hits, and
    the worst questions, all from what a sweep recorded: nothing is searched or embedded anew.
    """
    from dataclasses import asdict
    from json import dumps

    from rich.console import Console

    from experiments.diagnosis import diagnose as diagnosed
    from experiments.diagnosis_shown import Shown
    from experiments.exporting import load

    found = diagnosed(load(name, tracking_uri=tracking_uri, report=options.warn), config, worst=worst)
    if json:
        typer.echo(dumps(asdict(found), allow_nan=False, indent=1))
    else:
        Console().print(Shown(found))
