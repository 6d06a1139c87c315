"""Questions that no person wrote."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.provenance import warnings_by_way
from evaluation.gold.warnings.finding import QUESTIONS, Finding
from evaluation.gold.warnings.material import Material


def find(material: Material) -> Iterator[Finding]:
    """One finding for each way in which questions were made."""
    questions = material.gold.questions
    for way, said in warnings_by_way(question.synthetic for question in questions).items():
        made = [question.id for question in questions if question.synthetic == way]
        yield Finding(QUESTIONS, said, cases=tuple({"question": name, "synthetic": way} for name in made))
