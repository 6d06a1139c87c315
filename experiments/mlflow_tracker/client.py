"""Opens an MLflow client quietly, and only on a store that can be used as it is."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from experiments import store
from experiments.mlflow_tracker.calling import QuietClient, patiently, quiet
from experiments.mlflow_tracker.failures import check_driver, errors, remedy, sentence
from strategies.errors import refuse
from strategies.telemetry import telemetry_off

_SETTINGS = {
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}
"""For this process, unless the user has set them."""

SWEEP = "chunksweep.sweep"
"""Tag of an experiment that is a sweep: in how many parts its description follows, and its hash."""


def open_client(uri: str) -> Any:
    """A client of the store, which is made first if it is an SQLite file that is still missing.

    Raises `BadInput` for a store that cannot be reached, is of another version, or is no store. A store is
    never upgraded: that is for its owner to decide.
    """
    telemetry_off()
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    check_driver(uri)
    # MLflow warns about libraries that are not used here.
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            path = store.sqlite_path(uri)
            if path is not None and store.schema_version(path) is None:
                store.fill_new(path, _make)
            return patiently(lambda: _connect(uri))
        except errors() as error:
            what = f"{store.shown(uri)} cannot be used: {sentence(error)}"
            raise refuse("tracking store", what, remedy(error)) from error


def _connect(uri: str) -> Any:
    """A client that has reached its store."""
    from mlflow import MlflowClient

    if uri.partition(":")[0].lower().partition("+")[0] in store.DATABASES:
        _check_database(uri)
    # A server that is not there would be tried for minutes.
    with _environment(MLFLOW_HTTP_REQUEST_MAX_RETRIES="1", MLFLOW_HTTP_REQUEST_TIMEOUT="20"):
        client = QuietClient(MlflowClient(uri))
        client.search_experiments(max_results=1)
    return client


def _make(path: Path) -> None:
    """A new store, with the experiment that MLflow expects in each."""
    from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

    made = SqlAlchemyStore(f"sqlite:///{path}", "./mlartifacts")
    made.engine.dispose()


def _check_database(uri: str) -> None:
    """Raise `BadInput` for a database of another version, which MLflow would upgrade by itself, or a part."""
    import sqlalchemy
    from mlflow.store.db.base_sql_model import Base
    from mlflow.store.db.utils import (
        _get_latest_schema_revision,
        _get_schema_version,
        _is_empty_database,
        create_sqlalchemy_engine,
    )

    engine, place = create_sqlalchemy_engine(uri), store.shown(uri)
    try:
        if _is_empty_database(engine):
            return
        version, ours = _get_schema_version(engine), _get_latest_schema_revision()
        lacking = set(Base.metadata.tables) - set(sqlalchemy.inspect(engine).get_table_names())
    finally:
        engine.dispose()
    if version != ours:
        raise refuse(
            "tracking store",
            f"{place} was made by another version of MLflow (schema {version}, this one needs {ours})",
            f"Back it up and run mlflow db upgrade {place}, or give another store with --tracking-uri",
        )
    if lacking:
        raise refuse(
            "tracking store",
            f"{place} is damaged: it lacks the tables {', '.join(sorted(lacking))}",
            "Restore it from a backup, or give another store with --tracking-uri",
        )


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
    check_driver(uri)
    path = store.sqlite_path(uri)
    if path is not None and not path.is_file():
        raise refuse("tracking store", f"{path} is not there", "Run a sweep first: chunksweep run first-look")
    options = ["--backend-store-uri", uri, "--host", host, "--port", str(port)]
    return [sys.executable, "-m", "mlflow", "ui", *options], f"http://{host}:{port}"
