"""semchunk: text cut at its most meaningful separators, level by level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from strategies.document import Document
from strategies.errors import SplitError, brief
from strategies.libraries.library import Library, Part
from strategies.strategy import SplitTools, parameter


@dataclass(frozen=True, slots=True)
class Semchunk(Library):
    """`semchunk.chunk`: at the most meaningful separators, coarse to fine.

    Cuts at the longest run of line ends, else of tabs, else of blanks (one that follows punctuation first),
    else at punctuation, else between characters; cuts what is larger than `size` again, and joins
    neighbours of one level up to it. With `overlap`, pieces are cut to `overlap` units (or to what it leaves
    of `size`, if that is less) and neighbours are joined into chunks that share some: the white space between
    them is not counted, so that a few exceed `size` and are marked oversize. A document that holds a
    character larger than its pieces (of 2 or 3 tokens, under a tiny size or overlap) cannot be cut. Nothing
    is sent anywhere: the library's models are left alone.

    Use it to measure a pipeline that has it. Costs a few times as much as counting the text, because
    pieces are counted alone.
    """

    name: ClassVar[str] = "semchunk"
    extra: ClassVar[str] = "semchunk"
    package: ClassVar[str] = "semchunk"
    distributions: ClassVar[tuple[str, ...]] = ("semchunk",)
    drops: ClassVar[str] = "white space between chunks"

    size: int = parameter("largest chunk, in units: semchunk's `chunk_size`")
    overlap: int | str = parameter(
        'most units repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter(
        "what `size` and `overlap` count: semchunk's `token_counter`", default="cl100k_base"
    )

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `chunk` returns, with its own offsets."""
        import semchunk

        assert isinstance(self.overlap, int)
        piece = min(self.overlap, self.size - self.overlap) or self.size
        counter = tools.counter(self.unit)

        @cache  # the library's own memory of counts would outlive the document
        def count(text: str) -> int:
            units = counter.count(text)
            if units > piece and len(text) == 1:  # it would cut it again, without end
                what = f"the character {brief(text)!r}, which counts more than {piece} {self.unit}"
                raise SplitError(f"{document.id}: {self.name} cannot cut {what}")
            return units

        try:
            texts, offsets = semchunk.chunk(
                document.text, self.size, count, memoize=False, offsets=True, overlap=self.overlap or None
            )
        except RecursionError as error:
            what = "white space of so many different lengths"
            raise SplitError(f"{document.id}: {self.name} cannot cut {what}") from error
        return [Part(text, start) for text, (start, _) in zip(texts, offsets, strict=True)]
