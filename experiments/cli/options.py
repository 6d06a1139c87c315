"""Options that several commands share, declared once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

TrackingUri = Annotated[
    str | None,
    typer.Option(
        "--tracking-uri",
        help="MLflow store: sqlite:///FILE or http(s)://SERVER. "
        "Default: $MLFLOW_TRACKING_URI, else mlflow.db here.",
        show_default=False,
    ),
]
CacheDir = Annotated[
    Path | None,
    typer.Option(
        "--cache-dir",
        help="Folder of the vector cache. Default: $CHUNKSWEEP_CACHE_DIR, else the user's cache folder.",
        show_default=False,
    ),
]
Dataset = Annotated[
    str | None,
    typer.Option("--dataset", help="Bundled data set or folder, instead of the sweep's.", show_default=False),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out documents that cannot be read, and count them.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]


def warn(sentence: str) -> None:
    """Say something on standard error that is no reason to stop."""
    from experiments.paragraph import say

    say(f"chunksweep: {sentence}", sys.stderr)
