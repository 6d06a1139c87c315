"""Rows of any data set to documents and questions, as a card maps their fields."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from typing import Any

from evaluation.gold.formats.hub_evidence import Finder
from evaluation.gold.formats.hub_mapping import Columns, Mapped
from evaluation.gold.formats.names import Names
from evaluation.gold.formats.placing import Places
from evaluation.gold.formats.rows import Ids, Row, json_of
from evaluation.gold.formats.told import Told, described
from evaluation.gold.metadata import flat, shown
from evaluation.gold.nouns import Question
from evaluation.gold.quotes import Corpus
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief


def of_fields(path: str, columns: Iterable[str]) -> list[str]:
    """The parts of a path; a column may have a dot in its name.

    >>> of_fields("answers.text", ["answers"]), of_fields("answers.text", ["answers.text"])
    (['answers', 'text'], ['answers.text'])
    """
    return [path] if path in columns else path.split(".")


def has_field(features: Any, parts: Sequence[str]) -> bool:
    """Whether a path is in a schema, or in a row that stands for one; lists are passed through."""
    while isinstance(features, list) or hasattr(features, "feature"):
        inner = getattr(features, "feature", None)
        features = (features[0] if features else None) if inner is None else inner
    if not parts or features is None:
        return True
    if isinstance(features, Mapping):
        return parts[0] in features and has_field(features[parts[0]], parts[1:])
    # The one holds anything; the other held nothing in the rows that the schema was made of.
    return type(features).__name__ == "Json" or getattr(features, "dtype", "") == "null"


def value_at(value: Any, parts: Sequence[str]) -> Any:
    """What stands at a path; of a list, what stands there in each of its items.

    >>> value_at({"answers": [{"text": "a"}, {"text": "b"}]}, ["answers", "text"])
    ['a', 'b']
    """
    if not parts:
        return value
    if isinstance(value, list):
        return [value_at(one, parts) for one in value]
    return value_at(value.get(parts[0]), parts[1:]) if isinstance(value, Mapping) else None


class _Part:
    """The fields of one part of a card."""

    def __init__(self, columns: Columns, names: Sequence[str], refused: list[Problem]) -> None:
        self.columns, self.refused = columns, refused
        self._parts = {path: of_fields(path, names) for path, _ in columns.paths()}

    def row(self, where: str, raw: Mapping[str, Any]) -> Row:
        """What the card names of a row, by path; what is no plain value refuses it."""
        content = {}
        for path, key in self.columns.paths():
            value = value_at(raw, self._parts[path])
            content[path] = _dated(value) if key == "metadata" else value
        row = Row(where, content, self.refused)
        for path, value in content.items():
            if kind := _strange(value):
                row.problem(f"{brief(path)} is read as {kind}", "Let the column hold text, or choose another")
        return row

    def more(self, row: Row) -> Row:
        """What a gold set knows beside, in a field of JSON text."""
        path = self.columns.fields.get("more")
        cell = row.text(path, blank=True) if path and row.content.get(path) is not None else ""
        if path is None or not cell.strip():
            return Row(row.where, {}, self.refused, of=row)
        try:
            return row.inside(path, json_of(cell, path))
        except BadInput as error:
            row.problem(f"{brief(path)} {error.problems[0].what}")
            return row.inside(path, {})


class Documents(_Part):
    """The documents of rows, each kept once."""

    def __init__(self, columns: Columns, names: Sequence[str], refused: list[Problem]) -> None:
        super().__init__(columns, names, refused)
        self.by_id: dict[str, Document] = {}
        """By the id that they have in the data."""
        self._told: dict[str, tuple[str, str]] = {}
        self._names = Names()
        self._notes: list[Problem] = []
        self._differing: list[str] = []

    def take(self, where: str, raw: Mapping[str, Any]) -> str | None:
        """The id, in the data, of the document of a row; None where it is refused."""
        row, fields = self.row(where, raw), self.columns.fields
        if not row.ok:
            return None
        text = row.text(fields["text"], blank=True)
        id = row.id(fields["id"], blank=True) if "id" in fields else f"text-{_sha256(text)[:16]}"
        if not row.ok:
            return None
        told = _sha256(repr([row.content[path] for path in (*self.columns.metadata, *self._more())]))
        if id in self._told:
            first, before = self._told[id]
            if self.by_id[id].text != text:
                what = f"gives {brief(id)} another text than {first} does"
                row.problem(
                    what, "Name a field that tells documents apart, or none: texts are then their own id"
                )
                return None
            if before != told:
                self._differing.append(where)
            return id
        document = self._document(row, id, text)
        if not row.ok:
            return None
        self.by_id[id], self._told[id] = document, (where, told)
        if document.id != id:
            self._notes.append(Problem(where, f"{brief(id)} is called {brief(document.id)}"))
        return id

    def _more(self) -> list[str]:
        return [self.columns.fields[name] for name in ("more",) if name in self.columns.fields]

    def _document(self, row: Row, id: str, text: str) -> Document:
        raw = {path: row.content[path] for path in self.columns.metadata}
        metadata, wrong = flat(raw, lambda key: row.where)
        for problem in wrong:
            row.problem(problem.what, problem.remedy)
        more = self.more(row)
        return described(more, self._names.new(id), text, metadata)

    def kept(self) -> list[Document]:
        """All of them."""
        return list(self.by_id.values())

    def notes(self) -> list[Problem]:
        """What was taken although it is doubtful."""
        if not self._differing:
            return self._notes
        what = f"other metadata of a document in {len(self._differing)} later rows are left out"
        return [*self._notes, Problem(self._differing[0], what)]


class Questions(_Part):
    """The questions of rows; their evidence is looked up when all documents are there."""

    def __init__(self, mapped: Mapped, names: Sequence[str], refused: list[Problem]) -> None:
        super().__init__(mapped.questions, names, refused)
        self._mapped = mapped
        self._rows: list[tuple[int, Row, str | None]] = []
        self._seen = 0

    def take(self, where: str, raw: Mapping[str, Any], own: str | None) -> None:
        """Remember a row, and the document that stands in it."""
        row = self.row(where, raw)
        if own is None and self._mapped.documents.source == self.columns.source and row.ok:
            row.refuse()  # its document was, and that is told
        if row.ok:
            self._rows.append((self._seen, row, own))
        self._seen += 1

    def asked(self, documents: Documents) -> tuple[list[Question], list[Problem]]:
        """All questions, and what was taken although it is doubtful. Raises BadInput."""
        corpus = Corpus({document.id: document for document in documents.kept()})
        told, ids, where = Told(documents.kept()), Ids(), Places(corpus)
        questions = []
        for number, row, own in self._rows:
            if question := self._question(row, own, f"row-{number:06d}", documents, told, ids, where):
                questions.append(question)
        return questions, where.notes

    def _question(
        self,
        row: Row,
        own: str | None,
        default: str,
        documents: Documents,
        told: Told,
        ids: Ids,
        where: Places,
    ) -> Question | None:
        fields = self.columns.fields
        id = row.id(fields["id"], default) if "id" in fields else default
        text = row.text(fields["question"])
        ids.check(id, row)
        more = told.question(self.more(row))
        if tags := self._tags(row):
            more["tags"] = tuple(dict.fromkeys((*tags, *more["tags"])))
        if "answer" in fields:
            more["answer"] = _answer(row, fields["answer"]) or more["answer"]
        evidence = Finder(self._mapped, row, own, documents.by_id, where).entries() if row.ok else ()
        return Question(id, text, evidence, **more) if row.ok else None

    def _tags(self, row: Row) -> list[str]:
        found: list[str] = []
        for path in self.columns.tags:
            value = row.content[path]
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and one.strip():
                    found.append(one)
                elif one not in (None, ""):
                    row.problem(f"{brief(path)} is {shown(one)}, not text")
        return found


def _answer(row: Row, path: str) -> str:
    value = row.content[path]
    first = next(iter(value), None) if isinstance(value, list) else value
    if first is None:
        return ""
    if not isinstance(first, str):
        row.problem(f"{brief(path)} is {shown(first)}, not text")
        return ""
    return first.strip()


def _strange(value: Any) -> str:
    """The kind of a value that JSON could not hold; empty where it could hold all of it."""
    if isinstance(value, list):
        return next(filter(None, map(_strange, value)), "")
    if isinstance(value, Mapping):
        return next(filter(None, map(_strange, value.values())), "")
    return "" if value is None or isinstance(value, str | int | float) else type(value).__name__


def _dated(value: Any) -> Any:
    """Dates of metadata as text."""
    if isinstance(value, list):
        return [_dated(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _dated(one) for key, one in value.items()}
    return value.isoformat() if isinstance(value, date | time) else value


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
