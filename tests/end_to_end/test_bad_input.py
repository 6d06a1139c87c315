"""What is wrong is said on one screen: file, line or key, reason, remedy; exit code 2; before any work."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .shell import COMMAND, Cli, environment

pytestmark = pytest.mark.slow

SWEEP = """\
name: wrong
dataset: handbook
retrieval: {k: [1, 5], token_budgets: [512]}
headline: context_recall_at_1024_tokens
grid:
  - {strategy: fixed, size: [10, 20], overlap: [0, 10, 11]}
  - {strategy: recursiv, size: 96}
  - {strategy: paragraph, size: 2e2}
  - {strategy: markdown, sise: 96}
marginn: 0.1
"""


def refused(cli: Cli, folder: Path, *arguments: str, says: list[str], **environment: str) -> str:
    before = sorted(path.name for path in folder.iterdir())
    done = cli(folder, *arguments, **environment)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "fault of chunksweep" not in done.stderr
    for words in says:
        assert words in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) <= 40
    assert sorted(path.name for path in folder.iterdir()) == before, "something was done before the check"
    return done.stderr


def test_a_sweep_file_with_many_faults_names_them_all(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    refused(
        cli, tmp_path, "run", "sweep.yaml",
        says=[
            "sweep.yaml:6", "overlap 10 is not less than size 10", "overlap 11 is not less than size 10",
            "sweep.yaml:7", "Did you mean recursive?",
            "sweep.yaml:8", "Write 200",
            "sweep.yaml:9", "Did you mean size?",
            "sweep.yaml:10", "Did you mean margin?",
            "headline",
        ],
    )  # fmt: skip


def test_duplicates_are_refused_or_left_out(cli: Cli, small_set: Path, tmp_path: Path) -> None:
    grid = "  - {strategy: fixed, unit: words, size: [40, 40.0], overlap: [0, 0.0, 40]}\n"
    text = f"name: twice\ndataset: {small_set}\nembedder: hashing\ngrid:\n{grid}"
    (tmp_path / "sweep.yaml").write_text(text)
    refused(cli, tmp_path, "run", "sweep.yaml", says=["fixed-words-40 stands in the grid twice"])
    (tmp_path / "sweep.yaml").write_text(text + "invalid: skip\n")
    done = cli(tmp_path, "run", "sweep.yaml", "--json")
    assert done.returncode == 0, done.stderr
    assert [row["name"] for row in json.loads(done.stdout)["configurations"]] == ["fixed-words-40"]
    assert "Left out" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "nothing.yaml"], ["nothing.yaml", "no ready sweep has that name", "first-look"]),
        (["run", "--strategy", "fixed", "--size", "9"], ["--dataset", "is missing"]),
        (["run", "quick", "--size", "9"], ["--size", "Write it into the sweep file"]),
        (["run", "quick", "--dataset", "nowhere"], ["nowhere", "neither a folder nor a bundled data set"]),
        (["run", "quick", "--tracking-uri", "file:./runs"], ["file store", "sqlite:///mlflow.db"]),
        (["run", "quick", "--tracking-uri", "sqlite:////proc/no/m.db"], ["cannot be used", "--tracking-uri"]),
        (["run", "quick", "--experiment", "a/b"], ["name", "'/'"]),
        (["run", "--dataset", "handbook", "--strategy", "fixed", "--size", "9", "--embedder", "no/model"],
         ["embedder.model", "no/model", "all-MiniLM-L6-v2"]),
        (["run", "--dataset", "handbook", "--strategy", "fixed", "--size", "9", "--unit", "o200k_base"],
         ["o200k_base", "TIKTOKEN_CACHE_DIR", "cl100k_base"]),
        (["export", "nothing"], ["nothing", "is no sweep in"]),
        (["split", "nothing.txt", "--strategy", "fixed", "--size", "9"], ["nothing.txt", "cannot be read"]),
        (["list", "everything"], ["everything"]),
        (["sweep"], ["sweep"]),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)  # fmt: skip
def test_one_fault(cli: Cli, tmp_path: Path, arguments: list[str], says: list[str]) -> None:
    refused(cli, tmp_path, *arguments, says=says)


def test_files_that_are_no_text_are_listed_together(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "questions.jsonl").write_text(
        '{"id": "q", "question": "Where do spoons lie?", '
        '"evidence": [{"document": "good.txt", "quote": "Spoons lie left."}]}\n'
    )
    (folder / "documents" / "good.txt").write_text("Spoons lie left. Forks lie right.\n")
    (folder / "documents" / "old.txt").write_bytes("Löffel".encode("cp1252"))
    (folder / "documents" / "wide.txt").write_bytes("Gabel".encode("utf-16"))
    (folder / "documents" / "zero.txt").write_bytes(b"knife\0fork")
    sweep = ["run", "--dataset", "set", "--strategy", "fixed", "--unit", "words", "--size", "4"]
    refused(cli, tmp_path, *sweep, "--embedder", "hashing", says=["old.txt", "wide.txt", "zero.txt"])
    done = cli(tmp_path, *sweep, "--embedder", "hashing", "--skip-bad", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["configurations"]
    assert (row["documents"], row["documents_skipped"]) == (1, 3)


def test_evidence_that_does_not_resolve_is_named_with_its_line(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "a.txt").write_text("Spoons lie left. Forks lie right. Spoons lie left.\n")
    (folder / "questions.jsonl").write_text(
        '{"id": "one", "question": "?", "evidence": [{"document": "a.txt", "quote": "Knives lie left."}]}\n'
        '{"id": "two", "question": "?", "evidence": [{"document": "a.txt", "quote": "Spoons lie left."}]}\n'
        '{"id": "three", "question": "?", "evidence": [{"chunk_id": 7}]}\n'
    )
    sweep = ["run", "--dataset", "set", "--strategy", "fixed", "--size", "9"]
    refused(
        cli, tmp_path, *sweep,
        says=["questions.jsonl:1", "question one", "questions.jsonl:2", "any", "questions.jsonl:3", "chunk"],
    )  # fmt: skip
    checked = cli(tmp_path, "gold", "check", "set")
    assert checked.returncode == 2
    assert "questions.jsonl:3" in checked.stdout


def test_a_new_sweep_file_loads_as_it_is(cli: Cli, tmp_path: Path) -> None:
    assert cli(tmp_path, "init").returncode == 0
    refused(cli, tmp_path, "init", says=["sweep.yaml", "is there already"])
    planned = cli(tmp_path, "plan", "sweep.yaml")
    assert planned.returncode == 0, planned.stderr


def wait_for_handlers(pid: int) -> None:
    """Until the process has set its handlers: before that, the signal would be Python's own affair."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():  # no Linux
        time.sleep(1)
        return
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        (caught,) = [line for line in status.read_text().splitlines() if line.startswith("SigCgt")]
        if int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.005)
    pytest.fail("the command never set its handlers")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_at_any_moment_is_one_line(home: Path, tmp_path: Path, number: signal.Signals) -> None:
    for delay_s in (0.0, 0.3, 1.5):
        process = subprocess.Popen(
            [str(COMMAND), "plan", "quick"],
            cwd=tmp_path,
            env=environment(home),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for_handlers(process.pid)
        time.sleep(delay_s)
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 128 + number
        assert errors == f"chunksweep: Stopped by {number.name}.\n"


@pytest.mark.parametrize(
    ("shell", "code"),
    [
        ("{} list metrics >&-", 0),
        ("{} list metrics | head -n 1", 1),  # the reader went away: silence, and no success
        ("PYTHONIOENCODING=ascii {} list metrics", 0),
        ("{} list metrics > /dev/full", 1),
        ("{} list metrics > /dev/full 2> /dev/full", 1),
    ],
)
def test_streams_that_are_closed_full_or_narrow(home: Path, tmp_path: Path, shell: str, code: int) -> None:
    if "/dev/full" in shell and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell.format(COMMAND)],
        cwd=tmp_path,
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert "fault of chunksweep" not in done.stderr
