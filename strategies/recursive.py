"""Separators from coarse to fine: what is still too long is cut at the next one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from strategies.document import Document
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINE_BREAK, Level, behind, pieces_of, shorten
from strategies.strategy import Cut, SplitTools, Strategy, parameter

SEPARATORS = ("\n\n", "\n", ". ", "? ", "! ", "; ", ", ", " ", "")
"""Paragraphs, lines, sentences, clauses, words, characters."""


def separators_problem(separators: tuple[str, ...]) -> str:
    """What is wrong with a list of separators, or nothing.

    >>> separators_problem(("", " "))
    "has '' before its end, where it cuts everything; put it last"
    """
    if not separators:
        return "is empty; give at least one separator"
    if "" in separators[:-1]:
        return "has '' before its end, where it cuts everything; put it last"
    repeated = sorted({repr(one) for one in separators if separators.count(one) > 1})
    return f"repeats {', '.join(repeated)}; give each separator once" if repeated else ""


@dataclass(frozen=True, slots=True)
class Recursive(Strategy):
    r"""Cut at the coarsest separator that makes pieces small enough, then join neighbours up to `size`.

    The idea of LangChain's `RecursiveCharacterTextSplitter`: the text is cut at the first separator;
    pieces larger than `size` are cut at the second, and so on; then neighbours are joined, whichever
    separator made them. Here a separator stays at the end of the piece before it, positions are those of
    the text, and the size is checked on the joined slice. Separators are literal, but `\n` stands for any
    line break. `""` cuts between characters as read; where the list ends without it, words and characters
    follow, so that every chunk keeps to the size. The overlap is the longest run of whole pieces within
    `overlap`.

    Use it as the strong simple choice for mixed plain text. Costs about as much as counting the text.
    """

    name: ClassVar[str] = "recursive"

    size: int = parameter("largest chunk, in units")
    overlap: int | str = parameter(
        'units of whole pieces repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    separators: tuple[str, ...] = parameter(
        "literal texts to cut after, coarse to fine; an empty one cuts between characters",
        default=SEPARATORS,
        check=separators_problem,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        assert isinstance(self.overlap, int)
        ruler = tools.ruler(document, self.unit)
        levels = levels_of(self.separators)
        pieces = shorten(pieces_of(document.text, no_places), levels, ruler, self.size)
        return pack(pieces, ruler, size=self.size, overlap=self.overlap)


def levels_of(separators: tuple[str, ...]) -> tuple[Level, ...]:
    """A level for each separator, then what makes any piece short enough."""
    if separators[-1] == "":
        return (*map(after, separators[:-1]), *FINEST[1:])
    return (*map(after, separators), *FINEST)


@cache
def after(separator: str) -> Level:
    r"""The level that cuts behind each occurrence of a literal text, in which `\n` is any line break.

    >>> list(after("\n\n").places("a\r\n\r\nb\r\nc", 0, 9))
    [5]
    """
    pattern = re.compile(LINE_BREAK.join(map(re.escape, separator.split("\n"))))

    def places(text: str, start: int, end: int) -> Iterable[int]:
        if "\n" not in separator or text.find("\r", start, end) < 0:
            return behind(text, separator, start, end)
        return [found.end() for found in pattern.finditer(text, start, end) if found.end() < end]

    return Level(places)


def no_places(text: str, start: int, end: int) -> Iterable[int]:
    """Nowhere: the whole text is one piece."""
    return ()
