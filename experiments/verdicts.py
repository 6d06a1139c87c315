"""What the table says of each configuration beside its measures, and what to know about these verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.cost import prompt_tokens_column
from evaluation.relevance import RULES
from evaluation.statistics import (
    Recommendation,
    against,
    kendall_tau,
    mean_intervals,
    paired_intervals,
    pareto_front,
)
from experiments.compared import Compared
from experiments.records import RunRecord

if TYPE_CHECKING:
    from experiments.results import Judging

Verdicts = dict[str, dict[str, Any]]
"""Configuration name -> column of the table -> value."""

AGREEMENT = 0.8
"""Kendall's tau-b under which rankings are said to differ: one pair in ten stands the other way round."""

INGESTION = ("split_ms", "split_embed_ms", "llm_ms", "embed_ms", "index_ms")
"""What passes between the documents and a finished index; strategies that ask no model lack two of them."""


def verdicts(
    whole: Compared, dev: Compared, test: Compared | None, recommendation: Recommendation, judging: Judging
) -> Verdicts:
    """The verdict columns of every finished configuration, but for `front` and `agreement`.

    `dev` holds the questions that the recommendation rests on, `test` those kept for the report; without a
    split `dev` is `whole`, and there is no `test`.
    """
    found: Verdicts = {
        name: {
            "headline": judging.headline,
            "recommended": name == recommendation.name,
            "best": name == recommendation.best,
            "tied": name in recommendation.tied and len(recommendation.tied) > 1,
            "loss_bound": bound,
        }
        for name, bound in zip(whole.names, recommendation.loss_bounds, strict=True)
    }
    if not len(dev.scores):
        return found
    low, high = mean_intervals(whole.scores, whole.units.labels, seed=judging.seed)
    for place, name in enumerate(whole.names):
        found[name] |= {"headline_low": float(low[place]), "headline_high": float(high[place])}
    if judging.baseline in whole.names:
        _against_baseline(found, dev, judging)
    if test is not None:
        for place, name in enumerate(whole.names):
            found[name]["headline_dev"] = float(dev.scores[:, place].mean())
        for name in reported(recommendation, judging, whole.names):
            place = whole.names.index(name)
            mean, low_end, high_end = _mean(test, test.scores[:, [place]], judging.seed)
            found[name] |= {
                "headline_test": mean,
                "headline_test_low": low_end,
                "headline_test_high": high_end,
            }
    return found


def _against_baseline(found: Verdicts, dev: Compared, judging: Judging) -> None:
    names = dev.names
    places = [place for place, fit in enumerate(dev.eligible) if fit or names[place] == judging.baseline]
    base = places.index(names.index(judging.baseline or ""))
    tests = against(dev.scores[:, places], base, dev.units.labels, seed=judging.seed)
    for row, place in enumerate(places):
        found[names[place]]["difference_to_baseline"] = float(tests.difference[row])
        if row != base:
            found[names[place]]["p_baseline_holm"] = float(tests.p_holm[row])
            if np.isfinite(tests.low[row]):
                found[names[place]] |= {
                    "difference_low": float(tests.low[row]),
                    "difference_high": float(tests.high[row]),
                }


def reported(recommendation: Recommendation, judging: Judging, names: Sequence[str]) -> list[str]:
    """The configurations that are measured on the test side: what was chosen, and the baseline."""
    chosen = recommendation.name or recommendation.best
    wanted = dict.fromkeys((chosen, judging.baseline))
    return [name for name in wanted if name is not None and name in names]


def report(dev: Compared, test: Compared, recommendation: Recommendation, judging: Judging) -> str:
    """What the chosen configuration is worth on questions that it was not chosen on, in plain English."""
    said = reported(recommendation, judging, dev.names)
    chosen = recommendation.name or recommendation.best
    if chosen not in said:
        return ""
    place = dev.names.index(chosen)
    mean, low, high = _mean(test, test.scores[:, [place]], judging.seed)
    before = float(dev.scores[:, place].mean())
    text = (
        f"On the {len(test.scores):,} questions kept for the report, {chosen} has {mean:.3f} (95 % interval "
        f"{low:.3f} to {high:.3f}); on the {len(dev.scores):,} that it was chosen on, {before:.3f}. "
    )
    if before - mean >= 0.0005:
        text += f"That is {before - mean:.3f} less: choosing the best of many flatters, so quote the former."
    else:
        text += "Choosing the best of many did not flatter it here; quote the former all the same."
    if judging.baseline in said and judging.baseline != chosen:
        base = dev.names.index(judging.baseline)
        there, low, high = _mean(test, test.scores[:, [base]], judging.seed)
        text += f" The baseline {judging.baseline} has {there:.3f} there ({low:.3f} to {high:.3f})"
        difference = test.scores[:, [place]] - test.scores[:, [base]]
        lows, highs = paired_intervals(difference, test.units.labels, seed=judging.seed)
        within = (
            f"{lows[0]:+.3f} to {highs[0]:+.3f}" if np.isfinite(lows[0]) else "too few differ for an interval"
        )
        text += f"; {chosen} less {judging.baseline} is {difference.mean():+.3f} ({within})."
    return text


