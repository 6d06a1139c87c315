"""Every metric against numbers worked out by hand."""

from __future__ import annotations

import doctest
import re
from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics import METRICS, column, expand, metric, page
from evaluation.scoring import score_question
from evaluation.settings import Settings

from .scene import Place, context, hits, measured, question

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"

# 67 characters; the evidence is the sentence [7, 62), 44 of its 55 characters not white space.
BADGES = "Notes. Guest badges expire at noon on the last day of a visit. End."
PIECES: list[Place] = [("d", 0, 30), ("d", 30, 60), ("d", 60, 67)]


WORDS = "aa bb cc dd ee ff gg hh"  # eight tokens, one every three characters


def badges(*places: Place, index: list[Place] = PIECES, rule: str = "half") -> dict[str, float | None]:
    return score_question(
        question(("d", 7, 62)), hits(*places), context({"d": measured(BADGES)}, index, rule=rule)
    )


def solid(
    *places: Place, evidence: Place = ("d", 12, 18), index: list[Place] | None = None
) -> dict[str, float | None]:
    """Scores in a text without white space, a token every other character."""
    documents = {"d": measured("x" * 100, list(range(0, 100, 2)))}
    return score_question(question(evidence), hits(*places), context(documents, index or places))


def test_overlapping_and_repeated_hits_count_shared_text_once() -> None:
    scores = solid(("d", 0, 20), ("d", 10, 30), ("d", 0, 20))
    assert scores["context_recall_at_3"] == 1.0
    assert scores["char_precision_at_3"] == 6 / 30
    assert scores["iou_at_3"] == 6 / 30
    assert scores["prompt_tokens_at_3"] == 15.0
    assert scores["ndcg_at_3"] == 1.0  # two relevant ranges in the index, both on top
    assert scores["precision_at_3"] == 2 / 3  # two distinct ranges in three places


def test_evidence_cut_by_a_border_is_found_piece_by_piece() -> None:
    first = badges(PIECES[0])
    assert first["context_recall_at_1"] == 19 / 44  # of 23 characters 19 are not white space
    assert first["char_precision_at_1"] == 23 / 30
    assert first["iou_at_1"] == 23 / 62
    assert badges(*PIECES)["context_recall_at_3"] == 1.0
    assert badges(*PIECES)["context_recall_at_1"] == 19 / 44
    assert badges(*PIECES)["evidence_intact"] == 0.0
    assert badges(*PIECES)["precision_omega"] == 55 / 67
    assert badges(*PIECES)["discounted_recall_at_3"] == pytest.approx((19 + 23 / log2(3) + 2 / 2) / 44)


def test_the_rule_of_relevance_is_a_parameter() -> None:
    # Of [0, 30) lie 23 characters in the evidence, of [30, 60) all, of [60, 67) 2; none holds it whole.
    last_first = (PIECES[2], PIECES[1], PIECES[0])
    assert badges(*last_first, rule="any")["mrr_at_5"] == 1.0
    assert badges(*last_first, rule="half")["mrr_at_5"] == 1 / 2
    assert badges(*last_first, rule="contains")["mrr_at_5"] == 0.0


def test_a_first_hit_below_k_does_not_count() -> None:
    misses = [("d", 40 + 5 * i, 45 + 5 * i) for i in range(6)]
    scores = solid(*misses, ("d", 10, 20))
    assert scores["mrr_at_5"] == scores["hit_at_5"] == scores["context_recall_at_5"] == 0.0
    assert scores["first_hit_coverage"] == 0.0
    assert scores["first_hit_tokens"] is None
    assert scores["first_relevant_similarity"] is scores["similarity_margin"] is None
    assert scores["top1_similarity"] == 0.9


def test_a_relevant_hit_below_the_largest_k_is_no_first_hit_though_a_budget_reaches_it() -> None:
    scene = context({"d": measured(WORDS)}, [("d", 0, 5), ("d", 6, 11)], ks=(1,), budgets=(4,))
    scores = score_question(question(("d", 6, 11)), hits(("d", 0, 5), ("d", 6, 11)), scene)
    assert scores["context_recall_at_4_tokens"] == 1.0
    assert scores["first_hit_coverage"] == 0.0
    assert scores["first_hit_tokens"] is scores["first_relevant_similarity"] is None


