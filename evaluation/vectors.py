"""How chunks become vectors. An axis of the sweep: any strategy can carry any of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from evaluation.embedding_desk import Embedded
from strategies.document import Chunk, Document

Lookup = Callable[[Sequence[str]], Embedded]
"""Vectors of texts; each distinct text was embedded once."""


class VectorMaker(Protocol):
    """What it takes to make vectors of a document's chunks, and how."""

    def texts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """Texts whose vectors `vectors` will look up, so that a whole sweep can embed them together."""

    def vectors(self, document: Document, chunks: Sequence[Chunk], lookup: Lookup) -> Embedded:
        """One vector a chunk, in their order, with what it cost."""


class Direct:
    """Each chunk's `embedded_text` is embedded on its own: what most products do."""

    def texts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """The chunks' own texts."""
        return [chunk.embedded_text for chunk in chunks]

    def vectors(self, document: Document, chunks: Sequence[Chunk], lookup: Lookup) -> Embedded:
        """One looked-up vector a chunk."""
        return lookup(self.texts(document, chunks))


VECTORS: dict[str, VectorMaker] = {"direct": Direct()}
"""Word in a sweep's `vectors:` -> how vectors are made."""
