"""A table of scores, questions x configurations, checked and summed by unit of resampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from strategies.errors import BadInput, Problem

Floats = NDArray[np.float64]
Labels = Sequence[int] | NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Scores of n questions under m configurations, with their sums over G units of resampling."""

    scores: Floats
    """(n, m), finite."""
    sums: Floats
    """(G, m): the sum of each column over the questions of each unit."""
    sizes: Floats
    """(G,): questions in each unit."""
    mean: Floats
    """(m,): mean over questions, never outside the range of its column by rounding."""


def score_table(scores: ArrayLike, labels: Labels) -> ScoreTable:
    """Check a table of scores and sum it by unit.

    `scores` is (n, m) with n >= 1, `labels` holds the unit of each of the n questions. Raises BadInput
    with every problem found: wrong shapes, no question, or a score that is missing or infinite (a
    configuration with failed questions must be left out of a comparison, not averaged around).
    """
    table = np.asarray(scores, dtype=np.float64)
    units = np.asarray(labels)
    problems = []
    if table.ndim != 2:
        raise BadInput([Problem("scores", f"has {table.ndim} dimensions", "Give questions x configurations")])
    if not len(table):
        problems.append(Problem("scores", "no question is scored", "Add questions that have evidence"))
    if units.shape != (len(table),):
        what = f"has shape {units.shape} for {len(table)} questions"
        problems.append(Problem("labels", what, "Give one unit for each question"))
    bad = np.flatnonzero(~np.isfinite(table).all(axis=0))
    if len(bad):
        what = f"a score is missing or infinite in column {', '.join(map(str, bad))}"
        problems.append(Problem("scores", what, "Leave configurations with failed questions out"))
    if problems:
        raise BadInput(problems)

    distinct, unit = np.unique(units, return_inverse=True)
    sums = np.zeros((len(distinct), table.shape[1]))
    np.add.at(sums, unit, table)
    sizes = np.bincount(unit, minlength=len(distinct)).astype(np.float64)
    mean = np.clip(table.mean(axis=0), table.min(axis=0), table.max(axis=0))
    return ScoreTable(table, sums, sizes, mean)
