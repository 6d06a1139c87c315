"""A foreign set to a native one, and back: what the commands `gold import` and `gold export` do."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.gold.card import MAX_NAME
from evaluation.gold.formats import FORMATS
from evaluation.gold.formats.format import Fitted, Format, Imported
from evaluation.gold.nouns import GoldSet
from evaluation.gold.writing import write_gold
from strategies.errors import BadInput, Problem, brief, nearest, refuse
from strategies.parameters import made


@dataclass(frozen=True, slots=True)
class Converted:
    """A set that was converted, and what of it was not."""

    gold: GoldSet
    refused: tuple[Problem, ...]
    """Rows, or files, that were left out or that stand in the way."""
    notes: tuple[Problem, ...]
    """What a user should know of the rest."""
    written: bool
    """Nothing is written where something is refused, unless it may be left out."""

    @property
    def left_out(self) -> int:
        """Rows and files that are refused; several things may be wrong with one."""
        return len({problem.where for problem in self.refused})


def format_of(name: str, values: Mapping[str, object]) -> Format:
    """A format by its name, with what a user chose. Raises BadInput."""
    if name not in FORMATS:
        raise refuse("format", f"{brief(repr(name))} is not known", nearest(name, FORMATS))
    return made(FORMATS[name], values, name)


def import_set(
    format: Format, path: Path, folder: Path, *, name: str | None = None, skip_bad: bool = False
) -> Converted:
    """Write the native set of a foreign one into a folder that is not there, or empty. Raises BadInput."""
    if not path.exists():
        raise refuse(brief(str(path)), "is not there", f"{format.name} is {format.layout}")
    if not (path.is_file() or path.is_dir()):  # a pipe is gone once it was read, and a device may never end
        raise refuse(brief(str(path)), "is not a regular file", "Save it as one")
    imported = format.read(path)
    own = name if name is not None else imported.named or _plain(path)
    notes = (*imported.notes, *([Problem(format.name, format.caution)] if format.caution else ()))
    outcome = Converted(
        replace(imported.gold, name=own), imported.refused, notes, skip_bad or not imported.refused
    )
    if outcome.written:
        write_gold(folder, outcome.gold, {"how_made": how_made(format, path, imported, outcome.left_out)})
    return outcome


def export_set(format: Format, gold: GoldSet, path: Path, *, skip_bad: bool = False) -> Converted:
    """Write a set as the files of a format, to a path where nothing is. Raises BadInput."""
    if path.exists():
        raise refuse(brief(str(path)), "is there already", "Name a path where nothing is")
    fitted: Fitted = format.fit(gold)
    outcome = Converted(fitted.gold, fitted.refused, fitted.lost, skip_bad or not fitted.refused)
    if outcome.written:
        if not fitted.gold.questions:
            raise BadInput([*fitted.refused, Problem("questions", f"{format.name} can hold none of them")])
        format.write(fitted.gold, path)
    return outcome


def how_made(format: Format, path: Path, imported: Imported, left_out: int) -> str:
    """What the card says: format, source, the SHA-256 of its files, and what was left out.

    Of several files it is that of what `sha256sum` prints for them, sorted by path.
    """
    source = brief(path.resolve().name)
    text = f"Imported from {format.name}: {source}, {_checksum(path, imported.files)}."
    if imported.origin:
        text += f" Read: {imported.origin}."
    if left_out:
        text += f" Left out {rows_or_files(left_out)} that could not be converted."
    return text


def rows_or_files(count: int) -> str:
    """So many of what may be refused, as in `1 row or file`."""
    return f"{count:,} {'row or file' if count == 1 else 'rows or files'}"


def _checksum(path: Path, files: tuple[Path, ...]) -> str:
    sums = {}
    folder = path if path.is_dir() else path.parent
    for file in files:
        with file.open("rb") as data:
            name = Path(os.path.relpath(file, folder)).as_posix()  # files may lie beside, or elsewhere
            sums[name] = hashlib.file_digest(data, "sha256").hexdigest()
    if len(sums) == 1:
        return f"sha256:{next(iter(sums.values()))}"
    lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    return f"{len(sums)} files, sha256:{hashlib.sha256(lines.encode('utf-8', 'surrogateescape')).hexdigest()}"


def _plain(path: Path) -> str:
    """A name for a set, of its source's."""
    name = path.resolve().stem if path.is_file() else path.resolve().name
    return brief(name, MAX_NAME).strip() or "imported"
