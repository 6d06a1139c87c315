"""Functions and classes of source code, packed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import ClassVar, Literal

from strategies.document import Document
from strategies.packing import furthest, pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, Level, Piece, paragraphs, pieces_of, shorten, trimmed
from strategies.recursive import no_places
from strategies.source_code.code_units import Scope, Unit, Units
from strategies.source_code.syntax import parse, programming_language, versions
from strategies.strategy import Cut, SplitTools, Strategy, parameter
from strategies.units.rulers import Ruler

_LEVELS = (Level(paragraphs), LINES, *FINEST)
"""How text is cut that has no smaller units: at blank lines, lines, words, characters."""

_DEEPEST = 20
"""Units within units that are looked into; what is nested deeper is cut at lines. It bounds how often a
text is counted."""

Path = tuple[Scope, ...]
"""The definitions around a place, outermost first."""


@dataclass(frozen=True, slots=True)
class Code(Strategy):
    """Whole functions and classes of source code, as many neighbours as fit into `size`.

    A parser (tree-sitter) says where functions, classes and statements begin, in code that does not compile
    too. Comments, attributes and decorators stay with what follows, imports too where that fits;
    statements between definitions are one unit. A definition that is larger than `size` begins a chunk of
    its own and is cut: a class between its members, a function between its statements, then between those
    of the blocks inside; a long statement or comment at blank lines, then at lines, words and characters.
    The head, a docstring included, stays with the first member or statement, or with the beginning of
    it. What is left at the end joins what follows. The overlap is the longest run of whole units (or such
    parts) within `overlap`.

    The section of a chunk is the innermost definition that holds all of it: `Parser > read` for a method or
    a part of one, `Parser` for several methods, nothing for several classes. Names are plain; a method that
    stands outside its class (Go, C++) has the class before it, an implementation of Rust reads `Display for
    Parser`.

    Python, JavaScript (with JSX), TypeScript, Java, Go, Rust, C, C++ and C#. A document in no such language
    is cut at blank lines, then at lines, words and characters, and joined again up to `size`; so is what
    only looks like code and would keep the parser busy without end.

    Use it for repositories. Costs three to six times as much as counting the text, more where most of it is
    not in the language that it is said to be in; still far less than embedding.
    """

    name: ClassVar[str] = "code"

    size: int = parameter("largest chunk, in units")
    overlap: int | str = parameter(
        'units of whole functions, classes or statements repeated, or a share such as "10%"',
        default=0,
    )
    unit: str = parameter("what `size` and `overlap` count", default="cl100k_base")
    programming_language: Literal[
        "auto", "python", "javascript", "typescript", "tsx", "java", "go", "rust", "c", "cpp", "csharp"
    ] = parameter(
        "language of all documents; `auto` goes by the media type, then by the suffix of the document's id",
        default="auto",
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)

    def versions(self) -> Mapping[str, str]:
        """The parser, and the grammars that may be used."""
        return versions(None if self.programming_language == "auto" else self.programming_language)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        assert isinstance(self.overlap, int)
        ruler = tools.ruler(document, self.unit)
        language = programming_language(document)
        if self.programming_language != "auto":
            language = self.programming_language
        syntax = None if language is None else parse(document.text, language)
        if language is None or syntax is None:
            pieces = shorten(pieces_of(document.text, no_places), _LEVELS, ruler, self.size)
            yield from pack(pieces, ruler, size=self.size, overlap=self.overlap)
            return
        found = _Pieces(ruler, self.size, Units(document.text, syntax, language))
        starts = [piece.start for piece in found.pieces]
        ends = [piece.end for piece in found.pieces]
        for cut in pack(found.pieces, ruler, size=self.size, overlap=self.overlap):
            first = found.paths[bisect_left(starts, cut.start)]
            last = found.paths[bisect_left(ends, cut.end)]
            yield replace(cut, section=_section(first, last))


def _section(first: Path, last: Path) -> tuple[str, ...]:
    """The names of the definitions that two places share, and with them all that lies between."""
    shared = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return tuple(name for scope, _ in shared for name in scope.names)


class _Pieces:
    """The pieces that a text is packed from, and the definitions around each."""

    def __init__(self, ruler: Ruler, size: int, units: Units) -> None:
        self.pieces: list[Piece] = []
        self.paths: list[Path] = []
        self._ruler = ruler
        self._size = size
        self._units = units
        self._fresh = False
        """Whether the next piece begins a chunk."""
        outermost = units.outermost()
        if outermost:
            self._take_all(outermost, (), 0, (), _DEEPEST)
        else:
            self._lines(0, len(ruler.text), ())

    def _take_all(self, units: list[Unit], around: Path, start: int, head: Path, depth: int) -> None:
        """The pieces of units that stand one after the other; the first takes what is there from `start`."""
        for index, unit in enumerate(units):
            self._take(unit, around, unit.start if index else start, head, depth)

    def _take(self, unit: Unit, around: Path, start: int, head: Path, depth: int) -> None:
        """The pieces of a unit, of all that stands from `start` on.

        `around` are the definitions that hold the unit, `head` those that hold what stands before it.
        """
        own = around if unit.scope is None else (*around, unit.scope)
        if trimmed(self._ruler.text, start, unit.start) is None:
            start, head = unit.start, own
        if self._whole(start, unit.end, head):
            return
        inside = self._units.inside(unit) if depth else []
        if start < unit.start and not self._fits(start, unit.start):
            self._lines(start, unit.start, head)
            start, head = unit.start, own
            if self._whole(start, unit.end, head):
                return
        border = start if unit.run else self._lead_border(unit, start, bool(inside))
        whole = self._fits(border, unit.end)
        if unit.scope is not None and not whole:
            self._fresh = True
        if border > start:
            self._lines(start, border, head)
            start, head = border, own
        if whole or not inside:
            self._lines(start, unit.end, head)
        else:
            self._take_all(inside, own, start, head, depth - 1)

    def _lead_border(self, unit: Unit, start: int, divisible: bool) -> int:
        """Where to cut off what leads to a unit that is too large with it; `start` is nowhere.

        Imports are cut off where the rest fits. A comment only where it does not fit itself, or where
        the unit does but cannot be divided: as much of it as fits then stays.
        """
        core = unit.leads[-1]
        if unit.start < unit.own and self._fits(unit.own, unit.end):
            return unit.own
        if not divisible and self._fits(core, unit.end):
            borders = unit.leads[::-1]
            return borders[
                furthest(
                    lambda n: self._fits(borders[n], unit.end),
                    low=0,
                    high=len(borders) - 1,
                    guess=len(borders),
                )
            ]
        if self._fits(start, core):
            return start
        return unit.own if start < unit.own and self._fits(unit.own, core) else core

    def _fits(self, start: int, end: int) -> bool:
        found = trimmed(self._ruler.text, start, end)
        return found is None or self._ruler.count(*found) <= self._size

    def _whole(self, start: int, end: int, path: Path) -> bool:
        """Take a range as one piece if it fits; blank ones are nothing and fit."""
        found = trimmed(self._ruler.text, start, end)
        if found is None:
            return True
        if self._ruler.count(*found) > self._size:
            return False
        self._add([Piece(*found, fresh=self._fresh)], path)
        return True

    def _lines(self, start: int, end: int, path: Path) -> None:
        """Take a range that has no units inside."""
        found = trimmed(self._ruler.text, start, end)
        if found is not None:
            piece = Piece(*found, fresh=self._fresh)
            self._add(shorten([piece], _LEVELS, self._ruler, self._size), path)

    def _add(self, pieces: list[Piece], path: Path) -> None:
        self.pieces += pieces
        self.paths += [path] * len(pieces)
        self._fresh = False
