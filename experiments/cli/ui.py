"""`chunksweep ui`: the MLflow UI on the store of a sweep."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options


def ui(
    tracking_uri: options.TrackingUri = None,
    host: Annotated[str, typer.Option(help="Address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to serve on.")] = 5000,
) -> None:
    """Serve the MLflow UI on the runs of this folder until stopped."""
    import os
    import sys

    from experiments.mlflow_tracker import ui_command

    command, url = ui_command(tracking_uri, host, port)
    if command is None:
        typer.echo(f"The store is a server; open {url} in a browser.")
        return
    typer.echo(f"Open {url} in a browser; stop with Ctrl-C.")
    sys.stdout.flush()
    os.execv(command[0], command)  # this process becomes the server, so that a signal reaches it
