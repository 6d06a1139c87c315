"""Records -> what they say: intervals, comparisons, the recommendation, and the tables to take away."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.cost import FREE, Prices, costs
from evaluation.evaluate import TRUNCATED_SHARE
from evaluation.misses import REMEDIES
from evaluation.statistics import Recommendation, against, mean_intervals, recommend
from experiments.records import RunRecord
from experiments.tables import Table, frame, in_currency, long, retrieved, wide
from strategies.errors import BadInput
from strategies.parameters import made

if TYPE_CHECKING:
    import pandas as pd


OVERLAPS = ("overlap", "overlap_sentences")
"""Parameters that ask for overlap; in a record they are numbers."""


@dataclass(frozen=True, slots=True)
class Judging:
    """By what the configurations of a sweep are compared, and which belong to it."""

    headline: str
    margin: float
    baseline: str | None
    seed: int
    repeats: int
    config_ids: tuple[str, ...]
    """In the order of the grid."""
    notes: tuple[str, ...] = ()
    """Warnings about the data that hold for every configuration."""
    prices: Prices = FREE
    """What costs are reckoned with."""

    def to_json(self) -> str:
        """JSON text that `from_json` gives back."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Judging:
        """The value that `to_json` wrote; raises ValueError for anything else."""
        try:
            content = json.loads(text)
            lists = {name: tuple(content[name]) for name in ("config_ids", "notes")}
            prices = made(Prices, content.get("prices", {}), "prices")
            return cls(**{**content, **lists, "prices": prices})
        except (AttributeError, BadInput, KeyError, TypeError) as error:
            raise ValueError(f"not a description of a sweep: {error}") from error


@dataclass(frozen=True)
class SweepResult:
    """A sweep's records with what the statistics say about them."""

    name: str
    judging: Judging
    records: tuple[RunRecord, ...]
    """Configurations in the order of the grid, repeats in order."""
    recommendation: Recommendation
    statistics: Mapping[str, Mapping[str, Any]]
    """Configuration name -> what the table holds beside measures: the verdict, and costs."""
    notes: tuple[str, ...] = ()
    """What to know before trusting the comparison."""
    traffic: str = ""
    """What the embedder was asked, as one line; empty if nothing ran."""
    ran: int = 0
    """Configurations that this launch measured."""

    @property
    def failed(self) -> tuple[RunRecord, ...]:
        """Configurations that did not finish."""
        return tuple(record for record in self.records if record.status == "failed")

    @property
    def table(self) -> Table:
        """One row a configuration."""
        return in_currency(wide(self.records, self.statistics), self.judging.prices.currency)

    @property
    def questions(self) -> Table:
        """One row a configuration, metric and question."""
        return long(self.records)

    @property
    def retrieved(self) -> Table:
        """One row a configuration, question and hit."""
        return retrieved(self.records)

    def to_frame(self) -> pd.DataFrame:
        """One row a configuration, as a pandas frame."""
        return frame(self.table)

    def questions_frame(self) -> pd.DataFrame:
        """One row a configuration, metric and question, as a pandas frame."""
        return frame(self.questions)

    def retrieved_frame(self) -> pd.DataFrame:
        """One row a configuration, question and hit, as a pandas frame."""
        return frame(self.retrieved)

    def misses(self) -> list[tuple[str, int, str]]:
        """Why the best configuration misses questions: reason, how many, what to do."""
        best = next((record for record in self.records if record.name == self.recommendation.best), None)
        counts = {reason: int(best.metrics.get(f"misses_{reason}", 0)) for reason in REMEDIES} if best else {}
        return [(reason, count, REMEDIES[reason]) for reason, count in counts.items() if count]


