"""A question before it is one: its words, and where its evidence stands."""

from __future__ import annotations

import re
from typing import NamedTuple

from strategies.spans import Range

LONGEST_CHARACTERS = 2000
"""Characters of a piece of evidence."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")


class Draft(NamedTuple):
    """A proxy question."""

    document: str
    text: str
    evidence: tuple[Range, ...]
    """All of them are needed; trimmed, apart, in order."""


def words(text: str) -> list[str]:
    """The words of a text in small letters, numbers left out; of Chinese, Japanese and Korean, characters.

    >>> words("Dr. Ames' 2 well-kept cats"), words("犬は鎖")
    (['dr', 'ames', 'well-kept', 'cats'], ['犬', 'は', '鎖'])
    """
    return [word.lower() for word in _WORD.findall(text)]


def asked(text: str) -> str:
    """What makes two questions the same: their words, whatever case and white space."""
    return " ".join(text.lower().split())
