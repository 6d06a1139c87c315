"""Answers that are kept: by what, for how long, and what can befall the file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from asking import ask
from chat_server import ChatServer, Reply, says

from strategies.errors import BadInput
from strategies.language_model.chat import ANSWERS, Chat, key_of
from strategies.language_model.chat_client import Answer
from strategies.language_model.chat_model import ChatModel


class TestCache:
    def test_what_was_answered_is_never_asked_again(
        self, model: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        first, second = Chat(tmp_path / "new"), Chat(tmp_path / "new")
        assert ask(first, model, "a", "b", "a") == ["re: a", "re: b", "re: a"]
        assert ask(first, model, "b") == ["re: b"]
        assert ask(second, model, "b", "a") == ["re: b", "re: a"]
        assert chat_server.prompts == ["a", "b"]
        assert (first.spent().paid_calls, second.spent().paid_calls) == (2, 0)
        first.close()
        second.close()

    def test_of_two_answers_given_at_once_the_first_that_is_kept_stands_for_both(
        self, model: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        first, second = Chat(tmp_path), Chat(tmp_path)
        assert ask(first, model, "a") == ["re: a"]
        late = Answer("another", 1, 1, 1.0)
        assert second._kept(key_of(model, "a"), late, lambda text: "").text == "re: a"
        assert second._kept(key_of(model, "b"), late, lambda text: "").text == "another"
        assert ask(first, model, "b") == ["another"]
        first.close()
        second.close()

    def test_without_a_folder_answers_are_kept_as_long_as_the_chat(
        self, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat = Chat()
        assert ask(chat, model, "a") == ask(chat, model, "a")
        assert chat_server.prompts == ["a"]
        chat.close()

    def test_the_key_is_all_that_decides_an_answer_and_nothing_else(self, model: ChatModel) -> None:
        others = [
            replace(model, base_url="http://elsewhere/v1"),
            replace(model, model="n"),
            replace(model, temperature=0.5),
            replace(model, temperature=None),
            replace(model, max_output_tokens=9),
        ]
        assert len({key_of(one, "a") for one in [model, *others]} | {key_of(model, "b")}) == 7
        alike = [
            replace(model, api_key_env="KEY"),
            replace(model, timeout_s=1, retries=0, concurrency=9),
            replace(model, price_per_million_input_tokens=1, price_per_million_output_tokens=2),
            replace(model, base_url=f"{model.base_url}/"),
        ]
        assert {key_of(one, "a") for one in alike} == {key_of(model, "a")}

    def test_a_damaged_answer_is_asked_for_again(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        ask(chat, model, "a", "b")
        with sqlite3.connect(tmp_path / ANSWERS) as database:
            database.execute("update answers set text = 're: c' where text = 're: a'")
            database.execute("update answers set input_tokens = 99 where text = 're: b'")
        database.close()
        assert ask(chat, model, "a", "b") == ["re: a", "re: b"]
        assert chat_server.prompts == ["a", "b", "a", "b"]

    def test_a_file_that_is_no_cache_is_put_aside(
        self, model: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        (tmp_path / ANSWERS).write_bytes(b"\x5a" * 20_000)
        chat = Chat(tmp_path)
        assert ask(chat, model, "a") == ask(chat, model, "a") == ["re: a"]
        assert chat_server.prompts == ["a"]
        assert (tmp_path / ANSWERS).with_suffix(".damaged").read_bytes() == b"\x5a" * 20_000
        chat.close()

    def test_a_disk_that_refuses_costs_the_cache_and_nothing_else(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        chat._cache._database.close()
        chat._cache._database = sqlite3.connect(
            f"file:{tmp_path / ANSWERS}?mode=ro", uri=True, check_same_thread=False
        )
        assert ask(chat, model, "a") == ask(chat, model, "a") == ["re: a"]
        assert chat_server.prompts == ["a"]

    def test_a_folder_that_cannot_be_made_is_bad_input(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        with pytest.raises(BadInput, match="cannot be used"):
            Chat(tmp_path / "file")

    def test_a_kill_costs_only_what_was_under_way(
        self, chat_server: ChatServer, model: ChatModel, tmp_path: Path
    ) -> None:
        code = (
            "import sys; from pathlib import Path; from strategies.language_model.chat import Chat;"
            "from strategies.language_model.chat_model import ChatModel;"
            "model = ChatModel(base_url=sys.argv[1], model='m', concurrency=1, timeout_s=20, retries=2);"
            "Chat(Path(sys.argv[2])).answers(model, ['a', 'b', 'hang'], lambda answer: '')"
        )
        hangs = threading.Event()
        chat_server.answer = lambda prompt: (
            (hangs.set(), Reply(waits=True))[1] if prompt == "hang" else says(prompt)
        )
        done = subprocess.Popen([sys.executable, "-c", code, chat_server.url, str(tmp_path)])
        assert hangs.wait(60)
        done.kill()
        done.wait()
        chat_server.answer = says
        chat = Chat(tmp_path)
        assert ask(chat, model, "a", "b", "hang") == ["a", "b", "hang"]
        assert chat_server.prompts == ["a", "b", "hang", "hang"]
        chat.close()
