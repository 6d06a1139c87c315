"""Why a configuration misses questions, as far as its record tells: nothing is searched or embedded anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np

from evaluation.gold.provenance import provenance_warnings
from evaluation.metrics import column
from evaluation.misses import REMEDIES
from evaluation.statistics import Side
from experiments.chunk_list import hits
from experiments.columns import measure
from experiments.patterns import Pattern, Seen, patterns, remedy, values
from experiments.records import Row, RunRecord
from experiments.results import SweepResult, sides_of
from strategies.errors import nearest, refuse

BINS = 20
"""Of the histograms of similarities."""

OLD = (
    "Recorded by an older version, which did not note where evidence was ranked: measure it again with "
    "chunksweep run --fresh to see patterns"
)


@dataclass(frozen=True, slots=True)
class Reason:
    """How many questions were missed for one reason."""

    reason: str
    questions: int
    remedy: str


@dataclass(frozen=True, slots=True)
class OfTag:
    """The questions of one tag."""

    tag: str
    questions: int
    missed: int
    reasons: Mapping[str, int]
    """Reason -> questions, in the order of `REMEDIES`."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Similarities of one kind of hit, one a question."""

    n: int
    unknown: int
    """Questions that have none: nothing relevant was retrieved, or the evidence is not ranked."""
    quartiles: tuple[float, ...]
    """Lowest, first quartile, median, third quartile, highest; empty where there are none."""
    histogram: tuple[int, ...]
    """Counts of `BINS` bins of equal width from the lowest to the highest of all kinds."""


@dataclass(frozen=True, slots=True)
class Similarities:
    """How alike questions and chunks are, by cosine."""

    low: float
    high: float
    """Ends of every histogram."""
    first_hits: Distribution
    first_relevant_hits: Distribution
    missing_evidence: Distribution
    """Of missed questions, the first hit that holds some of what is missing."""


@dataclass(frozen=True, slots=True)
class Missed:
    """One question that was missed."""

    question_id: str
    question: str
    reason: str
    flags: tuple[str, ...]
    headline: float | None
    first_hit: Row | None
    """`document`, `start`, `end`, `score` and how the `text` begins."""
    evidence: tuple[tuple[tuple[str, int, int], ...], ...]
    """What is missing, entry by entry: document, start and end of each alternative."""
    evidence_rank: int | None
    evidence_score: float | None
    evidence_tokens: int | None
    """Prompt tokens after which the ranked list holds all evidence."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a configuration, and what to try."""

    sweep: str
    configuration: str
    config_id: str
    headline: str
    budget: int
    """Tokens in which a question must be answerable, or it is missed."""
    side: Side | None
    """`dev` where the sweep has a split, whose test questions are kept out of everything here."""
    questions: int
    failed: int
    """Questions whose search failed; they are in no count of misses."""
    missed: int
    reasons: tuple[Reason, ...]
    tags: tuple[OfTag, ...]
    """Those with the largest share of misses first."""
    patterns: tuple[Pattern, ...]
    similarities: Similarities | None
    not_cosine: str | None
    """Why scores are no cosines, and so no similarities are shown."""
    duplicate_share: Mapping[int, float]
    """K -> mean share of the first K hits that repeat an earlier one."""
    worst: tuple[Missed, ...]
    notes: tuple[str, ...]


def diagnose(result: SweepResult, configuration: str | None = None, *, worst: int = 10) -> Diagnosis:
    """Diagnose a configuration by name or id; without one, the recommended one, else the best measured.

    The `worst` questions are listed. With a split only the questions to choose on are looked at: whoever acts
    on what the others show has nothing left to report on. Raises BadInput where there is no such
    configuration, or none finished.
    """
    record = _record(result, configuration)
    sides = sides_of(result.judging, result.records)
    if sides:
        record = _only(record, {key for key, side in sides.items() if side == "dev"})
    rows = record.questions
    missed = [row for row in rows if row.get("miss")]
    seen = Seen.of(record, missed)
    not_cosine = why_not_cosine(record.params)
    counts = Counter(row["miss"] for row in missed)
    return Diagnosis(
        sweep=result.name,
        configuration=record.name,
        config_id=record.config_id,
        headline=result.judging.headline,
        budget=seen.budget,
        side="dev" if sides else None,
        questions=len(rows),
        failed=sum("sought" in row and row["sought"] is None for row in rows),
        missed=len(missed),
        reasons=tuple(
            Reason(reason, counts[reason], remedy(reason, record.params))
            for reason in REMEDIES
            if counts[reason]
        ),
        tags=_tags(rows),
        patterns=patterns(seen, cosine=not_cosine is None),
        similarities=None if not_cosine else _similarities(rows, missed),
        not_cosine=not_cosine,
        duplicate_share=_duplicates(record),
        worst=_worst(record, missed, result.judging.headline)[:worst],
        notes=tuple(_notes(rows, result)),
    )


def why_not_cosine(params: Mapping[str, Any]) -> str | None:
    """Why the scores of a configuration, by its params, are no cosines of vectors; None if they are."""
    retriever = params.get("retriever", "dense")
    if params.get("rerank"):
        return "scores are those of the cross-encoder that ranks anew"
    if retriever != "dense":
        return f"scores are those of {retriever}"
    if params.get("metric", "cosine") != "cosine":
        return "scores are dot products of vectors as the model gives them"
    if params.get("vector_type") == "binary":
        return "scores compare signs, not vectors"
    return None


