"""The heading path and the page of any position of a document.

Markdown is read by a CommonMark parser, so that what looks like a heading inside a fence, indented
code or HTML is none; headings inside quotes and lists belong to what is quoted and are left out. HTML has
the headings h1 to h6 outside of quotes, each from the tags on that open right before it.
Other documents have the headings that their reader marked.

Pages are those that the reader marked, or else what stands between form feeds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from strategies.document import Document, Mark
from strategies.markup.html_source import HtmlSource

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
"""Media types that are read as CommonMark."""

HTML = frozenset({"text/html", "application/xhtml+xml"})
"""Media types that are read as HTML."""

_FORM_FEED = re.compile("\f")
_LINE_END = re.compile(r"\r\n?|\n")
_FRONT_MATTER = re.compile(
    r"---[ \t]*(?:\r\n?|\n)(?![ \t]*(?:\r|\n))(?:.*?(?:\r\n?|\n))??(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Outline:
    """Headings and pages of one document, in order of their place."""

    heading_starts: tuple[int, ...]
    paths: tuple[tuple[str, ...], ...]
    """The heading path from each heading on, outermost first; of the same length."""
    page_starts: tuple[int, ...] = ()
    page_labels: tuple[str, ...] = ()

    def section(self, position: int) -> tuple[str, ...]:
        """Heading path in force at a position; empty before the first heading."""
        before = bisect_right(self.heading_starts, position)
        return self.paths[before - 1] if before else ()

    def page(self, position: int) -> str | None:
        """Label of the page on which a position lies, or None where no page is known."""
        before = bisect_right(self.page_starts, position)
        return self.page_labels[before - 1] if before else None


def outline(document: Document) -> Outline:
    """The outline of a document, in time linear in its length."""
    marks = sorted(document.marks, key=lambda mark: mark.start)
    headings: Iterable[Mark] = (mark for mark in marks if mark.kind == "heading")
    if document.media_type in MARKDOWN:
        headings = markdown_headings(document.text)
    elif document.media_type in HTML:
        headings = HtmlSource(document.text).headings()
    starts: list[int] = []
    paths: list[tuple[str, ...]] = []
    above: list[Mark] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        starts.append(heading.start)
        paths.append(tuple(mark.label for mark in above if mark.label))
    pages = [mark for mark in marks if mark.kind == "page"] or _form_feed_pages(document.text)
    return Outline(
        tuple(starts), tuple(paths), tuple(mark.start for mark in pages), tuple(mark.label for mark in pages)
    )


def _form_feed_pages(text: str) -> list[Mark]:
    """The pages between form feeds, numbered from 1, blank ones too; none where there is no form feed."""
    starts = [0, *(feed.end() for feed in _FORM_FEED.finditer(text))]
    if len(starts) == 1:
        return []
    return [Mark("page", start, str(number)) for number, start in enumerate(starts, start=1)]


def markdown_headings(text: str) -> list[Mark]:
    """The ATX and setext headings of a CommonMark text, at the start of their first line."""
    env: dict[str, object] = {}
    blocks, starts = markdown_blocks(text, env)
    return [
        Mark("heading", starts[opening.map[0]], _words(inline, env), int(opening.tag[1:]))
        for opening, inline in pairwise(blocks)
        if opening.type == "heading_open" and opening.level == 0 and opening.map
    ]


def markdown_blocks(text: str, env: dict[str, object] | None = None) -> tuple[list[Token], list[int]]:
    """Block tokens of a CommonMark text (tables too), and the code point at which each line starts.

    Inline content stays unparsed. `token.map` holds half-open line numbers of the whole text, so that
    `starts[token.map[0]]` is where a block begins; the last entry of `starts` is the length of the text.
    Front matter yields no token.
    """
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    if starts[-1] != len(text):
        starts.append(len(text))
    first = front_matter_end(text)
    skipped = bisect_right(starts, first) - 1
    blocks = _parser().parse(text[first:], {} if env is None else env)
    for block in blocks:
        if block.map:
            block.map = [block.map[0] + skipped, min(block.map[1] + skipped, len(starts) - 1)]
    return blocks, starts


def front_matter_end(text: str) -> int:
    """Where the YAML front matter at the head of a text ends; 0 if there is none.

    It opens with a line of three hyphens that no blank line follows, and closes with three hyphens or dots.

    >>> front_matter_end("---\\ntitle: Gate\\n---\\n# Gate")
    20
    >>> front_matter_end("---\\n\\nA rule above, no front matter.\\n\\n---\\n")
    0
    """
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable("inline")


@cache
def _inline_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")


def _words(inline: Token, env: dict[str, object]) -> str:
    """What a reader sees of a heading: no emphasis marks, no link targets, one space between words."""
    children = _inline_parser().parseInline(inline.content, env)[0].children or ()
    parts = (" " if child.type in ("softbreak", "hardbreak") else child.content for child in children)
    return " ".join("".join(parts).split())
