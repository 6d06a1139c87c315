"""Which differences between configurations are real: intervals, paired tests, and a recommendation."""

from __future__ import annotations

from evaluation.statistics.baseline import Against, against, holm
from evaluation.statistics.bootstrap import mean_intervals
from evaluation.statistics.max_t import Simultaneous, simultaneous
from evaluation.statistics.planning import detectable, detectable_after
from evaluation.statistics.recommend import Recommendation, recommend
from evaluation.statistics.units import Units, components, resampling_units

__all__ = [
    "Against",
    "Recommendation",
    "Simultaneous",
    "Units",
    "against",
    "components",
    "detectable",
    "detectable_after",
    "holm",
    "mean_intervals",
    "recommend",
    "resampling_units",
    "simultaneous",
]
