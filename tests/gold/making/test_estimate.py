"""That what is said to be needed at most is never exceeded, whatever a model writes."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import Counter
from itertools import count
from threading import Lock

import pytest

from evaluation.gold import GoldSet
from evaluation.gold.making import prompts
from evaluation.gold.making.estimating import Amount, Counting, Pending, estimate, span_exact_weights
from evaluation.gold.making.making import MAKERS
from evaluation.gold.making.sampling import Excerpt, Sample
from evaluation.gold.making.span_exact import UNKNOWN, Made
from evaluation.gold.nouns import Passage
from strategies.document import Document
from strategies.language_model.chat_model import ChatModel

from .question_server import marked, village

SHORT = "Quiet hours run from ten at night until seven in the morning. Bicycles stand in the cellar."

SIGNS = "\u9f98\u9750\u7228\u9ea4\u7c72\u9f49\u8b8b\u9947\u9e1e\u9ee7"
"""Rare signs, most of them of three tokens."""


def longest(begin: str, limit: int, number: int) -> str:
    """A text of nearly as many characters and tokens as may be, with a number of its own."""
    pool = f"{begin} {number}" + f"{number}".join(SIGNS * limit)
    size = bisect_left(range(1, limit), True, key=lambda size: prompts.one_line(pool[:size], limit) is None)
    assert max(size, prompts.tokens(pool[:size])) > 0.97 * limit
    return pool[:size]


class Wordy:
    """A model that makes every request that may follow, and says as much as it may."""

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.tokens = 0
        self._lock, self._number = Lock(), count(1)

    def __call__(self, step: str, prompt: str) -> str:
        with self._lock:
            self.asked[step] += 1
            self.tokens += prompts.tokens(prompt)
            number = next(self._number)
        if step == "question":
            texts = [text for name, text in marked(prompt) if name.startswith("passage")]
            half = [text[: len(text) * 3 // 4].rsplit(" ", 1)[0] for text in texts]
            copied = " ".join(re.findall(r"\w+", texts[0])[:6])
            return json.dumps(
                {
                    "question": longest(copied, prompts.MOST_QUESTION, number),
                    "evidence": [{"passage": at, "quote": text} for at, text in enumerate(half, start=1)],
                    "answer": longest("So", prompts.MOST_ANSWER, number),
                }
            )
        if step == "rephrase":
            return json.dumps({"question": longest("Wozu", prompts.MOST_QUESTION, number)})
        if step == "answer":
            return json.dumps({"answer": longest("Also", prompts.MOST_ALONE, number)})
        return json.dumps({"same": False})


def amounts(gold: GoldSet, wanted: int) -> Amount:
    maker = MAKERS["span-exact"](gold, wanted, 7, 1, None)
    counting = Counting(lambda prompt: None)
    made = maker.make(counting.ask)
    model = ChatModel(base_url="http://localhost:1/v1", model="m")
    return estimate(maker.weights(counting.pending, made), model).most


@pytest.mark.parametrize(
    ("documents", "wanted"),
    [({"a.md": SHORT}, 5), ({"a.md": SHORT}, 14), (village(2, 12), 4)],
    ids=["one short passage", "one passage, asked about often", "two documents"],
)
def test_no_model_needs_more_than_at_most(documents: dict[str, str], wanted: int) -> None:
    held = tuple(Document(name, text, media_type="text/markdown") for name, text in documents.items())
    gold = GoldSet("set", held, (), "")
    most = amounts(gold, wanted)
    model = Wordy()
    made = MAKERS["span-exact"](gold, wanted, 7, 1, None).make(model)
    assert made.dropped == {"disagrees": 3 * wanted}
    assert set(model.asked.values()) == {3 * wanted}
    assert model.asked.total() == most.requests
    assert 0.4 * most.input_tokens < model.tokens <= most.input_tokens


def test_what_will_be_asked_before_is_bounded_too() -> None:
    sample = Sample((Excerpt(Passage("a.md", 0, len(SHORT)), SHORT),))

    def most(*before: str) -> int:
        pending = Pending("question", prompts.question_prompt(sample, before))
        return span_exact_weights([pending], Made(1))[0].most_tokens

    assert most(UNKNOWN) >= most() + prompts.MOST_BEFORE_TOKENS


def test_the_last_questions_are_shown_as_far_as_there_is_room() -> None:
    nowhere = Sample((Excerpt(Passage("a.md", 0, 0), ""),))

    def shown(before: list[str]) -> list[str]:
        return re.findall(r"^- (Who.*)$", prompts.question_prompt(nowhere, before), re.MULTILINE)

    many = [f"Who has number {n}?" for n in range(12)]
    assert shown(many) == many[2:]
    long = [longest("Who", 190, n) for n in (1, 2, 3)]
    assert shown(long) == long[1:]
