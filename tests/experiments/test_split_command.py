"""`chunksweep split` with strategies that ask a language model or an embedder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.embedding_desk import EmbeddingDesk
from experiments.cli.app import run
from strategies.language_model.chat import ANSWERS, Chat

from ..strategies.chat_server import ChatServer, Reply, fails, says  # noqa: TID252  (a neighbour's)

TEXT = "The gate opens at six. Dogs stay on a lead.\n\nFishing needs a card. Nobody sleeps here.\n"


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ChatServer() as server:
        yield server


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the doors that were closed, as they are."""
    names: list[str] = []
    for door in (Chat, EmbeddingDesk):

        def close(self: Any, door: Any = door, close: Any = door.close) -> None:
            names.append(door.__name__)
            close(self)

        monkeypatch.setattr(door, "close", close)
    return names


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "rules.txt"
    file.write_text(TEXT)
    return file


def command(file: Path, *options: str) -> list[str]:
    return ["split", str(file), "--json", "--cache-dir", str(file.parent / "cache"), *options]


def asking(server: ChatServer) -> tuple[str, ...]:
    return ("--set", f"base_url={server.url}", "--set", "model=m", "--set", "retries=0")


ANSWER = {"contextual": "About the park.", "proposition": '["One.", "Two."]', "llm": "[2]"}


@pytest.mark.parametrize("strategy", ANSWER)
def test_an_answer_is_asked_for_once_and_kept(
    strategy: str,
    file: Path,
    chat_server: ChatServer,
    closed: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    chat_server.answer = lambda prompt: says(ANSWER[strategy])
    line = command(file, "--strategy", strategy, "--size", "12", *asking(chat_server))
    assert run(line) == 0
    first = capsys.readouterr().out
    asked = len(chat_server.asked)
    assert asked > 0
    assert closed == ["Chat"]
    embedded = {chunk.get("embedded_text", "") for chunk in json.loads(first)}
    if strategy == "contextual":
        assert all(text.startswith("About the park.") for text in embedded)
    if strategy == "proposition":
        assert embedded >= {"One.", "Two."}
    assert (file.parent / "cache" / ANSWERS).exists()
    assert run(line) == 0
    assert capsys.readouterr().out == first
    assert len(chat_server.asked) == asked


def test_a_model_that_fails_is_told_and_the_doors_are_closed(
    file: Path, chat_server: ChatServer, closed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    reply: Reply = fails(400, "too long")
    chat_server.answer = lambda prompt: reply
    assert run(command(file, "--strategy", "contextual", "--size", "99", *asking(chat_server))) == 1
    assert "HTTP 400: too long" in capsys.readouterr().err
    assert closed == ["Chat"]


def test_one_whose_base_cuts_by_meaning(
    file: Path, chat_server: ChatServer, closed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    chat_server.answer = lambda prompt: says("About the park.")
    base = "base={strategy: semantic, size: 12}"
    options = ("--embedder", "hashing", "--size", "12", "--set", base, *asking(chat_server))
    assert run(command(file, "--strategy", "contextual", *options)) == 0
    assert json.loads(capsys.readouterr().out)
    assert sorted(closed) == ["Chat", "EmbeddingDesk"]


def test_the_others_open_neither(file: Path, closed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command(file, "--strategy", "sentence", "--size", "12")) == 0
    assert capsys.readouterr().out
    assert closed == []
    assert not (file.parent / "cache").exists()
