"""The parameters of a strategy: read from its class, checked, brought to one form.

`settle` is the `__post_init__` of a strategy: two strategies that cut alike compare equal, however
their parameters were written, and one that could not work cannot be made.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from strategies.errors import BadInput, Problem, nearest
from strategies.named import Named, read_named
from strategies.nesting import inner_strategy
from strategies.sizes import found, plain_number, resolve, whole
from strategies.strategy import Strategy
from strategies.units.counting import unit_problem

T = TypeVar("T")

JSON = str | int | float | bool | None | list["JSON"] | dict[str, "JSON"]
"""What a parameter is in a file: a scalar, a list, or the map of a strategy or of another named part."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a strategy, for tables and messages."""

    name: str
    type: str
    """In words: `whole number`, `text or null`, ..."""
    required: bool
    default: JSON
    help: str


@cache
def parameters(cls: type) -> tuple[Parameter, ...]:
    """What a strategy class can be told, in the order of its fields."""
    hints = _hints(cls)
    return tuple(
        Parameter(
            field.name,
            in_words(hints[field.name]),
            field.default is dataclasses.MISSING,
            None if field.default is dataclasses.MISSING else as_json(field.default),
            field.metadata.get("help", ""),
        )
        for field in dataclasses.fields(cls)
    )


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def problems_of(
    cls: type, values: Mapping[str, object], around: Mapping[str, object] | None = None
) -> tuple[dict[str, Any], list[Problem]]:
    """The values that fit their parameters, in their one form, and what is wrong with the others.

    A strategy among them inherits from `values`, then from `around`.
    """
    hints = _hints(cls)
    heirloom = {**(around or {}), **values}
    fitting: dict[str, Any] = {}
    problems: list[Problem] = []
    for field in dataclasses.fields(cls):
        if field.name not in values:
            continue
        value = values[field.name]
        try:
            forms = list(_forms(value, hints[field.name], heirloom))
        except BadInput as error:  # of what stands inside it
            problems += _placed(field.name, error)
            continue
        if not forms:
            problems.append(
                Problem(
                    field.name, f"is not {in_words(hints[field.name])}", "Write a name, never what it holds"
                )
                if field.metadata.get("secret")
                else _misfit(field.name, value, hints[field.name])
            )
            continue
        check = field.metadata.get("check")
        what = check(forms[0]) if check and forms[0] is not None else ""
        is_unit = field.name == "unit" and forms[0] is not None and not field.metadata.get("own")
        unknown = unit_problem(forms[0]) if is_unit else None
        if what:
            problems.append(Problem(field.name, what))
        elif unknown:
            problems.append(unknown)
        else:
            fitting[field.name] = forms[0]
    return fitting, problems


def made(
    cls: type[T], values: Mapping[str, object], called: str, around: Mapping[str, object] | None = None
) -> T:
    """An instance of a class of parameters. Raises BadInput with every problem: keys, types, values.

    `called` is what messages call the class; a strategy in it inherits from `values`, then from `around`.
    """
    known = {parameter.name: parameter for parameter in parameters(typing.cast(type, cls))}
    problems = [
        Problem(str(key), f"is not a parameter of {called}", nearest(str(key), known))
        for key in values
        if key not in known
    ]
    meant = {problem.remedy for problem in problems}
    missing = [
        p.name
        for p in known.values()
        if p.required and p.name not in values and f"Did you mean {p.name}?" not in meant
    ]
    problems += [Problem(key, f"is missing ({known[key].help})", f"{called} needs it") for key in missing]
    fitting, misfits = problems_of(cls, values, around)
    problems += misfits
    if all(parameter.name in fitting for parameter in known.values() if parameter.required):
        try:
            instance = cls(**fitting)
        except BadInput as error:
            # A parameter that did not fit was left out: what its absence breaks is no news.
            misfitting = {_root(problem.where) for problem in misfits}
            problems += [problem for problem in error.problems if _root(problem.where) not in misfitting]
    if problems:
        raise BadInput(problems)
    return instance


def _root(where: str) -> str:
    """The parameter itself, of a place inside it."""
    return re.split(r"[.\[]", where, maxsplit=1)[0]


def attempt(
    problems: list[Problem],
    cls: type[T],
    values: Mapping[str, object],
    called: str,
    around: Mapping[str, object] | None = None,
) -> T | None:
    """As `made`, but None where that fails, with what is wrong added to `problems`."""
    try:
        return made(cls, values, called, around)
    except BadInput as error:
        problems += error.problems
        return None


def canonical(strategy: Strategy, *, deciding: bool = False) -> dict[str, JSON]:
    """Every parameter in its one form, under its name, and `strategy`: equal where cuts are equal.

    With `deciding`, only those that decide what is cut: equal where the experiment is the same.
    """
    return {"strategy": strategy.name} | as_record(strategy, deciding=deciding)


def as_record(instance: Any, *, deciding: bool = False) -> dict[str, JSON]:
    """The fields of an instance as a file would hold them; with `deciding`, of those that decide its work."""
    return {
        field.name: as_json(getattr(instance, field.name), deciding=deciding)
        for field in dataclasses.fields(instance)
        if not deciding or field.metadata.get("decides", True)
    }


