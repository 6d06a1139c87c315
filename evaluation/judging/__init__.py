"""Measures of ragas, beside our own: some computed, some asked of a language model. The one door to ragas."""

from __future__ import annotations

from evaluation.judging.judge import Answering, Judge, read_judge
from evaluation.judging.jury import Jury, Verdicts
from evaluation.judging.measures import JUDGED, Measure

__all__ = ["JUDGED", "Answering", "Judge", "Jury", "Measure", "Verdicts", "read_judge"]
