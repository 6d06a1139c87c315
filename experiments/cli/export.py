"""`chunksweep export`: a sweep's table as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.cli import options


def export(
    name: Annotated[str, typer.Argument(help="Name of the sweep.")],
    format: Annotated[
        str | None, typer.Option("--format", "-f", help="csv, json, parquet or markdown.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write. Default: standard output.", show_default=False),
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="One row a configuration, metric and question.")
    ] = False,
    retrieved: Annotated[
        bool, typer.Option("--retrieved", help="One row a configuration, question and retrieved chunk.")
    ] = False,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            help="One row a kind of question and configuration: by tag, synthetic, or metadata as type.",
            show_default=False,
        ),
    ] = None,
    tracking_uri: options.TrackingUri = None,
) -> None:
    """Write a sweep's comparison as a table.

    One row a configuration; with --long one row a configuration, metric and question; with --retrieved
    one row a configuration, question and retrieved chunk; with --by one row a kind of question and
    configuration.
    """
    from experiments.exporting import export_sweep

    export_sweep(
        name,
        format=format,
        output=output,
        long=long,
        retrieved=retrieved,
        by=by,
        tracking_uri=tracking_uri,
        report=options.warn,
    )
