"""The tracker: an experiment a sweep, a parent run a launch, a child run a configuration.

`record.json` is the truth that is read back; params, metrics and tables are for people and for MLflow's own
UI. Everything goes through the client, so that a run which the user has active is never touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from experiments import store
from experiments.metric_names import spellings
from experiments.mlflow_tracker.client import open_client
from experiments.mlflow_tracker.describing import read_description, write_description
from experiments.mlflow_tracker.failures import errors, remedy, sentence
from experiments.mlflow_tracker.probing import delete_probe, probe
from experiments.mlflow_tracker.reading import read_records, tell
from experiments.mlflow_tracker.writing import (
    COMPLETE,
    CONFIGURATION,
    STATUS,
    TAG,
    log,
    now_ms,
    own_tags,
    write_record,
)
from experiments.owner import Owner
from experiments.records import RunRecord, Status, newest
from experiments.tracking import MARKS, NONE, DataInput, Handle, Key, TrackingError
from strategies.document import Scalar
from strategies.errors import refuse


class MlflowTracker:
    """Runs in an MLflow store: an SQLite file, another database, or a server.

    `report` is called with sentences on records that were found damaged and left aside. Whatever fails
    before a run is started raises `BadInput`; while runs are recorded, `TrackingError`.
    """

    def __init__(
        self,
        experiment: str,
        tracking_uri: str | None = None,
        *,
        artifacts: str | None = None,
        report: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Opens nothing yet. Without a URI the store is `store.default_tracking_uri()`.

        `artifacts` is the place for artifacts of an experiment that is made.
        """
        self.uri = tracking_uri or store.default_tracking_uri()
        self.experiment = experiment
        store.check_uri(self.uri)
        folder = store.artifact_folder(self.uri)
        self._artifacts = artifacts or ((folder / experiment).as_uri() if folder else None)
        self._report = report
        self._owner = Owner.myself()
        self._opened: Any = None
        self._experiment_id: str | None = None
        self._launch: tuple[str, DataInput | None, Mapping[str, Scalar]] = (experiment, None, NONE)
        self._parent: str | None = None
        self._told: set[str] = set()

    def check(self, names: Iterable[str]) -> None:
        """Try names, store and artifact place, with a run that is deleted again; raises `BadInput`."""
        spellings(names)
        with self._before_work("takes no experiments"):
            experiment_id = self._ensure_experiment()
        probe(self._client, experiment_id, self._owner)

    def completed(self, config_ids: Collection[str] | None = None) -> dict[Key, RunRecord]:
        """The newest finished record of each configuration and repeat, of every launch."""
        return self._read(f"tags.`{COMPLETE}` = 'true'", config_ids)

    def records(self, config_ids: Collection[str] | None = None) -> tuple[RunRecord, ...]:
        """What `completed` holds, and the newest failure of what never finished."""
        completed = self.completed(config_ids)
        failed = self._read(f"attributes.status = 'FAILED' and {CONFIGURATION}", config_ids, completed)
        return (*failed.values(), *completed.values())

    def close_stale(self) -> int:
        """End, as KILLED, the runs whose process is known to be dead, and delete its probes."""
        with self._before_work():
            stale = [run for run in self._runs("attributes.status = 'RUNNING'") if _is_abandoned(run)]
            for run in stale:
                tags = own_tags({"ended_by": "a later launch, as its own process was gone"})
                log(self._client, run.info.run_id, tags=tags)
                self._kill(run.info.run_id)
            for run in list(self._runs(f"tags.`{TAG}kind` = 'probe'")):
                if _is_abandoned(run):
                    delete_probe(self._client, run)
        return len(stale)

    def describe(self, text: str) -> None:
        """Keep, as tags of the experiment, by what its newest launch is judged."""
        with self._recording():
            if self._described() != text:
                write_description(self._client, self._ensure_experiment(), text)

    def described(self) -> str | None:
        """What `describe` kept; None if this experiment has had no launch, or one killed while it wrote."""
        with self._before_work():
            return self._described()

    def open(self, name: str, data: DataInput | None = None, tags: Mapping[str, Scalar] = NONE) -> None:
        """Say what the launch is called and reads. No run is made before the first `start`."""
        self._launch, self._parent = (name, data, dict(tags)), None

    def start(self, config_id: str, name: str, repeat: int, params: Mapping[str, Scalar]) -> Handle:
        """A child run of the launch, RUNNING, with its params."""
        with self._recording():
            launch, _, tags = self._launch
            if self._parent is None:
                self._parent = self._create_run(launch, {**tags, "kind": "launch"}, {})
            own: dict[str, Scalar] = {
                "kind": "configuration", "config_id": config_id, "repeat": repeat, "name": name,
            }  # fmt: skip
            title = name if repeat == 0 else f"{name} (repeat {repeat})"
            run_id = self._create_run(title, own, {"mlflow.parentRunId": self._parent})
            log(self._client, run_id, params=params)
            return _Run(run_id, self, set(params))

    def mark(self, verdicts: Mapping[str, Mapping[str, Scalar]]) -> None:
        """Tag runs with the newest verdict, and clear that of every other run; writes only what changes."""
        marks = own_tags(dict.fromkeys(MARKS, ""))
        with self._recording():
            for run in list(self._runs(CONFIGURATION)):
                run_id, old = run.info.run_id, run.data.tags
                new = own_tags(verdicts.get(run_id, NONE))
                log(self._client, run_id, tags=dict(new.items() - old.items()))
                for name in marks.keys() & old.keys() - new.keys():
                    self._client.delete_tag(run_id, name)

    def close(
        self,
        status: Status,
        metrics: Mapping[str, float] = NONE,
        tags: Mapping[str, Scalar] = NONE,
        artifacts: Mapping[str, str] = NONE,
    ) -> None:
        """End the launch, if it ever started a run, with what it found as a whole."""
        if self._parent is None:
            return
        run_id, self._parent = self._parent, None
        with self._recording():
            log(self._client, run_id, metrics=metrics, tags=own_tags(tags))
            for file, text in artifacts.items():
                self._client.log_text(run_id, text, file)
            self._client.set_terminated(run_id, STATUS[status])

    def write(self, run_id: str, record: RunRecord, params: Mapping[str, Scalar]) -> None:
        """Store a record and end its run."""
        with self._recording():
            write_record(self._client, run_id, record, params)

    def kill(self, run_id: str) -> None:
        """End a run as KILLED, unless the stop came after its record was complete."""
        with self._recording():
            self._kill(run_id)

    @property
    def _client(self) -> Any:
        if self._opened is None:
            self._opened = open_client(self.uri)
        return self._opened

    @contextmanager
    def _before_work(self, fault: str = "cannot be read") -> Iterator[None]:
        """A failure of the store while another one can still be given: bad input."""
        try:
            yield
        except errors() as error:
            what = f"{store.shown(self.uri)} {fault}: {sentence(error)}"
            raise refuse("tracking store", what, remedy(error)) from error

    @contextmanager
    def _recording(self) -> Iterator[None]:
        """A failure of the store as one sentence."""
        try:
            yield
        except errors() as error:
            raise TrackingError(
                f"the tracking store {store.shown(self.uri)} failed: {sentence(error)}"
            ) from error

    def _kill(self, run_id: str) -> None:
        if COMPLETE not in self._client.get_run(run_id).data.tags:
            self._client.set_terminated(run_id, STATUS["killed"])

    def _described(self) -> str | None:
        experiment_id = self._find_experiment()
        tags = self._client.get_experiment(experiment_id).tags if experiment_id is not None else {}
        return read_description(tags)

    def _find_experiment(self) -> str | None:
        """The experiment's id; None where there is none, or no store at all. Makes neither."""
        path = store.sqlite_path(self.uri)
        if self._experiment_id is None and (path is None or path.exists()):
            found = self._client.get_experiment_by_name(self.experiment)
            if found is not None and found.lifecycle_stage == "deleted":
                restore = f"mlflow experiments restore --experiment-id {found.experiment_id}"
                what = f"{self.experiment!r} was deleted in MLflow, which keeps its name"
                raise refuse("experiment", what, f"Run {restore}, or choose another name with --experiment")
            self._experiment_id = None if found is None else str(found.experiment_id)
        return self._experiment_id

    def _ensure_experiment(self) -> str:
        for _ in range(2):
            found = self._find_experiment()
            if found is not None:
                return found
            # Another process may make it at the same moment: then it is found the next time.
            with suppress(*errors()):
                self._client.create_experiment(self.experiment, artifact_location=self._artifacts)
        self._experiment_id = str(
            self._find_experiment()
            or self._client.create_experiment(self.experiment, artifact_location=self._artifacts)
        )
        return self._experiment_id

    def _create_run(self, name: str, tags: Mapping[str, Scalar], foreign: Mapping[str, str]) -> str:
        from mlflow.entities import Dataset, DatasetInput

        data = self._launch[1]
        own = {**tags, "owner": self._owner.to_json()}
        own |= {"data": data.name, "data_digest": data.digest} if data is not None else {}
        all_tags = {"mlflow.source.name": "chunksweep", **foreign, **own_tags(own)}
        run = self._client.create_run(
            self._ensure_experiment(), start_time=now_ms(), tags=all_tags, run_name=name
        )
        if data is not None:
            # MLflow keeps 36 characters of a digest; the whole one is a tag.
            dataset = Dataset(data.name, data.digest[:36], "local", json.dumps({"uri": data.source}))
            self._client.log_inputs(run.info.run_id, [DatasetInput(dataset)])
        return str(run.info.run_id)

    def _runs(self, query: str) -> Iterator[Any]:
        """All runs of the experiment that match and are not deleted."""
        experiment_id, token = self._find_experiment(), None
        while experiment_id is not None:
            page = self._client.search_runs([experiment_id], query, max_results=500, page_token=token)
            yield from page
            token = page.token
            if not token:
                return

    def _read(
        self, query: str, config_ids: Collection[str] | None, skip: Collection[Key] = ()
    ) -> dict[Key, RunRecord]:
        """The newest records of runs that match; what cannot be read is reported once, and left out."""
        with self._before_work():
            runs = list(self._runs(query))
            if not runs:
                return {}
            records, unreadable = read_records(self._client, runs, config_ids, skip)
        for each in tell([each for each in unreadable if each.run_id not in self._told]):
            self._report(each)
        self._told |= {each.run_id for each in unreadable}
        return newest(records)


def _is_abandoned(run: Any) -> bool:
    """Whether the process that made a run is known to be dead."""
    owner = Owner.from_json(run.data.tags.get(f"{TAG}owner", ""))
    return owner is not None and owner.is_dead()


class _Run:
    """A child run, until it ends."""

    def __init__(self, run_id: str, tracker: MlflowTracker, params: set[str]) -> None:
        self.run_id, self._tracker, self._params, self._ended = run_id, tracker, params, False

    def finish(self, record: RunRecord) -> RunRecord:
        """Record what was measured."""
        record = record.with_run_id(self.run_id)
        new = {name: value for name, value in record.params.items() if name not in self._params}
        self._tracker.write(self.run_id, record, new)
        self._ended = True
        return record

    def fail(self, record: RunRecord) -> RunRecord:
        """Record why there is no result."""
        return self.finish(record)

    def kill(self) -> None:
        """End it without a record, if it has not ended."""
        if not self._ended:
            self._ended = True
            self._tracker.kill(self.run_id)
