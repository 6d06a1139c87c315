"""The command line: one file a command; `main` is the entry point."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    """Run `chunksweep` with the process's arguments and exit with its code."""
    shadow = shadowing()
    if shadow:
        sys.exit(f"chunksweep: {shadow}")
    from experiments.cli.app import run

    sys.exit(run(sys.argv[1:]))


def shadowing() -> str | None:
    """Which folder hides one of this project's packages behind its own, and what to do; None if none does."""
    home = Path(__file__).resolve().parent.parent.parent
    for name in ("strategies", "evaluation"):
        spec = find_spec(name)
        if spec is None or spec.origin is None or Path(spec.origin).resolve().parent.parent != home:
            places = list(spec.submodule_search_locations or ()) if spec else []
            found = places[0] if places else spec.origin if spec else "nothing"
            return (
                f"the package {name!r} is found in {found}, not in {home / name}. "
                "Take that folder out of PYTHONPATH, or install chunksweep into an environment of its own"
            )
    return None
