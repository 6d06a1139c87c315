"""A folder of files of all kinds to a gold set: documents, a card, and a place for the questions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from evaluation.gold.card import Card, read_card
from evaluation.gold.documents import skippable
from evaluation.gold.loading import CARD, DOCUMENTS, QUESTIONS
from evaluation.gold.readers import ALL, Reader
from evaluation.gold.reading_files import FileReading, Progress, Tally
from evaluation.gold.sidecars import is_sidecar
from evaluation.gold.sources import Html
from evaluation.gold.walking import find_files
from evaluation.gold.writing import new_folder, yaml_text
from strategies.errors import BadInput, Problem, brief, refuse

MAX_MB = 50.0
"""Largest file in MB, and most million characters of the texts made of one, if nothing else is asked for."""

WRITTEN_HERE = ("readers", "skipped")
"""Keys of a card that tell what was read."""
KNOWN_LATER = ("counts", "checksum")
"""Keys of a card that speak of a finished set."""


@dataclass(frozen=True, slots=True)
class NewSet:
    """What was written, for a report."""

    name: str
    readers: Mapping[Reader, Tally]
    """Those that had files."""
    skipped: Mapping[str, str]
    """Why files, sidecars among them, were left out, by their path."""
    notes: tuple[str, ...]
    """What a user may want to choose otherwise."""

    @property
    def documents(self) -> int:
        """How many there are."""
        return sum(tally.documents for tally in self.readers.values())

    def as_dict(self) -> dict[str, Any]:
        """The report as dicts, lists and scalars."""
        kinds = []
        for reader, tally in self.readers.items():
            library, version = reader.made_by()
            counts = {name: getattr(tally, name) for name in ("files", "documents", "characters", "skipped")}
            kinds.append({"reader": reader.name, "library": library, "version": version, **counts})
        return {
            "name": self.name,
            "documents": self.documents,
            "characters": sum(tally.characters for tally in self.readers.values()),
            "kinds": kinds,
            "skipped": dict(self.skipped),
            "notes": list(self.notes),
        }


def new_set(
    folder: Path,
    source: Path,
    *,
    card: Path | None = None,
    name: str = "",
    html: Html = "text",
    skip_bad: bool = False,
    max_mb: float = MAX_MB,
    progress: Progress = lambda done, total: None,
) -> NewSet:
    """Read every file below `source` and write the set `folder`, whole or not at all.

    `card` is a file that says what a card says, and may name sources; `name` goes before the name in it, and
    the folder's own is used where neither says one. Memory holds one file at a time. Raises BadInput with a
    verdict for each file that cannot be used; with `skip_bad` these are left out.
    """
    _check_places(folder, source)
    if not 0.001 <= max_mb <= 1e6:
        raise refuse("--max-mb", f"is {max_mb:.7g}", "Use a number from 0.001 to 1000000")
    where = str(card) if card else CARD
    content, told = _told(card, where, name, folder.resolve().name)
    with new_folder(folder) as place:
        found = list(find_files(source))
        reading = FileReading(place / DOCUMENTS, told, html, int(max_mb * 1e6))
        reading.read_all(found, progress)
        verdicts = [] if skip_bad else chain.from_iterable(reading.bad.values())
        bad = [skippable(problem) for problem in verdicts]
        paths = [one.id for one in found if not is_sidecar(one.id)]
        # A document on the card that comes of a bad file is no slip of the card.
        problems = [] if bad else reading.problems(where, paths)
        if bad or problems:
            raise BadInput([*problems, *bad])
        if not reading.documents:
            what = "holds no file that can be read" if reading.bad else "holds no file"
            raise refuse(str(source), what, "Name the folder of your documents")
        readers = {reader: reading.tallies[reader] for reader in ALL if reader in reading.tallies}
        skipped = {name: "; ".join(one.what for one in told) for name, told in reading.bad.items()}
        (place / CARD).write_text(_card_text(content, readers, skipped), "utf-8", newline="\n")
        (place / QUESTIONS).write_bytes(b"")
    return NewSet(told.name, readers, skipped, tuple(reading.notes()))


def _check_places(folder: Path, source: Path) -> None:
    if not os.path.isdir(source):
        what = "is a file" if os.path.isfile(source) else "is no folder"
        raise refuse(str(source), what, "Name the folder that holds your documents")
    inner, outer = os.path.realpath(folder), os.path.realpath(source)
    if inner == outer or inner.startswith(os.path.join(outer, "")):
        what = f"lies in {brief(str(source))}, the folder that is read"
        raise refuse(str(folder), what, "Name a folder for the set outside of it")
    if outer.startswith(os.path.join(inner, "")):
        what = f"holds {brief(str(source))}, the folder that is read"
        raise refuse(str(folder), what, "Name a new folder for the set")


def _told(card: Path | None, where: str, name: str, otherwise: str) -> tuple[dict[str, Any], Card]:
    """The content of the card for the new set, and the same checked. Raises BadInput."""
    raw: dict[str, Any] = {}
    if card:
        try:
            text = card.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise refuse(where, f"cannot be read ({error.strerror or error})", "Name a YAML file") from None
        except UnicodeDecodeError:
            raise refuse(where, "is not UTF-8", "Save it as UTF-8") from None
        read, problems = read_card(text, where, otherwise)
        raw = dict(read.raw)
        for key in KNOWN_LATER:
            if key in raw:
                what = f"{key} is known only when the set is done"
                problems.append(Problem(where, what, "Remove it here, and add it to the card of the set"))
        if problems:
            raise BadInput(problems)
    kept = {key: value for key, value in raw.items() if key not in (*WRITTEN_HERE, "name")}
    content = {"name": name or raw.get("name") or otherwise, **kept}
    checked, problems = read_card(yaml_text(content), "--name")
    if problems:
        where, remedy = ("--name", "") if name else (brief(otherwise), "Give the set another with --name")
        raise BadInput(Problem(where, problem.what, remedy or problem.remedy) for problem in problems)
    return content, checked


_FILL_IN = {
    "version": '"1"',
    "licence": "CC0-1.0",
    "language": "en",
    "description": "What these documents are.",
    "how_made": "Where they come from, and who asked the questions.",
}


def _card_text(
    content: Mapping[str, Any], readers: Mapping[Reader, Tally], skipped: Mapping[str, str]
) -> str:
    """The card as YAML, with what a user may fill in."""
    open_ = [f"# {key}: {example}" for key, example in _FILL_IN.items() if content.get(key) is None]
    told = {
        reader.name: {
            **dict(zip(("library", "version"), reader.made_by(), strict=True)),
            "files": tally.files,
        }
        for reader, tally in readers.items()
        if tally.files
    }
    made: dict[str, Any] = {"readers": told, **({"skipped": dict(skipped)} if skipped else {})}
    text = "\n" + yaml_text({**content, **made})
    at = text.index("\nreaders:") + 1  # at the left margin, where no value of another key can stand
    lines = ["# What this set is. Only the name is required.", text[1:at].rstrip("\n")]
    if open_:
        lines += ["# For people; remove the # of what you fill in:", *open_]
    lines += ["# Who read the files, and what was left out:", text[at:]]
    return "\n".join(lines)
