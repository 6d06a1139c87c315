"""From documents to a recommendation with the real model, real MLflow and real SQLite."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from .shell import Cli

pytestmark = pytest.mark.slow

REQUIRED = {
    "mrr_at_10",
    "hit_at_5",
    "context_precision_at_5",
    "context_recall_at_5",
    "char_precision_at_5",
    "iou_at_5",
    "precision_omega",
    "context_recall_at_1024_tokens",
    "answerable_at_1024_tokens",
    "evidence_intact",
    "chunks",
    "stored_bytes",
    "split_ms",
    "embed_ms",
    "search_ms_median",
    "search_ms_p95",
    "prompt_tokens_at_5",
    "truncated_chunks",
    "overlap_effective",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def first(cli: Cli, folder: Path) -> subprocess.CompletedProcess[str]:
    return cli(folder, "run", "quick")


def runs(folder: Path) -> list[tuple[str, str, str]]:
    """(run id, name, status) of every child run."""
    with sqlite3.connect(folder / "mlflow.db") as database:
        return database.execute(
            "select r.run_uuid, r.name, r.status from runs r join tags t on t.run_uuid = r.run_uuid "
            "where t.key = 'mlflow.parentRunId' and r.lifecycle_stage = 'active' order by r.start_time"
        ).fetchall()


def test_it_ends_well_and_says_what_to_do(first: subprocess.CompletedProcess[str]) -> None:
    assert first.returncode == 0, first.stderr
    assert "chunksweep ui" in first.stdout
    assert "questions" in first.stdout
    assert "fixed-96" in first.stdout
    assert "from cache" in first.stdout
    assert "Traceback" not in first.stderr


def test_every_configuration_is_a_finished_run_with_its_metrics(
    first: subprocess.CompletedProcess[str], folder: Path
) -> None:
    children = runs(folder)
    assert len(children) >= 3
    with sqlite3.connect(folder / "mlflow.db") as database:
        for run_id, name, status in children:
            assert status == "FINISHED", name
            metrics = {
                key: value
                for key, value, is_nan in database.execute(
                    "select key, value, is_nan from latest_metrics where run_uuid = ?", (run_id,)
                )
                if not is_nan and abs(value) < 1e300
            }
            assert set(metrics) >= REQUIRED, REQUIRED - set(metrics)
            tags = dict(database.execute("select key, value from tags where run_uuid = ?", (run_id,)))
            assert tags["chunksweep.complete"] == "true"
        parents = database.execute(
            "select count(*) from runs where lifecycle_stage = 'active' and run_uuid in "
            "(select distinct value from tags where key = 'mlflow.parentRunId')"
        ).fetchone()
        assert parents == (1,)


def test_again_it_computes_nothing_and_makes_no_run(
    first: subprocess.CompletedProcess[str], cli: Cli, folder: Path
) -> None:
    before = runs(folder)
    again = cli(folder, "run", "quick")
    assert again.returncode == 0, again.stderr
    assert runs(folder) == before
    assert "Nothing was left to run" in again.stdout
    table = [line for line in first.stdout.splitlines() if line.startswith(("≈", "★", "fixed", "   "))]
    assert table
    assert all(line in again.stdout for line in table)


def test_the_table_can_be_taken_away(first: subprocess.CompletedProcess[str], cli: Cli, folder: Path) -> None:
    exported = cli(folder, "export", "quick", "--format", "csv")
    assert exported.returncode == 0, exported.stderr
    rows = list(csv.DictReader(io.StringIO(exported.stdout)))
    assert len(rows) == len(runs(folder))
    as_json = json.loads(cli(folder, "export", "quick", "--format", "json").stdout)
    by_name = {row["name"]: row for row in as_json["rows"]}
    for row in rows:
        assert float(row["mrr_at_10"]) == by_name[row["name"]]["mrr_at_10"]
    written = cli(folder, "export", "quick", "--long", "--output", "questions.parquet")
    assert written.returncode == 0, written.stderr
    assert (folder / "questions.parquet").stat().st_size > 1000


def test_kinds_of_questions_are_compared(
    first: subprocess.CompletedProcess[str], cli: Cli, folder: Path
) -> None:
    exported = cli(folder, "export", "quick", "--by", "type")
    assert exported.returncode == 0, exported.stderr
    rows = list(csv.DictReader(io.StringIO(exported.stdout)))
    assert len(rows) == len(runs(folder)) * len({row["group"] for row in rows})
    answer = json.loads(cli(folder, "by-group", "quick", "--by", "type", "--json").stdout)
    assert [str(row["mean"]) for row in answer["rows"]] == [row["mean"] for row in rows]
    shown = cli(folder, "by-group", "quick")
    assert shown.returncode == 0, shown.stderr
    assert all(tag in shown.stdout for tag in ("boundary", "multi", "paraphrase"))
    both = cli(folder, "export", "quick", "--by", "tag", "--long")
    assert both.returncode == 2
    assert "--by: is another table than --long" in both.stderr


def test_json_is_for_scripts(first: subprocess.CompletedProcess[str], cli: Cli, folder: Path) -> None:
    answer = json.loads(cli(folder, "run", "quick", "--json").stdout)
    assert answer["ran"] == 0
    assert answer["recommendation"]["kind"] in ("recommend", "cannot_tell")
    assert {row["status"] for row in answer["configurations"]} == {"finished"}


def test_fresh_measures_again_from_the_cache(
    first: subprocess.CompletedProcess[str], cli: Cli, folder: Path
) -> None:
    before = len(runs(folder))
    again = cli(folder, "run", "quick", "--fresh")
    assert again.returncode == 0, again.stderr
    assert ", 0 embedded" in again.stdout
    assert len(runs(folder)) == 2 * before
    exported = cli(folder, "export", "quick", "--format", "json")
    assert len(json.loads(exported.stdout)["rows"]) == before


def test_a_plan_says_that_all_is_done(
    first: subprocess.CompletedProcess[str], cli: Cli, folder: Path
) -> None:
    plan = json.loads(cli(folder, "plan", "quick", "--json").stdout)
    assert plan["tokens_to_embed"] == 0
    assert all(one["done"] and one["chunks"] > 0 for one in plan["configurations"])


def test_a_plan_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    plan = cli(tmp_path, "plan", "quick")
    assert plan.returncode == 0, plan.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_of_options_on_a_set_of_ones_own(cli: Cli, small_set: Path, tmp_path: Path) -> None:
    done = cli(
        tmp_path, "run", "--dataset", str(small_set), "--strategy", "fixed,recursive", "--size", "64",
        "--overlap", "0,10%", "--experiment", "own",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = [name for _, name, _ in runs(tmp_path)]
    assert names == ["fixed-64", "fixed-64-6", "recursive-64", "recursive-64-6"]


def test_a_ready_sweep_on_another_set(cli: Cli, small_set: Path, tmp_path: Path) -> None:
    done = cli(tmp_path, "run", "quick", "--dataset", str(small_set), "--json")
    assert done.returncode == 0, done.stderr
    assert {row["dataset"] for row in json.loads(done.stdout)["configurations"]} == {"small"}


def test_from_a_notebook(
    small_set: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import experiments

    uri = f"sqlite:///{tmp_path / 'notebook.db'}"
    content = {
        "name": "notebook",
        "dataset": str(small_set),
        "grid": [{"strategy": "sentence", "size": [64, 128]}],
    }
    result = experiments.run(content, tracking_uri=uri, cache_dir=home / "cache" / "chunksweep")
    assert list(result.to_frame()["name"]) == ["sentence-64", "sentence-128"]
    loaded = experiments.load("notebook", tracking_uri=uri)
    assert loaded.to_frame().equals(result.to_frame())
    assert loaded.recommendation == result.recommendation
