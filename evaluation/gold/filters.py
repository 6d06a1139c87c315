"""Filters by metadata: which documents pass one, and what to say where none does."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from evaluation.gold.nouns import Question, admits
from strategies.document import Document, Scalar
from strategies.errors import Problem, brief, listed, nearest


def passing(wanted: Mapping[str, Scalar], documents: Iterable[Document]) -> list[Document]:
    """The documents that a filter lets through, in their order."""
    return [document for document in documents if admits(wanted, document.metadata)]


def filter_problem(where: str, wanted: Mapping[str, Scalar], documents: Sequence[Document]) -> Problem | None:
    """The problem of a filter that lets nothing through; an empty one lets everything."""
    if not wanted or any(admits(wanted, document.metadata) for document in documents):
        return None
    what = f"no document passes the filter {brief(json.dumps(dict(wanted), ensure_ascii=False))}"
    return Problem(where, what, _remedy(wanted, documents))


def excluded(questions: Iterable[Question], searched: Collection[str]) -> int:
    """How many questions have a piece of evidence in none of the documents that are searched."""
    return sum(
        any(
            all(passage.document not in searched for passage in entry.passages) for entry in question.evidence
        )
        for question in questions
    )


def _remedy(wanted: Mapping[str, Scalar], documents: Sequence[Document]) -> str:
    """What the metadata hold for the first entry of a filter that no document fulfils."""
    for key, value in wanted.items():
        if any(admits({key: value}, document.metadata) for document in documents):
            continue
        values = {json.dumps(d.metadata[key], ensure_ascii=False) for d in documents if key in d.metadata}
        if values:
            shown = [brief(value) for value in sorted(values)]
            return f"{brief(key)} is {listed(shown, 'or')} in the documents' metadata"
        known = {name for document in documents for name in document.metadata}
        missing = "No document has metadata: give them in card.yaml, in front matter or in sidecars"
        return nearest(key, known) if known else missing
    return "No document fulfils all of its entries at once"
