"""Pages, whole or cut, one by one or packed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from strategies.document import Document
from strategies.errors import Problem
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, Piece, cut, shorten
from strategies.segmenting import by_sentences, language_problem
from strategies.strategy import Cut, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class Page(Strategy):
    """A chunk for each page.

    Pages are those that the document's reader marked; where it marked none, form feeds end pages, as in
    the text that tools extract from PDF. A blank page gives no chunk and is counted all the same: the form
    feeds number the pages from 1, and every chunk carries the page on which it begins.

    Without `size`, pages stay whole whatever their length: check the truncation count of your embedder. A
    document without pages is then one chunk. With it, a page that is larger is cut into sentences, then at
    line ends, words and characters, and these are joined up to `size`; no chunk reaches from one page
    into the next. With `join`, chunks do: as many small pages, or parts of large ones, as fit. The
    overlap is the longest run of whole pages or parts within `overlap`, of the same page unless
    `join` is set.

    Use it where pages are what readers look up and cite, and as the baseline for reports and slides.
    Costs nothing without `size`, with it about as much as counting the text.
    """

    name: ClassVar[str] = "page"

    size: int | None = parameter("largest chunk, in units; without it, whole pages", default=None)
    overlap: int | str = parameter(
        'units of whole parts repeated from the chunk before, under `size`, or a share such as "10%"',
        default=0,
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    join: bool = parameter("join small pages up to `size`", default=False)
    language: str = parameter(
        "code of the language in which large pages are cut into sentences: en, de, zh ...",
        default="en",
        check=language_problem,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self, self._problems)
        if self.size is None:  # nothing is counted or cut then: equal cuts compare equal
            object.__setattr__(self, "unit", "cl100k_base")
            object.__setattr__(self, "language", "en")

    def _problems(self, known: set[str]) -> Iterator[Problem]:
        """What is wrong between parameters."""
        if self.size is None and self.overlap != 0:
            yield Problem("overlap", "needs `size`", "Whole pages repeat nothing")
        if self.size is None and self.join is True:
            yield Problem("join", "needs `size`", "Say up to which size pages are joined")

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        text = document.text
        starts = tools.outline(document).page_starts
        pages = cut(text, Piece(0, len(text)), sorted({start for start in starts if 0 < start < len(text)}))
        if self.size is None:
            yield from (Cut(page.start, page.end) for page in pages)
            return
        assert isinstance(self.overlap, int)
        ruler = tools.ruler(document, self.unit)
        pages = [page._replace(fresh=not self.join) for page in pages]
        levels = (by_sentences(self.language), LINES, *FINEST)
        pieces = shorten(pages, levels, ruler, self.size)
        yield from pack(pieces, ruler, size=self.size, overlap=self.overlap)
