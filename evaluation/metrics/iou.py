"""Overlap of retrieved text and evidence, set against both together."""

from __future__ import annotations

from evaluation.coverage import Coverage
from evaluation.metrics.metric import Metric


def iou(text: Coverage) -> float:
    """length(U ∩ E) / length(U ∪ E), in characters: the Jaccard index; 0 if nothing was retrieved.

    Evidence [7, 62), retrieved [0, 30): 23 shared of the 62 characters that either holds.

    >>> iou(Coverage(46, 19, evidence_characters=55, shared_characters=23, text_characters=30, text_tokens=7))
    0.3709677419354839
    """
    either = text.text_characters + text.evidence_characters - text.shared_characters
    return text.shared_characters / either


METRIC = Metric(
    name="iou_at_k",
    label="IoU@K",
    unit="share",
    direction="higher",
    comparable="at equal tokens",
    needs="k",
    source="Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024)",
    function=lambda findings, k: iou(findings.at_k[k]),
)
