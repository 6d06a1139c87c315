"""A sweep's grid as frozen configurations, in an order that does not depend on how the file orders keys."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import strategies
from evaluation.misses import headline_budget
from evaluation.settings import Settings
from evaluation.yaml_reading import Key, Where
from experiments.reading import axis
from experiments.sweep_schema import Entry, Sweep
from strategies.document import Scalar
from strategies.errors import BadInput, Problem, nearest
from strategies.modifiers import PLAIN, Modifiers
from strategies.nesting import embeds_more, walk
from strategies.parameters import Parameter, as_json, as_record, attempt, parameters
from strategies.strategy import Need, Strategy, unit_of

MAX_CONFIGURATIONS = 10_000
_FIRST = ("strategy", "unit", "size", "overlap")
"""Parameters in the order in which a grid varies them and a name shows them; the rest by alphabet."""

_MODIFIERS = {parameter.name: parameter for parameter in parameters(Modifiers)}
"""What every strategy takes beside its own parameters."""

_UNNAMED = ("base_url",)
"""Parameters too long for a name; where nothing else differs, a hash does."""

_RELATIVE = re.compile("overlap|stride")
"""Parameters that must suit another one: a number here may be impossible only beside its partner."""

_READABLE = re.compile(r"[A-Za-z0-9_.]+")
_MAX_NAME = 64


@dataclass(frozen=True, slots=True)
class RunConfig:
    """One configuration: how documents are cut and embedded, and what is scored."""

    strategy: Strategy
    name: str
    """Readable, unique in its grid, safe as a file name; says what differs from the defaults."""
    modifiers: Modifiers = PLAIN
    vectors: str = "direct"
    settings: Settings = dataclasses.field(default_factory=Settings)

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """All that cut: the strategy, that of the parents, and those inside them."""
        parents = self.modifiers.parents
        return (*walk(self.strategy), *(() if parents is None else walk(parents)))

    @property
    def needs(self) -> tuple[Need, ...]:
        """What is asked for while documents are cut."""
        return tuple(dict.fromkeys(need for one in self.strategies for need in one.needs))

    @property
    def units(self) -> tuple[str, ...]:
        """What is counted, each unit once."""
        return tuple(dict.fromkeys(unit for one in self.strategies if (unit := unit_of(one))))

    @property
    def versions(self) -> dict[str, str]:
        """What decides the cuts beside parameters and the core's libraries: library -> version."""
        return {library: version for one in self.strategies for library, version in one.versions().items()}

    def canonical(self) -> dict[str, Any]:
        """Everything that decides the measured values, in one form: equal where configurations are.

        Of the headline, only the budget that a question must be answerable in decides a value.
        """
        settings = dataclasses.asdict(self.settings) | {"miss_budget": headline_budget(self.settings)}
        del settings["headline"]
        return {
            **as_record(self.modifiers, deciding=True),
            "settings": {name: _plain(value) for name, value in settings.items()},
            "strategy": strategies.canonical(self.strategy, deciding=True),
            "vectors": self.vectors,
        }

    def params(self) -> dict[str, Scalar]:
        """What tells this configuration from others, short: lists become text, null is left out."""
        values = {**as_record(self.modifiers), "vectors": self.vectors, **strategies.canonical(self.strategy)}
        if self.settings.filter:
            values["filter"] = dict(self.settings.filter)
        return {
            name: value if isinstance(value, str | int | float | bool) else _json(value)
            for name, value in sorted(values.items(), key=lambda item: _rank(item[0]))
            if value is not None
        }

    @property
    def split_key(self) -> str:
        """Equal where all chunks are, embedded text included: the strategy, all its parameters, modifiers."""
        return _digest(_deciding(self.strategy, self.modifiers), 32)

    def config_id(self, data_digest: str, embedder_id: str, versions: Mapping[str, str]) -> str:
        """Name and hash: the same id means the same experiment.

        `embedder_id` tells all that changes a vector, prompts included; `versions` holds those of the
        libraries that decide a result.
        """
        identity = {
            "config": self.canonical(),
            "data": data_digest,
            "embedder": embedder_id,
            "versions": dict(versions),
        }
        return f"{self.name}-{_digest(identity, 10)}"


@dataclass(frozen=True, slots=True)
class Grid:
    """What a sweep runs, and what it leaves out by request."""

    configs: tuple[RunConfig, ...]
    skipped: tuple[Problem, ...] = ()
    """Impossible and duplicate configurations, under `invalid: skip`."""


