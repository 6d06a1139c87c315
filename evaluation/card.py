"""`card.yaml`: what a data set says about itself, and whether that is true."""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.question_form import HALF_PAIR, is_scalar, is_unicode
from strategies.document import Scalar
from strategies.errors import Problem, brief, nearest

TEXT_KEYS = ("name", "version", "licence", "language", "description", "how_made", "checksum")
CARD_KEYS = (*TEXT_KEYS, "counts", "documents")
DOCUMENT_COUNTS = ("documents", "characters", "cl100k_tokens")
QUESTION_COUNTS = ("questions", "evidence_spans")
COUNTS = (*DOCUMENT_COUNTS, *QUESTION_COUNTS)
DOCUMENT_KEYS = ("media_type", "metadata")

MAX_NAME = 120
"""Characters of a name; no more fit into a table."""
MAX_VALUES = 1_000_000
"""Values of a card, one named by an anchor counted at every use: anchors of anchors grow without bound."""
MAX_DEPTH = 50
_LARGEST = 2**63 - 1


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

    remedy = "Write `key: value` lines; what YAML would read as something else goes in quotes, without a tag"
    try:
        raw = yaml.load(text, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}" if mark else where
        column = f"column {mark.column + 1}: " if mark else ""
        what = f"{column}is not YAML that can be used ({brief(str(error.problem))})"
        return Card(""), [Problem(place, what, remedy)]
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = f"is not YAML that can be used (the character {chr(error.character)!a})"
        return Card(""), [Problem(f"{where}:{line}", what, remedy)]
    except RecursionError:
        return Card(""), [Problem(where, "is not YAML that can be used (values nest without end)", remedy)]
    if not isinstance(raw, dict):
        return Card(""), [
            Problem(where, "is no list of keys and values", "Write at least `name: my-documents`")
        ]
    return _Reader(where).card(raw)


def _loader() -> Any:
    """A safe YAML loader whose every refusal has a line.

    It refuses a key that stands twice, where YAML would keep the last; anchors that multiply; and values
    that their tag, or Python, cannot make.
    """
    import yaml

    def refusal(what: str, node: yaml.Node) -> yaml.MarkedYAMLError:
        return yaml.MarkedYAMLError(None, None, what, node.start_mark)

    class Loader(yaml.SafeLoader):
        def get_single_node(self) -> yaml.Node | None:
            node = super().get_single_node()
            if node is not None:
                _check_size(node, refusal)
            return node

        def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
            try:
                value = super().construct_object(node, deep)
            except (yaml.YAMLError, RecursionError):
                raise
            except Exception as error:  # a tag's constructor fails as it likes on what does not suit it
                kind = node.tag.rpartition(":")[2]
                raise refusal(f"{_shown(node.value)} is no {kind}", node) from error
            if type(value) is int and abs(value) > _LARGEST:
                raise refusal("a number has too many digits", node)
            return value

        def construct_mapping(self, node: yaml.Node, deep: bool = False) -> dict[Any, Any]:
            if not isinstance(node, yaml.MappingNode):
                raise refusal(f"{_shown(node.value)} is no map", node)
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode):
                    if key.value in seen:
                        raise refusal(f"{_shown(key.value)} stands twice", key)
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    return Loader


def _check_size(root: Any, refusal: Callable[[str, Any], Exception]) -> None:
    """Refuse a tree of YAML nodes that is endless, too large or too deep, and texts that are no Unicode."""
    count, waiting = 0, [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        count += 1
        if count > MAX_VALUES or depth > MAX_DEPTH:
            raise refusal("anchors repeat or values nest without end", node)
        if isinstance(node.value, str):
            if not is_unicode(node.value):
                raise refusal(HALF_PAIR[0], node)
            continue
        for item in node.value:
            waiting.extend((part, depth + 1) for part in (item if isinstance(item, tuple) else (item,)))


def _shown(value: object) -> str:
    """A value in a message, its inner parts left out where it is long."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = short.maxlong = 60
    short.maxlevel = 3
    return brief(short.repr(value))


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
        if "name" not in texts:
            self.problem("name is missing", "Write `name: my-documents`")
        elif not self.is_name(texts["name"]):
            texts["name"] = ""
        documents = {
            str(path): self.document(entry, f"documents.{brief(str(path))}")
            for path, entry in self.mapping(raw.get("documents"), "documents").items()
        }
        counts = self.counts(self.mapping(raw.get("counts"), "counts"))
        return Card(texts.get("name", ""), texts.get("checksum"), counts, documents, raw), self.problems

    def known(self, found: dict[Any, Any], known: tuple[str, ...], where: str) -> None:
        for key in found:
            if key not in known:
                self.problem(f"{where}{brief(str(key))} is not a known key", nearest(str(key), known))

    def mapping(self, value: object, key: str) -> dict[Any, Any]:
        if value is None or isinstance(value, dict):
            return value or {}
        self.problem(f"{key} is {_shown(value)}", "Write keys and values below it")
        return {}

    def text(self, value: object, key: str) -> str:
        if isinstance(value, str) and value.strip():
            return value
        remedy = "Write text" if isinstance(value, str | dict | list) else f'Quote it: {key}: "..."'
        self.problem(f"{key} is {_shown(value)}, not text", remedy)
        return ""

    def is_name(self, name: str) -> bool:
        """Whether a name fits on one line of a terminal."""
        if not name.isprintable():
            self.problem(f"name is {_shown(name)}", "Remove line breaks and control characters")
        elif len(name) > MAX_NAME:
            self.problem(f"name is {len(name)} characters long", f"Use at most {MAX_NAME}")
        else:
            return True
        return False

    def counts(self, raw: dict[Any, Any]) -> dict[str, int]:
        self.known(raw, COUNTS, "counts.")
        for key, value in raw.items():
            if type(value) is not int:
                self.problem(
                    f"counts.{brief(str(key))} is {_shown(value)}", "Write a whole number, or leave it out"
                )
        return {key: value for key, value in raw.items() if type(value) is int}

    def document(self, raw: object, where: str) -> DocumentCard:
        entry = self.mapping(raw, where)
        self.known(entry, DOCUMENT_KEYS, f"{where}.")
        media_type = entry.get("media_type")
        if media_type is not None:
            media_type = self.text(media_type, f"{where}.media_type") or None
        metadata: dict[str, Scalar] = {}
        for key, value in self.mapping(entry.get("metadata"), f"{where}.metadata").items():
            name = brief(str(key))
            if not isinstance(key, str):
                self.problem(f"{where}.metadata.{name} has a key that is not text", f'Quote it: "{name}"')
            elif not is_scalar(value):
                remedy = "Write one text, number or truth value; a date goes in quotes"
                self.problem(f"{where}.metadata.{name} is {_shown(value)}", remedy)
            else:
                metadata[key] = value
        return DocumentCard(media_type, metadata)
