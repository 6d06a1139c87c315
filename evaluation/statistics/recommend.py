"""One recommendation from a table of scores: the cheapest configuration that gives up little, or none.

No evidence of a difference is no evidence of equality. A configuration is recommended only when its
loss is *shown* to be small, by bounds that hold for all pairs at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.statistics.explain import Row, cannot_tell_sentence, recommend_sentence
from evaluation.statistics.max_t import Simultaneous, simultaneous
from evaluation.statistics.planning import detectable_after, units_needed
from evaluation.statistics.scores import Labels
from strategies.errors import BadInput, Problem

ROUNDING = 1e-12
"""A bound that exceeds the margin by less than this is within it: the order of sums can make as much."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to use, or why that cannot be said."""

    kind: Literal["recommend", "cannot_tell", "nothing"]
    name: str | None
    """The recommended configuration; None unless `kind` is "recommend"."""
    best: str | None
    """Highest mean among the eligible; of equals the cheaper, then the first by name."""
    tied: tuple[str, ...]
    """The best, and all that are not shown to be worse than it, in the order given."""
    loss_bounds: tuple[float | None, ...]
    """For each row, the most it loses to whichever of `tied` is really the best; None if left out."""
    margin: float
    questions_needed: int | None
    """With "cannot tell": about how many questions would decide; None otherwise, or if none would."""
    sentence: str
    """All of it in plain English."""
    detectable: float | None = None
    """True difference that 8 of 10 such comparisons would find; None if scores do not differ at all."""


COSTS = ("tokens_embedded", "stored_bytes", "llm_tokens", "rerank_pairs")
"""What is paid, in the order of a `Row`'s fields."""


def recommend(
    names: Sequence[str],
    scores: ArrayLike,
    labels: Labels,
    *,
    tokens_embedded: Sequence[float],
    stored_bytes: Sequence[float],
    llm_tokens: Sequence[float] | None = None,
    rerank_pairs: Sequence[float] | None = None,
    eligible: Sequence[bool] | None = None,
    margin: float = 0.02,
    level: float = 0.95,
    permutations: int = 10_000,
    seed: int,
    side: str | None = None,
    among: str = "",
) -> Recommendation:
    """Recommend the cheapest configuration whose loss to the best is shown to stay within `margin`.

    `scores` is (n questions, m configurations) of the headline, `labels` the unit of each question;
    costs are compared as a language model's tokens, then pairs that are reranked (none of either if not
    given), then tokens embedded, then stored bytes, then name. Rows that are not `eligible` (truncated, or
    not comparable) are left out of every comparison and may hold missing scores. `side` names the side of a
    split that the questions are of, and `among` what some of them are, both for the sentence.

    Which configuration is really the best is not known, only that it is among those not excluded: the
    bound on the loss of a row is therefore its largest upper bound against any of them. If no row but
    the best stays within the margin while others are neither excluded nor shown to be within it, the
    answer is "cannot tell". Raises BadInput with every problem found.
    """
    keep = np.ones(len(names), dtype=bool) if eligible is None else np.asarray(eligible, dtype=bool)
    none = [0.0] * len(names)
    others = (none if cost is None else cost for cost in (llm_tokens, rerank_pairs))
    paid = (tokens_embedded, stored_bytes, *others)
    costs = [np.asarray(cost, dtype=np.float64) for cost in paid]
    table = np.asarray(scores, dtype=np.float64)
    _check(names, table, keep, costs, margin)
    nothing = _nothing(len(table), keep, margin)
    if nothing is not None:
        return nothing

    columns = np.flatnonzero(keep).tolist()
    result = simultaneous(table[:, columns], labels, level=level, permutations=permutations, seed=seed)
    rows = [
        Row(names[c], float(mean), *(float(cost[c]) for cost in costs))
        for c, mean in zip(columns, result.mean, strict=True)
    ]
    by_cost = sorted(range(len(rows)), key=lambda row: rows[row].cost)
    best = max(by_cost, key=lambda row: round(rows[row].mean, 12))

    tied = result.lower[:, best] <= 0
    loss_bound = np.maximum(result.upper[:, tied].max(axis=1), 0)
    within = loss_bound <= margin + ROUNDING
    undecided = tied & (result.upper[:, best] > margin)
    left_out = len(names) - len(rows)
    decided = not undecided.any() or np.delete(within, best).any()
    needed = None
    kind: Literal["recommend", "cannot_tell", "nothing"] = "recommend" if decided else "cannot_tell"
    asked = f"{len(table):,} {f'{side} ' if side else ''}question{'' if len(table) == 1 else 's'}"
    asked += f", {among}" if among else ""
    if len(rows) == 1:
        kind, chosen = "nothing", None
        sentence = (
            f"Nothing to choose from: {rows[best].name} (mean {rows[best].mean:.3f}) is the only "
            "configuration that can be compared."
        )
    elif decided:
        chosen = next(row for row in by_cost if within[row])
        by = f" by {asked}" if among else ""
        sentence = recommend_sentence(rows, result, chosen, best, by_cost[0], tied, loss_bound, margin, by)
    else:
        chosen = None
        needed = _questions_needed(result, best, undecided, margin, questions=len(table))
        open_ones = [row for row in by_cost if undecided[row]]
        sentence = cannot_tell_sentence(rows, result, best, open_ones, tied, margin, needed, asked, side)
    if left_out:
        sentence += f" Left out, as truncated or not comparable: {left_out} of {len(names)}."

    bounds: list[float | None] = [None] * len(names)
    for column, bound in zip(columns, loss_bound, strict=True):
        bounds[column] = float(bound)
    return Recommendation(
        kind=kind,
        name=None if chosen is None else rows[chosen].name,
        best=rows[best].name,
        tied=tuple(row.name for row, not_excluded in zip(rows, tied, strict=True) if not_excluded),
        loss_bounds=tuple(bounds),
        margin=margin,
        questions_needed=needed,
        sentence=sentence,
        detectable=(detectable_after(result) or None) if len(rows) > 1 else None,
    )


