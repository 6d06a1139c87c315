from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from evaluation.gold import Question
from evaluation.layout import Layout
from evaluation.misses import REMEDIES, Facts, Miss, classify, headline_budget
from evaluation.retrieval import Hit
from evaluation.scoring import ScoringContext
from evaluation.settings import Settings
from strategies.document import Chunk

from .scene import Place, chunk, context, hits, measured, question

WORDS = "aa bb cc dd ee ff gg hh"  # eight tokens, one every three characters
DOCUMENTS = {"d": measured(WORDS), "e": measured(WORDS)}
ALL = Facts(frozenset("de"))
PAIRS: list[Place] = [("d", 0, 5), ("d", 6, 11), ("d", 12, 17), ("d", 18, 23)]


def scene(index: list[Place] = PAIRS) -> ScoringContext:
    """The headline's budget is 2 tokens, the largest 4."""
    return context(DOCUMENTS, index, ks=(1,), budgets=(2, 4))


def why(asked: Question, ranked: Sequence[Hit], known: ScoringContext, facts: Facts) -> Miss | None:
    return classify(known.read(asked, ranked), known, facts)


def scene_of(chunks: list[Chunk]) -> ScoringContext:
    return ScoringContext(DOCUMENTS, Layout.of(chunks), scene().settings)


def test_a_question_that_the_headline_budget_answers_is_no_miss() -> None:
    assert why(question(("d", 0, 5)), hits(*PAIRS), scene(), ALL) is None
    assert why(question(("d", 3, 5)), hits(*PAIRS), scene(), ALL) is None


def test_a_question_without_gold_is_no_miss() -> None:
    assert why(question(), [], scene(), ALL) is None


def test_budget_ranked_but_past_the_budget() -> None:
    assert why(question(("d", 6, 11)), hits(*PAIRS), scene(), ALL) == Miss("budget", ("budget",), 2)
    cut_inside = hits(("d", 0, 11))
    assert why(question(("d", 3, 8)), cut_inside, scene([("d", 0, 11)]), ALL) == Miss(
        "budget", ("budget",), 2
    )


def test_outranked_by_other_text() -> None:
    missed = why(question(("d", 18, 23)), hits(*PAIRS[:3]), scene(), ALL)
    assert missed == Miss("outranked", ("outranked",), 2)
    assert missed.remedy == REMEDIES["outranked"]


def test_nothing_retrieved_at_all() -> None:
    assert why(question(("d", 18, 23)), [], scene(), ALL) == Miss("outranked", ("outranked",), 2)


def test_filtered_out() -> None:
    missed = why(question(("d", 0, 5)), hits(("e", 0, 5)), scene([*PAIRS, ("e", 0, 5)]), Facts({"e"}))
    assert missed == Miss("filtered", ("filtered",), 2)


def test_absent_from_the_index() -> None:
    assert why(question(("d", 3, 8)), hits(*PAIRS[1:]), scene(PAIRS[1:]), ALL) == Miss(
        "absent", ("absent",), 2
    )
    assert why(question(("d", 3, 8)), [], scene([]), ALL) == Miss("absent", ("absent",), 2)


def test_white_space_that_no_chunk_holds_is_not_absent() -> None:
    missed = why(question(("d", 3, 8)), hits(*PAIRS), scene(), ALL)
    assert missed == Miss("split", ("split", "budget"), 2)


def test_split_between_chunks() -> None:
    missed = why(question(("d", 9, 14)), hits(*PAIRS[:2]), scene(), ALL)
    assert missed == Miss("split", ("split", "outranked"), 2)


@pytest.mark.parametrize("until", [{1: 8}, np.array([5, 8, 17, 23])])
def test_truncated_before_the_evidence(until: object) -> None:
    facts = Facts(frozenset("d"), until)  # type: ignore[arg-type]
    missed = why(question(("d", 9, 11)), hits(PAIRS[0]), scene(), facts)
    assert missed == Miss("truncated", ("truncated", "outranked"), 2)
    assert why(question(("d", 6, 8)), hits(PAIRS[0]), scene(), facts) == Miss("outranked", ("outranked",), 2)


def test_not_truncated_where_an_overlapping_chunk_was_read_that_far() -> None:
    overlapping = scene([("d", 0, 11), ("d", 6, 17)])
    facts = Facts(frozenset("d"), {0: 5})
    assert why(question(("d", 6, 11)), [], overlapping, facts) == Miss("outranked", ("outranked",), 2)


def test_truncation_is_that_of_the_child_not_of_the_parent_it_returns() -> None:
    parents = scene_of([chunk("d", 0, (0, 11), (0, 23)), chunk("d", 1, (12, 23), (0, 23))])
    facts = Facts(frozenset("d"), {1: 14})
    assert why(question(("d", 18, 23)), [], parents, facts) == Miss(
        "truncated", ("truncated", "outranked"), 2
    )


def test_a_heading_that_fills_the_whole_limit_leaves_nothing_read() -> None:
    facts = Facts(frozenset("d"), {3: 0})
    missed = why(question(("d", 18, 23)), [], scene(), facts)
    assert missed == Miss("truncated", ("truncated", "outranked"), 2)


def test_only_entries_that_are_missing_give_reasons() -> None:
    facts = Facts(frozenset("d"), {0: 0})  # the first pair was never read, and yet it ranks first
    asked = question(("d", 0, 5), ("d", 6, 11))
    assert why(asked, hits(*PAIRS), scene(), facts) == Miss("budget", ("budget",), 2)


def test_flags_of_all_missing_entries_are_kept_and_the_first_reason_leads() -> None:
    asked = question(("d", 18, 23), ("e", 0, 5), ("d", 6, 11), ("d", 9, 14))
    missed = why(asked, hits(*PAIRS[:3]), scene(), Facts({"d"}))
    assert missed == Miss("filtered", ("filtered", "absent", "split", "budget", "outranked"), 2)


def test_of_alternatives_the_one_that_gets_furthest_is_followed() -> None:
    asked = question([("e", 0, 5), ("d", 9, 14), ("d", 18, 23)])
    assert why(asked, hits(*PAIRS[:3]), scene(), ALL) == Miss("outranked", ("outranked",), 2)
    asked = question([("e", 0, 5), ("d", 9, 14)])
    assert why(asked, hits(*PAIRS[:3]), scene(), ALL) == Miss("split", ("split", "budget"), 2)


@pytest.mark.parametrize(
    ("headline", "budget"),
    [
        ("context_recall_at_512_tokens", 512),
        ("answerable_at_1024_tokens", 1024),
        ("mrr_at_10", 4096),
        ("judged_recall", 4096),
        ("answerable_at_600_tokens", 4096),
    ],
)
def test_the_budget_of_a_headline(headline: str, budget: int) -> None:
    assert headline_budget(Settings(headline=headline)) == budget


def test_every_reason_has_a_remedy_in_words() -> None:
    assert list(REMEDIES) == [
        "filtered",
        "absent",
        "truncated",
        "split",
        "budget",
        "not_found",
        "outranked",
    ]
    assert all(remedy.endswith(".") and " " in remedy for remedy in REMEDIES.values())
