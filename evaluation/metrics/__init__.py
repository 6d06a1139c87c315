"""The metrics: one table, name -> `Metric`, and the columns that settings make of it."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from evaluation.metrics import (
    answerable,
    char_precision,
    context_precision,
    context_recall,
    discounted_recall,
    duplicate_share,
    evidence_intact,
    first_hit,
    hit,
    iou,
    mrr,
    ndcg,
    precision,
    precision_omega,
    prompt_tokens,
    similarity,
)
from evaluation.metrics.metric import Metric
from evaluation.settings import Settings

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        context_recall.AT_BUDGET,
        answerable.METRIC,
        mrr.METRIC,
        hit.METRIC,
        first_hit.COVERAGE,
        first_hit.TOKENS,
        context_recall.AT_K,
        context_precision.METRIC,
        discounted_recall.METRIC,
        ndcg.METRIC,
        precision.METRIC,
        char_precision.METRIC,
        iou.METRIC,
        precision_omega.METRIC,
        evidence_intact.METRIC,
        prompt_tokens.AT_K,
        prompt_tokens.AT_BUDGET,
        duplicate_share.METRIC,
        similarity.TOP1,
        similarity.FIRST_RELEVANT,
        similarity.MARGIN,
    )
}
"""In the order of the tables."""


class Column(NamedTuple):
    """One column of per-question values: a metric at one parameter."""

    name: str
    metric: Metric
    parameter: int
    """K or the budget; 0 where the metric has none."""


@cache
def expand(settings: Settings) -> tuple[Column, ...]:
    """Every column that settings ask for, in the order of `METRICS`.

    >>> [column.name for column in expand(Settings(ks=(1, 5), budgets=(512,)))][:4]
    ['context_recall_at_512_tokens', 'answerable_at_512_tokens', 'mrr_at_1', 'mrr_at_5']
    """
    parameters: dict[str | None, tuple[int, ...]] = {"k": settings.ks, "budget": settings.budgets, None: (0,)}
    return tuple(
        Column(metric.column(parameter), metric, parameter)
        for metric in METRICS.values()
        for parameter in parameters[metric.needs]
    )


# Nine digits: no K or budget has more, and Python refuses to read thousands of them.
_PARAMETER = re.compile(r"_at_([1-9][0-9]{0,8})(_tokens)?$", re.ASCII)


def column(name: str) -> Column | None:
    """The column of a name, the reverse of `expand`; None if it is no metric of this table.

    >>> column("mrr_at_10").metric.label, column("mrr_at_10").parameter
    ('MRR@K', 10)
    >>> column("judged_faithfulness") is None
    True
    """
    found = _PARAMETER.search(name)
    if found is None:
        metric = METRICS.get(name)
        return Column(name, metric, 0) if metric is not None and metric.needs is None else None
    metric = METRICS.get(name[: found.start()] + ("_at_B_tokens" if found[2] else "_at_k"))
    return None if metric is None else Column(name, metric, int(found[1]))