def expand(sweep: Sweep) -> Grid:
    """All configurations of a sweep; raises `BadInput` with everything that is wrong with its grid.

    Entries keep their order. Within one, the parameters vary in a fixed order, the last one fastest, and
    values keep theirs.
    """
    expansion = _Expansion(sweep.where, sweep.settings, sweep.vectors, skip=sweep.invalid == "skip")
    for index, entry in enumerate(sweep.grid):
        expansion.add(entry, ("grid", index))
    problems = list(dict.fromkeys(expansion.problems))
    names = [config.name for config in expansion.configs]
    if not problems and not names:
        what = "no configuration is left" if expansion.skipped else "the grid is empty"
        remedy = "Write one line a strategy, such as - {strategy: fixed, size: [96, 192]}"
        problems += [*expansion.skipped, Problem(sweep.where(("grid",)), what, remedy)]
    if not problems and sweep.baseline is not None and sweep.baseline not in names:
        what = f"baseline {sweep.baseline!r} is no configuration of the grid"
        problems.append(Problem(sweep.where(("baseline",)), what, nearest(sweep.baseline, names)))
    if problems:
        raise BadInput(problems)
    return Grid(tuple(expansion.configs), tuple(dict.fromkeys(expansion.skipped)))


class _Expansion:
    """Builds configurations one by one and keeps what came of each."""

    def __init__(self, where: Where, settings: Settings, vectors: tuple[str, ...], skip: bool) -> None:
        self.where, self.settings, self.vectors, self.skip = where, settings, vectors, skip
        self.configs: list[RunConfig] = []
        self.problems: list[Problem] = []
        self.skipped: list[Problem] = []
        self._seen: dict[str, str] = {}
        self._names: set[str] = set()

    def add(self, entry: Entry, key: Key) -> None:
        """Every configuration of one line of the grid."""
        if not isinstance(entry, Mapping):
            self._problem(
                key, "a line of the grid is not a map", "Write it as {strategy: fixed, size: [96, 192]}"
            )
            return
        if "strategy" not in entry:
            known = ", ".join(sorted(strategies.STRATEGIES))
            self._problem(key, "a line of the grid has no strategy", f"Write strategy: and one of {known}")
            return
        for place, name in axis((*key, "strategy"), entry["strategy"]):
            try:
                strategies.find(str(name))
            except BadInput as error:
                for problem in error.problems:
                    self.problems.append(Problem(self.where(place), problem.what, problem.remedy))
            else:
                self._add_strategy(str(name), place, entry, key)

    def _add_strategy(self, name: str, place: Key, entry: Entry, key: Key) -> None:
        axes = self._axes(name, entry, key)
        combinations = math.prod(len(values) for values in axes.values()) * len(self.vectors)
        if len(self.configs) + combinations > MAX_CONFIGURATIONS:
            what = f"a line of the grid makes {combinations} configurations, too many for one sweep"
            self._problem(key, what, f"Stay under {MAX_CONFIGURATIONS} in all")
            return
        said = entry.keys() - axes.keys()  # parameters that were left out with a problem of their own
        for chosen in itertools.product(*axes.values()):
            places = {parameter: each[0] for parameter, each in zip(axes, chosen, strict=True)}
            values = {parameter: each[1] for parameter, each in zip(axes, chosen, strict=True)}
            modifying = {key: values.pop(key) for key in _MODIFIERS if key in values}
            problems: list[Problem] = []
            strategy = attempt(problems, strategies.find(name), values, name)
            modifiers = attempt(problems, Modifiers, modifying, name)
            for problem in problems:
                if problem.where not in said:
                    self._refuse(problem, places, place, name, values)
            if strategy is not None:
                for vectors in self.vectors:
                    # A wrong modifier is noted; the rest is looked at all the same.
                    self._keep(strategy, modifiers or PLAIN, vectors, places.get("size", place))

    def _axes(self, name: str, entry: Entry, key: Key) -> dict[str, list[tuple[Key, Any]]]:
        """Parameter -> its values with their places. Unknown and empty ones are noted and left out."""
        told = (*strategies.parameters(strategies.find(name)), *_MODIFIERS.values())
        known = {parameter.name: parameter for parameter in told}
        axes: dict[str, list[tuple[Key, Any]]] = {}
        for parameter in sorted(entry.keys() - {"strategy"}, key=_rank):
            place, written = (*key, parameter), entry[parameter]
            if parameter not in known:
                remedy = nearest(parameter, known)
                self.problems.append(Problem(self.where(place), f"{name} has no {parameter}", remedy))
            elif written == [] and not _is_one_list(known.get(parameter), written):
                self._problem(place, f"{parameter} is an empty list", "Give a value, or leave the key out")
            elif _is_one_list(known.get(parameter), written):
                axes[parameter] = [(place, written)]
            else:
                axes[parameter] = axis(place, written)
        return axes

    def _refuse(
        self,
        problem: Problem,
        places: Mapping[str, Key],
        otherwise: Key,
        name: str,
        values: Mapping[str, Any],
    ) -> None:
        """Note why a configuration cannot be built; `skip` forgives its pairing, and nothing else."""
        what, (root, *inner) = f"{problem.where} {problem.what}", _path(problem.where)
        parameter = str(root)
        place = (*places[parameter], *inner) if parameter in places else otherwise
        if _RELATIVE.search(parameter) and _is_amount(values.get(parameter)):
            what = f"{_spell(name, values)}: {what}"
            if self.skip:
                self.skipped.append(Problem(self.where(place), what))
                return
        self.problems.append(Problem(self.where(place), what, problem.remedy))

    def _keep(self, strategy: Strategy, modifiers: Modifiers, vectors: str, place: Key) -> None:
        if vectors == "late" and (embeds_more(strategy) or modifiers.headings != "none"):
            what = f"late vectors are pooled from the document's own text, but {strategy.name} "
            what += "embeds more than that" if embeds_more(strategy) else "is given headings to embed"
            self._problem(place, what, "Use vectors: direct for it, in a sweep of its own")
            return
        identity = _json([*_deciding(strategy, modifiers), vectors])
        if identity in self._seen:
            what = f"{self._seen[identity]} stands in the grid twice"
            if self.skip:
                self.skipped.append(Problem(self.where(place), what))
            else:
                self._problem(place, what, "Remove one of them; to measure each twice, write repeats: 2")
            return
        name = _name(strategy, modifiers, vectors)
        if name.casefold() in self._names:  # file systems may ignore case
            name = f"{name[:_MAX_NAME]}-{_digest(identity, 6)}"
        self._names.add(name.casefold())
        self._seen[identity] = name
        self.configs.append(RunConfig(strategy, name, modifiers, vectors, self.settings))

    def _problem(self, key: Key, what: str, remedy: str) -> None:
        self.problems.append(Problem(self.where(key), what, remedy))


