"""How chunks become vectors. An axis of the sweep: any strategy can carry any of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from evaluation.embedding_desk import Desk, Embedded, EmbeddingDesk
from evaluation.vectors.direct import Direct
from evaluation.vectors.late import Late
from strategies.document import Chunk, Document


class VectorMaker(Protocol):
    """What it takes to make vectors of a document's chunks, and how. One a sweep."""

    @property
    def desk(self) -> Desk:
        """Where its texts are embedded, each once."""

    @property
    def limit_tokens(self) -> int | None:
        """Tokens of one chunk that reach its vector; None: all."""

    def texts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """Texts that `vectors` will look up, so that those of all documents can be embedded together."""

    def vectors(self, document: Document, chunks: Sequence[Chunk]) -> Embedded:
        """One vector a chunk, in their order, with what it cost."""


VECTORS: dict[str, Callable[[EmbeddingDesk], VectorMaker]] = {"direct": Direct, "late": Late}
"""Word in a sweep's `vectors:` -> how vectors are made. Raises BadInput for an embedder that cannot."""
