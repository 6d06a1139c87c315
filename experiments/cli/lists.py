"""`chunksweep list`: what there is to choose from."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.cli import options
from strategies.errors import BadInput, Problem, nearest

if TYPE_CHECKING:
    from evaluation.stores import Store
    from strategies.libraries.library import Library


class What(StrEnum):
    """What can be listed."""

    STRATEGIES = "strategies"
    MODIFIERS = "modifiers"
    STORES = "stores"
    METRICS = "metrics"
    FORMATS = "formats"
    DATASETS = "datasets"
    SWEEPS = "sweeps"


def list_(
    what: Annotated[
        What,
        typer.Argument(
            help="strategies, modifiers, stores, metrics, formats, datasets or sweeps.", show_default=False
        ),
    ],
    names: Annotated[
        list[str] | None, typer.Argument(help="Only these.", metavar="[NAME]...", show_default=False)
    ] = None,
    json: options.Json = False,
) -> None:
    """List what there is to choose from.

    Strategies with their parameters, ours and those of libraries; modifiers, which every strategy takes
    beside its own parameters; stores of vectors; metrics; formats of other tools' gold sets; bundled data
    sets; ready sweeps.
    """
    from json import dumps

    rows = {
        "strategies": _strategies,
        "modifiers": _modifiers,
        "stores": _stores,
        "metrics": _metrics,
        "formats": _formats,
        "datasets": _datasets,
        "sweeps": _sweeps,
    }[what.value]()
    if names:
        known = [row["name"] for row in rows]
        unknown = [Problem(name, f"is none of the {what.value}", nearest(name, known)) for name in names]
        if wrong := [problem for problem in unknown if problem.where not in known]:
            raise BadInput(wrong)
        rows = [row for row in rows if row["name"] in names]
    if json:
        typer.echo(dumps(rows, indent=1))
    else:
        _print(rows)


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.text import Text

    from experiments.paragraph import Paragraph

    console = Console()
    for index, row in enumerate(rows):
        if index and row.get("lines"):
            console.print()
        console.print(Text(row["name"], style="bold"))
        console.print(Paragraph(Text(row["description"]), 2))
        for line in row.get("lines", ()):
            console.print(Paragraph(Text(line, style="dim"), 4))


def _strategies() -> list[dict[str, Any]]:
    from dataclasses import asdict

    from strategies import STRATEGIES, THIRD_PARTY, parameters
    from strategies.libraries.library import Library

    rows: list[dict[str, Any]] = []
    for name, cls in {**STRATEGIES, **THIRD_PARTY}.items():
        told = [asdict(parameter) for parameter in parameters(cls)]
        use = _paragraph(cls, "Use it")
        row: dict[str, Any] = {
            "name": name,
            "description": _paragraph(cls),
            "use": use,
            "parameters": told,
            "native": cls.native,
            "needs": list(cls.needs),
            "drops": None,
            "extra": None,
            "installed": True,
            "lines": [*([use] if use else []), *(_NEEDS[need] for need in cls.needs)],
        }
        if issubclass(cls, Library):
            row |= {"drops": cls.drops, "extra": cls.extra, "installed": cls.is_installed()}
            row["lines"] += [f"drops: {cls.drops}", _installed(cls)]
        row["lines"] += [_told(parameter) for parameter in told]
        rows.append(row)
    return rows


def _paragraph(cls: type, beginning: str = "") -> str:
    """The first paragraph of a class's docstring from these words on, on one line; empty if none has them."""
    from inspect import getdoc

    paragraphs = (" ".join(part.split()) for part in (getdoc(cls) or "").split("\n\n"))
    found = (part[part.index(beginning) :] for part in paragraphs if beginning in part)
    return next(found, "")


_NEEDS = {
    "embedder": "needs the embedder to cut, and is charged for it",
    "chat": "asks a language model behind an OpenAI-compatible endpoint, and is charged for it",
}


def _modifiers() -> list[dict[str, Any]]:
    from dataclasses import asdict
    from json import dumps

    from strategies import parameters
    from strategies.modifiers import Modifiers

    return [
        {
            "description": parameter.help,
            "lines": [f"{parameter.type}, default {dumps(parameter.default)}"],
            **{key: value for key, value in asdict(parameter).items() if key not in ("help", "required")},
        }
        for parameter in parameters(Modifiers)
    ]


