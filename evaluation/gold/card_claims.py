"""What a card claims of questions, kept true when they change; the rest of the card stays, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml

from evaluation.gold.card import checksum, read_card
from evaluation.gold.changing import written_beside
from evaluation.gold.documents import read_folder
from evaluation.gold.loading import CARD, DOCUMENTS, QUESTIONS
from strategies.errors import Problem

Key = tuple[str, ...]


def replace_questions(
    folder: Path, old: str, new: str, *, questions: int = 0, evidence_spans: int = 0
) -> list[Problem]:
    """Put `new` in the place of `old`, with so many more questions and spans; the claims that are not kept.

    To be called where the set is locked. Both files are on disk before the first is put in its place.
    Raises OSError where nothing could be written.
    """
    with ExitStack() as files:
        card, notes = after(folder, old, new, {"questions": questions, "evidence_spans": evidence_spans})
        put_questions = files.enter_context(written_beside(folder / QUESTIONS, new))
        put_card = files.enter_context(written_beside(folder / CARD, card)) if card else None
        put_questions()
        try:
            if put_card:
                put_card()
        except OSError as error:  # the questions are saved
            what = f"could not be brought up to date ({error.strerror or error})"
            notes.append(Problem(CARD, what, "chunksweep gold check says what it should claim"))
    return notes


def after(folder: Path, old: str, new: str, more: Mapping[str, int]) -> tuple[str, list[Problem]]:
    """The card's text when `questions.jsonl` goes from `old` to `new`, which adds so much to its counts.

    Empty where the card stays as it is. Says also which claims cannot be renewed: counts grow by what is
    added, and a checksum is renewed if it held; what was wrong before stays so.
    """
    try:
        text = (folder / CARD).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return "", []
    card, _ = read_card(text.removeprefix("\ufeff"), CARD)
    values: dict[Key, int | str] = {
        ("counts", name): card.counts[name] + added
        for name, added in more.items()
        if added and name in card.counts
    }
    problems: list[Problem] = []
    if card.checksum is not None:
        files, _ = read_folder(folder / DOCUMENTS)
        documents = [(f"{DOCUMENTS}/{file.id}", file.data) for file in files]
        if card.checksum == checksum([(QUESTIONS, old.encode()), *documents]):
            values["checksum",] = checksum([(QUESTIONS, new.encode()), *documents])
        else:
            what = "checksum was wrong before this change, and was left as it is"
            problems.append(Problem(CARD, what, "chunksweep gold check says the right one"))
    if not values:
        return "", problems
    changed = replaced(text, values)
    if changed is None:
        wanted = ", ".join(f"{'.'.join(key)}: {value}" for key, value in values.items())
        return "", [*problems, Problem(CARD, "could not be brought up to date", f"Write {wanted}")]
    return changed, problems


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
