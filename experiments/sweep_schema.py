"""What a sweep may hold: its keys, their types, defaults and limits."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from evaluation.cost import FREE, Prices
from evaluation.embedding import EmbedderSpec
from evaluation.judging.judge import Judge, read_judge
from evaluation.misses import headline_budget
from evaluation.relevance import RULES
from evaluation.scalars import is_scalar
from evaluation.search import SEARCH
from evaluation.settings import Settings
from evaluation.yaml_reading import Where
from experiments.reading import (
    SHARE,
    Reading,
    any_text,
    axis,
    between,
    dotted,
    one_of,
    share,
    text,
)
from strategies.document import Scalar
from strategies.errors import BadInput, Problem, brief
from strategies.parameters import attempt, parameters
from strategies.sizes import found

Invalid = Literal["refuse", "skip"]
"""What happens to impossible and duplicate configurations of a grid."""

Entry = Mapping[str, Any]
"""One line of a grid: parameter -> value or list of values, as the user wrote it."""

KEYS = {
    "name": "Write name: my-sweep; it becomes the experiment's name in MLflow",
    "dataset": "Write dataset: handbook, or the path of a data set",
    "embedder": "",
    **dict.fromkeys(SEARCH, ""),
    "retrieval": "",
    "filter": "",
    "relevance": "",
    "headline": "",
    "judge": "",
    "baseline": "",
    "margin": "",
    "split": "",
    "prices": "",
    "invalid": "",
    "seed": "",
    "repeats": "",
    "grid": "Write grid: and under it one line a strategy, such as - {strategy: fixed, size: [96, 192]}",
}
"""Every key of a sweep file -> for those that must be there, what to write."""

MAX_REPEATS = 100
MAX_SEED = 2**32 - 1
MAX_K = 10_000
MAX_BUDGET = 10_000_000
MAX_AMOUNT = 10**9
"""Of any number in the grid; no document is that long."""

MAX_NAME = 120
_UNSAFE = frozenset('/\\:*?"<>|')
"""Characters that some file system refuses in a name: exports are called after the sweep."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """What to compare, on what data, judged how. Made and checked by `experiments.sweep`."""

    name: str
    """The experiment's name in MLflow, and the name to export by."""
    dataset: str
    """A bundled set's name, or a path."""
    grid: tuple[Entry, ...]
    settings: Settings = field(default_factory=Settings)
    """What is searched and scored: `retrieval`, `filter`, `relevance` and `headline` of the file."""
    embedder: EmbedderSpec = field(default_factory=EmbedderSpec)
    search: Mapping[str, Any] = field(default_factory=dict)
    """How chunks are indexed and asked, where a line of the grid does not say it: axis -> value or list of
    values, as the user wrote it."""
    baseline: str | None = None
    """Name of the configuration that the others are compared against."""
    margin: float = 0.02
    """Loss of the headline that a user would accept for a cheaper configuration."""
    split: float | None = None
    """Share of the questions that are kept for the report, `split.test` of the file; None chooses on all."""
    prices: Prices = FREE
    """What turns tokens and bytes into money; decides nothing that is measured."""
    invalid: Invalid = "refuse"
    seed: int = 7
    repeats: int = 1
    where: Where = field(default=dotted, compare=False, repr=False)
    """Where the user wrote a value, for messages."""


def read_fields(content: Mapping[str, Any], where: Where) -> tuple[dict[str, Any], list[Problem]]:
    """The fields of a `Sweep` that are given, but its grid; and what is wrong with them."""
    reading = Reading(content, where)
    reading.known(KEYS)
    for key, remedy in KEYS.items():
        if remedy and content.get(key) in (None, ""):
            reading.problems.append(Problem(where((key,)), f"{key} is missing", remedy))
    invalid = one_of(("refuse", "skip"))
    fields = {
        "name": _name(reading),
        "dataset": reading.take("dataset", any_text, "text", ""),
        "settings": _settings(reading),
        "embedder": _embedder(reading),
        "search": _search(reading),
        "baseline": reading.take("baseline", text, "text", ""),
        "margin": reading.take("margin", share, SHARE, -1.0),
        "split": reading.inner("split", ("test",)).take("test", _part, "a number between 0 and 1", -1.0),
        "prices": _prices(reading),
        "invalid": reading.take("invalid", invalid, "one of refuse, skip", ""),
        "seed": reading.take("seed", *between(0, MAX_SEED), -1),
        "repeats": reading.take("repeats", *between(1, MAX_REPEATS), -1),
    }
    absent = ("", -1)
    given = {key: value for key, value in fields.items() if key in ("name", "dataset") or value not in absent}
    return given, reading.problems


def resolve_dataset(written: str, folder: Path | None) -> str:
    """The data set's place: a bare word stays a name, a path is read from the sweep file's folder.

    >>> resolve_dataset("handbook", Path("/sweeps"))
    'handbook'
    """
    is_path = "/" in written or os.sep in written or written.startswith((".", "~"))
    if folder is None or not is_path:
        return written
    return str(folder / os.path.expanduser(written))  # ~nobody stays as it is, and is then no folder


def amount_problems(grid: Iterable[Entry], where: Where) -> list[Problem]:
    """What is wrong with numbers of a grid that no document could ever need."""
    return [
        Problem(where(place), f"{name} is {value}", f"Use at most {MAX_AMOUNT:,}")
        for index, entry in enumerate(grid)
        if isinstance(entry, Mapping)
        for name, written in entry.items()
        for place, value in axis(("grid", index, name), written)
        if isinstance(value, int | float) and value > MAX_AMOUNT
    ]


