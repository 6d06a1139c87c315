"""The places that read most like a quote which stands nowhere: suggested, and never taken unasked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from evaluation.gold.near_borders import aligned
from evaluation.gold.near_index import GRAM, NearIndex, letters_of
from evaluation.gold.quotes import Corpus, Quote, Range, fold, shown
from strategies.errors import listed

LEAST_SCORE = 0.6
"""What is less alike is not suggested: unrelated English of equal length has about 0.5."""

FEW_LETTERS = 8
"""Letters and digits of a quote, or a place, below which much is alike by chance."""
LEAST_SCORE_OF_FEW = 0.7
"""How alike so few must be: "14 days" and "30 days" have 0.71."""

_ELLIPSIS = re.compile(r"\s*[\[(]?(?:\. ?){3,}[\])]?\s*")


@dataclass(frozen=True, slots=True)
class NearMatch:
    """A place of a document that reads much like a quote."""

    document: str
    ranges: tuple[Range, ...]
    """One; or, of a quote with an ellipsis, one for each of its parts."""
    score: float
    """Normalised indel similarity of the folded texts, in [0, 1]: twice their common characters (in order)
    over all characters of both. 1 only where all parts of the quote stand there."""


class NearMatches:
    """Finds near matches in a corpus, which it indexes when first asked: 8 bytes a character."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def find(self, quote: Quote, document: str | None = None, *, most: int = 3) -> list[NearMatch]:
        """The places most like a quote, of one document or of all, best first: at most so many."""
        found = [
            NearMatch(near.document, near.ranges, near.score)
            for near in (*self._whole(quote.folded, document), *self._parted(quote.folded, document))
            if near.score >= self._least(quote, near)
        ]
        kept: list[NearMatch] = []
        for near in sorted(found, key=lambda near: (-near.score, near.document, near.ranges)):
            if not any(_overlap(near, other) for other in kept):
                kept.append(near)
        return kept[:most]

    def _least(self, quote: Quote, near: _Aligned) -> float:
        """The score from which a place is worth suggesting."""
        text = self.corpus.documents[near.document].text
        places = " ".join(text[start:end] for start, end in near.ranges)
        few = min(len(letters_of(words)[0]) for words in (quote.folded, places)) < FEW_LETTERS
        return LEAST_SCORE_OF_FEW if few else LEAST_SCORE

    @cached_property
    def _index(self) -> NearIndex:
        return NearIndex([self.corpus.folded(document).text for document in self.corpus.documents])

    @cached_property
    def _names(self) -> list[str]:
        return list(self.corpus.documents)

    def _whole(self, quote: str, document: str | None) -> Iterator[_Aligned]:
        """The places of a folded quote, or of one of its parts."""
        from rapidfuzz.distance import Indel

        if not self._names:
            return
        only = None if document is None else self._names.index(document)
        taken: list[tuple[int, Range]] = []
        for number, start, middle, end in self._index.windows(letters_of(quote)[0], only):
            # Copies that stand close by must not all lead to the first of them.
            others = [place for text, place in taken if text == number]
            start = max([start, *(last for _, last in others if last <= middle)])
            end = min([end, *(first for first, _ in others if first > middle)])
            folded = self.corpus.folded(self._names[number])
            first, last = aligned(quote, folded, (start, end))
            taken.append((number, (first, last)))
            size = len(quote) + last - first
            common = size - Indel.distance(quote, folded.text[first:last])
            found = folded.cluster(first)[0], folded.cluster(last - 1)[1]
            yield _Aligned(self._names[number], (found,), common, size)

    def _parted(self, quote: str, document: str | None) -> Iterator[_Aligned]:
        """Places of all parts of a quote with an ellipsis, in one document and in their order."""
        split = _ELLIPSIS.split(quote)
        parts = [part for part in split if len(letters_of(part)[0]) >= GRAM]
        if parts in ([], [quote]):
            return
        # What is too short to be looked for stands nowhere that is known.
        lost = sum(map(len, split)) - sum(map(len, parts))
        first, *others = ([n for n in self._whole(p, document) if n.score >= LEAST_SCORE] for p in parts)
        for near in first:
            chain = [near]
            for choices in others:
                after = chain[-1].ranges[-1][1]
                fits = [c for c in choices if c.document == near.document and c.ranges[0][0] >= after]
                if not fits:
                    break
                chain.append(max(fits, key=lambda c: (c.score, -c.ranges[0][0])))
            if len(chain) == len(parts):
                ranges = tuple(link.ranges[0] for link in chain)
                common, size = sum(c.common for c in chain), lost + sum(c.size for c in chain)
                yield _Aligned(near.document, ranges, common, size)


@dataclass(frozen=True, slots=True)
class _Aligned:
    """Ranges of a document, with the characters they share with the quote."""

    document: str
    ranges: tuple[Range, ...]
    common: int
    """Twice the length of the longest common subsequence."""
    size: int
    """Characters of quote and ranges, folded."""

    @property
    def score(self) -> float:
        return self.common / self.size


def reading(near: NearMatch, quote: Quote, text: str, document: str | None = None) -> str:
    """A sentence that says what stands where a quote was probably taken from, and how alike that is."""
    where = "the document" if near.document == document else near.document
    if len(near.ranges) > 1:
        places = listed([f"[{start}, {end})" for start, end in near.ranges])
        parts = listed([shown(Quote(text[start:end]), 40) for start, end in near.ranges])
        return f"At {places} {where} reads {parts}, {alike(near)}; write each as an entry of its own"
    start, end = near.ranges[0]
    return f"At {start} {where} reads {_around_difference(text[start:end], quote)}, {alike(near)}"


def alike(near: NearMatch) -> str:
    """How much like the quote a place is, never rounded to sameness.

    >>> alike(NearMatch("rules.md", ((0, 400),), 0.9988))
    '0.99 alike'
    """
    return f"{int(near.score * 100) / 100:.2f} alike"


def _around_difference(text: str, quote: Quote, longest: int = 100) -> str:
    """A text on one line: where it is long, what stands around its first difference from the quote."""
    if len(text) <= longest:
        return shown(Quote(text), longest)
    folded = fold(text)
    pairs = enumerate(zip(folded.text, quote.folded, strict=False))
    different = next((n for n, (one, other) in pairs if one != other), len(folded.text) - 1)
    at = folded.cluster(different)[0]
    start = max(0, min(at - longest // 2, len(text) - longest))
    cut = " ".join(text[start : start + longest].split())
    excerpt = f"{'...' if start else ''}{cut}{'...' if start + longest < len(text) else ''}"
    return json.dumps(excerpt, ensure_ascii=False)


def _overlap(one: NearMatch, other: NearMatch) -> bool:
    """Whether two matches share characters."""
    if one.document != other.document:
        return False
    ranges = sorted([*one.ranges, *other.ranges])
    return any(first[1] > second[0] for first, second in pairwise(ranges))
