"""Whole sentences, packed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from strategies.document import Document
from strategies.errors import Problem
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, Piece, parts_of, shorten
from strategies.segmenting import by_sentences, language_problem
from strategies.strategy import Cut, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class Sentence(Strategy):
    """Whole sentences: as many as fit into `size`, or a number of them a chunk.

    A sentence ends where the segmenter says so (`sentencex`: abbreviations, initials, decimals,
    quotations, the punctuation of many scripts) and at every blank line. One that is larger than
    `size` begins a chunk of its own and is cut at line ends, then at words, then at characters. The
    overlap is the longest run of whole sentences within `overlap`, often none where sentences are long.

    With `sentences`, chunks have no limit of size: check the truncation count of your embedder.

    Use it for prose, and for answers that one or two sentences hold. Costs about as much as counting
    the text; needs the right `language`, or abbreviations end sentences.
    """

    name: ClassVar[str] = "sentence"

    size: int | None = parameter("largest chunk, in units; or give `sentences`", default=None)
    overlap: int | str = parameter(
        'units of whole sentences repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    sentences: int | None = parameter("sentences a chunk, instead of `size`", default=None)
    overlap_sentences: int = parameter(
        "sentences repeated from the chunk before, under `sentences`", default=0
    )
    language: str = parameter(
        "code of the documents' language: en, de, zh ...", default="en", check=language_problem
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self, self._problems)
        if self.sentences is not None:  # nothing is counted then: equal cuts compare equal
            object.__setattr__(self, "unit", "cl100k_base")

    def _problems(self, known: set[str]) -> Iterator[Problem]:
        """What is wrong between parameters, of those that are not known to be wrong in themselves."""
        if self.size is None and self.sentences is None:
            yield Problem("size", "is missing", "Give `size`, or `sentences`")
        if self.size is not None and self.sentences is not None:
            yield Problem("sentences", "stands beside size", "Give one of the two")
        if self.sentences is None and self.overlap_sentences != 0:
            yield Problem("overlap_sentences", "needs `sentences`", "Under `size`, give `overlap`")
        if self.size is None and self.overlap != 0:
            yield Problem("overlap", "needs `size`", "Under `sentences`, give `overlap_sentences`")
        if self.sentences is None or known & {"sentences", "overlap_sentences"}:
            return
        if self.sentences < 1:
            yield Problem("sentences", f"is {self.sentences}", "Use 1 or more")
        elif not 0 <= self.overlap_sentences < self.sentences:
            yield Problem(
                "overlap_sentences",
                f"is {self.overlap_sentences}, with {self.sentences} sentences a chunk",
                f"Use 0 to {self.sentences - 1}",
            )

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        ruler = tools.ruler(document, self.unit)
        found = parts_of(Piece(0, len(document.text)), by_sentences(self.language), ruler)
        if self.size is None:
            assert self.sentences is not None
            return windows(found, self.sentences, self.overlap_sentences)
        assert isinstance(self.overlap, int)
        found = shorten(found, (LINES, *FINEST), ruler, self.size)
        return pack(found, ruler, size=self.size, overlap=self.overlap)


def windows(pieces: Sequence[Piece], count: int, overlap: int) -> Iterator[Cut]:
    """Chunks of `count` pieces that repeat `overlap` of them; stops at the end of the last piece."""
    for first in range(0, max(len(pieces) - overlap, min(len(pieces), 1)), count - overlap):
        yield Cut(pieces[first].start, pieces[min(first + count, len(pieces)) - 1].end)
