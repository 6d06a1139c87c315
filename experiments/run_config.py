"""One configuration of a sweep, and what makes two of them the same experiment."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import strategies
from evaluation.misses import headline_budget
from evaluation.search import Search
from evaluation.settings import Settings
from strategies.document import Scalar
from strategies.modifiers import PLAIN, Modifiers
from strategies.nesting import needs, units, walk
from strategies.parameters import as_record, parameters
from strategies.strategy import Need, Strategy

FIRST = ("strategy", "unit", "size", "overlap")
"""Parameters in the order in which a grid varies them and a name shows them; the rest by alphabet."""

MODIFIERS = {parameter.name: parameter for parameter in parameters(Modifiers)}
"""What every strategy takes beside its own parameters."""


@dataclass(frozen=True, slots=True)
class RunConfig:
    """One configuration: how documents are cut, indexed and searched, and what is scored."""

    strategy: Strategy
    name: str
    """Readable, unique in its grid, safe as a file name; says what differs from the defaults."""
    modifiers: Modifiers = PLAIN
    search: Search = dataclasses.field(default_factory=Search)
    settings: Settings = dataclasses.field(default_factory=Settings)

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """All that cut: the strategy, that of the parents, and those inside them."""
        return tuple(walk(*self.modifiers.cutters(self.strategy)))

    @property
    def needs(self) -> tuple[Need, ...]:
        """What is asked for while documents are cut."""
        return needs(*self.modifiers.cutters(self.strategy))

    @property
    def units(self) -> tuple[str, ...]:
        """What is counted, each unit once."""
        return units(*self.modifiers.cutters(self.strategy))

    @property
    def versions(self) -> dict[str, str]:
        """What decides the cuts beside parameters and the core's libraries: library -> version."""
        found = {library: version for one in self.strategies for library, version in one.versions().items()}
        judging = {} if self.settings.judge is None else self.settings.judge.versions()
        return found | self.search.versions() | judging

    def canonical(self) -> dict[str, Any]:
        """Everything that decides the measured values, in one form: equal where configurations are.

        Of the headline, only the budget that a question must be answerable in decides a value.
        """
        settings = dataclasses.asdict(self.settings) | {"miss_budget": headline_budget(self.settings)}
        del settings["headline"], settings["judge"]
        judge = self.settings.judge
        return {
            **({} if judge is None else {"judge": as_record(judge, deciding=True)}),
            **as_record(self.modifiers, deciding=True),
            "settings": {name: _plain(value) for name, value in settings.items()},
            "strategy": strategies.canonical(self.strategy, deciding=True),
            "search": as_record(self.search, deciding=True),
        }

    def params(self) -> dict[str, Scalar]:
        """What tells this configuration from others, short: lists become text, null is left out."""
        values = {
            **as_record(self.modifiers),
            **{name: _short(value) for name, value in self.search.told().items()},
            **strategies.canonical(self.strategy),
        }
        if self.settings.filter:
            values["filter"] = dict(self.settings.filter)
        if self.settings.judge and self.settings.judge.model:
            values["judge"] = self.settings.judge.model.model
        return {
            name: value if isinstance(value, str | int | float | bool) else compact(value)
            for name, value in sorted(values.items(), key=lambda item: rank(item[0]))
            if value is not None
        }

    @property
    def split_key(self) -> str:
        """Equal where all chunks are, embedded text included: the strategy, all its parameters, modifiers."""
        return digest(deciding(self.strategy, self.modifiers), 32)

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
        return f"{self.name}-{digest(identity, 10)}"


def rank(parameter: str) -> tuple[int, str]:
    """Where a parameter stands among others, for sorting."""
    return (FIRST.index(parameter) if parameter in FIRST else len(FIRST), parameter)


def deciding(strategy: Strategy, modifiers: Modifiers) -> list[Any]:
    """What decides every chunk."""
    return [strategies.canonical(strategy, deciding=True), as_record(modifiers, deciding=True)]


def _short(value: Any) -> Any:
    """A part without what it does not say; one that says nothing but its name, as its name."""
    if not isinstance(value, dict):
        return value
    said = {name: one for name, one in value.items() if one is not None}
    return next(iter(said.values())) if len(said) == 1 else said


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def compact(value: Any) -> str:
    """A value as JSON in one form."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any, digits: int) -> str:
    """The first digits of the SHA-256 (hex) of a value's JSON."""
    return hashlib.sha256(compact(value).encode()).hexdigest()[:digits]
