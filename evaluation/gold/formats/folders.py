"""Documents of foreign sets that are files in a folder, as they are in ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.gold.describing import describe
from evaluation.gold.documents import read_folder
from evaluation.gold.formats.names import Names
from evaluation.gold.writing import text_bytes
from strategies.document import Document
from strategies.errors import Problem, refuse


@dataclass(frozen=True, slots=True)
class Files:
    """The documents of a folder."""

    documents: dict[str, Document]
    """By the path of the file below the folder; their ids may be others."""
    unread: dict[str, Problem]
    """Files that cannot be read, by the same path."""
    notes: tuple[Problem, ...]
    paths: Mapping[str, Path]
    """Where the documents lie, by the same path: a file system may spell it in another Unicode form."""


def read_files(folder: Path, called: Callable[[str], str] = str) -> Files:
    """Every visible file below a folder as a document; `called` gives the id for a path.

    Raises BadInput where there is none.
    """
    files, bad = read_folder(folder, f"{folder.name}/")
    if not files and not bad:
        raise refuse(f"{folder.name}/", "holds no document", "Name the folder that it stands in")
    names = Names()
    documents, notes = {}, []
    for file in files:
        where = f"{folder.name}/{file.id}"
        documents[file.id] = describe(names.new(called(file.id)), file.text, where)[0]
        if (name := documents[file.id].id) != called(file.id):
            notes.append(Problem(where, f"is called {name}"))
    unread = {problem.where.removeprefix(f"{folder.name}/"): problem for problem in bad}
    paths = {file.id: file.path for file in files if file.path}
    return Files(documents, unread, tuple(notes), paths)


def write_file(folder: Path, path: str, text: str) -> None:
    """A document as a file below a folder."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text_bytes(text))
