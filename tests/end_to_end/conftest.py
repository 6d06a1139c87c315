"""The real command, as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = Path(sys.executable).with_name("chunksweep")

NO_NETWORK = '''
import socket

_connect = socket.socket.connect


def connect(self, address):
    if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(101, f"Network is unreachable (a test forbids {address[0]})")
    return _connect(self, address)


def getaddrinfo(host, *rest, **more):
    if host not in ("127.0.0.1", "::1", "localhost", None, ""):
        raise socket.gaierror(-3, f"a test forbids to look up {host}")
    return _getaddrinfo(host, *rest, **more)


_getaddrinfo = socket.getaddrinfo
socket.socket.connect = connect
socket.getaddrinfo = getaddrinfo
'''

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The machine's environment with a home, a cache and no network of its own."""
    (home / "site").mkdir(parents=True, exist_ok=True)
    (home / "site" / "sitecustomize.py").write_text(NO_NETWORK)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW_", "TIKTOKEN_"))}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PYTHONPATH": str(home / "site"),
        "COLUMNS": "100",
        **(extra or {}),
    }


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for all tests of a process, so that they share the vector cache."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def cli(home: Path) -> Cli:
    """Run `chunksweep ARGUMENTS` in a folder."""
    if not COMMAND.exists():
        pytest.skip("chunksweep is not installed beside this Python; `make test` installs it")

    def run(folder: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(COMMAND), *arguments],
            cwd=folder,
            env=environment(home, extra),
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    return run


@pytest.fixture(scope="session")
def small_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three documents of the handbook with the questions that stand on them alone."""
    source = ROOT / "datasets" / "handbook"
    folder = tmp_path_factory.mktemp("small")
    kept = {"support/faq.md", "runbooks/ingest-lag.md", "product/release-notes-2024.md"}
    for name in kept:
        (folder / "documents" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "documents" / name, folder / "documents" / name)
    lines = []
    for line in (source / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        anchors = [entry for first in row["evidence"] for entry in (first, *first.get("alternatives", ()))]
        if not row.get("filter") and {anchor["document"] for anchor in anchors} <= kept:
            lines.append(line)
    assert len(lines) >= 15
    (folder / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "card.yaml").write_text("name: small\n")
    return folder
