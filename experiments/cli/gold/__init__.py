"""The table of `chunksweep gold` commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.cli.gold import add, bootstrap, check, export, generate, import_, new, show

COMMANDS: dict[str, Callable[..., Any]] = {
    "new": new.new,
    "add": add.add,
    "show": show.show,
    "check": check.check,
    "bootstrap": bootstrap.bootstrap,
    "generate": generate.generate,
    "import": import_.import_,
    "export": export.export,
}
"""In the order in which a set comes about."""
