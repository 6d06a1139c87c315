"""The bundled handbook is what its card and the pages say: many groups of questions, of every kind."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluation.gold import GoldSet, load
from evaluation.statistics import components, sides, split_problem


@pytest.fixture(scope="module")
def handbook() -> GoldSet:
    return load("handbook")


def test_its_documents_hang_together_in_small_groups(handbook: GoldSet) -> None:
    groups = Counter(components(handbook.questions))
    assert len(handbook.documents) >= 24
    assert len(handbook.questions) >= 240
    assert len(groups) >= 20
    assert max(groups.values()) <= 40


def test_every_document_answers_something(handbook: GoldSet) -> None:
    answering = {
        passage.document
        for question in handbook.questions
        for entry in question.evidence
        for passage in entry.passages
    }
    assert answering == {document.id for document in handbook.documents}


@pytest.mark.parametrize("test", [0.3, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_it_can_be_split(handbook: GoldSet, test: float, seed: int) -> None:
    ids, labels = [question.id for question in handbook.questions], components(handbook.questions)
    found = sides(ids, labels, test=test, seed=seed)
    assert split_problem("split", found, labels) is None
    assert found.count("test") == pytest.approx(test * len(ids), abs=10)


def test_it_has_questions_of_every_kind(handbook: GoldSet) -> None:
    kinds = Counter(tag for question in handbook.questions for tag in question.tags)
    assert kinds.keys() == {
        *("single", "multi", "boundary", "table", "paraphrase", "cross-document", "filter", "code")
    }
    assert min(kinds.values()) >= 20


def test_tags_say_what_a_question_is(handbook: GoldSet) -> None:
    for question in handbook.questions:
        tags, entries = set(question.tags), question.evidence
        found = {"multi"} if len(entries) > 1 else {"single"}
        # A second document is needed only where no alternatives of the first will do.
        if len(set.intersection(*({p.document for p in entry.passages} for entry in entries))) == 0:
            found.add("cross-document")
        if question.filter:
            found.add("filter")
        assert tags & {"single", "multi", "cross-document", "filter"} == found, question.id
