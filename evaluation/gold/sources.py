"""`sources:` on a card: what was chosen for which files when a folder was read, by pattern of their paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from evaluation.gold.metadata import shown
from evaluation.gold.sidecars import SIDECAR_KEYS, SOURCE
from evaluation.yaml_reading import Key
from strategies.errors import brief, nearest

Html = Literal["text", "source"]
CHOICE_KEYS = ("text", "id", "metadata", "delimiter", "html")
ROW_KEYS = CHOICE_KEYS[:-1]
NOT_METADATA = (*SIDECAR_KEYS, SOURCE, "metadata")
"""Names that a sidecar keeps for itself."""

Complain = Callable[[Key, str, str], None]
"""Where, what is wrong there, and the remedy."""


@dataclass(frozen=True, slots=True)
class Rows:
    """How a row of a table, or an object a line, becomes a document."""

    text: tuple[str, ...]
    """Fields that make its text, a blank line between them."""
    id: str | None = None
    """Field that gives its name; None: the number of the row."""
    metadata: tuple[str, ...] = ()
    delimiter: str | None = None
    """Between the cells; None: a comma, and a tab in TSV."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for a file."""

    html: Html = "text"
    rows: Rows | None = None
    """None: the file stays one document."""


def choose(path: str, sources: Mapping[str, Choice]) -> str | None:
    """The first pattern that a path fits; `*` stands for anything, for `/` too.

    >>> choose("tickets/2024/may.csv", {"*.html": Choice(), "tickets/*.csv": Choice()})
    'tickets/*.csv'
    """
    return next((pattern for pattern in sources if fnmatchcase(path, pattern)), None)


def read_sources(raw: Mapping[str, Any], key: Key, complain: Complain) -> dict[str, Choice]:
    """Choices by pattern, in the order of the file; what is wrong goes to `complain`."""
    return {pattern: _choice(entry, (*key, pattern), complain) for pattern, entry in raw.items()}


def _choice(raw: Any, key: Key, complain: Complain) -> Choice:
    if not isinstance(raw, dict) or not raw:
        complain(key, f"is {shown(raw)}", "Write {html: source}, or {text: [subject, body], id: ticket}")
        return Choice()
    for name in raw:
        if name not in CHOICE_KEYS:
            complain((*key, name), "is not a known key", nearest(name, CHOICE_KEYS))
    of_rows = [name for name in ROW_KEYS if name in raw]
    if "html" in raw:
        if of_rows:
            complain(
                (*key, of_rows[0]), "says how to read rows, and html how to read HTML", "Keep one of them"
            )
        html = raw["html"]
        if html not in get_args(Html):
            complain((*key, "html"), f"is {shown(html)}", f"Write {' or '.join(get_args(Html))}")
            html = "text"
        return Choice(html)
    if not of_rows:
        return Choice()
    if "text" not in raw:
        complain(key, "names no field for the text", "Write text: [subject, body]")
    text = _names(raw.get("text", []), (*key, "text"), complain, least="text" in raw)
    metadata = _names(raw.get("metadata", []), (*key, "metadata"), complain)
    for name in (name for name in metadata if name in NOT_METADATA):
        complain((*key, "metadata"), f"names {name}, which a sidecar keeps for itself", "Rename that field")
    one, delimiter = raw.get("id"), raw.get("delimiter")
    if one is not None and not (isinstance(one, str) and one.strip()):
        complain((*key, "id"), f"is {shown(one)}", "Write the name of a field")
    if delimiter is not None and not (
        isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'
    ):
        complain((*key, "delimiter"), f"is {shown(delimiter)}", 'Write one character, such as ";"')
    return Choice(rows=Rows(text, one, metadata, delimiter))


def _names(raw: Any, key: Key, complain: Complain, *, least: bool = False) -> tuple[str, ...]:
    names: Sequence[Any] = [raw] if isinstance(raw, str) else raw if isinstance(raw, list) else [raw]
    if (least and not names) or not all(isinstance(name, str) and name.strip() for name in names):
        complain(key, f"is {shown(raw)}", "Write the names of fields: [subject, body]")
        return ()
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        complain(key, f"names {brief(twice[0])} twice", "Name it once")
    return tuple(names)
