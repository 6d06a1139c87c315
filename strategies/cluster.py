"""The best cut of the whole document into groups of pieces that are alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strategies.document import Document
from strategies.meaning.similarity import Numbers, batches, cosines
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import Level, Piece, cut, pieces_of
from strategies.recursive import SEPARATORS, levels_of, no_places
from strategies.sizes import positive
from strategies.strategy import Cut, Need, SplitTools, Strategy, Vectors, parameter
from strategies.units.rulers import Ruler

_TIE = 1e-9
"""Scores that differ by less are equal: they are sums of whole millionths."""


@dataclass(frozen=True, slots=True)
class Cluster(Strategy):
    """The best of all cuts into groups of small pieces that are alike.

    The text is cut into pieces of at most `piece_size` units at the separators of `recursive`, of which only
    neighbours under the same separator are joined, and each piece is embedded.
    A group scores the similarities of all pairs of its pieces, each less the mean similarity of all pairs
    in the document; dynamic programming finds the cut with the highest sum. A group has at most
    `size` / `piece_size` pieces (whole; at least 1) and at most `size` units. Of equal cuts, the one whose
    last groups begin farther left is taken, so a text that repeats itself makes full chunks.

    The idea of Chroma's `ClusterSemanticChunker` (B. Smith and A. Troynikov, "Evaluating Chunking Strategies
    for Retrieval", 2024), whose matrix of all pairs is here a band beside its diagonal. Below twice the
    `piece_size`, chunks are the pieces.

    Use it where chunks may be small and every one should hold a single thought. Costs one more embedding of
    the text, at ingestion, shared by all sizes of a sweep; memory holds `size` / `piece_size` numbers a
    piece, and the vectors of one batch.
    """

    name: ClassVar[str] = "cluster"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)

    size: int = parameter("largest chunk, in units")
    piece_size: int = parameter("largest piece, in units", default=50, check=positive)
    unit: str = parameter("what `size` and `piece_size` count", default="cl100k_base")

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks, in order."""
        text, ruler = document.text, tools.ruler(document, self.unit)
        limit = min(self.piece_size, self.size)
        whole = pieces_of(text, no_places)
        pieces = [part for one in whole for part in small_pieces(one, levels_of(SEPARATORS), ruler, limit)]
        most = max(min(self.size // self.piece_size, len(pieces)), 1)
        longest = longest_groups(pieces, ruler, self.size, most)
        if most == 1:
            gains = np.zeros((len(pieces), 0))
        else:
            gains = gains_of(
                (text[piece.start : piece.end] for piece in pieces), len(pieces), tools, most - 1
            )
        for first, last in best_groups(gains, longest):
            # A part of a slice may count more than the slice, so even what should fit is packed.
            yield from pack(pieces[first : last + 1], ruler, size=self.size)


def small_pieces(piece: Piece, levels: Sequence[Level], ruler: Ruler, limit: int) -> Iterator[Piece]:
    """The piece in parts of at most `limit` units, cut as coarsely as can be.

    Parts that fit are joined with their neighbours under the same separator and with no others: the end of
    a long paragraph is not joined with the next one, which is for the similarities to decide.
    """
    if not levels or ruler.count(piece.start, piece.end) <= limit:
        yield piece
        return
    fitting: list[Piece] = []
    for part in cut(ruler.text, piece, levels[0].places(ruler.text, piece.start, piece.end)):
        if ruler.count(part.start, part.end) <= limit:
            fitting.append(part)
            continue
        yield from _joined(fitting, ruler, limit)
        fitting = []
        yield from small_pieces(part, levels[1:], ruler, limit)
    yield from _joined(fitting, ruler, limit)


def _joined(pieces: list[Piece], ruler: Ruler, limit: int) -> Iterator[Piece]:
    return (Piece(cut.start, cut.end) for cut in pack(pieces, ruler, size=limit))


def longest_groups(pieces: Sequence[Piece], ruler: Ruler, size: int, most: int) -> npt.NDArray[np.int64]:
    """How many pieces a group may have that ends with each piece: 1 to `most`, within `size` units."""
    longest = np.ones(len(pieces), dtype=np.int64)
    first = 0
    for last, piece in enumerate(pieces):
        first = max(first, last - most + 1)
        while first < last and ruler.count(pieces[first].start, piece.end) > size:
            first += 1
        longest[last] = last - first + 1
    return longest


def gains_of(texts: Iterable[str], n: int, tools: SplitTools, width: int) -> Numbers:
    """What it gains a group to hold a text and one of the `width` before it, for n >= 2 texts.

    Shape (n, width): column d of row i is for the texts i and i - 1 - d, and means nothing where there is
    no such text. A gain is their similarity less the mean of all pairs of texts, near or far. That mean
    needs no pair: it is (|sum v|^2 - sum |v|^2) / (n (n - 1)), v being the vectors.
    """
    gains = np.zeros((n, width))
    total, squares, row = np.zeros(1), 0.0, 0
    held: Vectors | None = None
    for vectors in batches(texts, tools):
        exact = vectors.astype(np.float64)
        total, squares = total + exact.sum(axis=0), squares + float(np.square(exact).sum())
        joined = vectors if held is None else np.concatenate((held, vectors))
        begin, end = row + len(vectors) - len(joined), row + len(vectors)
        for back in range(1, min(width, len(joined) - 1) + 1):
            gains[begin + back : end, back - 1] = cosines(joined[back:], joined[:-back])
        held, row = joined[-width:], end
    gains -= round((float(np.square(total).sum()) - squares) / (n * (n - 1)), 6)
    return gains


def best_groups(gains: Numbers, longest: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """The cut of n pieces into groups (first, last) with the highest sum of gains over pairs in a group.

    `gains` has shape (n, width): column d of row i holds the gain of i with i - 1 - d. `longest`, shape
    (n,), holds the most pieces of a group that ends with each, at most width + 1. Of groups that are equally
    good as the last one, the longest is taken. Linear in n.
    """
    n, width = gains.shape
    best = np.zeros(n + 1)  # of the pieces before each
    begins = np.zeros(n, dtype=np.int64)
    inside = np.zeros(width + 1)  # the gain of the group of 1 + k pieces that ends here
    for last in range(n):
        inside[1:] = inside[:-1] + np.cumsum(gains[last])
        most = min(int(longest[last]), last + 1)
        scores = best[last - most + 1 : last + 1][::-1] + inside[:most]
        more = int(np.flatnonzero(scores >= scores.max() - _TIE)[-1])
        best[last + 1], begins[last] = scores[more], last - more
    groups: list[tuple[int, int]] = []
    last = n - 1
    while last >= 0:
        groups.append((int(begins[last]), last))
        last = int(begins[last]) - 1
    return groups[::-1]
