"""An index of where a quote could stand that no text holds as it is.

It tells where in the texts each three letters in a row stand, blanks and signs left out, so that a hyphen
at a line's end or a mark of emphasis parts no word. The rarest of a quote's own vote for the places where
it could begin. Building takes time linear in the texts; a quote then costs the same however large they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from strategies.units.characters import code_points

GRAM = 3
_BUCKETS = 1 << 16
_MOST_VOTES = 50_000
"""Votes that are counted for a quote: what bounds its cost."""
_MOST_PLACES = 8
_WIDEST = 200
"""Letters by which the places that a long quote's votes point to may differ: what was put in or left out."""
MARGIN = 500
"""Most letters that are looked at beside a place."""

Letters = npt.NDArray[np.uint32]
Integers = npt.NDArray[np.int64]


class NearIndex:
    """Where each three letters stand in folded texts, which are numbered as they come."""

    def __init__(self, texts: Sequence[str]) -> None:
        read = [letters_of(text) for text in texts]
        self.at = [at for _, at in read]
        """For each text, where its letters stand in it."""
        self.starts = np.cumsum([0, *(len(at) for at in self.at)])
        """Of all letters in a row, the first of each text."""
        buckets = _grams(np.concatenate([letters for letters, _ in read]))
        # Sorting 16 bits takes linear time, and keeps the letters' order within a bucket.
        self.order = np.argsort(buckets, kind="stable").astype(np.uint32)
        self.firsts = np.concatenate(([0], np.cumsum(np.bincount(buckets, minlength=_BUCKETS))))

    def windows(self, letters: Letters, only: int | None) -> Iterator[tuple[int, int, int, int]]:
        """Text, start, middle and end of what surrounds the places with the most votes, best first."""
        size = len(letters)
        width = min(max(8, size // 4), _WIDEST)
        gap = size + width + 1  # so that no place of one text is taken for one of the next
        places, texts = self._votes(letters)
        if only is not None:
            places, texts = places[texts == only], texts[texts == only]
        places = places + texts * gap
        order = np.argsort(places, kind="stable")
        places, texts = places[order], texts[order]
        last = np.searchsorted(places, places + width, "right") - 1
        votes = last - np.arange(len(places)) + 1
        margin = min(size // 2 + 32, MARGIN)
        least = 0.0
        for _ in range(_MOST_PLACES):
            if not len(votes) or votes[best := int(np.argmax(votes))] <= least:
                return
            least = max(least, votes[best] / 4)
            text = int(texts[best])
            first, final = (int(at) for at in places[[best, last[best]]] - text * gap - self.starts[text])
            at = self.at[text]
            if len(at):
                low, middle, high = (
                    int(at[min(max(0, place), len(at) - 1)])
                    for place in (first - margin, (first + final + size) // 2, final + size + margin)
                )
                yield text, low, middle, high + 1
            votes[np.abs(places - places[best]) <= max(width, size // 2)] = 0

    def _votes(self, letters: Letters) -> tuple[Integers, Integers]:
        """Where the quote could begin, among all letters in a row, and the text of each such place."""
        grams = _grams(letters)
        sizes = self.firsts[grams.astype(np.int64) + 1] - self.firsts[grams]
        rarest = np.argsort(sizes, kind="stable")
        enough = int(np.searchsorted(np.cumsum(sizes[rarest]), _MOST_VOTES, "right"))
        rarest = rarest[: max(1, enough)]
        found = [self.order[self.firsts[gram] : self.firsts[gram + 1]] for gram in map(int, grams[rarest])]
        at = np.concatenate([np.empty(0, np.int64), *found])[:_MOST_VOTES]
        texts = np.searchsorted(self.starts, at, "right") - 1
        return at - np.repeat(rarest, sizes[rarest])[:_MOST_VOTES], texts


_PLAIN = np.array([chr(code).isalnum() for code in range(128)])


def letters_of(text: str) -> tuple[Letters, npt.NDArray[np.uint32]]:
    """Code points of the letters and digits of a text, and where they stand in it."""
    codes = code_points(text)
    kept = _PLAIN[np.minimum(codes, 127)]
    foreign = codes > 127
    signs, which = np.unique(codes[foreign], return_inverse=True)
    kept[foreign] = np.array([chr(sign).isalnum() for sign in signs], dtype=bool)[which]
    return codes[kept], np.flatnonzero(kept).astype(np.uint32)


def _grams(letters: Letters) -> npt.NDArray[np.uint16]:
    """The bucket of every three letters in a row."""
    if len(letters) < GRAM:
        return np.empty(0, np.uint16)
    mixed = letters[:-2] * np.uint32(0x9E3779B1)
    mixed = (mixed ^ (mixed >> 15)) + letters[1:-1] * np.uint32(0x85EBCA77)
    mixed = (mixed ^ (mixed >> 13)) + letters[2:] * np.uint32(0xC2B2AE3D)
    return ((mixed ^ (mixed >> 16)) & 0xFFFF).astype(np.uint16)