def _check(
    names: Sequence[str],
    table: NDArray[np.float64],
    keep: NDArray[np.bool_],
    costs: Sequence[NDArray[np.float64]],
    margin: float,
) -> None:
    count = len(names)
    problems = []
    if table.ndim != 2 or table.shape[1] != count:
        problems.append(
            Problem("scores", f"has shape {table.shape} for {count} names", "Give one column a name")
        )
    if len(set(names)) != count:
        problems.append(Problem("names", "a name occurs twice", "Name every configuration differently"))
    if keep.shape != (count,):
        problems.append(Problem("eligible", f"has shape {keep.shape} for {count} names", "Give one a name"))
    for where, cost in zip(COSTS, costs, strict=True):
        if cost.shape != (count,):
            problems.append(Problem(where, f"has shape {cost.shape} for {count} names", "Give one a name"))
        elif not np.isfinite(cost).all():
            problems.append(Problem(where, "one is missing or infinite", "Measure it, or give 0 to all"))
    if not 0 <= margin < math.inf:
        problems.append(Problem("margin", f"is {margin}", "Give the loss you would accept, 0 or more"))
    if problems:
        raise BadInput(problems)


def _nothing(questions: int, keep: NDArray[np.bool_], margin: float) -> Recommendation | None:
    """The answer where there is nothing to compare, or None."""
    if not len(keep):
        reason = "no configuration was run."
    elif not questions:
        reason = "no question is scored. Add questions that have evidence."
    elif not keep.any():
        reason = (
            "every configuration is truncated by the embedder or not comparable. "
            "Use smaller chunks, or an embedder with a higher limit."
        )
    else:
        return None
    sentence = f"Nothing to recommend: {reason}"
    return Recommendation("nothing", None, None, (), (None,) * len(keep), margin, None, sentence)


def _questions_needed(
    result: Simultaneous, best: int, undecided: NDArray[np.bool_], margin: float, questions: int
) -> int | None:
    """Questions that would decide every undecided row, rounded up to two digits.

    Units are taken to hold as many questions as now. The critical value of a small sample is larger
    than that of the sample asked for, which Bonferroni's normal quantile bounds.
    """
    columns = len(result.mean)
    pairs = columns * (columns - 1) // 2
    critical = min(result.critical, NormalDist().inv_cdf(1 - (1 - result.level) / (2 * pairs)))
    most = 0
    for row in np.flatnonzero(undecided):
        units = units_needed(
            max(0.0, float(result.difference[row, best])),
            float(result.se[row, best]) * math.sqrt(result.units),
            margin=margin,
            critical=critical,
            columns=columns,
            level=result.level,
        )
        if units is None:
            return None
        most = max(most, units)
    needed = max(math.ceil(most * questions / result.units), questions + 1)
    step: int = 10 ** max(0, len(str(needed)) - 2)
    return -(-needed // step) * step
