"""An HTML source, read: its blocks and headings, and what a reader sees of any range of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from strategies.document import Mark
from strategies.markup.html_blocks import BLOCKS, CELLS, Group, HtmlReader
from strategies.markup.html_tokens import REFERENCE, decoded, tokens


class HtmlSource:
    """An HTML source, read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(tokens(text))
        reader = HtmlReader(self.tokens, text)
        self.leaves = reader.leaves() if text.strip() else []
        """None is blank."""
        self.groups = reader.groups
        """In the order in which they open."""
        self._starts = [token.start for token in self.tokens]
        self._headings = [0, *accumulate(leaf.kind == "heading" for leaf in self.leaves)]

    def headings(self) -> list[Mark]:
        """Headings h1 to h6 outside of quotes, at the start of their leaf: tags that open right before a
        heading belong to its section."""
        return [
            Mark("heading", leaf.start, " ".join(self.visible(leaf.start, leaf.end).split()), leaf.level)
            for leaf in self.leaves
            if leaf.kind == "heading"
        ]

    def holds_heading(self, group: Group) -> bool:
        """Whether a heading stands in the group."""
        return self._headings[group.last + 1] > self._headings[group.first]

    def range(self, group: Group) -> tuple[int, int]:
        """Where the leaves of a group begin and end."""
        return self.leaves[group.first].start, self.leaves[group.last].end

    def visible(self, start: int, end: int) -> str:
        """The text that a reader sees of a range: no tags, comments, scripts or styles; references resolved;
        a line for each block, white space folded within it, but for preformatted text.

        >>> HtmlSource("<p>A &amp;\\n <b>B</b><br>C<style>i</style><ul><li>D").visible(0, 99)
        'A & B\\nC\\nD'
        """
        text, shown, line = self.text, list[str](), list[str]()
        for index in range(max(bisect_right(self._starts, start) - 1, 0), len(self.tokens)):
            token = self.tokens[index]
            if token.start >= end:
                break
            if token.kind == "text":
                part = decoded(text[max(start, token.start) : min(end, token.end)])
                if token.preformatted:
                    shown += (_folded(line), part)
                    line = []
                else:
                    line.append(_WHITE.sub(" ", part))
            elif token.kind == "cdata":
                last = token.end - 3 if text.endswith("]]>", token.start + 9, token.end) else token.end
                line.append(_WHITE.sub(" ", text[max(start, token.start + 9) : min(end, last)]))
            elif token.name in CELLS:
                line.append(" ")
            elif token.name in BLOCKS or token.name == "br":
                line.append("\n")
        return "".join((*shown, _folded(line))).strip()

    @cached_property
    def atoms(self) -> tuple[list[int], list[int]]:
        """Starts and ends of what is not to be cut: tags, comments, character references."""
        pairs: list[tuple[int, int]] = []
        for token in self.tokens:
            if token.kind in ("open", "close", "comment"):
                pairs.append((token.start, token.end))
            elif token.kind == "text":
                pairs += (found.span() for found in REFERENCE.finditer(self.text, token.start, token.end))
        return [start for start, _ in pairs], [end for _, end in pairs]

    @cached_property
    def masked(self) -> str:
        """The source with spaces for all that is no text, of the same length; `br` ends a line."""
        parts = (
            self.text[token.start : token.end]
            if token.kind in ("text", "cdata", "raw")
            else " " * (token.end - token.start - 1) + ("\n" if token.name == "br" else " ")
            for token in self.tokens
        )
        return "".join(parts)


_WHITE = re.compile(r"\s+")
_SPACES = re.compile(r" {2,}")
_BREAKS = re.compile(r" ?\n[ \n]*")


def _folded(parts: Sequence[str]) -> str:
    return _BREAKS.sub("\n", _SPACES.sub(" ", "".join(parts)))
