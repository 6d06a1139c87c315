"""A sweep's grid as frozen configurations, in an order that does not depend on how the file orders keys."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import strategies
from evaluation.search import SEARCH, Search
from evaluation.settings import Settings
from evaluation.yaml_reading import Key, Where
from experiments.config_name import MAX_NAME, readable_name
from experiments.reading import axis
from experiments.run_config import MODIFIERS, RunConfig, compact, deciding, digest, rank
from experiments.sweep_schema import Entry, Sweep
from strategies.errors import BadInput, Problem, nearest
from strategies.modifiers import PLAIN, Modifiers
from strategies.nesting import walk
from strategies.parameters import Parameter, as_record, attempt
from strategies.strategy import Strategy

MAX_CONFIGURATIONS = 10_000
_RELATIVE = re.compile("overlap|stride")
"""Parameters that must suit another one: a number here may be impossible only beside its partner."""


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
    expansion = _Expansion(sweep.where, sweep.settings, sweep.search, skip=sweep.invalid == "skip")
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

    def __init__(self, where: Where, settings: Settings, search: Mapping[str, Any], skip: bool) -> None:
        self.where, self.settings, self.search, self.skip = where, settings, search, skip
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
        searches = self._searches({key: axes.pop(key) for key in SEARCH if key in axes}, place)
        combinations = math.prod(len(values) for values in axes.values()) * len(searches)
        if len(self.configs) + combinations > MAX_CONFIGURATIONS:
            what = f"a line of the grid makes {combinations} configurations, too many for one sweep"
            self._problem(key, what, f"Stay under {MAX_CONFIGURATIONS} in all")
            return
        said = entry.keys() - axes.keys()  # parameters that were left out with a problem of their own
        for chosen in itertools.product(*axes.values()):
            places = {parameter: each[0] for parameter, each in zip(axes, chosen, strict=True)}
            values = {parameter: each[1] for parameter, each in zip(axes, chosen, strict=True)}
            modifying = {key: values.pop(key) for key in MODIFIERS if key in values}
            problems: list[Problem] = []
            strategy = attempt(problems, strategies.find(name), values, name)
            # Of parents, the size is another by intent; the unit is the same unless it is said.
            unit = {key: value for key, value in values.items() if key == "unit"}
            modifiers = attempt(problems, Modifiers, modifying, name, unit)
            for problem in problems:
                if problem.where not in said:
                    self._refuse(problem, places, place, name, values)
            if strategy is not None:
                for search in searches:
                    where = places.get("size", place)
                    if modifiers is not None:
                        self._keep(strategy, modifiers, search, where)
                    else:  # is noted; whether the line repeats itself is looked at all the same
                        told = [strategies.canonical(strategy), repr(modifying)]
                        self._is_twin(told, readable_name(strategy, PLAIN, Search()), where)

    def _searches(self, axes: dict[str, list[tuple[Key, Any]]], otherwise: Key) -> list[Search]:
        """Every way to search that a line asks for, each once: some differ only in what means nothing."""
        axes = {name: axes[name] for name in SEARCH if name in axes}
        found: dict[Search, None] = {}
        for chosen in itertools.product(*axes.values()):
            places = {name: each[0] for name, each in zip(axes, chosen, strict=True)}
            values = {name: each[1] for name, each in zip(axes, chosen, strict=True)}
            problems: list[Problem] = []
            search = attempt(problems, Search, values, "a search")
            if search is not None:
                found.setdefault(search)
            for problem in problems:
                root, *inner = _path(problem.where)
                where = (*places[str(root)], *inner) if root in places else otherwise
                pair = inner == [] and root in ("vector_type", "candidates") and len(axes) > 1
                if pair and self.skip:
                    self.skipped.append(Problem(self.where(where), f"{problem.where} {problem.what}"))
                else:
                    self.problems.append(
                        Problem(self.where(where), f"{problem.where} {problem.what}", problem.remedy)
                    )
        return list(found)

    def _axes(self, name: str, entry: Entry, key: Key) -> dict[str, list[tuple[Key, Any]]]:
        """Parameter -> its values with their places. Unknown and empty ones are noted and left out."""
        own = strategies.parameters(strategies.find(name))
        known = {parameter.name: parameter for parameter in (*own, *MODIFIERS.values(), *SEARCH.values())}
        # What the sweep says of the search holds for every line that does not say it itself.
        axes = {key: axis((key,), value) for key, value in self.search.items() if key not in entry}
        for parameter in sorted(entry.keys() - {"strategy"}, key=rank):
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

    def _keep(self, strategy: Strategy, modifiers: Modifiers, search: Search, place: Key) -> None:
        if why := _unfit(strategy, modifiers, search.vectors):
            if self.skip:
                self.skipped.append(Problem(self.where(place), why[0]))
            else:
                self._problem(place, *why)
            return
        told = [*deciding(strategy, modifiers), as_record(search, deciding=True)]
        name = readable_name(strategy, modifiers, search)
        if self._is_twin(told, name, place):
            return
        if name.casefold() in self._names:  # file systems may ignore case
            name = f"{name[:MAX_NAME]}-{digest(told, 6)}"
        self._names.add(name.casefold())
        self.configs.append(RunConfig(strategy, name, modifiers, search, self.settings))

    def _is_twin(self, told: list[Any], name: str, place: Key) -> bool:
        """Whether a configuration, told by what decides it, stands in the grid already: that is noted."""
        identity = compact(told)
        if identity not in self._seen:
            self._seen[identity] = name
            return False
        what = f"{self._seen[identity]} stands in the grid twice"
        if self.skip:
            self.skipped.append(Problem(self.where(place), what))
        else:
            self._problem(place, what, "Remove one of them; to measure each twice, write repeats: 2")
        return True

    def _problem(self, key: Key, what: str, remedy: str) -> None:
        self.problems.append(Problem(self.where(key), what, remedy))


def _unfit(strategy: Strategy, modifiers: Modifiers, vectors: str) -> tuple[str, str] | None:
    """Why a strategy cannot go with modifiers or vectors, and what to do; None where it can."""
    more = next((one for one in walk(strategy) if one.embeds_more), None)
    if vectors == "late" and (more or modifiers.headings != "none"):
        why = f"{more.name} embeds more than that" if more else f"{strategy.name} is given headings to embed"
        return (
            f"late vectors are pooled from the document's own text, but {why}",
            "Use vectors: direct for it, or invalid: skip to leave out this pair alone",
        )
    apart = next((one for one in walk(strategy) if not one.joinable), None)
    if modifiers.min_chunk and apart:
        return (
            f"min_chunk joins no chunks of {apart.name}, which embed or return more than their text",
            "Leave it out, or use invalid: skip",
        )
    return None


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


def _spell(name: str, values: Mapping[str, Any]) -> str:
    """A configuration as its user wrote it."""
    return ", ".join([name, *(f"{parameter} {value}" for parameter, value in values.items())])


def _path(where: str) -> list[str | int]:
    """The place that a problem names, step by step.

    >>> _path("routes[1].use.size")
    ['routes', 1, 'use', 'size']
    """
    steps = re.findall(r"[^.\[\]]+", where)
    return [int(step) if step.isdecimal() else step for step in steps]
