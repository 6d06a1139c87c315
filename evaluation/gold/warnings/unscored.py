"""Questions that nothing answers."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.finding import QUESTIONS, Finding, some
from evaluation.gold.warnings.material import Material


def find(material: Material) -> Iterator[Finding]:
    """Questions without evidence, which no measure counts."""
    questions = material.gold.questions
    silent = [question.id for question in questions if not question.evidence]
    if silent:
        what = f"not scored for lack of evidence: {len(silent):,} of {len(questions):,} ({some(silent)})"
        yield Finding(QUESTIONS, what, cases=tuple({"question": name} for name in silent))
