"""Share of the first K places that hold something relevant."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.metric import Metric


def precision(relevant: Sequence[bool], k: int) -> float:
    """Relevant hits among the first K, divided by K, however short the list is.

    >>> precision([True, False, True], k=5), precision([], k=5)
    (0.4, 0.0)
    """
    return sum(relevant[:k]) / k


METRIC = Metric(
    name="precision_at_k",
    label="Precision@K",
    unit="share",
    direction="higher",
    comparable="no",
    needs="k",
    source="standard: P at K, as in trec_eval",
    function=lambda findings, k: precision(findings.relevant, k),
)
