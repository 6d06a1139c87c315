"""The tables of a document: pipe tables and raw HTML in Markdown, tables of HTML, CSV and TSV files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from strategies.document import Document
from strategies.markup.html_blocks import Group
from strategies.markup.html_source import HtmlSource
from strategies.markup.markdown_blocks import Block, blocks_of
from strategies.outline import HTML, front_matter_end
from strategies.pieces import LINE_BREAK, lines, trimmed
from strategies.spans import Range

SEPARATED = frozenset({"text/csv", "text/tab-separated-values"})
"""Media types of files that are one table, a record a line."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table and its rows, in order. Rows hold all of it but white space."""

    rows: tuple[Range, ...]
    """Trimmed ranges of the document, at least one. What stands above the rows belongs to the first."""
    heads: int
    """How many rows at its beginning say what stands in the columns."""
    html: tuple[HtmlSource, int] | None = None
    """The source that it stands in, and where that begins in the document, if it is written in HTML."""

    @property
    def start(self) -> int:
        """Where its first row starts."""
        return self.rows[0][0]

    @property
    def end(self) -> int:
        """Where its last row ends."""
        return self.rows[-1][1]

    @property
    def head(self) -> Range | None:
        """The range of the rows that head its columns, if there are any."""
        return (self.start, self.rows[self.heads - 1][1]) if self.heads else None

    def shown(self, text: str, start: int, end: int) -> str:
        """Part of the table as it is embedded: what a reader sees, perhaps nothing, if it is HTML."""
        if self.html is None:
            return text[start:end]
        source, offset = self.html
        return source.visible(start - offset, end - offset)


def tables_in(document: Document) -> list[Table]:
    """The tables of a document, in order. Any text but HTML, CSV and TSV is read as Markdown."""
    if not document.text.strip():
        return []
    if document.media_type in HTML:
        return html_tables(HtmlSource(document.text))
    if document.media_type in SEPARATED:
        return [separated_table(document.text, "\t" if "tab" in document.media_type else ",;\t")]
    return markdown_tables(document.text)


def separated_table(text: str, delimiters: str = ",;\t") -> Table:
    """A text of separated values as one table, headed by its first record.

    Of the delimiters, the one that stands most often in the first line. A field in double quotes may hold
    line breaks (RFC 4180); a quote that is never closed is none.
    """
    first = text[: next(iter(lines(text, 0, len(text))), len(text))]
    delimiter = re.escape(max(delimiters, key=first.count))
    plain = rf"[^{delimiter}\r\n]*+"
    field = rf'(?:"(?:[^"]++|"")*+"{plain}|{plain})'
    record = re.compile(rf"{field}(?:{delimiter}{field})*+(?:{LINE_BREAK}|\Z)")
    found = (trimmed(text, *one.span()) for one in record.finditer(text))
    return Table(tuple(one for one in found if one is not None), 1)


def markdown_tables(text: str) -> list[Table]:
    """The pipe tables of a Markdown text, also in lists and quotes, and raw HTML tables outside of them."""
    blocks = blocks_of(text)
    found = [*_pipe_tables(text, blocks), *_raw_tables(text, blocks)]
    return sorted(found, key=lambda table: table.start)


def _pipe_tables(text: str, blocks: Sequence[Block]) -> Iterator[Table]:
    for block in blocks:
        if block.kind == "table":
            starts = [block.start, *lines(text, block.start, block.end), block.end]
            del starts[1:2]  # the head and the line under it are one row
            found = (trimmed(text, *pair) for pair in pairwise(starts))
            yield Table(tuple(one for one in found if one is not None), 1)
        yield from _pipe_tables(text, block.children)


_TABLE_TAG = re.compile(r"<(/?)table\b", re.IGNORECASE)


def _raw_tables(text: str, blocks: Sequence[Block]) -> Iterator[Table]:
    """HTML tables from `<table` to `</table`: a blank line between them ends a block, but not the table."""
    body = front_matter_end(text)
    first, depth = -1, 0
    for block in blocks:
        if block.start < body or block.kind in ("heading", "code", "table"):
            first, depth = -1, 0
        elif depth or block.kind == "other":
            for tag in _TABLE_TAG.finditer(text, block.start, block.end):
                if not depth and not tag[1] and first < 0:
                    first = block.start
                depth = max(0, depth + (-1 if tag[1] else 1))
            if first >= 0 and not depth:
                yield from html_tables(HtmlSource(text[first : block.end]), first)
                first = -1


def html_tables(source: HtmlSource, offset: int = 0) -> list[Table]:
    """The tables of an HTML source that begins at `offset` of its document.

    One that holds another table, a heading or no row at all lays out a page and is none. Rows in `thead`
    head the columns, or else those at the beginning that hold nothing but `th`.
    """
    around: list[list[Group]] = []
    found: list[list[Group]] = []
    for group in source.groups:
        while around and around[-1][0].last < group.first:
            around.pop()
        if group.kind == "table":
            if around:
                around[-1].append(group)
            around.append([group])
            found.append(around[-1])
        elif around:
            around[-1].append(group)
    tables = (_html_table(source, offset, table, parts) for table, *parts in found)
    return [table for table in tables if table is not None]


def _html_table(source: HtmlSource, offset: int, table: Group, parts: Sequence[Group]) -> Table | None:
    """The table of what stands in it, in order, but what stands in a table within."""
    rows = [part for part in parts if part.kind == "row"]
    if not rows or source.holds_heading(table) or any(part.kind == "table" for part in parts):
        return None
    cells: list[set[str]] = []  # names of the cells, a row
    for part in parts:
        if part.kind == "row":
            cells.append(set())
        elif part.kind == "cell" and cells:
            cells[-1].add(part.name)
    above = next((part.last for part in parts if part.kind == "head" and part.first <= rows[0].first), -1)
    heads = sum(row.last <= above for row in rows) or len(list(takewhile(lambda row: row == {"th"}, cells)))
    leaves = source.leaves
    starts = (
        leaves[table.first].start,
        *(leaves[row.first].start for row in rows[1:]),
        leaves[table.last].end,
    )
    found = (trimmed(source.text, *pair) for pair in pairwise(starts))
    moved = ((start + offset, end + offset) for start, end in filter(None, found))
    return Table(tuple(moved), heads, (source, offset))
