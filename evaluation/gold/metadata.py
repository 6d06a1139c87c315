"""Metadata of documents: flat names and scalars, whichever source they come from.

Front matter, the card and sidecars obey one rule. A value is one text, number or truth value. A list of
these becomes text, joined by commas; a map inside a map becomes names joined by dots; a key that holds
nothing counts as left out. Dates stay the text that was written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluation.scalars import is_scalar
from evaluation.yaml_reading import Key, Where
from strategies.document import Mark, Scalar
from strategies.errors import Problem, brief


@dataclass(frozen=True, slots=True)
class Description:
    """What one source says about one document."""

    media_type: str | None = None
    """None: as its suffix says."""
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    """Where its pages begin, in order, then where its headings do."""
    warnings: tuple[Problem, ...] = ()
    """What a user should know of it although it can be used."""


def flat(raw: Mapping[str, Any], where: Where, key: Key = ()) -> tuple[dict[str, Scalar], list[Problem]]:
    """The metadata of a map as YAML gives it, and what is wrong with it; `key` is the map's own.

    >>> flat({"year": 2024, "tags": ["api", 2], "by": {"name": "Zoë", "team": None}}, str)
    ({'year': 2024, 'tags': 'api, 2', 'by.name': 'Zoë'}, [])
    """
    metadata: dict[str, Scalar] = {}
    problems: list[Problem] = []
    for path, value in _leaves(raw):
        name, place = ".".join(path), where((*key, *path))
        scalar = _joined(value) if isinstance(value, list) else value
        if not name.strip():
            problems.append(Problem(place, "metadata have a key without a name", "Name it, or remove it"))
        elif name in metadata:
            what = f"metadata {brief(name)} stands twice, as one word and as a map in a map"
            problems.append(Problem(place, what, "Keep one of the two"))
        elif is_scalar(scalar):
            metadata[name] = scalar
        elif scalar is not None:
            remedy = "Write one text, number or truth value, or a list of these"
            if isinstance(value, int | float):
                remedy = "Numbers have 64 bits: write it in quotes"
            problems.append(Problem(place, f"metadata {brief(name)} is {shown(value)}", remedy))
    return metadata, problems


def shown(value: object) -> str:
    """A value as JSON, short enough for a message, however much anchors make of it.

    >>> shown([1, "two"]), shown({"a": {"b": {"c": [1, 2, 3, 4]}}})
    ('[1, "two"]', 'a map')
    """
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list):
        few = all(not isinstance(item, list | Mapping) for item in value) and len(value) <= 6
        return brief(json.dumps(value, ensure_ascii=False)) if few else f"a list of {len(value)}"
    return brief(json.dumps(value, ensure_ascii=False))


def _leaves(raw: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every value that is no map, with the names that lead to it."""
    for name, value in raw.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, name))
        else:
            yield (*path, name), value


def _joined(values: list[Any]) -> Any:
    """A list of scalars as one text, None if it holds nothing; a list of anything else as it is."""
    if not all(item is None or is_scalar(item) for item in values):
        return values
    words = [item if isinstance(item, str) else json.dumps(item) for item in values if item is not None]
    return ", ".join(words) if words else None
