"""One contract for every tracker; then what MLflow in particular is given, and how it may fail."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import exporting, store
from experiments.metric_names import changed, spelled, spellings, unspelled
from experiments.mlflow_tracker import MlflowTracker, recorded_sweeps, ui_command
from experiments.mlflow_tracker.client import open_client
from experiments.owner import Owner
from experiments.records import RunRecord
from experiments.results import Judging, SweepResult
from experiments.runner import prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import MARKS, DataInput, NullTracker, Tracker, TrackingError
from strategies.errors import BadInput

RECORD = RunRecord(
    config_id="fixed-96-0123456789",
    name="fixed-96",
    status="finished",
    params={"strategy": "fixed", "size": 96, "threads": 2},
    config={"strategy": {"strategy": "fixed", "size": 96}, "headings": "none"},
    metrics={"mrr_at_10": 0.5, "chunks": 3.0},
    curves={"context_recall_over_k": {1: 0.25, 10: 0.75}},
    questions=({"question_id": "q1", "mrr_at_10": 1.0}, {"question_id": "q2", "miss": "outranked"}),
    chunks=({"document": "a.md", "index": 0, "start": 0, "end": 5, "section": ["A", "B"], "text": "A one"},),
    retrieved=({"question_id": "q1", "chunks": [0], "scores": [0.5], "relevant": [1]},),
    documents=({"document": "a.md", "metadata": {"year": 2024}},),
    reasons={"embed_ms": "taken from the cache of another machine"},
    warnings=("Few questions.",),
    versions={"chunksweep": "0.1.0"},
    started_at=1.0,
    ended_at=2.0,
)
DATA = DataInput("handbook", "ab" * 32, "/data/handbook")

ROOT = Path(__file__).parents[2]

Open = Callable[[], Tracker]
"""A tracker over the same store and experiment, as a later process would open it."""


@pytest.fixture(params=["memory", pytest.param("mlflow", marks=pytest.mark.slow)])
def reopen(request: pytest.FixtureRequest, uri: str, experiment: str) -> Open:
    if request.param == "memory":
        memory = NullTracker(experiment)
        return lambda: memory
    return lambda: MlflowTracker(experiment, uri)


def record(**changes: Any) -> RunRecord:
    return replace(RECORD, **changes)


def launch(tracker: Tracker, *records: RunRecord) -> list[RunRecord]:
    """One launch that records these."""
    tracker.open("a launch", DATA)
    kept = []
    for each in records:
        handle = tracker.start(each.config_id, each.name, each.repeat, {"strategy": "fixed", "size": 96})
        kept.append(handle.finish(each) if each.status == "finished" else handle.fail(each))
    tracker.close("finished")
    return kept


def marks(tracker: Tracker) -> dict[str, dict[str, str]]:
    """Run id -> the marks on it, as text; runs without any are left out."""
    if isinstance(tracker, NullTracker):
        tags: Mapping[str, Mapping[str, Any]] = tracker.tags
    else:
        assert isinstance(tracker, MlflowTracker)
        tags = {
            run.info.run_id: {
                name.removeprefix("chunksweep."): value for name, value in run.data.tags.items()
            }
            for run in runs(open_client(tracker.uri), tracker.experiment)
        }
    found = {
        run_id: {name: str(value).lower() for name, value in each.items() if name in MARKS}
        for run_id, each in tags.items()
    }
    return {run_id: each for run_id, each in found.items() if each}


# The contract.


def test_a_finished_record_comes_back_as_it_was(reopen: Open) -> None:
    (kept,) = launch(reopen(), RECORD)
    assert kept.run_id is not None
    assert replace(kept, run_id=None) == RECORD
    assert reopen().completed() == {RECORD.key: kept}
    assert reopen().records() == (kept,)


def test_nothing_is_complete_in_a_new_experiment(reopen: Open) -> None:
    assert reopen().completed() == {}
    assert reopen().records() == ()
    assert reopen().described() is None
    assert reopen().close_stale() == 0


def test_a_failure_is_kept_but_never_complete(reopen: Open) -> None:
    failed = record(status="failed", error="no such tokenizer", metrics={}, curves={})
    (kept,) = launch(reopen(), failed)
    assert reopen().completed() == {}
    assert reopen().records() == (kept,)
    (finished,) = launch(reopen(), record(ended_at=3.0))
    assert reopen().records() == (finished,)
    launch(reopen(), replace(failed, ended_at=4.0))
    assert reopen().records() == (finished,)


def test_a_killed_run_leaves_no_record(reopen: Open) -> None:
    tracker = reopen()
    tracker.open("a launch", DATA)
    handle = tracker.start(RECORD.config_id, RECORD.name, 0, {})
    handle.kill()
    tracker.close("killed")
    assert reopen().records() == ()


def test_a_kill_that_comes_too_late_changes_nothing(reopen: Open) -> None:
    tracker = reopen()
    tracker.open("a launch", DATA)
    handle = tracker.start(RECORD.config_id, RECORD.name, 0, {})
    kept = handle.finish(RECORD)
    handle.kill()
    tracker.close("killed")
    assert reopen().completed() == {RECORD.key: kept}


def test_repeats_are_kept_apart_and_the_newest_of_each_counts(reopen: Open) -> None:
    old, second, new = launch(reopen(), record(), record(repeat=1), record(ended_at=9.0))
    assert reopen().completed() == {(RECORD.config_id, 0): new, (RECORD.config_id, 1): second}
    assert len({old.run_id, second.run_id, new.run_id}) == 3


def test_only_the_configurations_asked_for_are_read(reopen: Open) -> None:
    one, again, other, failed, gone = launch(
        reopen(),
        RECORD,
        record(repeat=1),
        record(config_id="other"),
        record(config_id="failed", status="failed"),
        record(config_id="gone", status="failed"),
    )
    asked = [RECORD.config_id, "failed", "unknown"]
    assert reopen().completed(asked) == {one.key: one, again.key: again}
    assert set(reopen().completed()) == {one.key, again.key, other.key}
    assert {kept.run_id for kept in reopen().records(asked)} == {one.run_id, again.run_id, failed.run_id}
    assert gone.run_id in {kept.run_id for kept in reopen().records()}
    assert reopen().completed([]) == {}
    assert reopen().records([]) == ()


def test_only_the_runs_of_the_newest_verdict_are_marked(reopen: Open) -> None:
    kept = launch(reopen(), RECORD, record(config_id="second"), record(config_id="third"))
    first, second, third = (str(each.run_id) for each in kept)
    best, other = dict.fromkeys(MARKS, True), dict.fromkeys(MARKS, False)
    shown_best, shown_other = dict.fromkeys(MARKS, "true"), dict.fromkeys(MARKS, "false")

    reopen().mark({first: best, second: other})
    assert marks(reopen()) == {first: shown_best, second: shown_other}
    reopen().mark({second: best, third: other})  # another grid, or the same one measured anew
    assert marks(reopen()) == {second: shown_best, third: shown_other}
    reopen().mark({second: {"tied": True}})
    assert marks(reopen()) == {second: {"tied": "true"}}
    reopen().mark({})
    assert marks(reopen()) == {}
    assert {each.run_id for each in reopen().records()} == {first, second, third}


@pytest.mark.parametrize("text", ["{}", "", "x" * 4000, "x" * 10_000, "ä" * 5000])
def test_a_description_comes_back(reopen: Open, text: str) -> None:
    reopen().describe("an older and longer one" * 1000)
    reopen().describe(text)
    assert reopen().described() == text


# A sweep, in any tracker.


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Two documents, each with the answer to one question."""
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    lines = []
    for name, quote in [("boats.txt", "Boats are let by the hour."), ("skates.txt", "Skates cost two euro.")]:
        (folder / "documents" / name).write_text(f"{quote} Ask at the hut by the lake for the key.\n")
        evidence = [{"document": name, "quote": quote}]
        lines.append(json.dumps({"id": name, "question": quote, "evidence": evidence}))
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return folder


