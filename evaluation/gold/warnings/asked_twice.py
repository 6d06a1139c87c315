"""Questions that ask the same in the same words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evaluation.gold.nouns import Question
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material, filter_key
from strategies.errors import counted


def text_key(question: Question) -> tuple[str, str]:
    """Equal for questions that differ in case and white space alone, and search the same documents."""
    return " ".join(question.text.lower().split()), filter_key(question)


def find(material: Material) -> Iterator[Finding]:
    """Groups of equal questions: they count as several observations and are one."""
    same: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for question in material.gold.questions:
        same[text_key(question)].append(question.id)
    groups = [ids for ids in same.values() if len(ids) > 1]
    if groups:
        verb = "is" if len(groups) == 1 else "are"
        yield Finding(
            QUESTIONS,
            f"{counted(len(groups), 'question')} {verb} asked more than once",
            "Ask each question once, and list all its evidence",
            tuple({"questions": ids} for ids in groups),
            first_lines([f"{_several(ids)} ask the same" for ids in groups]),
        )


def _several(ids: list[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5:,} more" if len(ids) > 5 else "")
