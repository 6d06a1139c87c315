"""`chunksweep ui`: the MLflow UI on the store of a sweep."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli import options
from strategies.errors import refuse


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
    _check_free(host, port)
    typer.echo(f"MLflow starts, which takes some seconds. Then open {url} in a browser; stop with Ctrl-C.")
    sys.stdout.flush()
    os.execv(command[0], command)  # this process becomes the server, so that a signal reaches it


def _check_free(host: str, port: int) -> None:
    """Whether the address can be served on. Raises BadInput."""
    import socket

    try:
        with socket.create_server((host, port)):
            pass
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise refuse(
            "--port", f"{host}:{port} cannot be served on ({reason})", "Choose another --port"
        ) from None
