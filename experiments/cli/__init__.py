"""The command line: one file a command; `main` is the entry point."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `chunksweep` with the process's arguments and exit with its code."""
    from experiments.cli.app import run

    sys.exit(run(sys.argv[1:]))