def measure(tracker: Tracker, dataset: Path, *sizes: int, fresh: bool = False) -> SweepResult:
    """One launch of a sweep over these sizes of chunks."""
    content = {
        "name": "boats",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1], "token_budgets": [16]},
        "headline": "context_recall_at_16_tokens",
        "grid": [{"strategy": "fixed", "unit": "words", "size": list(sizes)}],
    }
    return run(prepare(read_sweep(content), tracker, cache_dir=None, fresh=fresh))


def test_marks_follow_the_newest_launch(reopen: Open, dataset: Path) -> None:
    for sizes, fresh in [((4, 6), False), ((6, 8), False), ((6, 8), True)]:
        result = measure(reopen(), dataset, *sizes, fresh=fresh)
        marked = marks(reopen())
        assert set(marked) == {each.run_id for each in result.records}
        assert all(set(each) == set(MARKS) for each in marked.values())
        (best,) = (run_id for run_id, each in marked.items() if each["best"] == "true")
        named = {each.run_id: each.name for each in result.records}
        assert named[best] == result.recommendation.best
    assert len(reopen().records()) == 3  # a size each; of 6 and 8 the newest


class Refusing:
    """A tracker that takes no more of one kind of writing."""

    def __init__(self, inner: Tracker, *refused: str) -> None:
        self._inner, self._refused = inner, refused

    def __getattr__(self, name: str) -> Any:
        if name in self._refused:
            return self._refuse
        return getattr(self._inner, name)

    def _refuse(self, *_: Any, **__: Any) -> None:
        raise TrackingError("the tracking store is full")


