"""Evidence that begins or ends inside a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.gold.nouns import Passage
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material
from evaluation.ranking.bm25 import words

AROUND = 15
"""Characters beside a border that are shown."""


def find(material: Material) -> Iterator[Finding]:
    """Passages with a cut word at an end: most often offsets that have slipped."""
    cases: list[dict[str, Any]] = []
    passages = 0
    for question in material.scored:
        for number, entry in enumerate(question.evidence):
            for passage in entry.passages:
                passages += 1
                text = material.documents[passage.document].text
                if borders := cut_borders(text, passage):
                    case = {"question": question.id, "evidence": number, "document": passage.document}
                    cases.append({**case, "at": borders, "reads": cut_word(text, passage)})
    if cases:
        verb = "begins or ends" if len(cases) == 1 else "begin or end"
        yield Finding(
            QUESTIONS,
            f"{len(cases):,} of {passages:,} places of evidence {verb} inside a word: have offsets slipped?",
            "Offsets count characters, not bytes, from 0; or give a quote instead",
            tuple(cases),
            first_lines(
                [
                    f"question {case['question']}: evidence[{case['evidence']}] at {case['at'][0]} of "
                    f"{case['document']}: {case['reads']}"
                    for case in cases
                ]
            ),
        )


def inside_word(text: str, at: int) -> bool:
    """Whether a word goes on across a place of a text; scripts without spaces have no such places.

    >>> inside_word("the cellar", 6), inside_word("the cellar", 4), inside_word("犬は鎖に", 2)
    (True, False, False)
    """
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    # Of three characters of a script without spaces, every two neighbours are a word: two of them. The
    # underscore counts as a letter to a search, and is Markdown's emphasis here.
    whole = "_" not in (before, after) and words(before) and words(after)
    return bool(whole) and len(words(before + after + after)) == 1


def cut_borders(text: str, passage: Passage) -> list[int]:
    """The ends of a passage of a text that lie inside a word."""
    return [at for at in (passage.start, passage.end) if inside_word(text, at)]


def cut_word(text: str, passage: Passage) -> str:
    """The text around the first end that lies inside a word, with a bar where it is; empty where none does.

    >>> cut_word("In 30 minutes", Passage("a", 3, 12))
    'In 30 minute|s'
    """
    for at in cut_borders(text, passage):
        before, after = text[max(0, at - AROUND) : at], text[at : at + AROUND]
        return " ".join(f"{before}|{after}".split())
    return ""
