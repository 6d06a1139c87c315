"""Laws of the scores, on documents, cuts, evidence and ranked lists of every kind."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import isfinite

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.coverage import RankedText, tally
from evaluation.evidence import PreparedEvidence
from evaluation.gold import Question
from evaluation.metrics import expand
from evaluation.pouring import poured
from evaluation.relevance import RULES
from evaluation.scoring import ScoringContext, score_question

from .plain_reference import Place, Reference
from .scene import context, hits, measured, question

KS, BUDGETS = (1, 2, 3, 4, 8), (1, 2, 3, 5, 9, 20)


@dataclass(frozen=True)
class Case:
    texts: dict[str, str]
    tokens: dict[str, list[int]]
    index: list[Place]
    ranked: list[Place]
    question: Question
    rule: str

    @property
    def context(self) -> ScoringContext:
        documents = {name: measured(text, self.tokens[name], name) for name, text in self.texts.items()}
        return context(documents, self.index, KS, BUDGETS, self.rule)

    def scores(self, ranked: list[Place] | None = None) -> dict[str, float | None]:
        return score_question(self.question, hits(*(self.ranked if ranked is None else ranked)), self.context)


@st.composite
def cases(draw: st.DrawFn, *, alternatives: bool = True) -> Case:
    texts = {name: draw(st.text(alphabet="ab \n", min_size=4, max_size=24)) + "x" for name in "de"}
    tokens = {
        name: sorted([0, *draw(st.lists(st.integers(0, len(text) - 1), max_size=10))])
        for name, text in texts.items()
    }

    def place(draw: st.DrawFn) -> Place:
        name = draw(st.sampled_from("de"))
        start = draw(st.integers(0, len(texts[name]) - 1))
        return name, start, draw(st.integers(start + 1, len(texts[name])))

    def passage(draw: st.DrawFn) -> Place:
        name, start, end = place(draw)
        inside = texts[name][start:end]
        if inside.isspace():
            return name, 0, len(texts[name])
        return name, start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())

    index = [place(draw) for _ in range(draw(st.integers(0, 8)))]
    ranked = draw(st.lists(st.sampled_from(index), max_size=10)) if index else []
    entries = [
        [passage(draw) for _ in range(draw(st.integers(1, 3 if alternatives else 1)))]
        for _ in range(draw(st.integers(1, 3)))
    ]
    return Case(texts, tokens, index, ranked, question(*entries), draw(st.sampled_from(sorted(RULES))))


@given(cases())
@settings(max_examples=150, deadline=None)
def test_every_column_equals_the_plain_definition(case: Case) -> None:
    scores = case.scores()
    plain = Reference(case.texts, case.tokens, case.question, case.ranked, case.index, case.rule)
    expected = plain.columns(KS, BUDGETS)
    assert expected.keys() == {name for name in scores if "similarity" not in name}
    assert {name: scores[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    for budget in BUDGETS:
        text = poured(hits(*case.ranked), budget, case.context.documents)
        assert {(name, i) for name, rs in text.items() for s, e in rs for i in range(s, e)} == plain.poured(
            budget
        )


@given(cases())
@settings(max_examples=60, deadline=None)
def test_shares_and_scores_stay_within_0_and_1(case: Case) -> None:
    scores = case.scores()
    for name, metric, _ in expand(case.context.settings):
        value = scores[name]
        assert value is None or isfinite(value)
        if value is None:
            assert metric.may_be_missing
        elif metric.unit in ("share", "score"):
            assert 0 <= value <= 1


@given(cases(), st.data())
@settings(max_examples=60, deadline=None)
def test_a_hit_that_comes_again_changes_nothing(case: Case, data: st.DataObject) -> None:
    if not case.ranked:
        return
    first = data.draw(st.integers(0, len(case.ranked) - 1))
    again = data.draw(st.integers(first + 1, len(case.ranked)))
    ranked = [*case.ranked[:again], case.ranked[first], *case.ranked[again:]]
    names = [name for name in case.scores() if "similarity" not in name]  # they come with the rank here
    before, after = case.scores(), case.scores(ranked)
    assert [before[name] for name in names] == [after[name] for name in names]


@given(cases(alternatives=False))
@settings(max_examples=60, deadline=None)
def test_recall_and_tokens_never_fall_with_k_or_budget(case: Case) -> None:
    scores = case.scores()
    for form, parameters in (
        ("context_recall_at_{}", KS),
        ("discounted_recall_at_{}", KS),
        ("mrr_at_{}", KS),
        ("hit_at_{}", KS),
        ("prompt_tokens_at_{}", KS),
        ("prompt_tokens_at_{}_tokens", BUDGETS),
        ("context_recall_at_{}_tokens", BUDGETS),
        ("answerable_at_{}_tokens", BUDGETS),
    ):
        values = [scores[form.format(parameter)] for parameter in parameters]
        assert values == sorted(values)  # type: ignore[type-var]


@given(cases())
@settings(max_examples=40, deadline=None)
def test_answerable_never_falls_with_the_budget_whatever_the_alternatives(case: Case) -> None:
    scores = case.scores()
    values = [scores[f"answerable_at_{budget}_tokens"] for budget in BUDGETS]
    assert values == sorted(values)  # type: ignore[type-var]


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_chunks_and_of_evidence_does_not_matter(case: Case, shuffle: random.Random) -> None:
    index, entries = list(case.index), list(case.question.evidence)
    shuffle.shuffle(index)
    shuffle.shuffle(entries)
    other = replace(case, index=index, question=replace(case.question, evidence=tuple(entries)))
    assert other.scores() == case.scores()


@given(cases())
@settings(max_examples=40, deadline=None)
def test_one_pass_over_the_list_equals_a_pass_for_each_budget(case: Case) -> None:
    documents, ranked = case.context.documents, hits(*case.ranked)
    evidence = PreparedEvidence.of(case.question, documents)
    text = RankedText.of(evidence, ranked, documents)
    for budget in BUDGETS:
        within, plain = text.within(budget), tally(evidence, poured(ranked, budget, documents), documents)
        assert within.non_white.tolist() == plain.non_white.tolist()
        assert within.characters.tolist() == plain.characters.tolist()
        assert within.text_characters == plain.text_characters
        assert within.text_tokens == plain.text_tokens


@given(cases())
@settings(max_examples=40, deadline=None)
def test_a_poured_text_never_exceeds_its_budget(case: Case) -> None:
    documents = case.context.documents
    for budget in BUDGETS:
        text = poured(hits(*case.ranked), budget, documents)
        assert sum(documents[name].tokens(s, e) for name, ranges in text.items() for s, e in ranges) <= budget
