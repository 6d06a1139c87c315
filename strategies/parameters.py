"""The parameters of a strategy: read from its class, checked, brought to one form.

`settle` is the `__post_init__` of a strategy: two strategies that cut alike compare equal, however
their parameters were written, and one that could not work cannot be made.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from strategies.counting import unit_problem
from strategies.errors import BadInput, Problem, nearest
from strategies.sizes import found, plain_number, resolve, whole

JSON = str | int | float | bool | None | list["JSON"]
"""What a parameter is in a file: a scalar or a list."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a strategy, for tables and messages."""

    name: str
    type: str
    """In words: `whole number`, `text or null`, ..."""
    required: bool
    default: JSON
    help: str


def parameters(cls: type) -> tuple[Parameter, ...]:
    """What a strategy class can be told, in the order of its fields."""
    hints = typing.get_type_hints(cls)
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


def problems_of(cls: type, values: Mapping[str, object]) -> tuple[dict[str, Any], list[Problem]]:
    """The values that fit their parameters, in their one form, and what is wrong with the others."""
    hints = typing.get_type_hints(cls)
    fitting: dict[str, Any] = {}
    problems: list[Problem] = []
    for field in dataclasses.fields(cls):
        if field.name not in values:
            continue
        value = values[field.name]
        forms = list(_forms(value, hints[field.name]))
        if not forms:
            problems.append(_misfit(field.name, value, hints[field.name]))
            continue
        check = field.metadata.get("check")
        what = check(forms[0]) if check and forms[0] is not None else ""
        unknown = unit_problem(forms[0]) if field.name == "unit" and forms[0] is not None else None
        if what:
            problems.append(Problem(field.name, what))
        elif unknown:
            problems.append(unknown)
        else:
            fitting[field.name] = forms[0]
    return fitting, problems


def settle(strategy: Any) -> None:
    """Bring the parameters of a frozen strategy to their one form, or raise BadInput with all problems.

    Whole floats become whole numbers, lists tuples; `overlap` and `stride` become a number of units;
    `unit` must be one. Relations between other parameters are for the strategy to check afterwards.
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
    if problems:
        raise BadInput(problems)
    for name, value in values.items():
        object.__setattr__(strategy, name, value)


def as_json(value: Any) -> JSON:
    """A parameter's value as a file would hold it: tuples become lists."""
    return [as_json(item) for item in value] if isinstance(value, tuple | list) else typing.cast(JSON, value)


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
    return {int: "whole number", float: "number", str: "text", bool: "true or false", type(None): "null"}[
        hint
    ]


def _forms(value: object, hint: Any) -> Iterator[Any]:
    """The form that `value` takes as a `hint`, or nothing where it does not fit."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        for part in get_args(hint):
            yield from _forms(value, part)
    elif origin is Literal:
        if any(value == choice and type(value) is type(choice) for choice in get_args(hint)):
            yield value
    elif origin is tuple:
        if isinstance(value, list | tuple):
            items = [list(_forms(item, get_args(hint)[0])) for item in value]
            if all(items):
                yield tuple(item[0] for item in items)
    elif hint is int:
        if (number := whole(value)) is not None:
            yield number
    elif hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            yield float(value)
    elif isinstance(value, hint):
        yield value


def _misfit(name: str, value: object, hint: Any) -> Problem:
    wanted = in_words(hint)
    article = "a " if wanted.startswith(("whole", "number", "list")) else ""
    what = f"{found(value)}, not {article}{wanted}"
    if isinstance(value, str):
        if get_origin(hint) is Literal:
            return Problem(name, what, nearest(value, [str(choice) for choice in get_args(hint)]))
        if get_origin(hint) is tuple:
            return Problem(name, what, f"Write a list: [{value!r}]")
        return Problem(name, what, plain_number(value))
    return Problem(name, what)
