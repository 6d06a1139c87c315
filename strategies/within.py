"""Cutting a part of a document with a strategy, as if it stood alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from strategies.document import Document
from strategies.strategy import Cut, SplitTools, Strategy


def cuts_within(
    document: Document, start: int, end: int, strategy: Strategy, tools: SplitTools
) -> Iterator[Cut]:
    """The cuts of `document.text[start:end]`, in places of the document; none where it is blank.

    Sections are left to the document's own outline, where it has one: a part does not know the headings
    above it.
    """
    text = document.text[start:end]
    if not text.strip():
        return
    if len(text) == len(document.text):
        yield from strategy.cuts(document, tools)
        return
    marks = tuple(
        replace(mark, start=max(mark.start - start, 0)) for mark in document.marks if mark.start < end
    )
    part = replace(document, text=text, marks=marks)
    has_headings = bool(tools.outline(document).heading_starts)
    for cut in strategy.cuts(part, tools):
        yield replace(
            cut,
            start=cut.start + start,
            end=cut.end + start,
            section=None if has_headings else cut.section,
            returned=None if cut.returned is None else (cut.returned[0] + start, cut.returned[1] + start),
        )
