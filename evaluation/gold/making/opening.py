"""A set to which questions are to be added: it may hold none yet, and must bear being changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evaluation.gold.changing import bundled_set
from evaluation.gold.loading import CARD, QUESTIONS, locate, read
from evaluation.gold.nouns import GoldSet
from strategies.errors import BadInput, Problem
from strategies.segmenting import language_problem

_EMPTY = ("is missing", "holds no question")


def open_for_questions(path: str) -> tuple[Path, GoldSet]:
    """The folder of a set and what it holds. Raises BadInput where it is wrong, or would be."""
    folder = locate(path)
    reading = read(folder)
    problems = [
        problem for problem in reading.problems if problem.where != QUESTIONS or problem.what not in _EMPTY
    ]
    problems += claimed(reading.gold.card)
    if own := bundled_set(folder):
        problems = own
    if problems:
        raise BadInput(problems)
    return folder, reading.gold


def claimed(card: Mapping[str, object]) -> list[Problem]:
    """What a card claims of the questions as they are, so that it would be false of others."""
    counts = card.get("counts")
    fixed = (
        [f"counts.{name}" for name in ("questions", "evidence_spans") if name in counts]
        if isinstance(counts, dict)
        else []
    )
    fixed += ["checksum"] if card.get("checksum") else []
    return [
        Problem(CARD, f"{key} is of the questions as they are", "Take it out of the card first")
        for key in fixed
    ]


def language_of(card: Mapping[str, object]) -> str:
    """The code of the documents' language, as a card says it, or English.

    >>> language_of({"language": "de-AT"}), language_of({})
    ('de', 'en')
    """
    said = card.get("language")
    code = said.lower().partition("-")[0] if isinstance(said, str) else ""
    return "en" if language_problem(code) else code
