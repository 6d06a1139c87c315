"""All differences between configurations, bounded together: max-T by sign flips.

The best of many configurations is picked from the data, so a difference is only found if it stands
out among the largest differences that chance makes anywhere in the table. Chance is imitated by
flipping the signs of the units, the same flips for every column: this keeps how columns hang together,
and asks for less than a Bonferroni correction where they do (J. Romano and M. Wolf, Exact and
Approximate Stepdown Methods for Multiple Hypothesis Testing, JASA 100, 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.scores import Floats, Labels, score_table

BLOCK_CELLS = 262_144
"""Cells of the largest temporary array (2 MB): a block of flips stays in the processor's cache."""
ROUNDING = 1e-12
"""Sums of squares below this share of their terms are rounding errors."""


@dataclass(frozen=True, slots=True, eq=False)
class Simultaneous:
    """Bounds that hold for all pairs of m configurations at once. Row i, column j: the loss of i to j."""

    units: int
    """Units of resampling the bounds rest on."""
    level: float
    """Confidence that every bound holds."""
    critical: float
    """How many standard errors a difference must have to stand out in this table."""
    mean: Floats
    """(m,)"""
    difference: Floats
    """(m, m): mean of j less mean of i."""
    se: Floats
    """(m, m): standard error of the difference, robust to dependence inside a unit."""
    lower: Floats
    """(m, m): the loss of i to j is at least this; above 0, i is shown to be worse."""
    upper: Floats
    """(m, m): the loss of i to j is at most this."""


def simultaneous(
    scores: ArrayLike, labels: Labels, *, level: float = 0.95, permutations: int = 10_000, seed: int
) -> Simultaneous:
    """Bound the difference of every pair of columns of `scores` (n, m) together.

    The critical value is the `level` quantile of the largest studentised difference over all pairs
    under random flips, the largest of three: flips of the columns as they are (exact where columns are
    exchangeable, which matters in small samples), flips of the columns less their means (right where
    true differences are large), and the normal quantile of one pair (a sample of few distinct values
    can give less). Scores lie in [0, 1], so no loss is bounded by more than 1.

    A loss that the units did not happen to show may still strike others: `unseen_loss`. It is added to
    the reach of the upper bounds in quadrature, which gives nearly the exact (Clopper-Pearson) bound
    where the losses are few and whole, and fades away where differences are common. A pair whose
    difference does not vary at all has no other uncertainty, in its lower bound too. Time is linear in
    questions and in pairs, memory in the table and in m squared. Raises BadInput like `score_table`.
    """
    table = score_table(scores, labels)
    units, columns = table.sums.shape
    # What a question gives to every column alike cancels in all differences; without it the sums of
    # squares below lose fewer digits.
    raw = table.sums - table.sums.mean(axis=1, keepdims=True)
    shift = table.mean - table.mean.mean()
    centred = raw - table.sizes[:, np.newaxis] * shift
    scale = np.square(raw).sum(axis=0)
    squares = _pair_squares(centred, scale)
    varies = squares > 0

    critical = NormalDist().inv_cdf(0.5 + level / 2)
    if varies.any():
        flips = _largest_statistics(
            ((raw, _pair_squares(raw, scale)), (centred, squares)), table.sizes, varies, permutations, seed
        )
        rank = min(math.ceil(level * (permutations + 1)), permutations)
        critical = max(critical, *(float(np.partition(t, rank - 1)[rank - 1]) for t in flips))

    difference = table.mean[np.newaxis, :] - table.mean[:, np.newaxis]
    se = np.sqrt(squares * units / max(units - 1, 1)) / len(table.scores)
    unseen = unseen_loss(units, columns, level)
    reach = critical * se
    lower = difference - np.where(varies, reach, unseen)
    upper = difference + np.hypot(reach, unseen)
    if 2.0 ** (1 - units) > 1 - level:
        # So few units all point one way by chance alone too often: nothing is shown, whatever they say.
        lower, upper = np.minimum(lower, 0), np.maximum(upper, 0)
    return Simultaneous(
        units=units,
        level=level,
        critical=critical,
        mean=table.mean,
        difference=difference,
        se=se,
        lower=_within_scale(lower, difference),
        upper=_within_scale(upper, difference),
    )