def _mean(asked: Compared, scores: np.ndarray[Any, Any], seed: int) -> tuple[float, float, float]:
    """Mean of one column with the ends of its interval."""
    low, high = mean_intervals(scores, asked.units.labels, seed=seed)
    return float(scores.mean()), float(low[0]), float(high[0])


TIMES, TIME_SLACK = ("ingestion time", "query time"), 0.1
"""Costs that a clock measured, and the share by which two of them may differ and still be equal."""


def front(dev: Compared, judging: Judging) -> tuple[Verdicts, list[str]]:
    """Membership of the Pareto front with its probability, and a note where a cost could not be compared.

    Rows that are not comparable have no membership. Times that differ by at most a tenth are equal: a clock
    on a shared machine gives them no more exactly.
    """
    names = [name for name, fit in zip(dev.names, dev.eligible, strict=True) if fit]
    if not names or not len(dev.scores):
        return {}, []
    paid = {label: [_cost(dev.finished[name], parts) for name in names] for label, parts in _costs(dev)}
    whole = {label: [c for c in costs if c is not None] for label, costs in paid.items()}
    held = {label: costs for label, costs in whole.items() if len(costs) == len(names)}
    table = np.array(list(held.values())).reshape(len(held), len(names))
    slack = [TIME_SLACK if label in TIMES else 0.0 for label in held]
    found = pareto_front(
        dev.scores[:, dev.eligible], table.T, dev.units.labels, slack=slack, seed=judging.seed
    )
    rows: Verdicts = {
        name: {"pareto": bool(member), "pareto_probability": float(share)}
        for name, member, share in zip(names, found.member, found.probability, strict=True)
    }
    for name, time in zip(names, paid["ingestion time"], strict=True):
        if time is not None:
            rows[name]["ingestion_ms"] = time
    gone = [f"{label} ({len(whole[label])} of {len(names)} have it)" for label in paid if label not in held]
    if not gone:
        return rows, []
    note = f"The Pareto front leaves out what not every configuration could measure here: {', '.join(gone)}"
    return rows, [note]


def _costs(dev: Compared) -> list[tuple[str, tuple[str, ...]]]:
    """What a configuration costs, with the measures that each cost is the sum of."""
    prompt_tokens = prompt_tokens_column(dev.headline)
    prompt = [("prompt tokens", (prompt_tokens,))] if prompt_tokens else []
    return [
        *prompt,
        ("stored bytes", ("stored_bytes",)),
        ("ingestion time", INGESTION),
        ("query time", ("query_embed_ms_p95", "search_ms_p95", "rerank_ms_p95")),
    ]


def _cost(repeats: Sequence[RunRecord], parts: Sequence[str]) -> float | None:
    """The sum of these measures, mean over repeats; None if one of them could not be had.

    A part that a record neither has nor gives a reason for does not occur there, such as a language model's.
    """
    sums = []
    for record in repeats:
        if any(part in record.reasons and part not in record.metrics for part in parts):
            return None
        present = [record.metrics[part] for part in parts if part in record.metrics]
        if not present:
            return None
        sums.append(math.fsum(present))
    return math.fsum(sums) / len(sums)


def agreement(whole: Compared) -> tuple[float | None, str]:
    """How far the rules of relevance rank alike: the least Kendall's tau-b, and a sentence.

    The rankings are those of MRR at the largest K, over configurations that can be compared; fewer than
    three of them, or one that lacks a measure (recorded by an older version), say nothing.
    """
    repeats = [records for name, records in whole.finished.items() if name not in whole.reasons]
    means = {rule: [_cost(records, [f"mrr_{rule}"]) for records in repeats] for rule in RULES}
    if len(repeats) < 3 or any(mean is None for values in means.values() for mean in values):
        return None, ""
    taus: Mapping[tuple[str, str], float | None] = {
        (one, other): kendall_tau([m or 0.0 for m in means[one]], [m or 0.0 for m in means[other]])
        for one, other in combinations(RULES, 2)
    }
    known = {pair: tau for pair, tau in taus.items() if tau is not None}
    if not known:
        return None, ""
    least = min(known.values())
    figures = ", ".join(f"{one} and {other} {tau:.2f}" for (one, other), tau in known.items())
    if least < AGREEMENT:
        text = "By MRR, the ranking depends on what counts as relevant"
    else:
        text = "By MRR, configurations rank nearly alike whatever counts as relevant"
    return least, f"{text} (Kendall's tau-b of the rules: {figures})"
