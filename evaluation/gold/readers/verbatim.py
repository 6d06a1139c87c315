"""Text as it is: Markdown, plain text, source code, and whatever else is UTF-8."""

from __future__ import annotations

from pathlib import PurePosixPath

from evaluation.gold.documents import decode
from evaluation.gold.file_kinds import kind_of
from evaluation.gold.readers.reader import Outcome, Reader, ReadText
from evaluation.gold.sources import Choice
from strategies.errors import Problem

_OWN_SUFFIX = {"a PDF": ".pdf", "a Word document (DOCX)": ".docx"}
"""Kinds that a reader takes under their own name."""


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """The file's own text, however its lines end."""
    kind = kind_of(data, where)
    if kind and (suffix := _OWN_SUFFIX.get(kind.name)):
        return Problem(where, f"is {kind.name} under another name", f"Rename it {_named(where, suffix)}")
    text = decode(data, where)
    return text if isinstance(text, Problem) else [ReadText(text)]


def _named(where: str, suffix: str) -> str:
    return PurePosixPath(where).with_suffix(suffix).name


VERBATIM = Reader(
    name="text",
    suffixes=(),
    library=None,
    suffix="",
    becomes="itself, byte for byte",
    keeps="everything; front matter of Markdown is read as metadata",
    loses="nothing",
    read=read,
)
