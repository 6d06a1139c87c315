"""Ranked hits to numbers: every metric of one question, and their means over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, isfinite
from typing import TYPE_CHECKING

from evaluation.coverage import RankedText
from evaluation.evidence import PreparedEvidence
from evaluation.findings import findings
from evaluation.gold import Question
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.metrics import column, expand
from evaluation.settings import Settings

if TYPE_CHECKING:
    from evaluation.retrieval import Hit


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """What scores need beside question and hits.

    `dataclasses.replace(context, layout=other)` gives the context of another configuration on the same
    documents; the prepared evidence is shared.
    """

    documents: Mapping[str, Measured]
    layout: Layout
    settings: Settings
    prepared: dict[str, PreparedEvidence] = field(default_factory=dict, repr=False, compare=False)
    """By question id; filled as questions come."""

    def evidence(self, question: Question) -> PreparedEvidence:
        """The evidence of a question, prepared once; `BadInput` if it does not lie in the documents."""
        known = self.prepared.get(question.id)
        if known is None or known.question is not question:
            known = self.prepared[question.id] = PreparedEvidence.of(question, self.documents)
        return known

    def read(self, question: Question, hits: Sequence[Hit]) -> RankedText:
        """A question's ranked list as the text that it gives a reader, ready for `score` and `classify`."""
        return RankedText.of(self.evidence(question), hits, self.documents)


def score_question(
    question: Question, hits: Sequence[Hit] | None, context: ScoringContext
) -> dict[str, float | None]:
    """Every column of one question; None is a missing value, and nothing is ever NaN or infinite.

    `hits` is the ranked list; an empty one scores 0. None says that the retrieval failed: only what the
    chunks alone tell has a value then. A question without gold has no value in any column.
    """
    if not question.evidence:
        return dict.fromkeys(name for name, _, _ in expand(context.settings))
    return score(context.read(question, hits or ()), context, failed=hits is None)


def score(text: RankedText, context: ScoringContext, *, failed: bool = False) -> dict[str, float | None]:
    """Every column of a question with gold, from its ranked list as read; `failed`: there is none."""
    found = findings(text, context.layout, context.settings)
    return {
        name: None if failed and metric.needs_hits else metric.function(found, parameter)
        for name, metric, parameter in expand(context.settings)
    }


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The mean of one column over the questions of a configuration."""

    mean: float | None
    """None if no question has a value."""
    n_scored: int
    """Questions with a value of their own."""
    n_failed: int
    """Questions whose value could not be had: 0 in the mean of our own metrics, left out of a judge's."""
    n_no_gold: int
    """Questions without gold, which no mean includes."""


def aggregate(rows: Sequence[Mapping[str, float | None]], n_no_gold: int) -> dict[str, Aggregate]:
    """Means by column. `rows` holds one mapping for each question with gold, failed ones included.

    A missing value (None, no entry, not finite) counts 0 in a column of `METRICS`, so that no configuration
    gains by failing. Two kinds of column are averaged over the questions that have a value: metrics that
    are not defined for every question (`may_be_missing`), where missing is no failure, and columns from
    elsewhere, such as a judge's, where it is one and is counted.

    >>> aggregate([{"mrr_at_5": 1.0, "judged": 0.5}, {"mrr_at_5": None, "judged": None}], n_no_gold=3)
    ... # doctest: +NORMALIZE_WHITESPACE
    {'mrr_at_5': Aggregate(mean=0.5, n_scored=1, n_failed=1, n_no_gold=3),
     'judged': Aggregate(mean=0.5, n_scored=1, n_failed=1, n_no_gold=3)}
    """
    return {
        name: _aggregate(name, [row.get(name) for row in rows], n_no_gold)
        for name in dict.fromkeys(name for row in rows for name in row)
    }


def _aggregate(name: str, values: Sequence[float | None], n_no_gold: int) -> Aggregate:
    known = column(name)
    present = [value for value in values if value is not None and isfinite(value)]
    missing = len(values) - len(present)
    if known is not None and known.metric.may_be_missing:
        counted, n_failed = len(present), 0
    elif known is not None:
        counted, n_failed = len(values), missing
    else:
        counted, n_failed = len(present), missing
    # fsum rounds once, so that the mean does not depend on the order of the questions.
    mean = fsum(present) / counted if counted else None
    return Aggregate(mean, len(present), n_failed, n_no_gold)
