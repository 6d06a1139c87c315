"""What a configuration is called: its strategy, and what differs from the defaults."""

from __future__ import annotations

import re
from typing import Any

import strategies
from evaluation.search import SEARCH, Search
from experiments.run_config import FIRST, MODIFIERS, compact, deciding, digest, rank
from strategies.modifiers import Modifiers
from strategies.named import Named
from strategies.parameters import as_json, as_record, attempt
from strategies.strategy import Strategy

MAX_NAME = 64
"""Characters of a name."""

_UNNAMED = ("base_url",)
"""Parameters too long for a name; where nothing else differs, a hash does."""

_READABLE = re.compile(r"[A-Za-z0-9_.]+")


def readable_name(strategy: Strategy, modifiers: Modifiers, search: Search) -> str:
    """The readable name: `fixed-96-24`, `markdown-192-headings=section`, `fixed-96-parents=recursive_768`."""
    words, exact = _words(strategy)
    defaults = {**MODIFIERS, **SEARCH}
    held = {name: getattr(modifiers if name in MODIFIERS else search, name) for name in defaults}
    for name in sorted(held):
        if as_json(held[name]) != defaults[name].default:
            shown, whole = _shown(held[name])
            words, exact = [*words, f"{name}={shown}"], exact and whole
    name = "-".join(words)
    if exact and len(name) <= MAX_NAME:
        return name
    values = [*deciding(strategy, modifiers), as_record(search, deciding=True)]
    return f"{name[: MAX_NAME - 7].rstrip('-=')}-{digest(values, 6)}"


def _words(strategy: Strategy) -> tuple[list[str], bool]:
    """A strategy's name and what it says beside its defaults, and whether that tells it from all others."""
    told = {
        parameter.name: parameter
        for parameter in strategies.parameters(type(strategy))
        if parameter.name in as_record(strategy, deciding=True) and parameter.name not in _UNNAMED
    }
    words, exact = [_shown(strategy.name)[0]], True
    for name in sorted(told, key=rank):
        value = getattr(strategy, name)
        if value is None or (as_json(value) == told[name].default and name != "size"):
            continue
        if name not in FIRST and _goes_without_saying(strategy, name):
            continue
        shown, whole = _shown(value)
        exact &= whole
        words.append(shown if name in FIRST else f"{name}={shown}")
    return words, exact


def _goes_without_saying(part: Strategy | Named, name: str) -> bool:
    """Whether the part is the same if a parameter is left out: its value follows from the others."""
    others = {key: value for key, value in as_record(part).items() if key != name}
    return attempt([], type(part), others, part.name) == part


def _shown(value: Any) -> tuple[str, bool]:
    """A value as part of a name, and whether nothing of it was left out."""
    if isinstance(value, Strategy):
        words, exact = _words(value)
        return "_".join(words), exact
    form = as_json(value)
    if isinstance(value, Named):  # its name, and what it says beside its defaults: a word says it alone
        held = {one.name: getattr(value, one.name) for one in strategies.parameters(type(value))}
        defaults = {one.name: one.default for one in strategies.parameters(type(value))}
        told = [
            name
            for name in held
            if as_json(held[name]) != defaults[name] and not _goes_without_saying(value, name)
        ]
        shown = {name: _shown(held[name]) for name in told}
        words = [
            shown[name][0] if isinstance(held[name], str) else f"{name}_{shown[name][0]}" for name in told
        ]
        return "_".join([value.name, *words]), all(whole for _, whole in shown.values())
    if isinstance(form, float) and form.is_integer():
        form = int(form)  # as its user wrote it, most likely
    text = str(form).lower() if isinstance(form, bool) else form if isinstance(form, str) else compact(form)
    readable = "_".join(_READABLE.findall(text))
    return readable, readable == text
