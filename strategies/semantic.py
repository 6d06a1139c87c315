"""Borders where the meaning of neighbouring sentences jumps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from strategies.document import Document
from strategies.errors import BadInput, Problem
from strategies.meaning.grouping import grouped
from strategies.meaning.similarity import neighbours, windows
from strategies.meaning.thresholds import DEFAULTS, Kind, borders, threshold_problem
from strategies.parameters import settle
from strategies.pieces import pieces_of
from strategies.segmenting import language_problem, sentences
from strategies.sizes import not_negative
from strategies.strategy import Cut, Need, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class Semantic(Strategy):
    """Whole sentences, with a border wherever the meaning of neighbours jumps.

    Each sentence is embedded together with `buffer` sentences on each side, as it stands in the text; a
    border lies between two sentences whose distance (1 - cosine) is above a limit. `threshold_kind` says
    what the limit is made of:

    - `percentile` of the document's own distances, 0 to 100 (default 95: a border at one in twenty);
    - `standard_deviation`: so many of them above the mean distance (default 3);
    - `interquartile`: so many interquartile ranges above the mean distance (default 1.5);
    - `gradient`: the percentile of the slope of the distances, 0 to 100 (default 95);
    - `similarity`: a border wherever the similarity is below it, -1 to 1 (default 0.75), whatever the rest of
      the document is like.

    After G. Kamradt's "5 Levels of Text Splitting" (2023) and LangChain's `SemanticChunker`, with their
    defaults. Without `size` nothing limits a chunk: check the truncation count of your embedder. With it, a
    chunk that would be larger is cut, from its start, where the distance is largest in the second half of
    what fits; a sentence that is larger is cut at line ends, then at words, then at characters. Chunks
    below `min_size` join the next one where both fit into `size`, so some may stay below it.

    Use it for prose whose topics change without a heading: talks, interviews, chats. Costs the embedding of
    every sentence 1 + 2 x `buffer` times over, at ingestion; all thresholds and sizes of a sweep share that.
    Memory holds one number a sentence, and the vectors of one batch.
    """

    name: ClassVar[str] = "semantic"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    size: int | None = parameter("largest chunk, in units; null for no limit", default=None)
    min_size: int = parameter("units below which a chunk joins the next one", default=0, check=not_negative)
    unit: str = parameter("what `size` and `min_size` count", default="cl100k_base")
    threshold_kind: Kind = parameter("what makes a distance a border", default="percentile")
    threshold: float | None = parameter("the limit, by its kind; null for the kind's default", default=None)
    buffer: int = parameter(
        "sentences on each side that are embedded with a sentence", default=1, check=not_negative
    )
    language: str = parameter(
        "code of the documents' language: en, de, zh ...", default="en", check=language_problem
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        problems = []
        if self.threshold is None:
            object.__setattr__(self, "threshold", DEFAULTS[self.threshold_kind])
        elif what := threshold_problem(self.threshold_kind, self.threshold):
            problems.append(Problem("threshold", what))
        if self.size is not None and self.min_size > self.size:
            problems.append(Problem("min_size", f"{self.min_size} is more than size {self.size}"))
        if problems:
            raise BadInput(problems)
        if self.size is None and not self.min_size:  # nothing is counted then: equal cuts compare equal
            object.__setattr__(self, "unit", "cl100k_base")

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        assert self.threshold is not None
        found = pieces_of(document.text, partial(sentences, language=self.language))
        seen = windows(document.text, found, self.buffer) if len(found) > 1 else ()
        distances = 1 - neighbours(seen, tools)
        return grouped(
            found,
            distances,
            borders(distances, self.threshold_kind, self.threshold),
            tools.ruler(document, self.unit),
            size=self.size,
            min_size=self.min_size,
        )
