"""How a sweep is coming along: what runs, how far, how long still, and who leads.

On a terminal a display that moves, elsewhere one line a configuration, with `--quiet` nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from experiments.columns import measure
from experiments.leaderboard import Leaderboard, one_line, shown
from experiments.records import RunRecord
from experiments.tables import wide

LEADING_ROWS = 5
BAR_WIDTH = 24


class Progress(Protocol):
    """What a runner tells, in this order for every configuration. Used as a context."""

    def configuration_started(self, name: str, index: int, total: int) -> None:
        """Configuration `index` (the first is 0) of `total` begins."""

    def phase(self, name: str) -> None:
        """What it does now: `splitting`, `embedding`, `indexing`, `searching`, `scoring`."""

    def embedded(self, done: int, total: int) -> None:
        """`done` of the configuration's `total` tokens that no cache held are embedded."""

    def configuration_finished(self, record: RunRecord) -> None:
        """It ended, well or not."""

    def __enter__(self) -> Self:
        """Start to show."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was; never holds an error back."""


class SilentProgress:
    """Shows nothing."""

    def configuration_started(self, name: str, index: int, total: int) -> None:
        """Nothing."""

    def phase(self, name: str) -> None:
        """Nothing."""

    def embedded(self, done: int, total: int) -> None:
        """Nothing."""

    def configuration_finished(self, record: RunRecord) -> None:
        """Nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


class LineProgress(SilentProgress):
    """One line for each configuration that ends: for logs and pipes."""

    def __init__(self, console: Console, headline: str) -> None:
        self._console = console
        self._headline = headline
        self._index = self._total = 0

    def configuration_started(self, name: str, index: int, total: int) -> None:
        """Remember the number for the line."""
        self._index, self._total = index, total

    def configuration_finished(self, record: RunRecord) -> None:
        """Print the line."""
        line = f"[{self._index + 1}/{self._total}] {one_line(record.name)}: {outcome(record, self._headline)}"
        # Not through the console's layout: a log line is never wrapped.
        self._console.print(Text(line), soft_wrap=True)


class SweepProgress(SilentProgress):
    """The moving display: bar, phase, time left and the leading configurations."""

    def __init__(
        self,
        console: Console,
        headline: str,
        tokens_to_embed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`tokens_to_embed`: of all configurations together, those that a cache holds left out."""
        self._headline = headline
        self._remaining = TimeLeft(tokens_to_embed, clock)
        self._name = self._phase = ""
        self._index = self._total = 0
        self._leading: list[RunRecord] = []
        self._failed = 0
        # Standard output is left alone: it carries results, and this console is that of standard error.
        self._live = Live(
            console=console,
            get_renderable=self.display,
            transient=True,
            refresh_per_second=4,
            redirect_stdout=False,
        )

    def configuration_started(self, name: str, index: int, total: int) -> None:
        """Show its name and number."""
        self._name, self._index, self._total, self._phase = name, index, total, ""
        self._remaining.started(index, total)

    def phase(self, name: str) -> None:
        """Show what it does."""
        self._phase = name
        self._remaining.embedding(name == "embedding")

    def embedded(self, done: int, total: int) -> None:
        """Move the bar."""
        self._remaining.embedded(done, total)

    def configuration_finished(self, record: RunRecord) -> None:
        """Keep it if it leads."""
        self._remaining.finished()
        self._index += 1
        self._failed += record.status == "failed"
        if record.status == "finished" and self._headline in record.metrics:
            sign = 1.0 if measure(self._headline).direction == "lower" else -1.0
            leading = sorted([*self._leading, record], key=lambda held: sign * held.metrics[self._headline])
            # A new list, as the display's thread may be reading the old one.
            self._leading = leading[:LEADING_ROWS]

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def display(self) -> RenderableType:
        """What the screen shows now."""
        bar = ProgressBar(total=1.0, completed=self._remaining.share(), width=BAR_WIDTH)
        state = f"{min(self._index + 1, self._total)}/{self._total}"
        state += f", {self._failed} failed" if self._failed else ""
        state += f", about {spoken(left)} left" if (left := self._remaining.seconds()) is not None else ""
        line = Grid.grid(padding=(0, 1, 0, 0))
        line.add_row(bar, Text(state))
        parts: list[RenderableType] = [line, Text(f"{self._phase or 'starting'}: {one_line(self._name)}")]
        if self._leading:
            parts.insert(0, Leaderboard(wide(self._leading), self._headline))
        return Group(*parts)


class TimeLeft:
    """An estimate: tokens to embed at the speed so far, and what else a configuration took so far."""

    def __init__(self, tokens: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._tokens = tokens
        self._clock = clock
        self._done_before = self._done_now = 0
        self._index = self._total = 0
        self._embedding_s = self._other_s = 0.0
        self._since = clock()
        self._is_embedding = False

    def started(self, index: int, total: int) -> None:
        """Configuration `index` of `total` begins."""
        self._lap()
        self._index, self._total = index, total

    def embedding(self, now: bool) -> None:
        """Whether the time from here on goes into embedding."""
        self._lap()
        self._is_embedding = now

    def embedded(self, done: int, total: int) -> None:
        """`done` of this configuration's `total` tokens are embedded."""
        self._lap()
        self._done_now = done
        # A plan may have counted too little; what is known by now is not to be missed.
        self._tokens = max(self._tokens, self._done_before + total)

    def finished(self) -> None:
        """The configuration ended."""
        self._lap()
        self._done_before, self._done_now = self._done_before + self._done_now, 0
        self._index += 1
        self._is_embedding = False

    def share(self) -> float:
        """How far, 0 to 1: by tokens where there are any to embed, by configurations else."""
        if self._tokens:
            return min(1.0, (self._done_before + self._done_now) / self._tokens)
        return self._index / self._total if self._total else 0.0

    def seconds(self) -> float | None:
        """Time left; None while too little is known. Changes nothing: the display's own thread asks."""
        done = self._done_before + self._done_now
        tokens_left = max(0, self._tokens - done)
        if not (done or self._index) or (tokens_left and not done):
            return None
        embedding_s, other_s = self._spent()
        rest = other_s / self._index * (self._total - self._index) if self._index else 0.0
        return rest + (embedding_s / done * tokens_left if tokens_left else 0.0)

    def _spent(self) -> tuple[float, float]:
        """Seconds so far in embedding and in all else."""
        lap = self._clock() - self._since
        return (
            self._embedding_s + (lap if self._is_embedding else 0.0),
            self._other_s + (0.0 if self._is_embedding else lap),
        )

    def _lap(self) -> None:
        self._embedding_s, self._other_s = self._spent()
        self._since = self._clock()


def progress_for(
    console: Console, headline: str, *, tokens_to_embed: int = 0, quiet: bool = False
) -> Progress:
    """What suits the console (give it the one of standard error: standard output carries the results)."""
    if quiet:
        return SilentProgress()
    if console.is_terminal and not console.is_dumb_terminal:
        return SweepProgress(console, headline, tokens_to_embed)
    return LineProgress(console, headline)


def outcome(record: RunRecord, headline: str) -> str:
    """How it ended, in a few words."""
    if record.status != "finished":
        return f"{record.status}: {one_line(record.error)}" if record.error else record.status
    value = record.metrics.get(headline)
    if value is None:
        return f"finished, no {headline}: {one_line(record.reasons.get(headline, 'not measured'))}"
    return f"{headline} {shown(value, measure(headline).unit)}"


def spoken(seconds: float) -> str:
    """A duration in its two largest units.

    >>> spoken(9), spoken(75), spoken(3700)
    ('9 s', '1 min 15 s', '1 h 1 min')
    """
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