@pytest.mark.parametrize("refused", ["mark", "describe"])
def test_a_store_that_takes_no_verdict_costs_a_note_only(refused: str, dataset: Path) -> None:
    inner = NullTracker()
    first = measure(inner, dataset, 4, 6)
    tracker: Any = Refusing(inner, refused)
    again = measure(tracker, dataset, 4, 6)
    assert again.statistics == first.statistics
    assert again.notes == (
        *first.notes,
        "The runs are not marked with this verdict: the tracking store is full",
    )


def test_names_that_would_be_stored_as_one_are_refused_before_any_work(reopen: Open) -> None:
    with pytest.raises(BadInput, match="would be stored under the name of 'mrr@10', 'mrr_at_10'"):
        reopen().check(["mrr@10", "hit_at_5", "mrr_at_10"])
    reopen().check(["mrr@10", "hit_at_5"])


# Names.

AWKWARD = [
    "MRR@5",
    "context precision (k=5)",
    "recall[0.5]",
    "/abs",
    "a//b",
    "y" * 251,
    "",
    "..",
    "ä",
    "%\n",
    "a:b",
]
"""What MLflow refuses in one way or another."""


@given(st.text(max_size=40))
def test_a_spelling_reads_back(name: str) -> None:
    if name:
        assert unspelled(spelled(name)) == name.replace("@", "_at_")
    assert set(spelled(name)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")


@given(st.text(st.sampled_from("a.@(/é"), max_size=120), st.text(st.sampled_from("a.@(/é"), max_size=120))
def test_two_names_have_two_spellings(one: str, other: str) -> None:
    if one.replace("@", "_at_") != other.replace("@", "_at_"):
        assert spelled(one) != spelled(other)


@given(st.integers(240, 300), st.sampled_from(["a", "(", "é", "."]))
def test_long_names_are_cut_and_told_apart(length: int, mark: str) -> None:
    one, other = mark * length + "1", mark * length + "2"
    assert len(spelled(one)) <= 250
    assert spelled(one) != spelled(other)
    if len(mark * length) > 250:
        with pytest.raises(ValueError, match="no whole name"):
            unspelled(spelled(one))


def test_the_projects_own_names_stay_as_they_are() -> None:
    names = ["mrr_at_10", "context_recall_at_1024_tokens", "split_ms"]
    assert spellings(names) == {name: name for name in names}
    assert changed(spellings([*names, "mrr@5"])) == {"mrr_at_5": "mrr@5"}


def test_names_that_differ_in_case_only_are_refused() -> None:
    with pytest.raises(BadInput, match="stored under the name of 'MRR'"):
        spellings(["MRR", "mrr"])
    with pytest.raises(BadInput, match="has no name"):
        spellings([" "])


# Where a store lies.


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        (
            "file:./mlruns",
            "file store, which MLflow no longer writes to. Use a database, such as sqlite:///mlflow.db",
        ),
        ("file:///tmp/mlruns", "file store"),
        ("./mlruns", "file store"),
        ("mlruns", "file store"),
        (r"c:\mlruns", "file store"),
        ("runs/mlflow.db", "is a path. Write sqlite:///runs/mlflow.db"),
        (
            "postgres://me:secret@host/db",
            r"postgres://me:\*\*\*@host/db is no store. Known: sqlite, postgresql",
        ),
        ("", "file store"),
        ("sqlite://", "names no file, so that every run would be forgotten. Write sqlite:///mlflow.db"),
        ("sqlite:///", "names no file"),
        ("sqlite+pysqlite:///:memory:", "names no file"),
        ("sqlite:///?timeout=5", "names no file"),
        ("sqlite://mlflow.db", "names no file"),
        ("sqlite:///file:runs?mode=memory&uri=true", "is a URI within a URI. Write sqlite:///mlflow.db"),
        ("http://[::1", r"http://\[::1 is no address: .*Write it like http://HOST:5000"),
        ("https://h:many", "is no address"),
        ("http://", "names no server. Write it like"),
    ],
)
def test_stores_that_cannot_work_are_refused_with_what_to_write(uri: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        store.check_uri(uri)
    if uri:
        for use in (MlflowTracker, lambda _, uri: ui_command(uri, "127.0.0.1", 5000)):
            with pytest.raises(BadInput):
                use("a", uri)


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:///a.db",
        "sqlite:////a/b.db",
        "postgresql+psycopg://h/d",
        "mysql://h/d",
        "http://h:5000",
        "http://[::1]:5000/path",
        "databricks",
    ],
)
def test_stores_that_can_work_pass(uri: str) -> None:
    store.check_uri(uri)


