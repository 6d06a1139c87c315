"""How MLflow and the libraries under it fail, as sentences with a remedy."""

from __future__ import annotations

import sqlite3
from functools import cache

from experiments import store
from strategies.errors import refuse

OTHER_STORE = "Give another one with --tracking-uri, such as sqlite:///mlflow.db"

_PACKAGES = {
    "MySQLdb": "mysqlclient",
    "google": "google-cloud-storage",
    "mysql": "mysql-connector-python",
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
}
"""Module -> package, where their names differ."""


@cache
def errors() -> tuple[type[Exception], ...]:
    """What is raised when a store fails, or a library is missing that it needs."""
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    return (MlflowException, SQLAlchemyError, sqlite3.Error, OSError, ImportError)


def sentence(error: BaseException) -> str:
    """The first line of an error, short."""
    if isinstance(error, ModuleNotFoundError):
        return f"it needs {_package(error)}, which is not installed"
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= 300 else f"{lines[0][:300]} ..."


def remedy(error: BaseException, otherwise: str = OTHER_STORE) -> str:
    """What to do about an error: install what is missing, or else as given."""
    if isinstance(error, ModuleNotFoundError):
        return f"Install it: pip install '{_package(error)}'"
    return otherwise


def check_driver(uri: str) -> None:
    """Raise `BadInput` for a database's URI that is malformed or has no driver here; connects to nothing."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    if uri.partition(":")[0].lower().partition("+")[0] not in store.DATABASES:
        return
    try:
        make_url(uri).get_dialect().import_dbapi()
    except ValueError as error:
        what = f"{store.shown(uri)} is no address: host or port cannot be read"
        raise refuse(
            "tracking URI", what, "Write it like postgresql://USER:PASSWORD@HOST:5432/NAME"
        ) from error
    except (SQLAlchemyError, ImportError) as error:
        what = f"{store.shown(uri)} cannot be used: {sentence(error)}"
        raise refuse("tracking URI", what, remedy(error)) from error


def _package(error: ModuleNotFoundError) -> str:
    module = (error.name or str(error)).partition(".")[0]
    return _PACKAGES.get(module, module)
