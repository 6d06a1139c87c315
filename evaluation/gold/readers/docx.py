"""DOCX: to Markdown, in the order of the document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from evaluation.gold.file_kinds import other_kind
from evaluation.gold.readers.docx_styles import Styles, W, setting
from evaluation.gold.readers.markdown_text import literal_lines, spanned, table
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.sources import Choice
from strategies.document import Scalar
from strategies.errors import Problem, brief

UNPACKED = 4
"""A file may unpack to so many times the limit, of which each part of XML may be the limit itself."""

_BREAKS = {
    **dict.fromkeys((f"{W}tab", f"{W}ptab", f"{W}sym"), " "),
    **dict.fromkeys((f"{W}br", f"{W}cr"), "\n"),
    f"{W}noBreakHyphen": "-",
}
_BOX = f"{W}txbxContent"
_WORDS = {f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}
_LEFT_OUT = {
    f"{W}del",
    f"{W}moveFrom",
    f"{W}pPr",
    f"{W}rPr",
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
"""What was deleted or moved away, what is no text, and what stands a second time for older programs."""


def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """The document's body as Markdown."""
    import docx

    if problem := _of_archive(data, where, most):
        return problem
    document = docx.Document(io.BytesIO(data))
    text = tidy("\n\n".join(_Body(document).blocks())) + "\n"
    if not text.strip():
        return Problem(where, "holds no text", "If it shows images of text, have it recognised (OCR) first")
    if len(text) > most:
        return too_long(where, most)
    return [ReadText(text, ".md", metadata=_metadata(document))]


def _of_archive(data: bytes, where: str, most: int) -> Problem | None:
    """What is wrong with the archive, before anything is unpacked."""
    if problem := other_kind(data, where, ".docx"):
        return problem
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        return Problem(where, f"is no whole DOCX ({brief(str(error))})", "Open it, and save it anew as DOCX")
    # An archive gives no more than its directory says: what a part holds beyond that is not read.
    largest = max((part.file_size for part in parts if part.filename.endswith((".xml", ".rels"))), default=0)
    if largest > most:
        return too_long(where, most, "a part of it, unpacked,")
    if sum(part.file_size for part in parts) > UNPACKED * most:
        return too_long(where, UNPACKED * most, "what it unpacks to")
    return None


def _metadata(document: Any) -> dict[str, Scalar]:
    from docx.opc.constants import RELATIONSHIP_TYPE

    package = document.part.package
    # Without this check the library would make properties up, and say that they are from today.
    if all(rel.reltype != RELATIONSHIP_TYPE.CORE_PROPERTIES for rel in package.rels.values()):
        return {}
    told = document.core_properties
    metadata: dict[str, Scalar] = {}
    for name, value in (("title", told.title), ("author", told.author)):
        if words := " ".join(tidy(value or "").split()):
            metadata[name] = words
    return metadata


class _Body:
    """The blocks of a document: headings, paragraphs, items of lists, and tables."""

    def __init__(self, document: Any) -> None:
        self.body = document.element.body
        self.styles = Styles(document)
        self.titled = any(self.level(one) == 0 and _words(one).strip() for one in _blocks(self.body))
        """Whether the document shows its title, which then holds all of its headings."""

    def level(self, block: Any) -> int | None:
        """The level of a heading, from 1; 0 of the title, None of any other paragraph and of a table."""
        return None if block.tag == f"{W}tbl" else self.styles.level(block, _style(block))

    def blocks(self) -> Iterator[str]:
        """Blocks of Markdown, one after the other; the items of one list are one block."""
        items: list[str] = []
        indents: list[int] = []
        for element in _blocks(self.body):
            text, item = self.block(element)
            if item is not None:
                number, depth = item
                # A list that begins deeper than its outermost level would be indented code.
                indent, bullet = sum(indents[:depth]), self.styles.bullet(number, depth)
                indents = [*indents[:depth], len(bullet)]
                items.append(f"{' ' * indent}{bullet}{text}")
            elif text:
                if items:
                    yield "\n".join(items)
                items, indents = [], []
                yield text
        if items:
            yield "\n".join(items)

    def block(self, element: Any) -> tuple[str, tuple[str, int] | None]:
        """A paragraph or table as Markdown; of an item of a list its words, with its list and depth."""
        if element.tag == f"{W}tbl":
            return table(map(_row, _rows(element))), None
        words = _words(element).strip()
        if not words:
            return "", None
        line = " ".join(words.split())
        level = self.level(element)
        if level is not None:
            return f"{'#' * min(level + self.titled, 6)} {line}", None
        item = self.styles.numbering(element, _style(element))
        return (literal_lines(words), None) if item is None else (literal_lines(line), item)


