"""A document that most questions are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from evaluation.gold.warnings.finding import QUESTIONS, Finding
from evaluation.gold.warnings.material import Material

MOST_FROM = 0.5
"""Share of the questions from which the set measures how one document is cut."""
FEWEST_QUESTIONS = 10
"""Of fewer, half is soon about one document."""
FEWEST_DOCUMENTS = 3
"""Of two documents, one always has half of the questions."""


def find(material: Material) -> Iterator[Finding]:
    """The document with evidence for more than half of the questions that were made in one way."""
    if len(material.gold.documents) < FEWEST_DOCUMENTS:
        return
    for way in material.ways:
        asked = [question for question in material.scored if question.synthetic == way]
        if len(asked) < FEWEST_QUESTIONS:
            continue
        holders: Counter[str] = Counter()
        for question in asked:
            holders.update({passage.document for entry in question.evidence for passage in entry.passages})
        ((document, questions),) = holders.most_common(1)
        if questions > MOST_FROM * len(asked):
            yield Finding(
                QUESTIONS,
                f"{questions:,} of {len(asked):,} {material.called(way)} are about {document}: they measure "
                "how that one is cut",
                "Spread the questions over the documents",
                ({"document": document, "questions": questions},),
            )
