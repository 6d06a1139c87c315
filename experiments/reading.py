"""Takes checked values out of a map, and notes every problem with its place on the way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from evaluation.scalars import is_unicode
from evaluation.yaml_reading import Key, Where
from strategies.errors import Problem, brief, nearest
from strategies.sizes import found, whole

T = TypeVar("T")

SHARE = "a number from 0 to under 1"

MAX_VALUES = 100
"""Values that a list outside the grid may hold."""


class Reading:
    """One map, its place, and the problems found so far. A key that holds nothing has its default."""

    def __init__(self, content: Mapping[str, Any], where: Where, key: Key = ()) -> None:
        self.content, self.where, self.key = content, where, key
        self.problems: list[Problem] = []

    def problem(self, key: Key, what: str, remedy: str = "") -> None:
        """Note a problem of the value at `key`; the message names the last word of it."""
        self.problems.append(Problem(self.where(key), f"{label(key)} {what}", remedy))

    def known(self, names: Iterable[str]) -> None:
        """Every key must be one of these."""
        names = tuple(names)
        for name in self.content:
            if name not in names:
                place = self.where((*self.key, name))
                what = f"unknown key {brief(str(name))}"
                self.problems.append(Problem(place, what, nearest(str(name), names)))

    def take(self, name: str, check: Callable[[Any], T | None], wanted: str, default: T) -> T:
        """The value of a key, checked; its default where it is absent or wrong."""
        written = self.content.get(name)
        if written is None:
            return default
        value = check(written)
        if value is None:
            self.misfit((*self.key, name), written, wanted)
            return default
        return value

    def take_all(
        self, name: str, check: Callable[[Any], T | None], wanted: str, default: tuple[T, ...]
    ) -> tuple[T, ...]:
        """The values of a key that holds one or a list of them, each once."""
        written = self.content.get(name)
        if written is None:
            return default
        key = (*self.key, name)
        places = axis(key, written)
        if not places:
            self.problem(key, "is an empty list", f"Write {wanted}, or leave the key out")
        if len(places) > MAX_VALUES:
            self.problem(key, f"holds {len(places):,} values", f"Use at most {MAX_VALUES}")
            return default
        values: list[T] = []
        for place, item in places:
            value = check(item)
            if value is None:
                self.misfit(place, item, wanted)
            elif value in values:
                self.problem(place, f"holds {value} twice", "Keep one of them")
            else:
                values.append(value)
        return tuple(values) or default

    def inner(self, name: str, known: Iterable[str]) -> Reading:
        """A reading of the map under a key, of which only these keys are known."""
        known = tuple(known)
        written = self.content.get(name)
        if written is not None and not isinstance(written, Mapping):
            what = f"{brief(found(written))}, must be a map"
            self.problem((name,), what, f"Write {name}: {{{known[0]}: ...}}")
            written = None
        inner = Reading(written or {}, self.where, (*self.key, name))
        inner.problems = self.problems
        inner.known(known)
        return inner

    def misfit(self, key: Key, value: Any, wanted: str) -> None:
        """Note a value of the wrong type or out of range, with what to write where that is plain."""
        remedy = ""
        if isinstance(value, str) and "number" in wanted:
            remedy = _spelled_number(value)
        elif isinstance(value, str) and wanted.startswith("one of "):
            remedy = nearest(value, wanted.removeprefix("one of ").split(", "))
        elif isinstance(value, int | float) and not isinstance(value, bool) and wanted.startswith("text"):
            remedy = f'Write it in quotes: "{value}"'
        what = "is a map" if isinstance(value, Mapping) else brief(found(value))
        self.problem(key, f"{what}, must be {wanted}", remedy)


def axis(key: Key, value: Any) -> list[tuple[Key, Any]]:
    """The values of a key that holds one or a list of them, each with its own key.

    >>> axis(("k",), 5), axis(("k",), [5, 10])
    ([(('k',), 5)], [(('k', 0), 5), (('k', 1), 10)])
    """
    if isinstance(value, list | tuple):
        return [((*key, index), item) for index, item in enumerate(value)]
    return [(key, value)]


def label(key: Key) -> str:
    """What a message calls a value: the last word of its key."""
    return next((part for part in reversed(key) if isinstance(part, str)), "the sweep")


def dotted(key: Key) -> str:
    """A key as text, the place of a value that came from no file.

    >>> dotted(("grid", 0, "size", 1))
    'grid[0].size[1]'
    """
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "sweep"


def text(value: Any) -> str | None:
    """Text that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def any_text(value: Any) -> str | None:
    """Text, blank or not."""
    return value if isinstance(value, str) else None


def between(least: int, most: int) -> tuple[Callable[[Any], int | None], str]:
    """A check that lets whole numbers of this range through, both ends included, and what it wants.

    >>> check, wanted = between(1, 10_000)
    >>> check(5), check(5.5), check(0), wanted
    (5, None, None, 'a whole number from 1 to 10,000')
    """

    def check(value: Any) -> int | None:
        number = whole(value)
        return number if number is not None and least <= number <= most else None

    return check, f"a whole number from {least} to {most:,}"


def not_unicode(content: Any, key: Key = ()) -> Iterator[Key]:
    """The keys of all texts in maps and lists that hold half of a surrogate pair."""
    if isinstance(content, str) and not is_unicode(content):
        yield key
    elif isinstance(content, Mapping):
        for name, value in content.items():
            yield from not_unicode(value, (*key, name))
    elif isinstance(content, list | tuple):
        for index, value in enumerate(content):
            yield from not_unicode(value, (*key, index))


def share(value: Any) -> float | None:
    """A number from 0 to under 1."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 <= value < 1 else None


def one_of(choices: Iterable[str]) -> Callable[[Any], str | None]:
    """A check that lets these words through."""
    words = tuple(choices)
    return lambda value: value if isinstance(value, str) and value in words else None


def _spelled_number(written: str) -> str:
    """Advice for text that spells a number, such as `2e2`, which YAML takes for text."""
    try:
        number = float(written.replace("_", ""))
    except ValueError:
        return ""
    return f"Write {number:.12g}, without quotes or exponent" if math.isfinite(number) else ""
