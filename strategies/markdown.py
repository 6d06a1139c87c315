"""Blocks of a Markdown document, packed within their section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from strategies.document import Document
from strategies.markup.leading import led
from strategies.markup.markdown_blocks import Block, blocks_of
from strategies.outline import MARKDOWN, outline
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, Level, Piece, cut, lines, shorten, trimmed
from strategies.segmenting import by_sentences, language_problem
from strategies.strategy import Cut, SplitTools, Strategy, parameter
from strategies.units.rulers import Ruler


def repeats_problem(kinds: tuple[str, ...]) -> str:
    """What is wrong with a list of kinds, or nothing.

    >>> repeats_problem(("table", "table"))
    'names table twice'
    """
    twice = sorted({kind for kind in kinds if kinds.count(kind) > 1})
    return f"names {', '.join(twice)} twice" if twice else ""


@dataclass(frozen=True, slots=True)
class Markdown(Strategy):
    """Whole blocks of a Markdown document, as many as fit into `size`, never across a heading.

    A CommonMark parser (`markdown-it-py`, with tables) says what is a heading, paragraph, list, table,
    code or quote; fences of any kind and indented code are code, whatever they hold. Every chunk carries
    its heading path. A heading begins a chunk and keeps the beginning of its text with it; one without
    text of its own stays with the next heading where that fits. Front matter is a block of its own.

    Code and tables stay whole where they fit into `size`. What is larger is cut: lists between items,
    then between the blocks of an item; paragraphs into sentences, then at line ends and words; code at
    line ends, then at words; tables between rows only, so that a row larger than `size` becomes an
    oversize chunk. The overlap is the longest run of whole blocks (or such parts) of the same section
    within `overlap`.

    Use it for documentation, runbooks, reports: wherever headings mean something. Costs several times
    what other strategies do, still far less than embedding; a text without markup is cut as `paragraph`
    cuts it.
    """

    name: ClassVar[str] = "markdown"

    size: int = parameter("largest chunk, in units")
    overlap: int | str = parameter(
        'units of whole blocks repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    isolate: tuple[Literal["table", "code"], ...] = parameter(
        "blocks that get a chunk of their own: table, code", default=(), check=repeats_problem
    )
    language: str = parameter(
        "code of the language in which long paragraphs are cut into sentences: en, de, zh ...",
        default="en",
        check=language_problem,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        object.__setattr__(self, "isolate", tuple(sorted(self.isolate)))

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        assert isinstance(self.overlap, int)
        ruler = tools.ruler(document, self.unit)
        plan = _Plan(ruler, self.size, frozenset(self.isolate), by_sentences(self.language))
        # Asked to read another kind of text as Markdown, its headings are not the document's own.
        marked = document.media_type in MARKDOWN
        headings = (
            tools.outline(document) if marked else outline(replace(document, media_type="text/markdown"))
        )
        for found in pack(plan.pieces(), ruler, size=self.size, overlap=self.overlap):
            # A chunk holds headings only at its beginning: the last one in it is the one over its text.
            yield replace(found, section=headings.section(found.end - 1))


_CODE_LINES = Level(lines)
"""Lines that join their neighbours, so that a lead-in stays with the first lines of long code."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which pieces a Markdown document is packed from."""

    ruler: Ruler
    size: int
    isolate: frozenset[str]
    by_sentences: Level

    def pieces(self) -> Iterator[Piece]:
        """The pieces of all sections, in order; each section begins with a fresh one."""
        headings: list[list[Piece]] = []  # with nothing between them, each as its pieces
        after_alone = False
        for block in blocks_of(self.ruler.text):
            if block.kind == "heading":
                headings.append(self._shortened(block))
                continue
            for piece, alone in self._parts(block, headings[-1][0].start if headings else None):
                if headings:
                    yield from led(headings, self._fits, piece)
                    headings, after_alone = [], False
                yield piece._replace(fresh=True) if after_alone and not alone else piece
                after_alone = alone
        yield from led(headings, self._fits)

    def _parts(self, block: Block, lead: int | None) -> Iterator[tuple[Piece, bool]]:
        """The pieces of a block, and whether each stands in chunks of its own.

        `lead` is where the heading right above the block starts: a list, a quote or a paragraph that does
        not fit with it is taken apart, so that the heading is not left alone.
        """
        if block.kind in self.isolate:
            for index, piece in enumerate(self._shortened(block)):
                yield (piece._replace(fresh=True) if index == 0 else piece), True
            return
        divisible = block.children or block.kind == "paragraph"
        too_long = lead is not None and divisible and not self._fits(lead, block.end)
        if block.children and (
            too_long or not self._fits(block.start, block.end) or self._isolates_in(block)
        ):
            for child in block.children:
                for part in self._parts(child, lead):
                    yield part
                    lead = None
            return
        for piece in self._shortened(block, into_sentences=too_long):
            yield piece, False

    def _shortened(self, block: Block, into_sentences: bool = False) -> list[Piece]:
        """A block as pieces that fit, but for rows of a table."""
        text = self.ruler.text
        found = trimmed(text, block.start, block.end)
        if found is None:
            return []
        pieces = [Piece(*found)]
        if block.kind == "table":
            return pieces if self._fits(*found) else self._rows(pieces[0])
        if block.kind in ("code", "other"):
            levels: tuple[Level, ...] = (_CODE_LINES, *FINEST)
        else:
            levels = (self.by_sentences, LINES, *FINEST)
        if into_sentences:
            pieces = cut(text, pieces[0], self.by_sentences.places(text, *found))
        return shorten(pieces, levels, self.ruler, self.size)

    def _rows(self, table: Piece) -> list[Piece]:
        """The rows of a table, each whole; the head stays with the line under it where both fit."""
        places = list(lines(self.ruler.text, table.start, table.end))
        if len(places) > 1 and self._fits(table.start, places[1]):
            places = places[1:]
        return [row._replace(whole=True) for row in cut(self.ruler.text, table, places)]

    def _isolates_in(self, block: Block) -> bool:
        """Whether a block of a kind to isolate stands somewhere inside."""
        return bool(self.isolate) and any(
            child.kind in self.isolate or self._isolates_in(child) for child in block.children
        )

    def _fits(self, start: int, end: int) -> bool:
        found = trimmed(self.ruler.text, start, end)
        return found is None or self.ruler.count(*found) <= self.size
