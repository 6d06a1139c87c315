"""Measures from outside, such as a judge's verdicts, beside our own scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite

from evaluation.cost import COSTS
from evaluation.gold import Question
from evaluation.metrics import column
from evaluation.retrieval import Hit
from strategies.errors import BadInput, Problem

Scorer = Callable[[Question, Sequence[Hit]], float]
"""One number for one question and its ranked list; raising means that it could not be had."""

ROW_KEYS = (
    "question_id", "question", "tags", "synthetic", "unit", "documents",
    "miss", "miss_flags", "sought", "error",
)  # fmt: skip
"""What a question's row holds beside its scores."""

MEASURES = frozenset((
    "n_questions", "n_scored", "n_failed", "n_no_gold", "synthetic_share",
    "documents_skipped", "tied_queries",
    "misses_total", "misses_filtered", "misses_absent", "misses_truncated",
    "misses_split", "misses_budget", "misses_not_found", "misses_outranked",
    "mrr_any", "mrr_half", "mrr_contains",
    "documents", "chunks", "oversize_chunks", "coverage",
    "duplication", "overlap_effective", "overlapping_borders_share",
    "chunk_tokens_mean", "chunk_tokens_p5", "chunk_tokens_p95", "chunk_tokens_max",
    "share_under_32_tokens",
    "tokens_embedded", "truncated_chunks", "truncated_token_share", "corpus_passes",
    "stored_bytes", "vectors_bytes", "index_bytes", "text_bytes",
    "metadata_bytes", "store_bytes_on_disk",
    "split_ms", "split_embed_ms", "split_tokens_embedded", "late_windows", "llm_calls", "llm_input_tokens",
    "llm_output_tokens", "llm_cost", "llm_ms", "judge_calls", "judge_input_tokens", "judge_output_tokens",
    "judge_cost", "judge_ms", "index_ms", "embed_ms", "query_embed_ms_median",
    "query_embed_ms_p95", "query_tokens_mean", "search_ms_median", "search_ms_p95",
    "timed_queries", "store_recall", "search_8_clients_ms_median", "search_8_clients_ms_p95",
    "rerank_pairs", "rerank_truncated_pairs", "rerank_ms_median", "rerank_ms_p95",
))  # fmt: skip
"""Metrics of a configuration that are no means over its questions."""


def check_names(names: Iterable[str]) -> None:
    """Refuse scorers whose values would take the place of others; raises BadInput."""
    chosen = set(names)
    counts = {f"n_failed_{name}" for name in chosen}
    problems = [
        Problem(f"scorer {name}", f"{what} has this name", "Give the scorer another one")
        for name in sorted(chosen)
        for what, taken in (
            ("a metric", column(name) is not None or name in MEASURES or name in COSTS),
            ("a part of a question's row", name in ROW_KEYS),
            ("the count of another scorer's failures", name in counts),
        )
        if taken
    ]
    if problems:
        raise BadInput(problems)


def ask(
    scorers: Mapping[str, Scorer], question: Question, hits: Sequence[Hit]
) -> tuple[dict[str, float | None], list[str]]:
    """Every scorer's value, None where it has none, and why not."""
    values: dict[str, float | None] = {}
    complaints = []
    for name, scorer in scorers.items():
        values[name] = None
        try:
            verdict = float(scorer(question, hits))
            if not isfinite(verdict):
                raise ValueError(f"the verdict is {verdict}")
            values[name] = verdict
        except Exception as failure:  # a judge that fails leaves a gap, never a number
            complaints.append(f"{name}: {type(failure).__name__}: {failure}")
    return values, complaints
