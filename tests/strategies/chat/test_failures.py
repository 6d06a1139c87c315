"""All that can stand against an answer, and keys that nobody may see."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from asking import ask, failures
from chat_server import ChatServer, Reply, as_reply, fails, says

from strategies.errors import ChatError
from strategies.language_model.chat import Chat
from strategies.language_model.chat_model import ChatModel

FAULTY = {
    "the model refused: I would rather not.": says(None, refusal="I would\nrather not."),
    "the endpoint's content filter stopped the answer": says("Half of", finish="content_filter"),
    "the answer was cut at 2000 tokens: raise max_output_tokens": says("Half of", finish="length"),
    "the answer is empty": says(""),
    "the answer is empty ": says(" \n"),
    "the answer is empty  ": says(None),
    "the answer is empty   ": says("<think>Hm.</think>\n"),
    "the answer is empty    ": says([{"type": "text", "text": "a"}]),
    "the endpoint sent no answer: <html>Log in": Reply(b"<html>Log\n in"),
    "the endpoint sent no answer: ": Reply(b""),
    'the endpoint sent no answer: {"choices": []}': as_reply({"choices": []}),
    'the endpoint sent no answer: {"choices": null}': as_reply({"choices": None}),
    'the endpoint sent no answer: {"error": "busy"}': as_reply({"error": "busy"}),
    "the endpoint sent no answer: [[[[[[[[[[": Reply(b"[" * 100_000),
    "HTTP 400: too long": fails(400, "too long"),
    "HTTP 404: no such model": fails(404, "no such model"),
    "HTTP 418: a teapot": Reply(b"a\nteapot", status=418),
}


class TestFailures:
    @pytest.mark.parametrize("said", FAULTY)
    def test_what_is_no_answer_is_told_once_and_not_kept(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, said: str
    ) -> None:
        chat_server.answer = lambda prompt: FAULTY[said] if prompt == "b" else says(prompt)
        found = failures(chat, model, "a", "b", "c")
        assert found.keys() == {1}
        assert found[1].startswith(said.rstrip())
        assert len(found[1]) < 300
        assert "\n" not in found[1]
        assert chat_server.prompts == ["a", "b", "c"]
        chat_server.answer = says
        assert ask(chat, model, "a", "b", "c") == ["a", "b", "c"]
        assert chat_server.prompts == ["a", "b", "c", "b"]

    def test_the_message_names_the_requests(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer = lambda prompt: fails(400, prompt) if prompt > "b" else says(prompt)
        with pytest.raises(ChatError, match=r"^request 2: HTTP 400: c; request 3: HTTP 400: d$"):
            ask(chat, model, "a", "b", "c", "d")

    def test_no_answer_in_time(self, chat: Chat, model: ChatModel, chat_server: ChatServer) -> None:
        chat_server.answer = lambda prompt: Reply(waits=True)
        hurried = replace(model, timeout_s=0.2, retries=0)
        assert failures(chat, hurried, "a") == {0: "no answer within 0.2 s, asked once"}

    def test_an_answer_that_drips_is_not_waited_for(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer = lambda prompt: Reply(drips=True)
        hurried = replace(model, timeout_s=0.2, retries=1)
        said = "the response broke off (not complete within 0.2 s), asked 2 times"
        assert failures(chat, hurried, "a") == {0: said}
        assert len(chat_server.asked) == 2

    def test_a_response_that_breaks_off_is_asked_for_again(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer_in_turn([Reply(b'{"choices"', promised=500), says("whole")])
        assert ask(chat, model, "a") == ["whole"]

    @pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
    def test_a_busy_endpoint_is_asked_again(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, status: int
    ) -> None:
        chat_server.answer_in_turn([fails(status), fails(status), says("at last")])
        assert ask(chat, model, "a") == ["at last"]
        assert len(chat_server.asked) == 3
        assert chat.spent().paid_calls == 1
        chat_server.answer_in_turn([fails(status, "busy")] * 3)
        assert failures(chat, model, "b") == {0: f"HTTP {status}: busy, asked 3 times"}

    def test_nobody_listens(self, chat: Chat, model: ChatModel) -> None:
        nowhere = replace(model, base_url="http://127.0.0.1:9/v1", retries=0)
        said = failures(chat, nowhere, "a")[0]
        assert said.startswith("http://127.0.0.1:9/v1 cannot be reached (")
        assert said.endswith("), asked once")

    def test_an_endpoint_that_only_fails_is_not_asked_on_and_on(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer = lambda prompt: fails(500)
        impatient = replace(model, retries=0)
        found = failures(chat, impatient, *map(str, range(20)))
        assert len(found) == 20
        assert len(chat_server.asked) == 5
        assert found[19] == f"not asked, since {model.base_url} failed 5 times in a row"
        chat_server.answer = says
        assert failures(chat, impatient, "20").keys() == {0}
        chat.spent()
        assert ask(chat, impatient, "20") == ["20"]

    def test_failures_of_some_prompts_are_no_reason_to_stop(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer = lambda prompt: fails(500) if int(prompt) % 5 else says(prompt)
        found = failures(chat, replace(model, retries=0), *map(str, range(20)))
        assert found.keys() == {number for number in range(20) if number % 5}
        chat_server.answer = lambda prompt: fails(400)
        assert len(failures(chat, model, *map(str, range(100, 120)))) == 20
        assert len(chat_server.asked) == 40

    def test_models_that_know_the_limit_under_its_new_name(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        def answer(prompt: str) -> Reply:
            if "max_tokens" in chat_server.asked[-1].body:
                return fails(400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead.")
            return says(prompt)

        chat_server.answer = answer
        assert ask(chat, model, "a", "b") == ["a", "b"]
        assert [asked.body.get("max_completion_tokens") for asked in chat_server.asked] == [None, 2000, 2000]
        chat_server.answer = lambda prompt: fails(400, "max_completion_tokens is too large")
        assert failures(chat, model, "c") == {0: "HTTP 400: max_completion_tokens is too large"}

    def test_an_answer_of_another_form_than_asked_is_not_kept(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        def short(answer: str) -> str:
            return "" if len(answer) < 6 else f"is {len(answer)} long"

        chat_server.answer_in_turn([says("ab"), says("abcdefg"), says("cd")])
        with pytest.raises(ChatError, match=r"^request 1: is 7 long$"):
            chat.answers(model, ["a", "b"], short)
        assert chat.answers(model, ["a", "b"], short) == ["ab", "cd"]
        chat_server.answer = says
        assert chat.answers(model, ["a"], lambda answer: "old" if answer == "ab" else "") == ["a"]

    def test_a_signal_ends_the_wait_and_the_asking(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        class Stop(BaseException):
            pass

        def stop(*_: object) -> None:
            raise Stop

        def answer(prompt: str) -> Reply:
            os.kill(os.getpid(), signal.SIGUSR1)
            return Reply(waits=True)

        chat_server.answer = answer
        before = signal.signal(signal.SIGUSR1, stop)
        try:
            with pytest.raises(Stop):
                ask(chat, model, *map(str, range(10)))
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert len(chat_server.asked) == 1


class TestKeys:
    SECRET = "sk-Very_secret/123"

    @pytest.fixture
    def keyed(self, model: ChatModel, monkeypatch: pytest.MonkeyPatch) -> ChatModel:
        monkeypatch.setenv("LETTER_BOX_KEY", f"{self.SECRET}\n")
        return replace(model, api_key_env="LETTER_BOX_KEY")

    def test_the_key_goes_to_the_endpoint_and_nowhere_else(
        self, chat: Chat, keyed: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        ask(chat, keyed, "a")
        assert chat_server.asked[0].headers["authorization"] == f"Bearer {self.SECRET}"
        chat.close()
        files = [path.read_bytes() for path in tmp_path.iterdir()]
        assert any(b"re: a" in held for held in files)
        assert not any(b"secret" in held for held in files)
        assert "secret" not in repr(keyed)

    def test_an_endpoint_that_shows_the_key_is_not_quoted(
        self, chat: Chat, keyed: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer = lambda prompt: fails(401, f"Incorrect key: {self.SECRET}.")
        with pytest.raises(ChatError) as error:
            ask(chat, keyed, "a")
        assert error.value.failures == {0: "HTTP 401: Incorrect key: ***."}
        assert error.value.__cause__ is None
        assert len(chat_server.asked) == 1

    @pytest.mark.parametrize("before", [985, 990, 76, 150])
    def test_no_part_of_a_key_is_left_where_a_message_is_cut(
        self, chat: Chat, keyed: ChatModel, chat_server: ChatServer, before: int
    ) -> None:
        chat_server.answer = lambda prompt: fails(401, "z" * before + f" {self.SECRET} " + "tail " * 300)
        with pytest.raises(ChatError) as error:
            ask(chat, keyed, "a")
        said = str(error.value)
        assert not any(self.SECRET[:length] in said for length in range(4, len(self.SECRET) + 1))
        assert not any(self.SECRET[-length:] in said for length in range(4, len(self.SECRET) + 1))

    def test_a_key_that_is_not_there_is_told_and_nothing_is_asked(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("EMPTY_KEY", "")
        ask(chat, model, "b")
        for name in ("EMPTY_KEY", "NO_SUCH_KEY"):
            said = f"the environment variable {name}, which holds the key, is not set"
            assert failures(chat, replace(model, api_key_env=name), "a", "b") == {0: said}
        assert chat_server.prompts == ["b"]

    def test_no_other_key_of_the_environment_is_sent(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
            monkeypatch.setenv(name, self.SECRET)
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        ask(chat, model, "a")
        assert "secret" not in str(chat_server.asked[0].headers)

    def test_a_key_that_no_header_can_hold(
        self, chat: Chat, keyed: ChatModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LETTER_BOX_KEY", "sk-sécret")
        said = failures(chat, replace(keyed, retries=0), "a")[0]
        assert "cret" not in said
