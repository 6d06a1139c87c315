"""The best precision that a way of cutting allows, whatever the embedder."""

from __future__ import annotations

from evaluation.metrics.char_precision import char_precision
from evaluation.metrics.metric import Metric

METRIC = Metric(
    name="precision_omega",
    label="Precision Ω",
    unit="share",
    direction="higher",
    comparable="yes",
    needs_hits=False,
    source="Smith and Troynikov, Evaluating Chunking Strategies for Retrieval (Chroma, 2024)",
    function=lambda findings, _: char_precision(findings.index.overlapping),
)
"""`char_precision` of every returned range that overlaps E, as if exactly those were retrieved."""
