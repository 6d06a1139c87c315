"""Evidence of a few characters that stand in many places."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.gold.warnings.elsewhere import copies
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material
from strategies.errors import counted

SHORT_CHARACTERS = 12
"""A word or two: enough to be the answer, too little to be evidence of it."""
MANY_PLACES = 5
"""Other places from which so short a text is found by chance."""


def find(material: Material) -> Iterator[Finding]:
    """Short spans that recur: some chunk that holds these characters is not one that answers."""
    texts = material.documents
    cases = []
    for case in material.once(copies):
        if case["places"] < MANY_PLACES:
            continue
        first = material.by_id[case["question"]].evidence[case["evidence"]].passages[0]
        if first.end - first.start <= SHORT_CHARACTERS:
            text = texts[first.document].text[first.start : first.end]
            place = {"question": case["question"], "evidence": case["evidence"]}
            cases.append({**place, "text": text, "places": case["places"]})
    if cases:
        verb = "is" if len(cases) == 1 else "are"
        yield Finding(
            QUESTIONS,
            f"{len(cases):,} of {counted(material.spans, 'evidence span')} {verb} at most {SHORT_CHARACTERS} "
            f"characters that stand in {MANY_PLACES} other places or more",
            "Mark the whole sentence that answers",
            tuple(cases),
            first_lines(
                [
                    f"question {case['question']}: evidence[{case['evidence']}] reads {case['text']!r}, "
                    f"which stands in {case['places']:,} other places"
                    for case in cases
                ]
            ),
        )
