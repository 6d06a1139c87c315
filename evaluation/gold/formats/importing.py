"""A foreign set to a native one, and back: what the commands `gold import` and `gold export` do."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.gold.card import MAX_NAME
from evaluation.gold.formats import FORMATS
from evaluation.gold.formats.format import Fitted, Format, Imported, gold_set
from evaluation.gold.loading import CARD, DOCUMENTS, QUESTIONS
from evaluation.gold.nouns import GoldSet, Synthetic
from evaluation.gold.writing import write_gold
from strategies.errors import BadInput, Problem, brief, counted, nearest, refuse
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
    marked: int = 0
    """Questions that said nothing of how they were made, and are marked as the user says."""

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
    format: Format,
    path: Path,
    folder: Path,
    *,
    name: str | None = None,
    synthetic: Synthetic = "",
    skip_bad: bool = False,
) -> Converted:
    """Write the native set of a foreign one into a folder that is not there, or empty. Raises BadInput.

    `synthetic` marks questions that say nothing of how they were made. `name` goes before the name that the
    source gives itself, and this before the folder's.
    """
    if not path.exists():
        raise refuse(brief(str(path)), "is not there", f"{format.name} is {format.layout}")
    if not (path.is_file() or path.is_dir()):  # a pipe is gone once it was read, and a device may never end
        raise refuse(brief(str(path)), "is not a regular file", "Save it as one")
    try:
        imported = format.read(path)
    except BadInput as error:
        if not _is_ours(path):
            raise
        what = "looks like a gold set of chunksweep"
        own = Problem(brief(str(path)), what, "Use it by its path, without an import")
        raise BadInput([own, *error.problems]) from None
    called = name if name is not None else imported.named or _plain(folder)
    gold, marked = _marked(replace(imported.gold, name=called), synthetic)
    notes = (*([Problem(format.name, format.caution)] if format.caution else ()), *imported.notes)
    outcome = Converted(gold, imported.refused, notes, skip_bad or not imported.refused, marked)
    if outcome.written:
        write_gold(folder, gold, {"how_made": how_made(format, path, imported, outcome, synthetic)})
    return outcome


def _is_ours(path: Path) -> bool:
    return (path / DOCUMENTS).is_dir() and any((path / name).is_file() for name in (CARD, QUESTIONS))


def _marked(gold: GoldSet, synthetic: Synthetic) -> tuple[GoldSet, int]:
    """A set whose questions all say how they were made, and how many did not."""
    silent = sum(not question.synthetic for question in gold.questions) if synthetic else 0
    if not silent:
        return gold, 0
    asked = (replace(one, synthetic=one.synthetic or synthetic) for one in gold.questions)
    return gold_set(gold.name, gold.documents, asked), silent


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


def how_made(format: Format, path: Path, imported: Imported, outcome: Converted, synthetic: Synthetic) -> str:
    """What the card says: format, source, the SHA-256 of its files, the command, and what was left out.

    Of several files it is that of what `sha256sum` prints for them, sorted by path.
    """
    source = brief(path.resolve().name)
    text = f"Imported from {format.name}: {source}, {_checksum(path, imported.files)}."
    chosen = [*_options(format), *(["--synthetic", synthetic] if synthetic else [])]
    chosen += ["--skip-bad"] if outcome.left_out else []
    text += f" Made by `{command(format, path.resolve().name, chosen)}`."
    if imported.origin:
        text += f" Read: {imported.origin}."
    if synthetic:
        text += f" {marked_as(outcome.marked, synthetic)}."
    if outcome.left_out:
        text += f" Left out {rows_or_files(outcome.left_out)} that could not be converted."
    return text


def command(format: Format, source: str, options: list[str] | None = None) -> str:
    """The command that reads a source: with these options, or else with all that are not the default."""
    chosen = _options(format, only_chosen=True) if options is None else options
    words = shlex.join(["chunksweep", "gold", "import", format.name, source, *chosen])
    return brief(words, longest=len(words))


def _options(format: Format, *, only_chosen: bool = False) -> list[str]:
    """The parameters of a format as a command line has them."""
    words = []
    for field in dataclasses.fields(format):
        value = getattr(format, field.name)
        if only_chosen and value == field.default:
            continue
        if value is True:
            words.append(f"--{field.name.replace('_', '-')}")
        else:
            words += ["--set", f"{field.name}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


def marked_as(count: int, synthetic: Synthetic) -> str:
    """How many questions a user marked, as in `3 questions are marked as model, by request`."""
    return f"{counted(count, 'question')} {'is' if count == 1 else 'are'} marked as {synthetic}, by request"


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
    """A name for a set, of its folder's."""
    return brief(path.resolve().name, MAX_NAME).strip() or "imported"
