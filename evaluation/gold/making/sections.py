"""The sections of a document and the prose in them: what proxy questions are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from strategies.document import Document
from strategies.markup.atoms_in import JSON
from strategies.markup.html_source import HtmlSource
from strategies.markup.html_tokens import decoded
from strategies.markup.markdown_blocks import blocks_of
from strategies.markup.tables_in import SEPARATED
from strategies.outline import HTML, MARKDOWN, outline
from strategies.pieces import paragraphs
from strategies.source_code.code_units import Unit, Units
from strategies.source_code.syntax import parse, programming_language
from strategies.spans import Range

NO_PROSE = JSON | SEPARATED | {"application/xml", "application/yaml"}
"""Media types of data: neither headings nor sentences."""

_LINE_END = re.compile(r"[\r\n]")
_DEEPEST = 4
"""Definitions in one another whose names are read."""
_UNSEEN = "\u00ad\u200b\u2060\ufeff"
"""Not white space, but lost where a quote is looked for, so that nothing may begin or end with it."""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below one heading up to the next, or in one definition of source code."""

    path: tuple[str, ...]
    """Headings, or names of definitions, outermost first; empty before the first heading."""
    place: Range | None
    """Its own text, without the heading; None if there is none."""
    prose: tuple[tuple[Range, ...], ...] = ()
    """Runs of paragraphs with nothing else between them."""


@dataclass(frozen=True, slots=True)
class Sections:
    """The sections of one document, in order."""

    document: Document
    found: tuple[Section, ...]
    readable: str
    """As long as the document's text; what no reader sees of HTML is spaces."""
    html: bool = False

    def words(self, start: int, end: int) -> str:
        """A range as a reader sees it, on one line."""
        text = self.readable[start:end]
        return " ".join((decoded(text) if self.html else text).split())


def sections(document: Document) -> Sections:
    """The sections of a document, in time linear in its length."""
    text = document.text
    if document.media_type in NO_PROSE or not text.strip():
        return Sections(document, (), text)
    language = programming_language(document)
    if language is not None:
        syntax = parse(text, language)
        units = None if syntax is None else Units(text, syntax, language)
        return Sections(
            document, tuple(_definitions(units, units.outermost(), (), text)) if units else (), text
        )
    if document.media_type in MARKDOWN:
        return Sections(document, tuple(_of_markdown(document)), text)
    if document.media_type in HTML:
        source = HtmlSource(text)
        return Sections(document, tuple(_of_html(document, source)), source.masked, html=True)
    return Sections(document, tuple(_of_text(document)), text)


def narrowed(text: str, start: int, end: int) -> Range | None:
    """The range without white space, and what is lost in copies, at its ends; None if nothing is left.

    >>> narrowed(" a\\u200b ", 0, 4), narrowed(" \\n", 0, 2)
    ((1, 2), None)
    """
    while start < end and (text[start].isspace() or text[start] in _UNSEEN):
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in _UNSEEN):
        end -= 1
    return (start, end) if start < end else None


Part = tuple[bool | None, int, int]
"""Whether a range is prose (None: it is a heading), its start and its end."""


def _sections(document: Document, parts: Iterable[Part], readable: str) -> Iterator[Section]:
    """Sections of a document's parts, which are in order."""
    found = outline(document)
    path: tuple[str, ...] = ()
    first, end = None, 0
    runs: list[list[Range]] = [[]]
    for prose, start, stop in (*parts, (None, len(document.text), len(document.text))):
        if prose is None:
            place = None if first is None else narrowed(readable, first, end)
            if path or place:
                yield Section(path, place, tuple(tuple(run) for run in runs if run))
            path, first, runs = found.section(start), None, [[]]
            continue
        first, end = start if first is None else first, stop
        if prose:
            runs[-1].append((start, stop))
        elif runs[-1]:
            runs.append([])


def _of_markdown(document: Document) -> Iterator[Section]:
    parts = [
        (None if block.kind == "heading" else block.kind == "paragraph", block.start, block.end)
        for block in blocks_of(document.text)
    ]
    return _sections(document, parts, document.text)


def _of_html(document: Document, source: HtmlSource) -> Iterator[Section]:
    inside = [0] * (len(source.leaves) + 1)  # groups that hold a leaf and are no prose, as differences
    for group in source.groups:
        if group.kind in ("table", "head", "row", "cell", "code", "list", "item"):
            inside[group.first] += 1
            inside[group.last + 1] -= 1
    parts, depth = list[Part](), 0
    for leaf, change in zip(source.leaves, inside, strict=False):
        depth += change
        if leaf.kind == "raw":  # scripts and styles
            continue
        prose = None if leaf.kind == "heading" else leaf.kind == "text" and not depth
        parts.append((prose, leaf.start, leaf.end))
    return _sections(document, parts, source.masked)


def _of_text(document: Document) -> Iterator[Section]:
    """Headings are those that the reader marked, and end with their line."""
    text, parts = document.text, list[Part]()
    starts = outline(document).heading_starts
    labels = {mark.start: mark.label for mark in document.marks if mark.kind == "heading"}
    borders = [0, *starts, len(text)]
    for place, (start, end) in enumerate(pairwise(borders)):
        body = start
        if place:
            body = min(_past_heading(text, start, labels.get(start, "")), end)
            parts.append((None, start, body))
        inner = (body, *paragraphs(text, body, end), end)
        parts += [(True, a, b) for a, b in pairwise(inner) if a < b]
    return _sections(document, parts, text)


def _past_heading(text: str, start: int, label: str) -> int:
    """Where a heading ends that begins here: past its words, however many lines they take, and their line."""
    place = start
    for character in label:
        if character.isspace():
            continue
        while place < len(text) and text[place].isspace():
            place += 1
        if not text.startswith(character, place):
            place = start
            break
        place += 1
    end = _LINE_END.search(text, place)
    return end.start() if end else len(text)


def _definitions(
    units: Units, found: Sequence[Unit], around: tuple[str, ...], text: str, depth: int = _DEEPEST
) -> Iterator[Section]:
    """Functions, classes and what is like them, each with its body: without its head and docstring."""
    for unit in found:
        if unit.scope is None:
            continue
        path = (*around, *unit.scope.names)
        inner = units.inside(unit)
        yield Section(path, narrowed(text, inner[0].start, unit.end) if inner else None)
        if depth:
            yield from _definitions(units, inner, path, text, depth - 1)
