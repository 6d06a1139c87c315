"""Ids of foreign sets to ids of documents, which are names of files.

What can be a document id stays as it is, so that ids survive a way there and back. What a file cannot be
called, on Windows neither, is brought to Unicode form NFC and escaped as in addresses, `%3A`; a name that is
given away already gets a number.
"""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

from evaluation.gold.sidecars import SUFFIX
from evaluation.gold.unwritable import (
    BARRED,
    DEVICE,
    LONGEST_NAME_BYTES,
    LONGEST_PATH_BYTES,
    Taken,
    foreign_problem,
)
from evaluation.scalars import is_unicode

_ROOM = LONGEST_NAME_BYTES - len(SUFFIX) - len("~1000000")
"""Bytes of a part that has to be cut: a sidecar's ending and a number find room behind it."""


class Names:
    """Document ids, given away one after the other; the same ids in the same order give the same names."""

    def __init__(self) -> None:
        self._taken = Taken()
        self._numbers: dict[str, int] = {}

    def new(self, foreign: str) -> str:
        """The document id of a foreign id: itself, if that can be one and is free."""
        first = foreign if not foreign_problem(foreign) else escaped(foreign)
        if self._taken.by(first) and "/" in first:
            first = _flat(first)  # a number behind it would not help where a folder's name is given away
        name = first
        while self._taken.by(name):
            number = self._numbers[first] = self._numbers.get(first, 1) + 1
            name = _numbered(first, number)
        self._taken.add(name)
        return name


def escaped(foreign: str) -> str:
    """A document id for a text that cannot be one.

    >>> escaped("/etc/.profile"), escaped("docs/../x"), escaped("a.meta.yaml"), escaped("")
    ('%2Fetc%2F.profile', 'docs/%2E%2E/x', 'a%2Emeta.yaml', '%')
    >>> escaped("Zelda: A Link?"), escaped("con.txt"), escaped("Apple Inc.")
    ('Zelda%3A A Link%3F', '%63on.txt', 'Apple Inc%2E')
    """
    text = foreign if is_unicode(foreign) else foreign.encode("utf-8", "backslashreplace").decode()
    text = unicodedata.normalize("NFC", text)
    text = BARRED.sub(lambda found: _escape(found[0]), text)
    text = text.removesuffix("/") + ("%2F" if text.endswith("/") else "")
    if "//" in text or text.startswith("/"):
        text = _flat(text)
    name = "/".join(_part(part) for part in text.split("/")) or "%"
    if name.endswith(SUFFIX):
        name = f"{name.removesuffix(SUFFIX)}%2E{SUFFIX[1:]}"
    return _flat(name) if len(name.encode()) > LONGEST_PATH_BYTES else name


def _escape(character: str) -> str:
    return f"%{ord(character):02X}"


def _part(text: str) -> str:
    """A part of a name, neither hidden nor too long, and none that Windows refuses."""
    if text.startswith(".") or DEVICE.match(text):
        text = _escape(text[0]) + text[1:]
    if text.endswith((".", " ")):
        text = text[:-1] + _escape(text[-1])
    return text if len(text.encode()) <= _ROOM else shortened(text, _ROOM).rstrip(". ") or "%"


def _flat(name: str) -> str:
    """A name of one part."""
    return _part(name.replace("/", "%2F"))


def shortened(part: str, most: int) -> str:
    """The beginning of a text, of so many bytes at most."""
    data = part.encode()
    return part if len(data) <= most else data[:most].decode("utf-8", "ignore")


def _numbered(name: str, number: int) -> str:
    path = PurePosixPath(name)
    ending = f"~{number}{path.suffix}"
    stem = shortened(
        path.name.removesuffix(path.suffix), LONGEST_NAME_BYTES - len(SUFFIX) - len(ending.encode())
    )
    return str(path.with_name(f"{stem}{ending}"))
