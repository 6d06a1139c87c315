"""Reciprocal rank of the first relevant hit."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.metric import Metric


def reciprocal_rank(relevant: Sequence[bool], k: int) -> float:
    """1 / rank of the first relevant hit among the first K, or 0: no hit, or the first one below K.

    >>> reciprocal_rank([False, False, True, True], k=5)
    0.3333333333333333
    >>> reciprocal_rank([False] * 6 + [True], k=5), reciprocal_rank([], k=5)
    (0.0, 0.0)
    """
    for rank, hit in enumerate(relevant[:k], start=1):
        if hit:
            return 1 / rank
    return 0.0


METRIC = Metric(
    name="mrr_at_k",
    label="MRR@K",
    unit="score",
    direction="higher",
    comparable="yes",
    needs="k",
    source="Voorhees, The TREC-8 Question Answering Track Report (1999)",
    function=lambda findings, k: reciprocal_rank(findings.relevant, k),
)
