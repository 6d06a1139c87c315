"""Where everything is found whatever the cut: the table then tells nothing, and its verdict says so first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evaluation.metrics import METRICS
from evaluation.metrics import column as metric_column
from evaluation.statistics import Recommendation
from experiments.compared import Compared

if TYPE_CHECKING:
    from experiments.results import Judging

NEAR, NEAR_OF_HALF = 0.99, 0.95
"""Means from which on nearly everything is found; the lower where the budget holds half of all documents."""

USUAL = 1024
"""Tokens that a headline without a budget is thought to retrieve."""


def headline_budget(headline: str) -> int:
    """The tokens of retrieved text that a headline looks at; 0 where it goes by depth, or is judged."""
    found = metric_column(headline)
    return found.parameter if found is not None and found.metric.needs == "budget" else 0


def fitting_headline(headline: str, tokens: int) -> str:
    """The same score, or context recall, in a quarter of the tokens: of the headline's and of all that are
    searched, 0 if that is not known. The budget is a power of two.

    >>> fitting_headline("context_recall_at_1024_tokens", 1965)
    'context_recall_at_256_tokens'
    """
    budget = headline_budget(headline)
    found = metric_column(headline)
    metric = found.metric if found is not None and budget else METRICS["context_recall_at_B_tokens"]
    most = max(1, min(budget or USUAL, tokens or budget or USUAL) // 4)
    return metric.column(1 << (most.bit_length() - 1))


def below_ceiling(recommendation: Recommendation, dev: Compared, judging: Judging) -> Recommendation:
    """The recommendation, or that nothing can be told as nearly everything is found by every row.

    That is so where the budget holds all that is searched, or over half of it and all means are `NEAR` or
    above. Where the questions cannot tell anyway it is also so at `NEAR` alone, and at `NEAR_OF_HALF` where
    the budget holds over half.
    """
    if recommendation.kind == "nothing":
        return recommendation
    budget, tokens = headline_budget(judging.headline), judging.searched_tokens
    means = dev.scores[:, dev.eligible].mean(axis=0)
    small = 0 < tokens < 2 * budget
    undecided = recommendation.kind == "cannot_tell"
    near = NEAR_OF_HALF if small and undecided else NEAR
    full = bool((means >= near).all()) and (small or undecided)
    if not (full or 0 < tokens <= budget):
        return recommendation
    what = (
        f"{budget:,} tokens of retrieved text hold nearly everything that is to be found"
        if budget
        else f"Nearly everything is found by {judging.headline}"
    )
    remedy = f"--headline {fitting_headline(judging.headline, tokens)}"
    if small:
        advice = f"The documents that are searched hold {tokens:,} tokens. Run it again with {remedy}."
    else:
        advice = f"Run it again with a smaller budget, such as {remedy}, or ask harder questions."
    low, high = f"{means.min():.3f}", f"{means.max():.3f}"
    told = f"every mean is {low}" if low == high else f"the means are {low} to {high}"
    sentence = f"{what}, so nothing can be told: {told}. {advice}"
    return replace(
        recommendation,
        kind="cannot_tell",
        name=None,
        questions_needed=None,
        detectable=None,
        sentence=sentence,
    )
