"""Recall that counts less the lower the evidence stands."""

from __future__ import annotations

from math import log2

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def discounted_recall(text: Coverage) -> float:
    """The sum over ranks of the share of E newly covered there, over log2(rank + 1).

    Half of the evidence at rank 1, nothing at rank 2, the other half at rank 3: 1/2 + 1/2 * 1/2.

    >>> discounted_recall(Coverage(46, 46, 55, 54, 90, 22, new_by_rank=(23, 0, 23)))
    0.75
    """
    found = sum(new / log2(rank + 1) for rank, new in enumerate(text.new_by_rank, start=1))
    return found / text.evidence_non_white


METRIC = Metric(
    name="discounted_recall_at_k",
    label="Discounted recall@K",
    unit="score",
    direction="higher",
    comparable="at equal tokens",
    needs="k",
    source="chunksweep: the discount of nDCG on newly covered text, as in α-nDCG (Clarke et al., 2008)",
    function=lambda findings, k: discounted_recall(findings.at_k[k]),
)
