"""The parameters of a user's own function or class, read from its signature, as fields of a strategy."""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import math
import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from strategies.errors import refuse
from strategies.parameters import problems_of
from strategies.sizes import whole
from strategies.strategy import parameter

METHODS = ("split_text", "split")
"""What an object is asked for that cannot be called."""

_LISTS = (list, tuple, *(getattr(collections.abc, name) for name in ("Sequence", "Collection", "Iterable")))


@dataclass(frozen=True, slots=True)
class Signature:
    """What a callable can be told beside the text."""

    fields: tuple[tuple[str, Any, Any], ...]
    """Name, type and dataclass field of each parameter."""
    own_defaults: frozenset[str]
    """Those with a default that no file could hold, a function say: null leaves it as it is."""
    tuples: frozenset[str]
    """Those that want a tuple where a file holds a list."""


def splitting(target: object) -> Callable[..., Any] | None:
    """What is called with the text: the object itself, or a method of it. None where there is neither."""
    if callable(target):
        return target
    methods = (getattr(target, name, None) for name in METHODS)
    return next((method for method in methods if callable(method)), None)


def splits(target: object) -> bool:
    """Whether something, or what it builds where it is a class, can be given a text."""
    if not inspect.isclass(target):
        return splitting(target) is not None
    return any(name in vars(base) for base in target.__mro__ for name in ("__call__", *METHODS))


def signature_of(target: Any, name: str, reserved: Collection[str]) -> Signature:
    """The parameters of a class, or of a function after its first, which takes the text.

    Raises BadInput where it could not be called. A parameter whose name is `reserved`, or that is
    taken by position alone, keeps its default.
    """
    function = target if inspect.isclass(target) else splitting(target)
    remedy = "Wrap it in a function of your own"
    if function is None or not splits(target):
        raise refuse(
            "strategy", f"{name} takes no text", f"Give it `__call__`, or one of {', '.join(METHODS)}"
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise refuse("strategy", f"{name} is asynchronous", remedy)
    found = _read(function)
    if found is None:
        raise refuse("strategy", f"{name} does not tell its parameters", remedy)
    if not inspect.isclass(target):
        if not found or found[0].kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD):
            raise refuse("strategy", f"{name} takes no text", "Let its first parameter be the text")
        found = found[found[0].kind is not Parameter.VAR_POSITIONAL :]
    found = [one for one in found if one.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]
    own = {one.name for one in found if one.kind is Parameter.POSITIONAL_ONLY or one.name in reserved}
    for one in found:
        if one.name in own and one.default is Parameter.empty:
            why = "has a name that sweep files use" if one.name in reserved else "is taken by position alone"
            raise refuse("strategy", f"{name}: its parameter {one.name} {why}", remedy)
    found = [one for one in found if one.name not in own]
    called = name.partition(":")[2]
    return Signature(
        tuple((one.name, *_field(one, called)) for one in found),
        frozenset(
            one.name for one in found if one.default is not Parameter.empty and _unwritable(one.default)
        ),
        frozenset(
            one.name
            for one in found
            if tuple in (one.annotation, get_origin(one.annotation)) or isinstance(one.default, tuple)
        ),
    )


def one_form(value: Any) -> Any:
    """A value that no annotation describes: whole floats become whole numbers, lists tuples."""
    if isinstance(value, list | tuple):
        return tuple(one_form(item) for item in value)
    if isinstance(value, Mapping):
        return {key: one_form(item) for key, item in sorted(value.items())}
    return value if whole(value) is None else whole(value)


def _read(function: Callable[..., Any]) -> list[Parameter] | None:
    try:
        return list(inspect.signature(function, eval_str=True).parameters.values())
    except Exception:  # an annotation may name what is not there; then none of them is heeded
        try:
            return list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return None


def _field(one: Parameter, called: str) -> tuple[Any, Any]:
    """The type and the dataclass field of a parameter."""
    hint = _type(one.annotation)
    check = _size_fault if one.name == "size" else _fault
    help = f"parameter of {called}"
    if one.default is Parameter.empty:
        return hint, parameter(help, check=check, own=True)
    default = None if _unwritable(one.default) else one_form(one.default) if hint is Any else one.default
    default = tuple(default) if isinstance(default, list) else default
    if not _fits(default, hint):
        hint = hint | None if default is None else Any
    return hint, parameter(help, default=default, check=check, own=True)


def _type(annotation: Any) -> Any:
    """The type of a field: what a file can hold and an annotation says, or any value.

    >>> _type(list[int]), _type(int | None), _type(Callable)
    (tuple[int, ...], int | None, typing.Any)
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation in (int, float, str, bool, type(None)) or annotation is None:
        return type(None) if annotation is None else annotation
    if origin is Annotated:
        return _type(inner[0])
    if origin is Literal and not any(_fault(choice) for choice in inner):
        return annotation
    if origin in (Union, types.UnionType):
        return _either(inner)
    if annotation in _LISTS or origin in _LISTS:
        item: Any = _either([one for one in inner if one is not Ellipsis])
        return tuple[item, ...]
    return Any


def _either(annotations: Collection[Any]) -> Any:
    made: Any = None
    for annotation in annotations:
        hint = _type(annotation)
        if hint is Any:
            return Any
        made = hint if made is None else made | hint
    return Any if made is None else made


def _fits(value: object, hint: Any) -> bool:
    one = dataclasses.make_dataclass("One", [("value", hint)])
    return not problems_of(one, {"value": value})[1]


def _unwritable(default: object) -> bool:
    return isinstance(default, Mapping) or bool(_fault(default))


def _fault(value: object) -> str:
    """What is wrong with a value that a file should hold, or an empty text."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {value}, not a number"
    if value is None or isinstance(value, str | int | float):
        return ""
    if isinstance(value, list | tuple):
        return next((fault for item in value if (fault := _fault(item))), "")
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return next((fault for item in value.values() if (fault := _fault(item))), "")
    return f"is a {type(value).__name__}, not a text, a number, a truth value or a list of them"


def _size_fault(value: object) -> str:
    number = whole(value)
    return f"is {number}; use 1 or more" if number is not None and number < 1 else _fault(value)