def test_the_default_store_is_a_file_in_the_folder_unless_the_user_said_otherwise(tmp_path: Path) -> None:
    assert store.default_tracking_uri(tmp_path, {}) == f"sqlite:///{tmp_path}/mlflow.db"
    assert store.default_tracking_uri(tmp_path, {"MLFLOW_TRACKING_URI": "http://h"}) == "http://h"
    assert store.sqlite_path(f"sqlite:///{tmp_path}/mlflow.db?timeout=5") == tmp_path / "mlflow.db"
    assert store.artifact_folder(f"sqlite:///{tmp_path}/mlflow.db") == tmp_path / "mlartifacts"
    assert store.artifact_folder("http://h") is None


def test_an_empty_file_is_a_store_still_to_be_made(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").touch()
    assert store.schema_version(tmp_path / "mlflow.db") is None
    assert store.schema_version(tmp_path / "new folder" / "mlflow.db") is None


def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    text, other = tmp_path / "text.db", tmp_path / "other.db"
    text.write_text("certainly no database\n" * 100)
    sqlite3.connect(other).execute("CREATE TABLE mine (x)").connection.close()
    before = other.read_bytes()
    for path, said in [
        (text, "not a database"),
        (other, "not one of MLflow's"),
        (text / "mlflow.db", "cannot be used"),
        (tmp_path, "cannot be used"),
    ]:
        with pytest.raises(BadInput, match=said):
            store.schema_version(path)
    assert other.read_bytes() == before


def test_reading_makes_no_store(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    tracker = MlflowTracker("a", uri)
    assert (tracker.completed(), tracker.records(), tracker.described(), tracker.close_stale()) == (
        {},
        (),
        None,
        0,
    )
    assert recorded_sweeps(uri) == []
    with pytest.raises(BadInput, match="is not there"):
        ui_command(uri, "127.0.0.1", 5000)
    tracker.open("a launch", DATA)
    tracker.close("finished")
    assert list(tmp_path.iterdir()) == []
    assert ui_command("http://h:1", "127.0.0.1", 5000) == (None, "http://h:1")


# MLflow.


@pytest.fixture
def tracker(uri: str, experiment: str) -> MlflowTracker:
    return MlflowTracker(experiment, uri)


@pytest.fixture
def client(uri: str) -> Any:
    return open_client(uri)


def runs(client: Any, experiment: str, kind: str = "configuration") -> list[Any]:
    found = client.get_experiment_by_name(experiment)
    return list(client.search_runs([found.experiment_id], f"tags.`chunksweep.kind` = '{kind}'"))


def artifact(client: Any, run_id: str, name: str) -> Path:
    return Path(url2pathname(urlparse(client.get_run(run_id).info.artifact_uri).path)) / name


@pytest.mark.slow
def test_what_a_run_holds(tracker: MlflowTracker, client: Any, experiment: str, folder: Path) -> None:
    tracker.open("first launch", DATA, {"command": "chunksweep run"})
    handle = tracker.start(RECORD.config_id, RECORD.name, 0, {"strategy": "fixed", "size": 96})
    (running,) = runs(client, experiment)
    assert running.info.status == "RUNNING"
    handle.finish(RECORD)
    tracker.close(
        "finished", {"configurations": 1.0}, {"recommended": "fixed-96"}, {"leaderboard.md": "| a |"}
    )

    (child,), (parent,) = runs(client, experiment), runs(client, experiment, "launch")
    assert (parent.info.run_name, parent.info.status) == ("first launch", "FINISHED")
    assert (child.info.run_name, child.info.status) == ("fixed-96", "FINISHED")
    assert child.data.tags["mlflow.parentRunId"] == parent.info.run_id
    assert child.data.params == {"strategy": "fixed", "size": "96", "threads": "2"}
    assert child.data.metrics == {"mrr_at_10": 0.5, "chunks": 3.0, "context_recall_over_k": 0.75}
    history = client.get_metric_history(child.info.run_id, "context_recall_over_k")
    assert [(point.step, point.value) for point in history] == [(1, 0.25), (10, 0.75)]
    tags = {name.removeprefix("chunksweep."): value for name, value in child.data.tags.items()}
    assert tags["complete"] == "true"
    assert (tags["config_id"], tags["repeat"], tags["name"]) == (RECORD.config_id, "0", "fixed-96")
    assert json.loads(tags["missing"]) == RECORD.reasons
    assert tags["warnings"] == "Few questions."
    assert json.loads(tags["versions"]) == RECORD.versions
    assert len(tags["config_hash"]) == 64
    assert tags["data_digest"] == DATA.digest
    assert Owner.from_json(tags["owner"]) == Owner.myself()
    page = (ROOT / "docs" / "mlflow.md").read_text(encoding="utf-8")
    for name in tags:
        if not name.startswith("mlflow."):
            assert f"`chunksweep.{name}`" in page or f"`.{name}`" in page, name
    for each in (child, parent):
        (dataset,) = each.inputs.dataset_inputs
        assert (dataset.dataset.name, dataset.dataset.digest) == ("handbook", DATA.digest[:36])
    assert json.loads(artifact(client, child.info.run_id, "config.json").read_text()) == RECORD.config
    assert json.loads(artifact(client, child.info.run_id, "questions.json").read_text()) == {
        "columns": ["question_id", "mrr_at_10", "miss"],
        "data": [["q1", 1.0, None], ["q2", None, "outranked"]],
    }
    for name in ("chunks.json", "retrieved.json"):
        held = json.loads(artifact(client, child.info.run_id, name).read_text())
        (cells,) = held["data"]
        row = dict(zip(held["columns"], cells, strict=True))
        assert (row["document"], row["metadata"], row["text"]) == ("a.md", {"year": 2024}, "A one")
    assert (row["question_id"], row["rank"], row["relevant"], row["section"]) == ("q1", 1, True, "A > B")
    shown = json.loads(child.data.tags["mlflow.loggedArtifacts"])
    assert shown == [  # so that the UI shows them as tables
        {"path": f"{name}.json", "type": "table"} for name in ("questions", "chunks", "retrieved")
    ]
    assert artifact(client, child.info.run_id, "record.json").is_relative_to(folder / "mlartifacts")
    assert not (folder / "mlruns").exists()
    assert parent.data.metrics == {"configurations": 1.0}
    assert parent.data.tags["chunksweep.recommended"] == "fixed-96"
    assert artifact(client, parent.info.run_id, "leaderboard.md").read_text() == "| a |"


def found_id(client: Any, experiment: str) -> str:
    return str(client.get_experiment_by_name(experiment).experiment_id)


@pytest.mark.slow
def test_a_launch_that_starts_nothing_makes_no_run(
    tracker: MlflowTracker, client: Any, experiment: str
) -> None:
    tracker.check(["mrr_at_10"])
    tracker.open("idle", DATA)
    tracker.close("finished")
    assert runs(client, experiment, "launch") == []
    assert runs(client, experiment, "probe") == []


@pytest.mark.slow
def test_a_run_that_the_user_has_active_is_left_alone(tracker: MlflowTracker, uri: str, client: Any) -> None:
    import mlflow

    mlflow.set_tracking_uri(uri)
    try:
        with mlflow.start_run() as mine:
            launch(tracker, RECORD)
            assert mlflow.active_run().info.run_id == mine.info.run_id
        kept = client.get_run(mine.info.run_id)
        assert (kept.info.status, kept.data.metrics, kept.data.params) == ("FINISHED", {}, {})
    finally:
        mlflow.set_tracking_uri(None)


@pytest.mark.slow
def test_awkward_names_are_stored_and_shown_as_they_were(
    tracker: MlflowTracker, uri: str, client: Any, experiment: str
) -> None:
    from mlflow.utils.validation import _validate_metric_name

    names = [name for name in AWKWARD if name]
    tracker.check(names)
    launch(tracker, record(metrics=dict.fromkeys(names, 0.5)))
    (child,) = runs(client, experiment)
    stored = set(child.data.metrics) - {"context_recall_over_k"}
    assert len(stored) == len(names)
    assert json.loads(child.data.tags["chunksweep.names"]).keys() <= stored
    (back,) = MlflowTracker(experiment, uri).records()
    assert list(back.metrics) == names
    for name in AWKWARD:
        _validate_metric_name(spelled(name))


@pytest.mark.slow
def test_long_values_stay_whole_and_warn_nobody(
    tracker: MlflowTracker, client: Any, experiment: str, caplog: pytest.LogCaptureFixture
) -> None:
    separators = ["x" * 6001, "x" * 6000 + "y"]
    configs = [{"strategy": {"separators": [each]}} for each in separators]
    params = [{"separators": json.dumps([each])} for each in separators]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launch(
            tracker,
            record(config=configs[0], params=params[0], error="e" * 9000, warnings=("w" * 9000,)),
            record(config=configs[1], params=params[1], config_id="other"),
        )
    children = {run.data.tags["chunksweep.config_id"]: run for run in runs(client, experiment)}
    for key, config in zip([RECORD.config_id, "other"], configs, strict=True):
        assert json.loads(artifact(client, children[key].info.run_id, "config.json").read_text()) == config
        assert "separators" not in children[key].data.params
    assert len({run.data.tags["chunksweep.config_hash"] for run in children.values()}) == 2
    assert caplog.text == ""


@pytest.mark.slow
def test_many_metrics_params_and_tags_fit(tracker: MlflowTracker, client: Any, experiment: str) -> None:
    many = {f"n{number}": float(number) for number in range(1100)}
    launch(tracker, record(metrics=many, params=dict.fromkeys(list(many)[:150], 1)))
    (child,) = runs(client, experiment)
    assert len(child.data.metrics) == 1101
    assert len(child.data.params) == 152


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "another's", "unmarked"])
def test_a_damaged_record_is_reported_and_counts_as_missing(
    tracker: MlflowTracker, uri: str, client: Any, experiment: str, damage: str
) -> None:
    whole, broken = launch(tracker, RECORD, record(config_id="other"))
    assert broken.run_id is not None
    path = artifact(client, broken.run_id, "record.json")
    match damage:
        case "missing":
            path.unlink()
        case "cut":
            path.write_text(path.read_text()[:-30])
        case "empty":
            path.write_text("")
        case "another's":
            path.write_text(RECORD.to_json())
        case "unmarked":
            client.delete_tag(broken.run_id, "chunksweep.complete")
    heard: list[str] = []
    assert MlflowTracker(experiment, uri, report=heard.append).completed() == {whole.key: whole}
    if damage == "unmarked":
        assert heard == []
    else:
        (sentence,) = heard
        assert broken.run_id in sentence
        assert "counts as missing" in sentence


