"""Gold: questions, and the places in the documents that answer them. Never chunk ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from strategies.document import NOTHING, Document, Scalar


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
