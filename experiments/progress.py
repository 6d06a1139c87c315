"""How a sweep is coming along: what runs, how far, how long still, and who leads.

On a terminal a display that moves, elsewhere one line a configuration, with `--quiet` nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from experiments.columns import measure
from experiments.leaderboard import Leaderboard, one_line, ranked, shown
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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._headline = headline
        self._remaining = TimeLeft(clock)
        self._name = self._phase = ""
        self._index = self._total = 0
        self._leading: list[RunRecord] = []
        self._leaderboard: Leaderboard | None = None
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
        if name == "embedding":
            self._remaining.embedding()

    def embedded(self, done: int, total: int) -> None:
        """Move the bar."""
        self._remaining.embedded(done, total)

    def configuration_finished(self, record: RunRecord) -> None:
        """Keep it if it leads."""
        self._remaining.finished()
        self._index += 1
        self._failed += record.status == "failed"
        if record.status == "finished" and self._headline in record.metrics:
            # Made here, once, and without the rows of chunks and questions: what the display's thread does
            # four times a second is taken from the time of what is being measured.
            held = [*self._leading, replace(record, chunks=(), questions=())]
            rows = ranked(wide(held).rows(), self._headline)[:LEADING_ROWS]
            first = {row["config_id"] for row in rows}
            self._leading = [one for one in held if one.config_id in first]
            self._leaderboard = Leaderboard(wide(self._leading), self._headline)

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
        if self._leaderboard:
            parts.insert(0, self._leaderboard)
        return Group(*parts)


class TimeLeft:
    """An estimate: the rest of the current configuration, and for each after it what one took so far."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._index = self._total = 0
        self._finished_s = 0.0
        self._embedded_at: float | None = None
        """When all of the current configuration will be embedded; None before the first report."""
        self._begin()

    def started(self, index: int, total: int) -> None:
        """Configuration `index` of `total` begins."""
        self._index, self._total = index, total
        self._begin()

    def embedding(self) -> None:
        """The current configuration begins to embed."""
        self._embedding_since = self._clock()

    def embedded(self, done: int, total: int) -> None:
        """`done` of this configuration's `total` tokens are embedded; the others will take as long each."""
        now = self._clock()
        self._embedded_share = done / total if total else 1.0
        if done:
            self._embedded_at = now + (now - self._embedding_since) / done * (total - done)

    def finished(self) -> None:
        """The configuration ended."""
        self._finished_s += self._clock() - self._since
        self._index += 1
        self._begin()

    def share(self) -> float:
        """How far, 0 to 1: configurations, and of the current one how much is embedded."""
        return min(1.0, (self._index + self._embedded_share) / self._total) if self._total else 0.0

    def seconds(self) -> float | None:
        """Time left; None while too little is known. Changes nothing: the display's own thread asks."""
        now, embedded_at = self._clock(), self._embedded_at
        rests = []
        if self._index:
            rests.append(self._finished_s / self._index - (now - self._since))
        if embedded_at is not None:
            rests.append(embedded_at - now)
        if not rests:
            return None
        rest = max(0.0, *rests)
        # The current one counts too: it may be the first that no cache provides for.
        mean = (self._finished_s + now - self._since + rest) / (self._index + 1)
        after = self._total - self._index - 1
        return rest + mean * after if after >= 0 else 0.0

    def _begin(self) -> None:
        self._embedded_share = 0.0
        self._embedded_at = None
        self._since = self._embedding_since = self._clock()


def progress_for(console: Console, headline: str, *, quiet: bool = False) -> Progress:
    """What suits the console (give it the one of standard error: standard output carries the results)."""
    if quiet:
        return SilentProgress()
    if console.is_terminal and not console.is_dumb_terminal:
        return SweepProgress(console, headline)
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
