"""What our sets know beside texts and evidence, as keys of rows in formats whose readers pass over others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.gold.describing import describe
from evaluation.gold.documents import media_type
from evaluation.gold.filters import filter_problem
from evaluation.gold.formats.rows import Row, text_of
from evaluation.gold.metadata import Description, flat, shown
from evaluation.gold.nouns import SYNTHETIC, Question
from evaluation.gold.sidecars import read_marks
from evaluation.gold.unwritable import text_problem
from evaluation.scalars import HALF_PAIR, is_scalar, is_unicode
from evaluation.yaml_reading import Yaml
from strategies.document import Document, Scalar
from strategies.errors import Problem, refuse


def json_lines(path: Path, where: str, refused: list[Problem]) -> Iterator[Row]:
    """The rows of a file of JSON lines; a line that is no object is refused. Raises BadInput."""
    # Only a line feed ends a line of JSON lines: U+2028 may stand inside a text.
    for number, line in enumerate(text_of(path, where).split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            row = Row(place, {}, refused)
            row.problem(f"is not JSON ({error})")
        else:
            row = Row(place, content, refused)
            if "\\u" in line and not is_unicode(json.dumps(content, ensure_ascii=False)):
                row.problem(*HALF_PAIR)
        yield row


def json_line(row: Mapping[str, Any]) -> str:
    """A row as one line, its end included."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"


def told_of_document(document: Document) -> dict[str, Any]:
    """What is known about a document: only what is not as its name says."""
    told: dict[str, Any] = {"metadata": dict(document.metadata)}
    if document.media_type != media_type(document.id):
        told["media_type"] = document.media_type
    for mark in document.marks:
        level = {"level": mark.level} if mark.kind == "heading" else {}
        told.setdefault(f"{mark.kind}s", []).append({"start": mark.start, "label": mark.label, **level})
    return {key: value for key, value in told.items() if value}


def described(row: Row, name: str, text: str, metadata: Mapping[str, Scalar] | None = None) -> Document:
    """A document with what its row tells, and `metadata` besides; what is wrong refuses the row."""
    if what := text_problem(text):
        row.problem(f"its text {what}")
    kind = row.text("media_type") or None if row.content.get("media_type") is not None else None
    yaml, problems = Yaml(row.where, None, {}), list[Problem]()
    pages = read_marks("page", row.content.get("pages"), yaml, len(text), problems)
    headings = read_marks("heading", row.content.get("headings"), yaml, len(text), problems)
    raw = row.content.get("metadata")
    if raw is not None and not isinstance(raw, dict):
        row.problem(f"metadata is {shown(raw)}, not an object")
    found, wrong = flat(raw if isinstance(raw, dict) else {}, yaml.where)
    for problem in (*problems, *wrong):
        row.problem(problem.what, problem.remedy)
    said = Description(kind, {**(metadata or {}), **found}, pages + headings)
    return describe(name, text, row.where, said)[0]


def told_of_question(question: Question) -> dict[str, Any]:
    """What is known about a question beside its words and its evidence."""
    told = {
        "tags": list(question.tags),
        "filter": dict(question.filter),
        "answer": question.answer,
        "synthetic": question.synthetic,
    }
    return {key: value for key, value in told.items() if value}


class Told:
    """Reads what rows tell about questions; their filters must let some of the documents through."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self._passing: dict[str, str] = {}

    def question(self, row: Row) -> dict[str, Any]:
        """Values for the fields of a question; what is wrong refuses the row."""
        return {**asked(row), "filter": self._filter(row)}

    def _filter(self, row: Row) -> dict[str, Scalar]:
        raw = row.content.get("filter")
        if raw is None:
            return {}
        if not isinstance(raw, dict) or not all(map(is_scalar, raw.values())):
            row.problem(f"filter is {shown(raw)}, not metadata and their values")
            return {}
        key = json.dumps(raw, sort_keys=True)
        if key not in self._passing:
            problem = filter_problem("", raw, self._documents)
            self._passing[key] = problem.what if problem else ""
        if self._passing[key]:
            row.problem(self._passing[key])
        return raw


def asked(row: Row) -> dict[str, Any]:
    """Tags, answer and how it was made: values for a question; what is wrong refuses the row."""
    return {"tags": row.texts("tags"), "answer": answer(row, "answer"), "synthetic": _synthetic(row)}


def answer(row: Row, key: str) -> str:
    """What a right answer says; empty where none stands."""
    return "" if row.content.get(key) is None else row.text(key, blank=True).strip()


def _synthetic(row: Row) -> Any:
    value = row.content.get("synthetic")
    if value is not None and value not in SYNTHETIC:
        row.problem(f"synthetic is {shown(value)}, not proxy or model")
    return value or ""


def need_file(path: Path, where: str, layout: str) -> Path:
    """A file that a format cannot do without. Raises BadInput."""
    if not path.is_file():
        raise refuse(where, "is not there", f"Name {layout}")
    return path
