"""What many misses have in common, in words that can be acted on: each a small rule with its threshold.

A pattern is said of missed questions only where at least `LEAST` of them, and `SHARE` of all that were
missed, show it; `duplicates` speaks of all lists, by a threshold of its own. A question may show several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from evaluation.misses import REMEDIES
from experiments.records import Row, RunRecord

LEAST = 5
"""Questions that make a pattern."""
SHARE = 1 / 5
"""Of the missed questions."""
CLOSE = 0.05
"""Cosine by which evidence may lie behind the first hit and still be close to it."""
LOW_COSINE = 0.3
"""Most models give passages that do answer a question more than this."""
LARGE_TOKENS = 256
"""Mean of chunks that hold more than one thing, of which a vector is the mean."""
DUPLICATES = 0.2
"""Share of the list that may repeat what stands above."""
FEW_HITS = 3
"""Hits that a budget should hold, for a second and a third guess."""
MORE = 2
"""Times the budget within which evidence lies just past it."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One thing that many questions have in common."""

    name: str
    questions: int
    """That show it."""
    of: int
    """Of so many that could."""
    finding: str
    """What was seen, in a sentence."""
    remedy: str
    """What to try."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What rules look at: the record of a configuration, and of its missed questions what was recorded."""

    metrics: Mapping[str, float]
    params: Mapping[str, Any]
    budget: int
    largest_k: int
    hit_tokens: float
    """Mean prompt tokens of a hit among the first few; 0 where it is not known."""
    rows: Sequence[Row]
    """Rows of missed questions."""
    documents: Mapping[str, Sequence[str]]
    """Question id -> the document of each hit, down to the largest K."""
    chunk_characters: float
    """Median length of what is returned; 0 without chunks."""
    first_scores: Sequence[float]
    """Of the first hit of every question that has one."""
    relevant_scores: Sequence[float]
    """Of the first relevant hit of every question that has one."""

    @classmethod
    def of(cls, record: RunRecord, missed: Sequence[Row]) -> Seen:
        """Look a record up."""
        chunks = [chunk.get("returned", (chunk["start"], chunk["end"])) for chunk in record.chunks]
        settings = record.config.get("settings", {})
        ks = settings.get("ks", (1,))
        return cls(
            metrics=record.metrics,
            params=record.params,
            budget=int(settings.get("miss_budget", 0)),
            largest_k=max(ks),
            hit_tokens=record.metrics.get(f"prompt_tokens_at_{min(ks)}", 0.0) / min(ks),
            rows=missed,
            documents={
                found["question_id"]: [record.chunks[row]["document"] for row in found["chunks"]]
                for found in record.retrieved
            },
            chunk_characters=median(end - start for start, end in chunks) if chunks else 0.0,
            first_scores=values(record.questions, "top1_similarity"),
            relevant_scores=values(record.questions, "first_relevant_similarity"),
        )

    def count(self, shows: Callable[[Row, Row], bool]) -> int:
        """Missed questions of which a rule is true; it is given the row, and what was sought in it."""
        return sum(shows(row, row["sought"]) for row in self.rows if row.get("sought"))

    def enough(self, questions: int) -> bool:
        """Whether so many of the missed questions make a pattern."""
        return questions >= LEAST and questions >= SHARE * len(self.rows)


OUTRANKED = {
    "bm25": "Try retriever: hybrid or dense, headings before the text, or smaller chunks",
    "hybrid": "Try another embedder, rerank, headings before the text, or smaller chunks",
}
"""What to do about evidence that is outranked, where the remedy that suits vectors does not."""


def remedy(reason: str, params: Mapping[str, Any]) -> str:
    """What to do about one reason of a miss in a configuration with these params: see `REMEDIES`."""
    said = REMEDIES[reason]
    retriever = params.get("retriever", "dense")
    if reason != "outranked" or retriever not in OUTRANKED:
        return said
    return f"{_unreranked(OUTRANKED[retriever], 'rerank, ', params)}: {said.partition(': ')[2]}"


def _unreranked(text: str, part: str, params: Mapping[str, Any]) -> str:
    """The text without what asks for a reranker, where there is one."""
    return text.replace(part, "") if params.get("rerank") else text


def patterns(seen: Seen, *, cosine: bool) -> tuple[Pattern, ...]:
    """All that are supported, in the order of `PATTERNS`; those of similarity only where it is a cosine."""
    found = []
    for name, rule in PATTERNS.items():
        if cosine or rule not in OF_COSINE:
            found += [Pattern(name, *told) for told in (rule(seen),) if told is not None]
    return tuple(found)


