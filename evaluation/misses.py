"""Why a question was missed, and what to do about it.

A question is missed when the headline's budget of tokens does not hold all of its evidence. Each entry that
is missing there is followed from the documents to the prompt, and gets a flag for every stage it fails:

    filtered    it lies in a document that the filter of the question or of the sweep excludes
    absent      some of its text is in no returned range: it was never indexed
    truncated   some of its text is in chunks only past what the embedder read
    split       all of its text is indexed, yet no returned range holds it whole
    budget      all of its text is in the ranked list, yet not in the budget
    not_found   exact search of the vectors ranks all of its text within as many hits; the store does not
    outranked   it could be found, and some of it is not in the ranked list: other text stands there

Of an entry with alternatives, those that pass a stage go on to the next; the flag is set if none does.
The ranked list is the one that was scored, at least as deep as the largest K and the largest budget; text
that would have come further down counts as outranked, and so does text that shares no word with the question
where words alone are searched. Whether a store lost it is asked only where vectors alone rank, and stand in a
store that is not exact or holds less than float32: elsewhere there is nothing to tell from `outranked`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from evaluation.coverage import RankedText
from evaluation.evidence import Mask
from evaluation.gold import Passage
from evaluation.layout import NOWHERE, Placed
from evaluation.metrics import column
from evaluation.scoring import ScoringContext
from evaluation.settings import Settings
from strategies.spans import Ranges, contains, intersect, union

REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "filtered": "Correct the filter of the question or the sweep, or the document's metadata: "
        "the filter excludes the evidence.",
        "absent": "Use a strategy that drops no text, or check what its library leaves out: "
        "the evidence was never indexed.",
        "truncated": "Use smaller chunks or an embedder with a longer limit: "
        "the embedder never read all of the evidence.",
        "split": "Use larger chunks, more overlap, or a strategy that keeps such passages together: "
        "no chunk holds the evidence whole.",
        "budget": "Allow more tokens or use smaller chunks: the evidence is ranked, but past the budget.",
        "not_found": "Let the store search harder (its parameters), or keep more exact numbers: "
        "exact search ranks the evidence, this index does not.",
        "outranked": "Try another embedder or retriever, headings before the text, or smaller chunks: "
        "other text ranked higher than the evidence.",
    }
)
"""Reason -> what to do, in the order in which reasons apply."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What misses need beside the ranked list."""

    searchable: Collection[str]
    """Ids of the documents that the filters of sweep and question admit."""
    embedded_until: Mapping[int, int] | npt.NDArray[np.int64] = field(default_factory=dict)
    """Chunk row -> code point up to which its text reached the embedder. A mapping may leave out the chunks
    that were read whole."""

    def read(self, own: Placed) -> Ranges:
        """The part of chunks' own text that the embedder read."""
        until = self.embedded_until
        read = []
        for (start, end), row in zip(own.ranges, own.rows.tolist(), strict=True):
            limit = until.get(row, end) if isinstance(until, Mapping) else int(until[row])
            read.append((start, max(start, min(end, limit))))
        return union(read)


@dataclass(frozen=True, slots=True)
class Miss:
    """A question that the headline's budget leaves unanswerable."""

    reason: str
    """The first flag that applies; a key of `REMEDIES`."""
    flags: tuple[str, ...]
    """Every flag that applies to any missing evidence entry, in the order of `REMEDIES`."""
    budget: int
    """The budget that was missed, in tokens."""

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return REMEDIES[self.reason]


def headline_budget(settings: Settings) -> int:
    """The budget of the headline; the largest one where the headline has none."""
    headline = column(settings.headline)
    if headline is not None and headline.metric.needs == "budget" and headline.parameter in settings.budgets:
        return headline.parameter
    return settings.largest_budget


def classify(
    text: RankedText, context: ScoringContext, facts: Facts, exact: RankedText | None = None
) -> Miss | None:
    """Why the question of a ranked list was missed; None if it was not, or if it has no gold.

    `exact` is what exact search ranks for it, as many hits; without it nothing counts as `not_found`.
    """
    evidence = text.evidence
    budget = headline_budget(context.settings)
    in_budget = evidence.whole(text.within(budget).non_white)
    in_list = _ranked(text)
    in_exact = in_list if exact is None else _ranked(exact)
    flags: set[str] = set()
    for entry in evidence.entries:
        if not in_budget[entry].any():
            passages = evidence.passages[entry]
            ranked = dict(zip(passages, in_list[entry].tolist(), strict=True))
            near = {passage for passage, held in zip(passages, in_exact[entry], strict=True) if held}
            flags |= _flags(ranked, near, context, facts)
    if not flags:
        return None
    ordered = tuple(reason for reason in REMEDIES if reason in flags)
    return Miss(ordered[0], ordered, budget)


def _ranked(text: RankedText) -> Mask:
    """Which passages a whole ranked list holds whole."""
    return text.evidence.whole(text.first(len(text.hits)).non_white)


def _flags(
    ranked: Mapping[Passage, bool], near: Collection[Passage], context: ScoringContext, facts: Facts
) -> set[str]:
    """The flags of one entry: of its passages, whether each is wholly in the ranked list, and which of them
    exact search ranks."""
    flags: set[str] = set()
    places = [_Place.of(passage, context, facts) for passage in ranked]
    for reason in ("filtered", "absent", "truncated", "split"):
        passing = [place for place in places if not getattr(place, reason)]
        if passing:
            places = passing
        else:
            flags.add(reason)
    if any(ranked[place.passage] for place in places):
        flags.add("budget")
    elif not flags & {"filtered", "absent"}:
        flags.add("not_found" if any(place.passage in near for place in places) else "outranked")
    return flags


@dataclass(frozen=True, slots=True)
class _Place:
    """What became of one passage before anything was searched; each field names a flag."""

    passage: Passage
    filtered: bool
    absent: bool
    truncated: bool
    split: bool

    @classmethod
    def of(cls, passage: Passage, context: ScoringContext, facts: Facts) -> _Place:
        document, span = passage.document, (passage.start, passage.end)
        returned = context.layout.overlapping(document, *span).ranges
        own = context.layout.embedded.get(document, NOWHERE).overlapping(*span)

        def held(ranges: Ranges) -> int:
            return context.documents[document].non_white_length(intersect(ranges, (span,)))

        absent = held(union(returned)) < held((span,))
        return cls(
            passage,
            filtered=document not in facts.searchable,
            absent=absent,
            truncated=held(facts.read(own)) < held(union(own.ranges)),
            split=not absent and not any(contains(whole, span) for whole in returned),
        )
