"""Chunks + vectors + gold -> what one configuration is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from evaluation import totals
from evaluation.answering import Retrieved, answer_all, similarities
from evaluation.asked import Asked, Index
from evaluation.gold.filters import passing
from evaluation.health import chunk_health, truncation
from evaluation.judging.jury import Jury, Verdicts
from evaluation.latency import stopwatch
from evaluation.metrics import column, expand
from evaluation.ranking import Ranker
from evaluation.relevance import RULES
from evaluation.retrieval import Retriever
from evaluation.scorers import Scorer, check_names
from evaluation.scoring import aggregate
from evaluation.searching import reranking, search_warnings, searching

__all__ = ["TRUNCATED_SHARE", "Asked", "Evaluation", "Index", "Retrieved", "Scorer", "evaluate"]

TRUNCATED_SHARE = 0.05
"""Above this share of tokens that the embedder never saw, a row measures the limit, not the cut."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What one configuration measured."""

    metrics: dict[str, float]
    curves: dict[str, dict[int, float]]
    """Family -> K or tokens -> mean, as in `context_recall_over_tokens`."""
    questions: tuple[dict[str, Any], ...]
    """One row a question with gold: its values (None: missing), its miss, its error."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Metric -> why it is missing or must not be compared."""
    warnings: tuple[str, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    """What each question with gold retrieved."""


def evaluate(
    index: Index,
    asked: Asked,
    ranker: Ranker,
    *,
    scorers: Mapping[str, Scorer] | None = None,
    jury: Jury | None = None,
) -> Evaluation:
    """Build the index, ask every question, score the answers, and have them judged where there is a jury.

    A question whose search fails scores 0 and is counted; a scorer or judge that fails leaves its value
    missing, is counted, and marks the configuration as not comparable. Raises `BadInput` for a scorer whose
    name is taken.
    """
    scorers = scorers or {}
    from_outside = (*scorers, *(jury.names if jury else ()))
    check_names(from_outside)
    with stopwatch() as indexing:
        ranker.build(index.embedded.vectors, index.chunks)
    settings = asked.context.settings
    searched = passing(dict(settings.filter), index.documents)
    retriever = Retriever(ranker, index.chunks, searched, index.search.scope)
    reranked = retriever.rerank(asked.scored, asked.vectors)
    answers = answer_all(index, asked, retriever, scorers, jury)
    verdicts = jury.verdicts(answers.cases) if jury else Verdicts()
    rows = answers.rows
    _add_verdicts(rows, verdicts)

    n_no_gold = len(asked.gold.questions) - len(rows)
    names = [name for name in (*(rows[0] if rows else ()),) if column(name) or name in from_outside]
    means = aggregate([{name: row[name] for name in names} for row in rows], n_no_gold)
    metrics: dict[str, float] = {
        **totals.of_questions(rows, asked.gold, n_no_gold, answers.tied),
        **chunk_health(index.documents, index.chunks),
        **truncation(index.embedded, index.limit_tokens),
        **totals.passes(index, asked.measured),
        **totals.stored_bytes(ranker.stored()),
        "index_ms": indexing.ms,
        **{f"mrr_{rule}": fsum(ranks) / len(ranks) for rule, ranks in answers.by_rule.items() if ranks},
    }
    if rows:
        tokens = asked.embedded.tokens[asked.numbers] if index.search.embeds else [0]
        metrics["query_tokens_mean"] = fsum(tokens) / len(tokens)
    of_cutting, reasons = index.cutting.metrics()
    metrics |= of_cutting
    metrics["tokens_embedded"] += index.cutting.tokens_embedded
    metrics |= verdicts.metrics
    reasons |= verdicts.reasons
    reasons |= totals.add_means(metrics, means, from_outside)
    if not rows:
        scores = (*(name for name, _, _ in expand(settings)), *from_outside)
        reasons |= dict.fromkeys((*scores, *map("mrr_{}".format, RULES)), "no question has evidence")
    if index.search.no_similarity:
        reasons |= dict.fromkeys(similarities(settings), index.search.no_similarity)
    totals.add_times(metrics, reasons, index, asked)
    found = searching(retriever, asked.scored, asked.vectors, index.embedded.vectors, settings.largest_k)
    for measures, why in (found, *([] if reranked is None else [reranking(reranked)])):
        metrics |= measures
        reasons |= why
    warnings = (
        *totals.warnings(index, metrics, asked.gold, answers.failed),
        *search_warnings(index.search, metrics, settings.largest_k),
    )
    return Evaluation(metrics, totals.curves(means), tuple(rows), reasons, warnings, tuple(answers.retrieved))


def _add_verdicts(rows: Sequence[dict[str, Any]], verdicts: Verdicts) -> None:
    """Put what was judged of each question into its row."""
    for row, verdict in zip(rows, verdicts.questions, strict=bool(verdicts.questions)):
        row |= verdict.values
        row["error"] = "; ".join(filter(None, (row["error"], *verdict.complaints))) or None
