"""The real command, as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from .shell import COMMAND, ROOT, Cli, environment


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
