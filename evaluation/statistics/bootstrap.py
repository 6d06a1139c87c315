"""How far the mean of one configuration could lie from what was measured: bootstrap intervals."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from evaluation.statistics.scores import Floats, Labels, score_table

BLOCK_CELLS = 2_000_000
"""Cells of the largest temporary array (16 MB)."""


def mean_intervals(
    scores: ArrayLike, labels: Labels, *, level: float = 0.95, resamples: int = 10_000, seed: int
) -> tuple[Floats, Floats]:
    """Interval of the mean of each column of `scores` (n, m): `(low, high)`, each (m,).

    Whole units are drawn with replacement, so questions that share documents stay together, and the
    same draws serve every column. The ends are percentiles of the resampled means, moved outwards for
    small samples ("expanded percentile": T. Hesterberg, What Teachers Should Know About the Bootstrap,
    The American Statistician 69(4), 2015), because plain percentiles of 20 units cover too little.
    An interval lies within the range of the scores and holds the mean; a column whose units all have
    one mean gets an interval without width. Raises BadInput like `score_table`.
    """
    table = score_table(scores, labels)
    units = len(table.sizes)
    generator = np.random.default_rng(seed)
    means = np.empty((resamples, table.scores.shape[1]))
    rows = max(1, BLOCK_CELLS // units)
    for first in range(0, resamples, rows):
        size = min(rows, resamples - first)
        drawn = generator.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)
        means[first : first + size] = (drawn @ table.sums) / (drawn @ table.sizes)[:, np.newaxis]

    tail = _expanded_tail(level, units)
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    # Rounding must move no end past the scores or the mean, and must not give width to what has none.
    flat = np.ptp(table.sums / table.sizes[:, np.newaxis], axis=0) <= 1e-12
    low = np.where(flat, table.mean, np.clip(low, table.scores.min(axis=0), table.mean))
    high = np.where(flat, table.mean, np.clip(high, table.mean, table.scores.max(axis=0)))
    return low, high


def _expanded_tail(level: float, units: int) -> float:
    """The share to cut off at each end: less than (1 - level) / 2, and nearly that for many units."""
    if units < 2:
        return 0.0
    wide = math.sqrt(units / (units - 1)) * _student_quantile(0.5 + level / 2, units - 1)
    return NormalDist().cdf(-wide)


def _student_quantile(probability: float, degrees: int) -> float:
    """Quantile of Student's t, by Abramowitz and Stegun 26.7.5; within 1 % from 4 degrees on."""
    z = NormalDist().inv_cdf(probability)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )
