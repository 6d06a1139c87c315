from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan

import pytest

from evaluation.evidence import PreparedEvidence
from evaluation.layout import Layout
from evaluation.metrics import METRICS, expand
from evaluation.pouring import distinct, poured
from evaluation.retrieval import Hit
from evaluation.scoring import Aggregate, aggregate, score_question
from evaluation.settings import Settings
from strategies.errors import BadInput

from .scene import context, hits, measured, question

WORDS = "aa bb cc dd ee ff gg hh"
DOCUMENTS = {"d": measured(WORDS)}


def test_a_question_without_gold_has_no_value_and_no_influence() -> None:
    scene = context(DOCUMENTS, [("d", 0, 5)])
    row = score_question(question(), hits(("d", 0, 5)), scene)
    assert list(row) == [name for name, _, _ in expand(scene.settings)]
    assert set(row.values()) == {None}


def test_a_failed_retrieval_has_only_what_the_chunks_tell_and_counts_0() -> None:
    scene = context(DOCUMENTS, [("d", 0, 5)])
    found, failed = (score_question(question(("d", 0, 5)), some, scene) for some in (hits(("d", 0, 5)), None))
    assert {name for name, value in failed.items() if value is not None} == {
        "precision_omega",
        "evidence_intact",
    }
    means = aggregate([found, failed], n_no_gold=1)
    assert means["mrr_at_5"] == Aggregate(0.5, n_scored=1, n_failed=1, n_no_gold=1)
    assert means["context_recall_at_4_tokens"] == Aggregate(0.5, n_scored=1, n_failed=1, n_no_gold=1)
    assert means["evidence_intact"] == Aggregate(1.0, n_scored=2, n_failed=0, n_no_gold=1)
    assert means["prompt_tokens_at_5"] == Aggregate(2.0, n_scored=1, n_failed=0, n_no_gold=1)


def test_a_question_without_hits_counts_0_in_the_mean() -> None:
    scene = context(DOCUMENTS, [("d", 0, 5)])
    rows = [score_question(question(("d", 0, 5)), some, scene) for some in (hits(("d", 0, 5)), [])]
    means = aggregate(rows, n_no_gold=0)
    assert means["mrr_at_5"] == Aggregate(0.5, n_scored=2, n_failed=0, n_no_gold=0)
    assert means["first_hit_tokens"] == Aggregate(2.0, n_scored=1, n_failed=0, n_no_gold=0)


def test_missing_values_of_a_judge_stay_missing_and_are_counted() -> None:
    rows = [
        {"judged_recall": 1.0},
        {"judged_recall": None},
        {"judged_recall": nan},
        {"judged_recall": inf},
        {},
    ]
    means = aggregate(rows, n_no_gold=0)
    assert means["judged_recall"] == Aggregate(1.0, n_scored=1, n_failed=4, n_no_gold=0)


def test_means_of_nothing() -> None:
    assert aggregate([], n_no_gold=4) == {}
    assert aggregate([{"mrr_at_5": None}], n_no_gold=0)["mrr_at_5"] == Aggregate(0.0, 0, 1, 0)
    assert aggregate([{"first_hit_tokens": None}], n_no_gold=0)["first_hit_tokens"].mean is None
    assert aggregate([{"judged": None}], n_no_gold=0)["judged"] == Aggregate(None, 0, 1, 0)


def test_means_do_not_depend_on_the_order_of_questions() -> None:
    rows: list[dict[str, float | None]] = [{"mrr_at_5": 1 / (i % 7 + 1), "judged": i / 3} for i in range(100)]
    means = aggregate(rows, n_no_gold=0)
    for seed in range(5):
        random.Random(seed).shuffle(rows)
        assert aggregate(rows, n_no_gold=0) == means


