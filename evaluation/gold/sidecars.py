"""`NAME.meta.yaml` beside the document `NAME`: its metadata, its media type, its pages and headings.

Every key is metadata but `media_type`, `pages` and `headings`, and `source` where it says which file the
text was made of. A sidecar is no document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal

from evaluation.gold.documents import TextFile, nearest_document
from evaluation.gold.metadata import Description, flat, shown
from evaluation.yaml_reading import Yaml, parse_yaml
from strategies.document import Mark
from strategies.errors import BadInput, Problem

SUFFIX = ".meta.yaml"
SIDECAR_KEYS = ("media_type", "pages", "headings")
"""Keys that are no metadata."""
SOURCE = "source"
"""Key of the map that tells which file a text was made of, by whom, and what the text was then. Anything
else of that name is metadata."""

_FORMS = {
    "pages": "Write pages: [{start: 0, label: 1}, {start: 1840, label: 2}]",
    "headings": "Write headings: [{start: 0, label: Rules, level: 1}, {start: 310, label: Bins, level: 2}]",
}


def is_sidecar(name: str) -> bool:
    """Whether a file's name is that of a sidecar.

    >>> is_sidecar("guides/gate.md.meta.yaml"), is_sidecar("meta.yaml")
    (True, False)
    """
    return name.endswith(SUFFIX)


def read_sidecars(
    files: Iterable[TextFile], texts: Mapping[str, str], unread: Collection[str], folder: str
) -> tuple[dict[str, Description], list[Problem]]:
    """What sidecars say, by document id, and every problem with them.

    `texts` are those of the documents by id, `unread` the ids of files that could not be read; `folder` is
    put before an id in a problem's `where`.
    """
    said: dict[str, Description] = {}
    problems: list[Problem] = []
    for file in files:
        document, where = file.id.removesuffix(SUFFIX), f"{folder}{file.id}"
        if document in texts:
            said[document], found = _read(file.text, where, texts[document])
            problems += found
        elif document not in unread:
            what = f"there is no document {folder}{document} that it could be about"
            problems.append(Problem(where, what, _remedy(document, texts)))
    return said, problems


def _remedy(document: str, known: Collection[str]) -> str:
    same = [name for name in known if str(PurePosixPath(name).with_suffix("")) == document]
    if len(same) == 1:
        return f"Rename it {PurePosixPath(same[0]).name}{SUFFIX}: a sidecar keeps the document's whole name"
    return nearest_document(document, known)


def source_of(file: str, sha256: str, text: str, reader: str, version: str) -> dict[str, object]:
    """What a sidecar says of a text that was made of a file with that SHA-256."""
    told = {"file": file, "reader": reader, "version": version, "sha256": sha256}
    return {**told, "text_sha256": _sha256(text)}


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _is_source(value: object) -> bool:
    return isinstance(value, dict) and {"file", "text_sha256"} <= value.keys()


def _edited(source: Mapping[str, Any], text: str, where: str) -> list[Problem]:
    """A warning where a text is not what it was when it was made."""
    if source["text_sha256"] == _sha256(text):
        return []
    what = f"the text was edited after it was read from {shown(source['file'])}"
    remedy = "Ranges that were found before may point at other words: check quotes, pages and headings"
    return [Problem(where, what, remedy)]


def _read(text: str, where: str, about: str) -> tuple[Description, list[Problem]]:
    """One sidecar of a document that is `about`."""
    try:
        yaml = parse_yaml(text, where)
    except BadInput as error:
        return Description(), list(error.problems)
    content = {} if yaml.content is None else yaml.content
    if not isinstance(content, dict):
        return Description(), [Problem(f"{where}:1", "is no map of keys and values", "Write year: 2024")]
    problems: list[Problem] = []
    media_type = content.get("media_type")
    if media_type is not None and not (isinstance(media_type, str) and media_type.strip()):
        what = f"media_type is {shown(media_type)}"
        problems.append(Problem(yaml.where(("media_type",)), what, "Write text, such as text/markdown"))
        media_type = None
    if "metadata" in content:
        what = "metadata is no key of a sidecar, where all keys are metadata"
        problems.append(Problem(yaml.where(("metadata",)), what, "Write what is below it without it"))
    pages = read_marks("page", content.get("pages"), yaml, len(about), problems)
    headings = read_marks("heading", content.get("headings"), yaml, len(about), problems)
    own = {name: value for name, value in content.items() if name not in (*SIDECAR_KEYS, "metadata")}
    warnings: list[Problem] = []
    if _is_source(own.get(SOURCE)):
        warnings = _edited(own.pop(SOURCE), about, yaml.where((SOURCE,)))
    metadata, found = flat(own, yaml.where)
    return Description(media_type, metadata, pages + headings, tuple(warnings)), [*problems, *found]


def read_marks(
    kind: Literal["page", "heading"], raw: Any, yaml: Yaml, length: int, problems: list[Problem]
) -> tuple[Mark, ...]:
    """Marks of one kind; what is wrong with them is added to `problems`."""
    key = f"{kind}s"
    if raw is None:
        return ()
    if not isinstance(raw, list):
        problems.append(Problem(yaml.where((key,)), f"{key} is {shown(raw)}", _FORMS[key]))
        return ()
    allowed = {"start", "label"} | ({"level"} if kind == "heading" else set())
    marks: list[Mark] = []
    for number, entry in enumerate(raw):
        place, name = yaml.where((key, number)), f"{key}[{number}]"
        if not isinstance(entry, dict) or not {"start", "label"} <= entry.keys() <= allowed:
            problems.append(Problem(place, f"{name} is not a start and a label", _FORMS[key]))
            continue
        start, label, level = entry["start"], entry["label"], entry.get("level", 1)
        least = marks[-1].start + 1 if marks else 0
        if type(start) is not int or not least <= start <= length:
            what = f"{name}.start is {shown(start)}"
            remedy = f"Write an offset in characters, from {least} to {length}"
            problems.append(Problem(place, what, f"{remedy}: {key} stand in order"))
        elif type(label) is not int and not (isinstance(label, str) and label.strip()):
            words = "page's number or name" if kind == "page" else "heading's words"
            problems.append(Problem(place, f"{name}.label is {shown(label)}", f"Write the {words}"))
        elif type(level) is not int or level < 1:
            problems.append(Problem(place, f"{name}.level is {shown(level)}", "Write 1 for the highest"))
        else:
            marks.append(Mark(kind, start, str(label), level))
    return tuple(marks)
