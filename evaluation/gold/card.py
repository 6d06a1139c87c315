"""`card.yaml`: what a data set says about itself, and whether that is true."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.gold.metadata import Description, flat, shown
from evaluation.gold.sources import Choice, read_sources
from evaluation.yaml_reading import Key, Yaml, parse_yaml
from strategies.errors import BadInput, Problem, brief, nearest

TEXT_KEYS = ("name", "version", "licence", "language", "description", "how_made", "checksum")
CARD_KEYS = (*TEXT_KEYS, "counts", "difficulty", "documents", "sources", "readers", "skipped")
DOCUMENT_COUNTS = ("documents", "characters", "cl100k_tokens")
QUESTION_COUNTS = ("questions", "evidence_spans")
COUNTS = (*DOCUMENT_COUNTS, *QUESTION_COUNTS)
READER_KEYS = ("library", "version", "files")
DOCUMENT_KEYS = ("media_type", "metadata")

MAX_NAME = 120
"""Characters of a name; no more fit into a table."""


@dataclass(frozen=True, slots=True)
class Card:
    """A data set's own description; only its name is required."""

    name: str
    checksum: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    documents: Mapping[str, Description] = field(default_factory=dict)
    sources: Mapping[str, Choice] = field(default_factory=dict)
    """How files were read of which the documents were made, by pattern of their paths."""
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


def read_card(text: str, where: str, name: str = "") -> tuple[Card, list[Problem]]:
    """The card in a YAML text, and every problem with it; `where` is the file's name for people.

    `name` is used where the card has none.
    """
    try:
        yaml = parse_yaml(text, where)
    except BadInput as error:
        return Card(""), list(error.problems)
    if not isinstance(yaml.content, dict):
        what = "is no map of keys and values"
        return Card(""), [Problem(where, what, "Write at least `name: my-documents`")]
    return _Reader(yaml).card(yaml.content, name)


class _Reader:
    """Checks a parsed card, key by key."""

    def __init__(self, yaml: Yaml) -> None:
        self.yaml = yaml
        self.problems: list[Problem] = []

    def problem(self, key: Key, what: str, remedy: str) -> None:
        """Note what is wrong with the value at a key; the message begins with the key."""
        name = ".".join(brief(str(part)) for part in key)
        self.problems.append(Problem(self.yaml.where(key), f"{name} {what}", remedy))

    def card(self, raw: dict[str, Any], name: str) -> tuple[Card, list[Problem]]:
        self.known(raw, CARD_KEYS, ())
        texts = {key: self.text(raw[key], (key,)) for key in TEXT_KEYS if raw.get(key) is not None}
        if name:
            texts.setdefault("name", name)
        if "name" not in texts:
            self.problems.append(Problem(self.yaml.file, "name is missing", "Write `name: my-documents`"))
        elif not self.is_name(texts["name"]):
            texts["name"] = ""
        documents = {
            path: self.document(entry, ("documents", path))
            for path, entry in self.mapping(raw.get("documents"), ("documents",)).items()
        }
        counts = self.counts(self.mapping(raw.get("counts"), ("counts",)))
        self.mapping(raw.get("difficulty"), ("difficulty",))  # for people: any keys and values
        sources = read_sources(self.mapping(raw.get("sources"), ("sources",)), ("sources",), self.problem)
        for reader, entry in self.mapping(raw.get("readers"), ("readers",)).items():
            self.reader(self.mapping(entry, ("readers", reader)), ("readers", reader))
        for path, why in self.mapping(raw.get("skipped"), ("skipped",)).items():
            self.text(why, ("skipped", path))
        checksum = texts.get("checksum")
        return Card(texts.get("name", ""), checksum, counts, documents, sources, raw), self.problems

    def known(self, found: dict[str, Any], known: tuple[str, ...], key: Key) -> None:
        for name in found:
            if name not in known:
                self.problem((*key, name), "is not a known key", nearest(name, known))

    def mapping(self, value: object, key: Key) -> dict[str, Any]:
        if value is None or isinstance(value, dict):
            return value or {}
        self.problem(key, f"is {shown(value)}", "Write keys and values below it")
        return {}

    def text(self, value: object, key: Key) -> str:
        if isinstance(value, str) and value.strip():
            return value
        remedy = "Write text" if isinstance(value, str | dict | list) else f'Quote it: {key[-1]}: "..."'
        self.problem(key, f"is {shown(value)}, not text", remedy)
        return ""

    def is_name(self, name: str) -> bool:
        """Whether a name fits on one line of a terminal."""
        if not name.isprintable():
            self.problem(("name",), f"is {shown(name)}", "Remove line breaks and control characters")
        elif len(name) > MAX_NAME:
            self.problem(("name",), f"is {len(name)} characters long", f"Use at most {MAX_NAME}")
        else:
            return True
        return False

    def counts(self, raw: dict[str, Any]) -> dict[str, int]:
        self.known(raw, COUNTS, ("counts",))
        for key, value in raw.items():
            if type(value) is not int:
                self.problem(("counts", key), f"is {shown(value)}", "Write a whole number, or leave it out")
        return {key: value for key, value in raw.items() if type(value) is int}

    def reader(self, raw: dict[str, Any], key: Key) -> None:
        self.known(raw, READER_KEYS, key)
        for name in READER_KEYS:
            if name not in raw:
                self.problem(key, f"has no {name}", "Leave it as chunksweep gold new wrote it")
            elif name != "files":
                self.text(raw[name], (*key, name))
            elif type(raw[name]) is not int:
                self.problem((*key, name), f"is {shown(raw[name])}", "Write a whole number")

    def document(self, raw: object, key: Key) -> Description:
        entry = self.mapping(raw, key)
        self.known(entry, DOCUMENT_KEYS, key)
        media_type = entry.get("media_type")
        if media_type is not None:
            media_type = self.text(media_type, (*key, "media_type")) or None
        place = (*key, "metadata")
        metadata, problems = flat(self.mapping(entry.get("metadata"), place), self.yaml.where, place)
        self.problems += problems
        return Description(media_type, metadata)
