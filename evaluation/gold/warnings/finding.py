"""What a rule says: how often, of what, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

QUESTIONS = "questions.jsonl"
SHOWN = 3
"""Ids, and lines, that a report for people shows of one finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """All that one rule found, as one warning; plain data, fit for JSON."""

    where: str
    """The file or folder, as a user would look it up."""
    what: str
    """How many, of how many, and which first."""
    remedy: str = ""
    cases: tuple[Mapping[str, Any], ...] = ()
    """Every case, for a script; each names its `question` or `document`, where it has one."""
    shown: tuple[str, ...] = ()
    """The worst few cases in words, a line each."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Counts that `what` says in words."""
    rule: str = ""
    """The rule's name in the table."""


def some(items: Iterable[object]) -> str:
    """The first few of a list without repetition, and that there are more.

    >>> some(["a", "b", "a"]), some(range(9))
    ('a, b', '0, 1, 2, ...')
    """
    names = [str(item) for item in dict.fromkeys(items)]
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def first_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The first few lines, and how many more there are."""
    rest = len(lines) - SHOWN
    return (*lines[:SHOWN], *([f"and {rest:,} more"] if rest > 0 else []))
