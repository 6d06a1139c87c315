"""LangChain's splitter of HTML by headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from strategies.document import Document
from strategies.libraries.aligning import places_in
from strategies.libraries.langchain_structure import levels_problem
from strategies.libraries.library import Library, Part
from strategies.libraries.views import Positions, View
from strategies.markup.html_tokens import decoded, tokens
from strategies.strategy import Cut, SplitTools, parameter
from strategies.units.characters import code_points, is_white

_REFERENCE = re.compile(r"&(?:#[0-9]+|#[xX][0-9A-Fa-f]+|[^\s<&#;]{1,32});?")


@dataclass(frozen=True, slots=True)
class HTMLHeaderTextSplitter(Library):
    """LangChain's `HTMLHeaderTextSplitter`.

    The text between headings of the asked levels, and every such heading as a chunk of its own, whatever
    their size; the headings above become the chunk's section. What is embedded has no tags, but comments
    and scripts; the words of an element come before those of the elements in it, so that bold words of a
    sentence stand behind it. A chunk is the range of the source, tags included, that holds its words.

    Use it to measure a pipeline that has it, and `html` for chunks that read as the page does. No size is
    kept: check the truncation count. Costs no more than `html`: the page is read twice, by the library and
    to place its words, and nothing is counted.
    """

    name: ClassVar[str] = "langchain:HTMLHeaderTextSplitter"
    embeds_more: ClassVar[bool] = True
    extra: ClassVar[str] = "langchain"
    package: ClassVar[str] = "langchain_text_splitters"
    distributions: ClassVar[tuple[str, ...]] = ("langchain-text-splitters", "beautifulsoup4")
    drops: ClassVar[str] = "tags; what stands outside of `body`; the order of words around inline elements"

    headers_to_split_on: tuple[int, ...] = parameter(
        "heading levels to cut at: 1 for `h1`", default=(1, 2, 3), check=levels_problem
    )
    return_each_element: bool = parameter("a chunk for every element, not for every section", default=False)

    @classmethod
    def is_installed(cls) -> bool:
        """Whether both libraries are here."""
        return find_spec(cls.package) is not None and find_spec("bs4") is not None

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        Library.__post_init__(self)
        object.__setattr__(self, "headers_to_split_on", tuple(sorted(set(self.headers_to_split_on))))

    def view(self, document: Document) -> View:
        """The characters between tags, in the order in which the splitter reads them."""
        return read_by_element(document.text)

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `split_text` returns, with the headings above."""
        from langchain_text_splitters import HTMLHeaderTextSplitter as Splitter

        splitter = Splitter(
            [(f"h{level}", str(level)) for level in self.headers_to_split_on],
            return_each_element=self.return_each_element,
        )
        for found in splitter.split_text(document.text):
            path = tuple(heading for _, heading in sorted(found.metadata.items()) if heading)
            yield Part(found.page_content, section=path)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks in the order of the document, which is not always the splitter's."""
        yield from sorted(Library.cuts(self, document, tools), key=lambda cut: (cut.start, cut.end))


def read_by_element(text: str) -> View:
    """The characters of an HTML body without tags, an element's own before those of the elements in it.

    BeautifulSoup says which words belong to which element, but not where they stand: its strings, in the
    order of the source, are placed in the source without its tags.
    """
    from bs4 import BeautifulSoup, NavigableString, Tag

    soup = BeautifulSoup(text, "html.parser")
    source = between_tags(text)
    strings = [node for node in soup.descendants if isinstance(node, NavigableString)]
    folds = [(id(node), fold) for node in strings if (fold := source.fold(str(node)))]
    firsts = places_in(source, [fold for _, fold in folds])
    places = {which: slice(at, at + len(fold)) for (which, fold), at in zip(folds, firsts, strict=True)}

    read: list[slice] = []
    elements: list[Any] = [soup.body or soup]
    while elements:
        children = list(elements.pop().children)
        read += [places[id(child)] for child in children if id(child) in places]
        elements += [child for child in reversed(children) if isinstance(child, Tag)]
    order = _joined([np.arange(part.start, part.stop) for part in read])
    shown = "".join(source.text[part] for part in read)
    return View(shown, source.starts[order], source.ends[order], source.fold)


def between_tags(text: str) -> View:
    """An HTML source without its tags and white space, character references resolved, in its order.

    >>> between_tags("<p>R&amp;D <b>at</b> six").text
    'R&Datsix'
    """
    shown: list[str] = []
    starts: list[Positions] = []
    ends: list[Positions] = []

    def add(letters: str, first: Positions, last: Positions) -> None:
        shown.append(letters)
        starts.append(first)
        ends.append(last)

    for token in tokens(text):
        if token.kind in ("open", "close"):
            continue
        place = token.start
        references = _REFERENCE.finditer(text, place, token.end) if token.kind == "text" else ()
        for found in references:
            add(text[place : found.start()], *_each(place, found.start()))
            letters = decoded(found[0])
            add(letters, np.full(len(letters), found.start()), np.full(len(letters), found.end()))
            place = found.end()
        add(text[place : token.end], *_each(place, token.end))
    whole = "".join(shown)
    kept = ~is_white(code_points(whole))
    return View(_close(whole), _joined(starts)[kept], _joined(ends)[kept], _close)


def _each(start: int, end: int) -> tuple[Positions, Positions]:
    places = np.arange(start, end)
    return places, places + 1


def _joined(arrays: list[Positions]) -> Positions:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)


def _close(text: str) -> str:
    return "".join(text.split())
