"""Where a question's evidence stood in its ranked list: what a diagnosis knows beside the scores.

Recorded with every question, so that a sweep can be diagnosed later without embedding or searching anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.coverage import RankedText
from evaluation.gold import Passage


@dataclass(frozen=True, slots=True)
class Sought:
    """The evidence that is sought in a ranked list: the missing entries of a missed question, else all."""

    entries: int
    """Evidence entries of the question."""
    missing: tuple[tuple[Passage, ...], ...]
    """Those that the budget does not hold whole, each with its alternatives."""
    held: float
    """Share of the missing entries (of alternatives, the one held best) that the budget holds, by characters
    that are not white space; 1 where none is missing."""
    rank: int | None
    """Of the first hit that holds any of the sought text; None if the list has none of it."""
    score: float | None
    """Of that hit."""
    tokens: int | None
    """Prompt tokens of the shortest whole hits, from the first on, that hold all evidence; None: none do."""

    @classmethod
    def of(cls, text: RankedText, budget: int) -> Sought:
        """Look for the evidence of a question that has some, in a list that was read."""
        evidence = text.evidence
        within = text.within(budget).non_white
        whole = evidence.whole(within)
        missing = [entry for entry in evidence.entries if not whole[entry].any()]
        best = evidence.best(within)
        chosen = [best[evidence.entries.index(entry)] for entry in missing]
        wanted = np.zeros(len(evidence.passages), dtype=np.bool_)
        for entry in missing or evidence.entries:
            wanted[entry] = True
        segments = evidence.members[wanted].any(axis=0)
        some = text.non_white[:, segments].sum(axis=1) > 0
        rank = int(some.argmax()) if some.any() else None
        # Which passages the first 0, 1, ... hits hold whole: shape (n_passages, n_hits + 1).
        by_hits = evidence.members @ text.non_white.T == (evidence.members @ evidence.non_white)[:, None]
        complete = np.all([by_hits[entry].any(axis=0) for entry in evidence.entries], axis=0)
        mask = evidence.members[chosen].any(axis=0)
        return cls(
            entries=len(evidence.entries),
            missing=tuple(evidence.passages[entry] for entry in missing),
            held=int(within[mask].sum()) / int(evidence.non_white[mask].sum()) if missing else 1.0,
            rank=rank,
            score=None if rank is None else text.hits[rank - 1].score,
            tokens=text.text_tokens[int(complete.argmax())] if complete.any() else None,
        )

    def row(self) -> dict[str, Any]:
        """As a part of a question's row: plain values, positions as [document, start, end]."""
        return {
            "entries": self.entries,
            "missing": [[[p.document, p.start, p.end] for p in entry] for entry in self.missing],
            "held": self.held,
            "rank": self.rank,
            "score": self.score,
            "tokens": self.tokens,
        }
