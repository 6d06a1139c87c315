"""Opens an MLflow client quietly, and only on a store that can be used as it is."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from experiments import store
from strategies.errors import refuse

_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}
"""For this process, unless the user has set them."""

SWEEP = "chunksweep.sweep"
"""Tag of an experiment that is a sweep: in how many parts its description follows, and its hash."""

OTHER_STORE = "Give another one with --tracking-uri, such as sqlite:///mlflow.db"


def open_client(uri: str) -> Any:
    """A client of the store, which is made first if it is an SQLite file that is still missing.

    Raises `BadInput` for a store that cannot be reached, is of another version, or is no store. A store is
    never upgraded: that is for its owner to decide.
    """
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with _quiet():
        try:
            path = store.sqlite_path(uri)
            if path is None:
                return _connect(uri)
            if store.schema_version(path) is None:
                store.fill_new(path, _make)
            _check_version(uri, store.schema_version(path))
            return _connect(uri)
        except errors() as error:
            raise refuse("tracking store", f"{store.shown(uri)}: {sentence(error)}", OTHER_STORE) from error


def _connect(uri: str) -> Any:
    """A client that has reached its store."""
    from mlflow import MlflowClient

    if uri.partition(":")[0].partition("+")[0] in store.DATABASES and store.sqlite_path(uri) is None:
        _check_database(uri)
    # A server that is not there would be tried for minutes.
    with _environment(MLFLOW_HTTP_REQUEST_MAX_RETRIES="1", MLFLOW_HTTP_REQUEST_TIMEOUT="20"):
        client = MlflowClient(uri)
        client.search_experiments(max_results=1)
    return client


@cache
def errors() -> tuple[type[Exception], ...]:
    """What MLflow and the libraries under it raise when a store fails."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    return (MlflowException, SQLAlchemyError, OSError)


def sentence(error: BaseException) -> str:
    """The first line of an error, short."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= 300 else f"{lines[0][:300]} ..."


def _make(path: Path) -> None:
    """A new store, with the experiment that MLflow expects in each."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    made = SqlAlchemyStore(f"sqlite:///{path}", "./mlartifacts")
    made.engine.dispose()


def _check_version(uri: str, version: str | None) -> None:
    from mlflow.store.db.utils import _get_latest_schema_revision

    ours, place = _get_latest_schema_revision(), store.shown(uri)
    if version != ours:
        raise refuse(
            "tracking store",
            f"{place} was made by another version of MLflow (schema {version}, this one needs {ours})",
            f"Back it up and run mlflow db upgrade {place}, or give another store with --tracking-uri",
        )


def _check_database(uri: str) -> None:
    """MLflow would upgrade an older database by itself."""
    from mlflow.store.db.utils import _get_schema_version, _is_empty_database, create_sqlalchemy_engine

    engine = create_sqlalchemy_engine(uri)
    try:
        if not _is_empty_database(engine):
            _check_version(uri, _get_schema_version(engine))
    finally:
        engine.dispose()


@contextmanager
def _quiet() -> Iterator[None]:
    """MLflow and Alembic report their own making of tables, and warn about libraries not used here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlflow  # noqa: F401  # sets up the loggers

        loggers = [logging.getLogger(name) for name in ("mlflow", "alembic")]
        levels = [logger.level for logger in loggers]
        try:
            for logger in loggers:
                logger.setLevel(logging.CRITICAL)
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)


@contextmanager
def _environment(**settings: str) -> Iterator[None]:
    """Settings for a while, unless the user has set them."""
    ours = {name: value for name, value in settings.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def recorded_sweeps(uri: str | None = None) -> list[str]:
    """Names of the experiments in a store that are sweeps; none where there is no store."""
    uri = uri or store.default_tracking_uri()
    store.check_uri(uri)
    path = store.sqlite_path(uri)
    if path is not None and not path.exists():
        return []
    client, names, token = open_client(uri), [], None
    while True:
        page = client.search_experiments(page_token=token)
        names += [experiment.name for experiment in page if SWEEP in experiment.tags]
        token = page.token
        if not token:
            return sorted(names)


def ui_command(uri: str | None, host: str, port: int) -> tuple[list[str] | None, str]:
    """The command that serves MLflow's UI on a store, and its address; no command where a server does."""
    uri = uri or store.default_tracking_uri()
    store.check_uri(uri)
    if uri.partition(":")[0].lower() in store.SERVERS:
        return None, uri
    path = store.sqlite_path(uri)
    if path is not None and not path.exists():
        raise refuse("tracking store", f"{path} is not there", "Run a sweep first: chunksweep run first-look")
    options = ["--backend-store-uri", uri, "--host", host, "--port", str(port)]
    return [sys.executable, "-m", "mlflow", "ui", *options], f"http://{host}:{port}"
