"""What every reader offers: the bytes of one file to texts, or the reason why there are none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.gold.sources import Choice
from evaluation.scalars import is_unicode
from strategies.document import NOTHING, Mark, Scalar
from strategies.errors import Problem


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text of one file: the file's own, or one that a reader made."""

    text: str
    """Without a byte-order mark at its beginning, NUL or half of a surrogate pair."""
    suffix: str = ""
    """What is added to the file's path: as the reader's, `/7.txt` for a row, empty for its own text."""
    marks: tuple[Mark, ...] = ()
    metadata: Mapping[str, Scalar] = field(default_factory=lambda: NOTHING)
    row: int | None = None
    """The row of the file that it is, counted from 1."""


Outcome = Sequence[ReadText] | Problem

Read = Callable[[bytes, str, Choice, int], Outcome]
"""Bytes of a file, its name for people, what was chosen for it, and the most characters that its texts may
have together (what a file unpacks to is bounded too). Whatever else it raises is a verdict on the file."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One way to read files. Law: equal bytes and choices give equal texts, while the library is the same."""

    name: str
    """As on the card and in the report: `pdf`."""
    suffixes: tuple[str, ...]
    """Of the files it reads, in lower case; empty for what no other reader takes."""
    library: str | None
    """Distribution that does the work; None where chunksweep does."""
    suffix: str
    """What it adds to the name of a file, `.md`; empty where the file keeps its name, or becomes a folder."""
    becomes: str
    """What a file becomes, for people: these three make up the page of documents."""
    keeps: str
    loses: str
    read: Read

    def made_by(self) -> tuple[str, str]:
        """The library that the texts depend on, and its version."""
        from importlib.metadata import version

        library = self.library or "chunksweep"
        return library, version(library)


def too_long(where: str, most: int, what: str = "its text") -> Problem:
    """The verdict on a file that holds more than its size says."""
    reason = f"{what} is longer than {most:,} characters, the limit for a file"
    return Problem(where, reason, "Divide it, or raise the limit with --max-mb")


def tidy(text: str) -> str:
    r"""A made text as a file can hold it: no NUL, no half of a surrogate pair, no mark at its beginning.

    >>> tidy("\ufeffa\0b\ud800")
    'a\ufffdb\ufffd'
    """
    text = text.lstrip("\ufeff").replace("\0", "\ufffd")
    return text if is_unicode(text) else re.sub("[\ud800-\udfff]", "\ufffd", text)
