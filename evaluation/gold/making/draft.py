"""A question before it is one: its words, and where its evidence stands."""

from __future__ import annotations

from typing import NamedTuple

from evaluation.gold.making import wording
from strategies.spans import Range

LONGEST_CHARACTERS = 2000
"""Characters of a piece of evidence."""


class Draft(NamedTuple):
    """A proxy question."""

    document: str
    text: str
    evidence: tuple[Range, ...]
    """All of them are needed; trimmed, apart, in order."""


def words(text: str) -> list[str]:
    """The words of a text, numbers left out; of scripts without spaces, pairs of characters.

    >>> words("Dr. Ames 2 well-kept cats, open_gate"), words("犬は鎖")
    (['dr', 'ames', 'well', 'kept', 'cats', 'open', 'gate'], ['犬は', 'は鎖'])
    """
    return [word for word in wording.words(text) if not word.isdigit()]


def asked(text: str) -> str:
    """What makes two questions the same: their words, whatever case and white space."""
    return " ".join(text.lower().split())