def test_rank_metrics() -> None:
    # Relevant at ranks 2 and 5; a third relevant range is in the index.
    ranked = [("d", 50, 60), ("d", 10, 20), ("d", 60, 70), ("d", 70, 80), ("d", 12, 30)]
    scores = solid(*ranked, index=[*ranked, ("d", 0, 18)])
    assert scores["mrr_at_1"] == 0.0
    assert scores["mrr_at_3"] == scores["mrr_at_5"] == 1 / 2
    assert scores["hit_at_1"] == 0.0
    assert scores["hit_at_3"] == 1.0
    assert scores["precision_at_3"] == 1 / 3
    assert scores["precision_at_5"] == 2 / 5
    assert scores["context_precision_at_3"] == 1 / 2
    assert scores["context_precision_at_5"] == pytest.approx((1 / 2 + 2 / 5) / 2)
    ideal = 1 + 1 / log2(3) + 1 / 2
    assert scores["ndcg_at_5"] == pytest.approx((1 / log2(3) + 1 / log2(6)) / ideal)
    assert scores["first_hit_coverage"] == 1.0
    assert scores["first_hit_tokens"] == 5.0
    assert scores["first_relevant_similarity"] == 0.8
    assert scores["similarity_margin"] == pytest.approx(0.1)


def test_context_precision_of_one_of_three_spans_at_rank_1_is_1() -> None:
    spans: list[Place] = [("d", 0, 10), ("d", 30, 40), ("d", 60, 70)]
    ranked = [spans[0], ("d", 80, 90), ("d", 90, 100)]
    scores = score_question(
        question(*spans), hits(*ranked), context({"d": measured("x" * 100)}, [*ranked, *spans[1:]])
    )
    assert scores["context_precision_at_3"] == 1.0
    assert scores["context_recall_at_3"] == 1 / 3
    assert scores["evidence_intact"] == 1.0


def test_k_larger_than_the_list() -> None:
    scores = solid(("d", 40, 50), ("d", 10, 20))
    assert scores["mrr_at_5"] == 1 / 2
    assert scores["context_recall_at_5"] == 1.0
    assert scores["precision_at_5"] == 1 / 5
    assert scores["char_precision_at_5"] == 6 / 20


@pytest.mark.parametrize(
    ("places", "share"),
    [
        ([("d", 0, 20), ("d", 2, 12), ("d", 10, 30)], 1 / 3),  # wholly inside; half inside
        ([("d", 0, 20), ("d", 11, 21)], 1 / 2),  # nine of ten characters
        ([("d", 0, 20), ("d", 12, 22)], 0.0),  # eight of ten
        ([("d", 2, 12), ("d", 0, 20)], 0.0),  # the larger one comes later: half of it is new
        ([("d", 0, 20), ("e", 0, 20)], 0.0),  # the same place of another document
        ([("d", 0, 10), ("d", 10, 20), ("d", 5, 15)], 0.0),  # in two together, in neither alone
    ],
)
def test_a_hit_inside_an_earlier_one_is_a_duplicate(places: list[Place], share: float) -> None:
    scene = context({"d": measured("x" * 40), "e": measured("x" * 40)}, places)
    scores = score_question(question(("d", 0, 5)), hits(*places), scene)
    assert scores["duplicate_share_at_5"] == pytest.approx(share)
    assert scores["duplicate_share_at_1"] == 0.0


def test_no_hits_and_an_empty_index_score_0() -> None:
    scores = score_question(question(("d", 0, 5)), [], context({"d": measured("x" * 9)}, []))
    missing = {"first_hit_tokens", "top1_similarity", "first_relevant_similarity", "similarity_margin"}
    missing |= {f"duplicate_share_at_{k}" for k in (1, 3, 5)}
    assert {name for name, value in scores.items() if value is None} == missing
    assert {value for name, value in scores.items() if name not in missing} == {0.0}


def poured(budget: int, *places: Place, evidence: Place) -> float | None:
    scene = context({"d": measured(WORDS)}, places, budgets=(budget,))
    return score_question(question(evidence), hits(*places), scene)[f"context_recall_at_{budget}_tokens"]


def test_a_budget_counts_shared_text_once_and_cuts_the_last_hit() -> None:
    overlapping: list[Place] = [("d", 0, 11), ("d", 6, 17), ("d", 18, 23)]
    # 4 tokens, then 2 new ones (ee, ff), then 2 (gg, hh).
    assert poured(6, *overlapping, evidence=("d", 12, 17)) == 1.0
    assert poured(5, *overlapping, evidence=("d", 12, 17)) == 1 / 2  # cut before ff
    assert poured(4, *overlapping, evidence=("d", 12, 17)) == 0.0
    assert poured(7, *overlapping, evidence=("d", 18, 23)) == 1 / 2
    assert poured(100, *overlapping, evidence=("d", 18, 23)) == 1.0


def test_nothing_is_poured_into_a_full_budget() -> None:
    # The first hit takes all 2 tokens; "a" of the second is the rest of a token that starts before it.
    assert poured(2, ("d", 3, 9), ("d", 1, 2), evidence=("d", 1, 2)) == 0.0
    assert poured(3, ("d", 3, 9), ("d", 1, 2), evidence=("d", 1, 2)) == 1.0


def test_a_cut_ends_with_the_last_token_paid_for() -> None:
    # Around [6, 11) the hit [0, 17) adds aa, bb and ee, ff; from 10 on "d" of dd is a token's free rest.
    around: list[Place] = [("d", 6, 10), ("d", 0, 17)]
    assert poured(4, *around, evidence=("d", 10, 11)) == 0.0  # cc, dd, then aa, bb
    assert poured(5, *around, evidence=("d", 10, 11)) == 1.0


