"""Files that are no text, told by their first bytes, and what their user can do about each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from strategies.errors import Problem


class Kind(NamedTuple):
    """A kind of file that is no text."""

    name: str
    """With its article: `a PDF`."""
    remedy: str
    suffix: str = ""
    """Of the files that a reader takes as this kind."""


_READ = "Put it into a folder and read that: chunksweep gold new SET --from FOLDER"
_AS_DOCX = "Save it as DOCX"
_AS_CSV = "Save each of its sheets as CSV"
_IMAGE = "Words in images are not read: have them recognised (OCR), and save the text"
_UNPACK = "Unpack it"
_NO_WORDS = "It holds no text to cut"

_SIGNATURES: Mapping[bytes, Kind] = {
    b"%PDF-": Kind("a PDF", _READ, ".pdf"),
    b"{\\rtf": Kind("RTF", _AS_DOCX),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": Kind(
        "an old or password-protected Office file", "Remove the password, and save it as DOCX"
    ),
    b"\x89PNG\r\n": Kind("a PNG image", _IMAGE),
    b"\xff\xd8\xff": Kind("a JPEG image", _IMAGE),
    b"GIF8": Kind("a GIF image", _IMAGE),
    b"II*\0": Kind("a TIFF image", _IMAGE),
    b"MM\0*": Kind("a TIFF image", _IMAGE),
    b"RIFF": Kind("a WebP image, sound or film", _NO_WORDS),
    b"OggS": Kind("sound or film", _NO_WORDS),
    b"ID3": Kind("sound", _NO_WORDS),
    b"fLaC": Kind("sound", _NO_WORDS),
    b"\x1a\x45\xdf\xa3": Kind("a film", _NO_WORDS),
    b"\x1f\x8b": Kind("a gzip archive", _UNPACK),
    b"BZh": Kind("a bzip2 archive", _UNPACK),
    b"\xfd7zXZ\0": Kind("an xz archive", _UNPACK),
    b"7z\xbc\xaf\x27\x1c": Kind("a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": Kind("a RAR archive", _UNPACK),
    b"SQLite format 3\0": Kind("an SQLite database", "Save what it holds as CSV or JSON lines"),
    b"PAR1": Kind("a Parquet file", "Save it as CSV or JSON lines"),
    b"wOFF": Kind("a font", _NO_WORDS),
    b"wOF2": Kind("a font", _NO_WORDS),
    b"OTTO": Kind("a font", _NO_WORDS),
    b"\0\1\0\0": Kind("a font", _NO_WORDS),
    b"\x7fELF": Kind("a program", _NO_WORDS),
}
"""By the bytes that a file of the kind begins with."""

_ZIP = b"PK\x03\x04"
_DOCX = Kind("a Word document (DOCX)", _READ, ".docx")
_PART_OF_DOCX = b"word/document.xml"
"""The name of a file in every DOCX archive, where it stands uncompressed."""
_ZIPPED: Mapping[str, Kind] = {
    ".docx": _DOCX,
    ".xlsx": Kind("an Excel workbook", _AS_CSV),
    ".xlsm": Kind("an Excel workbook", _AS_CSV),
    ".ods": Kind("a spreadsheet of OpenDocument", _AS_CSV),
    ".pptx": Kind("a PowerPoint presentation", "Save it as PDF"),
    ".odp": Kind("a presentation of OpenDocument", "Save it as PDF"),
    ".odt": Kind("a text of OpenDocument", _AS_DOCX),
    ".pages": Kind("a text of Pages", _AS_DOCX),
    ".epub": Kind("an EPUB book", "Unpack it: its chapters are HTML"),
}
"""Kinds that are ZIP archives, by their suffix."""


def kind_of(data: bytes, name: str) -> Kind | None:
    """The kind of a file that is no text, by its bytes and its name; None where nothing tells.

    >>> kind_of(b"%PDF-1.7 ...", "a.txt").name, kind_of(b"PK\\x03\\x04...", "Prices.XLSX").name
    ('a PDF under another name', 'an Excel workbook')
    >>> kind_of(b"# Gate", "gate.md")
    """
    kind = _by_bytes(data, PurePosixPath(name).suffix.lower())
    if kind is None or not kind.suffix or name.lower().endswith(kind.suffix):
        return kind
    remedy = f"Rename it {PurePosixPath(name).with_suffix(kind.suffix).name}"
    return Kind(f"{kind.name} under another name", remedy, kind.suffix)


def _by_bytes(data: bytes, suffix: str) -> Kind | None:
    if data.startswith(_ZIP):
        otherwise = _DOCX if _PART_OF_DOCX in data else Kind("a ZIP archive", _UNPACK)
        return _ZIPPED.get(suffix, otherwise)
    # Text may begin with letters that a signature consists of, so those ask for a byte that text never has.
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature) and (not signature.isalnum() or b"\0" in data[:4096]):
            return kind
    return None


def other_kind(data: bytes, where: str, wanted: str = "") -> Problem | None:
    """The verdict on a file of another kind than its reader takes: text, or files of the suffix `wanted`."""
    kind = kind_of(data, where)
    if kind is None or (wanted and kind.suffix == wanted):
        return None
    return Problem(where, f"is {kind.name}, not {wanted[1:].upper() or 'text'}", kind.remedy)