def settle(strategy: Any, between: Callable[[set[str]], Iterable[Problem]] | None = None) -> None:
    """Bring the parameters of a frozen strategy to their one form, or raise BadInput with all problems.

    Whole floats become whole numbers, lists tuples; `overlap` and `stride` become a number of units;
    `unit` must be one. Then `between` says what is wrong between parameters; it is told the names of those
    that are wrong in themselves, which are left as they were written, as all are then.
    """
    cls = type(strategy)
    values, problems = problems_of(cls, {f.name: getattr(strategy, f.name) for f in dataclasses.fields(cls)})
    if values.get("size") is not None and "overlap" in values:
        try:
            values["size"], values["overlap"] = resolve(
                values["size"], values["overlap"], values.get("stride")
            )
        except BadInput as error:
            problems.extend(error.problems)
        if "stride" in values:
            values["stride"] = None
    elif values.get("size") is not None and values["size"] < 1:
        problems.append(Problem("size", f"is {values['size']}", "Use 1 or more"))
    if not problems:
        for name, value in values.items():
            object.__setattr__(strategy, name, value)
    if between is not None:
        problems += between({problem.where for problem in problems})
    if problems:
        raise BadInput(problems)


def as_json(value: Any, *, deciding: bool = False) -> JSON:
    """A parameter's value as a file would hold it: tuples become lists, strategies maps."""
    if isinstance(value, tuple | list):
        return [as_json(item, deciding=deciding) for item in value]
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, Strategy):
        return canonical(value, deciding=deciding)
    if isinstance(value, Named):
        return {value.family: value.name} | as_record(value, deciding=deciding)
    if dataclasses.is_dataclass(value):
        return as_record(value, deciding=deciding)
    return typing.cast(JSON, value)


def in_words(hint: Any) -> str:
    """A type as a user would say it.

    >>> in_words(int | str), in_words(tuple[str, ...]), in_words(Literal["a", "b"])
    ('whole number or text', 'list of text', 'a or b')
    """
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(in_words(part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return " or ".join(str(value) for value in get_args(hint))
    if get_origin(hint) is tuple:
        return f"list of {in_words(get_args(hint)[0])}"
    if get_origin(hint) is Mapping:
        return "map"
    return _WORDS.get(hint) or hint.__name__.lower()


_WORDS = {
    int: "whole number",
    float: "number",
    str: "text",
    bool: "true or false",
    type(None): "null",
    Any: "any value",
}


def _forms(value: object, hint: Any, around: Mapping[str, object]) -> Iterator[Any]:
    """The form that `value` takes as a `hint`, or nothing where it does not fit.

    `around` holds the parameters beside it, from which a strategy inherits. Raises BadInput with what is
    wrong inside a strategy or a record.
    """
    origin = get_origin(hint)
    if hint is Any:
        yield as_json(value)
    elif origin in (Union, types.UnionType):
        for part in get_args(hint):
            yield from _forms(value, part, around)
    elif hint is Strategy:
        with suppress(TypeError):
            yield inner_strategy(value, around)
    elif isinstance(hint, type) and issubclass(hint, Named):
        with suppress(TypeError):
            yield read_named(hint, value)
    elif dataclasses.is_dataclass(hint):
        if isinstance(value, typing.cast(type, hint)):
            yield value
        elif isinstance(value, Mapping):
            yield made(typing.cast(type, hint), value, f"a {in_words(hint)}", around)
    elif origin is Mapping:
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            yield dict(sorted(value.items()))
    elif origin is Literal:
        if any(value == choice and type(value) is type(choice) for choice in get_args(hint)):
            yield value
    elif origin is tuple:
        if isinstance(value, list | tuple):
            items = list(_items(value, get_args(hint)[0], around))
            if all(items):
                yield tuple(item[0] for item in items)
    elif hint is int:
        if (number := whole(value)) is not None:
            yield number
    elif hint is float:
        with suppress(OverflowError):  # a whole number may be larger than any float
            if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
                yield float(value) + 0.0  # of two zeros, one
    elif isinstance(value, hint):
        yield value


def _items(values: Iterable[object], hint: Any, around: Mapping[str, object]) -> Iterator[list[Any]]:
    """The forms of each item of a list. Raises BadInput with what is wrong inside any of them."""
    problems: list[Problem] = []
    for at, value in enumerate(values):
        try:
            yield list(_forms(value, hint, around))
        except BadInput as error:
            problems += _placed(f"[{at}]", error)
    if problems:
        raise BadInput(problems)


def _placed(where: str, error: BadInput) -> list[Problem]:
    """Problems of what stands inside a value, as seen from outside: `size` becomes `base.size`."""
    return [
        dataclasses.replace(
            problem,
            where=f"{where}{problem.where}" if problem.where.startswith("[") else f"{where}.{problem.where}",
        )
        for problem in error.problems
    ]


def _misfit(name: str, value: object, hint: Any) -> Problem:
    wanted = in_words(hint)
    article = "a " if wanted.startswith(("whole", "number", "list", "strategy", "map")) else ""
    what = f"{found(value)}, not {article}{wanted}"
    if isinstance(value, str):
        if get_origin(hint) is Literal:
            return Problem(name, what, nearest(value, [str(choice) for choice in get_args(hint)]))
        if get_origin(hint) is tuple:
            return Problem(name, what, f"Write a list: [{value!r}]")
        return Problem(name, what, plain_number(value))
    return Problem(name, what)
