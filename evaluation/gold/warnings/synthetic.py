"""Questions that no person wrote."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.nouns import SYNTHETIC
from evaluation.gold.provenance import provenance_warnings
from evaluation.gold.warnings.finding import QUESTIONS, Finding
from evaluation.gold.warnings.material import Material


def find(material: Material) -> Iterator[Finding]:
    """One finding for each way in which questions were made."""
    questions = material.gold.questions
    said = iter(provenance_warnings(question.synthetic for question in questions))
    for way in filter(None, SYNTHETIC):
        made = [question.id for question in questions if question.synthetic == way]
        if made:
            cases = tuple({"question": name, "synthetic": way} for name in made)
            yield Finding(QUESTIONS, next(said), cases=cases)
