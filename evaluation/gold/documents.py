"""Files to documents: UTF-8, byte-order mark removed, no newline translation, a verdict for each bad file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from evaluation.gold.file_kinds import other_kind
from evaluation.gold.walking import Found, find_files, read_bytes
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
    path: Path | None = None
    """Where it lies, its name as the file system spells it."""


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
    return remedy if few else f"None of the {len(known)} files has a similar name"


def decode(data: bytes, where: str) -> str | Problem:
    """The text of a UTF-8 file, its byte-order mark removed; or why there is none."""
    if problem := other_kind(data, where):
        return problem
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

    `shown` stands before the id in a problem's `where`.
    """
    files: dict[str, TextFile] = {}
    problems: list[Problem] = []
    for found in find_files(folder, shown):
        read = found.problem or _read(found)
        if isinstance(read, Problem):
            problems.append(skippable(read))
        else:
            files[found.id] = read
    return [files[name] for name in sorted(files)], sorted(problems, key=lambda problem: problem.where)


def skippable(problem: Problem) -> Problem:
    """The verdict on a file, that also names the option to do without it."""
    remedy = problem.remedy or "Repair or remove it"
    otherwise = " Or leave" if remedy.endswith("?") else ", or leave"
    return replace(problem, remedy=f"{remedy}{otherwise} it out with --skip-bad")


def _read(found: Found) -> TextFile | Problem:
    data = read_bytes(found.path, found.where)
    if isinstance(data, Problem):
        return data
    text = decode(data, found.where)
    if isinstance(text, Problem):
        return text
    return TextFile(found.id, data, text, data.startswith(_UTF8_BOM), found.path)
