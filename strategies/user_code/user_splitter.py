"""Splitters that users wrote themselves: `strategy: my_module:my_splitter`.

`strategy_class` makes a strategy of anything that takes a text and answers texts or (start, end) pairs. Its
keyword parameters become the strategy's own.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import operator
import os
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.machinery import PathFinder
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from strategies.document import Document
from strategies.errors import BadInput, SplitError, brief, nearest, refuse
from strategies.libraries import THIRD_PARTY
from strategies.libraries.library import Part, placed
from strategies.libraries.views import as_it_is
from strategies.modifiers import Modifiers
from strategies.parameters import as_json, problems_of
from strategies.strategy import Cut, SplitTools, Strategy
from strategies.user_code.loads import digest_of
from strategies.user_code.signatures import Signature, one_form, signature_of, splitting


@dataclass(frozen=True)  # no slots: what is built once is kept in the instance
class UserSplitter(Strategy):
    """A splitter of the user's own; every one is a class of its own, which `strategy_class` makes."""

    native: ClassVar[bool] = False
    _target: ClassVar[tuple[Any]]
    """The function, class or object; in a tuple, or it would become a method."""
    _signature: ClassVar[Signature]
    _versions: ClassVar[Mapping[str, str]]

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        values, problems = problems_of(type(self), self._values)
        if problems:
            raise BadInput(problems)
        for field in dataclasses.fields(self):
            value = values[field.name]
            object.__setattr__(self, field.name, one_form(value) if field.type is Any else value)

    def __reduce__(self) -> tuple[object, ...]:
        """A class that was made at run time is found again by its name, in another process too."""
        return _remade, (self.name, self._values)

    @property
    def _values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def versions(self) -> Mapping[str, str]:
        """The files of code that it is, by module: edited code is another splitter."""
        return self._versions

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the chunks. Raises SplitError for what the splitter raises, and for what is no chunk."""
        place = f"{document.id}: {self.name}"
        # Starts increase, so there are at most as many chunks as characters; blank ones may lie between.
        most = 4 * len(document.text) + 100
        try:
            with importable_from_here():
                returned = self._splitter(document.text)
                items = list(islice(returned, most + 1)) if _is_list(returned) else None
        except (Exception, SystemExit) as error:
            said = brief(str(error), 400)
            raise SplitError(f"{place} raised {type(error).__name__}{': ' if said else ''}{said}") from error
        if items is None:
            what = f"returned {_shown(returned)}, not a list of texts or of (start, end) pairs"
            raise SplitError(f"{place} {what}")
        if len(items) > most:
            raise SplitError(
                f"{place} returned more than {most:,} chunks of {len(document.text):,} characters"
            )
        if items and isinstance(items[0], str):
            return iter(_placed(document, self.name, list(_texts(items, place))))
        return iter(_spans(items, document.text, place))

    @cached_property
    def _splitter(self) -> Callable[[str], Any]:
        """What takes the text and nothing else: the parameters are in it, or were used to build it."""
        (target,), signature = self._target, self._signature
        given = {
            name: value if name in signature.tuples else as_json(value)
            for name, value in self._values.items()
            if not (value is None and name in signature.own_defaults)
        }
        if inspect.isclass(target):
            built = splitting(target(**given))
            assert built is not None, "it was asked for its methods when it was found"
            return built
        function = splitting(target)
        assert function is not None
        return lambda text: function(text, **given)


RESERVED = {
    *("strategy", *(field.name for field in dataclasses.fields(Modifiers))),
    *(*dir(UserSplitter), *Strategy.__annotations__),
}
"""Parameters of a user's callable that a sweep file cannot set: these words mean something else there."""


@contextmanager
def importable_from_here() -> Iterator[None]:
    """Modules of the current folder can be imported meanwhile, after all others: they shadow none."""
    folder = os.getcwd()
    sys.path.append(folder)
    try:
        yield
    finally:
        # The last of its kind: those that were there before stay, and of other threads' each takes one.
        at = len(sys.path) - 1 - sys.path[::-1].index(folder)
        del sys.path[at]


# Finding it

_made: dict[str, type[UserSplitter]] = {}


def strategy_class(name: str) -> type[UserSplitter]:
    """The strategy that `my_module:my_splitter` stands for, made once. Raises BadInput.

    Imports the module, which runs it.
    """
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        remedy = "Write my_module:my_splitter for a function or class of yours"
        raise refuse("strategy", f"{name!r} is not a strategy", _library(name) or remedy)
    same_library = [known for known in THIRD_PARTY if known.partition(":")[0] == module_name]
    if same_library:
        remedy = f"{nearest(name, same_library)} To use more of it, call it in a function of your own"
        raise refuse("strategy", f"{name!r} is not a strategy", remedy)
    before = set(sys.modules)
    module = _imported(module_name, name)
    if not hasattr(module, attribute):
        raise refuse("strategy", f"{module_name} has no {attribute}", _instead(module, attribute))
    target = getattr(module, attribute)
    home = sys.modules.get(getattr(target, "__module__", None) or "")
    named = home is not None and (inspect.isclass(target) or inspect.isroutine(target))
    modules = [module, home] if named and home else [module]
    versions = {one.__name__: digest_of(one, one.__name__ not in before) for one in modules}
    held = _made.get(name)
    # A module that was reloaded has another target, or other code around the same one.
    if held is None or held._target[0] is not target or held._versions != versions:
        held = _made[name] = _class_of(name, target, versions)
    return held


