"""The modifier `min_chunk`: fragments join a neighbour, since tiny chunks match much and say little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strategies.document import Document
from strategies.nesting import embeds_more
from strategies.strategy import Cut, Strategy
from strategies.tools import Tools


def merge_fragments(
    cuts: Sequence[Cut], least_tokens: int, document: Document, strategy: Strategy, tools: Tools
) -> tuple[Cut, ...]:
    """Join every cut of fewer than `least_tokens` cl100k tokens with a neighbour, where that is allowed.

    Two cuts may join if they return the same passage (or each its own), embed their own text, and
    together keep to the strategy's size. Of two neighbours, the one under the same heading is taken, then
    the smaller one. A fragment that no neighbour can take stays. One pass, from left to right.
    """
    if not least_tokens or not cuts:
        return tuple(cuts)
    joiner = _Joiner(document, strategy, tools)
    merged: list[Cut] = []
    waiting = list(reversed(cuts))
    while waiting:
        cut = waiting.pop()
        if joiner.tokens(cut) >= least_tokens:
            merged.append(cut)
            continue
        pairs = [(merged, (before, cut), before) for before in merged[-1:]]
        pairs += [(waiting, (cut, after), after) for after in waiting[-1:]]
        choices = [
            (joiner.section(cut) != joiner.section(other), joiner.tokens(other), side, joined)
            for side, pair, other in pairs
            if (joined := joiner.join(*pair)) is not None
        ]
        if choices:
            *_, side, joined = min(choices, key=lambda choice: choice[:2])
            side[-1] = joined
        else:
            merged.append(cut)
    return tuple(merged)


class _Joiner:
    """Knows which cuts of a document may become one."""

    def __init__(self, document: Document, strategy: Strategy, tools: Tools) -> None:
        self._document = document
        self._tools = tools
        self._embeds_more = embeds_more(strategy)
        limit = strategy.limit(document)
        self._size = None if limit is None else limit[0]
        self._ruler = None if limit is None else tools.ruler(document, limit[1])
        self._outline = tools.described(document)

    def tokens(self, cut: Cut) -> int:
        """Its length in cl100k tokens."""
        return int(self._tools.tokens(self._document, cut.start, cut.end))

    def section(self, cut: Cut) -> tuple[str, ...]:
        """The heading path over it."""
        return self._outline.section(cut.end - 1) if cut.section is None else cut.section

    def join(self, one: Cut, other: Cut) -> Cut | None:
        """The two as one, or None where they must stay apart."""
        if one.oversize or other.oversize or one.returned != other.returned:
            return None
        made = one.embedded_text is not None or other.embedded_text is not None
        if made and self._embeds_more:  # else it differs in white space alone
            return None
        end = max(one.end, other.end)  # a library may hand out a chunk inside the one before
        if self._ruler is not None and self._ruler.count(one.start, end) > (self._size or 0):
            return None
        section = one.section if self.tokens(one) >= self.tokens(other) else other.section
        return replace(one, end=end, section=section, embedded_text=None)
