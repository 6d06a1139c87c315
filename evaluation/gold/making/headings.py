"""Proxies of headings: the path of headings is the question, what stands below it the evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evaluation.gold.making.draft import LONGEST_CHARACTERS, Draft, asked, words
from evaluation.gold.making.sections import Sections
from strategies.units.counting import counter_of

LEAST_TOKENS, MOST_TOKENS = 12, 256
"""cl100k tokens of a section that can be evidence: more than a line, and no more than one or two chunks."""
LARGEST_SHARE = 0.25
"""Of its document's characters: who finds the document would find a larger one whatever the cut."""
LEAST_WORDS = 2
"""Of a path: `Introduction` is no question."""


def drafts(read: Sequence[Sections], language: str, left_out: Counter[str]) -> list[Draft]:
    """One draft a section whose heading path is the only one of its words in all documents.

    `left_out` is told how many sections cannot be used, by reason. Time is linear in the documents.
    """
    counter = counter_of("cl100k_base")
    found = [(one.document, section) for one in read for section in one.found]
    paths = Counter(asked(" > ".join(section.path)) for _, section in found)
    made = []
    for document, section in found:
        if not section.path:
            continue
        path = " > ".join(section.path)
        size = section.place[1] - section.place[0] if section.place else 0
        if section.place is None:
            left_out["nothing stands below the heading"] += 1
        elif len(words(path)) < LEAST_WORDS:
            left_out["the heading is a single word"] += 1
        elif paths[asked(path)] > 1:
            left_out["the headings repeat"] += 1
        elif size > LARGEST_SHARE * len(document.text):
            left_out["it is more than a quarter of its document"] += 1
        elif (
            size > LONGEST_CHARACTERS
            or (tokens := counter.count(document.text[slice(*section.place)])) > MOST_TOKENS
        ):
            left_out[f"it is longer than {MOST_TOKENS} tokens"] += 1
        elif tokens < LEAST_TOKENS:
            left_out[f"it is shorter than {LEAST_TOKENS} tokens"] += 1
        else:
            made.append(Draft(document.id, path, (section.place,)))
    return made
