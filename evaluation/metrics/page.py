"""The table of all metrics, as it stands in `docs/metrics.md`."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.metrics import METRICS
from evaluation.metrics.metric import Metric

BETTER = {"higher": "higher", "lower": "lower", "none": ""}


def markdown_table(metrics: Iterable[Metric] = tuple(METRICS.values())) -> str:
    """One row a metric: column name, label, unit, which way is better, comparable or not, source."""
    lines = ["| column | label | unit | better | comparable across chunkings? | source |", "| --- " * 6 + "|"]
    for metric in metrics:
        cells = (f"`{metric.name}`", metric.label, metric.unit, BETTER[metric.direction])
        lines.append("| " + " | ".join((*cells, metric.comparable, metric.source)) + " |")
    return "\n".join(lines) + "\n"
