"""What SIGINT and SIGTERM do to a sweep: they end it, they do not break it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """A signal asked the sweep to stop; what was finished is recorded."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"Stopped by {signal.Signals(number).name}")


class Gate:
    """Lets signals through as `Interrupted`, but not into the middle of a record.

    An exception inside a database's commit would leave its file locked.
    """

    def __init__(self) -> None:
        self._holds = 0
        self._waiting: int | None = None

    def arrive(self, number: int, _: FrameType | None) -> None:
        """A signal came: raise `Interrupted` now, or when the gate opens."""
        if not self._holds:
            raise Interrupted(number)
        self._waiting = number

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Nothing is raised inside; what came meanwhile is raised at the end."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if not self._holds and self._waiting is not None:
                number, self._waiting = self._waiting, None
                raise Interrupted(number)


@contextmanager
def gated_signals() -> Iterator[Gate]:
    """Both signals go through a gate inside; only the main thread can be reached by them."""
    gate = Gate()
    if threading.current_thread() is not threading.main_thread():
        yield gate
        return
    before = {number: signal.signal(number, gate.arrive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield gate
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
