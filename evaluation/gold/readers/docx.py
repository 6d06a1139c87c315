"""DOCX: to Markdown, in the order of the document."""

from __future__ import annotations

import io
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from evaluation.gold.file_kinds import kind_of
from evaluation.gold.readers.markdown_text import literal_lines, pipe_table
from evaluation.gold.readers.reader import Outcome, Reader, ReadText, tidy, too_long
from evaluation.gold.sources import Choice
from strategies.document import Scalar
from strategies.errors import Problem, brief

UNPACKED = 4
"""A file may unpack to so many times the limit, of which each part of XML may be the limit itself."""

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BREAKS = {f"{_W}tab": " ", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_WORDS = {f"{_W}t", "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}
_LEFT_OUT = {
    f"{_W}del",
    f"{_W}moveFrom",
    f"{_W}pPr",
    f"{_W}rPr",
    f"{_W}txbxContent",
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
        self.styles = {
            style.get(f"{_W}styleId"): style for style in document.styles.element.iter(f"{_W}style")
        }
        self.levels: dict[str | None, int] = {}
        self.formats = _number_formats(document)
        self.counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 10)

    def blocks(self) -> Iterator[str]:
        """Blocks of Markdown, one after the other; the items of one list are one block."""
        items: list[str] = []
        indents: list[int] = []
        for element in _blocks(self.body):
            text, item = self.block(element)
            if item is not None:
                number, depth = item
                # A list that begins deeper than its outermost level would be indented code.
                del indents[depth + 1 :]
                indent, bullet = sum(indents[:depth]), self.bullet(number, depth)
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
        if element.tag == f"{_W}tbl":
            return _table(element), None
        words = _words(element).strip()
        if not words:
            return "", None
        style = _value(element.find(f"{_W}pPr/{_W}pStyle"))
        line = " ".join(words.split())
        if level := self.level(element, style):
            return f"{'#' * min(level, 6)} {line}", None
        item = self.numbering(element, style)
        return (literal_lines(words), None) if item is None else (literal_lines(line), item)

    def level(self, paragraph: Any, style: str | None) -> int:
        """The level of a heading, from 1; 0 for any other paragraph."""
        own = _value(paragraph.find(f"{_W}pPr/{_W}outlineLvl"))
        if own is not None:
            return int(own) + 1 if own.isdecimal() and int(own) < 9 else 0
        if style not in self.levels:
            self.levels[style] = self._level_of(style)
        return self.levels[style]

    def _level_of(self, style: str | None) -> int:
        for one in self.with_bases(style):
            name = (_value(one.find(f"{_W}name")) or "").lower()
            if name == "title":
                return 1
            if name.startswith("heading ") and name[8:].isdecimal():
                return int(name[8:])
            level = _value(one.find(f"{_W}pPr/{_W}outlineLvl"))
            if level is not None:
                return int(level) + 1 if level.isdecimal() and int(level) < 9 else 0
        return 0

    def numbering(self, paragraph: Any, style: str | None) -> tuple[str, int] | None:
        """Number and depth (from 0) of the list that a paragraph is an item of, if it is one."""
        places = [paragraph.find(f"{_W}pPr/{_W}numPr")]
        places += [one.find(f"{_W}pPr/{_W}numPr") for one in self.with_bases(style)]
        for place in places:
            if place is None:
                continue
            number = _value(place.find(f"{_W}numId"))
            depth = _value(place.find(f"{_W}ilvl")) or "0"
            if number == "0":  # takes the paragraph out of its style's list
                return None
            if number is not None:
                own = min(int(depth), 8) if depth.isdecimal() else 0
                return number, own or self.depth_of(style)
        return None

    def depth_of(self, style: str | None) -> int:
        """The depth that a list style has in its name alone, as `List Bullet 2` has."""
        names = ((_value(one.find(f"{_W}name")) or "").lower() for one in self.with_bases(style))
        found = next(
            filter(None, (re.fullmatch(r"list (?:bullet|number) ([2-5])", name) for name in names)), None
        )
        return int(found[1]) - 1 if found else 0

    def bullet(self, number: str, depth: int) -> str:
        """A hyphen, or the next number of a numbered list."""
        if self.formats.get((number, depth), "bullet") in ("bullet", "none"):
            return "- "
        counts = self.counts[number]
        counts[depth] += 1
        counts[depth + 1 :] = [0] * (len(counts) - depth - 1)
        return f"{counts[depth]}. "

    def with_bases(self, style: str | None) -> Iterator[Any]:
        """A style and those it is based on."""
        seen = set[str | None]()
        while style in self.styles and style not in seen:
            seen.add(style)
            yield self.styles[style]
            style = _value(self.styles[style].find(f"{_W}basedOn"))


def _number_formats(document: Any) -> dict[tuple[str, int], str]:
    """The format of numbers, `bullet` or `decimal` or another, by list and depth."""
    from docx.opc.constants import RELATIONSHIP_TYPE

    parts = [
        rel.target_part for rel in document.part.rels.values() if rel.reltype == RELATIONSHIP_TYPE.NUMBERING
    ]
    formats: dict[tuple[str, int], str] = {}
    for part in parts:
        root = part.element
        abstract = {
            one.get(f"{_W}abstractNumId"): {
                int(level.get(f"{_W}ilvl", "0")): _value(level.find(f"{_W}numFmt")) or "decimal"
                for level in one.iter(f"{_W}lvl")
            }
            for one in root.iter(f"{_W}abstractNum")
        }
        for one in root.iter(f"{_W}num"):
            levels = abstract.get(_value(one.find(f"{_W}abstractNumId")), {})
            formats |= {(one.get(f"{_W}numId"), depth): name for depth, name in levels.items()}
    return formats


def _blocks(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in order, those in controls, insertions and text boxes among them."""
    for child in parent:
        if child.tag == f"{_W}p":
            yield child
            for box in child.iter(f"{_W}txbxContent"):
                if not any(above.tag in _LEFT_OUT for above in box.iterancestors()):
                    yield from _blocks(box)
        elif child.tag == f"{_W}tbl":
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
    return (row for row in table.iter(f"{_W}tr") if next(row.iterancestors(f"{_W}tbl")) is table)


def _cells(row: Any) -> Iterator[Any]:
    return (cell for cell in row.iter(f"{_W}tc") if next(cell.iterancestors(f"{_W}tr")) is row)


def _row(row: Any) -> list[str]:
    """The words of each column; those of a cell that spans several stand in the first."""
    words: list[str] = []
    for cell in _cells(row):
        merge = cell.find(f"{_W}tcPr/{_W}vMerge")
        goes_on = merge is not None and merge.get(f"{_W}val", "continue") == "continue"
        span = _value(cell.find(f"{_W}tcPr/{_W}gridSpan")) or "1"
        words.append("" if goes_on else "\n".join(filter(None, _paragraphs(cell))))
        words += [""] * (min(int(span), 1000) - 1 if span.isdecimal() else 0)
    return words


def _paragraphs(parent: Any) -> Iterator[str]:
    """The words of every paragraph in a cell, those of tables in it too."""
    for block in _blocks(parent):
        if block.tag == f"{_W}tbl":
            for row in _rows(block):
                for cell in _cells(row):
                    yield from _paragraphs(cell)
        else:
            yield _words(block).strip()


def _value(element: Any) -> str | None:
    return None if element is None else element.get(f"{_W}val")


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
