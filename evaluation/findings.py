"""What one ranked list gives the reader of one question: every fact that a metric is computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation.coverage import Coverage, RankedText, Tally, coverage, tally
from evaluation.evidence import PreparedEvidence
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.relevance import which_relevant
from evaluation.settings import Settings
from strategies.spans import Range, union

if TYPE_CHECKING:
    from evaluation.retrieval import Hit


REPEATED = 0.9
"""Share of a hit's characters that must lie in one earlier hit for it to be no news."""


@dataclass(frozen=True, slots=True)
class IndexFindings:
    """What the chunks alone say of a question, before anything is searched."""

    relevant: int
    """Distinct returned ranges that are relevant."""
    overlapping: Coverage
    """Every returned range that overlaps E, as one text."""
    intact: tuple[bool, ...]
    """For each evidence entry, whether one returned range holds one of its passages whole."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a ranked list says of a question."""

    relevant: tuple[bool, ...]
    """For each rank up to the largest K, whether the hit is relevant."""
    scores: tuple[float, ...]
    """Similarity, by rank, up to the largest K."""
    first_relevant: Coverage | None
    """The first relevant hit as a text of its own; None if there is none up to the largest K."""
    at_k: Mapping[int, Coverage]
    """The union of the first K hits."""
    at_budget: Mapping[int, Coverage]
    """What was poured into each budget of tokens."""
    index: IndexFindings
    duplicates: tuple[bool, ...] = ()
    """For each rank up to the largest K, whether the hit repeats an earlier one: see `repeating`."""


def findings(text: RankedText, layout: Layout, settings: Settings) -> Findings:
    """Look at a ranked list at every K and in every budget."""
    evidence, documents = text.evidence, text.documents
    top = text.hits[: settings.largest_k]
    relevant = relevant_hits(evidence, top, settings.rule)
    first = top[relevant.index(True)] if any(relevant) else None
    return Findings(
        relevant=relevant,
        scores=tuple(hit.score for hit in top),
        first_relevant=first and coverage(evidence, _alone(evidence, first, documents)),
        at_k={k: coverage(evidence, text.first(k), text.non_white[: k + 1]) for k in settings.ks},
        at_budget={budget: coverage(evidence, text.within(budget)) for budget in settings.budgets},
        index=index_findings(evidence, documents, layout, settings.rule),
        duplicates=repeating(top),
    )


def repeating(hits: Sequence[Hit]) -> tuple[bool, ...]:
    """Whether at least `REPEATED` of the characters of each hit lie in one that stands before it."""
    ranges: dict[str, list[Range]] = {}
    flags = []
    for hit in hits:
        above = ranges.setdefault(hit.document, [])
        starts, ends = np.array(above, dtype=np.int64).reshape(-1, 2).T
        shared = np.minimum(ends, hit.end) - np.maximum(starts, hit.start)
        flags.append(bool((shared >= REPEATED * (hit.end - hit.start)).any()))
        above.append((hit.start, hit.end))
    return tuple(flags)


def relevant_hits(evidence: PreparedEvidence, hits: Sequence[Hit], rule: str) -> tuple[bool, ...]:
    """Whether each hit is relevant to any passage of any evidence entry."""
    rows: dict[str, list[int]] = {}
    for row, hit in enumerate(hits):
        if hit.document in evidence.segments:
            rows.setdefault(hit.document, []).append(row)
    flags = np.zeros(len(hits), dtype=np.bool_)
    for document, some in rows.items():
        starts, ends = np.array([(hits[row].start, hits[row].end) for row in some], dtype=np.int64).T
        for passage in evidence.passages:
            if passage.document == document:
                flags[some] |= which_relevant(starts, ends, (passage.start, passage.end), rule)
    return tuple(flags.tolist())


def index_findings(
    evidence: PreparedEvidence, documents: Mapping[str, Measured], layout: Layout, rule: str
) -> IndexFindings:
    """What the chunks of a configuration say of a question; needs no embedder and no hits."""
    relevant: set[tuple[str, int]] = set()
    holds = np.zeros(len(evidence.passages), dtype=np.bool_)
    for row, passage in enumerate(evidence.passages):
        near = layout.overlapping(passage.document, passage.start, passage.end)
        holds[row] = np.any((near.starts <= passage.start) & (near.ends >= passage.end))
        flags = which_relevant(near.starts, near.ends, (passage.start, passage.end), rule)
        relevant.update((passage.document, chunk) for chunk in near.rows[flags].tolist())
    return IndexFindings(
        relevant=len(relevant),
        overlapping=coverage(evidence, overlapping_text(evidence, documents, layout)),
        intact=tuple(bool(holds[entry].any()) for entry in evidence.entries),
    )


def overlapping_text(evidence: PreparedEvidence, documents: Mapping[str, Measured], layout: Layout) -> Tally:
    """Every returned range that overlaps E, as one text."""

    def text(rows: Sequence[int]) -> Tally:
        ranges: dict[str, list[Range]] = {}
        for row in rows:
            passage = evidence.passages[row]
            near = layout.overlapping(passage.document, passage.start, passage.end)
            ranges.setdefault(passage.document, []).extend(near.ranges)
        return tally(evidence, {document: union(some) for document, some in ranges.items()}, documents)

    everything = text(range(len(evidence.passages)))
    if evidence.has_alternatives:
        return text(evidence.best(everything.non_white))
    return everything


def _alone(evidence: PreparedEvidence, hit: Hit, documents: Mapping[str, Measured]) -> Tally:
    return tally(evidence, {hit.document: ((hit.start, hit.end),)}, documents)
