"""Many cuts, tracked and compared. From a notebook:

import experiments

result = experiments.run("first-look")       # or a file, or a dict with the keys of a sweep file
result.to_frame()                            # one row a configuration
print(result.recommendation.sentence)
experiments.load("first-look").to_frame()    # what an earlier run recorded
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.results import SweepResult

__all__ = ["load", "run"]


def run(
    sweep: str | Path | Mapping[str, Any],
    *,
    dataset: str | None = None,
    headline: str | None = None,
    tracking_uri: str | None = None,
    cache_dir: Path | str | None = None,
    fresh: bool = False,
    fail_fast: bool = False,
    skip_bad: bool = False,
) -> SweepResult:
    """Run a sweep (a file, a ready sweep's name, or the content of a sweep file) and compare it.

    `dataset` and `headline` replace the sweep's own. Records go to MLflow as on the command line; complete
    ones are not run again unless `fresh`. Raises `strategies.errors.BadInput` before any work if something
    is wrong.
    """
    from experiments.cache_place import cache_place
    from experiments.mlflow_tracker import MlflowTracker
    from experiments.runner import prepare
    from experiments.runner import run as run_launch
    from experiments.sweep import load_sweep, read_sweep, with_headline

    if isinstance(sweep, Mapping):
        content = {**sweep, "dataset": dataset} if dataset else sweep
        asked = read_sweep(with_headline(content, headline) if headline else content)
    else:
        asked = load_sweep(sweep, dataset=dataset, headline=headline)
    launch = prepare(
        asked,
        MlflowTracker(asked.name, tracking_uri, report=warnings.warn),
        cache_dir=cache_place(cache_dir),
        skip_bad=skip_bad,
        fresh=fresh,
    )
    return run_launch(launch, fail_fast=fail_fast)


def load(name: str, *, tracking_uri: str | None = None) -> SweepResult:
    """What an earlier run of a sweep recorded, compared anew."""
    from experiments.exporting import load as load_recorded

    return load_recorded(name, tracking_uri=tracking_uri)
