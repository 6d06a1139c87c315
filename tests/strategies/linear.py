"""Whether work grows with its input or with its square, on a machine that does other work besides."""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

TIMES = 8
"""The large input over the small one: linear work takes 8 times as long, quadratic work 64 times."""


def grows_linearly(work: Callable[[int], object], small: int) -> bool:
    """Whether `work(8 * small)` ever takes less than 40 times as long as `work(small)`, in three tries.

    Noise can only make a try slower than the work is, so one fast try is proof enough.
    """
    work(small)
    return any(_seconds(work, TIMES * small) < 40 * max(_seconds(work, small), 1e-3) for _ in range(3))


def _seconds(work: Callable[[int], object], size: int) -> float:
    begin = thread_time()
    work(size)
    return thread_time() - begin