def unseen_loss(units: int, columns: int, level: float = 0.95) -> float:
    """The largest mean loss that `units` units may have failed to show, for scores in [0, 1].

    A loss of 1 that strikes a share p of the units goes unseen with probability (1 - p)^units. The
    chance is shared out among the rivals of the best, since the one to be recommended is chosen.

    >>> round(unseen_loss(20, columns=2), 3)
    0.139
    """
    share = (1 - level) / max(columns - 1, 1)
    return 1 - math.pow(share, 1 / units)


def _pair_squares(sums: Floats, scale: Floats) -> Floats:
    """Sum over units of (column i - column j)^2, (m, m); 0 if it is rounding error of values of `scale`."""
    products = sums.T @ sums
    own = np.diag(products)
    squares = own[:, np.newaxis] + own[np.newaxis, :] - (products + products.T)
    squares[squares <= ROUNDING * (scale[:, np.newaxis] + scale[np.newaxis, :])] = 0
    np.fill_diagonal(squares, 0)
    return squares


def _largest_statistics(
    tables: tuple[tuple[Floats, Floats], ...],
    sizes: Floats,
    varies: NDArray[np.bool_],
    permutations: int,
    seed: int,
) -> list[Floats]:
    """Largest |t| over the pairs that vary, for each flip and each table: unit sums (G, m), their squares.

    With N questions in units of n_u, and d_u the flipped sums of a pair, the mean is M = S / N with
    S = sum of d_u, and its standard error comes from sum of (d_u - n_u M)^2, exactly as for the data
    themselves. That is Q + S V, where Q = sum of d_u^2 is the same for every flip and V = (S sum of n_u^2
    / N - 2 sum of n_u d_u) / N; both S and V of a pair are differences of two columns' values.
    """
    units, columns = tables[0][0].shape
    total = sizes.sum()
    generator = np.random.default_rng(seed)
    # An infinite Q lets a pair that does not vary add nothing.
    weighed = [(sums, np.where(varies & (q > 0), q, np.inf)) for sums, q in tables]
    largest = [np.zeros(permutations) for _ in tables]
    rows = max(1, BLOCK_CELLS // max(units, columns))
    for first in range(0, permutations, rows):
        block = slice(first, min(first + rows, permutations))
        signs = np.where(generator.random((block.stop - first, units)) < 0.5, -1.0, 1.0)
        weighted = signs * sizes
        for (sums, q), found in zip(weighed, largest, strict=True):
            s = signs @ sums
            v = (s * (sizes @ sizes / total) - 2 * (weighted @ sums)) / total
            for column in range(columns - 1):
                s_pair = s[:, column + 1 :] - s[:, column, np.newaxis]
                spread = v[:, column + 1 :] - v[:, column, np.newaxis]
                spread *= s_pair
                spread += q[column, column + 1 :]
                # All units of a small sample may point one way by chance: huge, but never infinite.
                np.maximum(spread, ROUNDING * s_pair * s_pair, out=spread)
                s_pair *= s_pair
                s_pair /= spread
                np.maximum(found[block], s_pair.max(axis=1), out=found[block])
    # In samples of few distinct values flips often equal the observed difference; the hair added keeps
    # such a tie from being found by rounding.
    return [(1 + 1e-9) * np.sqrt(ratio * (units - 1) / units) for ratio in largest]


def _within_scale(bound: Floats, difference: Floats) -> Floats:
    """Scores in [0, 1] differ by at most 1; on the diagonal nothing is lost."""
    furthest = np.maximum(1, np.abs(difference))
    clipped = np.clip(bound, -furthest, furthest)
    np.fill_diagonal(clipped, 0)
    return clipped
