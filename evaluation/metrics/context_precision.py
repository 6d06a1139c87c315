"""Mean precision at the ranks where something relevant stands."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.metric import Metric


def context_precision(relevant: Sequence[bool], k: int) -> float:
    """Mean of precision@i over the relevant ranks i <= K; 0 if there are none.

    (1/1 + 2/3) / 2, and a list that finds one of three spans and nothing else:

    >>> context_precision([True, False, True, False], k=4)
    0.8333333333333333
    >>> context_precision([True, False, False, False, False], k=5), context_precision([], k=5)
    (1.0, 0.0)

    It may fall as more evidence is found: a relevant hit at a low rank has a low precision there.

    >>> context_precision([True, False, False, False, True], k=5)
    0.7
    """
    found, total = 0, 0.0
    for rank, hit in enumerate(relevant[:k], start=1):
        if hit:
            found += 1
            total += found / rank
    return total / found if found else 0.0


METRIC = Metric(
    name="context_precision_at_k",
    label="Context precision@K",
    unit="score",
    direction="higher",
    comparable="no",
    needs="k",
    source="ragas' context precision, without its epsilon, on spans",
    function=lambda findings, k: context_precision(findings.relevant, k),
)
