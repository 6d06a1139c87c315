"""Files to documents: UTF-8, byte-order mark removed, no newline translation, a verdict for each bad file."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from strategies.errors import Problem, nearest

MEDIA_TYPES = {
    ".c": "text/x-c",
    ".cc": "text/x-c++",
    ".cjs": "text/javascript",
    ".cpp": "text/x-c++",
    ".cs": "text/x-csharp",
    ".csv": "text/csv",
    ".cts": "text/x-typescript",
    ".cxx": "text/x-c++",
    ".go": "text/x-go",
    ".h": "text/x-chdr",
    ".hh": "text/x-c++",
    ".hpp": "text/x-c++",
    ".htm": "text/html",
    ".html": "text/html",
    ".hxx": "text/x-c++",
    ".java": "text/x-java",
    ".js": "text/javascript",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".jsx": "text/javascript",
    ".log": "text/plain",
    ".markdown": "text/markdown",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".mts": "text/x-typescript",
    ".py": "text/x-python",
    ".pyi": "text/x-python",
    ".rs": "text/x-rust",
    ".rst": "text/x-rst",
    ".tex": "text/x-tex",
    ".ts": "text/x-typescript",
    ".tsv": "text/tab-separated-values",
    ".tsx": "text/x-tsx",
    ".txt": "text/plain",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
"""Media type by suffix, where the card names none; any other suffix is text/plain."""

MOST_LISTED = 12
"""Documents that a message lists."""

_UTF8_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that was read: its bytes, and the text they decode to."""

    id: str
    """Path relative to the folder that was read, with `/` between its parts, in Unicode form NFC."""
    data: bytes
    text: str
    """Without the byte-order mark."""
    byte_order_mark: bool


def media_type(document_id: str) -> str:
    """The media type that a document's suffix stands for.

    >>> media_type("policies/Leave.MD"), media_type("events.out")
    ('text/markdown', 'text/plain')
    """
    return MEDIA_TYPES.get(PurePosixPath(document_id).suffix.lower(), "text/plain")


def nearest_document(name: str, known: Collection[str]) -> str:
    """A remedy that names the document probably meant, or all of them where they are few.

    >>> nearest_document("leave.md", ["api/v1.md", "people/leave.md"])
    'Did you mean people/leave.md?'
    """
    wanted = PurePosixPath(name).name
    same = next((path for path in known if PurePosixPath(path).name == wanted), None)
    remedy = f"Did you mean {same}?" if same else nearest(name, known)
    few = len(known) <= MOST_LISTED or not remedy.startswith("Known")
    return remedy if few else f"documents/ holds {len(known)} files, none of a similar name"


def decode(data: bytes, where: str) -> str | Problem:
    """The text of a UTF-8 file, its byte-order mark removed; or why there is none."""
    for bom, encoding in _WIDE_BOMS:
        if data.startswith(bom):
            return _foreign(where, f"is {encoding} (it begins with that byte-order mark)", encoding)
    if (nul := data.find(b"\0")) >= 0:
        # Text in a Latin script as UTF-16 without a mark: about every second byte is NUL.
        if data.count(b"\0") * 3 > len(data):
            return _foreign(where, "holds a NUL in about every second byte, as UTF-16 does", "UTF-16")
        remedy = "It is not text: remove it, give it a hidden name (.NAME), or take the NUL bytes out"
        return Problem(where, f"holds a NUL (byte {nul}, line {_line(data, nul)})", remedy)
    try:
        return data.removeprefix(_UTF8_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + (len(_UTF8_BOM) if data.startswith(_UTF8_BOM) else 0)
        what = f"is not UTF-8 (byte 0x{data[at]:02x} at {at}, line {_line(data, at)})"
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return Problem(where, what, "Save it as UTF-8")
        return _foreign(where, f"{what}; it could be Windows cp1252", "CP1252")


def _foreign(where: str, what: str, encoding: str) -> Problem:
    return Problem(where, what, f"Save it as UTF-8: iconv -f {encoding} -t UTF-8 FILE > NEW")


def _line(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at) + 1


def read_folder(folder: Path, shown: str = "") -> tuple[list[TextFile], list[Problem]]:
    """Every visible file below `folder`, in order of its id, and a verdict for each that cannot be used.

    A folder that is not there holds nothing. Hidden files and folders are ignored. Links are followed, out
    of the folder too, but nothing is read twice: see `_walk`. `shown` stands before the id in a problem's
    `where`.
    """
    files: dict[str, TextFile] = {}
    problems: list[Problem] = []
    for path, failure in _walk(folder):
        name = unicodedata.normalize("NFC", path.relative_to(folder).as_posix())
        where = shown + name.encode("utf-8", "backslashreplace").decode("utf-8")
        read = Problem(where, failure) if failure else _read(path, name, where)
        if isinstance(read, TextFile) and name in files:
            read = Problem(where, "stands twice, in two Unicode forms of one name", "Rename one of the two")
        if isinstance(read, Problem):
            remedy = f"{read.remedy or 'Repair or remove it'}, or leave it out with --skip-bad"
            problems.append(replace(read, remedy=remedy))
        else:
            files[name] = read
    return [files[name] for name in sorted(files)], sorted(problems, key=lambda problem: problem.where)


def _read(path: Path, name: str, where: str) -> TextFile | Problem:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return Problem(where, "has a name that is not UTF-8", "Rename it")
    try:
        # A pipe or a device would block or never end.
        if not stat.S_ISREG(path.stat().st_mode):
            return Problem(where, "is not a regular file")
        data = path.read_bytes()
    except FileNotFoundError:
        return Problem(where, "is a link to nothing" if path.is_symlink() else "is gone")
    except OSError as error:
        return Problem(where, f"cannot be read ({error.strerror or error})")
    text = decode(data, where)
    return text if isinstance(text, Problem) else TextFile(name, data, text, data.startswith(_UTF8_BOM))


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
