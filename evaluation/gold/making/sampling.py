"""Which passages a language model is asked about: drawn by a seed, spread over documents and their parts.

A document is cut at paragraphs into passages of some 300 to 600 tokens, each of a size drawn by chance, so
that their borders favour no strategy and size. A paragraph that is longer is cut between sentences.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from evaluation.gold.making.wording import content_words
from evaluation.gold.nouns import Passage
from strategies.document import Document
from strategies.outline import MARKDOWN, front_matter_end
from strategies.pieces import FINEST, LINES, PARAGRAPHS, Piece, parts_of, shorten
from strategies.segmenting import by_sentences
from strategies.tools import TOKENS, Tools

LEAST_TOKENS, MOST_TOKENS = 300, 600
"""Size of a passage, in cl100k tokens; a document that is shorter is one passage."""
_LEAST_REST = LEAST_TOKENS // 4
"""What is left at the end of a document and is smaller belongs to the passage before it."""
MOST_PASSAGE_TOKENS = MOST_TOKENS + _LEAST_REST

_MIX = ("single", "single", "single", "document", "across")
"""Of five samples, three are one passage, one is two of a document, one is two of two documents."""

_COMMON = 30
"""Passages in which a word may stand and still tell that two of them have a subject in common."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage of a document."""

    place: Passage
    text: str
    section: tuple[str, ...] = ()
    """Heading path where it begins, outermost first."""
    tokens: int = 0
    """cl100k tokens of its paragraphs."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a model is asked about at a time: one passage, or two that have words in common."""

    excerpts: tuple[Excerpt, ...]

    def __str__(self) -> str:
        return " and ".join(f"{e.place.document} at {e.place.start}" for e in self.excerpts)


def excerpts(documents: Sequence[Document], seed: int, language: str = "en") -> list[Excerpt]:
    """The passages of all documents, in an order drawn by `seed`: one of each, then another of each.

    `language` is the documents' code, for the ends of sentences.
    """
    chance, tools = Random(f"passages {seed}"), Tools()
    by_document = []
    for document in sorted(documents, key=lambda document: document.id):
        found = list(_excerpts(document, tools, chance, language))
        chance.shuffle(found)
        by_document.append(found)
    chance.shuffle(by_document)
    in_order, turn = list[Excerpt](), 0
    while by_document := [found for found in by_document if turn < len(found)]:
        in_order += [found[turn] for found in by_document]
        turn += 1
    return in_order


def _excerpts(document: Document, tools: Tools, chance: Random, language: str) -> Iterator[Excerpt]:
    outline, ruler = tools.outline(document), tools.ruler(document, TOKENS)
    first = front_matter_end(document.text) if document.media_type in MARKDOWN else 0
    whole = Piece(first, len(document.text))
    levels = (by_sentences(language), LINES, *FINEST)
    pieces = shorten(parts_of(whole, PARAGRAPHS, ruler), levels, ruler, MOST_TOKENS)
    if not pieces:
        return
    starts, ends = [piece.start for piece in pieces], [piece.end for piece in pieces]
    counts = tools.tokens(document, starts, ends).tolist()
    headings = set(outline.heading_starts)
    at = 0
    while at < len(pieces):
        wanted, tokens, last = chance.randint(LEAST_TOKENS, MOST_TOKENS), 0, at
        while last < len(pieces) and (last == at or tokens + counts[last] <= wanted):
            tokens += counts[last]
            last += 1
        if last < len(pieces) and sum(counts[last:]) < _LEAST_REST:
            last = len(pieces)  # what is left would be no passage of its own
        while last < len(pieces) and last - at > 1 and starts[last - 1] in headings:
            last -= 1  # a heading stands above what it is about
        start, end = _stripped(document.text, starts[at], ends[last - 1])
        place, text = Passage(document.id, start, end), document.text[start:end]
        yield Excerpt(place, text, outline.section(starts[at]), sum(counts[at:last]))
        at = last


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    inside = text[start:end]
    return end - len(inside.lstrip()), start + len(inside.rstrip())


class Sampler:
    """Gives samples without end: each passage comes first once a turn, alone or with a partner."""

    def __init__(self, documents: Sequence[Document], seed: int, language: str = "en") -> None:
        self.excerpts = excerpts(documents, seed, language)
        self._words = [content_words(excerpt.text) for excerpt in self.excerpts]
        frequency = Counter(word for words in self._words for word in words)
        self._weight = {
            word: math.log(len(self.excerpts) / n)
            for word, n in frequency.items()
            if 2 <= n <= min(_COMMON, len(self.excerpts) - 1)
        }
        self._holders: Mapping[str, list[int]] = defaultdict(list)
        for at, words in enumerate(self._words):
            for word in words & self._weight.keys():
                self._holders[word].append(at)

    def turn(self, number: int) -> list[Sample]:
        """The samples of a turn; what was asked about alone in one turn is paired in another."""
        return [self._sample(at, _MIX[(at + number) % len(_MIX)]) for at in range(len(self.excerpts))]

    def _sample(self, at: int, kind: str) -> Sample:
        excerpt = self.excerpts[at]
        partner = None if kind == "single" else self._partner(at, same=kind == "document")
        return Sample((excerpt,) if partner is None else (excerpt, self.excerpts[partner]))

    def _partner(self, at: int, *, same: bool) -> int | None:
        """The passage of the same document, or of another one, that shares the rarest words; None if none."""
        shared: defaultdict[int, float] = defaultdict(float)
        document = self.excerpts[at].place.document
        for word in sorted(self._words[at] & self._weight.keys()):  # sums in one order are the same sums
            for other in self._holders[word]:
                if other != at and (self.excerpts[other].place.document == document) == same:
                    shared[other] += self._weight[word]
        return min(shared, key=lambda other: (-round(shared[other], 6), other), default=None)
