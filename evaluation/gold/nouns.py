"""The nouns of gold: questions, and the places in the documents that answer them. Never chunk ids."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from strategies.document import NOTHING, Document, Scalar
from strategies.errors import Problem


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """A range of one document: half-open, code points, no white space at its ends."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing a reader must have seen; any one of its passages will do."""

    passages: tuple[Passage, ...]
    """The passage first listed, then its alternatives, in the order of the file."""


Synthetic = Literal["", "proxy", "model"]
"""How a question was made that no person wrote. `proxy`: of words of the document itself, so that it only
stands in for a question; `model`: by a language model. Empty: a person wrote it."""

SYNTHETIC: tuple[Synthetic, ...] = get_args(Synthetic)


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and all the evidence that an answer needs."""

    id: str
    text: str
    evidence: tuple[Evidence, ...]
    """Empty: the question has no gold and is not scored."""
    tags: tuple[str, ...] = ()
    filter: Mapping[str, Scalar] = field(default_factory=lambda: NOTHING)
    """Only documents whose metadata equal every entry are searched."""
    answer: str = ""
    """What a right answer says; empty where none was written down."""
    synthetic: Synthetic = ""
    """How it was made, if no person wrote it."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Documents and questions, checked and resolved."""

    name: str
    documents: tuple[Document, ...]
    """In order of their id."""
    questions: tuple[Question, ...]
    """In the order of the file; ids are unique."""
    digest: str
    """SHA-256 of every document and question: the identity of the data."""
    card: Mapping[str, object] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    """Files that could not be read and were left out by request."""
    byte_order_marks: tuple[str, ...] = ()
    """Documents whose file began with a byte-order mark, which is not part of the text."""
    warnings: tuple[Problem, ...] = ()
    """What a user should know although the set can be used."""
    trimmed: tuple[str, ...] = ()
    """The question of each range, given by offsets, that began or ended with white space."""


def admits(wanted: Mapping[str, Scalar], metadata: Mapping[str, Scalar]) -> bool:
    """Whether a document with these metadata passes the filter `wanted`: every entry is equal.

    Numbers compare by value, but text, numbers and truth values are three different kinds.

    >>> admits({"year": 2024}, {"year": 2024.0, "team": "ops"})
    True
    >>> admits({"year": 2024}, {"year": "2024"}), admits({"draft": 1}, {"draft": True})
    (False, False)
    """
    return all(key in metadata and _kind(metadata[key]) == _kind(value) for key, value in wanted.items())


def _kind(value: Scalar) -> tuple[str, Scalar]:
    if isinstance(value, bool):
        return "truth", value
    return ("text" if isinstance(value, str) else "number"), value


def digest(documents: Iterable[Document], questions: Iterable[Question]) -> str:
    """SHA-256 (hex) over the canonical JSON of every document and question.

    The order of the documents and that of the questions do not count; everything else does.
    """
    sha = hashlib.sha256()
    for document in sorted(documents, key=lambda document: document.id):
        row: list[object] = [document.id, document.media_type, dict(document.metadata), document.text]
        if document.marks:
            row.append([[mark.kind, mark.start, mark.label, mark.level] for mark in document.marks])
        sha.update(_canonical(row))
    sha.update(b"\n")
    for question in sorted(questions, key=lambda question: question.id):
        evidence = [[[p.document, p.start, p.end] for p in entry.passages] for entry in question.evidence]
        row = [question.id, question.text, evidence, list(question.tags), dict(question.filter)]
        # Only where they are set: the digest of a set that has none of them is as it was before.
        told = {"answer": question.answer, "synthetic": question.synthetic}
        if more := {name: value for name, value in told.items() if value}:
            row.append(more)
        sha.update(_canonical(row))
    return sha.hexdigest()


def _canonical(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8") + b"\n"
