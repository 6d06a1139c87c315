"""PostgreSQL and pgvector: indexes, the server that is started, and one's own server with its secret."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import psycopg
import pytest

from evaluation.search import Search
from evaluation.stores import StoreError, VectorType
from evaluation.stores.exact import Exact
from evaluation.stores.pgvector import PgVector, PgVectorStore
from evaluation.stores.postgres import Connections, bundled_server, check_server, connect, server_versions
from strategies.errors import BadInput
from strategies.parameters import as_record

from .test_contract import clustered, lettered, turned

SECRET = "hunter2-of-the-gate"
ENV = "CHUNKSWEEP_TEST_DSN"


@pytest.fixture(scope="module")
def admin() -> Iterator[psycopg.Connection[Any]]:
    """The server that is started here, as its superuser."""
    with connect(bundled_server()) as connection:
        yield connection


@pytest.fixture
def user_dsn(admin: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """A connection string with a password to that server, as to a user's own, in the environment."""
    admin.execute("DROP ROLE IF EXISTS sweeper")
    admin.execute(f"CREATE ROLE sweeper LOGIN PASSWORD '{SECRET}'".encode())
    admin.execute("GRANT CREATE ON SCHEMA public TO sweeper")
    dsn = psycopg.conninfo.make_conninfo(bundled_server(), user="sweeper", password=SECRET)
    monkeypatch.setenv(ENV, dsn)
    return dsn


@pytest.fixture(autouse=True)
def _nothing_is_granted_for_good(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if "user_dsn" in request.fixturenames:
        admin = request.getfixturevalue("admin")
        admin.execute("DROP OWNED BY sweeper")
        admin.execute("DROP ROLE sweeper")


def tables(admin: psycopg.Connection[Any]) -> list[str]:
    found = admin.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'chunksweep%'").fetchall()
    return [name for (name,) in found]


# Indexes


@pytest.mark.parametrize(
    ("store", "vector_type"),
    [
        (PgVector(index="ivfflat", lists=8, probes=6), "float32"),
        (PgVector(index="ivfflat", lists=8, probes=6), "float16"),
        (PgVector(index="ivfflat", lists=8, probes=6), "binary"),
        (PgVector(index="hnsw"), "float16"),
        (PgVector(index="hnsw", ef_search=300), "binary"),
    ],
    ids=str,
)
def test_every_index_finds_most_and_tells_true_scores(
    store: PgVector, vector_type: VectorType, tmp_path: Path
) -> None:
    (vectors, queries), chunks = clustered(), lettered(2000)
    exact, indexed = (one.open(tmp_path, vector_type=vector_type) for one in (Exact(), store))
    for one in (exact, indexed):
        one.build(vectors, chunks)
    assert indexed.stored().index > 0
    hits = 0
    for number, query in enumerate(queries):
        documents = frozenset("ab") if number % 2 else None
        found, everything = indexed.search(query, 10, documents), exact.search(query, 2000, documents)
        true = dict(zip(everything.rows.tolist(), everything.scores.tolist(), strict=True))
        for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
            assert score == pytest.approx(true[row], abs=1e-3 if vector_type == "float16" else 2e-6)
        tenth = sorted(true.values())[-10]
        hits += min(10, sum(true[row] >= tenth for row in found.rows.tolist()))
    assert hits / (10 * len(queries)) > 0.9
    indexed.close()


def test_a_graph_fills_a_list_far_beyond_its_candidates_and_behind_a_filter(tmp_path: Path) -> None:
    (vectors, queries), rng = clustered(), np.random.default_rng(1)
    store = PgVector(index="hnsw", ef_search=10).open(tmp_path)
    store.build(vectors, lettered(2000))
    assert len(store.search(queries[0], 1500).rows) > 1400
    for letter in "abc":
        query = rng.normal(size=32).astype(np.float32)
        assert len(store.search(query, 200, frozenset(letter)).rows) >= 195
    store.close()


def test_without_a_filter_the_index_is_used_however_few_the_rows(tmp_path: Path) -> None:
    store = PgVector(index="ivfflat", lists=4, probes=1).open(tmp_path)
    store.build(clustered()[0][:100], lettered(100))
    # One list of four: a plan that reads the table would find all.
    assert len(store.search(clustered()[1][0], 100).rows) < 100
    store.close()


def test_a_dot_product_is_one_of_vectors_of_any_length(tmp_path: Path) -> None:
    vectors, queries = clustered()
    lengths = np.linspace(0.5, 3, 2000, dtype=np.float32)[:, None]
    store = PgVector().open(tmp_path, metric="dot")
    store.build(vectors * lengths, lettered(2000))
    true = (vectors * lengths) @ (queries[0] * 2)
    found = store.search(queries[0] * 2, 5)
    assert sorted(found.scores) == pytest.approx(np.sort(true)[-5:].tolist(), abs=1e-5)
    store.close()


def test_parameters_stand_where_they_mean_something() -> None:
    assert PgVector(index="hnsw") == PgVector(index="hnsw", m=16, ef_construction=64, ef_search=40)
    with pytest.raises(BadInput) as caught:
        PgVector(index="ivfflat", ef_search=4, m=8)
    assert [problem.where for problem in caught.value.problems] == ["m", "ef_search"]
    assert PgVector().unfit("int8", "cosine") is not None


def test_what_postgresql_refuses_is_said_and_leaves_no_table(
    admin: psycopg.Connection[Any], tmp_path: Path
) -> None:
    store = PgVector(index="hnsw").open(tmp_path)
    with pytest.raises(StoreError, match="more than 2000 dimensions"):
        store.build(np.eye(2, 2001, dtype=np.float32), lettered(2))
    assert len(tables(admin)) == 1
    store.close()
    assert tables(admin) == []


# Tables and connections


def test_each_open_store_has_a_table_until_it_is_closed(
    admin: psycopg.Connection[Any], tmp_path: Path
) -> None:
    stores = [PgVector().open(tmp_path) for _ in range(2)]
    assert tables(admin) == []
    for store in stores:
        store.build(turned(4), lettered(4))
    assert len(set(tables(admin))) == 2
    for store in stores:
        store.close()
    assert tables(admin) == []


def test_clients_at_once_have_connections_of_their_own(tmp_path: Path) -> None:
    store = PgVector().open(tmp_path)
    store.build(turned(8), lettered(8))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: store.search(turned(8)[n % 8], 1).rows[0], range(200)))
    assert found == [n % 8 for n in range(200)]
    store.close()


