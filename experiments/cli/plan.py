"""`chunksweep plan`: what a sweep would do, before it does it."""

from __future__ import annotations

import typer

from experiments.cli import asking, options


def plan(
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
    json: options.Json = False,
) -> None:
    """Show what a sweep would do.

    Chunks, texts and tokens to embed, what is cached or done already, and how long it takes.
    """
    from dataclasses import asdict
    from json import dumps

    from rich.console import Console

    from experiments.cache_place import cache_place
    from experiments.mlflow_tracker import MlflowTracker
    from experiments.planning import make_plan, show_plan
    from experiments.runner import prepare

    asked = asking.asked_sweep(
        sweep,
        dataset,
        experiment,
        embedder=embedder,
        headline=headline,
        axes={"strategy": strategy, "unit": unit, "size": size, "overlap": overlap, "headings": headings},
        sets=set_,
    )
    launch = prepare(
        asked,
        MlflowTracker(asked.name, tracking_uri),
        cache_dir=cache_place(cache_dir),
        skip_bad=skip_bad,
        dry=True,
    )
    made = make_plan(launch)
    launch.bench.close()
    if json:
        typer.echo(dumps(asdict(made), allow_nan=False, indent=1))
    else:
        show_plan(Console(), made)
