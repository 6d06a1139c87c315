"""semchunk: text cut at its most meaningful separators, level by level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from strategies.document import Document
from strategies.errors import SplitError
from strategies.libraries.library import Library, Part
from strategies.strategy import SplitTools, parameter


@dataclass(frozen=True, slots=True)
class Semchunk(Library):
    """`semchunk.chunk`.

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

        # Its own memory of counts would outlive the document, without a limit.
        count = lru_cache(maxsize=None)(tools.counter(self.unit).count)
        try:
            texts, offsets = semchunk.chunk(
                document.text, self.size, count, memoize=False, offsets=True, overlap=self.overlap or None
            )
        except RecursionError as error:  # it cuts one character again, without end
            assert isinstance(self.overlap, int)
            piece = min(self.overlap, self.size - self.overlap) or self.size
            what = f"a character of more than {piece} {self.unit}, or white space of too many lengths"
            raise SplitError(f"{document.id}: {self.name} cannot cut {what}") from error
        return [Part(text, start) for text, (start, _) in zip(texts, offsets, strict=True)]
