"""Join whole pieces into chunks as large as the size allows, repeating whole pieces as overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

from strategies.pieces import Piece
from strategies.rulers import Ruler
from strategies.strategy import Cut


def pack(pieces: Iterable[Piece], ruler: Ruler, *, size: int, overlap: int = 0) -> Iterator[Cut]:
    """Chunks of whole pieces, each counting at most `size` units as it stands in the text.

    Greedy from the left. A chunk begins with the longest run of pieces at the end of the chunk before
    it that counts at most `overlap` units and leaves room for the next piece, but never with all of that
    chunk; so starts and ends both strictly increase. It ends before a piece that is `fresh`, and the
    last chunk always holds a piece that no other has. A single piece that counts more than `size` is a
    chunk of its own, marked `oversize`; `strategies.pieces.shorten` leaves only atoms that do.

    Counts of pieces do not add up, so every joined slice is counted anew. Where the units of the whole
    text start tells where to look first, hence a handful of counts a chunk.
    """
    run: list[Piece] = []
    for piece in pieces:
        if piece.fresh and run:
            yield from _Run(run, ruler, size, overlap).cuts()
            run = []
        run.append(piece)
    if run:
        yield from _Run(run, ruler, size, overlap).cuts()


class _Run:
    """Pieces that may share chunks, packed on their own."""

    def __init__(self, pieces: list[Piece], ruler: Ruler, size: int, overlap: int) -> None:
        self.starts = [piece.start for piece in pieces]
        self.ends = [piece.end for piece in pieces]
        self.ruler = ruler
        self.size = size
        self.overlap = overlap

    def cuts(self) -> Iterator[Cut]:
        """The chunks. `first` is a chunk's first piece, `new` its first that is not repeated."""
        first = new = 0
        while new < len(self.starts):
            last = self._last(first, new)
            oversize = first == last and not self._fits(first, last, self.size)
            yield Cut(self.starts[first], self.ends[last], oversize=oversize)
            new = last + 1
            first = new - self._repeated(first, new)

    def _fits(self, first: int, last: int, limit: int) -> bool:
        return self.ruler.count(self.starts[first], self.ends[last]) <= limit

    def _last(self, first: int, new: int) -> int:
        """The last piece of the chunk from `first`: at least `new`."""
        reach = self._border(self.starts[first], self.size - self.ruler.counter.overhead)
        return furthest(
            lambda last: self._fits(first, last, self.size),
            low=new,
            high=len(self.starts) - 1,
            guess=bisect_right(self.ends, reach) - 1,
        )

    def _repeated(self, first: int, new: int) -> int:
        """How many pieces before `new` the chunk repeats, of those in the chunk from `first`, not all."""
        if not self.overlap or new == len(self.starts):
            return 0
        reach = self._border(self.ends[new - 1], self.ruler.counter.overhead - self.overlap)
        return furthest(
            lambda n: self._fits(new - n, new - 1, self.overlap) and self._fits(new - n, new, self.size),
            low=0,
            high=new - 1 - first,
            guess=new - bisect_left(self.starts, reach),
        )

    def _border(self, position: int, units: int) -> int:
        """Where the text's own tokenisation stands so many units after the one at `position`."""
        borders = self.ruler.borders
        unit = int(borders.searchsorted(position, side="right")) - 1
        return int(borders[min(max(unit + units, 0), len(borders) - 1)])


def furthest(good: Callable[[int], bool], *, low: int, high: int, guess: int) -> int:
    """The largest number in `low..high` that is good, where all good numbers come before all others.

    `low` is taken to be good without asking. Steps away from the guess that double, then bisection: a
    guess that is off by d costs about 2 log2(d) questions.

    >>> furthest(lambda n: n <= 70, low=0, high=100, guess=64)
    70
    """
    best = min(max(guess, low), high)
    step = 1
    if best == low or good(best):
        bad = high + 1
        while best < high:
            probe = min(best + step, high)
            if not good(probe):
                bad = probe
                break
            best, step = probe, 2 * step
    else:
        bad = best
        while True:
            best = max(bad - step, low)
            if best == low or good(best):
                break
            bad, step = best, 2 * step
    while bad - best > 1:
        middle = (best + bad) // 2
        if good(middle):
            best = middle
        else:
            bad = middle
    return best
