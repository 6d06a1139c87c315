"""The table of `chunksweep gold` commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.cli.gold import check

COMMANDS: dict[str, Callable[..., Any]] = {
    "check": check.check,
}
"""In the order in which a set comes about."""
