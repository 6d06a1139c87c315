"""Lists of any depth from a database that is asked for so many rows: whole ones, and those of an index."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evaluation.stores.nearest import Scores, best, depth_score
from evaluation.stores.store import Found, Rows

SPARE = 16
"""Hits that are asked for beyond `depth`, so that one request is nearly always enough."""


def with_ties(nearest: Callable[[int], tuple[Rows, Scores]], depth: int, n: int) -> Found:
    """The best `depth` of `n` rows, and all that tie with the last of them.

    `nearest` answers with the nearest rows, at most so many, and their rounded scores; it is asked for more
    until one is worse than rank `depth`, or there are no more.
    """
    limit = min(depth + SPARE, n)
    while True:
        rows, scores = nearest(limit)
        if limit >= n or len(rows) < limit or scores.min() < depth_score(scores, depth):
            return best(rows, scores, depth)
        limit = min(2 * limit, n)


def climbing(nearest: Callable[[int], tuple[Rows, Scores]], depth: int, first: int, n: int) -> Found:
    """What an index finds when it is asked for `first` rows, then below them what it finds for twice as many.

    What is found later and scores higher than a row that was given is left out: a deeper list begins as a
    shorter one does, and its best are those of an application that asks for `first` rows.
    """
    limit = min(first, n)
    rows, scores = nearest(limit)
    while len(rows) < depth and limit < n:
        limit = min(2 * limit, n)
        more, found = nearest(limit)
        below = found < scores.min(initial=np.inf)
        rows, scores = np.concatenate([rows, more[below]]), np.concatenate([scores, found[below]])
    return best(rows, scores, depth)
