"""Metrics of text against their plain definitions on thousands of cases, and against some worked by hand."""

from __future__ import annotations

import random
from functools import cache
from math import log2

import numpy as np
import pytest

from evaluation.metrics import expand
from evaluation.relevance import RULES
from evaluation.scoring import score_question
from evaluation.settings import Settings

from .plain_reference import Place, Reference
from .scene import context, hits, measured, question

N, KS, BUDGETS = 2000, (1, 2, 3, 5, 10), (1, 2, 4, 8, 16, 40)

Values = dict[str, float | None]


def case(seed: int) -> tuple[Values, Values]:
    """Columns as they are computed, and as they are defined."""
    draw = random.Random(seed)
    texts = {}
    for name in "de":
        blanks = draw.choice((" ", " \n\t", "    "))
        texts[name] = "".join(draw.choice("abcd" + blanks) for _ in range(draw.randint(8, 40))) + "x"
    tokens = {name: starts(draw, text) for name, text in texts.items()}

    def place(longest: int) -> Place:
        name = draw.choice("de")
        start = draw.randrange(len(texts[name]))
        return name, start, min(start + draw.randint(1, longest), len(texts[name]))

    def passage() -> Place:
        while True:
            name, start, end = place(12)
            inside = texts[name][start:end]
            if inside.strip():
                return name, end - len(inside.lstrip()), start + len(inside.rstrip())

    longest = draw.choice((4, 12, 40))
    index = [place(longest) for _ in range(draw.choice((0, 1, 3, 6, 10)))]
    ranked = draw.choices(index, k=draw.randint(0, 12)) if index else []
    entries = [[passage() for _ in range(draw.choice((1, 1, 2)))] for _ in range(draw.randint(1, 3))]
    asked, rule = question(*entries), draw.choice(sorted(RULES))
    documents = {name: measured(text, tokens[name], name) for name, text in texts.items()}
    scores = score_question(asked, hits(*ranked), context(documents, index, KS, BUDGETS, rule))
    return scores, Reference(texts, tokens, asked, ranked, index, rule).columns(KS, BUDGETS)


def starts(draw: random.Random, text: str) -> list[int]:
    """Where tokens start: the first at the beginning, some at one character."""
    return sorted([0, *(draw.randrange(len(text)) for _ in range(draw.randint(0, len(text) // 2)))])


@cache
def cases() -> list[tuple[Values, Values]]:
    return [case(seed) for seed in range(N)]


def columns() -> list[str]:
    settings = Settings(ks=KS, budgets=BUDGETS)
    return [name for name, metric, _ in expand(settings) if metric.unit != "similarity"]


@pytest.mark.parametrize("name", columns())
def test_a_column_is_what_its_definition_says(name: str) -> None:
    pairs = [(scores[name], plain[name]) for scores, plain in cases()]
    assert [ours is None for ours, _ in pairs] == [plain is None for _, plain in pairs]
    ours, plain = np.array([pair for pair in pairs if pair[0] is not None], dtype=np.float64).T
    np.testing.assert_allclose(ours, plain, rtol=0, atol=1e-12)
    assert name == "duplicate_share_at_1" or len(set(plain.tolist())) > 1


def test_the_cases_are_of_every_kind() -> None:
    plain = [plain for _, plain in cases()]

    def n(name: str, low: float, high: float) -> int:
        return sum(low <= (one[name] or 0.0) <= high for one in plain)

    partly = (1e-9, 1 - 1e-9)
    assert n("precision_omega", 0, 0) > 100  # nothing holds any of it, or nothing is indexed
    assert n("context_recall_at_10", 0, 0) > 100
    assert n("context_recall_at_10", *partly) > 400
    assert n("context_recall_at_10", 1, 1) > 100
    assert n("context_recall_at_4_tokens", *partly) > 300
    assert n("iou_at_3", *partly) > 400
    assert n("evidence_intact", *partly) > 100
    assert sum(one["context_recall_at_5"] != one["context_recall_at_10"] for one in plain) > 30
    assert sum(one["prompt_tokens_at_2"] < one["prompt_tokens_at_10"] for one in plain) > 400  # type: ignore[operator]


# Worked by hand: two documents, an entry with alternatives, overlap, a hit that comes twice.

DOCUMENTS = {"d": measured("aa bb cc dd ee ff gg hh"), "e": measured("pp qq rr ss", name="e")}
QUESTION = question(("d", 3, 8), [("e", 0, 5), ("e", 6, 11)])  # bb cc, and pp qq or rr ss
AA_BB, BB_CC_DD, QQ_RR, RR_SS = ("d", 0, 5), ("d", 3, 11), ("e", 3, 8), ("e", 6, 11)
RANKED: list[Place] = [AA_BB, BB_CC_DD, QQ_RR, AA_BB, RR_SS]

BY_HAND = {
    # aa bb: of eight letters two. The second entry's passages are equally bare, so the first counts.
    "context_recall_at_1": 2 / 8,
    "char_precision_at_1": 2 / 5,
    "iou_at_1": 2 / (5 + 10 - 2),
    # aa bb cc dd: bb is there already.
    "context_recall_at_2": 4 / 8,
    "char_precision_at_2": 5 / 11,
    "iou_at_2": 5 / (11 + 10 - 5),
    "prompt_tokens_at_2": 4,
    # qq and rr: half of either passage, so the first counts.
    "context_recall_at_3": 6 / 8,
    "char_precision_at_3": (5 + 2) / (11 + 5),
    "discounted_recall_at_3": (2 + 2 / log2(3) + 2 / 2) / 8,
    # aa bb again is no hit; rr ss is whole now, so it counts.
    "context_recall_at_5": 1.0,
    "char_precision_at_5": 10 / (11 + 8),
    "iou_at_5": 10 / 19,
    "prompt_tokens_at_5": 7,
    "discounted_recall_at_5": (2 + 2 / log2(3) + 2 / 2 + 2 / log2(5)) / 8,
    # aa bb, then cc with the blank before dd; qq is the fifth token, rr the sixth, ss the seventh.
    "context_recall_at_3_tokens": 4 / 8,
    "context_recall_at_5_tokens": 6 / 8,
    "context_recall_at_6_tokens": 6 / 8,
    "context_recall_at_7_tokens": 1.0,
    "answerable_at_6_tokens": 0.0,
    "answerable_at_7_tokens": 1.0,
    # [3, 11) holds bb cc, [6, 11) rr ss; all four ranges hold some evidence.
    "evidence_intact": 1.0,
    "precision_omega": 10 / 19,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_column_is_what_was_worked_out_by_hand(name: str) -> None:
    scene = context(DOCUMENTS, RANKED, (1, 2, 3, 5), (3, 5, 6, 7))
    assert score_question(QUESTION, hits(*RANKED), scene)[name] == pytest.approx(BY_HAND[name], abs=1e-12)


def test_what_the_chunks_alone_tell_needs_a_range_that_holds_a_passage_whole() -> None:
    scores = score_question(QUESTION, [], context(DOCUMENTS, [AA_BB, BB_CC_DD, QQ_RR]))
    assert scores["evidence_intact"] == 1 / 2
    # qq and rr are half of either passage: the first counts, and [3, 8) holds some of it.
    assert scores["precision_omega"] == (5 + 2) / (11 + 5)
