"""What to know before trusting a comparison: of the data that a sweep asks, and of what it recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor, fsum
from typing import TYPE_CHECKING

from evaluation.cost import FREE
from evaluation.gold.filters import excluded
from evaluation.gold.provenance import provenance_warnings
from evaluation.searching import STORE_RECALL
from evaluation.statistics import Recommendation, resampling_units
from experiments.ceiling import fitting_headline, headline_budget
from experiments.compared import Compared, varies
from experiments.likeness import differing_scores
from experiments.records import RunRecord

if TYPE_CHECKING:
    from experiments.results import Judging
    from experiments.runner import Launch

OVERLAPS = ("overlap", "overlap_sentences")
"""Parameters that ask for overlap; in a record they are numbers."""


def data_notes(launch: Launch) -> Iterator[str]:
    """What the data alone say against trusting the comparison."""
    gold = launch.bench.gold
    if launch.changed:
        yield (
            "The last launch of this sweep measured other documents or questions. Nothing of it is in "
            "this table, and its numbers do not compare with these"
        )
    units = resampling_units([question for question in gold.questions if question.evidence])
    if units.warning:
        yield units.warning
    searched = launch.searched
    outside = excluded(gold.questions, {document.id for document in searched})
    if outside:
        yield (
            f"The filter leaves {len(searched)} of {len(gold.documents)} documents to search. "
            f"{outside} of {len(gold.questions)} questions have evidence in others, so every "
            "configuration misses them as `filtered`"
        )
    headline, corpus = launch.sweep.settings.headline, launch.searched_tokens
    budget = headline_budget(headline)
    if budget * 2 > corpus:
        whole = len(searched) == len(gold.documents)
        which = "All documents together" if whole else "The documents that are searched"
        yield (
            f"{which} hold {corpus:,} tokens, so {budget:,} tokens of retrieved text are "
            "much or all of them, whatever the cut: choose a headline with a budget of at most "
            f"{max(1, corpus // 4):,}, as by --headline {fitting_headline(headline, corpus)}"
        )


def notes_of(
    whole: Compared,
    dev: Compared,
    test: Compared | None,
    judging: Judging,
    recommendation: Recommendation,
    kept: Sequence[RunRecord],
    *,
    elsewhere: Sequence[str],
    front: Sequence[str],
    sensitivity: str,
) -> Iterator[str]:
    """All that every table, export and diagnosis of a sweep is told with, the weightiest first.

    `kept` are its records; `elsewhere` tells of records of other data, `front` of costs that could not be
    compared, `sensitivity` of rankings that depend on the rule of relevance, or of nothing.
    """
    finished = whole.finished
    yield from provenance_warnings(row.get("synthetic") for row in whole.questions)
    yield from judging.notes
    yield from elsewhere
    yield from (f"{key} is left out of the comparison: {why}" for key, why in whole.reasons.items())
    yield from _scope(whole, judging)
    yield from _priced(recommendation, judging)
    yield from _lossy(finished)
    yield from _repeated(finished)
    yield from _sides(dev, test)
    yield from front
    if sensitivity:
        yield sensitivity
    collapsed = [key for key, repeats in finished.items() if lost_overlap(repeats[0])]
    if collapsed:
        yield (
            f"Overlap was asked for, but no chunk shares text with the one before: {', '.join(collapsed)}. "
            "Compare these as overlap 0"
        )
    if judging.baseline is not None and judging.baseline not in finished:
        yield f"The baseline {judging.baseline} has not finished, so nothing is compared with it"
    missing = len(judging.config_ids) - len({record.config_id for record in kept})
    if missing:
        yield f"Not run yet: {missing} of {len(judging.config_ids)} configurations. Run the sweep again"
    if recommendation.detectable is not None:
        yield (
            f"With {len(dev.scores)} {'' if test is None else 'dev '}questions and {sum(whole.eligible)} "
            f"configurations, differences of about {recommendation.detectable:.3f} in {judging.headline} "
            "are found 8 times in 10; smaller ones mostly are not"
        )


def _scope(whole: Compared, judging: Judging) -> Iterator[str]:
    """What it means that questions searched only the documents that hold their evidence."""
    scopes = {repeats[0].params.get("scope") for repeats in whole.finished.values()}
    if scopes == {"document"}:
        yield (
            "Each question searched only the documents that hold its evidence (scope: document), so no score "
            "says how well these are found among all"
        )
    if judging.baseline in whole.apart:
        yield f"The baseline {judging.baseline} searched other documents, so nothing is compared with it"


def _priced(recommendation: Recommendation, judging: Judging) -> Iterator[str]:
    """That money does not decide, where there are prices."""
    if recommendation.kind != "nothing" and replace(judging.prices, currency=None) != FREE:
        yield (
            "Prices do not decide what is cheapest: that goes by a language model's tokens, reranked pairs, "
            "tokens embedded and stored bytes, in this order. Compare the columns of costs"
        )


def _lossy(finished: Mapping[str, Sequence[RunRecord]]) -> Iterator[str]:
    """Which stores miss so many of the nearest chunks that a score is not the cut's alone."""
    lossy = []
    for name, repeats in finished.items():
        found = [record.metrics["store_recall"] for record in repeats if "store_recall" in record.metrics]
        recall = fsum(found) / len(found) if found else 1.0
        if recall < STORE_RECALL:
            # Truncated, so that 0.9899 does not look as if it were enough.
            lossy.append(f"{name} ({floor(round(recall * 1000, 6)) / 10:.1f} %)")
    if lossy:
        yield (
            "Some stores found only this share of the nearest chunks that exact search finds: "
            f"{', '.join(lossy)}. Differences between these and other rows are not those of the cut alone"
        )


def _repeated(finished: Mapping[str, Sequence[RunRecord]]) -> Iterator[str]:
    """That scores are means over different indexes, where they are; any other difference is left out."""
    for name, repeats in finished.items():
        if varies(repeats[0]) and differing_scores(repeats):
            yield (
                f"{name}: its index is built anew each time, and two builds differ in what they miss; "
                f"scores are means over {len(repeats)} builds"
            )


def _sides(dev: Compared, test: Compared | None) -> Iterator[str]:
    """What the questions of each side alone do not suffice for."""
    for side, questions in (("dev", dev), ("test", test)) if test is not None else ():
        if questions is not None and questions.questions and questions.units.warning:
            yield f"Of the {side} side: {questions.units.warning}"


def lost_overlap(record: RunRecord) -> bool:
    """Whether an overlap was asked for that came about nowhere, as where whole pieces are longer than it."""
    asked = any(
        isinstance(value, int | float) and value > 0
        for name, value in record.params.items()
        if name in OVERLAPS
    )
    return asked and bool(record.chunks) and not record.metrics.get("overlap_effective")
