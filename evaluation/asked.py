"""What is evaluated: an index of one configuration, and the questions that all of them are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.cutting import Cutting
from evaluation.embedding_desk import Embedded
from evaluation.gold import GoldSet, Question
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.scoring import ScoringContext
from evaluation.search import Search
from evaluation.settings import Settings
from strategies.document import Chunk, Document
from strategies.strategy import Vectors


@dataclass(frozen=True, slots=True)
class Index:
    """One configuration, cut and embedded; every sequence has one entry a chunk, in one order."""

    documents: Sequence[Document]
    chunks: Sequence[Chunk]
    embedded: Embedded
    cutting: Cutting
    limit_tokens: int | None
    """Tokens of one text that the embedder sees."""
    search: Search = field(default_factory=Search)
    """How it is indexed and asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The gold questions of a sweep and their vectors, the same for every configuration."""

    gold: GoldSet
    embedded: Embedded
    """One vector a question, in the order of `gold.questions`."""
    measured: Mapping[str, Measured]
    """By document id."""
    context: ScoringContext
    """What scoring prepared once; each configuration replaces the layout."""

    @classmethod
    def of(
        cls, gold: GoldSet, embedded: Embedded, measured: Mapping[str, Measured], settings: Settings
    ) -> Asked:
        """Get questions ready for any number of configurations."""
        return cls(gold, embedded, measured, ScoringContext(measured, Layout.of(()), settings))

    @property
    def numbers(self) -> list[int]:
        """Which questions have evidence."""
        return [number for number, question in enumerate(self.gold.questions) if question.evidence]

    @property
    def scored(self) -> list[Question]:
        """The questions that have evidence."""
        return [question for question in self.gold.questions if question.evidence]

    @property
    def vectors(self) -> Vectors:
        """Their vectors, shape (n_scored, dim)."""
        return self.embedded.vectors[self.numbers]
