"""`chunksweep run`: the main job, from documents to a recommendation."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from experiments.cli import asking, options

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.results import SweepResult
    from experiments.runner import Launch


def run(
    sweep: asking.SweepArgument = None,
    dataset: options.Dataset = None,
    strategy: asking.Strategy = None,
    unit: asking.Unit = None,
    size: asking.Size = None,
    overlap: asking.Overlap = None,
    headings: asking.Headings = None,
    set_: asking.Set = None,
    embedder: asking.Embedder = None,
    headline: asking.Headline = None,
    experiment: asking.Experiment = None,
    tracking_uri: options.TrackingUri = None,
    cache_dir: options.CacheDir = None,
    skip_bad: options.SkipBad = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure everything again; cached vectors stay.")
    ] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first failed configuration.")
    ] = False,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> int:
    """Run a sweep and compare its configurations.

    Give a sweep file, the name of a ready sweep, or --dataset and --strategy. Configurations that the
    store already holds complete are not run again.
    """
    from rich.console import Console

    from experiments.cache_place import cache_place
    from experiments.mlflow_tracker import MlflowTracker
    from experiments.progress import progress_for
    from experiments.runner import prepare
    from experiments.runner import run as run_launch
    from experiments.store import shown

    asked = asking.asked_sweep(
        sweep,
        dataset,
        experiment,
        embedder=embedder,
        headline=headline,
        axes={"strategy": strategy, "unit": unit, "size": size, "overlap": overlap, "headings": headings},
        sets=set_,
    )
    errors = Console(stderr=True)
    tracker = MlflowTracker(asked.name, tracking_uri, report=options.warn)
    with _status(errors, quiet):
        launch = prepare(asked, tracker, cache_dir=cache_place(cache_dir), skip_bad=skip_bad, fresh=fresh)
    if not quiet:
        _announce(errors, launch)
    progress = progress_for(errors, asked.settings.headline, quiet=quiet)
    result = run_launch(launch, progress=progress, fail_fast=fail_fast)
    if json:
        typer.echo(as_json(result))
    else:
        show(
            Console(),
            result,
            shown(tracker.uri),
            "" if tracking_uri is None else f" --tracking-uri {shlex.quote(tracking_uri)}",
        )
    return 1 if result.failed else 0


def _status(console: Console, quiet: bool) -> Any:
    from contextlib import nullcontext

    return (
        nullcontext()
        if quiet or not console.is_terminal
        else console.status("Checking sweep, data, store and model")
    )


def _announce(console: Console, launch: Launch) -> None:
    """What will run, before it does."""
    from rich.text import Text

    from experiments.paragraph import fold

    for problem in launch.grid.skipped:
        fold(console, Text(f"Left out: {problem}"))
    fold(console, Text(_announced(launch)))


def _announced(launch: Launch) -> str:
    """The sweep in one line."""
    from strategies.errors import counted

    gold, repeats = launch.bench.gold, launch.sweep.repeats
    runs = len(launch.grid.configs) * repeats
    done = runs - len(launch.to_run)
    said = counted(len(launch.grid.configs), "configuration")
    said += f" x {repeats} repeats" if repeats > 1 else ""
    if done:
        said += f", {done:,} of {counted(runs, 'run')} already done"
    return (
        f"{launch.sweep.name}: {said}, {counted(len(gold.documents), 'document')}, "
        f"{counted(len(gold.questions), 'question')}, {launch.bench.embedder.name}"
    )


def show(console: Console, result: SweepResult, store: str, option: str) -> None:
    """The leaderboard, what it says, and where to look; `option` leads other commands to the store."""
    from rich.text import Text

    from experiments.leaderboard import Leaderboard, summary
    from experiments.paragraph import Paragraph, fold

    console.print(Leaderboard(result.table, result.judging.headline))
    console.print()
    where = f"Runs: {store}, experiment {result.name!r}. Look at them with: chunksweep ui{option}"
    tables = f"Tables: chunksweep export {shlex.quote(result.name)} --format csv{option}"
    why = f"Why questions were missed: chunksweep diagnose {shlex.quote(result.name)}{option}"
    asked = "dev questions" if result.judging.test_questions else "questions"
    console.print(
        summary(
            result.recommendation.sentence,
            warnings=result.notes,
            misses=result.misses(),
            title=f"Why {result.recommendation.best}, the best measured, missed {asked}:",
            ui=f"\n{where}\n{tables}\n{why}",
        )
    )
    if result.sensitivity and result.sensitivity not in result.notes:
        console.print(Paragraph(Text(result.sensitivity, style="dim")))
    if result.traffic:
        fold(console, Text(f"Traffic: {result.traffic}", style="dim"))
    if not result.ran:
        console.print(
            Paragraph(
                Text(
                    "Nothing was left to run: every configuration is recorded already "
                    "(--fresh measures again)."
                )
            )
        )


def as_json(result: SweepResult) -> str:
    """The result for a script: recommendation and table."""
    from dataclasses import asdict
    from json import dumps

    return dumps(
        {
            "name": result.name,
            "recommendation": asdict(result.recommendation),
            "notes": list(result.notes),
            "sensitivity": result.sensitivity,
            "ran": result.ran,
            "traffic": result.traffic,
            "configurations": [dict(row) for row in result.table.rows()],
        },
        allow_nan=False,
        indent=1,
    )
