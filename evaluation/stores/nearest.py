"""Which rows an answer holds, and their scores, rounded to 1e-6.

Libraries compute in float32, each in its own order, so equal vectors may get scores that differ in the last
digits, and a rank then rests on nothing. Where a store can read its vectors back, the library only says which
rows may be among the best; their scores are computed anew here, in float64 and row by row: the same numbers
to the last digit. Databases give distances of their own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evaluation.stores.store import Found, Rows
from strategies.strategy import Vectors

Scores = npt.NDArray[np.float64]

STEP = 1e-6
"""To which scores are rounded: less is no difference."""

_BLOCK = 4096
_UNIT_ROUNDOFF = 2.0**-24


def nothing() -> Found:
    """An answer that holds no row."""
    return Found(np.zeros(0, np.int64), np.zeros(0))


def rounded(scores: Scores) -> Scores:
    """To 1e-6; the 0.0 turns -0.0 into 0.0."""
    return np.asarray(np.round(scores, 6) + 0.0, dtype=np.float64)


def dots(vectors: Vectors, query: Vectors) -> Scores:
    """Dot product of each row with a query of shape (dim,), in float64; a row's never depends on the others.

    >>> dots(np.array([[1, 2], [0, 0.5]], dtype=np.float32), np.array([3, 1], dtype=np.float32)).tolist()
    [5.0, 0.5]
    """
    wide = query.astype(np.float64)
    blocks = [
        (vectors[at : at + _BLOCK].astype(np.float64) * wide).sum(axis=1)
        for at in range(0, len(vectors), _BLOCK)
    ]
    return np.concatenate(blocks) if blocks else np.zeros(0)


def best(rows: Rows, scores: Scores, depth: int) -> Found:
    """The best `depth` of some rows, and all that tie with the last of them."""
    if depth < len(rows):
        kept = scores >= depth_score(scores, depth)
        rows, scores = rows[kept], scores[kept]
    return Found(rows, scores)


def depth_score(scores: Scores, depth: int) -> float:
    """The score of rank `depth`, which is at least 1 and at most as many as there are.

    >>> depth_score(np.array([0.1, 0.9, 0.5]), 2)
    0.5
    """
    return float(np.partition(scores, len(scores) - depth)[len(scores) - depth])


def float_error(query: Vectors, longest: float) -> float:
    """How far a float32 dot product of a query with a vector of at most this length may be off, in any order.

    Higham, Accuracy and Stability of Numerical Algorithms, 3.1: the error is at most n u |x| |y|, to first
    order; doubled, so that the first order is enough, and for sums of table entries as well.
    """
    return 2 * (len(query) + 2) * _UNIT_ROUNDOFF * float(np.linalg.norm(query.astype(np.float64))) * longest