def _stores() -> list[dict[str, Any]]:
    from dataclasses import asdict

    from evaluation.stores import STORES
    from strategies import parameters

    rows = []
    for name, cls in STORES.items():
        told = [asdict(parameter) for parameter in parameters(cls)]
        rows.append(
            {
                "name": name,
                "description": _paragraph(cls),
                "parameters": told,
                "vector_types": list(cls.vector_types),
                "extra": cls.extra,
                "installed": cls.is_installed(),
                "lines": [
                    f"vector types: {', '.join(cls.vector_types)}",
                    *([_installed(cls)] if cls.extra else []),
                    *(_told(parameter) for parameter in told),
                ],
            }
        )
    return rows


def _installed(part: type[Library] | type[Store]) -> str:
    if part.is_installed():
        return f"{part.distributions[0]} is installed (chunksweep[{part.extra}])"
    return f"not installed: pip install 'chunksweep[{part.extra}]'"


def _told(parameter: dict[str, Any]) -> str:
    from json import dumps

    default = f"default {dumps(parameter['default'], ensure_ascii=False)}"
    need = "required" if parameter["required"] else default
    return f"{parameter['name']}: {parameter['type']}, {need}. {parameter['help']}"


def _metrics() -> list[dict[str, Any]]:
    from evaluation.judging.measures import JUDGED
    from evaluation.metrics import METRICS

    judged = [
        {
            "name": name,
            "description": held.label,
            "unit": "share",
            "direction": "higher",
            "comparable": "by the same judge alone" if held.asks else "not where it counts chunks",
            "source": "ragas 0.4.3",
            "lines": [held.meaning, "only where the sweep's `judge:` names it"],
        }
        for name, held in JUDGED.items()
    ]
    return [
        {
            "name": metric.name,
            "description": metric.label,
            "unit": metric.unit,
            "direction": metric.direction,
            "comparable": metric.comparable,
            "source": metric.source,
            "lines": [
                f"{metric.unit}, better: {metric.direction}; "
                f"comparable across chunkings: {metric.comparable}",
                f"source: {metric.source}",
            ],
        }
        for metric in METRICS.values()
    ] + judged


def _formats() -> list[dict[str, Any]]:
    from dataclasses import asdict

    from evaluation.gold.formats import FORMATS
    from strategies import parameters

    rows = []
    for name, cls in FORMATS.items():
        told = [asdict(parameter) for parameter in parameters(cls)]
        kept = sorted(cls.keeps)
        rows.append(
            {
                "name": name,
                "description": _paragraph(cls),
                "layout": cls.layout,
                "evidence": cls.evidence,
                "keeps": kept,
                "parameters": told,
                "lines": [
                    f"layout: {cls.layout}",
                    f"evidence of a question: {cls.evidence}",
                    *([f"keeps {', '.join(kept)} too"] if kept else []),
                    *(_told(parameter) for parameter in told),
                ],
            }
        )
    return rows


def _datasets() -> list[dict[str, Any]]:
    from evaluation.gold import bundled
    from evaluation.gold.card import read_card

    rows = []
    for name, folder in bundled().items():
        card = read_card((folder / "card.yaml").read_text(encoding="utf-8"), str(folder))[0].raw
        counts = card.get("counts")
        rows.append(
            {
                "name": name,
                "description": str(card.get("description", "")),
                "path": str(folder),
                "counts": counts,
                "lines": [
                    f"{key.replace('_', ' ')}: {value:,}"
                    for key, value in (counts if isinstance(counts, dict) else {}).items()
                ],
            }
        )
    return rows


def _sweeps() -> list[dict[str, Any]]:
    from experiments.sweep import load_sweep, sweeps

    rows = []
    for name, path in sweeps().items():
        first = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        sweep = load_sweep(path)
        from experiments.grid import expand

        configs = [config.name for config in expand(sweep).configs]
        rows.append(
            {
                "name": name,
                "description": first,
                "path": str(path),
                "configurations": configs,
                "lines": [f"{len(configs)} configurations on {sweep.dataset}"],
            }
        )
    return rows
