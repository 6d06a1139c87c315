"""Sweeps, from a file, from options, or from plain maps: each checked whole, every problem at once."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluation.metrics import column as metric_column
from evaluation.metrics import expand as expand_metrics
from evaluation.scalars import HALF_PAIR
from evaluation.settings import Settings
from evaluation.yaml_reading import Key, Where, parse_option, parse_scalar, read_yaml
from experiments.grid import Grid, expand
from experiments.reading import dotted, label, not_unicode
from experiments.sweep_schema import (
    KEYS,
    Entry,
    Invalid,
    Sweep,
    amount_problems,
    read_fields,
    resolve_dataset,
)
from strategies.errors import BadInput, Problem, brief, nearest

__all__ = [
    "Entry",
    "Grid",
    "Invalid",
    "Sweep",
    "load_sweep",
    "read_sweep",
    "sweep_from_options",
    "sweeps",
    "with_headline",
]

_FOLDER = Path(__file__).parent / "sweeps"


def sweeps() -> dict[str, Path]:
    """The ready sweeps: name -> file."""
    return {path.stem: path for path in sorted(_FOLDER.glob("*.yaml"))}


def load_sweep(
    reference: str | Path,
    *,
    dataset: str | None = None,
    name: str | None = None,
    headline: str | None = None,
) -> Sweep:
    """The sweep of a file, or a ready one by name; `dataset`, `name` and `headline` replace the file's own.

    Raises `BadInput` with every problem, each with file and line.
    """
    path = _find(reference)
    yaml = read_yaml(path, str(reference) if path == Path(reference) else path.name)
    if yaml.content is None:
        raise BadInput([Problem(yaml.file, "is empty", "Run chunksweep init to write a sweep to start from")])
    if not isinstance(yaml.content, Mapping):
        raise BadInput([Problem(yaml.where(()), "is not a map of keys", "Start with name: my-sweep")])
    given = {"dataset": dataset, "name": name}
    content = {**yaml.content, **{key: value for key, value in given.items() if value is not None}}
    where: Where = yaml.where
    if headline is not None:
        content = with_headline(content, headline)
        where = lambda key: "--headline" if key == ("headline",) else yaml.where(key)  # noqa: E731
    try:
        return read_sweep(content, where=where, folder=None if dataset is not None else path.parent)
    except BadInput as error:
        raise BadInput(sorted(error.problems, key=_line)) from None


def read_sweep(content: Mapping[str, Any], *, where: Where = dotted, folder: Path | None = None) -> Sweep:
    """A sweep of plain maps and lists, as YAML would give them; raises `BadInput` with every problem.

    `where` says where the user finds a value, `folder` what a relative path of the data set starts from.
    """
    if halves := [
        Problem(where(key), f"{label(key)} {HALF_PAIR[0]}", HALF_PAIR[1]) for key in not_unicode(content)
    ]:
        raise BadInput(halves)
    fields, problems = read_fields(content, where)
    entries = content.get("grid")
    if isinstance(entries, Mapping):  # one line of a grid needs no list
        entries = [entries]
    if entries is not None and not isinstance(entries, list | tuple):
        problems.append(Problem(where(("grid",)), "grid is not a list", KEYS["grid"]))
        entries = None
    if entries is None:
        raise BadInput(problems)
    problems.extend(amount_problems(entries, where))
    fields["dataset"] = resolve_dataset(fields["dataset"], folder)
    sweep = Sweep(**fields, grid=tuple(entries), where=where)
    try:
        expand(sweep)
    except BadInput as error:
        problems.extend(error.problems)
    problems.extend(_headline_problems(sweep))
    if problems:
        raise BadInput(problems)
    return sweep


def with_headline(content: Mapping[str, Any], headline: str) -> dict[str, Any]:
    """The content of a sweep with another headline, whose K or budget is measured with the others.

    >>> with_headline({"retrieval": {"token_budgets": [512]}}, "context_recall_at_64_tokens")["retrieval"]
    {'token_budgets': [512, 64]}
    """
    found, retrieval = metric_column(headline), content.get("retrieval")
    changed = {**content, "headline": headline}
    if found is None or found.metric.needs is None or not isinstance(retrieval, Mapping | None):
        return changed
    key = "k" if found.metric.needs == "k" else "token_budgets"
    written = (retrieval or {}).get(key)
    if written is None:
        written = Settings().ks if key == "k" else Settings().budgets
    values = [*written] if isinstance(written, list | tuple) else [written]
    values += [] if found.parameter in values else [found.parameter]
    return {**changed, "retrieval": {**(retrieval or {}), key: values}}


def sweep_from_options(
    dataset: str,
    axes: Mapping[str, str],
    *,
    name: str | None = None,
    headline: str | None = None,
    **fields: Any,
) -> Sweep:
    """A sweep without a file: `axes` holds parameters as a command line gives them.

    Values are parted by commas: `{"strategy": "fixed", "size": "128,256", "overlap": "0,10%"}`; brackets
    and braces hold a list or a map as in a file: `{"isolate": "[table, code]"}`. `fields` are further keys of
    a sweep file, such as `invalid="skip"`.
    """
    entry = {key: _axis(key, value) for key, value in axes.items()}
    default = re.sub(r"[^\w.]+", "-", f"{Path(dataset).name}-{axes.get('strategy', '')}").strip("-._")
    content = {"name": name or default, "dataset": dataset, "grid": [entry], **fields}
    content = content if headline is None else with_headline(content, headline)
    return read_sweep(content, where=_option)


def _axis(key: str, text: str) -> Any:
    if text.strip().startswith(("[", "{")):
        return parse_option(text, _option((key,)))
    return [parse_scalar(part) for part in text.split(",")]


def _headline_problems(sweep: Sweep) -> list[Problem]:
    """The headline must be a score that this sweep computes, and of which more is better."""
    name = sweep.settings.headline
    computed = [
        column.name for column in expand_metrics(sweep.settings) if column.metric.direction == "higher"
    ]
    if name in (*computed, *(sweep.settings.judge.metrics if sweep.settings.judge else ())):
        return []
    place, asked = sweep.where(("headline",)), metric_column(name)
    if asked is None:
        return [Problem(place, f"headline {brief(repr(name))} is no metric", nearest(name, computed))]
    if asked.metric.direction != "higher":
        return [Problem(place, f"headline {name} is not a score to maximise", nearest(name, computed))]
    key = "k" if asked.metric.needs == "k" else "token_budgets"
    what = f"headline {name} needs {asked.parameter} among the {key}"
    return [Problem(place, what, f"Add {asked.parameter} to retrieval.{key}, or choose another headline")]


def _line(problem: Problem) -> int:
    """Its line in the file; what came from an option stands first."""
    line = problem.where.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


def _option(key: Key) -> str:
    """The option that a value came from: `--size`."""
    words = [part for part in key if isinstance(part, str) and part not in ("grid", "retrieval")]
    return f"--{words[-1].replace('_', '-')}" if words else "options"


def _find(reference: str | Path) -> Path:
    path = Path(reference)
    # `os.path` says False where `Path` raises: for names that are too long, and folders that are closed.
    if os.path.isfile(path):
        return path
    ready = sweeps()
    if str(reference) in ready:
        return ready[str(reference)]
    if reference != "" and os.path.isdir(path):
        given = brief(shlex.quote(str(reference)))
        remedy = f"If it is a data set, name it beside a sweep: chunksweep run quick --dataset {given}"
        raise BadInput([Problem(brief(str(reference)), "is a folder, and no sweep", remedy)])
    what = "is no file, and no ready sweep has that name"
    if reference == "":
        what = "its name is empty"
    raise BadInput([Problem(brief(str(reference)) or "sweep", what, nearest(str(reference), ready))])
