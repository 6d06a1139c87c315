"""Evidence that one question lists twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from evaluation.gold.nouns import Passage
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material
from strategies.errors import counted


def find(material: Material) -> Iterator[Finding]:
    """Entries of a question that have the same passages: they count twice in its recall."""
    found: list[tuple[str, list[int]]] = []
    for question in material.scored:
        entries: defaultdict[frozenset[Passage], list[int]] = defaultdict(list)
        for number, entry in enumerate(question.evidence):
            entries[frozenset(entry.passages)].append(number)
        found += [(question.id, same) for same in entries.values() if len(same) > 1]
    if found:
        number = len({name for name, _ in found})
        lines = [
            f"question {name}: {', '.join(f'evidence[{n}]' for n in same)} are the same"
            for name, same in found
        ]
        yield Finding(
            QUESTIONS,
            f"{counted(number, 'question')} {'lists' if number == 1 else 'list'} the same evidence more than "
            "once",
            "List each piece of evidence once",
            tuple({"question": name, "evidence": same} for name, same in found),
            first_lines(lines),
        )