def test_prepared_evidence_is_shared_between_configurations() -> None:
    asked = question(("d", 0, 5))
    one = context(DOCUMENTS, [("d", 0, 5)])
    other = replace(one, layout=Layout.of([]))
    assert one.evidence(asked) is other.evidence(asked)
    renewed = question(("d", 3, 8))  # the same id, other evidence
    assert other.evidence(renewed).passages[0].start == 3
    assert score_question(asked, [], other)["precision_omega"] == 0.0
    assert score_question(asked, [], one)["precision_omega"] == 1.0


def test_evidence_that_does_not_lie_in_the_documents_is_refused_whole() -> None:
    bad = question(("x", 0, 5), ("d", 20, 24), ("d", 2, 3), ("d", 4, 4), ("d", 0, 2), [])
    with pytest.raises(BadInput) as error:
        PreparedEvidence.of(bad, DOCUMENTS)
    assert [problem.what.split(":")[0] for problem in error.value.problems] == [
        "evidence lies in an unknown document",
        "evidence lies outside its document",
        "evidence is blank",
        "evidence lies outside its document",
        "an evidence entry has no passage",
    ]


def test_hits_of_the_same_range_are_one_hit_at_its_best_rank() -> None:
    ranked = hits(("d", 0, 5), ("d", 6, 8), ("d", 0, 5))
    assert distinct(ranked) == ranked[:2]


def test_the_text_that_a_budget_holds() -> None:
    ranked = hits(("d", 6, 14), ("d", 0, 11), ("d", 15, 23))
    assert poured(ranked, 2, DOCUMENTS) == {"d": ((6, 12),)}
    assert poured(ranked, 4, DOCUMENTS) == {"d": ((0, 3), (6, 14))}
    assert poured(ranked, 5, DOCUMENTS) == {"d": ((0, 14),)}
    assert poured(ranked, 99, DOCUMENTS) == {"d": ((0, 14), (15, 23))}
    assert poured([], 5, DOCUMENTS) == {}
    assert poured(hits(("d", 6, 10), ("d", 0, 11)), 4, DOCUMENTS) == {"d": ((0, 11),)}  # fits exactly


def test_a_list_is_deep_enough_when_every_k_and_budget_is_served() -> None:
    def suffices(ranked: Sequence[Hit], k: int, budget: int) -> bool:
        text = context(DOCUMENTS, []).read(question(("d", 0, 5)), ranked)
        return text.suffices(Settings(ks=(1, k), budgets=(1, budget)))

    ranked = hits(("d", 0, 5), ("d", 6, 11), ("d", 12, 17))  # two tokens each
    assert suffices(ranked, 2, 6)
    assert not suffices(ranked, 3, 6)  # whether the third ties with a fourth cannot be told
    assert not suffices(ranked, 2, 7)
    assert not suffices([*ranked, ranked[0]], 3, 6)
    assert not suffices([], 2, 2)


def test_what_lies_below_every_k_and_budget_changes_nothing() -> None:
    ranked = [("d", 0, 5), ("d", 6, 11), ("d", 12, 17), ("d", 18, 23)]
    scene = context(DOCUMENTS, ranked, ks=(1, 2), budgets=(2, 4))
    for places in (("d", 0, 23), ("d", 12, 17)):
        asked = question(places)
        assert score_question(asked, hits(*ranked), scene) == score_question(asked, hits(*ranked[:2]), scene)


def test_settings_report_all_that_is_wrong() -> None:
    with pytest.raises(BadInput) as error:
        Settings(ks=(), budgets=(0, True, 5, 5), rule="most")  # type: ignore[arg-type]
    assert [problem.where for problem in error.value.problems] == [
        "retrieval.k",
        "retrieval.token_budgets",
        "retrieval.token_budgets",
        "retrieval.token_budgets",
        "relevance",
    ]
    assert "half" in str(error.value)


def test_every_metric_says_which_questions_its_mean_is_over() -> None:
    for entry in METRICS.values():
        row: dict[str, float | None] = {entry.column(5): None}
        mean = aggregate([row], n_no_gold=0)[entry.column(5) if entry.needs else entry.name].mean
        assert mean == (None if entry.may_be_missing else 0.0)
