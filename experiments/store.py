"""Where a tracking store lies, and whether it can be used: what can be told without MLflow itself."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from strategies.errors import refuse

DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
SERVERS = ("http", "https", "databricks")
_SERVER = "Write it like http://HOST:5000, an IPv6 address like http://[::1]:5000"
_FILE = "Write sqlite:///mlflow.db"
_WAIT_S = 120.0
"""Another process may be creating the same store, which takes it 5 to 12 s on a quiet machine."""


def default_tracking_uri(folder: Path | None = None, environment: Mapping[str, str] = os.environ) -> str:
    """`MLFLOW_TRACKING_URI` where it is set, else `mlflow.db` in the working folder."""
    return (
        environment.get("MLFLOW_TRACKING_URI")
        or f"sqlite:///{(folder or Path.cwd()).resolve() / 'mlflow.db'}"
    )


def check_uri(uri: str) -> None:
    """Raise `BadInput` for a store that MLflow no longer writes to, does not know, or would forget."""
    scheme = uri.partition(":")[0].lower() if ":" in uri else ""
    if scheme in ("http", "https"):
        return _check_server(uri)
    if scheme.partition("+")[0] == "sqlite":
        return _check_sqlite(uri)
    if scheme.partition("+")[0] in (*DATABASES, *SERVERS) or uri == "databricks":
        return None
    if uri.endswith((".db", ".sqlite", ".sqlite3")):
        raise refuse("tracking URI", f"{uri} is a path", f"Write sqlite:///{uri.removeprefix('file:')}")
    if scheme in ("", "file") or re.fullmatch("[a-z]", scheme):
        what = f"{uri} is a file store, which MLflow no longer writes to"
        raise refuse("tracking URI", what, "Use a database, such as sqlite:///mlflow.db")
    raise refuse("tracking URI", f"{shown(uri)} is no store", f"Known: {', '.join((*DATABASES, *SERVERS))}")


def _check_server(uri: str) -> None:
    try:
        parts = urlsplit(uri)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise refuse("tracking URI", f"{shown(uri)} is no address: {error}", _SERVER) from error
    if not named:
        raise refuse("tracking URI", f"{shown(uri)} names no server", _SERVER)


def _check_sqlite(uri: str) -> None:
    path = sqlite_path(uri)
    if path is None or path.name.startswith(":memory:"):
        raise refuse("tracking URI", f"{uri} names no file, so that every run would be forgotten", _FILE)
    if "///file:" in uri:
        raise refuse("tracking URI", f"{uri} is a URI within a URI", _FILE)


def shown(uri: str) -> str:
    """A URI without its password.

    >>> shown("postgresql://me:secret@host/db")
    'postgresql://me:***@host/db'
    """
    return re.sub(r"(//[^/@:]*):[^/@]*@", r"\1:***@", uri)


def sqlite_path(uri: str) -> Path | None:
    """The file of an SQLite store; None for any other, and for one in memory.

    >>> sqlite_path("sqlite:////data/mlflow.db").as_posix(), sqlite_path("http://localhost:5000")
    ('/data/mlflow.db', None)
    """
    found = re.fullmatch(r"sqlite(?:\+\w+)?:///([^?]+)(?:\?.*)?", uri)
    return Path(found[1]).absolute() if found else None


def artifact_folder(uri: str) -> Path | None:
    """`mlartifacts` beside an SQLite file, else in the working folder; None where a server says."""
    path = sqlite_path(uri)
    if path is not None:
        return path.parent / "mlartifacts"
    return None if uri.partition(":")[0].lower() in SERVERS else Path.cwd() / "mlartifacts"


def schema_version(path: Path) -> str | None:
    """The version of an SQLite store, None for one that is still to be made; raises `BadInput`.

    Never changes the file. Checks that it is a database of MLflow's, and that this process may write to it.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise OSError("it is no regular file")
        with closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            found = []
            if "alembic_version" in names:
                found = list(connection.execute("SELECT version_num FROM alembic_version"))
            connection.execute("ROLLBACK")
    except (OSError, sqlite3.Error) as error:
        remedy = "Give another place with --tracking-uri sqlite:///FILE, or make this one writable"
        raise refuse("tracking store", f"{path} cannot be used: {error}", remedy) from error
    if found:
        return str(found[0][0])
    if names:
        what = f"{path} is a database, but not one of MLflow's"
        raise refuse("tracking store", what, "Give another file with --tracking-uri sqlite:///FILE")
    return None


def fill_new(path: Path, make: Callable[[Path], None]) -> None:
    """Fill an empty SQLite store in one step with what `make` writes to another file.

    The store stays locked meanwhile, so that of several processes one makes it and the others wait; a kill
    leaves it empty, never half made.
    """
    with closing(sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)) as target:
        target.execute("BEGIN EXCLUSIVE")
        if target.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
            return  # made while this process waited
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "new.db"
            make(made)
            with closing(sqlite3.connect(made)) as source:
                for statement in source.iterdump():
                    if statement not in ("BEGIN TRANSACTION;", "COMMIT;"):
                        target.execute(statement)
        target.execute("COMMIT")
