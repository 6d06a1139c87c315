"""semantic-text-splitter (the Rust crate text-splitter): the largest unit that fits, and its neighbours.

Its `CodeSplitter` is left out: the parser under it never returns from some texts, and cannot be stopped.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from strategies.document import Document
from strategies.errors import Problem, SplitError
from strategies.libraries.library import Library, Part
from strategies.strategy import SplitTools, parameter

LONGEST_WORD = 200_000
"""Characters of a word that are cut in half a minute; the time grows with the square of it."""

_LONG_WORD = re.compile(rf"\w{{{LONGEST_WORD + 1}}}")


@dataclass(frozen=True, slots=True)
class Splitter(Library):
    """What the splitters of text share."""

    extra: ClassVar[str] = "semantic-text-splitter"
    package: ClassVar[str] = "semantic_text_splitter"
    distributions: ClassVar[tuple[str, ...]] = ("semantic-text-splitter",)

    size: int = parameter("largest chunk, in units: the end of `capacity`")
    overlap: int | str = parameter(
        'most units repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("what `size` and `overlap` count: the callback", default="cl100k_base")
    min_size: int | None = parameter(
        "a chunk of so many units is full: the start of `capacity`; null: `size`", default=None
    )
    trim: bool = parameter("remove white space from both ends of a chunk", default=True)

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """A range of sizes that holds none."""
        if self.min_size is None or known & {"size", "min_size"}:
            return
        if not 1 <= self.min_size <= self.size:
            yield Problem(
                "min_size", f"is {self.min_size}, with a size of {self.size}", f"Use 1 to {self.size}"
            )
        elif isinstance(self.overlap, int) and "overlap" not in known and self.overlap >= self.min_size:
            what = f"{self.overlap} is not less than min_size {self.min_size}"
            yield Problem("overlap", what, f"Use 0 to {self.min_size - 1}")

    @abstractmethod
    def splitter(self) -> Any:
        """The library's class."""

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `chunk_indices` returns: characters and texts."""
        if _LONG_WORD.search(document.text):
            what = f"a word of more than {LONGEST_WORD:,} characters would keep {self.name} busy for minutes"
            raise SplitError(f"{document.id}: {what}")
        capacity = self.size if self.min_size is None else (self.min_size, self.size)
        splitter = self.splitter().from_callback(
            tools.counter(self.unit).count, capacity, overlap=self.overlap, trim=self.trim
        )
        return [Part(text, start) for start, text in splitter.chunk_indices(document.text)]


@dataclass(frozen=True, slots=True)
class TextSplitter(Splitter):
    """`TextSplitter` of semantic-text-splitter: the largest units of text that fit.

    Takes the largest units that fit into `size`, of runs of line ends, Unicode sentences, words, characters,
    and adds neighbours of that level or a higher one while they fit. With `min_size`, a chunk is full as
    soon as it counts so much.

    Use it to measure a pipeline that has it. Costs several times as much as counting the text, and the
    square of its length for one word without an end: above 200,000 characters a word is refused.
    """

    name: ClassVar[str] = "semantic_text_splitter:TextSplitter"
    drops: ClassVar[str] = "white space at chunk ends, unless `trim: false`"

    def splitter(self) -> Any:
        """The library's class."""
        import semantic_text_splitter

        return semantic_text_splitter.TextSplitter


@dataclass(frozen=True, slots=True)
class MarkdownSplitter(Splitter):
    """`MarkdownSplitter` of semantic-text-splitter: the largest units of Markdown that fit.

    As its `TextSplitter`, with the units of Markdown above sentences: lines, inline elements, blocks, rules,
    headings by their level.

    Use it to measure a pipeline that has it. Costs several times as much as counting the text, more for
    long paragraphs of many lines, and the square of its length for one word without an end: above 200,000
    characters a word is refused.
    """

    name: ClassVar[str] = "semantic_text_splitter:MarkdownSplitter"
    drops: ClassVar[str] = "white space at chunk ends, unless `trim: false`"

    def splitter(self) -> Any:
        """The library's class."""
        import semantic_text_splitter

        return semantic_text_splitter.MarkdownSplitter
