"""What it takes to run the real command: where it is, and an environment without a network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = Path(sys.executable).with_name("chunksweep")

NO_NETWORK = """
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
"""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The machine's environment with a home, a cache and no network of its own."""
    (home / "site").mkdir(parents=True, exist_ok=True)
    (home / "site" / "sitecustomize.py").write_text(NO_NETWORK)
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MLFLOW_", "TIKTOKEN_"))
    }
    return {
        **kept,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PYTHONPATH": str(home / "site"),
        "COLUMNS": "100",
        **(extra or {}),
    }