def _record(result: SweepResult, configuration: str | None) -> RunRecord:
    finished: dict[str, RunRecord] = {}
    for record in result.records:
        if record.status == "finished":
            finished.setdefault(record.name, record)
    wanted = configuration or result.recommendation.name or result.recommendation.best
    for record in finished.values():
        if wanted in (record.name, record.config_id):
            return record
    if not finished:
        raise refuse(result.name, "has no configuration that finished", "Run the sweep again")
    what = (
        f"no configuration that finished is called {wanted!r}" if wanted else "no configuration is the best"
    )
    raise refuse("--config", what, nearest(str(wanted), finished))


def _only(record: RunRecord, ids: Collection[str]) -> RunRecord:
    """The record as if only these questions had been asked, as far as anything here looks at it."""
    rows = tuple(row for row in record.questions if row["question_id"] in ids)
    metrics = dict(record.metrics)
    for name in metrics:
        some = values(rows, name)
        known = column(name)
        if some and known is not None:
            metrics[name] = fsum(some) / (len(some) if known.metric.may_be_missing else len(rows))
    retrieved = tuple(found for found in record.retrieved if found["question_id"] in ids)
    return replace(record, questions=rows, retrieved=retrieved, metrics=metrics)


def _notes(rows: Sequence[Row], result: SweepResult) -> Iterator[str]:
    """What to know of these questions, then of the comparison that they are taken from."""
    yield from provenance_warnings(row.get("synthetic") for row in rows)
    if result.judging.test_questions:
        yield f"Of the {len(rows):,} dev questions alone: the others are kept for the report"
    if not all("sought" in row for row in rows):
        yield OLD
    yield from (note for note in result.notes if note not in result.provenance)


def _tags(rows: Sequence[Row]) -> tuple[OfTag, ...]:
    by_tag: dict[str, list[Row]] = {}
    for row in rows:
        for tag in row.get("tags") or ():
            by_tag.setdefault(tag, []).append(row)
    found = []
    for tag, some in by_tag.items():
        counts = Counter(row["miss"] for row in some if row.get("miss"))
        reasons = {reason: counts[reason] for reason in REMEDIES if counts[reason]}
        found.append(OfTag(tag, len(some), sum(counts.values()), reasons))
    return tuple(sorted(found, key=lambda of: (-of.missed / of.questions, -of.questions, of.tag)))


def _similarities(rows: Sequence[Row], missed: Sequence[Row]) -> Similarities | None:
    sought = [row["sought"] for row in missed if row.get("sought")]
    kinds = (
        (values(rows, "top1_similarity"), len(rows)),
        (values(rows, "first_relevant_similarity"), len(rows)),
        (values(sought, "score"), len(missed)),
    )
    everything = [value for some, _ in kinds for value in some]
    if not everything:
        return None
    low, high = min(everything), max(everything)
    first, relevant, missing = (_distribution(some, of - len(some), low, high) for some, of in kinds)
    return Similarities(low, high, first, relevant, missing)


def _distribution(some: Sequence[float], unknown: int, low: float, high: float) -> Distribution:
    """Quartiles are interpolated linearly, as NumPy does."""
    if not some:
        return Distribution(0, unknown, (), (0,) * BINS)
    counts, _ = np.histogram(some, bins=BINS, range=(low, high if high > low else low + 1))
    quartiles = np.percentile(some, [0, 25, 50, 75, 100]).round(6).tolist()
    return Distribution(len(some), unknown, tuple(quartiles), tuple(counts.tolist()))


def _duplicates(record: RunRecord) -> dict[int, float]:
    found = ((column(name), value) for name, value in record.metrics.items())
    return {
        known.parameter: value
        for known, value in found
        if known is not None and known.metric.name == "duplicate_share_at_k"
    }


def _worst(record: RunRecord, missed: Sequence[Row], headline: str) -> tuple[Missed, ...]:
    """The missed questions, the lowest headline first; then those whose evidence lies deepest, or nowhere.

    Those whose evidence a filter excludes come last: nothing about the configuration can find it.
    """
    first_hits = {hit["question_id"]: hit for hit in hits(record) if hit.get("rank") == 1}
    sign = -1.0 if measure(headline).direction == "lower" else 1.0

    def key(row: Row) -> tuple[bool, float, float, str]:
        value, sought = row.get(headline), row.get("sought") or {}
        depth = sought.get("tokens")
        deepest = -float("inf") if depth is None else -depth
        return row["miss"] == "filtered", sign * (value or 0.0), deepest, row["question_id"]

    found = []
    for row in sorted(missed, key=key):
        sought, hit = row.get("sought") or {}, first_hits.get(row["question_id"])
        found.append(
            Missed(
                question_id=row["question_id"],
                question=row.get("question") or "",
                reason=row["miss"],
                flags=tuple(row.get("miss_flags", ())),
                headline=row.get(headline),
                first_hit=hit and {name: hit[name] for name in ("document", "start", "end", "score", "text")},
                evidence=tuple(
                    tuple((document, start, end) for document, start, end in entry)
                    for entry in sought.get("missing", ())
                ),
                evidence_rank=sought.get("rank"),
                evidence_score=sought.get("score"),
                evidence_tokens=sought.get("tokens"),
            )
        )
    return tuple(found)
