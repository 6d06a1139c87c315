"""Words as Markdown: what would be read as structure that the source never had is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_STRUCTURE = re.compile(r"#{1,6}(?=\s|$)|```|~~~|>|[-=]+\s*$|[_*]{3,}\s*$|[-+*](?=\s|$)|<(?=[a-zA-Z/!?])")
"""What a line can begin with that makes a heading (also of the line before it), fence, quote, rule, list or
HTML of it. Numbers with a
dot are left: who types `1.` means a list."""


def literal(text: str) -> str:
    r"""Words that begin a line, so that Markdown takes them for words.

    >>> literal("# 1 in the charts"), literal("#1"), literal("  - 3 degrees"), literal("a - b")
    ('\\# 1 in the charts', '#1', '\\- 3 degrees', 'a - b')
    """
    text = text.lstrip(" \t")
    return f"\\{text}" if _STRUCTURE.match(text) else text


def literal_lines(text: str) -> str:
    """Every line of a paragraph as words."""
    return "\n".join(literal(line) for line in text.split("\n"))


def cell(text: str) -> str:
    r"""The words of a table's cell: one line, its bars escaped.

    >>> cell(" a |\n b ")
    'a \\| b'
    """
    return " ".join(text.split()).replace("|", "\\|")


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """A table whose first row is its head. Short rows stay short, or one long row would swell them all.

    >>> print(pipe_table([["Part", "Price"], ["Hinge"]]))
    | Part | Price |
    | --- | --- |
    | Hinge |
    """
    width = max(map(len, rows))
    head = [*rows[0], *[""] * (width - len(rows[0]))]
    lines = [f"| {' | '.join(map(cell, row))} |" for row in (head, *rows[1:])]
    return "\n".join([lines[0], "| " + " | ".join(["---"] * width) + " |", *lines[1:]])


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows that hold words as a table; one of a single cell is a box around text."""
    kept = [row for row in rows if any(map(str.strip, row))]
    if not kept:
        return ""
    return literal_lines(kept[0][0].strip()) if len(kept) == len(kept[0]) == 1 else pipe_table(kept)


def spanned(said: str | None) -> int:
    """How many columns or rows a cell fills by what its file says, 1000 at most; 1 where that is no number.

    >>> spanned("2"), spanned(None), spanned("9" * 5000)
    (2, 1, 1)
    """
    return max(1, min(int(said), 1000)) if said and said.isdecimal() and len(said) < 10 else 1


def fenced(code: str, language: str = "") -> str:
    """A block of code in a fence that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"
