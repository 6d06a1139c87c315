"""Where the runs of a sweep are recorded: the contract, and a tracker that keeps them in memory.

A launch of a sweep goes through a tracker like this:

    tracker.close_stale()                   runs of a launch that was killed
    done = tracker.completed(config_ids)    what need not run again
    tracker.check(names)                    only if something is left: does the store take what will come?
    tracker.describe(text)                  by what the launch is judged
    handle = tracker.start(...)             once a configuration; the first one opens the launch
    handle.finish(record)                   or .fail(record), or .kill()
    tracker.mark(verdicts)                  which runs are the best, of those compared
    tracker.close("finished", ...)
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from experiments.metric_names import spellings
from experiments.records import RunRecord, Status, newest
from strategies.document import Scalar
from strategies.errors import ChunksweepError

Key = tuple[str, int]
"""`RunRecord.key`: configuration id and repeat."""

NONE: Mapping[str, Any] = MappingProxyType({})

MARKS = ("recommended", "best", "tied", "pareto")
"""What a comparison says of a run."""


class TrackingError(ChunksweepError):
    """The store failed while runs were being recorded."""


@dataclass(frozen=True, slots=True)
class DataInput:
    """The data set that a launch reads."""

    name: str
    digest: str
    """SHA-256 of every document and question."""
    source: str
    """Its folder."""


class Handle(Protocol):
    """A configuration that is running; ended by exactly one call."""

    run_id: str

    def finish(self, record: RunRecord) -> RunRecord:
        """Record what was measured; the run counts as complete once this returns. Gives `run_id` to it."""

    def fail(self, record: RunRecord) -> RunRecord:
        """Record why there is no result."""

    def kill(self) -> None:
        """End it without a record: the process was asked to stop."""


class Tracker(Protocol):
    """Keeps the runs of one experiment, written by one process at a time and read by any."""

    experiment: str

    def check(self, names: Iterable[str]) -> None:
        """Whether the store takes runs, artifacts, and metrics of these names; raises `BadInput`."""

    def completed(self, config_ids: Collection[str] | None = None) -> dict[Key, RunRecord]:
        """The newest finished record of each configuration and repeat, of every launch.

        Of these configurations only; without ids, of all.
        """

    def records(self, config_ids: Collection[str] | None = None) -> tuple[RunRecord, ...]:
        """What `completed` holds, and the newest failure of what never finished."""

    def close_stale(self) -> int:
        """End the runs of processes that died without ending them; how many they were."""

    def describe(self, text: str) -> None:
        """Keep, with the experiment, by what its newest launch is judged; replaces what was kept.

        Writes nothing where that very text is kept already.
        """

    def described(self) -> str | None:
        """What `describe` kept; None if this experiment has had no launch, or one killed while it wrote."""

    def open(self, name: str, data: DataInput | None = None, tags: Mapping[str, Scalar] = NONE) -> None:
        """Say what the launch is called and reads. No run is made before the first `start`."""

    def start(self, config_id: str, name: str, repeat: int, params: Mapping[str, Scalar]) -> Handle:
        """A run of the launch, marked as running."""

    def mark(self, verdicts: Mapping[str, Mapping[str, Scalar]]) -> None:
        """Mark runs, by id, with the newest verdict on them: values of `MARKS`.

        Every other run of the experiment loses its marks. Writes only what changes.
        """

    def close(
        self,
        status: Status,
        metrics: Mapping[str, float] = NONE,
        tags: Mapping[str, Scalar] = NONE,
        artifacts: Mapping[str, str] = NONE,
    ) -> None:
        """End the launch, with what it found as a whole; artifacts are file name -> text."""


@dataclass(slots=True)
class NullTracker:
    """Keeps everything in memory and nothing on disk: for sweeps that need no store, as in tests."""

    experiment: str = "memory"
    kept: list[RunRecord] = field(default_factory=list)
    running: dict[str, Key] = field(default_factory=dict)
    """Run id -> what runs under it."""
    tags: dict[str, dict[str, Scalar]] = field(default_factory=dict)
    """Run id -> its tags; the launch's own under `launch`."""
    launches: list[str] = field(default_factory=list)
    """Names of launches that started a run."""
    description: str | None = None
    _next: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _name: str = "launch"
    _opened: bool = False

    def check(self, names: Iterable[str]) -> None:
        """Names must be storable all the same, so that a later run with a store does not fail."""
        spellings(names)

    def completed(self, config_ids: Collection[str] | None = None) -> dict[Key, RunRecord]:
        """The newest finished record of each configuration and repeat."""
        return newest(record for record in self._of(config_ids) if record.status == "finished")

    def records(self, config_ids: Collection[str] | None = None) -> tuple[RunRecord, ...]:
        """What `completed` holds, and the newest failure of what never finished."""
        return tuple({**newest(self._of(config_ids)), **self.completed(config_ids)}.values())

    def close_stale(self) -> int:
        """Memory does not outlive its process."""
        return 0

    def describe(self, text: str) -> None:
        """Keep by what the newest launch is judged."""
        self.description = text

    def described(self) -> str | None:
        """What `describe` kept."""
        return self.description

    def open(self, name: str, data: DataInput | None = None, tags: Mapping[str, Scalar] = NONE) -> None:
        """Say what the launch is called."""
        self._name, self._opened = name, False
        self.tags["launch"] = dict(tags)

    def start(self, config_id: str, name: str, repeat: int, params: Mapping[str, Scalar]) -> Handle:
        """A run of the launch."""
        if not self._opened:
            self.launches.append(self._name)
            self._opened = True
        run_id = f"run-{next(self._next)}"
        self.running[run_id] = (config_id, repeat)
        return _MemoryHandle(run_id, self)

    def mark(self, verdicts: Mapping[str, Mapping[str, Scalar]]) -> None:
        """Mark runs with the newest verdict on them."""
        launch = self.tags.get("launch", {})
        self.tags = {"launch": launch, **{run_id: dict(marks) for run_id, marks in verdicts.items()}}

    def close(
        self,
        status: Status,
        metrics: Mapping[str, float] = NONE,
        tags: Mapping[str, Scalar] = NONE,
        artifacts: Mapping[str, str] = NONE,
    ) -> None:
        """End the launch."""
        self.tags.setdefault("launch", {}).update(tags, status=status)
        self.running.clear()

    def _of(self, config_ids: Collection[str] | None) -> list[RunRecord]:
        return [record for record in self.kept if config_ids is None or record.config_id in config_ids]


@dataclass(slots=True)
class _MemoryHandle:
    run_id: str
    tracker: NullTracker

    def finish(self, record: RunRecord) -> RunRecord:
        return self._end(record)

    def fail(self, record: RunRecord) -> RunRecord:
        return self._end(record)

    def kill(self) -> None:
        self.tracker.running.pop(self.run_id, None)

    def _end(self, record: RunRecord) -> RunRecord:
        self.tracker.running.pop(self.run_id, None)
        kept = record.with_run_id(self.run_id)
        self.tracker.kept.append(kept)
        return kept
