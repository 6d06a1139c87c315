"""What a card claims of questions, kept true when one is added; the rest of the card stays, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evaluation.gold.card import checksum as checksum_of
from evaluation.gold.card import read_card
from evaluation.gold.documents import read_folder
from evaluation.gold.loading import CARD, DOCUMENTS, QUESTIONS
from evaluation.gold.writing import replace_file
from strategies.errors import Problem

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """The counts and the checksum of a card, as they were before questions were added."""

    folder: Path
    text: str
    """The card as written; empty where it cannot be read."""
    counts: Mapping[str, int]
    checksum: str | None
    checksum_holds: bool
    """Whether the files gave that checksum."""


def claims(folder: Path) -> Claims:
    """What the card of a set claims now."""
    try:
        text = (folder / CARD).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return Claims(folder, "", {}, None, False)
    card, _ = read_card(text.removeprefix("\ufeff"), CARD)
    holds = card.checksum is not None and card.checksum == _checksum(folder)
    return Claims(folder, text, card.counts, card.checksum, holds)


def bring_up_to_date(before: Claims, questions: int, evidence_spans: int) -> list[Problem]:
    """Write the card anew after so many more questions and spans; says which claims could not be renewed.

    Counts grow by what was added, and a checksum is renewed if it held: what was wrong before stays so.
    """
    more = {"questions": questions, "evidence_spans": evidence_spans}
    values: dict[Key, int | str] = {
        ("counts", name): before.counts[name] + added for name, added in more.items() if name in before.counts
    }
    problems: list[Problem] = []
    if before.checksum_holds:
        values["checksum",] = _checksum(before.folder)
    elif before.checksum is not None:
        what = "checksum was wrong before the question was added, and was left as it is"
        problems.append(Problem(CARD, what, "chunksweep gold check says the right one"))
    if not values:
        return problems
    text = replaced(before.text, values)
    if text is None:
        wanted = ", ".join(f"{'.'.join(key)}: {value}" for key, value in values.items())
        return [*problems, Problem(CARD, "could not be brought up to date", f"Write {wanted}")]
    replace_file(before.folder / CARD, text)
    return problems


def replaced(text: str, values: Mapping[Key, int | str]) -> str | None:
    """A card's text with other values at some of its keys; None where they cannot be put in their places.

    >>> replaced("name: a  # mine\\ncounts: {questions: 7}\\n", {("counts", "questions"): 8})
    'name: a  # mine\\ncounts: {questions: 8}\\n'
    """
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    edits = []
    for key, value in values.items():
        node = _node(root, key)
        if node is None or node.style not in (None, "'", '"'):
            return None
        quote = node.style or ""
        edits.append((node.start_mark.index, node.end_mark.index, f"{quote}{value}{quote}"))
    changed = text
    for start, end, written in sorted(edits, reverse=True):
        changed = changed[:start] + written + changed[end:]
    return changed if _says(changed, text, values) else None


def _node(node: yaml.Node | None, key: Key) -> yaml.ScalarNode | None:
    for name in key:
        if not isinstance(node, yaml.MappingNode):
            return None
        node = next((value for found, value in node.value if found.value == name), None)
    return node if isinstance(node, yaml.ScalarNode) else None


def _says(changed: str, text: str, values: Mapping[Key, int | str]) -> bool:
    """Whether the changed card says what the old one says, but for these values."""
    card, problems = read_card(changed.removeprefix("\ufeff"), CARD)
    old, same = read_card(text.removeprefix("\ufeff"), CARD)
    wanted: dict[str, Any] = dict(old.raw)
    for key, value in values.items():
        if len(key) == 1:
            wanted[key[0]] = value
        else:
            wanted[key[0]] = {**wanted[key[0]], key[1]: value}
    return dict(card.raw) == wanted and len(problems) == len(same)


def _checksum(folder: Path) -> str:
    path = folder / QUESTIONS
    questions = path.read_bytes() if os.path.isfile(path) else b""
    files, _ = read_folder(folder / DOCUMENTS)
    return checksum_of([(QUESTIONS, questions), *((f"{DOCUMENTS}/{file.id}", file.data) for file in files)])
