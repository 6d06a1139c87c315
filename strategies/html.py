"""Blocks of an HTML source, packed within their section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from strategies.document import Document
from strategies.markup.html_pieces import HtmlPieces
from strategies.markup.html_source import HtmlSource
from strategies.outline import HTML, outline
from strategies.packing import pack
from strategies.parameters import settle
from strategies.segmenting import language_problem
from strategies.strategy import Cut, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class Html(Strategy):
    """Whole elements of an HTML document, as many as fit into `size`, never across a heading.

    Chunks are ranges of the source, tags included, and `size` counts the source. What is embedded is the
    text that a reader sees: no tags, comments, scripts or styles, character references resolved, a line
    for each block; `embed: source` embeds the source as it is. A chunk without visible text embeds its
    source.

    The source is read as browsers read it, broken or not. Headings `h1` to `h6` begin sections, those in
    a `blockquote` aside; a heading keeps the beginning of its text with it, and the tags that open right
    before it. Lists, items, tables, rows, cells, quotes, figures and `pre` stay whole where they fit; what
    is larger is cut into what it holds, down to paragraphs (whatever ends a line). A paragraph that is
    larger than `size` is cut into sentences, then at `br` and line ends, then at words, then at characters;
    `pre` and scripts at line ends first. Tags, comments and character references are cut only where one
    alone is larger than `size`. The overlap is the longest run of whole elements (or such parts) of the
    same section within `overlap`.

    Use it for web pages and exported wikis whose source is kept, so that answers can be shown where they
    stand. Markup can be most of a page: choose a larger `size` than for plain text. Costs about twice
    what `sentence` does.
    """

    name: ClassVar[str] = "html"
    joinable: ClassVar[bool] = False
    embeds_more: ClassVar[bool] = True

    size: int = parameter("largest chunk, in units of the source")
    overlap: int | str = parameter(
        'units of whole elements repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    embed: Literal["text", "source"] = parameter(
        "what the embedder sees of a chunk: the text that a reader sees, or the source", default="text"
    )
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
        source = HtmlSource(document.text)
        # Asked to read another kind of text as HTML, its headings are not the document's own.
        marked = document.media_type in HTML
        headings = tools.outline(document) if marked else outline(replace(document, media_type="text/html"))
        pieces = HtmlPieces(source, ruler, self.size, self.language).between(0, len(source.leaves))
        for found in pack(pieces, ruler, size=self.size, overlap=self.overlap):
            shown = source.visible(found.start, found.end) if self.embed == "text" else ""
            # A chunk holds headings only at its beginning: the last one in it is the one over its text.
            yield replace(found, section=headings.section(found.end - 1), embedded_text=shown or None)
