"""From a document to its chunks: the same way, and under the same law, for every strategy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strategies.document import Chunk, Document
from strategies.errors import SplitError
from strategies.modifiers import PLAIN, Modifiers
from strategies.modifiers.headings import heading_line
from strategies.nesting import is_many_to_one, is_native
from strategies.strategy import Cut, Strategy
from strategies.tools import Tools


def split(
    document: Document, strategy: Strategy, tools: Tools, modifiers: Modifiers = PLAIN
) -> tuple[Chunk, ...]:
    """The chunks of a document, in order; none for a blank one.

    Raises BadInput for an unknown unit, SplitError where the strategy breaks the first law.
    """
    text = document.text
    cuts = modifiers.cuts(document, strategy, tools) if text.strip() else ()
    check_cuts(document, strategy, cuts)
    if not cuts:
        return ()
    starts = np.array([cut.start for cut in cuts], dtype=np.int64)
    ends = np.array([cut.end for cut in cuts], dtype=np.int64)
    tokens = tools.tokens(document, starts, ends).tolist()
    outline = tools.described(document)
    chunks: list[Chunk] = []
    for index, cut in enumerate(cuts):
        own = text[cut.start : cut.end]
        # Where its words begin: white space before a heading still belongs to the section above.
        first = cut.start + len(own) - len(own.lstrip()) if own[0].isspace() else cut.start
        section = outline.section(first) if cut.section is None else cut.section
        embedded = own if cut.embedded_text is None else cut.embedded_text
        chunks.append(
            Chunk(
                document_id=document.id,
                index=index,
                start=cut.start,
                end=cut.end,
                text=own,
                tokens=tokens[index],
                embedded_text=heading_line(document, section, modifiers.headings) + embedded,
                returned=(cut.start, cut.end) if cut.returned is None else cut.returned,
                section=section,
                page=outline.page(first),
                oversize=cut.oversize,
                metadata=document.metadata,
            )
        )
    return tuple(chunks)


def check_cuts(document: Document, strategy: Strategy, cuts: Sequence[Cut]) -> None:
    """Hold cuts to the first law: inside the document, never blank, in order, none inside another.

    Strategies that declare `many_to_one` may repeat a range; those of libraries may also hand out a chunk
    that lies inside the one before, as some do. Raises SplitError showing the chunk.
    """
    before = (-1, -1)
    many_to_one, native = is_many_to_one(strategy), is_native(strategy)
    for index, cut in enumerate(cuts):
        fault = _fault(document, cut)
        if not fault and not (many_to_one and (cut.start, cut.end) == before):
            fault = _disorder(cut, before, native)
        if fault:
            shown = document.text[max(cut.start, 0) : max(cut.end, 0)]
            shown = shown if len(shown) <= 80 else f"{shown[:77]}..."
            place = f"chunk {index} of {strategy.name}, [{cut.start}:{cut.end}]"
            raise SplitError(f"{document.id}: {place}, {fault}: {shown!r}")
        before = (cut.start, cut.end)


def _fault(document: Document, cut: Cut) -> str:
    length = len(document.text)
    if not 0 <= cut.start < cut.end <= length:
        return f"is not a range of its {length} characters"
    if not document.text[cut.start : cut.end].strip():
        return "is blank"
    if cut.returned is not None and not 0 <= cut.returned[0] < cut.returned[1] <= length:
        return f"returns [{cut.returned[0]}:{cut.returned[1]}], not a range of its {length} characters"
    if cut.embedded_text is not None and not cut.embedded_text.strip():
        return "has nothing to embed"
    return ""


def _disorder(cut: Cut, before: tuple[int, int], native: bool) -> str:
    if cut.start < before[0] or (native and cut.start == before[0]):
        return f"does not start after the one before, [{before[0]}:{before[1]}]"
    if native and cut.end <= before[1]:
        return f"lies inside the one before, [{before[0]}:{before[1]}]"
    return ""
