"""Which differences between configurations are real: intervals, paired tests, and a recommendation."""

from __future__ import annotations

from evaluation.statistics.baseline import Against, against, holm, paired_intervals
from evaluation.statistics.bootstrap import mean_intervals
from evaluation.statistics.max_t import Simultaneous, simultaneous
from evaluation.statistics.pareto import Front, pareto_front
from evaluation.statistics.planning import detectable, detectable_after
from evaluation.statistics.ranks import kendall_tau
from evaluation.statistics.recommend import Recommendation, recommend
from evaluation.statistics.split import Side, sides, split_problem
from evaluation.statistics.units import Units, components, resampling_units, settled

__all__ = [
    "Against",
    "Front",
    "Recommendation",
    "Side",
    "Simultaneous",
    "Units",
    "against",
    "components",
    "detectable",
    "detectable_after",
    "holm",
    "kendall_tau",
    "mean_intervals",
    "paired_intervals",
    "pareto_front",
    "recommend",
    "resampling_units",
    "settled",
    "sides",
    "simultaneous",
    "split_problem",
]
