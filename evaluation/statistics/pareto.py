"""Which configurations nobody beats in everything: the Pareto front, and how sure membership is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.scores import Floats, Labels, score_table
from strategies.errors import BadInput, Problem

Flags = NDArray[np.bool_]

ROUNDING = 1e-12
"""Means that differ by less are equal: the order of sums can make as much."""


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """The configurations that no other dominates."""

    member: Flags
    """(m,): on the front of what was measured."""
    probability: Floats
    """(m,): share of the resamples of questions in which it is on the front."""


def pareto_front(
    scores: ArrayLike,
    costs: ArrayLike,
    labels: Labels,
    *,
    slack: ArrayLike = 0.0,
    resamples: int = 1000,
    seed: int,
) -> Front:
    """The front over the mean of each column of `scores` (n, m), higher is better, and `costs` (m, c).

    Of costs less is better. A configuration is dominated by one that is no worse in mean and in every
    cost, and better in one of them; equals do not dominate each other. Costs that differ by a share of at
    most `slack` (c,) are equal, such as 0.1 for times, which a clock gives no more exactly. For the
    probability whole units are drawn with replacement, the same draws for every column, while costs stay as
    they are (a bootstrap of membership, as of ranks: B. Efron and R. Tibshirani, An Introduction to the
    Bootstrap, 1993). Time is linear in resamples and in pairs of configurations. Raises BadInput like
    `score_table`, and for costs of a wrong shape or that are missing.
    """
    table = score_table(scores, labels)
    units, columns = table.sums.shape
    paid = np.asarray(costs, dtype=np.float64)
    if paid.ndim != 2 or len(paid) != columns or not np.isfinite(paid).all():
        what = f"has shape {paid.shape} for {columns} configurations, or one is missing"
        raise BadInput([Problem("costs", what, "Give every configuration each cost")])
    cheaper, equal = _compared(paid, np.broadcast_to(np.asarray(slack, dtype=np.float64), paid.shape[1:]))
    drawn = np.random.default_rng(seed).multinomial(units, np.full(units, 1 / units), size=resamples)
    drawn = drawn.astype(np.float64)
    means = (drawn @ table.sums) / (drawn @ table.sizes)[:, np.newaxis]
    return Front(
        member=_undominated(table.mean[np.newaxis], cheaper, equal)[0],
        probability=_undominated(means, cheaper, equal).mean(axis=0),
    )


def _compared(costs: Floats, slack: Floats) -> tuple[Flags, Flags]:
    """Two of (m, m), row j, column i: j costs no more than i in anything and less in something; the same."""
    no_more = np.ones((len(costs), len(costs)), dtype=np.bool_)
    less = np.zeros_like(no_more)
    for cost, share in zip(costs.T, slack, strict=True):
        no_more &= cost[:, np.newaxis] <= cost * (1 + share)
        less |= cost[:, np.newaxis] * (1 + share) < cost
    same = no_more & no_more.T & ~less & ~less.T
    np.fill_diagonal(same, False)
    return no_more & less, same


def _undominated(means: Floats, cheaper: Flags, equal: Flags) -> Flags:
    """(b, m): for each row of `means` (b, m), the columns that no other dominates."""
    free = np.ones(means.shape, dtype=np.bool_)
    for column in range(means.shape[1]):
        own = means[:, column]
        if (others := cheaper[:, column]).any():  # as good is enough to dominate
            free[:, column] &= means[:, others].max(axis=1) < own - ROUNDING
        if (others := equal[:, column]).any():  # only better is
            free[:, column] &= means[:, others].max(axis=1) <= own + ROUNDING
    return free
