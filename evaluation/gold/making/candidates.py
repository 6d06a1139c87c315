"""One question of a language model on a sample of passages: asked for, placed, and held to account."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from evaluation.gold.copies_that_count import MOST_PLACES, whole_words, with_copies
from evaluation.gold.making import prompts, wording
from evaluation.gold.making.sampling import Excerpt, Sample
from evaluation.gold.nouns import Evidence, Passage, Question
from evaluation.gold.quotes import Corpus, Quote, Range
from strategies.units.counting import counter_of

Step = Literal["question", "rephrase", "answer", "compare"]
"""What a request is for."""

Ask = Callable[[str, str], str]
"""(what it is for, prompt) -> the model's answer; raises ChatError where there is none."""

_LEAST_QUOTE = 12
"""Characters of a quote: what is shorter says nothing on its own."""
_WHOLE = 0.8
"""Share of a passage that no evidence may take."""
_SHORT_TOKENS = 100
"""A passage of so many tokens may be evidence as a whole."""

REASONS = {
    "form": "the reply had not the form that was asked for",
    "nothing": "the model found nothing worth asking",
    "quote": "a quote does not stand in its passage, or is too short",
    "whole": "the evidence is a whole passage",
    "repeats": f"the words of the evidence stand in more than {MOST_PLACES} places",
    "points": "the question speaks of a passage that its reader does not see",
    "leaks": "the question repeats its evidence, and did so when asked for other words",
    "unanswered": "the evidence alone does not answer it",
    "disagrees": "the evidence alone gives another answer",
    "duplicate": "the question was asked before",
    "places": "a context of ragas stands in no document",
}
"""Why a question was dropped, in words."""


class Dropped(NamedTuple):
    """A question that is not kept."""

    reason: str
    """One of `REASONS`."""
    question: str = ""


def candidate(sample: Sample, before: Sequence[str], corpus: Corpus, ask: Ask) -> Question | Dropped:
    """The question that a model makes of a sample, if it holds.

    `before` are questions that were asked on its first passage. Raises ChatError where an answer is missing.
    """
    draft = prompts.read_draft(ask("question", prompts.question_prompt(sample, before)), len(sample.excerpts))
    if draft is None:
        return Dropped("form")
    text = draft.question
    if not text:
        return Dropped("nothing")
    places = _places(draft, sample, corpus)
    if isinstance(places, str):
        return Dropped(places, text)
    evidence = [corpus.documents[place.document].text[place.start : place.end] for place in places]
    entries: dict[frozenset[Passage], Evidence] = {}
    for place in places:
        entry = evidence_at(place, corpus)
        if entry is None:
            return Dropped("repeats", text)
        entries.setdefault(frozenset(entry.passages), entry)  # the same words, quoted from two places
    if wording.points(text):
        return Dropped("points", text)
    if wording.leaks(text, "\n".join(evidence)):
        again = prompts.read_question(ask("rephrase", prompts.rephrase_prompt(text, evidence)))
        if again is None:
            return Dropped("form", text)
        text = again
        if wording.points(text):
            return Dropped("points", text)
        if wording.leaks(text, "\n".join(evidence)):
            return Dropped("leaks", text)
    if reason := _unanswerable(text, evidence, draft.answer, ask):
        return Dropped(reason, text)
    return made_question(text, tuple(entries.values()), draft.answer)


def _places(draft: prompts.Draft, sample: Sample, corpus: Corpus) -> list[Passage] | str:
    """Where the quotes stand, those that overlap as one; or why they are no evidence."""
    found = set[Passage]()
    for number, quote in draft.quotes:
        excerpt = sample.excerpts[number]
        where = _within(excerpt, Quote(quote), corpus)
        if where is None or where[1] - where[0] < _LEAST_QUOTE:
            return "quote"
        found.add(Passage(excerpt.place.document, *where))
    joined: list[Passage] = []
    for place in sorted(found):
        if joined and joined[-1].document == place.document and place.start <= joined[-1].end:
            last = joined.pop()
            place = Passage(last.document, last.start, max(last.end, place.end))
        joined.append(place)
    for excerpt in sample.excerpts:
        covered = sum(_common(place, excerpt.place) for place in joined)
        size = excerpt.place.end - excerpt.place.start
        if covered > _WHOLE * size and counter_of("cl100k_base").count(excerpt.text) > _SHORT_TOKENS:
            return "whole"
    return joined


def _within(excerpt: Excerpt, quote: Quote, corpus: Corpus) -> Range | None:
    """The first place of a quote in its passage: exactly, or else but for what folding leaves out."""
    begin, end = excerpt.place.start, excerpt.place.end
    for look in (corpus.exact, corpus.alike):
        for start, stop in look(excerpt.place.document, quote):
            if begin <= start and stop <= end:
                return start, stop
    return None


def _common(one: Passage, other: Passage) -> int:
    if one.document != other.document:
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def evidence_at(place: Passage, corpus: Corpus) -> Evidence | None:
    """A place and, as alternatives, the copies of its words; None where those are too many."""
    quote = Quote(corpus.documents[place.document].text[place.start : place.end])
    found = (
        Passage(document, start, end)
        for document in corpus.documents
        for start, end in corpus.every(document, quote)
    )
    return with_copies(place, found, corpus.documents, whole_words)


def _unanswerable(question: str, evidence: Sequence[str], answer: str, ask: Ask) -> str:
    """Why the evidence alone does not give the answer; empty where it does."""
    alone = prompts.read_answer(ask("answer", prompts.answer_prompt(question, evidence)))
    if alone is None:
        return "form"
    if not alone:
        return "unanswered"
    if wording.agree(answer, alone):
        return ""
    same = prompts.read_same(ask("compare", prompts.compare_prompt(question, answer, alone)))
    return "form" if same is None else "" if same else "disagrees"


def made_question(text: str, evidence: tuple[Evidence, ...], answer: str, *tags: str) -> Question:
    """A question with an id of what it asks and where that stands, and a tag of how its evidence lies."""
    firsts = [entry.passages[0] for entry in evidence]
    lies = "single" if len(firsts) == 1 else "multi"
    across = ("across",) if len({place.document for place in firsts}) > 1 else ()
    content = json.dumps([text, [[p.document, p.start, p.end] for p in firsts]])
    name = f"model-{hashlib.sha256(content.encode('ascii')).hexdigest()[:12]}"
    return Question(name, text, evidence, (lies, *across, *tags), answer=answer, synthetic="model")
