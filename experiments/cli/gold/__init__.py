"""The table of `chunksweep gold` commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.cli.gold import add, bootstrap, check, export, generate, import_, move, new, show

COMMANDS: dict[str, Callable[..., Any]] = {
    "new": new.new,
    "add": add.add,
    "show": show.show,
    "check": check.check,
    "move": move.move,
    "bootstrap": bootstrap.bootstrap,
    "generate": generate.generate,
    "import": import_.import_,
    "export": export.export,
}
"""In the order in which a set comes about."""
