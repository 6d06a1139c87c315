"""The modifier `parents`: chunks are searched, and the passage around one is returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from strategies.document import Document
from strategies.nesting import OVERLAPS, is_many_to_one, walk
from strategies.strategy import Cut, SplitTools, Strategy
from strategies.within import cuts_within


def parents_problem(parents: Strategy) -> str:
    """What is wrong with a strategy as that of the parents, or nothing."""
    if is_many_to_one(parents):
        return f"is {parents.name}, which makes several texts of one passage: use one that cuts the text"
    for one in walk(parents):
        if any(getattr(one, key, 0) for key in OVERLAPS):
            inside = "" if one is parents else f" ({one.name} inside {parents.name})"
            return f"overlap{inside}, but every chunk has one parent: give them an overlap of 0"
    return ""


def children(document: Document, parents: Strategy, strategy: Strategy, tools: SplitTools) -> Iterator[Cut]:
    """The cuts of `strategy` inside each cut of `parents`, which is what they return."""
    for parent in parents.cuts(document, tools):
        for cut in cuts_within(document, parent.start, parent.end, strategy, tools):
            yield replace(cut, returned=(parent.start, parent.end))
