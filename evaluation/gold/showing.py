"""Evidence in its surroundings: where in its document it stands, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluation.gold.nouns import GoldSet, Passage, Question
from strategies.document import Document
from strategies.errors import Problem, brief, nearest
from strategies.outline import Outline, outline

CONTEXT = 160
"""Characters of surroundings on either side, where nobody asks for more."""
MOST_NAMED = 12
"""Questions that a message names."""


@dataclass(frozen=True, slots=True)
class Surrounded:
    """A passage with what a reader needs to find and to judge it.

    `before + text + after` is a piece of the document.
    """

    document: str
    start: int
    end: int
    line: int
    """Line of its first character, from 1."""
    page: str | None
    section: tuple[str, ...]
    """Heading path in force where it begins, outermost first."""
    before: str
    text: str
    after: str


class Surroundings:
    """Looks up what surrounds passages; the outline of a document is made once."""

    def __init__(self, documents: Mapping[str, Document], context: int = CONTEXT) -> None:
        """`context`: characters on either side; a word that they would cut is left out."""
        self.documents = documents
        self.context = context
        self._outlines: dict[str, Outline] = {}

    def of(self, passage: Passage) -> Surrounded:
        """A passage in its surroundings."""
        document = self.documents[passage.document]
        if document.id not in self._outlines:
            self._outlines[document.id] = outline(document)
        found, text = self._outlines[document.id], document.text
        first, last = max(0, passage.start - self.context), min(len(text), passage.end + self.context)
        before, after = text[first : passage.start], text[passage.end : last]
        if first and not text[first - 1].isspace():
            before = before[_first_blank(before) :]
        if last < len(text) and not text[last].isspace():
            after = after[: len(after) - _first_blank(after[::-1])]
        return Surrounded(
            document=document.id,
            start=passage.start,
            end=passage.end,
            line=_line(text, passage.start),
            page=found.page(passage.start),
            section=found.section(passage.start),
            before=before,
            text=text[passage.start : passage.end],
            after=after,
        )

    def question(self, question: Question) -> dict[str, Any]:
        """A question with its evidence in its surroundings, as dicts, lists and scalars."""
        entries = []
        for entry in question.evidence:
            first, *others = (asdict(self.of(passage)) for passage in entry.passages)
            entries.append({**first, "alternatives": others} if others else first)
        return {
            "id": question.id,
            "question": question.text,
            "tags": list(question.tags),
            "filter": dict(question.filter),
            "answer": question.answer,
            "synthetic": question.synthetic,
            "evidence": entries,
        }


def _first_blank(text: str) -> int:
    """Where the first white space is; 0 if there is none, for scripts without it."""
    return next((at for at, sign in enumerate(text) if sign.isspace()), 0)


def _line(text: str, at: int) -> int:
    """The line of a position, from 1; a carriage return before a line feed ends no line of its own."""
    crs = text.count("\r", 0, at) - text.count("\r\n", 0, at + 1)
    return 1 + text.count("\n", 0, at) + crs


def chosen(gold: GoldSet, ids: Sequence[str]) -> tuple[list[Question], list[Problem]]:
    """The questions of these ids, in this order, and a problem with the nearest id for each unknown one."""
    by_id: dict[str, list[Question]] = {}
    for question in gold.questions:
        by_id.setdefault(question.id, []).append(question)
    problems = []
    for name in dict.fromkeys(ids):
        if name not in by_id:
            remedy = nearest(name, by_id)
            if remedy.startswith("Known") and len(by_id) > MOST_NAMED:
                remedy = f"It has {len(by_id)}, none of a similar id"
            what = f"there is no question {brief(repr(name))}"
            problems.append(Problem(brief(gold.name) or "data set", what, remedy))
    return [question for name in dict.fromkeys(ids) for question in by_id.get(name, [])], problems
