"""The table of all metrics, as it stands in `docs/metrics.md`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from evaluation.gold import Evidence, Passage, Question
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.metrics import METRICS
from evaluation.metrics.metric import Metric
from evaluation.scoring import ScoringContext, score_question
from evaluation.settings import Settings
from strategies.document import Chunk, Document

BETTER = {"higher": "higher", "lower": "lower", "none": ""}
HEAD = (
    *("column", "label", "unit", "better", "comparable across chunkings?"),
    *("nothing retrieved", "search failed", "source"),
)


def markdown_table(metrics: Iterable[Metric] = tuple(METRICS.values())) -> str:
    """One row a metric: its name, how to read it, what it says of an empty list, where it comes from."""
    lines = [f"| {' | '.join(HEAD)} |", "| --- " * len(HEAD) + "|"]
    for metric in metrics:
        name = (f"`{metric.name}`", metric.label, metric.unit, BETTER[metric.direction], metric.comparable)
        lines.append("| " + " | ".join((*name, *without_hits(metric), metric.source)) + " |")
    return "\n".join(lines) + "\n"


def without_hits(metric: Metric) -> tuple[str, str]:
    """What a question counts that retrieved nothing, and one whose search failed: as scoring gives it.

    >>> without_hits(METRICS["mrr_at_k"]), without_hits(METRICS["prompt_tokens_at_k"])
    (('0', '0'), ('0', 'missing'))
    """
    if not metric.needs_hits:
        return "as ever", "as ever"
    text = "word"
    document, settings = Document("d", text), Settings(ks=(1,), budgets=(1,))
    layout = Layout.of([Chunk("d", 0, 0, len(text), text, 1, text, (0, len(text)))])
    context = ScoringContext({"d": Measured.of(document, np.array([0]))}, layout, settings)
    question = Question("q", "?", (Evidence((Passage("d", 0, len(text)),)),))
    nothing, failed = (score_question(question, hits, context) for hits in ((), None))
    return _told(metric, nothing), _told(metric, failed)


def _told(metric: Metric, scores: Mapping[str, float | None]) -> str:
    value = scores[metric.column(1)]
    if value is None:
        return "missing" if metric.may_be_missing else "0"
    return f"{value:g}"