def test_a_hit_that_fits_exactly_is_poured_whole() -> None:
    # [0, 11) adds aa, bb and the free rest of dd, 2 tokens in all.
    around: list[Place] = [("d", 6, 10), ("d", 0, 11)]
    assert poured(4, *around, evidence=("d", 10, 11)) == 1.0


def test_answerable_needs_all_of_the_evidence_white_space_aside() -> None:
    scene = context({"d": measured(WORDS)}, [], budgets=(2, 4))
    two_pieces = hits(("d", 0, 5), ("d", 6, 11))  # the blank at 5 is in neither
    scores = score_question(question(("d", 0, 11)), two_pieces, scene)
    assert scores["answerable_at_4_tokens"] == scores["context_recall_at_4_tokens"] == 1.0
    assert scores["answerable_at_2_tokens"] == 0.0
    assert scores["context_recall_at_2_tokens"] == 1 / 2


def test_of_alternatives_the_best_covered_one_counts() -> None:
    ranked = [("d", 12, 20), ("d", 0, 5)]
    scene = context({"d": measured(WORDS)}, ranked)
    scores = score_question(question([("d", 0, 11), ("d", 12, 17)]), hits(*ranked), scene)
    assert scores["context_recall_at_1"] == 1.0
    assert scores["mrr_at_1"] == 1.0
    assert scores["char_precision_at_1"] == 5 / 8
    assert scores["evidence_intact"] == 1.0
    assert scores["precision_omega"] == 5 / 8


def test_equally_covered_alternatives_leave_the_first_listed() -> None:
    ranked = [("d", 0, 23)]
    scene = context({"d": measured(WORDS)}, ranked)
    first = score_question(question([("d", 0, 2), ("d", 12, 20)]), hits(*ranked), scene)
    second = score_question(question([("d", 12, 20), ("d", 0, 2)]), hits(*ranked), scene)
    assert first["char_precision_at_1"] == 2 / 23
    assert second["char_precision_at_1"] == 8 / 23


def test_evidence_entries_that_overlap_count_their_union_once() -> None:
    ranked = [("d", 0, 8)]
    scene = context({"d": measured(WORDS)}, ranked)
    scores = score_question(question(("d", 0, 8), ("d", 3, 14)), hits(*ranked), scene)
    assert scores["context_recall_at_1"] == 6 / 10
    assert scores["char_precision_at_1"] == 1.0
    assert scores["iou_at_1"] == 8 / 14


def test_another_document_is_never_relevant() -> None:
    scene = context({"d": measured(WORDS), "e": measured(WORDS)}, [("e", 0, 11)], rule="any")
    scores = score_question(question(("d", 0, 11)), hits(("e", 0, 11)), scene)
    assert scores["hit_at_5"] == scores["context_recall_at_5"] == scores["iou_at_5"] == 0.0
    assert scores["precision_omega"] == scores["evidence_intact"] == 0.0


def test_the_table_holds_one_metric_a_constant() -> None:
    folder = Path(metric.__file__).parent
    constants = [
        name
        for file in folder.glob("*.py")
        for name in re.findall(r"^(\w+) = Metric\(", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(METRICS) == len(constants)
    assert all(name == entry.name for name, entry in METRICS.items())
    for entry in METRICS.values():
        assert ("_at_k" in entry.name) == (entry.needs == "k")
        assert ("_at_B_tokens" in entry.name) == (entry.needs == "budget")


@given(
    st.lists(st.integers(1, 9999), min_size=1, max_size=3, unique=True),
    st.lists(st.integers(1, 9999), min_size=1, max_size=3, unique=True),
)
def test_column_names_are_distinct_and_read_back(ks: list[int], budgets: list[int]) -> None:
    columns = expand(Settings(ks=tuple(ks), budgets=tuple(budgets)))
    assert len({name for name, _, _ in columns}) == len(columns)
    for entry in columns:
        assert column(entry.name) == entry


@pytest.mark.parametrize(
    "name", ["mrr", "mrr_at_k", "mrr_at_0", "mrr_at_5_tokens", "precision_omega_at_5", "", "x_at_5"]
)
def test_other_names_are_no_columns(name: str) -> None:
    assert column(name) is None


def test_the_page_holds_the_table_and_a_section_for_each_metric() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert page.markdown_table() in text
    for name in METRICS:
        assert re.search(rf"^### .*`{name}`", text, re.MULTILINE), name


def test_the_worked_examples_of_the_page_hold() -> None:
    unfenced = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(unfenced, {}, PAGE.name, str(PAGE), 0)
    result = doctest.DocTestRunner().run(examples)
    assert result.attempted >= len(METRICS)
    assert result.failed == 0
