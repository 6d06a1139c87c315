"""The files below a folder: hidden ones left out, links followed, nothing read twice, each with a verdict."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from strategies.errors import Problem


@dataclass(frozen=True, slots=True)
class Found:
    """A visible file below a folder, or a folder that cannot be listed."""

    path: Path
    id: str
    """Path relative to the folder, with `/` between its parts, in Unicode form NFC."""
    where: str
    """The id for people."""
    problem: Problem | None = None
    """Why it cannot be read, as far as its name says."""


def find_files(folder: Path, shown: str = "") -> Iterator[Found]:
    """Every visible file below `folder`, each once.

    A folder that is not there holds nothing. Hidden files and folders are ignored. Links are followed, out
    of the folder too, but nothing is found twice: see `_walk`. `shown` stands before the id in `where`.
    """
    names = set[str]()
    for path, failure in _walk(folder):
        name = unicodedata.normalize("NFC", path.relative_to(folder).as_posix())
        where = shown + name.encode("utf-8", "backslashreplace").decode("utf-8")
        problem = Problem(where, failure) if failure else _of_name(name, where, names)
        names.add(name)
        yield Found(path, name, where, problem)


def _of_name(name: str, where: str, names: set[str]) -> Problem | None:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return Problem(where, "has a name that is not UTF-8", "Rename it")
    if name in names:
        return Problem(where, "stands twice, in two Unicode forms of one name", "Rename one of the two")
    return None


def read_bytes(path: Path, where: str, most: int | None = None) -> bytes | Problem:
    """The bytes of a regular file, of at most so many; or why there are none."""
    try:
        # A pipe or a device would block or never end.
        state = path.stat()
        if not stat.S_ISREG(state.st_mode):
            return Problem(where, "is not a regular file")
        if most is not None and state.st_size > most:
            what = f"is too large: {megabytes(state.st_size)} MB, and the limit is {megabytes(most)}"
            return Problem(where, what, "Divide it, or raise the limit with --max-mb")
        return path.read_bytes()
    except FileNotFoundError:
        return Problem(where, "is a link to nothing" if path.is_symlink() else "is gone")
    except OSError as error:
        return Problem(where, f"cannot be read ({error.strerror or error})")


def megabytes(size_bytes: int) -> str:
    """A size in MB (10^6 bytes), as short as says it.

    >>> megabytes(50_000_000), megabytes(2_340)
    ('50', '0.00234')
    """
    return f"{size_bytes / 1e6:.3g}" if size_bytes < 1e9 else f"{size_bytes / 1e6:,.0f}"


def _walk(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Visible files below `folder`, each once; a folder that cannot be listed comes with the reason.

    Real files and folders go before links, so that a link never takes a file's own name from it; then
    come the links among them in the order of their paths, then those found behind these. A link to a
    folder that `folder` lies in leads in a circle and is not followed.
    """
    places = Path(os.path.realpath(folder)), Path(os.path.realpath(folder.parent), folder.name)
    seen = {str(parent) for place in places for parent in place.parents}
    waiting = [folder] if os.path.isdir(folder) else []
    while waiting:
        links: list[Path] = []
        for path in sorted(waiting):
            yield from _below(path, seen, links)
        waiting = links


def _below(start: Path, seen: set[str], links: list[Path]) -> Iterator[tuple[Path, str | None]]:
    """What is at `start` and below it, but what was `seen` by its real path; `links` are put off."""
    waiting = [(start, os.path.realpath(start))]
    while waiting:
        here, real = waiting.pop()
        is_folder = os.path.isdir(here)
        if is_folder:
            real = os.path.realpath(here)  # a junction of Windows counts as no link, and leads elsewhere
        if real in seen and os.path.exists(here):  # of links to nothing, each is reported
            continue
        seen.add(real)
        if not is_folder:
            yield here, None
            continue
        try:
            with os.scandir(here) as found:
                entries = sorted((entry.name, entry.is_symlink()) for entry in found)
        except OSError as error:
            yield here, f"cannot be listed ({error.strerror or error})"
            continue
        for name, is_link in entries:
            if name.startswith("."):
                continue
            if is_link:
                links.append(here / name)
            else:
                waiting.append((here / name, os.path.join(real, name)))
