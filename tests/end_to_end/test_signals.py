"""A sweep that is stopped: what is done stays done, nothing is left running, the same command goes on."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from .shell import COMMAND, Cli, environment

pytestmark = pytest.mark.slow

CONFIGURATIONS = 6
PATIENCE_S = 240


def statuses(folder: Path) -> dict[str, list[str]]:
    """Name of a run, of whatever kind, that is not deleted -> the statuses of all runs of that name."""
    found: dict[str, list[str]] = {}
    if not (folder / "mlflow.db").exists():
        return found
    with closing(sqlite3.connect(folder / "mlflow.db", timeout=60)) as database:
        try:
            rows = database.execute(
                "select name, status from runs where lifecycle_stage = 'active' order by start_time"
            ).fetchall()
        except sqlite3.OperationalError:  # the store is still being made
            return found
    for name, status in rows:
        found.setdefault(name, []).append(status)
    return found


def arguments(small_set: Path) -> list[str]:
    return [
        "run", "--dataset", str(small_set), "--strategy", "fixed", "--size", "40,48,56,64,72,80",
        "--experiment", "stopped",
    ]  # fmt: skip


def start(folder: Path, home: Path, small_set: Path, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(COMMAND), *arguments(small_set), "--cache-dir", str(cache)],
        cwd=folder,
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_finished(folder: Path, process: subprocess.Popen[str], wanted: int) -> None:
    """Until `wanted` configurations are FINISHED and another is RUNNING."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        flat = [
            status
            for name, found in statuses(folder).items()
            for status in found
            if name.startswith("fixed-")
        ]
        if flat.count("FINISHED") >= wanted and "RUNNING" in flat:
            return
        if process.poll() is not None:
            break
        time.sleep(0.02)
    out, err = process.communicate(timeout=30)
    pytest.fail(f"the sweep was not caught in the middle: {statuses(folder)}\n{out}\n{err}")


@pytest.mark.parametrize(
    ("number", "code", "left"),
    [
        (signal.SIGINT, 130, "KILLED"),
        (signal.SIGTERM, 143, "KILLED"),
        (signal.SIGKILL, -9, "RUNNING"),
    ],
    ids=["SIGINT", "SIGTERM", "SIGKILL"],
)
def test_stopped_in_the_middle(
    cli: Cli, home: Path, small_set: Path, tmp_path: Path, number: signal.Signals, code: int, left: str
) -> None:
    cache = tmp_path / "cache"
    process = start(tmp_path, home, small_set, cache)
    wait_for_finished(tmp_path, process, 2)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code, errors
    assert "Traceback" not in errors
    stopped = statuses(tmp_path)
    assert stopped["stopped"] == [left]
    done = {name for name, found in stopped.items() if name != "stopped" and found == ["FINISHED"]}
    assert len(done) >= 2
    assert {found[0] for name, found in stopped.items() if name not in done} == {left}

    again = cli(tmp_path, *arguments(small_set), "--cache-dir", str(cache))
    assert again.returncode == 0, again.stderr
    after = statuses(tmp_path)
    assert not any("RUNNING" in found for found in after.values())
    assert {name: after[name] for name in done} == {name: ["FINISHED"] for name in done}, "done twice"
    names = [name for name in after if name != "stopped"]
    assert len(names) == CONFIGURATIONS
    assert all(found.count("FINISHED") == 1 for name, found in after.items() if name != "stopped")
    exported = cli(tmp_path, "export", "stopped", "--format", "csv")
    assert len(exported.stdout.splitlines()) == 1 + CONFIGURATIONS


def test_a_live_sweep_of_another_process_is_left_alone(
    cli: Cli, home: Path, small_set: Path, tmp_path: Path
) -> None:
    process = start(tmp_path, home, small_set, tmp_path / "cache")
    try:
        wait_for_finished(tmp_path, process, 1)
        looked = cli(tmp_path, "plan", *arguments(small_set)[1:], "--cache-dir", str(tmp_path / "cache"))
        assert looked.returncode == 0, looked.stderr
    finally:
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    assert set(statuses(tmp_path)["stopped"]) == {"FINISHED"}
