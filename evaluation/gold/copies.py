"""Every place of many quotes in many documents, in one pass over the text.

Naively each quote is looked for in each document: spans times characters. Here every window of 1, 2, 4, ...
characters of the folded text gets a number, each length from the one before it. A quote's first and last
window, of the largest power of two not above its length, cover it; where a place has both numbers the text
itself is compared, so that no place is reported that does not read as the quote, and none is missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evaluation.gold.quotes import Folded, Positions, fold
from strategies.document import Document
from strategies.units.characters import code_points

Numbers = npt.NDArray[np.uint64]

CHARACTERS_AT_ONCE = 1_000_000
"""Folded text that is numbered at once, some 60 bytes a character; a longer document is taken whole."""
PAIRS_AT_ONCE = 1_000_000
"""Candidates that are looked at together."""

_FACTOR, _STEP, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93), np.uint64(32)
"""Odd numbers of 64 bits without a pattern (the first is 2^64 by the golden ratio)."""
_BETWEEN = 0x110000
"""Stands between documents: one more than the last code point, so no quote reaches across."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where a quote stands, in order of document and start; three arrays of one length."""

    documents: Positions
    """Index of the document."""
    starts: Positions
    """Code points of the original text, as `ends`."""
    ends: Positions


NOWHERE = Places(*(np.empty(0, dtype=np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class _Level:
    """The quotes whose windows have one length, as numbers to look up."""

    window: int
    prefixes: Numbers
    """Distinct numbers of first windows, sorted."""
    firsts: Positions
    """Where the lengths of each prefix begin in `lengths`; one more at the end."""
    lengths: Positions
    """Distinct lengths of quotes, by prefix."""
    keys: Numbers
    """Of each quote: its place in `lengths` mixed with the number of its last window; sorted."""
    quotes: Positions
    """The quote of each key."""
    sieve: npt.NDArray[np.bool_]
    """Which last bits a prefix has."""


def fold_quote(text: str) -> str:
    """As `Quote(text).folded`, and quick for plain ASCII."""
    return " ".join(text.lower().split()) if text.isascii() else fold(text.strip()).text.strip(" ")


def find_places(documents: Sequence[Document], quotes: Sequence[str]) -> list[Places]:
    """The places of each folded quote, as `Corpus.alike` finds them in each document.

    Time is linear in the characters of documents and quotes, times the logarithm of the longest quote, and
    in the places found. A quote without a character stands nowhere.
    """
    levels = _levels(quotes)
    found: defaultdict[int, list[Positions]] = defaultdict(list)
    for numbers, texts in _batches(documents):
        for quote, rows in _in_batch(numbers, texts, quotes, levels):
            found[quote].append(rows)
    return [_gathered(found[n]) if n in found else NOWHERE for n in range(len(quotes))]


def _gathered(parts: list[Positions]) -> Places:
    rows = np.concatenate(parts, axis=1)
    return Places(*rows[:, np.lexsort((rows[1], rows[0]))])


def _batches(documents: Sequence[Document]) -> Iterator[tuple[list[int], list[Folded]]]:
    """Documents folded, so many at a time that their arrays stay small, each with its index."""
    numbers: list[int] = []
    texts: list[Folded] = []
    size = 0
    for number, document in enumerate(documents):
        if texts and size + len(document.text) > CHARACTERS_AT_ONCE:
            yield numbers, texts
            numbers, texts, size = [], [], 0
        numbers.append(number)
        texts.append(fold(document.text))
        size += len(texts[-1].text)
    if texts:
        yield numbers, texts


def _clusters(text: Folded) -> Positions:
    """Start and end of the cluster behind each folded character; shape (2, characters)."""
    lengths = np.diff(text.runs, append=len(text.text))
    starts = np.arange(len(text.text)) + np.repeat(text.shifts, lengths)
    return np.stack([starts, starts + np.repeat(text.widths, lengths)])


def _windows(codes: npt.NDArray[np.uint32], longest: int) -> Iterator[tuple[int, Numbers]]:
    """The length of windows, 1, 2, 4, ... up to `longest`, and the number of the window at each place."""
    window, numbers = 1, _mixed(codes.astype(np.uint64) + np.uint64(1))
    while True:
        yield window, numbers
        if window * 2 > min(longest, len(codes)):
            return
        # Mixed before it is added: else the order of the two halves would not count.
        numbers = _mixed(numbers[:-window]) + numbers[window:]
        window *= 2


def _mixed(numbers: Numbers) -> Numbers:
    mixed = numbers * _FACTOR
    mixed ^= mixed >> _SHIFT
    return mixed


def _keys(groups: Positions, numbers: Numbers) -> Numbers:
    return _mixed(numbers + groups.astype(np.uint64) * _STEP)


def _levels(quotes: Sequence[str]) -> dict[int, _Level]:
    """The quotes by the length of their windows."""
    sizes = np.array([len(quote) for quote in quotes], dtype=np.int64)
    if not sizes.any():
        return {}
    starts = np.cumsum(sizes) - sizes
    longest = int(sizes.max())
    levels = {}
    for window, numbers in _windows(code_points("".join(quotes)), longest):
        here = np.flatnonzero((sizes >= window) & (sizes < 2 * window))
        if not len(here):
            continue
        prefix, last = numbers[starts[here]], numbers[starts[here] + sizes[here] - window]
        order = np.lexsort((sizes[here], prefix))
        here, prefix, last = here[order], prefix[order], last[order]
        new_prefix = np.concatenate([[True], prefix[1:] != prefix[:-1]])
        new_length = new_prefix | np.concatenate([[True], sizes[here][1:] != sizes[here][:-1]])
        group = np.cumsum(new_length) - 1
        keys = _keys(group, last)
        by_key = np.argsort(keys, kind="stable")
        prefixes = prefix[new_prefix]
        sieve = np.zeros(1 << max(10, (16 * len(prefixes)).bit_length()), dtype=np.bool_)
        sieve[prefixes & np.uint64(len(sieve) - 1)] = True
        levels[window] = _Level(
            window=window,
            prefixes=prefixes,
            firsts=np.concatenate([group[new_prefix], [group[-1] + 1]]),
            lengths=sizes[here][new_length],
            keys=keys[by_key],
            quotes=here[by_key],
            sieve=sieve,
        )
    return levels


def _in_batch(
    numbers: Sequence[int], texts: Sequence[Folded], quotes: Sequence[str], levels: dict[int, _Level]
) -> Iterator[tuple[int, Positions]]:
    """Places of quotes in these documents: a quote, and rows of document, start and end."""
    if not levels:
        return
    between, nowhere = np.array([_BETWEEN], dtype=np.uint32), np.array([[-1], [-1]], dtype=np.int64)
    codes = np.concatenate([between, *(part for text in texts for part in (code_points(text.text), between))])
    starts, ends = np.concatenate(
        [nowhere, *(part for text in texts for part in (_clusters(text), nowhere))], axis=1
    )
    sizes = np.array([len(text.text) + 1 for text in texts])
    first = 1 + np.cumsum(sizes) - sizes
    for window, hashes in _windows(codes, max(levels)):
        if window not in levels:
            continue
        at, quote = _candidates(levels[window], hashes)
        if not len(at):
            continue
        length = np.array([len(quotes[q]) for q in quote.tolist()], dtype=np.int64)
        # A place counts where it begins and ends with a cluster of the original.
        whole = (starts[at] != starts[at - 1]) & (starts[at + length] != starts[at + length - 1])
        at, quote, length = at[whole], quote[whole], length[whole]
        owner = np.searchsorted(first, at, side="right") - 1
        same = [
            texts[d].text.startswith(quotes[q], place)
            for d, q, place in zip(owner.tolist(), quote.tolist(), (at - first[owner]).tolist(), strict=True)
        ]
        kept = np.flatnonzero(same)
        at, quote, owner, length = at[kept], quote[kept], owner[kept], length[kept]
        rows = np.stack([np.asarray(numbers)[owner], starts[at], ends[at + length - 1]])
        order = np.argsort(quote, kind="stable")
        borders = np.flatnonzero(np.diff(quote[order])) + 1
        for part in np.split(order, borders):
            if len(part):
                yield int(quote[part[0]]), rows[:, part]


def _candidates(level: _Level, hashes: Numbers) -> tuple[Positions, Positions]:
    """Places and quotes whose first and last windows have the same numbers."""
    at = 1 + np.flatnonzero(level.sieve[hashes[1:] & np.uint64(len(level.sieve) - 1)])
    prefix = np.minimum(np.searchsorted(level.prefixes, hashes[at]), len(level.prefixes) - 1)
    right = level.prefixes[prefix] == hashes[at]
    at, prefix = at[right], prefix[right]
    found_at, found_quote = [], []
    for part in _parts(level.firsts[prefix + 1] - level.firsts[prefix]):
        place, group = _spread(at[part], level.firsts[prefix[part]], level.firsts[prefix[part] + 1])
        last = place + level.lengths[group] - level.window
        inside = last < len(hashes) - 1  # the last place holds no text
        place, group, last = place[inside], group[inside], last[inside]
        keys = _keys(group, hashes[last])
        low, high = (np.searchsorted(level.keys, keys, side=side) for side in ("left", "right"))
        place, key = _spread(place, low, high)
        found_at.append(place)
        found_quote.append(level.quotes[key])
    if not found_at:
        return NOWHERE.starts, NOWHERE.starts
    return np.concatenate(found_at), np.concatenate(found_quote)


def _parts(counts: Positions) -> Iterator[slice]:
    """Slices of so many items that their counts sum to about `PAIRS_AT_ONCE`."""
    if len(counts):
        block = np.cumsum(counts) // PAIRS_AT_ONCE
        borders = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), len(counts)]
        yield from (slice(a, b) for a, b in pairwise(borders))


def _spread(items: Positions, low: Positions, high: Positions) -> tuple[Positions, Positions]:
    """Each item once for each number of its range `low` to `high`, and that number."""
    counts = high - low
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(items, counts), np.repeat(low, counts) + within
