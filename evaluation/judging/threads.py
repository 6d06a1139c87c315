"""Work on many items at once that a signal need not wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_threads(work: Callable[[T], R], items: Sequence[T], concurrency: int) -> Iterator[tuple[int, R]]:
    """The place of each item and what came of it, as it comes; raises what `work` raises.

    The threads are daemons, and take nothing new once the iterator is closed or a signal breaks it off.
    """
    todo: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, R | None, BaseException | None]] = SimpleQueue()
    stop = Event()

    def go() -> None:
        while not stop.is_set():
            try:
                place = todo.get_nowait()
            except Empty:
                return
            try:
                done.put((place, work(items[place]), None))
            except BaseException as error:  # is raised where the results are read
                done.put((place, None, error))

    try:
        for place in range(len(items)):
            todo.put(place)
        for _ in range(min(concurrency, len(items))):
            Thread(target=go, daemon=True).start()
        left = len(items)
        while left:
            with suppress(Empty):  # a signal that came just before the wait is seen after it
                place, result, error = done.get(timeout=1)
                left -= 1
                if error is not None:
                    raise error
                yield place, result  # type: ignore[misc]  # there, where no error is
    finally:
        stop.set()
