"""The pieces of an HTML source: elements that fit, and what the others are cut into."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

from strategies.markup.html_blocks import Group
from strategies.markup.html_source import HtmlSource
from strategies.markup.leading import led
from strategies.pieces import FINEST, LINES, Level, Piece, clusters, cut, lines, shorten, trimmed, words
from strategies.segmenting import sentences
from strategies.units.rulers import Ruler

_SLACK = 100
"""Units by which the count of a range in its text may differ from the count of the range alone."""


class HtmlPieces:
    """Pieces of an HTML source that count at most `size` units each."""

    def __init__(self, source: HtmlSource, ruler: Ruler, size: int, language: str) -> None:
        self._source = source
        self._ruler = ruler
        self._size = size
        self._language = language
        self._atom_starts, self._atom_ends = source.atoms
        self._opened = {
            token.end: token.start for token in source.tokens if token.kind == "open" and token.name != "br"
        }
        """End of each tag that opens an element -> its start."""
        found = (trimmed(source.text, leaf.start, leaf.end) for leaf in source.leaves)
        self._ranges = [one for one in found if one is not None]  # of all leaves: none is blank
        self._groups: defaultdict[int, list[Group]] = defaultdict(list)
        for group in source.groups:
            if group.last > group.first:
                self._groups[group.first].append(group)
        parts = (
            Level(self._lines),
            Level(self._words, fresh=True),
            Level(self._clusters, fresh=True),
            LINES,
            *FINEST,
        )
        self._levels = {
            "text": (Level(self._sentences), *parts),
            "heading": (Level(self._sentences), *parts),
            "code": parts,
            "raw": parts,
        }

    def between(self, first: int, past: int) -> Iterator[Piece]:
        """The pieces of the leaves from `first` up to `past`; each section begins with a fresh one."""
        headings: list[list[Piece]] = []  # with nothing between them, each as its pieces
        index = first
        while index < past:
            if self._source.leaves[index].kind == "heading":
                headings.append(self._shortened(index))
                index += 1
                continue
            last, pieces = self._from(index, past, headings[-1][0].start if headings else None)
            for piece in pieces:
                if headings:
                    yield from led(headings, self._fits, piece)
                    headings = []
                yield piece
            index = last + 1
        yield from led(headings, self._fits)

    def _from(self, index: int, past: int, lead: int | None) -> tuple[int, list[Piece]]:
        """The largest element from a leaf on that fits, or the leaf in pieces, and the last leaf of it.

        `lead` is where the heading right above starts: what does not fit with it is taken apart, so that
        the heading is not left alone.
        """
        start, end = self._ranges[index]
        above = start if lead is None else lead
        for group in self._groups[index]:
            group_end = self._ranges[group.last][1]
            whole = group.last < past and not self._source.holds_heading(group)
            if whole and self._fits(above, group_end):
                return group.last, [Piece(start, group_end)]
        divisible = self._source.leaves[index].kind == "text"
        too_long = lead is not None and divisible and not self._fits(lead, end)
        return index, self._shortened(index, into_sentences=too_long)

    def _shortened(self, index: int, into_sentences: bool = False) -> list[Piece]:
        """A leaf as pieces that fit."""
        text, found = self._ruler.text, Piece(*self._ranges[index])
        pieces = (
            cut(text, found, self._sentences(text, found.start, found.end)) if into_sentences else [found]
        )
        return shorten(pieces, self._levels[self._source.leaves[index].kind], self._ruler, self._size)

    def _fits(self, start: int, end: int) -> bool:
        """Whether a range is small enough for a chunk; what is far too large is not counted anew."""
        if int(self._ruler.units_in(start, end)) > 2 * self._size + _SLACK:
            return False
        return self._ruler.count(start, end) <= self._size

    # Places, for `Level`: never inside a tag, a comment or a character reference.

    def _sentences(self, text: str, start: int, end: int) -> Iterator[int]:
        """Before every sentence that a reader sees but the first, and the tags that open right before it."""
        before = start
        for place in self._outside(sentences(self._source.masked, start, end, self._language)):
            while self._opened.get(place, -1) > before:
                place = self._opened[place]
            if before < place < end:
                yield place
                before = place

    def _lines(self, text: str, start: int, end: int) -> Iterable[int]:
        """After every line break and every `br`."""
        return lines(self._source.masked, start, end)

    def _words(self, text: str, start: int, end: int) -> Iterator[int]:
        return self._outside(words(text, start, end))

    def _clusters(self, text: str, start: int, end: int) -> Iterator[int]:
        return self._outside(clusters(text, start, end))

    def _outside(self, places: Iterable[int]) -> Iterator[int]:
        """Those of the places that cut no atom."""
        for place in places:
            before = bisect_left(self._atom_starts, place) - 1
            if before < 0 or self._atom_ends[before] <= place:
                yield place
