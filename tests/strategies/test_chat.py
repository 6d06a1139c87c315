"""Asking language models, over the real protocol: answers, what they cost, and all that can fail."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chat_server import ChatServer, Reply, as_reply, fails, says
from hypothesis import given
from hypothesis import strategies as st

from strategies.chat import ANSWERS, Chat, Spent, key_of
from strategies.chat_client import Answer, Failure, read
from strategies.chat_model import ChatModel
from strategies.errors import BadInput, ChatError


@pytest.fixture
def model(chat_server: ChatServer) -> ChatModel:
    return ChatModel(base_url=chat_server.url, model="m", timeout_s=20, retries=2, concurrency=1)


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    chat = Chat(tmp_path)
    yield chat
    chat.close()


def anything(answer: str) -> str:
    return ""


def ask(chat: Chat, model: ChatModel, *prompts: str) -> list[str]:
    return chat.answers(model, prompts, anything)


def failures(chat: Chat, model: ChatModel, *prompts: str) -> dict[int, str]:
    with pytest.raises(ChatError) as error:
        chat.answers(model, prompts, anything)
    return error.value.failures


class TestAnswers:
    def test_one_request_as_the_protocol_has_it(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        assert ask(chat, model, "Who is there?") == ["re: Who is there?"]
        [asked] = chat_server.asked
        assert asked.path == "/v1/chat/completions"
        assert asked.body == {
            "model": "m",
            "messages": [{"role": "user", "content": "Who is there?"}],
            "temperature": 0.0,
            "max_tokens": 2000,
        }

    def test_what_is_null_is_not_sent(self, chat: Chat, model: ChatModel, chat_server: ChatServer) -> None:
        ask(chat, replace(model, temperature=None, max_output_tokens=None), "a")
        assert chat_server.asked[0].body.keys() == {"model", "messages"}

    def test_answers_keep_the_order_of_the_prompts_when_they_come_in_another(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        """The first eight arrive together, and the first of all is answered last."""
        all_there = threading.Barrier(8)

        def answer(prompt: str) -> Reply:
            if int(prompt) < 8:
                all_there.wait(timeout=20)
                time.sleep(0.02 * (8 - int(prompt)))
            return says(f"<{prompt}>")

        chat_server.answer = answer
        prompts = [str(number) for number in range(20)]
        assert ask(chat, replace(model, concurrency=8), *prompts) == [f"<{prompt}>" for prompt in prompts]

    def test_any_text_comes_back(self, chat: Chat, model: ChatModel, chat_server: ChatServer) -> None:
        chat_server.answer = lambda prompt: says(f"🦉\x00\u2028 é {prompt}")
        assert ask(chat, model, "漢\x00字\ud800") == ["🦉\x00\u2028 é 漢\x00字\ufffd"]
        chat_server.answer = lambda prompt: says("half \udc00 a pair")
        assert ask(chat, model, "b") == ["half \ufffd a pair"] == ask(chat, model, "b")

    def test_thoughts_before_an_answer_are_no_part_of_it(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        chat_server.answer = lambda prompt: says("<think>\nA or B?\n</think>\nB <think>")
        assert ask(chat, model, "a") == ["\nB <think>"]

    def test_prompts_are_made_as_they_are_asked(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        made: list[int] = []
        seen: list[int] = []
        chat_server.answer = lambda prompt: (seen.append(len(made)), says(prompt))[1]
        prompts = (made.append(number) or str(number) for number in range(400))
        assert len(chat.answers(model, prompts, anything)) == 400
        assert seen[0] < 300


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
            "import sys; from pathlib import Path; from strategies.chat import Chat;"
            "from strategies.chat_model import ChatModel;"
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

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "choices",
                            "message",
                            "content",
                            "refusal",
                            "finish_reason",
                            "usage",
                            "prompt_tokens",
                        ]
                    ),
                    inner,
                )
            ),
        )
    )
    def test_whatever_json_comes_it_is_an_answer_or_a_failure(self, value: object) -> None:
        model = ChatModel(base_url="http://here", model="m")
        for body in (value, {"choices": [value]}, {"choices": [{"message": value}]}, {"choices": value}):
            outcome = read(json.dumps(body).encode(), "prompt", 1.0, model)
            if isinstance(outcome, Answer):
                assert outcome.text.strip()
                assert outcome.input_tokens >= 0
            else:
                assert isinstance(outcome, Failure)
                assert outcome.what

    @given(st.binary())
    def test_whatever_bytes_come_they_are_a_failure(self, body: bytes) -> None:
        assert isinstance(read(body, "prompt", 1.0, ChatModel(base_url="http://here", model="m")), Failure)


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


class TestSpent:
    def test_charged_is_what_was_paid_when_it_was_made(
        self, model: ChatModel, chat_server: ChatServer, tmp_path: Path
    ) -> None:
        """100 and 20 input tokens at 2 a million, 30 and 5 output tokens at 10 a million: 0.00059."""
        priced = replace(model, price_per_million_input_tokens=2.0, price_per_million_output_tokens=10)
        chat_server.answer = lambda prompt: says(prompt, usage={"a": (100, 30), "b": (20, 5)}[prompt])
        first, second = Chat(tmp_path), Chat(tmp_path)
        ask(first, priced, "a", "b", "a")
        ask(first, priced, "b")
        ask(second, priced, "b", "a")
        paid, charged = first.spent(), second.spent()
        assert (paid.calls, paid.input_tokens, paid.output_tokens, paid.paid_calls) == (2, 120, 35, 2)
        assert paid.cost == pytest.approx(0.00059, rel=1e-12)
        assert 0 < paid.ms <= paid.waited_ms
        assert charged == replace(paid, paid_calls=0, waited_ms=0.0)
        assert first.spent() == Spent() == second.spent()
        first.close()
        second.close()

    def test_without_prices_there_is_no_cost(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        free = replace(model, price_per_million_input_tokens=0, price_per_million_output_tokens=0)
        ask(chat, free, "a")
        assert chat.spent().cost == 0.0
        ask(chat, free, "a")
        ask(chat, model, "b")
        assert chat.spent().cost is None

    def test_a_change_of_price_asks_nothing_again(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer
    ) -> None:
        ask(chat, model, "a")
        chat.spent()
        priced = replace(model, price_per_million_input_tokens=1e6, price_per_million_output_tokens=0)
        ask(chat, priced, "a")
        assert chat.spent().cost == 11.0
        assert len(chat_server.asked) == 1

    @pytest.mark.parametrize("usage", [None, {}, "many", {"prompt_tokens": -1, "completion_tokens": True}])
    def test_tokens_that_the_endpoint_does_not_tell_are_counted(
        self, chat: Chat, model: ChatModel, chat_server: ChatServer, usage: object
    ) -> None:
        chat_server.answer = lambda prompt: says("hello there", usage=usage)
        ask(chat, model, "hello world")
        spent = chat.spent()
        assert (spent.input_tokens, spent.output_tokens) == (2, 2)

    def test_what_failed_is_not_charged(self, chat: Chat, model: ChatModel, chat_server: ChatServer) -> None:
        chat_server.answer = lambda prompt: says(prompt, finish="length" if prompt == "b" else "stop")
        failures(chat, model, "a", "b")
        assert chat.spent().calls == 1


class TestModel:
    def bad(self, **values: object) -> dict[str, str]:
        with pytest.raises(BadInput) as error:
            ChatModel(**({"base_url": "http://here/v1", "model": "m"} | values))  # type: ignore[arg-type]
        return {problem.where: str(problem) for problem in error.value.problems}

    @pytest.mark.parametrize("address", ["", "here", "ftp://here/v1", "http://", "http://here:99999/"])
    def test_an_address_must_be_one(self, address: str) -> None:
        assert "not an address" in self.bad(base_url=address)["base_url"]

    @pytest.mark.parametrize("part", ["ada:secret@", "secret@"])
    def test_an_address_with_a_secret_is_refused_and_not_shown(self, part: str) -> None:
        assert "secret" not in self.bad(base_url=f"https://{part}here/v1")["base_url"]
        assert "secret" not in self.bad(base_url="https://here/v1?key=secret")["base_url"]

    @pytest.mark.parametrize("key", ["sk-secret123", "gsk_secret123", "secret"])
    def test_a_key_in_place_of_its_variable_is_refused_and_not_shown(self, key: str) -> None:
        said = self.bad(api_key_env=key)["api_key_env"]
        assert "secret" not in said
        assert "OPENAI_API_KEY" in said

    def test_all_problems_at_once(self) -> None:
        said = self.bad(
            model=" ",
            temperature=-1,
            max_output_tokens=0,
            timeout_s=0,
            retries=-1,
            concurrency=0,
            price_per_million_input_tokens=-1,
        )
        assert said.keys() == {
            *("model", "temperature", "max_output_tokens", "timeout_s", "retries", "concurrency"),
            *("price_per_million_input_tokens", "price_per_million_output_tokens"),
        }