def _is_one_list(parameter: Parameter | None, written: Any) -> bool:
    """Whether a list is one value of a parameter that takes lists, and not an axis."""
    takes_lists = parameter is not None and "list of" in parameter.type
    return (
        takes_lists
        and isinstance(written, list | tuple)
        and not any(isinstance(item, list | tuple) for item in written)
    )


def _is_amount(value: Any) -> bool:
    """Whether a value is of a kind that an overlap may be: a number, or a share."""
    if isinstance(value, str):
        return re.fullmatch(r"\s*\d+(\.\d+)?\s*%\s*", value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rank(parameter: str) -> tuple[int, str]:
    return (_FIRST.index(parameter) if parameter in _FIRST else len(_FIRST), parameter)


def _spell(name: str, values: Mapping[str, Any]) -> str:
    """A configuration as its user wrote it."""
    return ", ".join([name, *(f"{parameter} {value}" for parameter, value in values.items())])


def _name(strategy: Strategy, modifiers: Modifiers, vectors: str) -> str:
    """The readable name: `fixed-96-24`, `markdown-192-headings=section`, `fixed-96-parents=recursive_768`."""
    words, exact = _words(strategy)
    other = {name: getattr(modifiers, name) for name in _MODIFIERS} | {"vectors": vectors}
    defaults = {name: parameter.default for name, parameter in _MODIFIERS.items()} | {"vectors": "direct"}
    for name in sorted(other):
        if other[name] != defaults[name]:
            shown, whole = _shown(other[name])
            words, exact = [*words, f"{name}={shown}"], exact and whole
    name = "-".join(words)
    if exact and len(name) <= _MAX_NAME:
        return name
    values = [*_deciding(strategy, modifiers), vectors]
    return f"{name[: _MAX_NAME - 7].rstrip('-=')}-{_digest(values, 6)}"


def _deciding(strategy: Strategy, modifiers: Modifiers) -> list[Any]:
    """What decides every chunk."""
    return [strategies.canonical(strategy, deciding=True), as_record(modifiers, deciding=True)]


def _words(strategy: Strategy) -> tuple[list[str], bool]:
    """A strategy's name and what it says beside its defaults, and whether that tells it from all others."""
    told = {
        parameter.name: parameter
        for parameter in strategies.parameters(type(strategy))
        if parameter.name in as_record(strategy, deciding=True) and parameter.name not in _UNNAMED
    }
    words, exact = [_shown(strategy.name)[0]], True
    for name in sorted(told, key=_rank):
        value = getattr(strategy, name)
        if value is None or (as_json(value) == told[name].default and name != "size"):
            continue
        if name not in _FIRST and _goes_without_saying(strategy, name):
            continue
        shown, whole = _shown(value)
        exact &= whole
        words.append(shown if name in _FIRST else f"{name}={shown}")
    return words, exact


def _goes_without_saying(strategy: Strategy, name: str) -> bool:
    """Whether the strategy is the same if a parameter is left out: its value follows from the others."""
    others = {key: value for key, value in as_record(strategy).items() if key != name}
    return attempt([], type(strategy), others, strategy.name) == strategy


def _shown(value: Any) -> tuple[str, bool]:
    """A value as part of a name, and whether nothing of it was left out."""
    if isinstance(value, Strategy):
        words, exact = _words(value)
        return "_".join(words), exact
    form = as_json(value)
    text = str(form).lower() if isinstance(form, bool) else form if isinstance(form, str) else _json(form)
    readable = "_".join(_READABLE.findall(text))
    return readable, readable == text


def _path(where: str) -> list[str | int]:
    """The place that a problem names, step by step.

    >>> _path("routes[1].use.size")
    ['routes', 1, 'use', 'size']
    """
    steps = re.findall(r"[^.\[\]]+", where)
    return [int(step) if step.isdecimal() else step for step in steps]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _digest(value: Any, digits: int) -> str:
    return hashlib.sha256(_json(value).encode()).hexdigest()[:digits]
