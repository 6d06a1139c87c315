"""What models answer, over the real protocol, and what it cost."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from asking import anything, ask, failures
from chat_server import ChatServer, Reply, says

from strategies.language_model.chat import Chat, Spent
from strategies.language_model.chat_model import ChatModel


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
