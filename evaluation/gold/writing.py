"""A gold set to files, so that reading them gives the same set: `load(write_gold(...))` has its digest.

Files appear whole or not at all: they are written beside their place and moved there.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from evaluation.gold.card import read_card
from evaluation.gold.changing import naming, umask
from evaluation.gold.documents import media_type
from evaluation.gold.loading import CARD, DOCUMENTS, QUESTIONS
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.sidecars import SIDECAR_KEYS, SUFFIX
from evaluation.gold.unwritable import in_front, problems
from evaluation.yaml_reading import PLAIN_VALUES
from strategies.document import Document, Mark
from strategies.errors import BadInput, refuse

_SHOWN_QUOTE = 2000
"""Characters of evidence that are written as a quote beside its range; longer evidence is a range alone."""


def write_gold(folder: Path, gold: GoldSet, card: Mapping[str, object] | None = None) -> None:
    """Write a whole set into a folder that is not there, or empty.

    `card` is what `card.yaml` says beside `name` and, where a document's metadata need it, `documents`.
    Raises BadInput where the folder is neither, and with everything that cannot be written.
    """
    said = {document.id: described(document) for document in gold.documents}
    on_card = {name: {"metadata": listed} for name, (_, listed) in said.items() if listed}
    content = yaml_text({"name": gold.name, **(card or {}), **({"documents": on_card} if on_card else {})})
    wrong = problems(gold, {name: bool(beside) for name, (beside, _) in said.items()})
    if wrong := wrong or read_card(content, CARD)[1]:
        raise BadInput(wrong)
    with new_folder(folder) as place:
        for document in gold.documents:
            path = place / DOCUMENTS / document.id
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text_bytes(document.text))
            if beside := said[document.id][0]:
                (path.parent / f"{path.name}{SUFFIX}").write_text(yaml_text(beside), "utf-8", newline="\n")
        texts = {document.id: document for document in gold.documents}
        with (place / QUESTIONS).open("w", encoding="utf-8", newline="\n") as lines:
            lines.writelines(question_line(question, texts) for question in gold.questions)
        (place / CARD).write_text(content, "utf-8", newline="\n")


def text_bytes(text: str) -> bytes:
    """A document's text as the bytes of its file: a first U+FEFF would else be read as a byte-order mark."""
    return f"\ufeff{text}".encode() if text.startswith("\ufeff") else text.encode()


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill, that becomes `folder` when all went well and vanishes when not. Raises BadInput.

    A folder that is there already, and empty, is filled, since somebody may stand in it.
    """
    real = Path(os.path.realpath(folder))
    there = real.exists()
    if there and (not real.is_dir() or any(real.iterdir())):
        raise refuse(str(folder), "is there already", "Name a folder that is not there, or is empty")
    new = [parent for parent in real.parents if not parent.exists()]
    place = None
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=f".{real.name}-", dir=real if there else real.parent))
        place.chmod(0o777 & ~umask())  # a temporary folder is closed to others
        with naming(folder):
            yield place
        if there:
            _move_into(real, place)
        else:
            place.replace(real)
    finally:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
        for parent in new:  # those that hold the new folder stay
            with suppress(OSError):
                parent.rmdir()


def _move_into(folder: Path, place: Path) -> None:
    """Move what a folder holds into another, all or nothing; the card last, which makes a set of it."""
    names = sorted((entry.name for entry in place.iterdir()), key=lambda name: name == CARD)
    try:
        for name in names:
            (place / name).replace(folder / name)
    except BaseException:
        for name in names:
            with suppress(FileNotFoundError):
                (folder / name).replace(place / name)
        raise


def question_line(question: Question, documents: Mapping[str, Document]) -> str:
    """One line of `questions.jsonl`, its line end included: ranges, and the words that stand there."""
    row: dict[str, Any] = {
        "id": question.id,
        "question": question.text,
        "evidence": [_entry(entry, documents) for entry in question.evidence],
        "tags": list(question.tags),
        "filter": dict(question.filter),
        "answer": question.answer,
        "synthetic": question.synthetic,
    }
    kept = {key: value for key, value in row.items() if value or key == "evidence"}
    return json.dumps(kept, ensure_ascii=False, allow_nan=False) + "\n"


def _entry(entry: Evidence, documents: Mapping[str, Document]) -> dict[str, Any]:
    first, *others = (_anchor(passage, documents) for passage in entry.passages)
    return {**first, "alternatives": others} if others else first


def _anchor(passage: Passage, documents: Mapping[str, Document]) -> dict[str, Any]:
    anchor: dict[str, Any] = {"document": passage.document, "start": passage.start, "end": passage.end}
    if passage.end - passage.start <= _SHOWN_QUOTE:
        anchor["quote"] = documents[passage.document].text[passage.start : passage.end]
    return anchor


def described(document: Document) -> tuple[dict[str, object], dict[str, object]]:
    """What a sidecar must say about a document, and what only the card can: both empty where nothing is.

    The card holds metadata that are called like a key of sidecars which is no metadata.
    """
    beside: dict[str, object] = {}
    if document.media_type != media_type(document.id):
        beside["media_type"] = document.media_type
    for kind in ("page", "heading"):
        if marks := [_mark(mark) for mark in document.marks if mark.kind == kind]:
            beside[f"{kind}s"] = marks
    inside = in_front(document)
    # 1, 1.0 and true are equal, and three values all the same.
    own = {
        name: value
        for name, value in document.metadata.items()
        if name not in inside or (type(value), value) != (type(inside[name]), inside[name])
    }
    clashing = own.keys() & {*SIDECAR_KEYS, "metadata"}
    beside.update((name, own[name]) for name in own if name not in clashing)
    return beside, {name: own[name] for name in own if name in clashing}


def _mark(mark: Mark) -> dict[str, object]:
    shown: dict[str, object] = {"start": mark.start, "label": mark.label}
    return shown if mark.kind == "page" else {**shown, "level": mark.level}


def yaml_text(content: Mapping[str, object]) -> str:
    """A map as YAML that `parse_yaml` reads back as it was.

    >>> print(yaml_text({"name": "house", "year": "2024", "tags": ["a", 1]}), end="")
    name: house
    year: '2024'
    tags: [a, 1]
    """
    text: str = yaml.dump(
        dict(content), Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=None
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Writes what is read back by the rules of `parse_yaml`, whose plain values are not PyYAML's."""

    yaml_implicit_resolvers: dict[str, Any] = {  # noqa: RUF012  the name and form are PyYAML's
        first: [*yaml.SafeDumper.yaml_implicit_resolvers.get(first, []), *PLAIN_VALUES.get(first, [])]
        for first in {*yaml.SafeDumper.yaml_implicit_resolvers, *PLAIN_VALUES}
    }

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _float(dumper: yaml.SafeDumper, value: float) -> yaml.Node:
    digits = format(Decimal(repr(value)), "f")  # an exponent would be read as text
    plain = digits if "." in digits else f"{digits}.0"
    return dumper.represent_scalar("tag:yaml.org,2002:float", plain)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    # In other quotes PyYAML folds line breaks and blanks in ways that are not read back.
    plain = value.isprintable() and value == value.strip()
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else '"')


_Dumper.add_representer(float, _float)
_Dumper.add_representer(str, _text)
