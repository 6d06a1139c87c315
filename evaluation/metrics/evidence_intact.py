"""Whether the cuts left the evidence whole."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.metrics.metric import Metric


def evidence_intact(intact: Sequence[bool]) -> float:
    """Share of the evidence entries of which one returned range holds a passage whole.

    >>> evidence_intact([True, False])
    0.5
    """
    return sum(intact) / len(intact)


METRIC = Metric(
    name="evidence_intact",
    label="Evidence intact",
    unit="share",
    direction="higher",
    comparable="yes",
    needs_hits=False,
    source="chunksweep",
    function=lambda findings, _: evidence_intact(findings.index.intact),
)
