"""What a document holds that is of use only whole: code blocks, tables, JSON values."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from strategies.document import Document
from strategies.markup.html_source import HtmlSource
from strategies.markup.markdown_blocks import Block, blocks_of
from strategies.markup.tables_in import SEPARATED, html_tables, markdown_tables, tables_in
from strategies.pieces import trimmed
from strategies.spans import Range

Kind = Literal["code", "table", "json"]

JSON = frozenset({"application/json", "application/jsonl", "application/x-ndjson"})
"""Media types that are not read as Markdown."""


def atoms_in(document: Document, kinds: Collection[Kind], source: HtmlSource | None = None) -> list[Range]:
    """Trimmed ranges of the outermost atoms of these kinds, in order; none shares text with another.

    Whatever the kinds, nothing inside a code block, a table or a JSON value is looked at. `source` is the
    document read as HTML, if it is HTML.
    """
    text = document.text
    marked = _outermost(_code_and_tables(document, source))
    found = [(kind, place) for kind, place in marked if kind in kinds]
    if "json" in kinds:
        places = [place for _, place in marked]
        gaps = zip(
            [0, *(end for _, end in places)], [*(start for start, _ in places), len(text)], strict=True
        )
        found += (("json", place) for gap in gaps for place in json_values(text, *gap))
    return sorted(place for _, place in found)


def _code_and_tables(document: Document, source: HtmlSource | None) -> Iterator[tuple[Kind, Range]]:
    text = document.text
    if document.media_type in JSON or not text.strip():
        return
    if source is not None:
        for group in source.groups:
            if group.kind == "code" and (found := trimmed(text, *source.range(group))):
                yield "code", found
        tables = html_tables(source)
    elif document.media_type in SEPARATED:
        tables = tables_in(document)
    else:
        for start, end in _code(blocks_of(text)):
            if found := trimmed(text, start, end):
                yield "code", found
        tables = markdown_tables(text)
    for table in tables:
        yield "table", (table.start, table.end)


def _code(blocks: Iterable[Block]) -> Iterator[Range]:
    for block in blocks:
        if block.kind == "code":
            yield block.start, block.end
        yield from _code(block.children)


def _outermost(found: Iterable[tuple[Kind, Range]]) -> list[tuple[Kind, Range]]:
    """Those that lie in no other, in order."""
    kept: list[tuple[Kind, Range]] = []
    for kind, (start, end) in sorted(found, key=lambda one: (one[1][0], -one[1][1])):
        if not kept or start >= kept[-1][1][1]:
            kept.append((kind, (start, end)))
    return kept


_JSON = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*+"|(?P<broken>"[^\r\n]*+)|[{}\[\]]|\r\n?|\n')
_REST_OF_LINE = re.compile(r"[^\S\r\n]*+(?=[\r\n]|\Z)")


def json_values(text: str, start: int, end: int) -> list[Range]:
    """Objects and arrays of JSON that begin and end lines of a range: the outermost, in order.

    Brackets are matched first, in one pass; only what matches is given to the parser. Text in brackets that
    is no JSON hides what stands in it. So do not count: an empty one, and an array of one plain value, which
    in prose is a mark such as [1].
    """
    found: list[Range] = []
    opened: list[_Bracket] = []
    line, first = start, start == 0 or text[start - 1] in "\r\n"
    for token in _JSON.finditer(text, start, end):
        mark, place = token[0], token.start()
        if mark in "\r\n":
            line, first = token.end(), True
            continue
        if mark in "{[":
            opened.append(_Bracket(mark, place, first and not text[line:place].strip()))
        elif mark in "}]" and opened and opened[-1].mark + mark in ("{}", "[]"):
            bracket = opened.pop()
            if opened:
                opened[-1].depth = max(opened[-1].depth, bracket.depth + 1)
            if (
                bracket.begins_line
                and bracket.depth <= _DEEPEST
                and _REST_OF_LINE.match(text, place + 1, end)
            ):
                while found and found[-1][0] > bracket.place:
                    found.pop()
                found.append((bracket.place, place + 1))
        elif mark in "}]" or token.lastgroup == "broken":
            opened = []  # nothing around it is JSON
        first = False
    return [place for place in found if _is_json(text[slice(*place)])]


_DEEPEST = 200
"""Brackets in one another that are given to the parser, which recurses."""


@dataclass(slots=True)
class _Bracket:
    """A bracket that is open."""

    mark: str
    place: int
    begins_line: bool
    depth: int = 0
    """How many brackets stand in one another in it."""


def _is_json(text: str) -> bool:
    """Whether a text is JSON that says more than a mark in brackets."""
    try:
        value = json.loads(text, parse_int=str, parse_float=str)  # long numbers need no reading
    except (ValueError, RecursionError):
        return False
    plain = len(value) == 1 and isinstance(value, list) and not isinstance(value[0], list | dict)
    return bool(value) and not plain
