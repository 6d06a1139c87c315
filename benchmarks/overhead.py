"""What a cold sweep of the handbook spends on anything but embedding.

    python benchmarks/overhead.py [SWEEP]

Runs the sweep (default: first-look) in this process with an empty vector cache and a store that exists
already, and exits 1 if everything but embedding takes more than 20 % of the wall time. Loading the model
counts as embedding; start-up, checks, splitting, indexing, searching, scoring and recording do not.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIMIT = 0.20


def main(name: str) -> int:
    """Print where the time went."""
    started = time.perf_counter()
    from experiments.mlflow_tracker import MlflowTracker
    from experiments.runner import prepare, run
    from experiments.sweep import load_sweep

    with tempfile.TemporaryDirectory(prefix="chunksweep-overhead-") as folder:
        uri = f"sqlite:///{Path(folder) / 'mlflow.db'}"
        making = time.perf_counter()
        MlflowTracker("unused", uri).check(["any"])
        making = time.perf_counter() - making

        sweep = load_sweep(name)
        launch = prepare(sweep, MlflowTracker(sweep.name, uri), cache_dir=Path(folder) / "cache")
        spent: dict[str, float] = {}
        desk, tracker = launch.bench.desk, launch.tracker
        _time(spent, "embedding", desk, "prepare")
        _time(spent, "splitting", launch.bench, "split")
        for method in ("start", "mark", "close", "describe", "write"):
            _time(spent, "recording", tracker, method)
        prepared = time.perf_counter()
        result = run(launch)
        ended = time.perf_counter()

    wall = ended - started - making
    other = wall - spent["embedding"]
    print(f"{len(result.records)} configurations, {desk.traffic.line()}")
    print(f"wall time {wall:.1f} s, without {making:.1f} s for making a new MLflow store")
    print(f"  start-up and checks {prepared - started - making:.1f} s")
    for part, seconds in spent.items():
        print(f"  {part} {seconds:.1f} s")
    rest = ended - prepared - sum(spent.values())
    print(f"  searching, scoring and comparing {rest:.1f} s")
    print(f"everything but embedding: {other / wall:.1%} of the wall time (limit {LIMIT:.0%})")
    return 0 if other / wall <= LIMIT else 1


def _time(spent: dict[str, float], part: str, owner: Any, method: str) -> None:
    inner: Callable[..., Any] = getattr(owner, method)

    def timed(*args: Any, **more: Any) -> Any:
        started = time.perf_counter()
        try:
            return inner(*args, **more)
        finally:
            spent[part] = spent.get(part, 0.0) + time.perf_counter() - started

    setattr(owner, method, timed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "first-look"))
