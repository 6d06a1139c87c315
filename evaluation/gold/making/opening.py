"""A set to which questions are to be added: it may hold none yet, and must bear being changed."""

from __future__ import annotations

from pathlib import Path

from evaluation.gold.loading import CARD, QUESTIONS, bundled, locate, read
from evaluation.gold.nouns import GoldSet
from strategies.errors import BadInput, Problem, brief

_EMPTY = ("is missing", "holds no question")


def open_for_questions(path: str) -> tuple[Path, GoldSet]:
    """The folder of a set and what it holds. Raises BadInput where it is wrong, or would be."""
    folder = locate(path)
    reading = read(folder)
    problems = [
        problem for problem in reading.problems if problem.where != QUESTIONS or problem.what not in _EMPTY
    ]
    card = reading.gold.card
    counts = card.get("counts")
    fixed = (
        [f"counts.{name}" for name in ("questions", "evidence_spans") if name in counts]
        if isinstance(counts, dict)
        else []
    )
    fixed += ["checksum"] if card.get("checksum") else []
    problems += [
        Problem(CARD, f"{key} is of the questions as they are", "Take it out of the card first")
        for key in fixed
    ]
    if folder in bundled().values():
        what = "is a set that comes with chunksweep, which is not changed"
        problems = [Problem(brief(path), what, "Copy its folder, and give the copy's path")]
    if problems:
        raise BadInput(problems)
    return folder, reading.gold