def _search(reading: Reading) -> dict[str, Any]:
    """The axes that hold for every line of the grid, which checks their values."""
    written = {name: reading.content.get(name) for name in SEARCH}
    for name, value in written.items():
        if value == []:
            reading.problem((name,), "is an empty list", "Give a value, or leave the key out")
    return {name: value for name, value in written.items() if value not in (None, [])}


def _name(reading: Reading) -> str:
    """A name that MLflow, every file system and a command line take."""
    name = reading.take("name", any_text, "text", "")
    bad = sorted({mark for mark in name if mark in _UNSAFE or not mark.isprintable()})
    if bad:
        remedy = "Use letters, digits, spaces and - _ . only"
        reading.problem(("name",), f"holds {brief(' '.join(map(repr, bad)))}", remedy)
    if name != name.strip(" ."):
        reading.problem(("name",), f"is {brief(repr(name))}", "Remove spaces and dots at its ends")
    if len(name) > MAX_NAME:
        reading.problem(("name",), f"is {len(name)} characters long", f"Use at most {MAX_NAME}")
    return name


def _settings(reading: Reading) -> Settings:
    base = Settings()
    retrieval = reading.inner("retrieval", ("k", "token_budgets"))
    rule = reading.take("relevance", one_of(RULES), f"one of {', '.join(RULES)}", str(base.rule))
    settings = Settings(
        ks=tuple(sorted(retrieval.take_all("k", *between(1, MAX_K), base.ks))),
        budgets=tuple(sorted(retrieval.take_all("token_budgets", *between(1, MAX_BUDGET), base.budgets))),
        rule=rule,  # type: ignore[arg-type]  # checked to be one of RULES
        headline=reading.take("headline", text, "text", base.headline),
        filter=_filter(reading),
    )
    return dataclasses.replace(settings, judge=_judge(reading, settings))


def _judge(reading: Reading, settings: Settings) -> Judge | None:
    """A list of measures, or a map; the text that the headline speaks of is judged, unless it is said."""
    written = reading.content.get("judge")
    if written is None:
        return None
    if isinstance(written, list | tuple):
        written = {"metrics": list(written)}
    if not isinstance(written, Mapping):
        what = f"{brief(found(written))}, must be a map or a list"
        reading.problem(("judge",), what, "Write judge: {metrics: [ragas_id_context_recall]}")
        return None
    try:
        judge = read_judge(written)
    except BadInput as error:
        for problem in error.problems:
            steps = (int(s) if s.isdecimal() else s for s in re.findall(r"[^.\[\]]+", problem.where))
            place = reading.where(("judge", *steps))
            reading.problems.append(Problem(place, f"judge: {problem.where} {problem.what}", problem.remedy))
        return None
    if judge.k is None and judge.tokens is None:
        judge = dataclasses.replace(judge, tokens=headline_budget(settings))
    for name, said, key, most in (
        ("k", judge.k, "k", settings.largest_k),
        ("tokens", judge.tokens, "token_budgets", settings.largest_budget),
    ):
        if said is not None and said > most:
            remedy = f"Use at most {most:,}, or add {said} to retrieval.{key}"
            reading.problem(("judge", name), f"is {said:,}, more than is retrieved", remedy)
    return judge


def _part(value: Any) -> float | None:
    """A number between 0 and 1, neither of them."""
    return share(value) or None


def _prices(reading: Reading) -> Prices:
    """A map of the fields of `Prices`, any of them."""
    written = reading.content.get("prices")
    if not isinstance(written, Mapping):
        reading.inner("prices", (prices.name for prices in parameters(Prices)))
        return FREE
    problems: list[Problem] = []
    made = attempt(problems, Prices, written, "prices")
    for problem in problems:
        place = reading.where(("prices", problem.where))
        reading.problems.append(Problem(place, f"{problem.where} {problem.what}", problem.remedy))
    return made or FREE


def _filter(reading: Reading) -> tuple[tuple[str, Scalar], ...]:
    """A map of scalars; a document must have all of them, so a list of values would mean nothing."""
    written = reading.content.get("filter")
    if written is not None and not isinstance(written, Mapping):
        reading.problem(("filter",), f"{brief(found(written))}, must be a map", "Write filter: {year: 2024}")
        return ()
    wanted: dict[str, Scalar] = {}
    for name, value in (written or {}).items():
        if isinstance(name, str) and is_scalar(value):
            wanted[name] = value
        else:
            reading.misfit(("filter", name), value, "one text, number or truth value")
    return tuple(sorted(wanted.items()))


def _embedder(reading: Reading) -> EmbedderSpec:
    """A model's name, or a map of the fields of `EmbedderSpec`."""
    if not isinstance(reading.content.get("embedder"), Mapping):
        return EmbedderSpec(reading.take("embedder", text, "text or a map", EmbedderSpec().model))
    names = [item.name for item in dataclasses.fields(EmbedderSpec)]
    inner = reading.inner("embedder", names)
    given = {"model": inner.take("model", text, "text", EmbedderSpec().model)}
    for name in names[1:]:
        # A prompt may be empty or end in a space; without one, the model's own is used.
        if inner.content.get(name) is not None:
            given[name] = inner.take(name, any_text, "text", "")
    return EmbedderSpec(**given)
