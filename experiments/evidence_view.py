"""Questions and evidence for people: underlined on a terminal, between marks on a pipe.

What a document holds is printed as it is but for what would move a terminal's cursor, which is escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from experiments.paragraph import Paragraph
from strategies.errors import visible

if TYPE_CHECKING:
    from evaluation.gold.nouns import Question
    from evaluation.gold.showing import Surrounded, Surroundings

OPENS, CLOSES = ">>>", "<<<"
"""Marks of evidence where nothing can be underlined."""

_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def view(console: Console, question: Question, surroundings: Surroundings) -> None:
    """Print a question and all its evidence."""
    write(console, Text.assemble((one_line(question.id), "bold"), "  ", one_line(question.text)))
    told = {
        "tags": ", ".join(question.tags),
        "filter": ", ".join(f"{name} = {value}" for name, value in question.filter.items()),
        "answer": question.answer,
        "made by": {"": "", "proxy": "words of the document (proxy)", "model": "a model"}[question.synthetic],
    }
    for name, value in told.items():
        if value:
            write(console, Text(f"{name}: {one_line(value)}"), 2)
    if not question.evidence:
        write(console, Text("no evidence: the question is not scored"), 2)
    for number, entry in enumerate(question.evidence, start=1):
        for which, passage in enumerate(entry.passages):
            head = "or" if which else f"evidence {number} of {len(question.evidence)}:"
            found = surroundings.of(passage)
            write(console, Text(""))
            write(console, Text(f"{head} {place(found)}"), 2)
            excerpt(console, found, 4)


def place(found: Surrounded) -> str:
    """Where a passage stands, in a line.

    >>> from evaluation.gold.showing import Surrounded
    >>> place(Surrounded("rules.md", 15, 74, 3, None, ("House rules",), "", "Quiet", ""))
    'rules.md, line 3, House rules, [15, 74)'
    """
    parts = [one_line(found.document), f"line {found.line}"]
    if found.page is not None:
        parts.append(f"page {one_line(found.page)}")
    if found.section:
        parts.append(" > ".join(map(one_line, found.section)))
    return ", ".join([*parts, f"[{found.start}, {found.end})"])


def excerpt(console: Console, found: Surrounded, indent: int) -> None:
    """Print a passage in its surroundings, line by line as in its document."""
    opens, closes = ("", "") if console.is_terminal else (OPENS, CLOSES)
    evidence = (f"{opens}{clean(found.text)}{closes}", "bold underline")
    text = Text.assemble(clean(found.before.lstrip()), evidence, clean(found.after.rstrip()))
    for line in text.split("\n", allow_blank=True):
        write(console, line, indent)


def write(console: Console, line: Text, indent: int = 0) -> None:
    """Print a line: folded on a terminal, as it is elsewhere."""
    if console.is_terminal:
        console.print(Paragraph(line, indent) if line else line)
    else:
        if line:
            line.pad_left(indent)
        console.print(line, soft_wrap=True)


def clean(text: str) -> str:
    r"""A text of several lines without what would move a cursor: escaped, or a blank for a tab.

    >>> clean("a\tb\r\nc\x1b[2Jd\u202ee")
    'a    b\nc\\x1b[2Jd\\u202ee'
    """
    lines = _LINE_END.split(text.replace("\t", "    "))
    return "\n".join(map(visible, lines))


def one_line(text: str) -> str:
    """A user's text on one line, whole."""
    return visible(" ".join(text.split()))
