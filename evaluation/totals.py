"""What one configuration measured, as one figure each: counts, costs, times, means, curves, warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.asked import Asked, Index
from evaluation.cutting import ELSEWHERE
from evaluation.footprint import StoredBytes
from evaluation.gold import GoldSet
from evaluation.gold.provenance import provenance
from evaluation.latency import median_and_p95
from evaluation.measured import Measured
from evaluation.metrics import column
from evaluation.misses import REMEDIES
from evaluation.scoring import Aggregate


def of_questions(
    rows: Sequence[Mapping[str, Any]], gold: GoldSet, n_no_gold: int, n_tied: int
) -> dict[str, float]:
    """How many questions there are, of each kind, and why they were missed."""
    missed = [row["miss"] for row in rows if row["miss"]]
    return {
        "n_questions": len(gold.questions),
        "n_scored": len(rows),
        "n_failed": sum(row["error"] is not None for row in rows),
        "n_no_gold": n_no_gold,
        "synthetic_share": provenance(row["synthetic"] for row in rows)[1],
        "documents_skipped": len(gold.skipped),
        "tied_queries": n_tied,
        "misses_total": len(missed),
        **{f"misses_{reason}": missed.count(reason) for reason in REMEDIES},
    }


def passes(index: Index, measured: Mapping[str, Measured]) -> dict[str, float]:
    """Tokens of all chunks over tokens of the corpus, both cl100k: 1.0 cuts without overlap."""
    corpus = sum(len(measured[document.id].token_starts) for document in index.documents)
    return {"corpus_passes": sum(chunk.tokens for chunk in index.chunks) / corpus if corpus else 0.0}


def stored_bytes(stored: StoredBytes) -> dict[str, float]:
    """What the index takes, each part apart."""
    return {
        "stored_bytes": stored.total,
        "vectors_bytes": stored.vectors,
        "index_bytes": stored.index,
        "text_bytes": stored.text,
        "metadata_bytes": stored.metadata,
        "store_bytes_on_disk": stored.on_disk,
    }


def add_means(
    metrics: dict[str, float], means: Mapping[str, Aggregate], from_outside: Sequence[str]
) -> dict[str, str]:
    """Put means of questions among the metrics, and give why one is missing or not comparable."""
    reasons = {}
    for name, mean in means.items():
        if mean.mean is None:
            reasons[name] = "no question has a value"
        else:
            metrics[name] = mean.mean
        if name in from_outside and mean.n_failed:
            metrics[f"n_failed_{name}"] = mean.n_failed
            asked = _count(mean.n_scored + mean.n_failed, "question")
            reasons[name] = f"not comparable: failed for {mean.n_failed} of {asked}"
    return reasons


def add_times(metrics: dict[str, float], reasons: dict[str, str], index: Index, asked: Asked) -> None:
    """Times of embedding; where nothing is embedded, there is nothing to wait for."""
    if index.embedded.same_machine:
        metrics["embed_ms"] = float(index.embedded.embed_ms.sum())
    else:
        reasons["embed_ms"] = ELSEWHERE
    times = median_and_p95(asked.embedded.embed_ms.tolist()) if asked.embedded.same_machine else None
    if times is None:
        why = "no question was asked" if asked.embedded.same_machine else ELSEWHERE
        reasons["query_embed_ms_median"] = reasons["query_embed_ms_p95"] = why
    else:
        metrics["query_embed_ms_median"], metrics["query_embed_ms_p95"] = times


def curves(means: Mapping[str, Aggregate]) -> dict[str, dict[int, float]]:
    """Means over K and over budgets: family -> K or tokens -> mean."""
    curves: dict[str, dict[int, float]] = {}
    for name, mean in means.items():
        found = column(name)
        if found and found.metric.needs and mean.mean is not None:
            family = found.metric.name.replace("_at_k", "_over_k").replace("_at_B_tokens", "_over_tokens")
            curves.setdefault(family, {})[found.parameter] = mean.mean
    return curves


def warnings(index: Index, metrics: Mapping[str, float], gold: GoldSet, failures: int) -> tuple[str, ...]:
    """What to know about the row: blank or truncated chunks, files left out, searches that failed."""
    warnings = []
    if not index.chunks:
        warnings.append("no chunks: every document is blank")
    if truncated := int(metrics["truncated_chunks"]):
        share, verb = metrics["truncated_token_share"], "passes" if truncated == 1 else "pass"
        warnings.append(
            f"{truncated} of {_count(len(index.chunks), 'chunk')} {verb} the embedder's limit of "
            f"{index.limit_tokens} tokens; {share:.1%} of all tokens never reached it"
        )
    if gold.skipped:
        were = "was" if len(gold.skipped) == 1 else "were"
        warnings.append(f"{_count(len(gold.skipped), 'unreadable file')} {were} left out")
    if failures:
        rest = "counts 0; see its error" if failures == 1 else "count 0; see their errors"
        warnings.append(f"the search failed for {_count(failures, 'question')}, which {rest}")
    return tuple(warnings)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
