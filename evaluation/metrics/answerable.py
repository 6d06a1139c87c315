"""Whether all of the evidence is in the prompt."""

from __future__ import annotations

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def answerable(text: Coverage) -> float:
    """1 if the text holds every non-white character of E, else 0.

    >>> answerable(Coverage(46, 46, 55, 54, 90, 22)), answerable(Coverage(46, 45, 55, 54, 90, 22))
    (1.0, 0.0)
    """
    return float(text.complete)


METRIC = Metric(
    name="answerable_at_B_tokens",
    label="Answerable in B tokens",
    unit="share",
    direction="higher",
    comparable="yes",
    needs="budget",
    source="chunksweep",
    function=lambda findings, budget: answerable(findings.at_budget[budget]),
)
