"""Strategies inside strategies: how one is written as a parameter, and what holds for the whole.

A parameter typed `Strategy` takes `{strategy: sentence, size: 100}`, or the bare word where nothing else
is said. Of `size`, `overlap` and `unit`, the inner one inherits what it does not say itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from strategies.errors import BadInput, Problem
from strategies.strategy import Need, Strategy, unit_of

INHERITED = ("size", "overlap", "unit")
"""Parameters that a strategy inside another takes over where it has them and says none of its own."""

OVERLAPS = ("overlap", "overlap_sentences", "split_overlap")
"""Parameters that let chunks repeat text."""

_INSTEAD = {"stride": ("overlap",), "sentences": ("size", "overlap")}
"""Parameters that say the same another way: beside them, these are not inherited."""


def inner_strategy(value: object, outer: Mapping[str, object]) -> Strategy:
    """The strategy that a parameter's value stands for; `outer` holds the parameters around it.

    Raises BadInput with every problem, and TypeError where the value is no way to write a strategy.
    """
    if isinstance(value, Strategy):
        return value
    said = {"strategy": value} if isinstance(value, str) else value
    if not isinstance(said, Mapping):
        raise TypeError("no strategy")
    from strategies import build, find, parameters  # they know the table, which knows all strategies

    name = said.get("strategy")
    if not isinstance(name, str):
        what = "is missing" if name is None else f"is {name!r}, not a name"
        remedy = "Write {strategy: sentence, size: 100}"
        if any(":" in str(key) for key in said):
            remedy += ", with a space after each colon"
        raise BadInput([Problem("strategy", what, remedy)])
    known = {parameter.name for parameter in parameters(find(name))}
    inherited = {key: outer[key] for key in INHERITED if key in known and outer.get(key) is not None}
    own = {key: given for key, given in said.items() if key != "strategy"}
    for key in own.keys() & _INSTEAD.keys():
        inherited = {one: given for one, given in inherited.items() if one not in _INSTEAD[key]}
    return build(name, inherited | own)


def walk(*strategies: Strategy) -> Iterator[Strategy]:
    """The strategies, and every one inside them."""
    for strategy in strategies:
        yield strategy
        for field in dataclasses.fields(strategy):  # type: ignore[arg-type]  # strategies are dataclasses
            yield from _inside(getattr(strategy, field.name))


def _inside(value: object) -> Iterator[Strategy]:
    if isinstance(value, Strategy):
        yield from walk(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _inside(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _inside(getattr(value, field.name))


def is_native(strategy: Strategy) -> bool:
    """Whether it and all inside it owe every law of the house."""
    return all(one.native for one in walk(strategy))


def is_many_to_one(strategy: Strategy) -> bool:
    """Whether several of its cuts may share one range."""
    return any(one.many_to_one for one in walk(strategy))


def embeds_more(strategy: Strategy) -> bool:
    """Whether it may embed another text than its ranges hold."""
    return any(one.embeds_more for one in walk(strategy))


def needs(*strategies: Strategy) -> tuple[Need, ...]:
    """What they and all inside them ask for while they cut, each once."""
    return tuple(dict.fromkeys(need for one in walk(*strategies) for need in one.needs))


def units(*strategies: Strategy) -> tuple[str, ...]:
    """Every unit that they count in, each once."""
    return tuple(dict.fromkeys(unit for one in walk(*strategies) if (unit := unit_of(one))))
