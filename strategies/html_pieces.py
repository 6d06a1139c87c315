"""The pieces of an HTML source: elements that fit, and what the others are cut into."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator

from strategies.html_blocks import Group, HtmlSource, Leaf
from strategies.leading import led
from strategies.pieces import FINEST, LINES, Level, Piece, clusters, cut, lines, shorten, trimmed, words
from strategies.rulers import Ruler
from strategies.segmenting import sentences

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
            "raw": (LINES, *FINEST),
        }

    def between(self, first: int, past: int) -> Iterator[Piece]:
        """The pieces of the leaves from `first` up to `past`; each section begins with a fresh one."""
        leaves = self._source.leaves
        headings: list[list[Piece]] = []  # with nothing between them, each as its pieces
        index = first
        while index < past:
            if leaves[index].kind == "heading":
                headings.append(self._shortened(leaves[index]))
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
        leaf = self._source.leaves[index]
        start = leaf.start if lead is None else lead
        for group in self._groups.get(index, ()):
            end = self._source.leaves[group.last].end
            if group.last < past and not self._source.holds_heading(group) and self._fits(start, end):
                return group.last, [
                    Piece(*found) for found in (trimmed(self._ruler.text, leaf.start, end),) if found
                ]
        too_long = lead is not None and leaf.kind == "text" and not self._fits(lead, leaf.end)
        return index, self._shortened(leaf, into_sentences=too_long)

    def _shortened(self, leaf: Leaf, into_sentences: bool = False) -> list[Piece]:
        """A leaf as pieces that fit."""
        found = trimmed(self._ruler.text, leaf.start, leaf.end)
        if found is None:
            return []
        pieces = [Piece(*found)]
        if into_sentences:
            pieces = cut(self._ruler.text, pieces[0], self._sentences(self._ruler.text, *found))
        return shorten(pieces, self._levels[leaf.kind], self._ruler, self._size)

    def _fits(self, start: int, end: int) -> bool:
        """Whether a range is small enough for a chunk; what is far too large is not counted anew."""
        if int(self._ruler.units_in(start, end)) > 2 * self._size + _SLACK:
            return False
        found = trimmed(self._ruler.text, start, end)
        return found is None or self._ruler.count(*found) <= self._size

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
