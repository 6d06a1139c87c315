"""Ranges of evidence whose document was edited, moved to where their quotes stand now."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from evaluation.gold.card_claims import replace_questions
from evaluation.gold.changing import BYTE_ORDER_MARK, bundled_set, locked, questions_text
from evaluation.gold.loading import QUESTIONS, locate, read
from evaluation.gold.question_form import Form
from evaluation.gold.quotes import Corpus, Quote, Range
from evaluation.gold.standing import standing
from strategies.errors import BadInput, Problem


@dataclass(frozen=True, slots=True)
class Move:
    """A range that does not read its quote."""

    question: str
    line: int
    """Line of `questions.jsonl`, from 1."""
    where: str
    """`evidence[0]`, or `evidence[0].alternatives[1]`."""
    document: str
    quote: str
    start: int
    end: int
    to: Range | None
    """Where the quote stands now; None if it cannot be moved."""
    why: str = ""
    """Why it cannot be moved."""


@dataclass(frozen=True, slots=True)
class Moves:
    """What became of the ranges of a set."""

    moved: tuple[Move, ...]
    left: tuple[Move, ...]
    """Those that could not be moved, and stay as they are."""
    unquoted: tuple[str, ...]
    """The question of each range without a quote: nothing tells whether it still holds its evidence."""
    notes: tuple[Problem, ...] = ()
    """What of the card's claims could not be kept true."""


@dataclass(slots=True)
class _Found:
    """What is gathered while the lines are read."""

    moved: list[Move] = field(default_factory=list)
    left: list[Move] = field(default_factory=list)
    unquoted: list[str] = field(default_factory=list)


def move(
    path: str,
    *,
    dry_run: bool = False,
    hold: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> Moves:
    """Give every range whose quote stands exactly once elsewhere in its document the offsets of that place.

    Lines without such a range stay byte for byte, and so do those whose form is wrong. `dry_run` writes
    nothing; files are written inside `hold`, where signals wait. Raises BadInput for a set that is not there,
    comes with chunksweep, or has no documents.
    """
    folder = locate(path)
    if problems := bundled_set(folder):
        raise BadInput(problems)
    with locked(folder):
        old = questions_text(folder)
        reading = read(folder)
        if not reading.gold.documents:
            raise BadInput(reading.problems)
        corpus = Corpus({document.id: document for document in reading.gold.documents})
        found = _Found()
        new = "\n".join(
            _line(line, number, corpus, found) for number, line in enumerate(old.split("\n"), start=1)
        )
        notes: list[Problem] = []
        if found.moved and not dry_run:
            with hold():
                notes = replace_questions(folder, old, new)
    return Moves(tuple(found.moved), tuple(found.left), tuple(found.unquoted), tuple(notes))


def _line(line: str, number: int, corpus: Corpus, found: _Found) -> str:
    """A line of the file as it is to be, without its end."""
    mark = BYTE_ORDER_MARK if number == 1 and line.startswith(BYTE_ORDER_MARK) else ""
    text = line.removeprefix(mark)
    if not text.strip():
        return line
    problems: list[Problem] = []
    checked = Form(f"{QUESTIONS}:{number}", problems).row(text, number)
    if problems or checked is None:  # told by `gold check`; what it means is not known
        return line
    row = json.loads(text)
    moved = False
    for where, anchor in _ranges(row["evidence"]):
        moved |= _move(anchor, where, checked["id"], number, corpus, found)
    if not moved:
        return line
    end = text[len(text.rstrip()) :]
    return f"{mark}{json.dumps(row, ensure_ascii=False, allow_nan=False)}{end}"


def _ranges(evidence: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The anchors of a row, checked, that are ranges, each with its name."""
    entries: Sequence[Any] = evidence if isinstance(evidence, list) else [evidence]
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            continue
        name = f"evidence[{number}]" if isinstance(evidence, list) else "evidence"
        others: Sequence[Any] = entry.get("alternatives") or []
        named = [(name, entry), *((f"{name}.alternatives[{n}]", other) for n, other in enumerate(others))]
        for where, anchor in named:
            if isinstance(anchor, dict) and anchor.get("start") is not None:
                yield where, anchor


def _move(
    anchor: dict[str, Any], where: str, question: str, line: int, corpus: Corpus, found: _Found
) -> bool:
    """Move one range where that is needed and can be done: whether it was."""
    document = unicodedata.normalize("NFC", anchor["document"])
    if document not in corpus.documents:
        return False
    if anchor.get("quote") is None:
        found.unquoted.append(question)
        return False
    quote = Quote(anchor["quote"])
    start, end = anchor["start"], anchor["end"]
    if corpus.reads(document, start, end, quote):
        return False
    place, why = standing(corpus, document, quote)
    one = Move(question, line, where, document, anchor["quote"], start, end, place, why)
    if place is None:
        found.left.append(one)
        return False
    anchor["start"], anchor["end"] = place
    found.moved.append(one)
    return True
