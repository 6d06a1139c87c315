"""Comparison with a configuration that was named before the run: fewer questions asked, more power."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.bootstrap import mean_intervals
from evaluation.statistics.scores import Floats, Labels, score_table

BLOCK_CELLS = 2_000_000
"""Cells of the largest temporary array (16 MB)."""

FEWEST_DIFFERING = 6
"""Units that must differ, or there is no interval: of fewer, all flips alike are more than 5 % of them
(2 / 2^6 = 0.031), so that no difference could be found, and resamples would vary too little or not at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """Every configuration against the baseline; the baseline's own differences are 0, its p 1."""

    difference: Floats
    """(m,): mean less the baseline's mean; above 0 is better."""
    low: Floats
    """(m,): lower end of the 95 % interval of the difference, each by itself; NaN where fewer than
    `FEWEST_DIFFERING` units differ, as of the baseline itself."""
    high: Floats
    """(m,): its upper end, or NaN."""
    p: Floats
    """(m,): chance of a difference as large in either direction if labels meant nothing."""
    p_holm: Floats
    """(m,): the same, corrected for testing m - 1 configurations."""


def against(
    scores: ArrayLike, baseline_column: int, labels: Labels, *, permutations: int = 10_000, seed: int
) -> Against:
    """Test every column of `scores` (n, m) against one: paired sign flips of whole units, then Holm.

    Two-sided; p counts the data themselves as one of the flips, so it is never 0 (B. Phipson and G.
    Smyth, Permutation P-values Should Never Be Zero, 2010). Intervals are those of `paired_intervals`
    with as many resamples as flips: each holds by itself, so that one of twenty may be wrong, where
    `p_holm` speaks of all at once. Raises BadInput like `score_table`,
    and IndexError for a column that is not there.
    """
    table = score_table(scores, labels)
    units, columns = table.sums.shape
    paired_sums = table.sums - table.sums[:, [baseline_column]]
    observed = np.abs(paired_sums.sum(axis=0))
    # Equal sums that were added in another order must count as equal.
    enough = observed - 1e-9 * np.abs(paired_sums).sum(axis=0)
    generator = np.random.default_rng(seed)
    as_large = np.ones(columns)
    rows = max(1, BLOCK_CELLS // max(units, columns))
    for first in range(0, permutations, rows):
        size = min(rows, permutations - first)
        signs = np.where(generator.random((size, units)) < 0.5, -1.0, 1.0)
        as_large += (np.abs(signs @ paired_sums) >= enough).sum(axis=0)
    p = as_large / (permutations + 1)

    others = np.arange(columns) != np.arange(columns)[baseline_column]
    p_holm = np.ones(columns)
    p_holm[others] = holm(p[others])
    difference = table.mean - table.mean[baseline_column]
    paired = table.scores - table.scores[:, [baseline_column]]
    low, high = paired_intervals(paired, labels, resamples=permutations, seed=seed)
    low, high = np.minimum(low, difference), np.maximum(high, difference)  # sums in another order
    return Against(difference, low, high, p, p_holm)


def paired_intervals(
    differences: ArrayLike, labels: Labels, *, resamples: int = 10_000, seed: int
) -> tuple[Floats, Floats]:
    """Ends of the 95 % interval of the mean of each column of differences (n, m), as `mean_intervals`.

    NaN for columns in which fewer than `FEWEST_DIFFERING` units have a sum that is not 0. Raises BadInput
    like `score_table`.
    """
    table = score_table(differences, labels)
    differing = (np.abs(table.sums) > 1e-9).sum(axis=0)
    low, high = mean_intervals(table.scores, labels, resamples=resamples, seed=seed)
    enough = differing >= FEWEST_DIFFERING
    return np.where(enough, low, np.nan), np.where(enough, high, np.nan)


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false finding stays below the level (S. Holm, 1979).

    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    stepped = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1)
    return adjusted
