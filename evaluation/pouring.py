"""A ranked list poured into a prompt, hit by hit: text that is there already is never added again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from evaluation.measured import Measured
from strategies.spans import GrowingUnion, Ranges, union

if TYPE_CHECKING:
    from evaluation.retrieval import Hit


class Step(NamedTuple):
    """What one hit adds to the text of the hits above it."""

    document: str
    pieces: Ranges
    """The new text, in the order of the document."""
    tokens: int
    """Tokens of the document that start in the new text."""


def distinct(hits: Iterable[Hit]) -> list[Hit]:
    """The hits without those that return a range which stands higher already."""
    best: dict[tuple[str, int, int], Hit] = {}
    for hit in hits:
        best.setdefault((hit.document, hit.start, hit.end), hit)
    return list(best.values())


def steps(hits: Iterable[Hit], documents: Mapping[str, Measured]) -> Iterator[Step]:
    """What each hit adds, in rank order."""
    texts: dict[str, GrowingUnion] = {}
    for hit in hits:
        text = texts.get(hit.document)
        if text is None:
            text = texts[hit.document] = GrowingUnion()
        pieces, measured = text.add(hit.start, hit.end), documents[hit.document]
        yield Step(hit.document, pieces, sum(measured.tokens(start, end) for start, end in pieces))


def cut(step: Step, n: int, measured: Measured) -> Ranges:
    """The first `n` tokens of what a hit adds; nothing where `n` is 0."""
    kept = []
    for start, end in step.pieces:
        if n <= 0:
            break
        kept.append((start, measured.cut_at_tokens(start, end, n)))
        n -= measured.tokens(start, end)
    return union(kept)


def poured(hits: Iterable[Hit], budget: int, documents: Mapping[str, Measured]) -> dict[str, Ranges]:
    """The text that a budget of tokens holds, by document: whole hits in rank order, the last one cut."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    left = budget
    for step in steps(hits, documents):
        if left <= 0:
            break
        ranges.setdefault(step.document, []).extend(
            step.pieces if step.tokens <= left else cut(step, left, documents[step.document])
        )
        left -= step.tokens
    return {document: union(pieces) for document, pieces in ranges.items()}
