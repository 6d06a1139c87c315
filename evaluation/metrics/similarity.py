"""How sure the search was: the similarity of the first hit and of the first relevant one.

They say how well the embedder tells the evidence from the rest; between embedders they mean nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from evaluation.metrics.metric import Metric


def top1(scores: Sequence[float]) -> float | None:
    """Similarity of the first hit; missing if there is none.

    >>> top1([0.75, 0.5]), top1([])
    (0.75, None)
    """
    return scores[0] if scores and isfinite(scores[0]) else None


def first_relevant(scores: Sequence[float], relevant: Sequence[bool]) -> float | None:
    """Similarity of the first relevant hit down to the largest K; missing if there is none.

    >>> first_relevant([0.75, 0.5], [False, True]), first_relevant([0.75], [False])
    (0.5, None)
    """
    return next((s for s, hit in zip(scores, relevant, strict=True) if hit and isfinite(s)), None)


def margin(scores: Sequence[float], relevant: Sequence[bool]) -> float | None:
    """How far the first relevant hit lies behind the first hit: 0 if it is the first hit.

    >>> margin([0.75, 0.5], [False, True]), margin([0.75], [True]), margin([0.75], [False])
    (0.25, 0.0, None)
    """
    first, best = first_relevant(scores, relevant), top1(scores)
    return None if first is None or best is None else best - first


TOP1 = Metric(
    name="top1_similarity",
    label="Top-1 similarity",
    unit="similarity",
    direction="none",
    comparable="no",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, _: top1(findings.scores),
)
FIRST_RELEVANT = Metric(
    name="first_relevant_similarity",
    label="First relevant hit's similarity",
    unit="similarity",
    direction="none",
    comparable="no",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, _: first_relevant(findings.scores, findings.relevant),
)
MARGIN = Metric(
    name="similarity_margin",
    label="Similarity margin",
    unit="similarity",
    direction="lower",
    comparable="no",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, _: margin(findings.scores, findings.relevant),
)
