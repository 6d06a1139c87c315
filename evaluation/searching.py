"""What searching an index takes, and what of it is the index's doing and not the cut's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.gold import Question
from evaluation.latency import median_and_p95
from evaluation.ranking.pair_desk import Scored
from evaluation.retrieval import CLIENTS, Retriever
from evaluation.search import Search
from strategies.strategy import Vectors

STORE_RECALL = 0.99
"""Below this share of the nearest chunks, a row is warned of: its index loses what its cut does not."""

_NO_QUESTION = "no question was asked"

Measures = tuple[dict[str, float], dict[str, str]]
"""Metrics, and reasons for those that are missing."""


def searching(
    retriever: Retriever, questions: Sequence[Question], vectors: Vectors, of: Vectors, k: int
) -> Measures:
    """Times of searches for the best `k`, and the share of the nearest chunks that the store finds.

    `vectors` are those of the questions, shape (n, dim), `of` those of the chunks.
    """
    times = {
        "search_ms": retriever.time_searches(questions, vectors, k),
        f"search_{CLIENTS}_clients_ms": retriever.time_searches(questions, vectors, k, CLIENTS),
    }
    metrics: dict[str, float] = {"timed_queries": len(times["search_ms"])}
    reasons: dict[str, str] = {}
    for name, taken in times.items():
        _add(metrics, reasons, name, taken, _NO_QUESTION)
    recall = retriever.store_recall(questions, vectors, of, k)
    if recall is not None:
        metrics["store_recall"] = recall
    else:
        reasons["store_recall"] = _NO_QUESTION if of.shape[1:] != (0,) else "no vector is searched"
    return metrics, reasons


def reranking(scored: Sequence[Scored]) -> Measures:
    """What ordering the candidates of each question anew took."""
    metrics: dict[str, float] = {
        "rerank_pairs": sum(len(one.scores) for one in scored),
        "rerank_truncated_pairs": sum(one.truncated for one in scored),
    }
    reasons: dict[str, str] = {}
    if all(one.same_machine for one in scored):
        _add(metrics, reasons, "rerank_ms", [one.ms for one in scored], _NO_QUESTION)
    else:
        why = "some pairs were scored on another machine or backend, whose times do not compare"
        _add(metrics, reasons, "rerank_ms", (), why)
    return metrics, reasons


def search_warnings(search: Search, metrics: dict[str, float], k: int) -> Iterator[str]:
    """What to know of the search before its scores are laid to the cut."""
    recall = metrics.get("store_recall", 1.0)
    if recall < STORE_RECALL:
        # Truncated, so that 0.9899 does not look as if it were enough.
        yield (
            f"the store finds {int(recall * 1000) / 10:.1f} % of the {k} nearest chunks that exact search of "
            "float32 vectors finds: a difference to other rows may come from the index, not from the cut"
        )
    if cut := int(metrics.get("rerank_truncated_pairs", 0)):
        yield (
            f"{cut:,} of {int(metrics['rerank_pairs']):,} pairs of question and chunk are longer than "
            f"{search.rerank} reads, so that it scored their beginnings"
        )


def _add(
    metrics: dict[str, float], reasons: dict[str, str], name: str, times: Sequence[float], why: str
) -> None:
    found = median_and_p95(times)
    if found is None:
        reasons[f"{name}_median"] = reasons[f"{name}_p95"] = why
    else:
        metrics[f"{name}_median"], metrics[f"{name}_p95"] = found
