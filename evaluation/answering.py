"""Every question asked of one configuration's index, and what it answers scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from evaluation.asked import Asked, Index
from evaluation.coverage import RankedText
from evaluation.findings import relevant_hits
from evaluation.gold import Question
from evaluation.health import embedded_until
from evaluation.judging.case import Case
from evaluation.judging.jury import Jury
from evaluation.layout import Layout
from evaluation.metrics import expand
from evaluation.metrics.mrr import reciprocal_rank
from evaluation.misses import Facts, classify, headline_budget
from evaluation.relevance import RULES
from evaluation.retrieval import Hit, Retriever, tied
from evaluation.scorers import Scorer, ask
from evaluation.scoring import ScoringContext, score
from evaluation.settings import Settings
from evaluation.sought import Sought
from evaluation.statistics import resampling_units
from strategies.document import Chunk
from strategies.strategy import Vectors


class Retrieved(NamedTuple):
    """What one question retrieved."""

    question_id: str
    hits: tuple[Hit, ...]
    """By rank, up to the largest K; none where the search failed."""
    relevant: tuple[bool, ...]
    """Of each hit."""


@dataclass(slots=True)
class Answers:
    """What came of the questions that have evidence, in their order."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    """One a question: its values (None: missing), its miss, its error."""
    retrieved: list[Retrieved] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    """What is judged; none without a jury."""
    by_rule: dict[str, list[float]] = field(default_factory=lambda: {rule: [] for rule in RULES})
    """Reciprocal rank down to the largest K, under each rule of relevance."""
    tied: int = 0
    """Questions for which the tie rule decided something about the first K."""
    failed: int = 0
    """Questions whose search failed."""


def answer_all(
    index: Index, asked: Asked, retriever: Retriever, scorers: Mapping[str, Scorer], jury: Jury | None
) -> Answers:
    """Ask every question that has evidence. Raises what the search raised where it failed for all of them."""
    settings = asked.context.settings
    context = replace(asked.context, layout=Layout.of(index.chunks))
    until, depth = embedded_until(index.chunks, index.embedded), _first_depth(settings, index.chunks)
    texts = {document.id: document.text for document in index.documents}
    no_similarity = dict.fromkeys(similarities(settings)) if index.search.no_similarity else {}
    answers = Answers()
    questions = asked.scored
    units = resampling_units(questions)
    for question, vector, unit in zip(questions, asked.vectors, units.labels, strict=True):
        error = None
        try:
            text = _retrieve(retriever, question, vector, context, depth)
        except Exception as failure:  # one question must not cost the others their result
            error = f"{type(failure).__name__}: {failure}"
            answers.failed += 1
            if answers.failed == len(questions):
                raise
            text = context.read(question, ())
        answers.tied += tied(text.hits, settings.largest_k)
        top = text.hits[: settings.largest_k]
        answers.retrieved.append(
            Retrieved(question.id, top, relevant_hits(text.evidence, top, settings.rule))
        )
        for rule, ranks in answers.by_rule.items():
            ranks.append(reciprocal_rank(relevant_hits(text.evidence, top, rule), settings.largest_k))
        facts = Facts(retriever.searchable(question), until)
        miss = None if error else classify(text, context, facts)
        if miss and "outranked" in miss.flags and index.search.may_lose:
            near = retriever.nearest(question, vector, index.embedded.vectors, len(text.hits))
            miss = classify(text, context, facts, context.read(question, near))
        judged, complaints = ask(scorers, question, text.hits)
        if jury:
            answers.cases.append(jury.case(text, texts, context.layout, settings.rule))
        answers.rows.append(
            {
                "question_id": question.id,
                "question": question.text,
                "tags": list(question.tags),
                "synthetic": question.synthetic,
                "unit": unit,
                "documents": sorted({p.document for entry in question.evidence for p in entry.passages}),
                **score(text, context, failed=error is not None),
                **no_similarity,
                **judged,
                "miss": miss.reason if miss else None,
                "miss_flags": list(miss.flags) if miss else [],
                "sought": None if error else Sought.of(text, headline_budget(settings)).row(),
                "error": error or "; ".join(complaints) or None,
            }
        )
    return answers


def similarities(settings: Settings) -> tuple[str, ...]:
    """Scores of questions that mean something only where a hit's score is a similarity of vectors."""
    return tuple(name for name, metric, _ in expand(settings) if metric.unit == "similarity")


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
