"""DOCX: to Markdown, in the order of the document."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from evaluation.gold.file_kinds import kind_of
from evaluation.gold.readers.docx_styles import Styles, W, setting
from evaluation.gold.readers.markdown_text import literal_lines, pipe_table
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.sources import Choice
from strategies.document import Scalar
from strategies.errors import Problem, brief

UNPACKED = 4
"""A file may unpack to so many times the limit, of which each part of XML may be the limit itself."""

_BREAKS = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_WORDS = {f"{W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}
_LEFT_OUT = {
    f"{W}del",
    f"{W}moveFrom",
    f"{W}pPr",
    f"{W}rPr",
    f"{W}txbxContent",
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
    kind = kind_of(data, where)
    if kind and kind.name != "a Word document (DOCX)":
        return Problem(where, f"is {kind.name} under another name", kind.remedy)
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
    if told.created or told.modified:
        metadata["year"] = (told.created or told.modified).year
    return metadata


class _Body:
    """The blocks of a document: headings, paragraphs, items of lists, and tables."""

    def __init__(self, document: Any) -> None:
        self.body = document.element.body
        self.styles = Styles(document)

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
            return _table(element), None
        words = _words(element).strip()
        if not words:
            return "", None
        style = setting(element.find(f"{W}pPr/{W}pStyle"))
        line = " ".join(words.split())
        if level := self.styles.level(element, style):
            return f"{'#' * min(level, 6)} {line}", None
        item = self.styles.numbering(element, style)
        return (literal_lines(words), None) if item is None else (literal_lines(line), item)


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, those in controls, insertions and text boxes among them."""
    for child in parent:
        if child.tag == f"{W}p":
            yield child
            for box in child.iter(f"{W}txbxContent"):
                if not any(above.tag in _LEFT_OUT for above in box.iterancestors()):
                    yield from _blocks(box)
        elif child.tag == f"{W}tbl":
            yield child
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT:
            yield from _blocks(child)


def _words(element: Any) -> str:
    """The words of a paragraph, a line feed where a line is broken."""
    parts: list[str] = []
    waiting = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag in _WORDS:
            parts.append(child.text or "")
        elif child.tag in _BREAKS:
            parts.append(_BREAKS[child.tag])
        elif child.tag not in _LEFT_OUT:
            waiting.append(iter(child))
    return "".join(parts)


def _table(table: Any) -> str:
    """A table as pipes, its first row as the head; one of a single cell is a box around text."""
    rows = [row for row in map(_row, _rows(table)) if any(row)]
    if not rows:
        return ""
    if len(rows) == 1 and len(rows[0]) == 1:
        return literal_lines(rows[0][0])
    return pipe_table(rows)


def _rows(table: Any) -> Iterator[Any]:
    return (row for row in table.iter(f"{W}tr") if next(row.iterancestors(f"{W}tbl")) is table)


def _cells(row: Any) -> Iterator[Any]:
    return (cell for cell in row.iter(f"{W}tc") if next(cell.iterancestors(f"{W}tr")) is row)


def _row(row: Any) -> list[str]:
    """The words of each column; those of a cell that spans several stand in the first."""
    words: list[str] = []
    for cell in _cells(row):
        merge = cell.find(f"{W}tcPr/{W}vMerge")
        goes_on = merge is not None and merge.get(f"{W}val", "continue") == "continue"
        span = setting(cell.find(f"{W}tcPr/{W}gridSpan")) or "1"
        words.append("" if goes_on else "\n".join(filter(None, _paragraphs(cell))))
        words += [""] * (min(int(span), 1000) - 1 if span.isdecimal() else 0)
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
    keeps="headings by their style, paragraphs, lists, tables, text boxes, tracked insertions; title, author "
    "and year as metadata",
    loses="pages, which only a layout has; headers and footers, footnotes, comments, images, emphasis, "
    "targets of links; numbers of headings; letters of lists, which become numbers",
    read=read,
)
