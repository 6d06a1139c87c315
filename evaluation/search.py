"""How the chunks of a configuration are indexed and asked: one field, one axis of a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from importlib.metadata import version
from typing import Literal

from evaluation.stores import EXACT, Similarity, Store, VectorType
from strategies.errors import Problem
from strategies.parameters import JSON, as_record, parameters, settle
from strategies.sizes import within
from strategies.strategy import parameter

CANDIDATES = 100
"""Hits of a list that are fused or reranked, unless the sweep says otherwise."""

_MOST_CANDIDATES = 1_000_000

_OF_VECTORS = ("vectors", "metric", "store", "vector_type")
"""What means nothing where no vector is searched."""


def _unnamed(model: str) -> str:
    return "" if model.strip() else "is blank; name a cross-encoder, or leave it out"


@dataclass(frozen=True, slots=True)
class Search:
    """How chunks become an index, and how it is asked. The defaults: exact search of unit vectors."""

    vectors: Literal["direct", "late"] = parameter(
        "how chunks become vectors: each embedded on its own, or pooled from the document's tokens",
        default="direct",
    )
    metric: Similarity = parameter(
        "similarity of vectors: cosine, or the dot product of vectors as the model gives them",
        default="cosine",
    )
    store: Store = parameter("where vectors lie and are searched", default=EXACT)
    vector_type: VectorType = parameter("what a number of a stored vector is", default="float32")
    retriever: Literal["dense", "bm25", "hybrid"] = parameter(
        "what ranks chunks: vectors, words, or both fused", default="dense"
    )
    rerank: str | None = parameter(
        "cross-encoder that orders the first candidates anew: a folder, or a name on the Hugging Face hub",
        default=None,
        check=_unnamed,
    )
    candidates: int | None = parameter(
        f"hits of each list that are fused, and hits that are reranked; {CANDIDATES} unless said",
        default=None,
        check=within(1, _MOST_CANDIDATES),
    )
    scope: Literal["corpus", "document"] = parameter(
        "what a question searches: all documents, or only those that hold its evidence", default="corpus"
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem. What means nothing beside the rest takes its default."""
        settle(self, self._between)

    def _between(self, known: set[str]) -> Iterator[Problem]:
        if known:
            return
        uses = self.retriever == "hybrid" or self.rerank is not None
        if self.candidates is not None and not uses:
            yield Problem("candidates", "stands beside no rerank and no hybrid retriever", "Leave it out")
        if self.candidates == CANDIDATES:
            object.__setattr__(self, "candidates", None)
        if not self.embeds:
            for name in _OF_VECTORS:
                object.__setattr__(self, name, _DEFAULTS[name])
        elif why := self.store.unfit(self.vector_type, self.metric):
            yield Problem("vector_type", *why)

    @property
    def n_candidates(self) -> int:
        """Hits of each list that are fused, and hits that are reranked."""
        return self.candidates or CANDIDATES

    def told(self) -> dict[str, JSON]:
        """The axes that mean something here, as a file would hold them."""
        record = as_record(self)
        return {name: record[name] for name in record if self.embeds or name not in _OF_VECTORS}

    @property
    def no_similarity(self) -> str | None:
        """Why a hit's score is no similarity of vectors; None where it is one."""
        if self.rerank is not None:
            return "hits are ordered by a cross-encoder, whose scores are no similarities of vectors"
        if self.retriever != "dense":
            return f"hits are ordered by {self.retriever}, whose scores are no similarities of vectors"
        return None

    @property
    def may_lose(self) -> bool:
        """Whether a store alone ranks the chunks, and exact search of float32 vectors could rank others."""
        return self.no_similarity is None and (self.store != EXACT or self.vector_type != "float32")

    def versions(self) -> dict[str, str]:
        """Libraries that decide which chunks are found, beside the model's: name -> version."""
        words = {} if self.retriever == "dense" else {"bm25s": version("bm25s")}
        return words | (dict(self.store.versions()) if self.embeds else {})

    @property
    def embeds(self) -> bool:
        """Whether vectors of chunks and questions are needed."""
        return self.retriever != "bm25"


_DEFAULTS = {field.name: field.default for field in fields(Search)}

SEARCH = {parameter.name: parameter for parameter in parameters(Search)}
"""Axes that any line of a grid, or the sweep as a whole, may vary."""