def _style(paragraph: Any) -> str | None:
    return setting(paragraph.find(f"{W}pPr/{W}pStyle"))


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, those in controls, insertions and text boxes among them."""
    for child in parent:
        if child.tag == f"{W}p":
            yield child
            for box in _parts(child):
                if box.tag == _BOX:
                    yield from _blocks(box)
        elif child.tag == f"{W}tbl":
            yield child
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _blocks(child)


def _parts(paragraph: Any) -> Iterator[Any]:
    """What is in a paragraph, in order, text boxes as a whole; not what is left out or hidden."""
    waiting = [iter(paragraph)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag not in _LEFT_OUT and not _is_hidden(child):
            yield child
            if child.tag != _BOX:
                waiting.append(iter(child))


def _is_hidden(run: Any) -> bool:
    vanish = run.find(f"{W}rPr/{W}vanish") if run.tag == f"{W}r" else None
    return vanish is not None and vanish.get(f"{W}val") not in ("0", "false", "off")


def _words(paragraph: Any) -> str:
    """The words of a paragraph, a line feed where a line is broken."""
    parts = _parts(paragraph)
    return "".join(part.text or "" if part.tag in _WORDS else _BREAKS.get(part.tag, "") for part in parts)


def _rows(table: Any) -> Iterator[Any]:
    return (row for row in table.iter(f"{W}tr") if next(row.iterancestors(f"{W}tbl")) is table)


def _cells(row: Any) -> Iterator[Any]:
    return (cell for cell in row.iter(f"{W}tc") if next(cell.iterancestors(f"{W}tr")) is row)


def _row(row: Any) -> list[str]:
    """The words of each column; those of a cell that spans several stand in the first."""
    before = setting(row.find(f"{W}trPr/{W}gridBefore"))
    words = [""] * (spanned(before) if before not in (None, "0") else 0)
    for cell in _cells(row):
        merge = cell.find(f"{W}tcPr/{W}vMerge")
        goes_on = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        words.append("" if goes_on else "\n".join(filter(None, _paragraphs(cell))))
        words += [""] * (spanned(setting(cell.find(f"{W}tcPr/{W}gridSpan"))) - 1)
    return words


def _paragraphs(parent: Any) -> Iterator[str]:
    """The words of every paragraph in a cell, those of tables in it too."""
    for block in _blocks(parent):
        if block.tag == f"{W}tbl":
            for row in _rows(block):
                for cell in _cells(row):
                    yield from _paragraphs(cell)
        else:
            yield _words(block).strip()


DOCX = Reader(
    name="docx",
    suffixes=(".docx",),
    library="python-docx",
    suffix=".md",
    becomes="`NAME.docx.md`, Markdown",
    keeps="headings by their style, paragraphs, lists, tables, text boxes, tracked insertions; title and "
    "author as metadata",
    loses="pages, which only a layout has; headers and footers, footnotes, comments, images, symbols of "
    "symbol fonts, hidden text (what a style hides is kept), emphasis, targets of links; numbers of "
    "headings; letters of lists, which become numbers",
    read=read,
)
