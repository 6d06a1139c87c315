"""The nouns that everything speaks: a document, and a chunk of it.

Every position anywhere is a half-open range of Python code points in `Document.text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

Scalar = str | int | float | bool
"""What a metadata value may be: it must survive JSON, a vector store and a filter."""

NOTHING: Mapping[str, Scalar] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Mark:
    """A page or heading that a reader found in a source which is not marked up itself."""

    kind: Literal["page", "heading"]
    start: int
    """Code point at which the page or the heading begins."""
    label: str
    """Page number as printed, or the heading's words."""
    level: int = 1
    """Heading level, 1 the highest; 1 for pages."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to be cut, with what is known about it.

    `text` is the decoded file: UTF-8, byte-order mark removed, no newline translation,
    front matter included.
    """

    id: str
    """Path relative to the data set's `documents/`, with `/` between its parts."""
    text: str
    metadata: Mapping[str, Scalar] = field(default_factory=lambda: NOTHING)
    media_type: str = "text/plain"
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a document. `text == document.text[start:end]`, always."""

    document_id: str
    index: int
    """Position among the chunks of its document, from 0."""
    start: int
    end: int
    text: str
    tokens: int
    """cl100k tokens of the whole document's tokenisation that start inside the chunk: one
    currency for every strategy and unit, and it adds up."""
    embedded_text: str
    """What the embedder sees; a heading path may stand before the text."""
    returned: tuple[int, int]
    """What a reader gets: the chunk itself, or its parent or neighbourhood."""
    section: tuple[str, ...] = ()
    """Heading path in force where the chunk begins, outermost first."""
    page: str | None = None
    """Label of the page on which the chunk begins, where pages are known."""
    oversize: bool = False
    """Larger than asked because it holds an atom that cannot be cut."""
    metadata: Mapping[str, Scalar] = field(default_factory=lambda: NOTHING)
    """The document's own metadata, usable as a retrieval filter."""
