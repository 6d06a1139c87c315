"""One text, one vector."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.embedding_desk import Embedded, EmbeddingDesk
from strategies.document import Chunk, Document


class Direct:
    """Each chunk's `embedded_text` is embedded on its own: what most products do."""

    def __init__(self, desk: EmbeddingDesk) -> None:
        self.desk = desk
        self.limit_tokens = desk.embedder.limit_tokens

    def texts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """The chunks' own texts."""
        return [chunk.embedded_text for chunk in chunks]

    def vectors(self, document: Document, chunks: Sequence[Chunk]) -> Embedded:
        """One looked-up vector a chunk."""
        return self.desk.vectors(self.texts(document, chunks), "passage")
