"""Calls MLflow without a word on the terminal, and with patience for other processes on the same store."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

from experiments.mlflow_tracker.failures import errors

T = TypeVar("T")

_LOGGERS = ("mlflow", "alembic")
_lock = Lock()
_silenced: list[int] = []
"""Levels of the loggers before the first of the calls that are going on; empty while there is none."""
_calls = 0

_WAIT_S = 120.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


class QuietClient:
    """An MLflow client with each method quiet and patient."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        @wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            with quiet():
                return patiently(lambda: method(*arguments, **options))

        return call


def patiently(call: Callable[[], T], wait_s: float = _WAIT_S) -> T:
    """Call, and again while another process has the SQLite file locked; raises its error after `wait_s`.

    MLflow itself waits 20 s, but not where SQLite sees that waiting alone cannot help. It has undone the
    whole step when it gives up, so that the step can be taken once more.
    """
    end, pause_s = time.monotonic() + wait_s, _FIRST_PAUSE_S
    while True:
        try:
            return call()
        except errors() as error:
            if "database is locked" not in str(error) or time.monotonic() >= end:
                raise
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


@contextmanager
def quiet() -> Iterator[None]:
    """MLflow and Alembic log nothing meanwhile: who calls reports a failure, in one sentence.

    Calls may overlap in any order; the last one gives the loggers their levels back.
    """
    global _calls
    import mlflow  # noqa: F401  # sets up the loggers

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    with _lock:
        _calls += 1
        if _calls == 1:
            _silenced[:] = [logger.level for logger in loggers]
            for logger in loggers:
                logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        with _lock:
            _calls -= 1
            if _calls == 0:
                for logger, level in zip(loggers, _silenced, strict=True):
                    logger.setLevel(level)
