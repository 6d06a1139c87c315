"""How much the first relevant hit holds, and how long it is: read them beside MRR and hit@K.

A tiny chunk inside the evidence and a huge one around it are both relevant; these two tell them apart.
"""

from __future__ import annotations

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def coverage(first: Coverage | None) -> float:
    """Share of E in the first relevant hit, by non-white characters; 0 if there is no such hit.

    >>> coverage(Coverage(46, 23, 55, 28, 30, 7)), coverage(None)
    (0.5, 0.0)
    """
    return 0.0 if first is None else first.recall


def tokens(first: Coverage | None) -> float | None:
    """Tokens of the first relevant hit; missing if there is no such hit.

    >>> tokens(Coverage(46, 23, 55, 28, 30, 7)), tokens(None)
    (7.0, None)
    """
    return None if first is None else float(first.text_tokens)


COVERAGE = Metric(
    name="first_hit_coverage",
    label="First hit's coverage",
    unit="share",
    direction="higher",
    comparable="yes",
    source="chunksweep",
    function=lambda findings, _: coverage(findings.first_relevant),
)
TOKENS = Metric(
    name="first_hit_tokens",
    label="First hit's tokens",
    unit="tokens",
    direction="lower",
    comparable="yes",
    may_be_missing=True,
    source="chunksweep",
    function=lambda findings, _: tokens(findings.first_relevant),
)
