"""One MLflow store a test file, one experiment a test."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Holds one store for all tests of a file: making it takes seconds. Each test has its own experiment."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def uri(folder: Path) -> str:
    """The store of the file."""
    return f"sqlite:///{folder}/mlflow.db"


@pytest.fixture
def experiment(request: pytest.FixtureRequest) -> str:
    """A name for the experiment of one test, as a store takes it."""
    return str(request.node.name).replace("/", " ").replace("[", " ").replace("]", " ")[:100].strip()