def _class_of(name: str, target: Any, versions: Mapping[str, str]) -> type[UserSplitter]:
    """The dataclass whose fields are the keyword parameters of a callable."""
    signature = signature_of(target, name, RESERVED)
    namespace = {
        "name": name,
        "_target": (target,),
        "_signature": signature,
        "_versions": versions,
        "__doc__": inspect.getdoc(target),
        "__module__": __name__,
    }
    made = dataclasses.make_dataclass(
        name.partition(":")[2],
        signature.fields,
        bases=(UserSplitter,),
        namespace=namespace,
        frozen=True,
        kw_only=True,
    )
    return typing.cast(type[UserSplitter], made)


def _remade(name: str, values: Mapping[str, Any]) -> UserSplitter:
    return strategy_class(name)(**values)


def _library(name: str) -> str:
    """The nearest strategy of a library, or nothing."""
    said = nearest(name, THIRD_PARTY)
    return said if said.startswith("Did you mean") else ""


def _imported(module_name: str, name: str) -> types.ModuleType:
    importlib.invalidate_caches()  # its file may be newer than what Python remembers of its folder
    try:
        with importable_from_here():
            return importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        missing = error.name or "" if isinstance(error, ModuleNotFoundError) else ""
        said = brief(str(error), 400)
        if not missing or not f"{module_name}.".startswith(f"{missing}."):
            what = f"{module_name} cannot be imported: {type(error).__name__}{': ' if said else ''}{said}"
            raise refuse("strategy", what, f'Try python -c "import {module_name}"') from error
        here = [path.stem for path in Path.cwd().glob("*.py")]
        near = nearest(module_name, here)
        remedy = near if near.startswith("Did you mean") else "Run from the folder that holds it"
        what = f"{module_name} is not a module that can be imported from here: {said}"
        raise refuse("strategy", what, _library(name) or remedy) from error


def _instead(module: types.ModuleType, attribute: str) -> str:
    """What a module has instead; or that a file of its name is here, and hidden."""
    here = None if "." in module.__name__ else PathFinder.find_spec(module.__name__, [os.getcwd()])
    if here and here.origin and here.origin != getattr(module, "__file__", None):
        hidden = f"{Path(here.origin).name} of this folder is hidden by a module of Python or of a library"
        return f"{hidden}: give it another name"
    public = {name: one for name, one in vars(module).items() if callable(one) and not name.startswith("_")}
    own = [name for name, one in public.items() if getattr(one, "__module__", None) == module.__name__]
    return brief(nearest(attribute, own or public), 400)


# What it returned


def _is_list(returned: object) -> bool:
    """Whether it can be gone through in an order of its own."""
    return isinstance(returned, Iterable) and not isinstance(returned, str | bytes | Mapping | Set)


def _texts(items: Sequence[object], place: str) -> Iterator[str]:
    for index, item in enumerate(items):
        if not isinstance(item, str):
            raise SplitError(f"{place} returned {_shown(item)} as chunk {index}, after texts")
        yield item


def _placed(document: Document, name: str, texts: Sequence[str]) -> list[Cut]:
    """Where texts stand, as they are if they can be, else but for their white space."""
    parts = [Part(text) for text in texts if text.strip()]
    try:  # white space too tells one place from another, where it was left alone
        return placed(document, name, parts, view=replace(as_it_is(document.text), fold=str))
    except SplitError:
        return placed(document, name, [Part(text) for text in texts])


def _spans(items: Sequence[object], text: str, place: str) -> Iterator[Cut]:
    """The ranges, blank ones left out; that they lie in the document and in order is checked for all cuts."""
    for index, item in enumerate(items):
        pair = _pair(item)
        if pair is None:
            wanted = "a text or a (start, end) pair" if not index else "a (start, end) pair"
            raise SplitError(f"{place} returned {_shown(item)} as chunk {index}, not {wanted}")
        start, end = pair
        if not 0 <= start <= end <= len(text) or text[start:end].strip():
            yield Cut(start, end)


def _pair(item: object) -> tuple[int, int] | None:
    if not isinstance(item, tuple | list | np.ndarray) or any(isinstance(one, bool) for one in item):
        return None
    try:
        start, end = (operator.index(one) for one in item)
    except (TypeError, ValueError):  # other things than whole numbers, or not two
        return None
    return start, end


def _shown(value: object) -> str:
    """A value in a message: its type, and what it holds."""
    if value is None:
        return "nothing (None)"
    return f"a {type(value).__name__}, {brief(repr(value))}"
