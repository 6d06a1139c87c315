"""Sentence by sentence: is the next one as close to the chunk as the chunk's own sentences are?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.meaning.grouping import grouped
from strategies.meaning.similarity import batches, cosine_problem, cosines
from strategies.parameters import settle
from strategies.pieces import pieces_of
from strategies.segmenting import language_problem, sentences
from strategies.sizes import not_negative
from strategies.strategy import Cut, Need, SplitTools, Strategy, Vectors, parameter

REACH = 256
"""Sentences of a chunk, the last ones, that a new one is compared with: what keeps the time linear."""


@dataclass(frozen=True, slots=True)
class MaxMin(Strategy):
    """Whole sentences: the next one joins while it is close enough to the chunk's nearest sentence.

    A sentence joins a chunk of k sentences if its greatest similarity to one of them is above

        max(hard_thr, c * m * sigmoid(k - 1)),  sigmoid(x) = 1 / (1 + e^-x),

    m being the least similarity of two sentences in the chunk: it may be as far off as they are from each
    other, the less so the more they are. It joins a single sentence if `init_const` times their similarity is
    above `hard_thr`. Else it begins a new chunk, as it does where `size` would be exceeded.

    After C. Kiss, M. Nagy, P. Szilágyi, "Max-Min semantic chunking of documents for RAG application"
    (Discover Computing 28, 2025, doi 10.1007/s10791-025-09638-7), with the paper's names and the defaults of
    its authors' code. Here a sentence is compared with the last 256 of a chunk at most. A sentence larger
    than `size` is cut at line ends, then at words, then at characters.

    Use it for prose with short topics, and lower `hard_thr` for models whose similarities are low: with
    all-MiniLM-L6-v2, the default leaves half the sentences of a speech alone, 0.3 a sixth. Costs the
    embedding of every sentence, at ingestion, shared by all parameters of a sweep.
    """

    name: ClassVar[str] = "max_min"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    size: int | None = parameter("largest chunk, in units; null for no limit", default=None)
    unit: str = parameter("what `size` counts", default="cl100k_base")
    hard_thr: float = parameter(
        "similarity that a sentence must exceed to join any chunk, -1 to 1: higher gives smaller chunks",
        default=0.6,
        check=cosine_problem,
    )
    c: float = parameter(
        "share of the chunk's least similarity that a sentence must exceed, 0 or more, mostly below 1: "
        "higher gives smaller chunks",
        default=0.9,
        check=not_negative,
    )
    init_const: float = parameter(
        "factor for the similarity of the first two sentences of a chunk, 0 or more: above 1, they join more "
        "easily than later ones",
        default=1.5,
        check=not_negative,
    )
    language: str = parameter(
        "code of the documents' language: en, de, zh ...", default="en", check=language_problem
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        if self.size is None:  # nothing is counted then: equal cuts compare equal
            object.__setattr__(self, "unit", "cl100k_base")

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        text, size = document.text, self.size
        ruler = tools.ruler(document, self.unit)
        found = pieces_of(text, partial(sentences, language=self.language))

        def fits(first: int, last: int) -> bool:
            return size is None or ruler.count(found[first].start, found[last].end) <= size

        vectors = batches((text[piece.start : piece.end] for piece in found), tools) if len(found) > 1 else ()
        borders = self.borders(vectors, fits)
        return grouped(found, np.zeros(len(borders)), borders, ruler, size=size)

    def borders(self, batches: Iterable[Vectors], fits: Callable[[int, int], bool]) -> npt.NDArray[np.bool_]:
        """Which of n sentences begin a chunk, but for the first; shape (max(n - 1, 0),).

        `batches` are their vectors, in order; `fits` says whether the sentences from first to last may share
        a chunk.
        """
        borders: list[bool] = []
        first = 0
        least = 1.0
        members: Vectors | None = None  # those last compared with; the sentence first + k in row k mod REACH
        for index, vector in enumerate(vector for batch in batches for vector in batch):
            if members is None:
                members = np.zeros((REACH, len(vector)), dtype=np.float32)
            else:
                k = index - first
                similar = cosines(members[: min(k, REACH)], vector)
                borders.append(not (self.joins(float(similar.max()), least, k) and fits(first, index)))
                first, least = (index, 1.0) if borders[-1] else (first, min(least, float(similar.min())))
            members[(index - first) % REACH] = vector
        return np.array(borders, dtype=np.bool_)

    def joins(self, greatest: float, least: float, k: int) -> bool:
        """Whether a sentence joins a chunk of k, whose own least similarity is `least` (of one: any).

        >>> MaxMin().joins(0.5, 1.0, 1), MaxMin().joins(0.65, 0.9, 2), MaxMin().joins(0.65, 0.9, 4)
        (True, True, False)
        """
        if k == 1:
            return self.init_const * greatest > self.hard_thr
        return greatest > max(self.hard_thr, self.c * least / (1 + math.exp(1 - k)))
