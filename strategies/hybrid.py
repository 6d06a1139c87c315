"""The pieces of another strategy, merged or split by how alike they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from strategies.document import Document
from strategies.errors import BadInput, Problem, SplitError
from strategies.meaning.grouping import Group, grouped
from strategies.meaning.similarity import Numbers, cosine_problem, neighbours
from strategies.nesting import OVERLAPS, is_many_to_one, walk
from strategies.parameters import settle
from strategies.pieces import Piece, cut
from strategies.segmenting import language_problem, sentences
from strategies.sentence import Sentence
from strategies.strategy import Cut, Need, SplitTools, Strategy, parameter
from strategies.units.rulers import Ruler


@dataclass(frozen=True, slots=True)
class Hybrid(Strategy):
    """The pieces of another strategy, merged with their neighbours or split by how alike they are.

    1. A piece of the `base` that is larger than `size` is cut between sentences, from its start, where
       neighbours are least alike in the second half of what fits.
    2. Neighbours whose similarity is above `merge_above` are merged while both fit into `size`, the most
       alike first.
    3. What is still below `min_size` is merged with the more similar of its neighbours that fits.

    The similarity of neighbours is that of the two pieces at their border, so merging needs no new vectors.
    What the base marks as `oversize` stays whole; a piece that embeds or returns more than its text is
    never merged. The overlap of the base must be 0.

    Use it to keep the borders of a strategy that knows the structure (`markdown`, `paragraph`) without its
    crumbs: give the base a smaller size than `size`, or there is nothing to merge. Costs one more embedding
    of the text, at ingestion, shared by all `merge_above` and `min_size` of a sweep.
    """

    name: ClassVar[str] = "hybrid"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    size: int = parameter("largest chunk, in units")
    min_size: int = parameter("units below which a piece is always merged, where it fits", default=0)
    unit: str = parameter("what `size` and `min_size` count", default="cl100k_base")
    merge_above: float = parameter(
        "similarity above which neighbours are merged", default=0.5, check=cosine_problem
    )
    base: Strategy | None = parameter(
        "strategy that makes the pieces; null for `sentence` with a quarter of `size`", default=None
    )
    language: str = parameter(
        "code of the language in which large pieces are cut into sentences: en, de, zh ...",
        default="en",
        check=language_problem,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        if self.base is None:
            quarter = Sentence(size=max(self.size // 4, 1), unit=self.unit, language=self.language)
            object.__setattr__(self, "base", quarter)
        problems = list(self._problems())
        if problems:
            raise BadInput(problems)

    def _problems(self) -> Iterator[Problem]:
        if not 0 <= self.min_size <= self.size:
            yield Problem("min_size", f"is {self.min_size}, with size {self.size}", f"Use 0 to {self.size}")
        assert self.base is not None
        for one in walk(self.base):
            for key in OVERLAPS:
                if repeated := getattr(one, key, 0):
                    what = (
                        f"is {repeated}" if one is self.base else f"is {repeated} in the {one.name} inside it"
                    )
                    yield Problem(f"base.{key}", what, "Pieces must not overlap: use 0")
        if is_many_to_one(self.base):
            what = f"is {self.base.name}, which makes several chunks of one passage"
            yield Problem("base", what, "Use a strategy that cuts the text")
        elif apart := next((one for one in walk(self.base) if not one.joinable), None):
            what = f"is {apart.name}, whose chunks embed or return more than their text: none can be merged"
            yield Problem("base", what, "Use a strategy that cuts the text")

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        ruler = tools.ruler(document, self.unit)
        pieces = list(self._pieces(document, ruler, tools))
        texts = (document.text[piece.start : piece.end] for piece in pieces)
        similar = neighbours(texts if len(pieces) > 1 else (), tools)
        merging = _Merging(pieces, similar, ruler, self.size)
        for first, last in merging.small(merging.alike(self.merge_above), self.min_size):
            one, end = pieces[first], pieces[last].end
            yield one if first == last else Cut(one.start, end, section=one.section)

    def _pieces(self, document: Document, ruler: Ruler, tools: SplitTools) -> Iterator[Cut]:
        """The pieces of the base, those that are too large in parts."""
        assert self.base is not None
        end = 0
        for piece in self.base.cuts(document, tools):
            if piece.start < end:
                where = f"[{piece.start}:{piece.end}]"
                raise SplitError(f"{document.id}: {where} of {self.base.name} overlaps the piece before it")
            end = piece.end
            large = ruler.count(piece.start, piece.end) > self.size
            if large and not piece.oversize:
                yield from self._parts(piece, document, ruler, tools)
            else:
                yield replace(piece, oversize=large)

    def _parts(self, piece: Cut, document: Document, ruler: Ruler, tools: SplitTools) -> Iterator[Cut]:
        text = document.text
        places = sentences(text, piece.start, piece.end, self.language)
        found = cut(text, Piece(piece.start, piece.end), places)
        texts = (text[one.start : one.end] for one in found)
        distances = 1 - neighbours(texts if len(found) > 1 else (), tools)
        whole = np.zeros(len(distances), dtype=np.bool_)
        for part in grouped(found, distances, whole, ruler, size=self.size):
            yield replace(part, section=piece.section)


class _Merging:
    """Pieces of a document in a row, and what may be merged."""

    def __init__(self, pieces: Sequence[Cut], similar: Numbers, ruler: Ruler, size: int) -> None:
        self.pieces = pieces
        self.similar = similar
        self.ruler = ruler
        self.size = size
        self.plain = [
            not piece.oversize and piece.embedded_text is None and piece.returned is None for piece in pieces
        ]

    def fit(self, one: Group, other: Group) -> bool:
        """Whether two neighbouring groups may be one. A piece that is not plain is a group of its own."""
        if not (self.plain[one[1]] and self.plain[other[0]]):
            return False
        return self.ruler.count(self.pieces[one[0]].start, self.pieces[other[1]].end) <= self.size

    def alike(self, merge_above: float) -> list[Group]:
        """Groups of pieces, merged at the borders with the greatest similarity first, the left of equals."""
        n = len(self.pieces)
        firsts, lasts = list(range(n)), list(range(n))  # of the group that ends, or begins, with a piece
        for border in np.argsort(-self.similar, kind="stable").tolist():
            if self.similar[border] <= merge_above:
                break
            one, other = (firsts[border], border), (border + 1, lasts[border + 1])
            if self.fit(one, other):
                firsts[other[1]], lasts[one[0]] = one[0], other[1]
        groups: list[Group] = []
        first = 0
        while first < n:
            groups.append((first, lasts[first]))
            first = lasts[first] + 1
        return groups

    def small(self, groups: Sequence[Group], min_size: int) -> list[Group]:
        """The groups, those below `min_size` merged with the neighbour that is more alike and fits."""
        done: list[Group] = []
        waiting = list(reversed(groups))
        while waiting:
            group = waiting.pop()
            if self.ruler.count(self.pieces[group[0]].start, self.pieces[group[1]].end) < min_size:
                sides = [(self.similar[group[0] - 1], done, (done[-1], group))] if done else []
                sides += [(self.similar[group[1]], waiting, (group, waiting[-1]))] if waiting else []
                sides.sort(key=lambda side: -side[0])  # stable: the left of equals
                taken = next((side for side in sides if self.fit(*side[2])), None)
                if taken is not None:
                    _, side, (one, other) = taken
                    side.pop()
                    waiting.append((one[0], other[1]))  # may still be small
                    continue
            done.append(group)
        return done
