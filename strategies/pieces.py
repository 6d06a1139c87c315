"""Pieces of a document: what is joined whole into chunks, and how one that is too long gets shorter.

A piece is cut only at places in the text, so its parts always hold all of it but white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

from strategies.units.rulers import Ruler


class Piece(NamedTuple):
    """A range of a document that is never blank, with its white space trimmed (see `trimmed`)."""

    start: int
    end: int
    whole: bool = False
    """Never cut, even where it is larger than a chunk may be."""
    fresh: bool = False
    """Begins a chunk: no chunk reaches across its start, and no overlap reaches back over it."""


@dataclass(frozen=True, slots=True)
class Level:
    """One way to cut a piece that is too long."""

    places: Callable[[str, int, int], Iterable[int]]
    """(text, start, end) -> code points strictly inside the range where it may be cut, ascending."""
    fresh: bool = False
    """What had to be cut this way begins a chunk of its own, so that it is cut as few times as it can
    be; what is left of it at its end still joins what follows."""


LINE_BREAK = r"(?>\r\n|\n|\r)"
"""Pattern of one line break; atomic, so that CR LF is never taken for two."""

_LINE_BREAK = re.compile(LINE_BREAK)
_BLANK_LINES = re.compile(rf"{LINE_BREAK}(?:[^\S\r\n]*+{LINE_BREAK})++")
_BLANK_LINES_LF = re.compile(r"\n(?:[^\S\n]*+\n)++")
"""The same where no CR stands: a pattern that begins with a letter is found much faster."""
_WORD = re.compile(r"\S+")


def paragraphs(text: str, start: int, end: int) -> Iterable[int]:
    r"""After every run of blank lines; a line of spaces is blank, and any line break will do.

    >>> list(paragraphs("a\r\n \r\nb\rc", 0, 9))
    [6]
    """
    pattern = _BLANK_LINES if text.find("\r", start, end) >= 0 else _BLANK_LINES_LF
    return [gap.end() for gap in pattern.finditer(text, start, end) if gap.end() < end]


def lines(text: str, start: int, end: int) -> Iterable[int]:
    """After every line break."""
    if text.find("\r", start, end) < 0:
        return behind(text, "\n", start, end)
    return [gap.end() for gap in _LINE_BREAK.finditer(text, start, end) if gap.end() < end]


def behind(text: str, literal: str, start: int, end: int) -> list[int]:
    """After every occurrence of a literal text."""
    places: list[int] = []
    width = len(literal)
    place = text.find(literal, start, end) + width
    while width <= place < end:
        places.append(place)
        place = text.find(literal, place, end) + width
    return places


def words(text: str, start: int, end: int) -> Iterable[int]:
    """Before every word but the first; a word is a run of characters that are not white space."""
    found = (word.start() for word in _WORD.finditer(text, start, end))
    next(found, None)
    return found


def clusters(text: str, start: int, end: int) -> Iterable[int]:
    """Between the characters that a reader sees (Unicode grapheme clusters, UAX 29)."""
    import regex

    found = regex.finditer(r"\X", text, pos=start, endpos=end)
    return [cluster.end() for cluster in found if cluster.end() < end]


def code_points(text: str, start: int, end: int) -> Iterable[int]:
    """Between any two code points."""
    return range(start + 1, end)


PARAGRAPHS = Level(paragraphs)
LINES = Level(lines)
FINEST = (Level(words, fresh=True), Level(clusters, fresh=True), Level(code_points, fresh=True))
"""The last resort of every strategy: words, then characters as read, then code points."""


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    r"""The range without white space at its end and blank lines at its start; None if it is blank.

    The indentation of the first line stays if the range begins at or before the start of that line.

    >>> trimmed("\n  a = 1\n\n", 0, 10), trimmed("x   y ", 1, 6), trimmed(" \n", 0, 2)
    ((1, 8), (4, 5), None)
    """
    if start < end and not text[start].isspace() and not text[end - 1].isspace():
        return start, end  # spares most pieces the copies below
    part = text[start:end]
    body = part.lstrip()
    if not body:
        return None
    head = part[: len(part) - len(body)]
    line = max(head.rfind("\n"), head.rfind("\r")) + 1
    if line == 0 and start > 0 and text[start - 1] not in "\r\n":
        line = len(head)
    return start + line, start + len(part.rstrip())


def cut(text: str, piece: Piece, places: Iterable[int], *, fresh: bool = False) -> list[Piece]:
    """The parts of a piece between places inside it; blank ones are dropped."""
    parts: list[Piece] = []
    start = piece.start
    for end in (*places, piece.end):
        if start < end and not text[start].isspace():  # as most do: only the end is to be trimmed
            parts.append(Piece(start, start + len(text[start:end].rstrip())))
        elif (found := trimmed(text, start, end)) is not None:
            parts.append(Piece(*found))
        start = end
    if parts and (fresh or piece.fresh):
        parts[0] = parts[0]._replace(fresh=True)
    return parts


def pieces_of(text: str, places: Callable[[str, int, int], Iterable[int]]) -> list[Piece]:
    """The pieces of a whole text; none if it is blank."""
    return cut(text, Piece(0, len(text)), places(text, 0, len(text)))


def parts_of(piece: Piece, level: Level, ruler: Ruler) -> Sequence[Piece]:
    """The parts of a piece of the ruler's text at one level, found once for all sizes of a sweep.

    Kept with the ruler while there is room, so that words and letters cannot take many times the text's.
    """
    known: tuple[Sequence[Piece], float] | None = ruler.remembered.get((level, piece))
    if known is not None:
        ruler.shared.ms += known[1]
        return known[0]
    begin = perf_counter()
    places = level.places(ruler.text, piece.start, piece.end)
    parts = cut(ruler.text, piece, places, fresh=level.fresh)
    if len(parts) <= ruler.room:
        ruler.room -= len(parts)
        ruler.remembered[level, piece] = parts, 1000 * (perf_counter() - begin)
    return parts


def shorten(pieces: Iterable[Piece], levels: Sequence[Level], ruler: Ruler, size: int) -> list[Piece]:
    """Cut the pieces that count more than `size` units, level after level, until they fit.

    What is still too long after the last level stays as it is, as do pieces that are `whole`. Each
    level looks only at what the one before left too long, so a text is counted once a level at most.
    """
    found = list(pieces)
    long = _too_long(found, range(len(found)), ruler, size)
    for level in levels:
        if not long:
            break
        shorter: list[Piece] = []
        new: list[int] = []
        done = 0
        for index in long:
            piece = found[index]
            shorter += found[done:index]
            parts = parts_of(piece, level, ruler)
            new += range(len(shorter), len(shorter) + len(parts))
            shorter += parts
            done = index + 1
        found = shorter + found[done:]
        long = _too_long(found, new, ruler, size)
    return found


def _too_long(pieces: Sequence[Piece], indices: Sequence[int], ruler: Ruler, size: int) -> list[int]:
    """Those of `indices` whose piece may be cut, can be cut and must be cut."""
    if not indices:
        return []
    chosen = pieces if len(indices) == len(pieces) else [pieces[index] for index in indices]
    starts, ends, whole, _ = zip(*chosen, strict=True)
    if any(whole):
        return _too_long(pieces, [index for index in indices if not pieces[index].whole], ruler, size)
    return [indices[i] for i in ruler.exceeding(starts, ends, size) if ends[i] - starts[i] > 1]
