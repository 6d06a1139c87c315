"""Questions that name nothing a reader could search for."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.common_words import SPEAKING_OF_TEXT
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import WINDOW_WORDS, Material

EVERYWHERE_FROM = 0.25
"""A word that stands in so many stretches of the documents points at none of them: a search has to tell a
handful of chunks from all others."""
FEWEST_WINDOWS = 20
"""In fewer stretches every word is in a good part of them."""


def find(material: Material) -> Iterator[Finding]:
    """Questions without a word of their own: every cut misses them, so they tell none from another."""
    cases = []
    for question, words in zip(material.gold.questions, material.words, strict=True):
        common = material.common[question.synthetic]
        own = [word for word in words if word not in common and word not in SPEAKING_OF_TEXT]
        if question.evidence and all(_everywhere(material, word) for word in own):
            cases.append({"question": question.id, "text": question.text})
    if cases:
        verb = "names" if len(cases) == 1 else "name"
        yield Finding(
            QUESTIONS,
            f"{len(cases):,} of {len(material.scored):,} questions {verb} nothing to search for: no word "
            f"that is rarer than in one of {1 / EVERYWHERE_FROM:.0f} stretches of {WINDOW_WORDS} words",
            "Name the subject, as a user who does not see the document would",
            tuple(cases),
            first_lines([f"{case['question']}: {_short(case['text'])}" for case in cases]),
        )


def _everywhere(material: Material, word: str) -> bool:
    if material.windows < FEWEST_WINDOWS:
        return False
    return material.windows_with[word] >= EVERYWHERE_FROM * material.windows


def _short(text: str, longest: int = 70) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