class Stop(BaseException):
    """As a signal raises."""


def test_what_is_stopped_in_the_middle_is_cancelled_and_its_table_dropped(
    admin: psycopg.Connection[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work = (
        "SELECT count(*) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'"
    )

    def wait_for(wanted: int) -> None:
        deadline = time.monotonic() + 60
        while admin.execute(at_work.encode()).fetchone() != (wanted,):
            assert time.monotonic() < deadline

    store = PgVector().open(tmp_path)
    copy = PgVectorStore._copy

    def stopped(self: PgVectorStore, connection: Any, *rows: Any) -> None:
        copy(self, connection, *rows)
        connection.pgconn.send_query(b"SELECT pg_sleep(600)")  # still at work when the signal comes
        wait_for(1)
        raise Stop

    monkeypatch.setattr(PgVectorStore, "_copy", stopped)
    with pytest.raises(Stop):
        store.build(turned(4), lettered(4))
    assert len(tables(admin)) == 1
    store.close()
    assert tables(admin) == []
    wait_for(0)


def test_a_connection_that_failed_is_not_used_again() -> None:
    connections = Connections(None, lambda connection: None)
    with pytest.raises(StoreError, match="division by zero"), connections.one() as connection:
        connection.execute("SELECT 1 / 0")
    assert connection.closed
    with connections.one() as other:
        assert other.execute("SELECT 1").fetchone() == (1,)
    with connections.one() as same:
        assert same is other
    connections.close()
    assert other.closed


# One's own server


def test_nothing_of_the_connection_string_is_kept_or_told(
    user_dsn: str, admin: psycopg.Connection[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PgVector(dsn_env=ENV)
    store.check()
    opened = store.open(tmp_path)
    opened.build(turned(4), lettered(4))
    owner = admin.execute("SELECT tableowner FROM pg_tables WHERE tablename LIKE 'chunksweep%'").fetchone()
    assert owner == ("sweeper",)
    assert opened.search(turned(4)[2], 1).rows.tolist() == [2]
    opened.close()
    versions = store.versions()
    assert versions.keys() == {"postgresql", "pgvector"}
    shown = f"{store!r} {as_record(store)} {versions} {pickle.dumps(store)!r} {vars(opened)}"
    assert SECRET not in shown
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://sweeper:{SECRET}@127.0.0.1:1/gate",
        f"host=127.0.0.1 port=1 user=sweeper dbname=gate password={SECRET}",
        f"postgresql://sweeper:{SECRET}@127.0.0.1:99999/gate",
        f"postgresql://sweeper:{SECRET} @127.0.0.1/gate",
        f"host=127.0.0.1 {SECRET}",
        f"{SECRET}=1",
    ],
)
def test_a_server_that_cannot_be_reached_is_no_reason_to_tell_its_secret(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENV, dsn)
    for asked in (PgVector(dsn_env=ENV).check, PgVector(dsn_env=ENV).versions):
        with pytest.raises(BadInput) as caught:
            asked()
        error: BaseException | None = caught.value
        assert "cannot be reached" in str(error) or "no connection string" in str(error)
        while error is not None:
            assert SECRET not in str(error)
            assert "sweeper" not in str(error)
            assert "gate" not in str(error).replace("chunksweep", "")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_a_wrong_password_or_database_is_told_without_them(
    user_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENV, psycopg.conninfo.make_conninfo(user_dsn, dbname="warehouse"))
    with pytest.raises(BadInput, match="does not exist") as caught:
        check_server(ENV)
    assert "warehouse" not in str(caught.value)


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENV, raising=False)
    with pytest.raises(BadInput, match=f"the environment variable {ENV} is not set"):
        PgVector(dsn_env=ENV).check()


def test_a_connection_string_in_the_place_of_a_name_is_refused_unseen() -> None:
    with pytest.raises(BadInput) as caught:
        PgVector(dsn_env=f"postgresql://me:{SECRET}@host/db")
    assert SECRET not in str(caught.value)


def test_a_database_without_extension_or_rights_is_refused_with_both_reasons(
    user_dsn: str, admin: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    admin.execute("DROP DATABASE IF EXISTS bare")
    admin.execute("CREATE DATABASE bare")
    monkeypatch.setenv(ENV, psycopg.conninfo.make_conninfo(user_dsn, dbname="bare"))
    with pytest.raises(BadInput) as caught:
        PgVector(dsn_env=ENV).check()
    assert "CREATE EXTENSION vector" in str(caught.value)
    assert "may not create tables" in str(caught.value)
    assert server_versions(ENV).keys() == {"postgresql"}
    admin.execute("DROP DATABASE bare")


# The server that is started

SERVE = """
import sys, time
from pathlib import Path
from evaluation.stores.postgres import bundled_server, connect
with connect(bundled_server()) as connection:
    print(connection.execute("SHOW data_directory").fetchone()[0], connection.info.backend_pid, flush=True)
    time.sleep(float(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGKILL])
def test_the_server_ends_with_the_process_however_that_ends(number: signal.Signals | None) -> None:
    command = [sys.executable, "-W", "error", "-c", SERVE, "0" if number is None else "600"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.communicate()[1]
    folder = Path(line.split()[0])
    backend = psutil.Process(int(line.split()[1])) if number is not None else None
    if number is not None:
        process.send_signal(number)
    process.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (folder.parent.exists() or (backend and _runs(backend))):
        os.sched_yield()
    assert not folder.parent.exists()
    assert backend is None or not _runs(backend)


def _runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("store", "setting", "value"),
    [
        (PgVector(index="hnsw", ef_search=1000), "hnsw.ef_search", "1000"),
        (PgVector(index="ivfflat", lists=4, probes=3), "ivfflat.probes", "3"),
    ],
    ids=["hnsw", "ivfflat"],
)
def test_settings_of_a_search_are_in_force(store: PgVector, setting: str, value: str, tmp_path: Path) -> None:
    """What is set before the library is loaded would be dropped without a word where it is out of range."""
    opened = store.open(tmp_path)
    opened.build(turned(32), lettered(32))
    opened.search(turned(32)[0], 3)
    with opened._searching.one() as connection:
        shown = connection.execute(f"SHOW {setting}".encode()).fetchone()
    opened.close()
    assert shown == (value,)


@pytest.mark.parametrize(
    ("index", "values", "wrong"),
    [
        ("hnsw", {"ef_search": 1001}, "ef_search"),
        ("hnsw", {"m": 1}, "m"),
        ("hnsw", {"m": 40}, "ef_construction"),
        ("hnsw", {"ef_construction": 1001}, "ef_construction"),
        ("ivfflat", {"lists": 32_769}, "lists"),
        ("ivfflat", {"probes": 40_000}, "probes"),
    ],
)
def test_what_pgvector_would_not_take_is_refused(index: str, values: dict[str, Any], wrong: str) -> None:
    with pytest.raises(BadInput) as error:
        PgVector(index=index, **values)  # type: ignore[arg-type]
    assert [problem.where for problem in error.value.problems] == [wrong]


@pytest.mark.parametrize(
    "store", [PgVector(index="hnsw", m=4, ef_search=10), PgVector(index="ivfflat", lists=20)]
)
def test_a_longer_list_behind_a_filter_begins_as_a_shorter_one(store: PgVector, tmp_path: Path) -> None:
    (vectors, queries), chunks = clustered(), lettered(2000)
    opened, most = store.open(tmp_path), frozenset({one.document_id for one in chunks[:3]})
    opened.build(vectors, chunks)
    for query in queries[:10]:
        few, many = (opened.search(query, depth, most) for depth in (5, 1500))
        order = [np.lexsort((found.rows, -found.scores)) for found in (few, many)]
        assert many.rows[order[1]][: len(few.rows)].tolist() == few.rows[order[0]].tolist()
    opened.close()


@pytest.mark.parametrize(
    "store",
    [
        f"postgresql://u:{SECRET}@h/db",
        {"store": f"host=h password={SECRET}"},
        {"store": "pgvector", "dsn_env": f"postgresql://u:{SECRET}@h/db"},
        {"store": "pgvector", "dsn_env": [f"postgresql://u:{SECRET}@h/db"]},
        {"store": "pgvector", "dsn_env": {"a": SECRET}},
        {"store": [SECRET]},
    ],
    ids=["word", "name", "variable", "list", "map", "names"],
)
def test_a_secret_in_the_wrong_place_is_not_shown(store: object) -> None:
    with pytest.raises(BadInput) as error:
        Search(store=store)  # type: ignore[arg-type]
    assert SECRET not in str(error.value)
