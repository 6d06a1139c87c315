"""The modifier `parents`: chunks are searched, and the passage around one is returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from strategies.document import Document
from strategies.strategy import Cut, SplitTools, Strategy
from strategies.within import cuts_within


def parents_problem(parents: Strategy) -> str:
    """What is wrong with a strategy as that of the parents, or nothing."""
    if getattr(parents, "overlap", 0) or getattr(parents, "overlap_sentences", 0):
        return "overlap, but every chunk has one parent: give them an overlap of 0"
    return ""


def children(document: Document, parents: Strategy, strategy: Strategy, tools: SplitTools) -> Iterator[Cut]:
    """The cuts of `strategy` inside each cut of `parents`, which is what they return."""
    for parent in parents.cuts(document, tools):
        for cut in cuts_within(document, parent.start, parent.end, strategy, tools):
            yield replace(cut, returned=(parent.start, parent.end))
