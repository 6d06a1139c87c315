"""Evidence that is half of its document, or more."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from evaluation.gold.nouns import Passage
from evaluation.gold.quotes import Positions
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material
from strategies.errors import counted
from strategies.units.characters import code_points, is_white

PART_FROM = 0.5
"""Share of a document's characters, white space not counted: who finds any chunk of it finds evidence."""
SHORT_DOCUMENT_CHARACTERS = 300
"""Shorter documents, white space not counted, are one chunk at most sizes: evidence may be all of them."""


def find(material: Material) -> Iterator[Finding]:
    """Entries with such a passage: they cannot tell one cut from another."""

    @cache
    def seen_before(document: str) -> Positions:
        return _seen_before(material.documents[document].text)

    def part(passage: Passage) -> float:
        text = material.documents[passage.document].text
        if len(text) < SHORT_DOCUMENT_CHARACTERS:
            return 0.0
        before = seen_before(passage.document)
        if before[-1] < SHORT_DOCUMENT_CHARACTERS:
            return 0.0
        return float((before[passage.end] - before[passage.start]) / before[-1])

    cases = []
    for question in material.scored:
        for number, entry in enumerate(question.evidence):
            share, passage = max((part(passage), passage) for passage in entry.passages)
            if share >= PART_FROM:
                case = {"question": question.id, "evidence": number, "document": passage.document}
                cases.append({**case, "share": round(share, 3)})
    if cases:
        verb = "is" if len(cases) == 1 else "are"
        yield Finding(
            QUESTIONS,
            f"{len(cases):,} of {counted(material.spans, 'evidence span')} {verb} half of the document or "
            "more: such a question cannot tell one cut from another",
            "Mark what an answer needs, and nothing more",
            tuple(cases),
            first_lines(
                [
                    f"question {case['question']}: evidence[{case['evidence']}] is {case['share']:.0%} of "
                    f"{case['document']}"
                    for case in cases
                ]
            ),
        )


def _seen_before(text: str) -> Positions:
    """Characters that are no white space before each place of a text, and in all; shape (length + 1,)."""
    return np.concatenate([[0], np.cumsum(~is_white(code_points(text)))])
