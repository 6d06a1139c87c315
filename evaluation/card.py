"""`card.yaml`: what a data set says about itself, and whether that is true."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.question_form import is_scalar
from strategies.document import Scalar
from strategies.errors import Problem, nearest

TEXT_KEYS = ("name", "version", "licence", "language", "description", "how_made", "checksum")
CARD_KEYS = (*TEXT_KEYS, "counts", "documents")
DOCUMENT_COUNTS = ("documents", "characters", "cl100k_tokens")
QUESTION_COUNTS = ("questions", "evidence_spans")
COUNTS = (*DOCUMENT_COUNTS, *QUESTION_COUNTS)
DOCUMENT_KEYS = ("media_type", "metadata")


@dataclass(frozen=True, slots=True)
class DocumentCard:
    """What the card says about one document."""

    media_type: str | None = None
    """None: as its suffix says."""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Card:
    """A data set's own description; only its name is required."""

    name: str
    checksum: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, DocumentCard] = field(default_factory=dict)
    raw: Mapping[str, object] = field(default_factory=dict)
    """The whole card as written."""


def checksum(files: Iterable[tuple[str, bytes]]) -> str:
    """`sha256:` and the SHA-256 of the text `sha256sum` prints for the files, sorted by path.

    `files` are pairs of a path relative to the data set's folder, and the file's bytes.
    """
    lines = (f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, data in sorted(files))
    return "sha256:" + hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()


def check_counts(card: Card, counted: Mapping[str, int], where: str) -> list[Problem]:
    """A problem for each count of the card that is not what was counted, of those that were counted."""
    return [
        Problem(
            where,
            f"counts.{name} is {card.counts[name]}, but the files hold {counted[name]}",
            f"Write {counted[name]}",
        )
        for name in COUNTS
        if name in card.counts and name in counted and card.counts[name] != counted[name]
    ]


def read_card(text: str, where: str) -> tuple[Card, list[Problem]]:
    """The card in a YAML text, and every problem with it; `where` is the file's name for people."""
    import yaml

    try:
        raw = yaml.load(text, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}" if mark else where
        column = f"column {mark.column + 1}: " if mark else ""
        return Card(""), [Problem(place, f"{column}is not YAML ({error.problem})")]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Card(""), [Problem(where, f"is not YAML ({str(error).splitlines()[0]})")]
    if not isinstance(raw, dict):
        return Card(""), [
            Problem(where, "is no list of keys and values", "Write at least `name: my-documents`")
        ]
    return _Reader(where).card(raw)


def _loader() -> Any:
    """A safe YAML loader that refuses a key that stands twice, where YAML would keep the last."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        raise yaml.constructor.ConstructorError(
                            None, None, f"{key.value!r} stands twice", key.start_mark
                        )
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    return Loader


class _Reader:
    """Checks a parsed card, key by key."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[Problem] = []

    def problem(self, what: str, remedy: str) -> None:
        self.problems.append(Problem(self.where, what, remedy))

    def card(self, raw: dict[Any, Any]) -> tuple[Card, list[Problem]]:
        self.known(raw, CARD_KEYS, "")
        texts = {key: self.text(raw[key], key) for key in TEXT_KEYS if raw.get(key) is not None}
        if not texts.get("name") and "name" not in texts:
            self.problem("name is missing", "Write `name: my-documents`")
        documents = {
            str(path): self.document(entry, f"documents.{path}")
            for path, entry in self.mapping(raw.get("documents"), "documents").items()
        }
        counts = self.counts(self.mapping(raw.get("counts"), "counts"))
        return Card(texts.get("name", ""), texts.get("checksum"), counts, documents, raw), self.problems

    def known(self, found: dict[Any, Any], known: tuple[str, ...], where: str) -> None:
        for key in found:
            if key not in known:
                self.problem(f"{where}{key} is not a known key", nearest(str(key), known))

    def mapping(self, value: object, key: str) -> dict[Any, Any]:
        if value is None or isinstance(value, dict):
            return value or {}
        self.problem(f"{key} is {value!r}", "Write keys and values below it")
        return {}

    def text(self, value: object, key: str) -> str:
        if isinstance(value, str) and value.strip():
            return value
        remedy = "Write text" if isinstance(value, str | dict | list) else f'Quote it: {key}: "..."'
        self.problem(f"{key} is {value!r}, not text", remedy)
        return ""

    def counts(self, raw: dict[Any, Any]) -> dict[str, int]:
        self.known(raw, COUNTS, "counts.")
        for key, value in raw.items():
            if type(value) is not int:
                self.problem(f"counts.{key} is {value!r}", "Write a whole number, or leave it out")
        return {key: value for key, value in raw.items() if type(value) is int}

    def document(self, raw: object, where: str) -> DocumentCard:
        entry = self.mapping(raw, where)
        self.known(entry, DOCUMENT_KEYS, f"{where}.")
        media_type = entry.get("media_type")
        if media_type is not None:
            media_type = self.text(media_type, f"{where}.media_type") or None
        metadata: dict[str, Scalar] = {}
        for key, value in self.mapping(entry.get("metadata"), f"{where}.metadata").items():
            if not isinstance(key, str):
                self.problem(f"{where}.metadata.{key} has a key that is not text", f'Quote it: "{key}"')
            elif not is_scalar(value):
                remedy = "Write one text, number or truth value; a date goes in quotes"
                self.problem(f"{where}.metadata.{key} is {value!r}", remedy)
            else:
                metadata[key] = value
        return DocumentCard(media_type, metadata)
