"""Join whole pieces into chunks as large as the size allows, repeating whole pieces as overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress, pairwise

from strategies.pieces import Piece
from strategies.strategy import Cut
from strategies.units.counting import Borders
from strategies.units.rulers import Edges, Ruler


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
    held = pieces if isinstance(pieces, list) else list(pieces)
    if held:
        yield from _Packing(held, ruler, size, overlap).cuts()


class _Packing:
    """Pieces on their way into chunks."""

    def __init__(self, pieces: Sequence[Piece], ruler: Ruler, size: int, overlap: int) -> None:
        starts, ends, _, fresh = zip(*pieces, strict=True)
        self.starts: tuple[int, ...] = starts
        self.ends: tuple[int, ...] = ends
        self.fresh: tuple[bool, ...] = fresh
        self.edges = Edges(ruler, starts, ends)
        self.borders = ruler.borders
        self.size = size
        self.overlap = overlap
        self.overhead = ruler.counter.overhead
        # The unit of the whole text in which each piece starts and ends.
        self.start_units = self._units(self.edges.places.starts)
        self.end_units = self._units(self.edges.places.ends) if overlap else []

    def cuts(self) -> Iterator[Cut]:
        """The chunks of each run of pieces that may share some: a fresh piece begins a new run."""
        begins = [0, *compress(range(1, len(self.fresh)), self.fresh[1:])]
        for low, high in pairwise([*begins, len(self.starts)]):
            yield from self._run(low, high)

    def _run(self, low: int, high: int) -> Iterator[Cut]:
        """`first` is a chunk's first piece, `new` its first that is not repeated."""
        starts, ends, size, fits = self.starts, self.ends, self.size, self.edges.fits
        first = new = low
        while new < high:
            last = self._last(first, new, high)
            oversize = first == last and not fits(first, last, size)
            yield Cut(starts[first], ends[last], oversize=oversize)
            new = last + 1
            first = new - self._repeated(first, new) if self.overlap and new < high else new

    def _last(self, first: int, new: int, high: int) -> int:
        """The last piece of the chunk from `first`: at least `new`."""
        reach = self._border(self.start_units[first] + self.size - self.overhead)
        fits, size = self.edges.fits, self.size
        guess = min(max(bisect_right(self.ends, reach, new, high) - 1, new), high - 1)
        # Mostly the guess is right, and two questions show it.
        if (guess == new or fits(first, guess, size)) and (
            guess + 1 == high or not fits(first, guess + 1, size)
        ):
            return guess
        return furthest(lambda last: fits(first, last, size), low=new, high=high - 1, guess=guess)

    def _repeated(self, first: int, new: int) -> int:
        """How many pieces before `new` the chunk repeats, of those in the chunk from `first`, not all."""
        reach = self._border(self.end_units[new - 1] - self.overlap + self.overhead)
        fits, size, overlap = self.edges.fits, self.size, self.overlap
        return furthest(
            lambda n: fits(new - n, new - 1, overlap) and fits(new - n, new, size),
            low=0,
            high=new - 1 - first,
            guess=new - bisect_left(self.starts, reach, first, new),
        )

    def _units(self, places: Borders) -> list[int]:
        units: list[int] = (self.borders.searchsorted(places, side="right") - 1).tolist()
        return units

    def _border(self, unit: int) -> int:
        """Where a unit of the text's own tokenisation stands, or the last or first there is."""
        return int(self.borders[min(max(unit, 0), len(self.borders) - 1)])


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
