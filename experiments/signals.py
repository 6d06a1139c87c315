"""What SIGINT and SIGTERM do to long work, and to work that writes: they end it, they do not break it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

SAME_S = 1.0
"""A signal that comes again so soon is the same: `timeout` sends it to a process and to its whole group."""


class Interrupted(BaseException):
    """A signal asked the work to stop; where it `goes_on`, what was finished is recorded."""

    def __init__(self, number: int, *, goes_on: bool = True) -> None:
        self.number = number
        after = " What was finished is recorded; the same command goes on." if goes_on else ""
        super().__init__(f"Stopped by {signal.Signals(number).name}.{after}")


class Gate:
    """Lets signals through as `Interrupted`, but not into the middle of a record.

    An exception inside a database's commit would leave its file locked.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, goes_on: bool = True) -> None:
        self._clock = clock
        self._goes_on = goes_on
        self._raised_s: float | None = None
        self._holds = 0
        self._waiting: int | None = None

    def arrive(self, number: int, _: FrameType | None) -> None:
        """A signal came: raise `Interrupted` now, or when the gate opens; soon after, it is the same one."""
        if self._raised_s is not None and self._clock() - self._raised_s < SAME_S:
            return
        self._waiting = number
        if not self._holds:
            self._open()

    def _open(self) -> None:
        number, self._waiting = self._waiting, None
        if number is not None:
            self._raised_s = self._clock()
            raise Interrupted(number, goes_on=self._goes_on)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Nothing is raised inside; what came meanwhile is raised at the end."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if not self._holds:
                self._open()


@contextmanager
def gated_signals(*, goes_on: bool = True) -> Iterator[Gate]:
    """Both signals go through a gate inside; only the main thread can be reached by them.

    `goes_on`: whether the same command, run again, goes on where it was stopped.
    """
    gate = Gate(goes_on=goes_on)
    if threading.current_thread() is not threading.main_thread():
        yield gate
        return
    before = {number: signal.signal(number, gate.arrive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield gate
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
