"""A sweep from the command line: a file, a ready sweep's name, or options alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strategies.errors import BadInput, Problem

if TYPE_CHECKING:
    from experiments.sweep import Sweep

SweepArgument = Annotated[
    str | None,
    typer.Argument(metavar="FILE|NAME", help="Sweep file, or a ready sweep.", show_default=False),
]
Strategy = Annotated[
    str | None, typer.Option(help="Without a file: strategies, as fixed,recursive.", show_default=False)
]
Unit = Annotated[
    str | None, typer.Option(help="Without a file: unit of size and overlap.", show_default=False)
]
Size = Annotated[str | None, typer.Option(help="Without a file: sizes, as 128,256.", show_default=False)]
Overlap = Annotated[str | None, typer.Option(help="Without a file: overlaps, as 0,10%.", show_default=False)]
Headings = Annotated[
    str | None,
    typer.Option(help="Without a file: none,section,document before what is embedded.", show_default=False),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Without a file: another parameter; a list in brackets, as isolate=[table,code]; "
        "a strategy in braces, as parents={strategy: fixed, size: 400}.",
        show_default=False,
    ),
]
Experiment = Annotated[
    str | None,
    typer.Option("--experiment", help="Name of the sweep, its experiment in MLflow.", show_default=False),
]
Headline = Annotated[
    str | None,
    typer.Option(
        help="The score to decide by, instead of the sweep's, as context_recall_at_256_tokens; its budget "
        "or depth is measured, too.",
        show_default=False,
    ),
]
Embedder = Annotated[
    str | None, typer.Option(help="Without a file: the embedding model.", show_default=False)
]


def asked_sweep(
    reference: str | None,
    dataset: str | None,
    experiment: str | None,
    *,
    embedder: str | None,
    headline: str | None,
    axes: dict[str, str | None],
    sets: list[str] | None,
) -> Sweep:
    """The sweep that a command line describes. Raises BadInput."""
    from experiments.sweep import load_sweep, sweep_from_options, sweeps

    given = {key: value for key, value in axes.items() if value is not None} | pairs(sets or [])
    if reference is not None:
        extra = [*given, *(["embedder"] if embedder else [])]
        if extra:
            raise BadInput(
                [
                    Problem(f"--{key}", f"does not go with {reference}", "Write it into the sweep file")
                    for key in extra
                ]
            )
        return load_sweep(reference, dataset=dataset, name=experiment, headline=headline)
    missing = [
        name for name, value in (("dataset", dataset), ("strategy", axes.get("strategy"))) if not value
    ]
    if missing:
        raise BadInput(
            [
                Problem(
                    f"--{missing[0]}",
                    "is missing",
                    f"Name a sweep file or a ready sweep ({', '.join(sweeps())}), "
                    "or give --dataset and --strategy",
                )
            ]
        )
    fields: dict[str, Any] = {"embedder": embedder} if embedder else {}
    assert dataset is not None
    place = dataset if "/" not in dataset else str(Path(dataset).expanduser())
    return sweep_from_options(place, given, name=experiment, headline=headline, **fields)


def pairs(sets: list[str]) -> dict[str, str]:
    """`["sentences=3"]` as a dict. Raises BadInput."""
    pairs, problems = {}, []
    for text in sets:
        key, equals, value = text.partition("=")
        if equals and key:
            pairs[key.strip()] = value.strip()
        else:
            problems.append(Problem("--set", f"{text!r} is not KEY=VALUE", "Write --set sentences=3"))
    if problems:
        raise BadInput(problems)
    return pairs
