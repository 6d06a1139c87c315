"""Files of a set as they change: one command at a time, and each file whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from evaluation.gold.loading import QUESTIONS, bundled
from strategies.errors import Problem, brief, refuse

BYTE_ORDER_MARK = "\ufeff"


def bundled_set(folder: Path) -> list[Problem]:
    """Why a set that comes with chunksweep is not changed, whatever path leads there; nothing for others."""
    real = os.path.realpath(folder)
    if real not in map(os.path.realpath, bundled().values()):
        return []
    what = "is a set that comes with chunksweep, which is not changed"
    return [Problem(brief(Path(real).name), what, "Copy its folder, and give the copy's path")]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process at a time changes a set, where the system can lock a folder; others wait.

    Whoever adds to a file reads it inside.
    """
    try:
        import fcntl
    except ImportError:  # Windows cannot lock a folder
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # nor can every network file system
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def questions_text(folder: Path) -> str:
    """`questions.jsonl` as it is now, with a byte-order mark; empty where there is none. Raises BadInput."""
    path = folder / QUESTIONS
    if not path.exists():
        return ""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise refuse(QUESTIONS, f"cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError:
        raise refuse(QUESTIONS, "is not UTF-8, so nothing can be added", "Save it as UTF-8") from None


def ids_in(text: str) -> set[str]:
    """The ids in the text of a questions' file, of all lines that can be read."""
    found = set()
    for line in text.removeprefix(BYTE_ORDER_MARK).split("\n"):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict) and isinstance(row.get("id"), str | int):
                found.add(str(row["id"]))
    return found


def appended(text: str, lines: Iterable[str]) -> str:
    """The text of a questions' file with further lines, each with its line end."""
    return text + ("\n" if text and not text.endswith("\n") else "") + "".join(lines)


def add_questions(folder: Path, lines: Iterable[str]) -> None:
    """Add lines to `questions.jsonl`, which is replaced whole; who adds at the same time waits.

    An id that stands there by now is left out: made ids are of a question's own words, so that the same
    command, run twice at once, made the same question.
    """
    with locked(folder):
        text = questions_text(folder)
        there = ids_in(text)
        replace_file(folder / QUESTIONS, appended(text, (line for line in lines if not ids_in(line) & there)))


def replace_file(path: Path, text: str) -> None:
    """Put a text into a file, whole or not at all."""
    with written_beside(path, text) as put:
        put()


@contextmanager
def written_beside(path: Path, text: str) -> Iterator[Callable[[], None]]:
    """A text on disk beside a file, and what puts it in the file's place; uncalled, it is gone at the end.

    Of a link, the file that it leads to is replaced.
    """
    real = os.path.realpath(path)
    handle, name = tempfile.mkstemp(prefix=f".{os.path.basename(real)}-", dir=os.path.dirname(real))
    try:
        with naming(path), os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name with no content
        os.chmod(name, os.stat(real).st_mode if os.path.exists(real) else 0o666 & ~umask())
        yield lambda: os.replace(name, real)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An OSError that names no file, as that of a full disk, names this one."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def umask() -> int:
    """What new files of this process are closed to."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
