"""How much of a question's evidence a text holds, after every hit of a ranked list and in every budget."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from evaluation.evidence import PreparedEvidence
from evaluation.measured import Counts, Measured
from evaluation.pouring import Step, cut, distinct, steps
from evaluation.settings import Settings
from strategies.spans import Ranges, length

if TYPE_CHECKING:
    from evaluation.retrieval import Hit


@dataclass(frozen=True, slots=True)
class Tally:
    """What a text holds of each segment of the evidence, and how long the text is."""

    non_white: Counts
    """Shape (n_segments,): characters that are not white space."""
    characters: Counts
    """Shape (n_segments,): all characters."""
    text_characters: int
    text_tokens: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """A text U held against the evidence E (of alternatives, those that U covers best)."""

    evidence_non_white: int
    """Characters of E that are not white space."""
    shared_non_white: int
    """Those of them that are in U."""
    evidence_characters: int
    """All characters of E."""
    shared_characters: int
    """Those of them that are in U."""
    text_characters: int
    """All characters of U."""
    text_tokens: int
    """cl100k tokens of the documents that start in U."""
    new_by_rank: tuple[int, ...] = ()
    """`shared_non_white`, by the rank at which it came in."""

    @property
    def recall(self) -> float:
        """Share of E in U, by characters that are not white space."""
        return self.shared_non_white / self.evidence_non_white

    @property
    def complete(self) -> bool:
        """Whether all of E is in U."""
        return self.shared_non_white == self.evidence_non_white


def tally(evidence: PreparedEvidence, text: Mapping[str, Ranges], documents: Mapping[str, Measured]) -> Tally:
    """Tally a text that is a set of ranges of each document."""
    non_white, characters = np.zeros((2, len(evidence.non_white)), dtype=np.int64)
    for document, ranges in text.items():
        if document in evidence.segments:
            evidence.segments[document].count(ranges, non_white, characters)
    tokens = sum(
        documents[document].tokens(start, end) for document, ranges in text.items() for start, end in ranges
    )
    return Tally(non_white, characters, sum(map(length, text.values())), tokens)


def coverage(evidence: PreparedEvidence, text: Tally, by_rank: Counts | None = None) -> Coverage:
    """Hold a text against the evidence.

    `by_rank`, of shape (n_hits + 1, n_segments), is what the first 0, 1, ... hits of the text hold.
    """
    chosen = evidence.chosen(text.non_white)
    new = () if by_rank is None else np.diff(by_rank[:, chosen].sum(axis=1)).tolist()
    return Coverage(
        evidence_non_white=int(evidence.non_white[chosen].sum()),
        shared_non_white=int(text.non_white[chosen].sum()),
        evidence_characters=int(evidence.characters[chosen].sum()),
        shared_characters=int(text.characters[chosen].sum()),
        text_characters=text.text_characters,
        text_tokens=text.text_tokens,
        new_by_rank=tuple(new),
    )


@dataclass(frozen=True, slots=True)
class RankedText:
    """A ranked list as a growing text, tallied once for every K and every budget."""

    evidence: PreparedEvidence
    documents: Mapping[str, Measured]
    hits: tuple[Hit, ...]
    """Distinct returned ranges, in rank order."""
    steps: tuple[Step, ...]
    """What each hit adds."""
    non_white: Counts
    """Shape (n_hits + 1, n_segments): what the first 0, 1, ... hits hold of the evidence."""
    characters: Counts
    """Likewise, white space included."""
    text_characters: tuple[int, ...]
    """Characters of the first 0, 1, ... hits, shared text once."""
    text_tokens: tuple[int, ...]
    """Tokens that start in them."""

    @classmethod
    def of(
        cls, evidence: PreparedEvidence, hits: Sequence[Hit], documents: Mapping[str, Measured]
    ) -> RankedText:
        """Tally a list; hits that return the same range count once, at their best rank."""
        ranked = tuple(distinct(hits))
        taken = tuple(steps(ranked, documents))
        counts = np.zeros((2, len(taken) + 1, len(evidence.non_white)), dtype=np.int64)
        for rank, step in enumerate(taken, start=1):
            if step.document in evidence.segments:
                evidence.segments[step.document].count(step.pieces, counts[0, rank], counts[1, rank])
        non_white, characters = counts.cumsum(axis=1)
        return cls(
            evidence,
            documents,
            ranked,
            taken,
            non_white,
            characters,
            tuple(accumulate((length(step.pieces) for step in taken), initial=0)),
            tuple(accumulate((step.tokens for step in taken), initial=0)),
        )

    def suffices(self, settings: Settings) -> bool:
        """Whether the list is deep enough: the largest budget full, the largest K and the hit after it.

        That hit scores nothing; it tells whether the tie rule chose the last one that counts.
        """
        return len(self.hits) > settings.largest_k and self.text_tokens[-1] >= settings.largest_budget

    def first(self, k: int) -> Tally:
        """The first K hits, or all where there are fewer."""
        k = min(k, len(self.hits))
        return Tally(self.non_white[k], self.characters[k], self.text_characters[k], self.text_tokens[k])

    def within(self, budget: int) -> Tally:
        """What a budget of tokens holds: whole hits in rank order, the last one cut."""
        k = bisect_left(self.text_tokens, budget)
        if k == len(self.text_tokens) or self.text_tokens[k] == budget:
            return self.first(k)
        whole, step = self.first(k - 1), self.steps[k - 1]
        pieces = cut(step, budget - whole.text_tokens, self.documents[step.document])
        part = tally(self.evidence, {step.document: pieces}, self.documents)
        return Tally(
            whole.non_white + part.non_white,
            whole.characters + part.characters,
            whole.text_characters + part.text_characters,
            whole.text_tokens + part.text_tokens,
        )
