"""What of one question is judged: the text that was retrieved, and the evidence as a reference."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.coverage import RankedText
from evaluation.judging.measures import Reads
from evaluation.layout import Layout
from evaluation.measured import Counts
from evaluation.pouring import cut
from evaluation.relevance import which_relevant


@dataclass(frozen=True, slots=True)
class Case:
    """One question with what it retrieved."""

    question: str
    contexts: tuple[str, ...]
    """By rank; none is blank."""
    context_ids: tuple[str, ...]
    """Of the hits that are judged."""
    relevant_ids: tuple[str, ...]
    """Of every chunk in the index that is relevant by the sweep's rule."""
    references: tuple[str, ...]
    """The passage of each piece of evidence that the contexts cover best."""
    passages: tuple[str, ...]
    """Every passage, alternatives included."""
    expected: str = ""
    """What a right answer says; empty where the gold set does not tell."""

    def reads(self, what: Reads, answer: str) -> str | list[str]:
        """A value as ragas calls it; `answer` is empty where none is judged.

        An answer is compared with the expected one where there is one, all else with the evidence.
        """
        values: dict[Reads, str | list[str]] = {
            "user_input": self.question,
            "response": answer,
            "reference": (self.expected if answer else "") or self.reference,
            "retrieved_contexts": list(self.contexts),
            "reference_contexts": list(self.references),
            "retrieved_context_ids": list(self.context_ids),
            "reference_context_ids": list(self.relevant_ids),
        }
        return values[what]

    @property
    def reference(self) -> str:
        """The evidence as one text."""
        return "\n".join(self.references)


def case_of(
    text: RankedText,
    texts: Mapping[str, str],
    layout: Layout,
    rule: str,
    *,
    k: int | None = None,
    tokens: int | None = None,
) -> Case:
    """The case of a ranked list: its first `k` hits whole, or what a prompt of `tokens` holds of it.

    `texts` are those of the documents, by id. A chunk's id is the range that it returns, which is the same
    in every index: gold knows places in documents and no chunks.
    """
    if k is not None:
        hits = text.hits[:k]
        contexts = [texts[hit.document][hit.start : hit.end] for hit in hits]
        covered = text.non_white[len(hits)]
    else:
        budget = tokens or 0
        hits = text.hits[: bisect_left(text.text_tokens, budget)]
        contexts, covered = _poured(text, texts, len(hits), budget), text.within(budget).non_white
    return Case(
        text.evidence.question.text,
        tuple(context for context in contexts if context.strip()),
        tuple(_id(hit.document, hit.start, hit.end) for hit in hits),
        _relevant_ids(text, layout, rule),
        *_passages(text, texts, covered),
        text.evidence.question.answer,
    )


def _poured(text: RankedText, texts: Mapping[str, str], n_hits: int, budget: int) -> list[str]:
    """What each hit adds, the last one cut: text that stands above already is not repeated."""
    contexts = []
    for step, before in zip(text.steps[:n_hits], text.text_tokens, strict=False):
        pieces = step.pieces
        if before + step.tokens > budget:
            pieces = cut(step, budget - before, text.documents[step.document])
        contexts.append("\n".join(texts[step.document][start:end] for start, end in pieces))
    return contexts


def _relevant_ids(text: RankedText, layout: Layout, rule: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for passage in text.evidence.passages:
        near = layout.overlapping(passage.document, passage.start, passage.end)
        flags = which_relevant(near.starts, near.ends, (passage.start, passage.end), rule)
        for (start, end), flag in zip(near.ranges, flags.tolist(), strict=True):
            if flag:
                found[_id(passage.document, start, end)] = None
    return tuple(found)


def _passages(
    text: RankedText, texts: Mapping[str, str], covered: Counts
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    all_of_them = tuple(
        texts[passage.document][passage.start : passage.end] for passage in text.evidence.passages
    )
    best = text.evidence.best(covered) if all_of_them else []
    return tuple(all_of_them[row] for row in best), all_of_them


def _id(document: str, start: int, end: int) -> str:
    return f"{document}:{start}-{end}"
