"""Normalised discounted cumulative gain, with binary gains."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from evaluation.metrics.metric import Metric


def ndcg(relevant: Sequence[bool], relevant_in_index: int, k: int) -> float:
    """The sum of 1 / log2(rank + 1) over the relevant ranks, divided by that of an ideal list.

    The ideal list starts with every relevant range of the whole index. 0 if there is none.

    >>> round(ndcg([True, False, True], relevant_in_index=2, k=3), 4)  # (1 + 1/2) / (1 + 1/log2(3))
    0.9197
    >>> ndcg([True, True], relevant_in_index=2, k=10), ndcg([], relevant_in_index=2, k=10)
    (1.0, 0.0)
    """
    gain = sum(1 / log2(rank + 1) for rank, hit in enumerate(relevant[:k], start=1) if hit)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(relevant_in_index, k) + 1))
    return gain / ideal if ideal else 0.0


METRIC = Metric(
    name="ndcg_at_k",
    label="nDCG@K",
    unit="score",
    direction="higher",
    comparable="no",
    needs="k",
    source="Järvelin and Kekäläinen, Cumulated Gain-Based Evaluation of IR Techniques (2002); trec_eval",
    function=lambda findings, k: ndcg(findings.relevant, findings.index.relevant, k),
)
