"""Records of a sweep -> its headline, question by question: the table that every comparison is made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.evaluate import TRUNCATED_SHARE
from evaluation.statistics.units import Units, settled
from evaluation.stores import Store
from experiments.likeness import differing_scores
from experiments.records import Row, RunRecord
from strategies.errors import BadInput
from strategies.named import read_named

if TYPE_CHECKING:
    from experiments.results import Judging


@dataclass(frozen=True)
class Compared:
    """The finished configurations of a sweep, and how the questions asked went in each."""

    headline: str
    finished: Mapping[str, Sequence[RunRecord]]
    """Configuration name -> its finished repeats, in the order of the grid."""
    reasons: Mapping[str, str]
    """Configuration name -> why it must not be compared, for those that must not."""
    questions: tuple[Row, ...]
    """What is known about each question: `question_id`, `tags`, `unit`, `documents`."""
    scores: npt.NDArray[np.float64]
    """(questions, configurations): the headline, mean over repeats."""
    apart: frozenset[str] = frozenset()
    """Those among `reasons` that searched other documents than the rest, so that not even a difference to one
    of the rest means anything."""

    @property
    def names(self) -> list[str]:
        """The configurations, as the columns of `scores`."""
        return list(self.finished)

    @property
    def eligible(self) -> list[bool]:
        """Of each configuration, whether it may be compared."""
        return [name not in self.reasons for name in self.finished]

    @cached_property
    def units(self) -> Units:
        """The units of resampling of these questions."""
        return settled([row["unit"] for row in self.questions])

    def only(self, ids: Collection[str]) -> Compared:
        """The same over some of the questions, by their ids."""
        rows = [place for place, row in enumerate(self.questions) if row.get("question_id") in ids]
        asked = tuple(self.questions[place] for place in rows)
        return replace(self, questions=asked, scores=self.scores[rows])


def compared(judging: Judging, records: Sequence[RunRecord]) -> Compared:
    """What the finished among these records say, which are in the order of the grid, repeats in order."""
    finished: dict[str, list[RunRecord]] = {}
    for record in records:
        if record.status == "finished":
            finished.setdefault(record.name, []).append(record)
    reasons = {name: not_comparable(repeats, judging.headline) for name, repeats in finished.items()}
    apart = searched_less(finished)
    reasons |= {name: reasons[name] or "it searches only documents that hold the evidence" for name in apart}
    if not finished:
        return Compared(judging.headline, {}, {}, (), np.zeros((0, 0)))
    return Compared(
        headline=judging.headline,
        finished=finished,
        reasons={name: reason for name, reason in reasons.items() if reason is not None},
        questions=next(iter(finished.values()))[0].questions,
        scores=np.column_stack([_scores(repeats, judging.headline) for repeats in finished.values()]),
        apart=apart,
    )


PAID = {
    "tokens_embedded": ("tokens_embedded",),
    "stored_bytes": ("stored_bytes",),
    "llm_tokens": ("llm_input_tokens", "llm_output_tokens"),
    "rerank_pairs": ("rerank_pairs",),
}
"""What decides between equals, by the names of `recommend`, and the measures that each is the sum of."""


def paid(measures: Mapping[str, Any]) -> dict[str, float]:
    """What a configuration costs, of its measures; what is not among them costs nothing."""
    return {cost: float(sum(measures.get(part) or 0 for part in parts)) for cost, parts in PAID.items()}


def searched_less(finished: Mapping[str, Sequence[RunRecord]]) -> frozenset[str]:
    """Configurations with `scope: document`, where others search all documents; none where all are alike."""
    scopes = {name: repeats[0].params.get("scope") for name, repeats in finished.items()}
    less = frozenset(name for name, scope in scopes.items() if scope == "document")
    return less if len(less) < len(scopes) else frozenset()


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
    scores = differing_scores(records)
    if scores and not varies(records[0]):
        some = ", ".join(scores[:3]) + (", ..." if len(scores) > 3 else "")
        return f"it scored differently in its repeats ({some}), and must not: its numbers cannot be trusted"
    return None


def varies(record: RunRecord) -> bool:
    """Whether two builds of its index may answer differently, as its store says."""
    said = record.config.get("search", {}).get("store")
    if said is None:
        return False
    try:
        store = read_named(Store, said)
    except (BadInput, TypeError):  # recorded by a version that knew other parameters
        return False
    return isinstance(store, Store) and store.varies


def _scores(records: Sequence[RunRecord], headline: str) -> npt.NDArray[np.float64]:
    """The headline of each question, mean over repeats; a failed question scores 0, as in the mean."""
    table = np.array(
        [
            [0.0 if row.get(headline) is None else row[headline] for row in record.questions]
            for record in records
        ]
    )
    return np.asarray(table.mean(axis=0), dtype=np.float64)
