"""Where the evidence stood, in scenes worked out by hand and against the scores."""

from __future__ import annotations

import json

from hypothesis import given, settings

from evaluation.misses import Facts, classify
from evaluation.scoring import score
from evaluation.sought import Sought

from .scene import Place, context, hits, measured, question
from .test_scoring_laws import BUDGETS, Case, cases

WORDS = "aa bb cc dd ee ff gg hh"  # eight tokens, one every three characters
DOCUMENTS = {"d": measured(WORDS), "e": measured(WORDS)}
PAIRS: list[Place] = [("d", 0, 5), ("d", 6, 11), ("d", 12, 17), ("d", 18, 23)]
SCENE = context(DOCUMENTS, PAIRS)


def sought(ranked: list[Place], *entries: Place | list[Place], budget: int = 2) -> Sought:
    return Sought.of(SCENE.read(question(*entries), hits(*ranked)), budget)


def test_of_an_answered_question_the_first_hit_with_evidence() -> None:
    found = sought(PAIRS, ("d", 0, 5))
    assert (found.missing, found.held, found.rank, found.score, found.tokens) == ((), 1.0, 1, 0.9, 2)


def test_of_a_missed_one_the_first_hit_with_what_is_missing() -> None:
    found = sought(PAIRS, ("d", 0, 5), ("d", 12, 17))
    assert found.entries == 2
    assert found.row()["missing"] == [[["d", 12, 17]]]
    assert (found.held, found.rank, found.score, found.tokens) == (0.0, 3, 0.7, 6)


def test_what_the_budget_holds_of_it() -> None:
    found = sought(PAIRS, ("d", 3, 8))  # bb, of which the first pair has it, and cc
    assert (found.held, found.rank, found.tokens) == (0.5, 1, 4)


def test_evidence_that_is_not_ranked() -> None:
    found = sought(PAIRS[:2], ("d", 12, 17))
    assert (found.rank, found.score, found.tokens) == (None, None, None)
    half = sought(PAIRS[:2], ("d", 9, 14))  # dd ee: ee stands in no hit
    assert (half.rank, half.tokens) == (2, None)
    assert sought([], ("d", 0, 5)).rank is None


def test_of_alternatives_one_is_enough() -> None:
    found = sought(PAIRS, [("e", 0, 5), ("d", 6, 11)])
    assert (found.rank, found.tokens) == (2, 4)
    assert len(found.missing[0]) == 2
    assert sought(PAIRS, [("e", 0, 5), ("d", 0, 2)]).missing == ()


def test_a_row_is_plain() -> None:
    row = sought(PAIRS, [("e", 0, 5), ("d", 6, 11)]).row()
    assert json.loads(json.dumps(row)) == row
    assert row["missing"] == [[["e", 0, 5], ["d", 6, 11]]]


@given(cases())
@settings(max_examples=100, deadline=None)
def test_it_agrees_with_the_scores_and_the_misses(case: Case) -> None:
    text = case.context.read(case.question, hits(*case.ranked))
    scores = score(text, case.context)
    for budget in BUDGETS:
        found = Sought.of(text, budget)
        answered = scores[f"answerable_at_{budget}_tokens"] == 1.0
        assert answered == (not found.missing)
        assert 0 <= found.held <= 1
        assert (found.held == 1) == answered
        if found.tokens is not None and found.tokens < budget:  # a full budget takes nothing more
            assert answered
        if found.rank is None:
            assert found.held == 0
    # The budget of the scene's headline is the smallest one.
    missed = classify(text, case.context, Facts(frozenset("de")))
    assert (missed is None) == (not Sought.of(text, BUDGETS[0]).missing)
