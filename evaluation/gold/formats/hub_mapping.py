"""The card of a Hugging Face data set: which of its columns are a gold set's documents and questions.

source: {dataset: ./tickets, split: train}
documents: {id: title, text: context}
questions: {id: id, question: question, evidence: answers.text, start: answers.answer_start, several: any}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from evaluation.gold.card import MAX_NAME
from evaluation.gold.metadata import shown
from evaluation.yaml_reading import Key, Yaml, read_yaml
from strategies.errors import BadInput, Problem, brief, nearest

KEYS = ("name", "source", "documents", "questions")
SOURCE_KEYS = ("dataset", "config", "split", "revision", "streaming", "limit")
DOCUMENT_FIELDS = ("id", "text", "more")
QUESTION_FIELDS = ("id", "question", "document", "evidence", "start", "end", "answer", "more")
DOCUMENT_KEYS = ("source", *DOCUMENT_FIELDS, "metadata")
QUESTION_KEYS = ("source", *QUESTION_FIELDS, "tags", "several")

_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows come from."""

    dataset: str
    """`org/name` on the hub, or a path that begins with a dot, a slash or a tilde."""
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    """The hash of a commit."""
    streaming: bool = True
    limit: int | None = None
    """Rows beyond are not read."""

    @property
    def is_local(self) -> bool:
        """Whether it is a file or folder of this machine."""
        return self.dataset.startswith((".", "/", "~"))

    def told(self) -> str:
        """What its card must say, for another day: commit, configuration, split, and a limit."""
        parts = [brief(self.dataset), self.config and brief(self.config), self.split and brief(self.split)]
        said = " ".join(filter(None, [*parts, self.revision and f"at {self.revision}"]))
        return f"{said}, at most {self.limit:,} rows" if self.limit else said


@dataclass(frozen=True, slots=True)
class Columns:
    """What of a row is taken: the paths of its fields, by what they become."""

    source: Source
    key: str
    """`documents` or `questions`."""
    fields: Mapping[str, str]
    several: Literal["all", "any"] | None = None
    """What a list of evidence means."""
    metadata: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def paths(self) -> Iterator[tuple[str, str]]:
        """Each path, and the key that names it."""
        yield from ((path, key) for key, path in self.fields.items())
        yield from ((path, "metadata") for path in self.metadata)
        yield from ((path, "tags") for path in self.tags)


@dataclass(frozen=True, slots=True)
class Mapped:
    """A card that was read."""

    yaml: Yaml
    name: str
    documents: Columns
    questions: Columns

    def as_json(self) -> str:
        """The card but for its name, on one line that is YAML, too."""
        said = {key: value for key, value in self.yaml.content.items() if key != "name"}
        text = json.dumps(said, ensure_ascii=False)
        return text if text.isprintable() else json.dumps(said)


def read_mapping(path: Path, where: str) -> Mapped:
    """The card at a path. Raises BadInput with all that is wrong with it."""
    yaml = read_yaml(path, where)
    if not isinstance(yaml.content, dict):
        raise BadInput([Problem(where, "is no map of keys and values", "Write source, documents, questions")])
    reader = _Reader(yaml)
    found = reader.mapped(yaml.content)
    if found is None or reader.problems:
        raise BadInput(reader.problems)
    return found


