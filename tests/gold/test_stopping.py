"""A signal or a full disk: nothing half-written stays, and what was saved is told."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.cli.app import run
from experiments.signals import Gate, Interrupted
from tests.gold.conftest import MakeSet

TEXT = "# Rules\n\nQuiet hours run from ten at night to seven in the morning, all week.\n\n" + "".join(
    f"## {name} of the house\n\nThe {name} opens at {hour} and is swept on {day} by whoever used it last.\n\n"
    for name, hour, day in zip(
        ("Cellar", "Garden", "Laundry", "Workshop", "Attic"),
        ("seven", "eight", "nine", "ten", "noon"),
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
        strict=True,
    )
)
ASKED = {"id": "q", "question": "When is it quiet?", "answers": [], "is_impossible": True}
SQUAD = {"data": [{"title": "a", "paragraphs": [{"context": TEXT, "qas": [ASKED]}]}]}
WRITING = {
    "new": "gold new out --from set/documents",
    "import": "gold import squad squad.json --to out",
    "export to a folder": "gold export handbook chroma out --skip-bad",
    "export to a file": "gold export handbook squad out --skip-bad",
    "bootstrap": "gold bootstrap set --questions 1",
}


@pytest.fixture
def home(make_set: MakeSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_set({"a.md": TEXT}, "")
    (tmp_path / "squad.json").write_text(json.dumps(SQUAD))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def deaf() -> Iterator[None]:
    """Signals that nobody caught would be lost, and not end the tests."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def everything(folder: Path) -> dict[str, bytes | None]:
    return {str(path): None if path.is_dir() else path.read_bytes() for path in folder.rglob("*")}


def on_chmod(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """What is written beside its place gets its rights before it is moved: stop then, twice."""
    chmod = os.chmod

    def stopping(*given: Any, **more: Any) -> None:
        chmod(*given, **more)
        signal.raise_signal(number)
        signal.raise_signal(number)

    monkeypatch.setattr(os, "chmod", stopping)


@pytest.mark.usefixtures("deaf")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", WRITING.values(), ids=WRITING)
def test_what_was_begun_is_gone_when_a_signal_stops_it(
    home: Path,
    command: str,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = everything(home)
    on_chmod(monkeypatch, number)
    assert run(command.split()) == 128 + number
    assert everything(home) == before
    assert capsys.readouterr().err == f"chunksweep: Stopped by {signal.Signals(number).name}.\n"
    monkeypatch.undo()
    monkeypatch.chdir(home)
    assert run(command.split()) == 0


ADD = ["gold", "add", "set", "--question", "When?", "--quote", "Quiet hours run", "--id", "quiet\x1b"]


@pytest.mark.usefixtures("deaf")
def test_a_question_that_was_saved_before_a_signal_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_chmod(monkeypatch, signal.SIGTERM)
    assert run(ADD) == 143
    assert capsys.readouterr().err == "chunksweep: Saved quiet\\x1b\nchunksweep: Stopped by SIGTERM.\n"
    assert len((home / "set" / "questions.jsonl").read_text().splitlines()) == 1


class Full(io.StringIO):
    """A file on a disk that is full."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_question_that_was_saved_is_told_where_it_cannot_be_shown(
    home: Path, more: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", Full())
        assert run([*ADD, *more]) == 1
    err = capsys.readouterr().err
    assert err == "chunksweep: Saved quiet\\x1b\nchunksweep: the output: No space left on device\n"
    assert len((home / "set" / "questions.jsonl").read_text().splitlines()) == 1


def test_a_signal_that_comes_again_at_once_breaks_no_clearing_up() -> None:
    now = [5.0]
    gate = Gate(lambda: now[0])
    with pytest.raises(Interrupted):
        gate.arrive(signal.SIGTERM, None)
    gate.arrive(signal.SIGTERM, None)
    now[0] += 2
    with pytest.raises(Interrupted):
        gate.arrive(signal.SIGTERM, None)


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("gold new out --from set/documents", "out"),
        ("gold import squad squad.json --to out", "out"),
        ("gold export handbook chroma out --skip-bad", "out"),
        ("gold export handbook squad out --skip-bad", "out"),
        ("gold bootstrap set --questions 1", "set/questions.jsonl"),
    ],
)
def test_a_disk_that_is_full_is_named_by_a_file(
    home: Path, command: str, named: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **more: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = everything(home)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        patched.setattr(Path, "write_text", full)
        patched.setattr(os, "fsync", full)
        assert run(command.split()) == 1
    assert capsys.readouterr().err == f"chunksweep: {named}: No space left on device\n"
    assert everything(home) == before


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("gold bootstrap set --questions 99999999999999999999", "--questions"),
        ("gold generate set --model m --base-url x --questions 99999999999999999999", "--questions"),
        ("gold check set --difference 1e-300", "--difference: is 1e-300. Give a share from 0.001 to 1"),
        ("gold check set --difference 0.0009", "--difference"),
        ("gold check set --difference nan", "--difference: is nan"),
        ("gold new out --from set/documents --max-mb 1e-7", "--max-mb: is 1e-07. Use a number from 0.001"),
    ],
)
@pytest.mark.usefixtures("home")
def test_numbers_out_of_reach_are_refused(
    command: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command.split()) == 2
    assert said in capsys.readouterr().err
