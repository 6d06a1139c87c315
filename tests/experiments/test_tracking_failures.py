"""How a tracking store fails, what is said about it, and what is waited for."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

from experiments import exporting, store
from experiments.mlflow_tracker import MlflowTracker, ui_command
from experiments.mlflow_tracker.calling import QuietClient, patiently, quiet
from experiments.mlflow_tracker.client import open_client
from experiments.mlflow_tracker.failures import check_driver, remedy, sentence
from experiments.mlflow_tracker.reading import Unreadable, tell
from experiments.records import RunRecord
from experiments.tracking import TrackingError
from strategies.errors import BadInput

RECORD = RunRecord(config_id="fixed-96", name="fixed-96", status="finished", started_at=1.0, ended_at=2.0)


def launch(tracker: MlflowTracker, *records: RunRecord) -> list[str]:
    """One launch that records these; the ids of their runs."""
    tracker.open("a launch")
    ids = []
    for each in records:
        handle = tracker.start(each.config_id, each.name, each.repeat, {})
        kept = handle.finish(each) if each.status == "finished" else handle.fail(each)
        ids.append(str(kept.run_id))
    tracker.close("finished")
    return ids


def spoil(client: Any, *run_ids: str) -> None:
    """Damage the records of runs."""
    for run_id in run_ids:
        folder = Path(url2pathname(urlparse(client.get_run(run_id).info.artifact_uri).path))
        (folder / "record.json").write_text("{")


# What is missing or cannot be reached.


@pytest.mark.parametrize(
    ("uri", "package"),
    [
        ("postgresql+psycopg2://me:secret@h/d", "psycopg2-binary"),
        ("postgresql+psycopg://h/d", r"psycopg\[binary\]"),
        ("mysql://x", "mysqlclient"),
        ("mysql+pymysql://x", "pymysql"),
        ("mssql+pyodbc://h/d", "pyodbc"),
    ],
)
def test_a_database_without_its_driver_is_refused_with_what_to_install(
    uri: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("psycopg2", "psycopg", "MySQLdb", "pymysql", "pyodbc"):
        monkeypatch.setitem(sys.modules, module, None)
    for use in (MlflowTracker("a", uri).completed, lambda: ui_command(uri, "127.0.0.1", 5000)):
        with pytest.raises(
            BadInput, match=rf"it needs {package}, which is not installed. Install it: pip install"
        ) as refused:
            use()
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("uri", ["postgresql://[::1", "mysql://h:port/d"])
def test_an_address_that_cannot_be_read_is_refused(uri: str) -> None:
    with pytest.raises(BadInput, match=r"is no address: host or port cannot be read. Write it like"):
        check_driver(uri)


def test_an_unknown_driver_is_refused() -> None:
    with pytest.raises(BadInput, match=r"Can't load plugin: .*postgresql.nothing. Give another one"):
        check_driver("postgresql+nothing://h/d")


def test_a_missing_library_is_named_wherever_it_is_missed() -> None:
    missing = ModuleNotFoundError("No module named 'boto3'", name="boto3")
    assert sentence(missing) == "it needs boto3, which is not installed"
    assert remedy(missing, "Ask somebody") == "Install it: pip install 'boto3'"
    assert remedy(OSError(), "Ask somebody") == "Ask somebody"


@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_a_device_is_no_store(device: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"no {device} here")
    with pytest.raises(BadInput, match=rf"{device} cannot be used: it is no regular file. Give another"):
        MlflowTracker("a", f"sqlite:///{device}").check([])
    with pytest.raises(BadInput, match=r"is not there"):
        ui_command(f"sqlite:///{device}", "127.0.0.1", 5000)


def test_a_disk_that_is_full_while_a_store_is_filled_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def make(aside: Path) -> None:
        with closing(sqlite3.connect(aside)) as made:
            made.executescript("CREATE TABLE t (x);" + "INSERT INTO t VALUES ('some text');" * 3000)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, limits[1]))  # bytes of a file

    monkeypatch.setattr("experiments.mlflow_tracker.client._make", make)
    path = tmp_path / "mlflow.db"
    try:
        with pytest.raises(BadInput, match=r"mlflow.db cannot be used: (disk|database).*sqlite:///mlflow.db"):
            open_client(f"sqlite:///{path}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert store.schema_version(path) is None  # empty, not half made


# A damaged store.


@pytest.mark.slow
def test_a_store_that_lacks_tables_is_refused_and_left_alone(
    folder: Path, uri: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    open_client(uri)
    part = tmp_path / "part.db"
    part.write_bytes((folder / "mlflow.db").read_bytes())
    with closing(sqlite3.connect(part)) as connection:
        connection.executescript("DROP TABLE inputs; DROP TABLE tags;")
    before = part.read_bytes()
    with pytest.raises(BadInput, match=r"is damaged: it lacks the tables inputs, tags. Restore it"):
        MlflowTracker("a", f"sqlite:///{part}").check([])
    assert part.read_bytes() == before
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_table_that_goes_while_the_store_is_open_is_told_in_one_sentence(
    folder: Path, uri: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    open_client(uri)
    part = tmp_path / "part.db"
    part.write_bytes((folder / "mlflow.db").read_bytes())
    tracker = MlflowTracker("a", f"sqlite:///{part}", artifacts=tmp_path.as_uri())
    tracker.check([])
    with closing(sqlite3.connect(part)) as connection:
        connection.executescript("DROP TABLE tags; DROP TABLE experiment_tags")
    reading: list[Callable[[], Any]] = [
        tracker.completed, tracker.records, tracker.close_stale, tracker.described
    ]  # fmt: skip
    for use in reading:
        with pytest.raises(BadInput, match=r"part.db cannot be read: .*no such table.*Give another one"):
            use()
    with pytest.raises(BadInput, match=r"takes no runs: .*no such table"):
        tracker.check([])
    tracker.open("a launch")
    writing: list[Callable[[], Any]] = [
        lambda: tracker.start("a", "a", 0, {}), lambda: tracker.describe("{}"), lambda: tracker.mark({})
    ]  # fmt: skip
    for use in writing:
        with pytest.raises(TrackingError, match=r"part.db failed: .*no such table"):
            use()
    assert capfd.readouterr() == ("", "")


# Records that cannot be read.


def test_few_unreadable_records_are_told_one_by_one_and_many_are_counted() -> None:
    many = [Unreadable(f"id{number}", f"name{number}", "it is empty") for number in range(20)]
    assert tell([]) == []
    (one,) = tell(many[:1])
    assert one == "The record of run name0 (id0) counts as missing, because it cannot be read: it is empty"
    assert len(tell(many[:3])) == 3
    assert tell(many[:4])[3] == "The records of 1 more run cannot be read and count as missing, too"
    assert tell(many)[:3] == tell(many[:3])
    assert tell(many)[3:] == ["The records of 17 more runs cannot be read and count as missing, too"]


@pytest.mark.slow
def test_an_unreadable_record_is_told_once_and_only_if_no_later_run_replaces_it(
    uri: str, experiment: str
) -> None:
    client, tracker = open_client(uri), MlflowTracker(experiment, uri)
    failed = replace(RECORD, status="failed", error="no")
    (replaced,) = launch(tracker, RECORD)
    (replaced_failure,) = launch(tracker, failed)
    launch(tracker, RECORD)
    (failure_after,) = launch(tracker, failed)  # the same configuration is complete: never looked at
    (newer,) = launch(tracker, replace(RECORD, config_id="b", name="b"))
    (other_repeat,) = launch(tracker, replace(RECORD, repeat=1))
    (failure,) = launch(tracker, replace(failed, config_id="c", name="c"))
    spoil(client, replaced, replaced_failure, failure_after, newer, other_repeat, failure)
    heard: list[str] = []
    reader = MlflowTracker(experiment, uri, report=heard.append)
    assert [each.key for each in reader.records()] == [RECORD.key]
    assert len(heard) == 3
    for run_id in (newer, other_repeat, failure):
        assert sum(run_id in each for each in heard) == 1
    reader.records()
    reader.completed()
    assert len(heard) == 3


@pytest.mark.slow
def test_exporting_tells_of_unreadable_records_in_few_lines(uri: str, experiment: str) -> None:
    from experiments.results import Judging

    tracker, names = MlflowTracker(experiment, uri), [f"c{number}" for number in range(7)]
    spoil(open_client(uri), *launch(tracker, *[replace(RECORD, config_id=name, name=name) for name in names]))
    judging = Judging(
        headline="mrr_at_10", config_ids=tuple(names), margin=0.02, baseline=None, seed=0, repeats=1
    )
    tracker.describe(judging.to_json())
    heard: list[str] = []
    exporting.load(experiment, tracking_uri=uri, report=heard.append)
    assert len(heard) == 4
    assert "4 more runs" in heard[3]


# Waiting, in silence.


def test_a_locked_store_is_tried_again_and_other_failures_are_not() -> None:
    tries: list[str] = []

    def call(said: str, times: int) -> str:
        tries.append(said)
        if len(tries) <= times:
            raise sqlite3.OperationalError(said)
        return "done"

    assert patiently(lambda: call("database is locked", 3)) == "done"
    assert len(tries) == 4
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        patiently(lambda: call("no such table", 99))
    assert len(tries) == 5
    with pytest.raises(sqlite3.OperationalError, match="is locked"):
        patiently(lambda: call("database is locked", 99), wait_s=0.0)
    assert len(tries) == 6


HOLD = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
connection.execute("COMMIT")
"""


@contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Another process keeps the whole store for itself for a while."""
    command = [sys.executable, "-c", HOLD, str(path), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        yield
        assert holder.wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("gives_up_ms", [20_000, 200])
def test_a_record_is_kept_although_another_process_has_the_store_locked(
    folder: Path, uri: str, experiment: str, capfd: pytest.CaptureFixture[str], gives_up_ms: int
) -> None:
    import sqlalchemy
    from mlflow import MlflowClient

    tracker = MlflowTracker(experiment, uri)
    tracker.check([])
    engine = MlflowClient(uri)._tracking_client.store.engine  # one for all clients of a store

    def impatient(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> tuple[str, Any]:
        return statement.replace("busy_timeout = 20000", f"busy_timeout = {gives_up_ms}"), parameters

    sqlalchemy.event.listen(engine, "before_cursor_execute", impatient, retval=True)
    try:
        tracker.open("a launch")
        handle = tracker.start(RECORD.config_id, RECORD.name, 0, {})
        with locked(folder / "mlflow.db", 8.0 if gives_up_ms > 1000 else 3.0):
            handle.finish(RECORD)
        tracker.close("finished")
    finally:
        sqlalchemy.event.remove(engine, "before_cursor_execute", impatient)
    assert set(MlflowTracker(experiment, uri).completed()) == {RECORD.key}
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_store_that_is_locked_is_opened_later(folder: Path, uri: str) -> None:
    open_client(uri)
    with locked(folder / "mlflow.db", 3.0):
        assert MlflowTracker("nothing", uri).described() is None


def test_calls_are_silent_and_leave_the_levels_as_they_were() -> None:
    import mlflow  # noqa: F401  # sets up the loggers

    logger = logging.getLogger("mlflow")
    child, level = logging.getLogger("mlflow.store.db.utils"), logger.level
    assert child.isEnabledFor(logging.ERROR)

    class Client:
        def is_enabled(self) -> bool:
            return child.isEnabledFor(logging.CRITICAL)

    assert not QuietClient(Client()).is_enabled()
    assert logger.level == level
    first_in, second_in = threading.Event(), threading.Event()

    def overlap() -> None:
        first_in.wait(60)
        with quiet():
            second_in.set()
            ended.wait(60)

    ended, other = threading.Event(), threading.Thread(target=overlap)
    other.start()
    with quiet():
        first_in.set()
        second_in.wait(60)
    assert not child.isEnabledFor(logging.CRITICAL)  # the other one goes on
    ended.set()
    other.join()
    assert logger.level == level