Told = tuple[int, int, str, str] | None
"""Questions, of how many, what was seen, what to try."""


def truncated(seen: Seen) -> Told:
    """The embedder never read some of the evidence."""
    n = seen.count(lambda row, _: "truncated" in row["miss_flags"])
    share = seen.metrics.get("truncated_token_share", 0.0)
    finding = f"evidence lies past the embedder's limit, which cuts off {share:.0%} of all tokens"
    return _told(seen, n, finding, "Cut below the limit, use vectors: late, or an embedder that reads more.")


def longer_than_chunks(seen: Seen) -> Told:
    """No chunk holds evidence that is longer than most chunks."""
    n = seen.count(lambda row, sought: _split(row, sought) and _shortest(sought) > seen.chunk_characters)
    finding = f"evidence is longer than the median chunk ({seen.chunk_characters:,.0f} characters)"
    return _told(
        seen, n, finding, "Use larger chunks, or return more: parents or neighbours. Overlap does not help."
    )


def cut_at_borders(seen: Seen) -> Told:
    """Evidence that would fit into a chunk is cut by a border."""
    n = seen.count(lambda row, sought: _split(row, sought) and _shortest(sought) <= seen.chunk_characters)
    finding = "evidence would fit into a chunk, but lies across a border"
    remedy = (
        "Use overlap at least as long as the evidence, or a strategy that cuts by structure or sentences."
    )
    return _told(seen, n, finding, remedy)


def found_in_part(seen: Seen) -> Told:
    """The right chunk is in the prompt, and the answer goes on in the next."""
    n = seen.count(lambda row, sought: _split(row, sought) and sought["held"] > 0)
    more = "more neighbours" if seen.params.get("neighbours") else "neighbours: 1"
    finding = (
        "the prompt holds a part of the passage: the right place was found, and the answer goes on beside it"
    )
    return _told(seen, n, finding, f"Return what stands around a hit: {more}, parents, or larger chunks.")


def several_places(seen: Seen) -> Told:
    """One part of the answer is found, another elsewhere is not."""
    n = seen.count(lambda _, sought: 0 < len(sought["missing"]) < sought["entries"])
    finding = "the answer needs several passages, of which the prompt holds some whole and others not"
    remedy = "Allow more tokens, ask for each part in a question of its own, or filter by metadata."
    return _told(seen, n, finding, remedy)


def just_past_the_budget(seen: Seen) -> Told:
    """All evidence is ranked, a little further down."""
    n = seen.count(lambda _, sought: sought["tokens"] is not None and sought["tokens"] <= MORE * seen.budget)
    finding = f"all evidence is ranked within {MORE * seen.budget:,} tokens, {MORE} times the budget"
    remedy = "Allow more tokens, use smaller chunks that spend fewer on other text, or rerank."
    if seen.params.get("rerank"):
        remedy = "Allow more tokens, or use smaller chunks that spend fewer on other text."
    return _told(seen, n, finding, remedy)


def few_hits_fit(seen: Seen) -> Told:
    """Chunks are so large that the budget holds hardly more than one guess."""
    if seen.hit_tokens * FEW_HITS <= seen.budget:
        return None
    n = seen.count(lambda row, _: bool({"budget", "outranked"} & set(row["miss_flags"])))
    finding = (
        f"the evidence is further down, and a hit takes {seen.hit_tokens:,.0f} of {seen.budget:,} tokens: "
        f"fewer than {FEW_HITS} fit"
    )
    parts = "parents" if seen.params.get("parents") else "chunks"
    return _told(seen, n, finding, f"Use smaller {parts}, or allow more tokens.")


def wrong_documents(seen: Seen) -> Told:
    """Nothing of the documents that hold the missing evidence is near the top."""

    def shows(row: Row, sought: Row) -> bool:
        found = set(seen.documents.get(row["question_id"], ()))
        elsewhere = {"filtered", "absent", "not_found"} & set(row["miss_flags"])
        return not elsewhere and not _homes(sought) & found

    n = seen.count(shows)
    finding = f"no hit down to rank {seen.largest_k} comes from a document that holds the missing evidence"
    retriever = seen.params.get("retriever", "dense")
    other = {"dense": "retriever: hybrid, ", "bm25": "retriever: hybrid or dense, "}.get(retriever, "")
    last = "" if retriever == "bm25" else ", or another embedder"
    heads = "headings before what is embedded, " if seen.params.get("headings", "none") == "none" else ""
    return _told(seen, n, finding, f"Try {other}{heads}a filter by metadata{last}.")


