"""Text as it is: Markdown, plain text, source code, and whatever else is UTF-8."""

from __future__ import annotations

from evaluation.gold.documents import decode
from evaluation.gold.readers.reader import Outcome, Reader, ReadText
from evaluation.gold.sources import Choice
from strategies.errors import Problem


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """The file's own text, however its lines end."""
    text = decode(data, where)
    return text if isinstance(text, Problem) else [ReadText(text)]


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
