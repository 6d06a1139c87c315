"""Chunks + vectors + gold -> what one configuration is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from typing import Any, NamedTuple

from evaluation.coverage import RankedText
from evaluation.cutting import ELSEWHERE, Cutting
from evaluation.embedding_desk import Embedded
from evaluation.filters import passing
from evaluation.findings import relevant_hits
from evaluation.footprint import StoredBytes
from evaluation.gold import GoldSet, Question
from evaluation.health import chunk_health, embedded_until, truncation
from evaluation.judging.case import Case
from evaluation.judging.jury import Jury, Verdicts
from evaluation.latency import median_and_p95, stopwatch
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.metrics import column, expand
from evaluation.metrics.mrr import reciprocal_rank
from evaluation.misses import REMEDIES, Facts, classify, headline_budget
from evaluation.ranking import Ranker
from evaluation.relevance import RULES
from evaluation.retrieval import Hit, Retriever, tied
from evaluation.scorers import Scorer, ask, check_names
from evaluation.scoring import Aggregate, ScoringContext, aggregate, score
from evaluation.search import Search
from evaluation.searching import reranking, search_warnings, searching
from evaluation.settings import Settings
from evaluation.sought import Sought
from evaluation.statistics import resampling_units
from strategies.document import Chunk, Document
from strategies.strategy import Vectors

__all__ = ["TRUNCATED_SHARE", "Asked", "Evaluation", "Index", "Retrieved", "Scorer", "evaluate"]

TRUNCATED_SHARE = 0.05
"""Above this share of tokens that the embedder never saw, a row measures the limit, not the cut."""


@dataclass(frozen=True, slots=True)
class Index:
    """One configuration, cut and embedded; every sequence has one entry a chunk, in one order."""

    documents: Sequence[Document]
    chunks: Sequence[Chunk]
    embedded: Embedded
    cutting: Cutting
    limit_tokens: int | None
    """Tokens of one text that the embedder sees."""
    search: Search = field(default_factory=Search)
    """How it is indexed and asked."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The gold questions of a sweep and their vectors, the same for every configuration."""

    gold: GoldSet
    embedded: Embedded
    """One vector a question, in the order of `gold.questions`."""
    measured: Mapping[str, Measured]
    """By document id."""
    context: ScoringContext
    """What scoring prepared once; each configuration replaces the layout."""

    @classmethod
    def of(
        cls, gold: GoldSet, embedded: Embedded, measured: Mapping[str, Measured], settings: Settings
    ) -> Asked:
        """Get questions ready for any number of configurations."""
        return cls(gold, embedded, measured, ScoringContext(measured, Layout.of(()), settings))


class Retrieved(NamedTuple):
    """What one question retrieved."""

    question_id: str
    hits: tuple[Hit, ...]
    """By rank, up to the largest K; none where the search failed."""
    relevant: tuple[bool, ...]
    """Of each hit."""


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
    context = replace(asked.context, layout=Layout.of(index.chunks))
    until = embedded_until(index.chunks, index.embedded)
    depth = _first_depth(settings, index.chunks)
    texts = {document.id: document.text for document in index.documents}
    rows: list[dict[str, Any]] = []
    retrieved: list[Retrieved] = []
    cases: list[Case] = []
    n_tied, failures = 0, 0
    by_rule: dict[str, list[float]] = {rule: [] for rule in RULES}
    scored = [(row, question) for row, question in enumerate(asked.gold.questions) if question.evidence]
    units = resampling_units([question for _, question in scored])
    questions = [question for _, question in scored]
    vectors = asked.embedded.vectors[[number for number, _ in scored]]
    reranked = retriever.rerank(questions, vectors)
    no_similarity = _similarities(settings) if index.search.no_similarity else ()
    for (number, question), unit in zip(scored, units.labels, strict=True):
        error = None
        try:
            text = _retrieve(retriever, question, asked.embedded.vectors[number], context, depth)
        except Exception as failure:  # one question must not cost the others their result
            error, failures = f"{type(failure).__name__}: {failure}", failures + 1
            if failures == len(scored):
                raise
            text = context.read(question, ())
        n_tied += tied(text.hits, settings.largest_k)
        top = text.hits[: settings.largest_k]
        relevant = relevant_hits(text.evidence, top, settings.rule)
        retrieved.append(Retrieved(question.id, top, relevant))
        for rule, ranks in by_rule.items():
            ranks.append(reciprocal_rank(relevant_hits(text.evidence, top, rule), settings.largest_k))
        facts = Facts(retriever.searchable(question), until)
        miss = None if error else classify(text, context, facts)
        if miss and "outranked" in miss.flags and index.search.may_lose:
            near = retriever.nearest(
                question, asked.embedded.vectors[number], index.embedded.vectors, len(text.hits)
            )
            miss = classify(text, context, facts, context.read(question, near))
        judged, complaints = ask(scorers, question, text.hits)
        if jury:
            cases.append(jury.case(text, texts, context.layout, settings.rule))
        rows.append(
            {
                "question_id": question.id,
                "question": question.text,
                "tags": list(question.tags),
                "unit": unit,
                "documents": sorted({p.document for entry in question.evidence for p in entry.passages}),
                **score(text, context, failed=error is not None),
                **dict.fromkeys(no_similarity),
                **judged,
                "miss": miss.reason if miss else None,
                "miss_flags": list(miss.flags) if miss else [],
                "sought": None if error else Sought.of(text, headline_budget(settings)).row(),
                "error": error or "; ".join(complaints) or None,
            }
        )
    verdicts = jury.verdicts(cases) if jury else Verdicts()
    _add_verdicts(rows, verdicts)
    n_no_gold = len(asked.gold.questions) - len(scored)
    names = [name for name in (*(rows[0] if rows else ()),) if column(name) or name in from_outside]
    means = aggregate([{name: row[name] for name in names} for row in rows], n_no_gold)
    metrics: dict[str, float] = {
        **_questions(rows, asked.gold, n_no_gold, n_tied),
        **chunk_health(index.documents, index.chunks),
        **truncation(index.embedded, index.limit_tokens),
        **_passes(index, asked.measured),
        **_stored(ranker.stored()),
        "index_ms": indexing.ms,
        **{f"mrr_{rule}": fsum(ranks) / len(ranks) for rule, ranks in by_rule.items() if ranks},
    }
    if scored and index.embedded.tokens.any():  # else no question need be embedded either
        metrics["query_tokens_mean"] = float(asked.embedded.tokens[[row for row, _ in scored]].mean())
    of_cutting, reasons = index.cutting.metrics()
    metrics |= of_cutting
    metrics["tokens_embedded"] += index.cutting.tokens_embedded
    metrics |= verdicts.metrics
    reasons |= verdicts.reasons
    reasons |= _add_means(metrics, means, from_outside)
    if not rows:
        scores = (*(name for name, _, _ in expand(settings)), *from_outside)
        reasons |= dict.fromkeys((*scores, *map("mrr_{}".format, RULES)), "no question has evidence")
    reasons |= dict.fromkeys(no_similarity, index.search.no_similarity or "")
    _add_times(metrics, reasons, index, asked)
    found = searching(retriever, questions, vectors, index.embedded.vectors, settings.largest_k)
    for measures, why in (found, *([] if reranked is None else [reranking(reranked)])):
        metrics |= measures
        reasons |= why
    warnings = (
        *_warnings(index, metrics, asked.gold, failures),
        *search_warnings(index.search, metrics, settings.largest_k),
    )
    return Evaluation(metrics, _curves(means), tuple(rows), reasons, warnings, tuple(retrieved))


