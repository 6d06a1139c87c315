"""Whether anything relevant was found."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.metric import Metric


def hit(relevant: Sequence[bool], k: int) -> float:
    """1 if one of the first K hits is relevant, else 0. Its mean is often called the hit rate.

    >>> hit([False, False, True], k=3), hit([False, False, True], k=2), hit([], k=3)
    (1.0, 0.0, 0.0)
    """
    return float(any(relevant[:k]))


METRIC = Metric(
    name="hit_at_k",
    label="Hit@K",
    unit="share",
    direction="higher",
    comparable="yes",
    needs="k",
    source="standard: success at K, as in trec_eval",
    function=lambda findings, k: hit(findings.relevant, k),
)
