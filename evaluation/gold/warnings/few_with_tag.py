"""Tags of too few questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evaluation.gold.warnings.finding import QUESTIONS, Finding, some
from evaluation.gold.warnings.material import Material
from evaluation.statistics.planning import detectable
from strategies.errors import counted

FEWEST_QUESTIONS = 10
"""So many show a difference of 0.27 at best, as large as any between cuts in earnest use."""


def find(material: Material) -> Iterator[Finding]:
    """Tags whose own figures can show nothing."""
    tags = sorted({tag for question in material.gold.questions for tag in question.tags})
    scored = Counter(tag for question in material.scored for tag in set(question.tags))
    few = [tag for tag in tags if scored[tag] < FEWEST_QUESTIONS]
    if few:
        verb = "has" if len(few) == 1 else "have"
        best = detectable(FEWEST_QUESTIONS)
        yield Finding(
            QUESTIONS,
            f"{len(few):,} of {counted(len(tags), 'tag')} {verb} fewer than {FEWEST_QUESTIONS} scored "
            f"questions ({some(few)}): they show no difference below {best:.2f}",
            "Ask more, or do not read results by them",
            tuple({"tag": tag, "scored": scored[tag]} for tag in few),
        )
