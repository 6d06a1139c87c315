"""Every column of every table: name, label, unit, direction and meaning, declared here once.

Scores of questions (`mrr_at_5`) are declared beside their formulas, in `evaluation.metrics.METRICS`, and
become columns here; all else that a table may hold is in `COLUMNS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from evaluation.judging.measures import JUDGED
from evaluation.metrics import METRICS
from evaluation.metrics import column as metric_column

Direction = Literal["higher", "lower", "none"]
"""Which way is better; `none` where it is neither."""

Kind = Literal["text", "integer", "number", "boolean"]
"""What a column's cells are; any cell may also be missing."""

Group = Literal[
    "configuration", "parameter", "verdict", "score", "questions", "misses",
    "chunks", "cost", "footprint", "time", "notes",
]  # fmt: skip
GROUPS: tuple[Group, ...] = get_args(Group)
"""Columns of a group stand together, in this order, and are read from one place in a record."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    label: str
    """Short, for the terminal."""
    unit: str
    """`tokens`, `bytes`, `ms`, `count`, `share` (0 to 1), `score`, `ratio`, `money`; empty for text."""
    direction: Direction
    group: Group
    kind: Kind
    meaning: str


_Row = tuple[str, str, Kind, str, Direction, str]

_TABLE: Mapping[Group, tuple[_Row, ...]] = {
    # name, label, kind, unit, direction, meaning
    "configuration": (
        ("name", "configuration", "text", "", "none", "Readable name, unique in its sweep"),
        ("config_id", "id", "text", "", "none", "Equal ids mean the same experiment"),
        ("status", "status", "text", "", "none", "finished, failed or killed"),
        ("repeats", "n", "integer", "count", "none", "Finished repeats the row is a mean of"),
    ),
    "parameter": (
        ("strategy", "strategy", "text", "", "none", "How documents are cut"),
        ("unit", "unit", "text", "", "none", "What size and overlap are counted in"),
        ("size", "size", "integer", "units", "none", "Largest chunk that was asked for"),
        ("overlap", "overlap", "text", "", "none", "Overlap that was asked for: units or a share"),
        ("headings", "headings", "text", "", "none", "Headings put before what is embedded"),
        ("parents", "parents", "text", "", "none", "Strategy of the passages that are returned"),
        ("neighbours", "neighbours", "integer", "chunks", "none", "Chunks returned on each side of one"),
        ("min_chunk", "least", "integer", "tokens", "none", "Chunks under it were merged"),
        ("vectors", "vectors", "text", "", "none", "How chunks become vectors"),
        ("metric", "similarity", "text", "", "none", "Similarity of vectors"),
        ("store", "store", "text", "", "none", "Where vectors lie and are searched"),
        ("vector_type", "numbers", "text", "", "none", "What a number of a stored vector is"),
        ("retriever", "retriever", "text", "", "none", "What ranks chunks"),
        ("rerank", "rerank", "text", "", "none", "Cross-encoder that orders the first candidates anew"),
        ("candidates", "candidates", "integer", "hits", "none", "Hits that are fused or reranked"),
        ("scope", "scope", "text", "", "none", "What a question searches"),
        ("judge", "judged by", "text", "", "none", "Language model that judges"),
        ("embedder", "embedder", "text", "", "none", "The embedding model"),
        ("dataset", "dataset", "text", "", "none", "Documents and questions"),
        ("synthetic", "made", "text", "", "none", "How questions were made that no person wrote"),
    ),
    "verdict": (
        ("recommended", "★", "boolean", "", "none", "Cheapest one whose loss stays within the margin"),
        ("best", "best", "boolean", "", "none", "Highest headline"),
        ("tied", "≈", "boolean", "", "none", "Cannot be told apart from the best"),
        ("apart", "#", "boolean", "", "none", "Searched fewer documents than the rows that are compared"),
        ("headline", "headline", "text", "", "none", "The score that the verdict is about"),
        ("headline_low", "low", "number", "", "none", "Lower end of its 95 % interval"),
        ("headline_high", "high", "number", "", "none", "Upper end of its 95 % interval"),
        ("headline_dev", "on dev", "number", "", "higher", "Headline of the questions to choose on"),
        ("headline_test", "on test", "number", "", "higher", "Headline of the questions kept for the report"),
        ("headline_test_low", "test low", "number", "", "none", "Lower end of its 95 % interval"),
        ("headline_test_high", "test high", "number", "", "none", "Upper end of its 95 % interval"),
        ("loss_bound", "loss ≤", "number", "", "lower", "Simultaneous 95 % bound on the loss to the best"),
        ("difference_to_baseline", "vs baseline", "number", "", "higher", "Headline minus the baseline's"),
        ("difference_low", "vs low", "number", "", "none", "Lower end of the difference's 95 % interval"),
        ("difference_high", "vs high", "number", "", "none", "Upper end of the difference's 95 % interval"),
        ("p_baseline_holm", "p", "number", "", "none", "Paired permutation test against the baseline, Holm"),
        ("pareto", "front", "boolean", "", "none", "On the Pareto front of headline and costs"),
        ("pareto_probability", "on front", "number", "share", "none", "Share of resamples where it is"),
        ("ingestion_ms", "ingestion", "number", "ms", "lower", "Cutting, embedding, indexing together"),
        ("rule_tau", "rule tau", "number", "", "none", "Kendall's tau-b of MRR under two rules, lowest"),
    ),
    "score": (
        ("mrr_any", "MRR any", "number", "score", "higher", "MRR@largest K, any shared text relevant"),
        ("mrr_half", "MRR half", "number", "score", "higher", "The same, half of the shorter text"),
        ("mrr_contains", "MRR whole", "number", "score", "higher", "The same, all of the evidence"),
    ),
    "questions": (
        ("n_questions", "questions", "integer", "count", "none", "Questions asked"),
        ("n_scored", "scored", "integer", "count", "none", "Questions that the means are over"),
        ("n_failed", "failed", "integer", "count", "lower", "Questions whose scoring failed"),
        ("n_no_gold", "no gold", "integer", "count", "none", "Questions without evidence, not scored"),
        ("synthetic_share", "made", "number", "share", "none", "Of the scored, those no person wrote"),
        (
            "tied_queries",
            "tied",
            "integer",
            "count",
            "none",
            "Questions with ties among the first K hits",
        ),
    ),
    "misses": (
        ("misses_total", "misses", "integer", "count", "lower", "Questions not answerable in the budget"),
        ("misses_filtered", "filtered", "integer", "count", "lower", "A filter excludes the evidence"),
        ("misses_absent", "absent", "integer", "count", "lower", "The evidence is in no chunk"),
        ("misses_truncated", "truncated", "integer", "count", "lower", "Evidence past the embedder's limit"),
        ("misses_split", "split", "integer", "count", "lower", "No chunk holds a span of evidence whole"),
        ("misses_budget", "budget", "integer", "count", "lower", "Ranked, but past the token budget"),
        (
            "misses_not_found",
            "not found",
            "integer",
            "count",
            "lower",
            "Exact search ranks it, the store not",
        ),
        ("misses_outranked", "outranked", "integer", "count", "lower", "Other text ranked higher"),
    ),
    "chunks": (
        ("documents", "documents", "integer", "count", "none", "Documents cut"),
        ("documents_skipped", "skipped", "integer", "count", "lower", "Files left out by request"),
        ("chunks", "chunks", "integer", "count", "none", "Chunks indexed"),
        ("chunk_tokens_mean", "tokens/chunk", "number", "tokens", "none", "Mean length of a chunk"),
        ("chunk_tokens_p5", "p5", "number", "tokens", "none", "5th percentile of the length"),
        ("chunk_tokens_p95", "p95", "number", "tokens", "none", "95th percentile of the length"),
        ("chunk_tokens_max", "longest", "integer", "tokens", "none", "Longest chunk"),
        ("share_under_32_tokens", "tiny", "number", "share", "lower", "Chunks under 32 tokens"),
        ("oversize_chunks", "oversize", "integer", "count", "lower", "Chunks larger than asked: uncuttable"),
        ("truncated_chunks", "cut chunks", "integer", "count", "lower", "Chunks past the embedder's limit"),
        ("truncated_token_share", "cut", "number", "share", "lower", "Tokens that the embedder never saw"),
        (
            "coverage",
            "coverage",
            "number",
            "share",
            "higher",
            "Characters of the documents that are in some chunk",
        ),
        ("duplication", "duplication", "number", "ratio", "lower", "Stored over document characters"),
        ("overlap_effective", "real overlap", "number", "share", "none", "Overlap that came about"),
        ("overlapping_borders_share", "overlapping", "number", "share", "none", "Borders that share text"),
    ),
    "cost": (
        ("tokens_embedded", "embedded", "integer", "tokens", "lower", "Tokens the embedder was given"),
        (
            "split_tokens_embedded",
            "to cut",
            "integer",
            "tokens",
            "lower",
            "Of these, tokens embedded to find out where to cut",
        ),
        (
            "late_windows",
            "windows",
            "integer",
            "count",
            "lower",
            "Windows of documents whose token vectors were pooled; only with `vectors: late`",
        ),
        ("llm_calls", "LLM calls", "integer", "count", "lower", "Answers of a language model"),
        ("llm_input_tokens", "LLM in", "integer", "tokens", "lower", "Tokens the language model read"),
        ("llm_output_tokens", "LLM out", "integer", "tokens", "lower", "Tokens the language model wrote"),
        ("llm_cost", "LLM cost", "number", "money", "lower", "Price of these tokens, as the sweep gives it"),
        ("judge_calls", "judge calls", "integer", "count", "lower", "Requests answered in order to judge"),
        ("judge_input_tokens", "judge in", "integer", "tokens", "lower", "Tokens of these requests"),
        ("judge_output_tokens", "judge out", "integer", "tokens", "lower", "Tokens of their answers"),
        ("judge_cost", "judge cost", "number", "money", "lower", "Price of these tokens: of measuring"),
        (
            "query_tokens_mean",
            "query tokens",
            "number",
            "tokens",
            "none",
            "Tokens the embedder is given of one question",
        ),
        ("embedding_cost", "embedding cost", "number", "money", "lower", "Price of `tokens_embedded`, once"),
        (
            "storage_cost_per_month",
            "storage / month",
            "number",
            "money",
            "lower",
            "Price of `stored_bytes` for a month",
        ),
        (
            "prompt_cost_per_1000_questions",
            "1k prompts",
            "number",
            "money",
            "lower",
            "Price of the retrieved text in the prompts of 1,000 questions, at the headline's K or budget",
        ),
        (
            "query_embedding_cost_per_1000_questions",
            "1k queries",
            "number",
            "money",
            "lower",
            "Price of embedding 1,000 questions",
        ),
        ("rerank_pairs", "pairs", "integer", "count", "lower", "Pairs of question and candidate, scored"),
        (
            "rerank_truncated_pairs",
            "cut pairs",
            "integer",
            "count",
            "lower",
            "Of these, pairs longer than the cross-encoder reads",
        ),
        (
            "corpus_passes",
            "passes",
            "number",
            "ratio",
            "lower",
            "cl100k tokens of the chunks' own text, without headings, over those of the documents",
        ),
    ),
    "footprint": (
        ("stored_bytes", "stored", "integer", "bytes", "lower", "Vectors, index, text and metadata"),
        ("vectors_bytes", "vectors", "integer", "bytes", "lower", "Vectors alone"),
        ("index_bytes", "index", "integer", "bytes", "lower", "What the index adds to the vectors"),
        ("text_bytes", "text", "integer", "bytes", "lower", "Chunk texts; overlap stores text twice"),
        (
            "metadata_bytes",
            "metadata",
            "integer",
            "bytes",
            "lower",
            "Ids, positions, sections, pages, metadata",
        ),
        ("store_bytes_on_disk", "on disk", "integer", "bytes", "lower", "The real store, measured"),
        (
            "store_recall",
            "store recall",
            "number",
            "share",
            "higher",
            "Of the K nearest chunks by exact search, those that the store finds; K is the sweep's largest",
        ),
    ),
    "time": (
        (
            "split_ms",
            "split",
            "number",
            "ms",
            "lower",
            "Cutting all documents, without waiting for a model",
        ),
        ("split_ms_sd", "split sd", "number", "ms", "lower", "Standard deviation over repeats"),
        ("split_embed_ms", "embed to cut", "number", "ms", "lower", "Embedding what a strategy cuts by"),
        ("llm_ms", "LLM", "number", "ms", "lower", "The language model's calls, one after the other"),
        ("judge_ms", "judge", "number", "ms", "lower", "The judge's calls, one after the other"),
        ("embed_ms", "embed", "number", "ms", "lower", "Embedding all chunks, as if none were cached"),
        ("index_ms", "index", "number", "ms", "lower", "Building the index"),
        ("index_ms_sd", "index sd", "number", "ms", "lower", "Standard deviation over repeats"),
        ("query_embed_ms_median", "query", "number", "ms", "lower", "Embedding one question, median"),
        ("query_embed_ms_p95", "query p95", "number", "ms", "lower", "The same, 95th percentile"),
        ("search_ms_median", "search", "number", "ms", "lower", "One search, median"),
        ("search_ms_median_sd", "search sd", "number", "ms", "lower", "Standard deviation over repeats"),
        ("search_ms_p95", "search p95", "number", "ms", "lower", "The same, 95th percentile"),
        ("search_ms_p95_sd", "p95 sd", "number", "ms", "lower", "Standard deviation over repeats"),
        (
            "search_8_clients_ms_median",
            "search x8",
            "number",
            "ms",
            "lower",
            "One search while eight threads search at once, median",
        ),
        ("search_8_clients_ms_p95", "search x8 p95", "number", "ms", "lower", "The same, 95th percentile"),
        ("timed_queries", "timed", "integer", "count", "none", "Searches timed, after a warm-up"),
        (
            "rerank_ms_median",
            "rerank",
            "number",
            "ms",
            "lower",
            "Scoring the candidates of one question by the cross-encoder, as if none were cached, median",
        ),
        ("rerank_ms_p95", "rerank p95", "number", "ms", "lower", "The same, 95th percentile"),
    ),
    "notes": (
        ("same_chunks_as", "same as", "text", "", "none", "Configuration with exactly these chunks"),
        ("warnings", "warnings", "text", "", "none", "What to know about this row"),
        ("missing_reasons", "missing", "text", "", "none", "Why a cell of this row is empty"),
        ("error", "error", "text", "", "none", "Why the configuration did not finish"),
        ("run_id", "run", "text", "", "none", "The tracker's run"),
    ),
}
COLUMNS: tuple[Column, ...] = tuple(
    Column(name, label, unit, direction, group, kind, meaning)
    for group, rows in _TABLE.items()
    for name, label, kind, unit, direction, meaning in rows
)
"""All that is not a score, in the order of a table."""

QUESTION_COLUMNS: tuple[Column, ...] = (
    Column(
        "name", "configuration", "", "none", "configuration", "text", "Readable name, unique in its sweep"
    ),
    Column("config_id", "id", "", "none", "configuration", "text", "Equal ids mean the same experiment"),
    Column("repeat", "repeat", "count", "none", "configuration", "integer", "0 for the first"),
    Column("status", "status", "", "none", "configuration", "text", "finished, failed or killed"),
    Column("metric", "metric", "", "none", "score", "text", "Name of the score"),
    Column("unit", "unit", "", "none", "score", "text", "Unit of the value"),
    Column("question_id", "question", "", "none", "questions", "text", "Id in the gold file"),
    Column("tags", "tags", "", "none", "questions", "text", "The question's tags, joined by ', '"),
    Column("synthetic", "made", "", "none", "questions", "text", "proxy or model, if no person wrote it"),
    Column("side", "side", "", "none", "questions", "text", "dev or test, where the sweep has a split"),
    Column(
        "value", "value", "", "none", "score", "number", "The score; empty where the question was not scored"
    ),
    Column(
        "miss", "miss", "", "none", "misses", "text", "Why the question was missed; empty where it was not"
    ),
    Column("error", "error", "", "none", "notes", "text", "Why the question or the configuration failed"),
)
"""The long table: one row a configuration, metric and question."""

RETRIEVED_COLUMNS: tuple[Column, ...] = (
    *QUESTION_COLUMNS[:2],
    Column("question_id", "question", "", "none", "questions", "text", "Id in the gold file"),
    Column("question", "asked", "", "none", "questions", "text", "The question itself"),
    Column("synthetic", "made", "", "none", "questions", "text", "proxy or model, if no person wrote it"),
    Column("side", "side", "", "none", "questions", "text", "dev or test, where the sweep has a split"),
    Column("rank", "rank", "", "none", "score", "integer", "1 for the best; empty if nothing was retrieved"),
    Column("score", "score", "score", "none", "score", "number", "What orders the hits"),
    Column("relevant", "relevant", "", "none", "score", "boolean", "Whether the sweep's rule says so"),
    Column("document", "document", "", "none", "chunks", "text", "Path below documents/"),
    Column("start", "from", "characters", "none", "chunks", "integer", "Where the returned text begins"),
    Column("end", "to", "characters", "none", "chunks", "integer", "Where it ends"),
    Column("chunk", "chunk", "", "none", "chunks", "integer", "Index of the chunk in its document, from 0"),
    Column("section", "section", "", "none", "chunks", "text", "Headings above the chunk, joined by ' > '"),
    Column("page", "page", "", "none", "chunks", "text", "The page it begins on, where pages are known"),
    Column("metadata", "metadata", "", "none", "chunks", "text", "The document's metadata, as JSON"),
    Column("text", "text", "", "none", "chunks", "text", "How the returned text begins, on one line"),
)
"""The table of retrieved chunks: one row a configuration, question and hit."""

GROUP_COLUMNS: tuple[Column, ...] = (
    Column(
        "group",
        "group",
        "",
        "none",
        "configuration",
        "text",
        "Tag of questions, who asked them, or value of a metadata",
    ),
    *QUESTION_COLUMNS[:2],
    Column("headline", "headline", "", "none", "verdict", "text", "The score that the verdict is about"),
    Column("questions", "questions", "count", "none", "questions", "integer", "Questions of the group"),
    Column("few", "few", "", "none", "questions", "boolean", "Fewer than 10 questions: read as anecdotes"),
    Column(
        "resampled",
        "resampled",
        "",
        "none",
        "questions",
        "text",
        "What is drawn: component (questions that share documents) or question",
    ),
    Column("mean", "mean", "", "higher", "verdict", "number", "Headline over the questions of the group"),
    Column("low", "low", "", "none", "verdict", "number", "Lower end of its 95 % interval"),
    Column("high", "high", "", "none", "verdict", "number", "Upper end of its 95 % interval"),
    Column("verdict", "verdict", "", "none", "verdict", "text", "best, may be best, worse, or cannot tell"),
    Column("warnings", "warnings", "", "none", "notes", "text", "What to know about this group"),
)
"""The table by groups of questions: one row a group and configuration."""

FAILED_PREFIX = "n_failed_"
"""Before the name of a score from outside: for how many questions it could not be had."""

_PLACES = {name: place for place, name in enumerate([*METRICS, *(held.name for held in COLUMNS)])}
_DECLARED = {held.name: held for held in COLUMNS}


def measure(name: str) -> Column:
    """What is known about a measure; an unknown name is a score without unit or direction.

    >>> measure("mrr_at_5").label, measure("context_recall_at_1024_tokens").direction, measure("chunks").unit
    ('MRR@5', 'higher', 'count')
    """
    if name in _DECLARED:
        return _DECLARED[name]
    if name.startswith(FAILED_PREFIX):
        judged = name.removeprefix(FAILED_PREFIX)
        meaning = f"Questions for which {judged} could not be had"
        return Column(name, f"{judged} failed", "count", "lower", "questions", "integer", meaning)
    if name in JUDGED:
        return Column(name, JUDGED[name].label, "share", "higher", "score", "number", JUDGED[name].meaning)
    found = metric_column(name)
    if found is None:
        return Column(name, name, "", "none", "score", "number", "")
    metric = found.metric
    label = re.sub(r"\b[KB]\b", str(found.parameter), metric.label) if metric.needs else metric.label
    meaning = f"Comparable across chunkings: {metric.comparable}. Source: {metric.source}"
    return Column(name, label, metric.unit, metric.direction, "score", "number", meaning)


def ordered(columns: Iterable[Column]) -> list[Column]:
    """The columns in the order of a table: by group, then as declared, then by K or budget, then by name."""

    def place(held: Column) -> tuple[int, int, int, str]:
        found = metric_column(held.name) if held.group == "score" else None
        declared = _PLACES.get(found.metric.name if found else held.name, len(_PLACES))
        return GROUPS.index(held.group), declared, found.parameter if found else 0, held.name

    return sorted(columns, key=place)


def reference() -> str:
    """Every measure as a Markdown table, for the documentation."""
    rows: list[tuple[str, str, Direction, str]]
    rows = [(metric.name, metric.unit, metric.direction, metric.label) for metric in METRICS.values()]
    rows += [
        (held.name, held.unit, held.direction, held.meaning) for held in (*COLUMNS, *map(measure, JUDGED))
    ]
    lines = ["| column | unit | better | meaning |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{name}` | {unit} | {'' if better == 'none' else better} | {text} |"
        for name, unit, better, text in rows
    ]
    return "\n".join(lines) + "\n"
