"""The command line: one file a command; `main` is the entry point."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from types import FrameType


def main() -> None:
    """Run `chunksweep` with the process's arguments and exit with its code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    _have_streams()
    shadow = shadowing()
    if shadow:
        sys.exit(f"chunksweep: {shadow}")
    from experiments.cli.app import run

    sys.exit(run(sys.argv[1:]))


def _stop(number: int, _: FrameType | None) -> None:
    """Before and after the work, where nothing has to be closed: go, with a word.

    Libraries that are being imported would swallow an exception, or turn it into their own.
    """
    os.write(2, f"chunksweep: Stopped by {signal.Signals(number).name}.\n".encode())
    os._exit(128 + number)


def _have_streams() -> None:
    """Replace standard streams that are closed, and let those that cannot spell a sign escape it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # open to the end
        else:
            stream.reconfigure(errors="backslashreplace")


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
