"""`NAME.meta.yaml` beside the document `NAME`: its metadata, its media type, and where its pages begin.

Every key is metadata but `media_type` and `pages`. A sidecar is no document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from evaluation.gold.documents import TextFile, nearest_document
from evaluation.gold.metadata import Description, flat, shown
from evaluation.yaml_reading import Key, Yaml, parse_yaml
from strategies.document import Mark
from strategies.errors import BadInput, Problem

SUFFIX = ".meta.yaml"
SIDECAR_KEYS = ("media_type", "pages")
"""Keys that are no metadata."""

_PAGES = "Write pages: [{start: 0, label: 1}, {start: 1840, label: 2}]"


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
            said[document], found = _read(file.text, where, len(texts[document]))
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


def _read(text: str, where: str, length: int) -> tuple[Description, list[Problem]]:
    """One sidecar of a document of so many characters."""
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
    pages = _pages(content.get("pages"), yaml, length, problems)
    own = {name: value for name, value in content.items() if name not in (*SIDECAR_KEYS, "metadata")}
    metadata, found = flat(own, yaml.where)
    return Description(media_type, metadata, pages), [*problems, *found]


def _pages(raw: Any, yaml: Yaml, length: int, problems: list[Problem]) -> tuple[Mark, ...]:
    """Page marks; what is wrong with them is added to `problems`."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        problems.append(Problem(yaml.where(("pages",)), f"pages is {shown(raw)}", _PAGES))
        return ()
    marks: list[Mark] = []
    for number, entry in enumerate(raw):
        key: Key = ("pages", number)
        place, name = yaml.where(key), f"pages[{number}]"
        if not isinstance(entry, dict) or entry.keys() != {"start", "label"}:
            problems.append(Problem(place, f"{name} is not a start and a label", _PAGES))
            continue
        start, label = entry["start"], entry["label"]
        least = marks[-1].start + 1 if marks else 0
        if type(start) is not int or not least <= start <= length:
            what = f"{name}.start is {shown(start)}"
            remedy = f"Write an offset in characters, from {least} to {length}"
            problems.append(Problem(place, what, f"{remedy}: pages stand in order"))
        elif type(label) is not int and not (isinstance(label, str) and label.strip()):
            problems.append(
                Problem(place, f"{name}.label is {shown(label)}", "Write the page's number or name")
            )
        else:
            marks.append(Mark("page", start, str(label)))
    return tuple(marks)
