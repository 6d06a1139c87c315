"""`questions.jsonl` to rows of one explicit schema. The one door to Hugging Face `datasets`.

Types are never guessed: every line is checked and brought into one shape here, and the library then
holds it to the declared features.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from sys import intern
from types import ModuleType
from typing import Any, cast

from evaluation.gold.nouns import Synthetic
from evaluation.gold.question_form import Form
from strategies.document import NOTHING, Scalar
from strategies.errors import Problem, refuse
from strategies.telemetry import telemetry_off

_ROWS_AT_A_TIME = 1000
"""Rows that the library checks together: their shape takes some twenty times the memory of their text."""

NO_QUESTION = "holds no question"
ASK = (
    "Ask with `chunksweep gold add SET`, have some made for a first look with "
    '`chunksweep gold bootstrap SET`, or write one a line: {"id", "question", "evidence"}'
)
"""What to do about a set that waits for its questions."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """One place named by a user: a range of a document, or a quote from it."""

    document: str | None
    """None: the quote is looked for in all documents."""
    start: int | None
    end: int | None
    quote: str | None
    """Beside a range, what the range must read."""
    any: bool
    """Every occurrence of the quote will do."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question as written, its form checked, its places not yet looked up."""

    line: int
    id: str
    question: str
    evidence: tuple[tuple[Anchor, ...], ...]
    """An entry is its first anchor, then its alternatives."""
    tags: tuple[str, ...]
    filter: Mapping[str, Scalar]
    answer: str = ""
    synthetic: Synthetic = ""


def features(datasets: ModuleType) -> Any:
    """The schema of a gold file. A filter travels as JSON text, because its values keep their types."""
    value, many = datasets.Value, datasets.List
    anchor = {
        "document": value("string"),
        "start": value("int64"),
        "end": value("int64"),
        "quote": value("string"),
        "any": value("bool"),
    }
    return datasets.Features(
        {
            "line": value("int64"),
            "id": value("string"),
            "question": value("string"),
            "evidence": many(many(anchor)),
            "tags": many(value("string")),
            "filter": value("string"),
            "answer": value("string"),
            "synthetic": value("string"),
        }
    )


def library() -> ModuleType:
    """Hugging Face `datasets`, or BadInput with the path of what stands in its place."""
    telemetry_off()
    try:
        import datasets
    except ModuleNotFoundError as error:
        if error.name != "datasets":
            raise
        raise refuse(
            "datasets", "the Hugging Face library is not installed", "pip install datasets"
        ) from error
    if not hasattr(datasets, "load_dataset"):
        # Without an __init__.py it is a namespace package, which has folders but no file.
        found = datasets.__file__ or ", ".join(datasets.__path__)
        remedy = "Rename that folder, or start chunksweep from elsewhere and without it in PYTHONPATH"
        raise refuse("datasets", f"{found} hides the Hugging Face library of this name", remedy)
    return cast(ModuleType, datasets)


def read_rows(text: str, where: str, problems: list[Problem]) -> Iterator[Row]:
    """Rows of a JSON Lines text, in its order; problems of form are added, `where` is the file's name.

    A part of the text is in work at a time: what becomes of a row, its caller decides.
    """
    checked = _checked(text, where, problems)
    while part := list(islice(checked, _ROWS_AT_A_TIME)):
        datasets = library()
        table = datasets.Dataset.from_list(part, features=features(datasets))
        yield from map(_row, table.to_list())


def _checked(text: str, where: str, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    """Each line in the shape of the schema, but those that are no object."""
    seen: dict[str, int] = {}
    before, empty = len(problems), True
    for number, line in enumerate(_lines(text), start=1):
        if not line.strip():
            continue
        form = Form(f"{where}:{number}", problems)
        row = form.row(line, number)
        if row is None:
            continue
        empty = False
        name = row["id"]
        if name in seen:
            what = f"id {name!r} stands in lines {seen[name]} and {number}"
            form.problem(what, "Give each question an id of its own; a number counts as its text")
        elif name:
            seen[name] = number
        yield row
    if empty and len(problems) == before:
        problems.append(Problem(where, NO_QUESTION, ASK))


def _lines(text: str) -> Iterator[str]:
    """Only a line feed ends a line of JSON Lines: U+2028 may stand inside a text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _row(row: dict[str, Any]) -> Row:
    evidence = tuple(tuple(Anchor(**anchor) for anchor in entry) for entry in row["evidence"])
    # A set has few tags and documents, and many questions that name them.
    tags = tuple(intern(tag) for tag in row["tags"])
    kept = json.loads(row["filter"]) or NOTHING
    return Row(row["line"], row["id"], row["question"], evidence, tags, kept, row["answer"], row["synthetic"])