def wrong_passage(seen: Seen) -> Told:
    """The first hit is in the right document, at another place."""

    def shows(row: Row, sought: Row) -> bool:
        first = seen.documents.get(row["question_id"], ())[:1]
        return _only("outranked", row, sought) and bool(_homes(sought) & set(first))

    n = seen.count(shows)
    finding = "the first hit is of the right document, but the evidence stands elsewhere in it, unranked"
    remedy = "Try smaller chunks, headings: section, rerank, or return parents."
    return _told(seen, n, finding, _unreranked(remedy, "rerank, ", seen.params))


def close_call(seen: Seen) -> Told:
    """The embedder hardly tells the evidence from what it ranks first."""
    tops = {row["question_id"]: row.get("top1_similarity") for row in seen.rows}

    def shows(row: Row, sought: Row) -> bool:
        top, rank, score = tops[row["question_id"]], sought["rank"], sought["score"]
        return rank is not None and rank > 1 and top is not None and top - score <= CLOSE

    n = seen.count(shows)
    finding = f"missing evidence is ranked, at a cosine within {CLOSE} of the first hit's"
    return _told(seen, n, finding, "Rerank with a cross-encoder, or try headings and smaller chunks.")


def low_similarity(seen: Seen) -> Told:
    """Questions and chunks are hardly alike, even where the hit is right."""
    known = min(len(seen.first_scores), len(seen.relevant_scores))
    if known < LEAST or max(median(seen.first_scores), median(seen.relevant_scores)) >= LOW_COSINE:
        return None
    n = seen.count(lambda row, _: "outranked" in row["miss_flags"])
    mean = seen.metrics.get("chunk_tokens_mean", 0.0)
    first, relevant = median(seen.first_scores), median(seen.relevant_scores)
    finding = (
        f"the evidence is outranked, and similarity is low everywhere: median {first:.2f} of first hits and "
        f"{relevant:.2f} of first relevant ones, both under {LOW_COSINE}"
    )
    remedy = (
        f"Use smaller chunks: at {mean:,.0f} tokens on average a vector is the mean of many things."
        if mean > LARGE_TOKENS
        else "Try another embedder, with the prompts it was trained with: chunks are small enough."
    )
    return _told(seen, n, finding, remedy)


def duplicates(seen: Seen) -> Told:
    """Much of the list repeats what stands above. Needs no misses."""
    share = seen.metrics.get(f"duplicate_share_at_{seen.largest_k}", 0.0)
    n = sum(bool(documents) for documents in seen.documents.values())
    if share < DUPLICATES or n < LEAST:
        return None
    finding = (
        f"on average {share:.0%} of the first {seen.largest_k} hits lie at least 90 % inside an earlier one"
    )
    return n, n, finding, "Use less overlap or fewer neighbours: places of the list are spent twice."


PATTERNS: Mapping[str, Callable[[Seen], Told]] = {
    rule.__name__: rule
    for rule in (
        truncated,
        longer_than_chunks,
        cut_at_borders,
        found_in_part,
        several_places,
        just_past_the_budget,
        few_hits_fit,
        wrong_documents,
        wrong_passage,
        close_call,
        low_similarity,
        duplicates,
    )
}
"""In the order in which they are said."""

OF_COSINE = frozenset((close_call, low_similarity))
"""Rules that mean something only where scores are cosines."""


def values(rows: Iterable[Row], name: str) -> list[float]:
    """Those of a column that are there."""
    return [row[name] for row in rows if row.get(name) is not None]


def _told(seen: Seen, questions: int, finding: str, remedy: str) -> Told:
    return (questions, len(seen.rows), finding, remedy) if seen.enough(questions) else None


def _only(flag: str, row: Row, sought: Row) -> bool:
    """Whether the one entry that is missing has a flag; of several, it is not known which one has it."""
    return len(sought["missing"]) == 1 and flag in row["miss_flags"]


def _split(row: Row, sought: Row) -> bool:
    return _only("split", row, sought)


def _shortest(sought: Row) -> int:
    """Characters of the one missing entry; of its alternatives, the shortest."""
    return min(int(end - start) for _, start, end in sought["missing"][0])


def _homes(sought: Row) -> set[str]:
    """Documents that hold missing evidence."""
    return {document for entry in sought["missing"] for document, _, _ in entry}
