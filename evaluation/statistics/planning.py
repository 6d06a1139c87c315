"""What a number of questions can show, and how many it would take."""

from __future__ import annotations

import bisect
import math
from statistics import NormalDist

import numpy as np

from evaluation.statistics.max_t import Simultaneous, unseen_loss

ASSUMED_SD = 0.3
"""Standard deviation of a paired difference between two configurations, before anything is measured."""
MOST_UNITS = 1_000_000
"""More questions than this are no advice."""


def detectable(
    n_units: int, sd: float = ASSUMED_SD, power: float = 0.8, level: float = 0.05, *, columns: int = 2
) -> float:
    """The smallest true difference that a paired comparison is likely to find between two configurations.

    `sd` is the standard deviation of the difference over units, `level` the chance of a false finding,
    `power` the chance of finding the difference. (z(1 - level/2) + z(power)) sd / sqrt(n), the normal
    approximation; at most 1, the whole scale, which is also the answer for no units. Among `columns`
    configurations the level is shared by all pairs (Bonferroni), which asks for a little more than the
    comparison of a run does: see `detectable_after`.

    >>> round(detectable(80), 3), round(detectable(80, columns=12), 3)
    (0.094, 0.141)
    """
    pairs = max(1, columns * (columns - 1) // 2)
    return _smallest(NormalDist().inv_cdf(1 - level / (2 * pairs)), sd, n_units, power)


def units_to_detect(
    difference: float, sd: float = ASSUMED_SD, power: float = 0.8, level: float = 0.05
) -> int:
    """The smallest number of units at which `detectable`, of two configurations, is at most `difference` > 0.

    >>> units_to_detect(0.05), units_to_detect(0.1)
    (283, 71)
    """
    reach = (NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)) * sd
    units = max(1, math.ceil((reach / difference) ** 2))
    # The root and the square round apart: a whole number may be one off.
    while detectable(units, sd, power, level) > difference:
        units += 1
    return units


def detectable_after(result: Simultaneous, power: float = 0.8) -> float:
    """The same with what a run has shown: its critical value, and its median spread over all pairs."""
    pairs = result.se[np.triu_indices(len(result.mean), k=1)]
    sd = float(np.median(pairs)) * math.sqrt(result.units) if len(pairs) else 0.0
    return _smallest(result.critical, sd, result.units, power)


def _smallest(critical: float, sd: float, n_units: int, power: float) -> float:
    if n_units < 1:
        return 1.0
    return min(1.0, (critical + NormalDist().inv_cdf(power)) * sd / math.sqrt(n_units))


def units_needed(
    loss: float, sd: float, *, margin: float, critical: float, columns: int, level: float = 0.95
) -> int | None:
    """The smallest number of units at which a configuration would be decided, if its figures stayed.

    `loss` >= 0 is its observed loss to the best and `sd` the standard deviation of that difference over
    units; `columns` configurations are compared. Decided means excluded (lower bound above 0) or within
    the margin (upper bound at most `margin`), the bounds being those of `simultaneous` with this
    critical value. None if even `MOST_UNITS` do not decide, as with a loss and a margin of 0.
    """

    def decided(units: int) -> bool:
        reach, unseen = critical * sd / math.sqrt(units), unseen_loss(units, columns, level)
        return loss > (reach if sd > 0 else unseen) or loss + math.hypot(reach, unseen) <= margin

    if not decided(MOST_UNITS):
        return None
    return 1 + bisect.bisect_left(range(1, MOST_UNITS), True, key=decided)
