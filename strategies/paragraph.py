"""Whole paragraphs, packed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from strategies.document import Document
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, PARAGRAPHS, Piece, parts_of, shorten
from strategies.segmenting import by_sentences, language_problem
from strategies.strategy import Cut, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class Paragraph(Strategy):
    """Whole paragraphs, as many as fit into `size`.

    A blank line ends a paragraph: of LF, CR LF or CR, and also where it holds spaces. A paragraph that is
    larger than `size` is cut into sentences, which join their neighbours like paragraphs; a sentence that
    is larger begins a chunk of its own and is cut at line ends, then at words, then at characters. The
    overlap is the longest run of whole paragraphs (or such parts) within `overlap`: often none.

    Use it for texts whose authors put one thought into a paragraph, without markup that tells more.
    Costs about as much as counting the text.
    """

    name: ClassVar[str] = "paragraph"

    size: int = parameter("largest chunk, in units")
    overlap: int | str = parameter(
        'units of whole paragraphs repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    language: str = parameter(
        "code of the language in which long paragraphs are cut into sentences: en, de, zh ...",
        default="en",
        check=language_problem,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        assert isinstance(self.overlap, int)
        ruler = tools.ruler(document, self.unit)
        levels = (by_sentences(self.language), LINES, *FINEST)
        pieces = shorten(parts_of(Piece(0, len(document.text)), PARAGRAPHS, ruler), levels, ruler, self.size)
        return pack(pieces, ruler, size=self.size, overlap=self.overlap)
