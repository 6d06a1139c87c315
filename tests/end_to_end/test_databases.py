"""One sweep over databases: the real command, a server of one's own, a signal, and no secret anywhere."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from evaluation.stores.postgres import bundled_server, connect

from .shell import COMMAND, Cli, environment

pytestmark = pytest.mark.slow

SECRET, ENV = "hunter2-of-the-gate", "CHUNKSWEEP_TEST_DSN"
SWEEP = """
name: databases
dataset: {dataset}
embedder: hashing
store: {stores}
grid:
  - {{strategy: fixed, size: 64}}
"""


@pytest.fixture(scope="module")
def admin() -> Iterator[psycopg.Connection[Any]]:
    with connect(bundled_server()) as connection:
        connection.execute(f"CREATE ROLE sweeper LOGIN PASSWORD '{SECRET}'".encode())
        connection.execute("GRANT CREATE ON SCHEMA public TO sweeper")
        yield connection


@pytest.fixture
def dsn(admin: psycopg.Connection[Any]) -> str:
    return psycopg.conninfo.make_conninfo(bundled_server(), user="sweeper", password=SECRET)


def count(admin: psycopg.Connection[Any]) -> int:
    found = admin.execute("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'chunksweep%'").fetchone()
    assert found is not None
    return int(found[0])


def test_databases_score_as_exact_search_and_keep_no_secret(
    cli: Cli, home: Path, small_set: Path, tmp_path: Path, admin: psycopg.Connection[Any], dsn: str
) -> None:
    stores = f"[exact, lancedb, pgvector, {{store: pgvector, dsn_env: {ENV}}}]"
    (tmp_path / "sweep.yaml").write_text(SWEEP.format(dataset=small_set, stores=stores))
    done = cli(tmp_path, "run", "sweep.yaml", "--cache-dir", str(tmp_path / "cache"), **{ENV: dsn})
    assert done.returncode == 0, done.stderr + done.stdout
    assert SECRET not in done.stdout + done.stderr
    written = [path for path in (*tmp_path.rglob("*"), *home.rglob("*")) if path.is_file()]
    assert len(written) > 4
    assert not any(SECRET.encode() in path.read_bytes() for path in written)
    assert count(admin) == 0
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as database:
        found = database.execute(
            "select value from latest_metrics where key = 'context_recall_at_1024_tokens' and run_uuid in"
            " (select run_uuid from tags where key = 'mlflow.parentRunId')"
        ).fetchall()
    assert len(found) == 4
    assert len(set(found)) == 1


def test_a_sweep_that_is_stopped_drops_its_table(
    home: Path, small_set: Path, tmp_path: Path, admin: psycopg.Connection[Any], dsn: str
) -> None:
    every = (f"{{store: pgvector, dsn_env: {ENV}, index: hnsw, m: {m}}}" for m in range(10, 30))
    stores = f"[{', '.join(every)}]"
    (tmp_path / "sweep.yaml").write_text(SWEEP.format(dataset=small_set, stores=stores))
    process = subprocess.Popen(
        [str(COMMAND), "run", "sweep.yaml", "--cache-dir", str(tmp_path / "cache")],
        cwd=tmp_path,
        env=environment(home, {ENV: dsn}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and count(admin) == 0 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 130, errors
    assert SECRET not in errors
    assert count(admin) == 0
