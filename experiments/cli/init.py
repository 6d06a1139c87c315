"""`chunksweep init`: a commented sweep file to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strategies.errors import refuse


def init(
    file: Annotated[Path, typer.Argument(help="File to write.")] = Path("sweep.yaml"),
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write a sweep file with every key explained."""
    from experiments.init_template import TEMPLATE

    if file.exists() and not force:
        raise refuse(str(file), "is there already", "Name another file, or use --force")
    try:
        file.write_text(TEMPLATE, encoding="utf-8", newline="\n")
    except OSError as error:
        raise refuse(
            str(file), f"cannot be written ({error.strerror})", "Name a file in a folder you may write"
        ) from None
    typer.echo(f"Wrote {file}. Look at what it would do: chunksweep plan {file}")