def _retrieve(
    retriever: Retriever, question: Question, vector: Vectors, context: ScoringContext, depth: int
) -> RankedText:
    """A question's ranked list, deep enough for every K and budget, read once for all that is made of it."""
    for hits in retriever.rank(question, vector, depth):
        text = context.read(question, hits)
        if text.suffices(context.settings):
            break
    return text


def _first_depth(settings: Settings, chunks: Sequence[Chunk]) -> int:
    """A depth that nearly always fills the largest budget at once."""
    tokens = sum(chunk.tokens for chunk in chunks)
    mean = max(1.0, tokens / len(chunks)) if chunks else 1.0
    return settings.largest_k + 2 * int(settings.largest_budget / mean) + 2


def _questions(
    rows: Sequence[Mapping[str, Any]], gold: GoldSet, n_no_gold: int, n_tied: int
) -> dict[str, float]:
    missed = [row["miss"] for row in rows if row["miss"]]
    return {
        "n_questions": len(gold.questions),
        "n_scored": len(rows),
        "n_failed": sum(row["error"] is not None for row in rows),
        "n_no_gold": n_no_gold,
        "documents_skipped": len(gold.skipped),
        "tied_queries": n_tied,
        "misses_total": len(missed),
        **{f"misses_{reason}": missed.count(reason) for reason in REMEDIES},
    }


def _passes(index: Index, measured: Mapping[str, Measured]) -> dict[str, float]:
    """Tokens of all chunks over tokens of the corpus, both cl100k: 1.0 cuts without overlap."""
    corpus = sum(len(measured[document.id].token_starts) for document in index.documents)
    return {"corpus_passes": sum(chunk.tokens for chunk in index.chunks) / corpus if corpus else 0.0}


def _stored(stored: StoredBytes) -> dict[str, float]:
    return {
        "stored_bytes": stored.total,
        "vectors_bytes": stored.vectors,
        "index_bytes": stored.index,
        "text_bytes": stored.text,
        "metadata_bytes": stored.metadata,
        "store_bytes_on_disk": stored.on_disk,
    }


def _add_verdicts(rows: Sequence[dict[str, Any]], verdicts: Verdicts) -> None:
    """Put what was judged of each question into its row."""
    for row, verdict in zip(rows, verdicts.questions, strict=bool(verdicts.questions)):
        row |= verdict.values
        row["error"] = "; ".join(filter(None, (row["error"], *verdict.complaints))) or None


def _add_means(
    metrics: dict[str, float], means: Mapping[str, Aggregate], from_outside: Sequence[str]
) -> dict[str, str]:
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


def _similarities(settings: Settings) -> tuple[str, ...]:
    """Scores of questions that mean something only where a hit's score is a similarity of vectors."""
    return tuple(name for name, metric, _ in expand(settings) if metric.unit == "similarity")


def _add_times(metrics: dict[str, float], reasons: dict[str, str], index: Index, asked: Asked) -> None:
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


def _curves(means: Mapping[str, Aggregate]) -> dict[str, dict[int, float]]:
    curves: dict[str, dict[int, float]] = {}
    for name, mean in means.items():
        found = column(name)
        if found and found.metric.needs and mean.mean is not None:
            family = found.metric.name.replace("_at_k", "_over_k").replace("_at_B_tokens", "_over_tokens")
            curves.setdefault(family, {})[found.parameter] = mean.mean
    return curves


def _warnings(index: Index, metrics: Mapping[str, float], gold: GoldSet, failures: int) -> tuple[str, ...]:
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
