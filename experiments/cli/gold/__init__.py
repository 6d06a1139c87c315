"""The table of `chunksweep gold` commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.cli.gold import bootstrap, check, generate, new

COMMANDS: dict[str, Callable[..., Any]] = {
    "new": new.new,
    "check": check.check,
    "bootstrap": bootstrap.bootstrap,
    "generate": generate.generate,
}
"""In the order in which a set comes about."""
