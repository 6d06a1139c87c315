"""Lists of any depth from a store that is asked for so many rows: whole ones, and those of an index."""

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
    shorter one does, and its best are those of an application that asks for `first` rows. What ties with the
    last row of an answer is given with the next, which knows all of them. An answer of fewer rows than were
    asked for, as of a graph under a filter, ends the list at every depth.
    """
    limit, ceiling = min(first, n), np.inf
    rows, scores = np.zeros(0, dtype=np.int64), np.zeros(0)
    while True:
        more, found = nearest(limit)
        is_all = limit >= n or len(more) < limit
        last = found.min(initial=ceiling)
        new = (found <= ceiling) & (is_all | (found > last))
        rows, scores = np.concatenate([rows, more[new]]), np.concatenate([scores, found[new]])
        if is_all or len(rows) >= depth:
            return best(rows, scores, depth)
        limit, ceiling = min(2 * limit, n), last
