"""A text as a document, with all that is said about it: beside it, on a card, and in its front matter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.gold.documents import TextFile, decode, media_type
from evaluation.gold.front_matter import front_matter
from evaluation.gold.metadata import Description
from evaluation.gold.sidecars import SUFFIX, read_sidecars
from strategies.document import Document, Scalar
from strategies.errors import BadInput, Problem, refuse
from strategies.outline import MARKDOWN


def describe(name: str, text: str, where: str, *said: Description) -> tuple[Document, list[Problem]]:
    """A document with what is said about it, and warnings of its front matter; `where` names it for people.

    Of what several say, the first goes before the others, and all go before front matter.
    """
    kind = next((one.media_type for one in said if one.media_type), None) or media_type(name)
    marks = next((one.marks for one in said if one.marks), ())
    inside, warnings = front_matter(text, where) if kind in MARKDOWN else ({}, [])
    metadata: Mapping[str, Scalar] = dict(inside)
    for one in reversed(said):
        metadata = {**metadata, **one.metadata}
    warnings += (warning for one in said for warning in one.warnings)
    return Document(name, text, metadata, kind, marks), warnings


def read_document(file: Path) -> Document:
    """One file that belongs to no set, with its sidecar where it has one. Raises BadInput."""
    text = _read(file)
    beside = file.with_name(file.name + SUFFIX)
    if not beside.is_file():
        return describe(file.name, text, str(file))[0]
    sidecar = TextFile(beside.name, b"", _read(beside), False)
    said, problems = read_sidecars([sidecar], {file.name: text}, (), f"{file.parent}/")
    if problems:
        raise BadInput(problems)
    return describe(file.name, text, str(file), said[file.name])[0]


def _read(file: Path) -> str:
    try:
        text = decode(file.read_bytes(), str(file))
    except OSError as error:
        raise refuse(str(file), f"cannot be read ({error.strerror})", "Name a text file") from None
    if isinstance(text, Problem):
        raise BadInput([text])
    return text