class _Reader:
    def __init__(self, yaml: Yaml) -> None:
        self.yaml = yaml
        self.problems: list[Problem] = []

    def problem(self, key: Key, what: str, remedy: str = "") -> None:
        name = ".".join(brief(str(part)) for part in key)
        self.problems.append(Problem(self.yaml.where(key), f"{name} {what}", remedy))

    def mapped(self, raw: dict[str, Any]) -> Mapped | None:
        self.known(raw, KEYS, ())
        name = self.text(raw, "name", ()) or ""
        if len(name) > MAX_NAME or not name.isprintable():
            self.problem(("name",), f"is {brief(name)}", f"Write one line of at most {MAX_NAME} characters")
        whole = self.source(raw.get("source"), ("source",))
        documents = self.columns(raw, "documents", whole)
        questions = self.columns(raw, "questions", whole)
        if documents is None or questions is None:
            return None
        if "start" in questions.fields and "document" not in questions.fields and not self.together(raw):
            self.problem(("questions",), "has no document", "Offsets count in one: name the field of its id")
        return Mapped(self.yaml, name, documents, questions)

    def together(self, raw: dict[str, Any]) -> bool:
        """Whether documents and questions are of the same rows."""
        return not any(
            isinstance(raw[key], dict) and raw[key].get("source") for key in ("documents", "questions")
        )

    def columns(self, raw: dict[str, Any], key: str, whole: Source | None) -> Columns | None:
        part = raw.get(key)
        if not isinstance(part, dict):
            what = "is missing" if part is None else f"is {shown(part)}"
            self.problem((key,), what, "Write what becomes of which field: {id: title, text: context}")
            return None
        of_documents = key == "documents"
        self.known(part, DOCUMENT_KEYS if of_documents else QUESTION_KEYS, (key,))
        names = DOCUMENT_FIELDS if of_documents else QUESTION_FIELDS
        found = {name: self.text(part, name, (key,)) for name in names}
        fields = {name: path for name, path in found.items() if path is not None}
        if part.get("text" if of_documents else "question") is None:
            self.problem(
                (key,), f"has no {'text' if of_documents else 'question'}", "Name the field that it is in"
            )
        if "end" in fields and "start" not in fields:
            self.problem((key, "end"), "stands without start", "Name both fields, or neither")
        if "start" in fields and not {"end", "evidence"} & fields.keys():
            self.problem(
                (key, "start"), "stands alone", "Name the field of its end, or that of its words: evidence"
            )
        several = part.get("several")
        if several not in (None, "all", "any"):
            remedy = "Write all where every one of a list is needed, any where one will do"
            self.problem((key, "several"), f"is {shown(several)}", remedy)
        own = self.source(part["source"], (key, "source")) if part.get("source") is not None else whole
        if own is None:
            if part.get("source") is None and not self.problems:
                self.problem(
                    ("source",), "is missing", "Write source: {dataset: org/name or ./folder, split: train}"
                )
            return None
        metadata = self.texts(part, "metadata", key) if of_documents else ()
        tags = () if of_documents else self.texts(part, "tags", key)
        return Columns(own, key, fields, cast(Any, several), metadata, tags)

    def source(self, raw: object, key: Key) -> Source | None:
        if raw is None:
            return None
        if not isinstance(raw, dict):
            self.problem(key, f"is {shown(raw)}", "Write {dataset: org/name or ./folder, split: train}")
            return None
        self.known(raw, SOURCE_KEYS, key)
        dataset, config, split, revision = (self.text(raw, name, key) for name in SOURCE_KEYS[:4])
        streaming, limit = raw.get("streaming"), raw.get("limit")
        if streaming is not None and not isinstance(streaming, bool):
            self.problem((*key, "streaming"), f"is {shown(streaming)}", "Write true or false")
        if limit is not None and not (type(limit) is int and limit > 0):
            self.problem((*key, "limit"), f"is {shown(limit)}", "Write the number of rows that are read")
        if dataset is None:
            if raw.get("dataset") is None:
                self.problem(key, "has no dataset", "Write org/name for the hub, or ./folder")
            return None
        found = Source(dataset, config, split, revision, streaming is not False, limit)
        if found.is_local:
            for name in ("config", "revision"):
                if raw.get(name) is not None:
                    self.problem((*key, name), "is for the hub", "Leave it out of a folder's")
        else:
            self.pinned(found, key)
        return found

    def pinned(self, source: Source, key: Key) -> None:
        """What a set of the hub must say, so that another day reads the same."""
        page = f"https://huggingface.co/datasets/{source.dataset}/commits/main"
        if source.revision is None or not _COMMIT.fullmatch(source.revision):
            said = "is missing" if source.revision is None else f"is {brief(source.revision)}, which may move"
            remedy = f"Copy the hash of a commit, 40 characters, from {page}"
            self.problem((*key, "revision"), f"{said}: a set of the hub may change", remedy)
        if source.split is None:
            self.problem((*key, "split"), "is missing", "Write which rows: train, validation or test, mostly")

    def known(self, raw: dict[str, Any], known: tuple[str, ...], key: Key) -> None:
        for name in raw:
            if name not in known:
                self.problem((*key, name), "is not a known key", nearest(name, known))

    def text(self, raw: dict[str, Any], name: str, key: Key) -> str | None:
        value = raw.get(name)
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        self.problem((*key, name), f"is {shown(value)}, not text", f'Quote it: {name}: "..."')
        return None

    def texts(self, raw: dict[str, Any], name: str, key: str) -> tuple[str, ...]:
        value = raw.get(name)
        many = [value] if isinstance(value, str) else value
        if many is None:
            return ()
        if isinstance(many, list) and all(isinstance(one, str) and one.strip() for one in many):
            return tuple(dict.fromkeys(many))
        self.problem((key, name), f"is {shown(value)}", "Write the names of fields: [topic, team]")
        return ()
