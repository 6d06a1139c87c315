"""Tables by themselves, rows grouped under their header."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from strategies.document import Document
from strategies.markup import tables_in
from strategies.markup.html_pieces import HtmlPieces
from strategies.markup.html_source import HtmlSource
from strategies.outline import HTML
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, Piece, cut, paragraphs, shorten
from strategies.segmenting import by_sentences, language_problem
from strategies.strategy import Cut, SplitTools, Strategy, parameter
from strategies.units.rulers import Ruler


@dataclass(frozen=True, slots=True)
class Table(Strategy):
    """Tables in chunks of their own: as many whole rows as fit into `size`, under the table's header.

    A table that fits is one chunk. Of a larger one, the first chunk begins with the header; every other
    chunk is rows alone, and embeds the header before them. The header that is repeated is no part of the
    text and does not count into `size`: leave room for it below what your embedder reads. One that is
    larger than `size` is not repeated. A row is never cut: larger than `size`, it is an oversize chunk.

    Tables are those of pipes in Markdown (`markdown-it-py`; also in lists and quotes), of raw HTML in it,
    and of HTML documents. Files of comma- or tab-separated values are one table, headed by their first
    record; a field in quotes may hold line breaks, and a semicolon or tab may stand for the comma. An HTML
    table that holds another table or a heading lays out a page and is none; its header is its `thead`, or
    the first rows that hold only `th`, with the caption. HTML is embedded as `html` embeds it: without tags.

    The text between tables is cut into paragraphs, then sentences, lines and words, and joined up to
    `size`; in HTML documents as `html` cuts it. The overlap is the longest run of whole rows or paragraphs
    (or such parts) within `overlap`, never across the border of a table.

    Use it for reports and data sheets, where answers stand in cells: a row without its header says little.
    Costs as much as `markdown` or `html`.
    """

    name: ClassVar[str] = "table"
    embeds_more: ClassVar[bool] = True

    size: int = parameter("largest chunk, in units, a repeated header aside")
    overlap: int | str = parameter(
        'units of whole rows or paragraphs repeated from the chunk before, or a share such as "10%"',
        default=0,
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
        source = HtmlSource(document.text) if document.media_type in HTML else None
        tables = tables_in.tables_in(document) if source is None else tables_in.html_tables(source)
        starts = [table.start for table in tables]
        headers = [self._header(table, ruler) for table in tables]
        pieces = self._pieces(ruler, tables, source)
        for found in pack(pieces, ruler, size=self.size, overlap=self.overlap):
            at = bisect_right(starts, found.start) - 1
            if at >= 0 and found.start < tables[at].end:
                yield replace(found, embedded_text=_embedded(document.text, tables[at], headers[at], found))
            elif source is not None:
                # A chunk holds headings only at its beginning: the last one in it is the one over its text.
                section = tools.outline(document).section(found.end - 1)
                yield replace(
                    found, section=section, embedded_text=source.visible(found.start, found.end) or None
                )
            else:
                yield found

    def _header(self, table: tables_in.Table, ruler: Ruler) -> str:
        """What is repeated of a table; nothing if it is larger than a chunk may be."""
        shown = table.shown(ruler.text, *table.head) if table.head else ""
        return shown if ruler.counter.count(shown) <= self.size else ""

    def _pieces(
        self, ruler: Ruler, tables: list[tables_in.Table], source: HtmlSource | None
    ) -> Iterator[Piece]:
        """Rows, and the text between tables in pieces that fit; a chunk begins at each end of a table."""
        prose = self._prose(ruler) if source is None else self._html_prose(source, ruler)
        place = 0
        for table in tables:
            yield from _fresh(prose(place, table.start))
            yield from _fresh(_rows(table, ruler, self.size))
            place = table.end
        yield from _fresh(prose(place, len(ruler.text)))

    def _prose(self, ruler: Ruler) -> _Prose:
        levels = (by_sentences(self.language), LINES, *FINEST)

        def prose(start: int, end: int) -> Iterable[Piece]:
            places = paragraphs(ruler.text, start, end)
            return shorten(cut(ruler.text, Piece(start, end), places), levels, ruler, self.size)

        return prose

    def _html_prose(self, source: HtmlSource, ruler: Ruler) -> _Prose:
        pieces = HtmlPieces(source, ruler, self.size, self.language)
        starts = [leaf.start for leaf in source.leaves]

        def prose(start: int, end: int) -> Iterable[Piece]:
            # White space may stand before a table in its leaf, and nothing else.
            past = len(starts) if end == len(source.text) else bisect_right(starts, end) - 1
            return pieces.between(bisect_left(starts, start), past)

        return prose


_Prose = Callable[[int, int], Iterable[Piece]]
"""The pieces of a range that holds no table."""


def _rows(table: tables_in.Table, ruler: Ruler, size: int) -> Iterator[Piece]:
    """The rows of a table; those of its header are one piece where they fit."""
    rows = table.rows
    if table.head and ruler.count(*table.head) <= size:
        rows = (table.head, *rows[table.heads :])
    return (Piece(*row) for row in rows)


def _fresh(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces, of which the first begins a chunk."""
    for index, piece in enumerate(pieces):
        yield piece._replace(fresh=True) if index == 0 else piece


def _embedded(text: str, table: tables_in.Table, header: str, found: Cut) -> str | None:
    """Rows under the header of their table, unless they hold it."""
    rows = table.shown(text, found.start, found.end)
    if header and table.head and found.start >= table.head[1]:
        return f"{header}\n{rows or text[found.start : found.end]}"
    return rows or None
