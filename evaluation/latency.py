"""Times, told apart and summed up honestly."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np


class Stopwatch:
    """Milliseconds of a block, by a clock that never jumps."""

    ms: float = 0.0


@contextmanager
def stopwatch() -> Iterator[Stopwatch]:
    """Time a block: `with stopwatch() as watch: ...` then `watch.ms`."""
    watch, started = Stopwatch(), time.perf_counter()
    try:
        yield watch
    finally:
        watch.ms = (time.perf_counter() - started) * 1000


def median_and_p95(times_ms: Sequence[float]) -> tuple[float, float] | None:
    """Median and 95th percentile; None where nothing was timed. An average hides the slow ones.

    >>> median_and_p95([1.0, 2.0, 3.0, 4.0, 100.0])
    (3.0, 80.8)
    """
    if not len(times_ms):
        return None
    median, p95 = np.percentile(np.asarray(times_ms, dtype=np.float64), [50, 95])
    return float(median), round(float(p95), 6)
