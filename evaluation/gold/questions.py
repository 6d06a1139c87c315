"""`questions.jsonl` to rows of one explicit schema. The one door to Hugging Face `datasets`.

Types are never guessed: every line is checked and brought into one shape here, and the library then
holds it to the declared features.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from evaluation.gold.nouns import Synthetic
from evaluation.gold.question_form import Form
from strategies.document import Scalar
from strategies.errors import Problem, refuse
from strategies.telemetry import telemetry_off


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


def read_rows(text: str, where: str) -> tuple[list[Row], list[Problem]]:
    """Rows of a JSON Lines text, and every problem of form; `where` is the file's name for people."""
    problems: list[Problem] = []
    raw: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    # Only a line feed ends a line of JSON Lines: U+2028 may stand inside a text.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        form = Form(f"{where}:{number}", problems)
        row = form.row(line, number)
        if row is None:
            continue
        name = row["id"]
        if name in seen:
            what = f"id {name!r} stands in lines {seen[name]} and {number}"
            form.problem(what, "Give each question an id of its own; a number counts as its text")
        elif name:
            seen[name] = number
        raw.append(row)
    if not raw and not problems:
        problems.append(
            Problem(where, "holds no question", 'Write one a line: {"id", "question", "evidence"}')
        )
    if not raw:
        return [], problems
    datasets = library()
    table = datasets.Dataset.from_list(raw, features=features(datasets))
    return [_row(row) for row in table.to_list()], problems


def _row(row: dict[str, Any]) -> Row:
    evidence = tuple(tuple(Anchor(**anchor) for anchor in entry) for entry in row["evidence"])
    kept = json.loads(row["filter"])
    tags = tuple(row["tags"])
    return Row(row["line"], row["id"], row["question"], evidence, tags, kept, row["answer"], row["synthetic"])
