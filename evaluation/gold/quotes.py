"""Where a quote stands in a text: exactly, or but for Unicode form, case, quotes, dashes and white space.

Folding cuts a text into clusters (a character and the combining marks that follow it; a run of white
space), maps each to its folded form, and remembers for every folded character the original range of
its cluster. A match counts only where it begins and ends with a cluster, so that the range found,
folded on its own, is the folded quote again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from evaluation.gold.nouns import Passage
from strategies.document import Document

Range = tuple[int, int]
"""Half-open, code points of the original text."""

Positions = npt.NDArray[np.int64]

_LOOKALIKES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
}

_UNSEEN = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, zero-width no-break space: lost in many a copy."""

_BLANK = re.compile(rf"[\s{_UNSEEN}]{{2,}}|[^\S ]|[{_UNSEEN}]")
"""What folds to one space, or to nothing: all but a single space, which folds to itself."""

_CHANGING = re.compile(rf"{_BLANK.pattern}|[^\s{_UNSEEN}]?[^\x00-\x7f\s{_UNSEEN}]+")
"""What is not plain ASCII: blanks, and runs of other characters together with the ASCII one before
them, which may carry their first combining mark."""

_LONGEST_CLUSTER = 31
"""A character and 30 marks, as in Unicode's stream-safe text (UAX 15): sorting more takes quadratic time."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text, with the way back, which takes memory only where it bends: at runs of characters.

    A run is of folded characters whose clusters lie equally far from them and are equally wide.
    """

    text: str
    runs: Positions
    """Shape (n,): where in `text` each run starts, rising from 0."""
    shifts: Positions
    """Shape (n,): how far behind a folded character its cluster starts in the original."""
    widths: Positions
    """Shape (n,): characters of each cluster."""

    @classmethod
    def of(cls, text: str, starts: Positions, ends: Positions) -> Folded:
        """With the start and the end, in the original, of the cluster behind each folded character."""
        shifts, widths = starts - np.arange(len(starts)), ends - starts
        bends = np.flatnonzero((np.diff(shifts) != 0) | (np.diff(widths) != 0)) + 1
        runs = np.concatenate(([0], bends)) if len(starts) else bends
        return cls(text, runs, shifts[runs], widths[runs])

    def cluster(self, at: int) -> Range:
        """The original range of the cluster behind one folded character."""
        run = int(self.runs.searchsorted(at, "right")) - 1
        start = at + int(self.shifts[run])
        return start, start + int(self.widths[run])

    def original(self, start: int, end: int) -> Range | None:
        """The original range of `text[start:end]`, or None where it begins or ends inside a cluster."""
        first, last = self.cluster(start), self.cluster(end - 1)
        opens = start == 0 or self.cluster(start - 1) != first
        closes = end == len(self.text) or self.cluster(end) != last
        return (first[0], last[1]) if opens and closes else None


@cache
def _fold_character(character: str) -> str:
    if (alike := _LOOKALIKES.get(character)) is not None:
        return alike
    decomposed = unicodedata.normalize("NFKD", character)
    folded = unicodedata.normalize("NFKD", decomposed.casefold())
    # A spacing accent decomposes to a blank and a mark; it is no white space, so it stays as it is.
    return character if " " in folded else "".join(_LOOKALIKES.get(part, part) for part in folded)


@cache
def _is_mark(character: str) -> bool:
    """Whether a character joins the cluster before it."""
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) != 0


def _clusters(text: str, start: int, end: int) -> Iterator[Range]:
    first = start
    for at in range(start + 1, end):
        if not _is_mark(text[at]) or at - first == _LONGEST_CLUSTER:
            yield first, at
            first = at
    yield first, end


def fold(text: str) -> Folded:
    """Fold a text, in time linear in its length.

    >>> fold("It\u2019s  a \u201cTEST\u201d \u2014 caf\u00e9").text == 'it\\'s a "test" - cafe\u0301'
    True
    """
    parts: list[str] = []
    origins: list[Range] = []
    done = 0
    for match in _CHANGING.finditer(text):
        start, end = match.span()
        parts.append(text[done:start].lower())
        origins.append((done, start))
        done = end
        if _BLANK.match(text, start):
            parts.append(" " if match[0].strip(_UNSEEN) else "")
            origins.append((start, end))
            continue
        for first, last in _clusters(text, start, end):
            # Marks may be typed in any order: NFD puts them in the canonical one.
            folded = "".join(map(_fold_character, unicodedata.normalize("NFD", text[first:last])))
            parts.append(unicodedata.normalize("NFD", folded))
            origins.append((first, last))
    parts.append(text[done:].lower())
    origins.append((done, len(text)))
    return Folded.of("".join(parts), *_way_back(text, parts, origins))


