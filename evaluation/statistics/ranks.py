"""How far two rankings of the same configurations agree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

ROUNDING = 1e-12
"""Values that differ by less are tied: the order of sums can make as much."""


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float | None:
    """Kendall's tau-b of two lists of m values: 1 for the same order, -1 for the reverse.

    (concordant - discordant pairs) / sqrt(pairs not tied in the first * pairs not tied in the second):
    M. Kendall, The Treatment of Ties in Ranking Problems, Biometrika 33(3), 1945. None where one of the
    lists holds no two different values, which give no order. Time and memory are quadratic in m. Raises
    ValueError for lists of different lengths.

    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]), kendall_tau([1, 1], [1, 2])
    (0.6666666666666666, None)
    """
    one, other = (np.asarray(values, dtype=np.float64) for values in (first, second))
    if one.shape != other.shape or one.ndim != 1:
        raise ValueError(f"two lists of one length are needed, not {one.shape} and {other.shape}")
    pairs = np.triu_indices(len(one), k=1)
    signs = [_signs(values)[pairs] for values in (one, other)]
    ordered = [np.count_nonzero(sign) for sign in signs]
    if not all(ordered):
        return None
    return float(signs[0] @ signs[1]) / math.sqrt(ordered[0] * ordered[1])


def _signs(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(m, m): -1, 0 or 1 for value i less value j."""
    difference = values[:, np.newaxis] - values
    return np.where(np.abs(difference) <= ROUNDING, 0.0, np.sign(difference))
