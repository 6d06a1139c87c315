"""What of a gold set a format can hold: questions that it cannot are left out, each with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from evaluation.gold.describing import describe
from evaluation.gold.formats.format import Fitted, Format, Kept, gold_set
from evaluation.gold.loading import CARD
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from strategies.document import Document
from strategies.errors import Problem, brief, listed

_BARE: dict[Kept, Any] = {"tags": (), "filter": {}, "answer": "", "synthetic": ""}
_LOST = {
    "tags": "tags are lost",
    "filter": "the filter is lost",
    "answer": "the answer is lost",
    "synthetic": "how it was made is lost",
}

_COUNTED = {"name", "counts", "checksum", "documents"}
"""Of a card: what each set has of its own, and what stands in its documents."""


def fitted(format: Format, gold: GoldSet) -> Fitted:
    """See `Format.fit`."""
    texts = {document.id: document for document in gold.documents}
    refused = []
    kept = []
    for question in gold.questions:
        if what := format.unfit(question, texts):
            refused.append(Problem(f"question {brief(question.id)}", what))
        else:
            kept.append(question)
    names = format.names(gold)
    documents = [_document(document, format, names) for document in gold.documents]
    bare = {name: value for name, value in _BARE.items() if name not in format.keeps}
    questions = [_moved(replace(question, **bare), names) for question in kept]
    lost = [
        *_lost_of_card(gold),
        *_lost_of_questions(format, kept),
        *_lost_of_documents(format, gold, documents, names),
    ]
    return Fitted(gold_set(gold.name, documents, questions), tuple(refused), tuple(lost))


def _document(document: Document, format: Format, names: Mapping[str, str]) -> Document:
    name = names.get(document.id, document.id)
    return (
        replace(document, id=name) if "metadata" in format.keeps else describe(name, document.text, name)[0]
    )


def _moved(question: Question, names: Mapping[str, str]) -> Question:
    if not names:
        return question
    evidence = tuple(
        Evidence(tuple(Passage(names.get(p.document, p.document), p.start, p.end) for p in entry.passages))
        for entry in question.evidence
    )
    return replace(question, evidence=evidence)


def _lost_of_card(gold: GoldSet) -> Iterator[Problem]:
    if said := sorted(key for key in gold.card if key not in _COUNTED):
        what = (
            f"{listed([brief(key) for key in said], most=len(said))} {'is' if len(said) == 1 else 'are'} lost"
        )
        yield Problem(CARD, what, "Write them into the card again after an import")


def _lost_of_questions(format: Format, questions: list[Question]) -> Iterator[Problem]:
    for name, what in _LOST.items():
        having = [
            question.id for question in questions if name not in format.keeps and getattr(question, name)
        ]
        if having:
            yield Problem("questions", f"{what} for {_counted(having, len(questions))}")


def _lost_of_documents(
    format: Format, gold: GoldSet, documents: list[Document], names: Mapping[str, str]
) -> Iterator[Problem]:
    pairs = list(zip(gold.documents, documents, strict=True))
    ways: tuple[tuple[str, Any], ...] = (
        ("metadata are lost", lambda one: _typed(one.metadata)),
        ("the media type is lost", lambda one: one.media_type),
        ("pages and headings are lost", lambda one: one.marks),
    )
    for what, of in ways:
        if changed := [before.id for before, after in pairs if of(before) != of(after)]:
            yield Problem("documents", f"{what} for {_counted(changed, len(pairs))}")
    if names:
        shown = [f"{brief(before)} becomes {brief(after)}" for before, after in names.items()]
        yield Problem(
            "documents", f"another name is needed for {len(names)} of {len(pairs)}: {listed(shown)}"
        )


def _typed(metadata: Mapping[str, Any]) -> dict[str, tuple[type, Any]]:
    """Metadata whose comparison tells 1, 1.0 and true apart."""
    return {name: (type(value), value) for name, value in metadata.items()}


def _counted(some: list[str], of: int) -> str:
    return f"{len(some)} of {of} ({listed([brief(name) for name in some])})"