def _way_back(text: str, parts: list[str], origins: list[Range]) -> tuple[Positions, Positions]:
    """Start and end in `text` of the cluster behind each character of the joined parts."""
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    first, last = np.array(origins, dtype=np.int64).T
    starts, ends = np.repeat(first, lengths), np.repeat(last, lengths)
    # In a part of plain ASCII every character is a cluster of its own.
    plain = np.array(
        [text[a:b].isascii() and len(part) == b - a for part, (a, b) in zip(parts, origins, strict=True)]
    )
    each = np.repeat(plain, lengths)
    within = np.arange(len(starts)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    starts[each] += within[each]
    ends[each] = starts[each] + 1
    return starts, ends


def seen(text: str) -> Range:
    """The range of a text without what folds away at its ends; empty where all of it does.

    >>> seen("\\u200b\\u2003a b "), seen("\\u00ad ")
    ((2, 5), (0, 0))
    """
    folded = fold(text)
    first, last = len(folded.text) - len(folded.text.lstrip(" ")), len(folded.text.rstrip(" "))
    return (folded.cluster(first)[0], folded.cluster(last - 1)[1]) if first < last else (0, 0)


def occurrences(text: str, quote: str, *, overlapping: bool) -> Iterator[int]:
    """Starts of `quote` in `text`, from the left; not overlapping ones are counted as `str.count` does."""
    at = text.find(quote)
    while at >= 0:
        yield at
        at = text.find(quote, at + (1 if overlapping else len(quote)))


class Quote:
    """A quote to look for, trimmed of white space at its ends."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()

    @cached_property
    def folded(self) -> str:
        """Folded, without a blank at its ends."""
        return fold(self.text).text.strip(" ")


class Corpus:
    """Documents to look for quotes in; each is folded once, when first needed."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self.documents = documents
        self._folded: dict[str, Folded] = {}

    def folded(self, document: str) -> Folded:
        """The folded text of a document."""
        if document not in self._folded:
            self._folded[document] = fold(self.documents[document].text)
        return self._folded[document]

    def exact(self, document: str, quote: Quote, *, overlapping: bool = True) -> Iterator[Range]:
        """Ranges of a document that equal the quote, in order."""
        size = len(quote.text)
        for start in occurrences(self.documents[document].text, quote.text, overlapping=overlapping):
            yield start, start + size

    def alike(self, document: str, quote: Quote, *, overlapping: bool = True) -> Iterator[Range]:
        """Ranges of a document whose folded text is the folded quote, in order."""
        if not quote.folded:
            return
        folded, size = self.folded(document), len(quote.folded)
        for start in occurrences(folded.text, quote.folded, overlapping=overlapping):
            if (found := folded.original(start, start + size)) is not None:
                yield found

    def reads(self, document: str, start: int, end: int, quote: Quote) -> bool:
        """Whether a range, which may be none of the document, reads as a quote, but for what folds away."""
        text = self.documents[document].text
        return 0 <= start < end <= len(text) and Quote(text[start:end]).folded == quote.folded

    def places(self, quote: Quote, documents: Iterable[str] | None = None) -> Iterator[Passage]:
        """Where a quote stands in these documents, or all: exactly or, where it does in none, alike."""
        if not quote.text:
            return
        names = list(self.documents if documents is None else documents)
        for look in (self.exact, self.alike):
            found = False
            for name in names:
                for place in look(name, quote):
                    found = True
                    yield Passage(name, *place)
            if found:
                return

    def every(self, document: str, quote: Quote) -> list[Range]:
        """All places of a quote, exact ones and others alike; places of one kind do not overlap."""
        exact = set(self.exact(document, quote, overlapping=False))
        return sorted(exact.union(self.alike(document, quote, overlapping=False)))


def shown(quote: Quote, longest: int = 60) -> str:
    """A quote on one line, short enough for a message."""
    text = " ".join(quote.text.split())
    return json.dumps(text if len(text) <= longest else f"{text[: longest - 3]}...", ensure_ascii=False)