def judge(
    name: str, judging: Judging, records: Sequence[RunRecord], *, traffic: str = "", ran: int = 0
) -> SweepResult:
    """Compare the records of a sweep."""
    order = {config_id: place for place, config_id in enumerate(judging.config_ids)}
    asked = [r for r in records if r.config_id in order and r.repeat < judging.repeats]
    kept = sorted(asked, key=lambda r: (order[r.config_id], r.repeat))
    finished: dict[str, list[RunRecord]] = {}
    for record in kept:
        if record.status == "finished":
            finished.setdefault(record.name, []).append(record)
    names = list(finished)
    reasons = {key: not_comparable(finished[key], judging.headline) for key in names}
    eligible = [reasons[key] is None for key in names]
    scores = (
        np.column_stack([_scores(finished[key], judging.headline) for key in names])
        if names
        else np.zeros((0, 0))
    )
    labels = [row["unit"] for row in finished[names[0]][0].questions] if names else []
    recommendation = recommend(
        names,
        scores,
        labels,
        tokens_embedded=[_paid(finished[key][0], "tokens_embedded") for key in names],
        stored_bytes=[_paid(finished[key][0], "stored_bytes") for key in names],
        llm_tokens=[_paid(finished[key][0], "llm_input_tokens", "llm_output_tokens") for key in names],
        eligible=eligible,
        margin=judging.margin,
        seed=judging.seed,
    )
    if kept and not names:
        sentence = "Nothing to recommend: every configuration failed."
        recommendation = replace(recommendation, sentence=sentence)
    statistics = _verdicts(names, scores, labels, eligible, recommendation, judging)
    for key in names:
        statistics[key] |= costs(judging.prices, finished[key][0].metrics, judging.headline)
    notes = [
        *judging.notes,
        *(f"{key} is left out of the comparison: {why}" for key, why in reasons.items() if why),
    ]
    collapsed = [key for key in names if lost_overlap(finished[key][0])]
    if collapsed:
        notes.append(
            f"Overlap was asked for, but no chunk shares text with the one before: {', '.join(collapsed)}. "
            "Compare these as overlap 0"
        )
    if judging.baseline is not None and judging.baseline not in names:
        notes.append(f"The baseline {judging.baseline} has not finished, so nothing is compared with it")
    missing = len(judging.config_ids) - len({record.config_id for record in kept})
    if missing:
        notes.append(
            f"Not run yet: {missing} of {len(judging.config_ids)} configurations. Run the sweep again"
        )
    if recommendation.detectable is not None:
        notes.append(
            f"With {len(labels)} questions and {sum(eligible)} configurations, differences of about "
            f"{recommendation.detectable:.3f} in {judging.headline} are found 8 times in 10; "
            "smaller ones mostly are not"
        )
    return SweepResult(name, judging, tuple(kept), recommendation, statistics, tuple(notes), traffic, ran)


def lost_overlap(record: RunRecord) -> bool:
    """Whether an overlap was asked for that came about nowhere, as where whole pieces are longer than it."""
    asked = any(
        isinstance(value, int | float) and value > 0
        for name, value in record.params.items()
        if name in OVERLAPS
    )
    return asked and bool(record.chunks) and not record.metrics.get("overlap_effective")


def not_comparable(records: Sequence[RunRecord], headline: str) -> str | None:
    """Why a configuration must not be compared or recommended; None if it may."""
    for record in records:
        metrics = record.metrics
        if not metrics.get("chunks"):
            return "it has no chunks"
        if headline not in metrics:
            return record.reasons.get(headline, f"{headline} is missing")
        if metrics.get("truncated_token_share", 0.0) > TRUNCATED_SHARE:
            return f"{metrics['truncated_token_share']:.0%} of its tokens are past the embedder's limit"
        judges = [
            key.removeprefix("n_failed_") for key, n in metrics.items() if key.startswith("n_failed_") and n
        ]
        if judges:
            return f"{judges[0]} could not be had for {int(metrics[f'n_failed_{judges[0]}'])} questions"
    return None


def _paid(record: RunRecord, *names: str) -> float:
    return sum(record.metrics.get(name, 0.0) for name in names)


def _scores(records: Sequence[RunRecord], headline: str) -> npt.NDArray[np.float64]:
    """The headline of each question, mean over repeats; a failed question scores 0, as in the mean."""
    table = np.array(
        [
            [0.0 if row.get(headline) is None else row[headline] for row in record.questions]
            for record in records
        ]
    )
    return np.asarray(table.mean(axis=0), dtype=np.float64)


def _verdicts(
    names: Sequence[str],
    scores: npt.NDArray[np.float64],
    labels: Sequence[int],
    eligible: Sequence[bool],
    recommendation: Recommendation,
    judging: Judging,
) -> dict[str, dict[str, Any]]:
    verdicts: dict[str, dict[str, Any]] = {
        name: {
            "headline": judging.headline,
            "recommended": name == recommendation.name,
            "best": name == recommendation.best,
            "tied": name in recommendation.tied and len(recommendation.tied) > 1,
            "loss_bound": bound,
        }
        for name, bound in zip(names, recommendation.loss_bounds, strict=True)
    }
    if not len(scores):
        return verdicts
    low, high = mean_intervals(scores, labels, seed=judging.seed)
    for place, name in enumerate(names):
        verdicts[name] |= {"headline_low": float(low[place]), "headline_high": float(high[place])}
    if judging.baseline in names:
        places = [place for place, fit in enumerate(eligible) if fit or names[place] == judging.baseline]
        base = places.index(names.index(judging.baseline))
        tests = against(scores[:, places], base, labels, seed=judging.seed)
        for row, place in enumerate(places):
            verdicts[names[place]]["difference_to_baseline"] = float(tests.difference[row])
            if row != base:
                verdicts[names[place]]["p_baseline_holm"] = float(tests.p_holm[row])
    return verdicts
