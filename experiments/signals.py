"""What SIGINT and SIGTERM do to a sweep: they end it, they do not break it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupted(BaseException):
    """A signal asked the sweep to stop; what was finished is recorded."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"Stopped by {signal.Signals(number).name}")


@contextmanager
def signals_raise() -> Iterator[None]:
    """Inside, both signals raise `Interrupted`, so that a stopped sweep can close its runs."""

    def stop(number: int, _: FrameType | None) -> None:
        raise Interrupted(number)

    with _handled_by(stop):
        yield


@contextmanager
def signals_wait() -> Iterator[None]:
    """Inside, both signals are ignored: a second Ctrl-C must not break the closing of runs."""
    with _handled_by(signal.SIG_IGN):
        yield


@contextmanager
def _handled_by(handler: Any) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