@pytest.mark.slow
def test_what_was_deleted_in_mlflow_is_gone(
    tracker: MlflowTracker, uri: str, client: Any, experiment: str
) -> None:
    first, second = launch(tracker, RECORD, record(config_id="other"))
    client.delete_run(first.run_id)
    assert MlflowTracker(experiment, uri).completed() == {second.key: second}
    client.delete_experiment(found_id(client, experiment))
    for use in (MlflowTracker(experiment, uri).completed, lambda: MlflowTracker(experiment, uri).check([])):
        with pytest.raises(
            BadInput, match=r"was deleted in MLflow, which keeps its name. Run mlflow experiments restore"
        ):
            use()


@pytest.mark.slow
def test_records_of_other_configurations_are_not_even_fetched(
    tracker: MlflowTracker, uri: str, experiment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    wanted, old = launch(tracker, RECORD, record(config_id="old"))
    failed, old_failed = launch(
        tracker, record(config_id="a", status="failed"), record(config_id="b", status="failed")
    )
    fetched: list[str] = []
    reading, fetch = MlflowTracker(experiment, uri), MlflowClient.download_artifacts

    def download(self: Any, run_id: str, *more: Any) -> Any:
        fetched.append(run_id)
        return fetch(self, run_id, *more)

    monkeypatch.setattr(MlflowClient, "download_artifacts", download)
    assert set(reading.completed([RECORD.config_id])) == {RECORD.key}
    assert fetched == [wanted.run_id]
    reading.records([RECORD.config_id, "a"])
    assert set(fetched) == {wanted.run_id, failed.run_id}
    reading.records()
    assert {old.run_id, old_failed.run_id} < set(fetched)


WRITING = ("create_", "set_", "log_", "delete_", "update_")
"""How the names of a client's methods begin that write."""


@pytest.mark.slow
def test_a_launch_with_nothing_to_do_writes_nothing(
    uri: str, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlflow import MlflowClient

    def written(*_: Any, **__: Any) -> None:
        raise AssertionError("the store was written to")

    first = measure(MlflowTracker("idle launches", uri), dataset, 4, 6)
    for name in dir(MlflowClient):
        if name.startswith(WRITING):
            monkeypatch.setattr(MlflowClient, name, written)
    second = measure(MlflowTracker("idle launches", uri), dataset, 4, 6)
    assert (second.ran, second.statistics, second.notes) == (0, first.statistics, first.notes)
    with pytest.raises(AssertionError, match="written to"):
        measure(MlflowTracker("idle launches", uri), dataset, 6)


@pytest.mark.slow
def test_a_description_that_was_not_written_to_its_end_is_none(
    tracker: MlflowTracker, uri: str, experiment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def judging(headline: str, configurations: int) -> str:
        ids = tuple(f"{headline}-{number:010}" for number in range(configurations))
        return Judging(headline=headline, config_ids=ids, **JUDGED).to_json()

    old, new = judging("mrr_at_10", 500), judging("hit_at_5", 400)
    tags = -(-len(new) // 4000) + 1
    assert tags == 4
    for written in range(tags):
        tracker.describe(old)
        assert tracker.described() == old
        with monkeypatch.context() as patch:
            _stop_after(patch, tracker, written)
            with pytest.raises(TrackingError, match="pulled"):
                tracker.describe(new)
        assert MlflowTracker(experiment, uri).described() == (old if written == 0 else None)
        if written:
            with pytest.raises(BadInput, match=r"described only in part.*Run the sweep again"):
                exporting.load(experiment, tracking_uri=uri)
    tracker.describe(new)
    assert exporting.load(experiment, tracking_uri=uri).judging == Judging.from_json(new)


JUDGED: dict[str, Any] = {"margin": 0.02, "baseline": None, "seed": 0, "repeats": 1}


def _stop_after(patch: pytest.MonkeyPatch, tracker: MlflowTracker, written: int) -> None:
    """Let the tracker's client write that many tags of the experiment and no more."""
    write, left = tracker._client.set_experiment_tag, [None] * written

    def set_experiment_tag(*tag: str) -> None:
        if not left:
            raise OSError("the plug was pulled")
        left.pop()
        write(*tag)

    patch.setattr(tracker._client, "set_experiment_tag", set_experiment_tag)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["{}", "[", "[]", "null", ""])
def test_a_description_that_is_none_of_a_sweep_is_refused(
    tracker: MlflowTracker, uri: str, experiment: str, text: str
) -> None:
    tracker.describe(text)
    with pytest.raises(BadInput, match=r"cannot be read back .*Run the sweep again"):
        exporting.load(experiment, tracking_uri=uri)


@pytest.mark.slow
def test_sweeps_are_told_from_other_experiments(
    tracker: MlflowTracker, uri: str, client: Any, experiment: str
) -> None:
    client.create_experiment("no sweep")
    tracker.describe("{}")
    assert experiment in recorded_sweeps(uri)
    assert "no sweep" not in recorded_sweeps(uri)
    command, address = ui_command(uri, "127.0.0.1", 5055)
    assert command is not None
    assert uri in command
    assert address == "http://127.0.0.1:5055"


@pytest.mark.slow
def test_an_artifact_place_that_cannot_be_written_is_found_before_any_work(
    uri: str, client: Any, experiment: str, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    tracker = MlflowTracker(experiment, uri, artifacts=(tmp_path / "file" / "below").as_uri())
    with pytest.raises(BadInput, match=r"artifacts cannot be written to .*Make that place writable"):
        tracker.check([])
    assert runs(client, experiment, "probe") == []


@pytest.mark.slow
def test_a_store_of_another_version_is_refused_and_not_upgraded(
    folder: Path, tracker: MlflowTracker, tmp_path: Path
) -> None:
    tracker.check([])
    old = tmp_path / "old.db"
    old.write_bytes((folder / "mlflow.db").read_bytes())
    connection = sqlite3.connect(old)
    connection.execute("UPDATE alembic_version SET version_num = '0a8213491aaa'")
    connection.execute("DROP TABLE inputs")  # an older one lacks tables, which MLflow would add by itself
    connection.commit()
    connection.close()
    before = old.read_bytes()
    with pytest.raises(BadInput, match=r"another version of MLflow .*mlflow db upgrade"):
        MlflowTracker("a", f"sqlite:///{old}").check([])
    assert old.read_bytes() == before


@pytest.mark.slow
def test_a_server_that_is_not_there_is_told_soon() -> None:
    with pytest.raises(BadInput, match=r"http://127.0.0.1:9"):
        MlflowTracker("a", "http://127.0.0.1:9").check([])


# Processes that die, and processes that come together.

CHILD = """
import os, signal, sys
from mlflow import MlflowClient
from experiments.mlflow_tracker import MlflowTracker

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

tracker = MlflowTracker(sys.argv[2], sys.argv[1])
print("started", flush=True)
if sys.argv[3] not in ("die", "live"):  # a call within the probe
    setattr(MlflowClient, sys.argv[3], die)
    tracker.check([])
tracker.open("doomed")
tracker.start("config", "name", 0, {})
print("recorded", flush=True)
if sys.argv[3] == "die":
    die()
sys.stdin.read()
"""


def start_child(uri: str, experiment: str, what: str) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, uri, experiment, what],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdout.readline() == "started\n"
    return child


@pytest.mark.slow
def test_a_later_launch_ends_the_runs_of_a_killed_one(
    tracker: MlflowTracker, client: Any, experiment: str
) -> None:
    tracker.check([])
    with start_child(tracker.uri, experiment, "die") as child:
        assert child.wait() == -signal.SIGKILL
    assert {run.info.status for run in runs(client, experiment)} == {"RUNNING"}
    assert tracker.close_stale() == 2  # the launch and its configuration
    for kind in ("launch", "configuration"):
        (run,) = runs(client, experiment, kind)
        assert run.info.status == "KILLED"
        assert "its own process was gone" in run.data.tags["chunksweep.ended_by"]
    assert tracker.completed() == {}
    assert tracker.close_stale() == 0


@pytest.mark.slow
@pytest.mark.parametrize(("call", "left"), [("list_artifacts", "RUNNING"), ("delete_run", "FINISHED")])
def test_a_probe_that_was_killed_is_deleted_by_a_later_launch(
    tracker: MlflowTracker, client: Any, experiment: str, call: str, left: str
) -> None:
    tracker.check([])
    with start_child(tracker.uri, experiment, call) as child:
        assert child.wait() == -signal.SIGKILL
    (probe,) = runs(client, experiment, "probe")
    assert probe.info.status == left
    tracker.close_stale()
    assert runs(client, experiment, "probe") == []
    assert client.get_run(probe.info.run_id).info.status != "RUNNING"
    assert not artifact(client, probe.info.run_id, "probe.txt").exists()
    assert tracker.close_stale() == 0


@pytest.mark.slow
def test_the_runs_of_a_living_process_and_of_strangers_are_left_alone(
    tracker: MlflowTracker, client: Any, experiment: str
) -> None:
    tracker.check([])
    experiment_id = found_id(client, experiment)
    client.create_run(experiment_id, run_name="a stranger's")
    far = replace(Owner.myself(), host="another machine", pid=1)
    for owner, kind in [(far, "configuration"), (far, "probe"), (Owner.myself(), "probe")]:
        client.create_run(experiment_id, tags={"chunksweep.owner": owner.to_json(), "chunksweep.kind": kind})
    with start_child(tracker.uri, experiment, "live") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "recorded\n"
        assert tracker.close_stale() == 0
        running = client.search_runs([experiment_id], "attributes.status = 'RUNNING'")
        assert len(running) == 6
        child.communicate("")


TOGETHER = """
import os, sys
from mlflow import MlflowClient  # once, before the forks: importing takes longer than all the rest
from experiments.mlflow_tracker import MlflowTracker
from experiments.records import RunRecord

def work(name):
    tracker = MlflowTracker("shared", sys.argv[1])
    tracker.check([])
    tracker.open("launch")
    record = RunRecord(config_id=name, name=name, status="finished")
    tracker.start(name, name, 0, {}).finish(record)
    tracker.close("finished")

children = []
for number in range(6):
    children.append(os.fork())
    if children[-1] == 0:
        status = 1
        try:
            work(f"config-{number}")
            status = 0
        finally:
            os._exit(status)
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="starts its processes by fork")
def test_six_processes_may_make_one_new_store_together(tmp_path: Path) -> None:
    uri = f"sqlite:///{tmp_path}/new/mlflow.db"
    command = [sys.executable, "-c", TOGETHER, uri]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)  # quiet, too
    found = MlflowTracker("shared", uri).completed()
    assert sorted(key for key, _ in found) == [f"config-{number}" for number in range(6)]
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"mlflow.db", "mlartifacts"}


def test_of_many_that_come_together_one_makes_the_store(tmp_path: Path) -> None:
    path, made, together = tmp_path / "mlflow.db", [], Barrier(4)

    def make(aside: Path) -> None:
        made.append(aside)
        time.sleep(0.2)
        with closing(sqlite3.connect(aside)) as connection:
            connection.executescript(
                "CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('1')"
            )

    def come(_: int) -> str | None:
        together.wait(60)
        store.fill_new(path, make)
        return store.schema_version(path)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(come, range(4))) == ["1"] * 4
    assert len(made) == 1


def test_a_store_whose_making_fails_stays_empty(tmp_path: Path) -> None:
    def make(aside: Path) -> None:
        with closing(sqlite3.connect(aside)) as made:
            made.execute("CREATE TABLE half (x)")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        store.fill_new(tmp_path / "mlflow.db", make)
    assert store.schema_version(tmp_path / "mlflow.db") is None
