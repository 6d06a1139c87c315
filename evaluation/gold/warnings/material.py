"""What several rules look at: made once, when first needed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container
from functools import cached_property
from typing import Any, TypeVar

from evaluation.gold.nouns import SYNTHETIC, GoldSet, Question, Synthetic
from evaluation.gold.warnings.common_words import common_words
from evaluation.ranking.bm25 import words
from strategies.document import Document

T = TypeVar("T")

QUESTIONS_OF: dict[Synthetic, str] = {
    "": "questions by people",
    "proxy": "proxies",
    "model": "questions by a model",
}
"""What questions are called by how they were made, where a set mixes ways."""
WINDOW_WORDS = 200
"""Words of a stretch of text in which a word is looked for: about a chunk of 256 tokens."""


class Material:
    """A gold set, and the words of its questions and documents, as a search by words sees them."""

    def __init__(self, gold: GoldSet) -> None:
        self.gold = gold
        self.documents: dict[str, Document] = {document.id: document for document in gold.documents}
        self.scored: list[Question] = [question for question in gold.questions if question.evidence]
        """Questions that have evidence."""
        self._made: dict[Any, Any] = {}

    def once(self, make: Callable[[Material], T]) -> T:
        """What a function makes of this material, made at the first call."""
        if make not in self._made:
            self._made[make] = make(self)
        made: T = self._made[make]
        return made

    @cached_property
    def by_id(self) -> dict[str, Question]:
        """Every question by its id."""
        return {question.id: question for question in self.gold.questions}

    @property
    def spans(self) -> int:
        """Entries of evidence."""
        return sum(len(question.evidence) for question in self.scored)

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of every question."""
        return [words(question.text) for question in self.gold.questions]

    @cached_property
    def ways(self) -> list[Synthetic]:
        """How questions were made, people's first. Rules on shares look at each: one would hide the other."""
        found = {question.synthetic for question in self.gold.questions}
        return [way for way in SYNTHETIC if way in found]

    def called(self, way: Synthetic) -> str:
        """What to call the questions of a way."""
        return QUESTIONS_OF[way] if len(self.ways) > 1 else "questions"

    def words_of(self, way: Synthetic) -> list[list[str]]:
        """The words of every question that was made in this way."""
        pairs = zip(self.gold.questions, self.words, strict=True)
        return [asked for question, asked in pairs if question.synthetic == way]

    @cached_property
    def _frequencies(self) -> tuple[Counter[str], Counter[str], int]:
        each: Counter[str] = Counter()
        windows_with: Counter[str] = Counter()
        windows = 0
        for document in self.gold.documents:
            found = words(document.text)
            each.update(found)
            for start in range(0, len(found), WINDOW_WORDS):
                windows_with.update(set(found[start : start + WINDOW_WORDS]))
                windows += 1
        return each, windows_with, windows

    @property
    def windows(self) -> int:
        """Stretches of `WINDOW_WORDS` words that the documents have."""
        return self._frequencies[2]

    @property
    def windows_with(self) -> Counter[str]:
        """How many of these hold a word."""
        return self._frequencies[1]

    @property
    def frequency(self) -> Counter[str]:
        """How often each word stands in the documents."""
        return self._frequencies[0]

    @cached_property
    def common(self) -> dict[Synthetic, Container[str]]:
        """Words that name nothing, for each way as its own questions tell."""
        return {way: common_words(self.words_of(way), self.frequency) for way in self.ways}


def filter_key(question: Question) -> str:
    """A question's filter as text, equal for equal filters."""
    return json.dumps(dict(question.filter), sort_keys=True) if question.filter else ""
