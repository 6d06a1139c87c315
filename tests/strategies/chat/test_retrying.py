"""Requests that are made again: how often, after what pauses, and what is said of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.utils import formatdate
from itertools import cycle, pairwise
from threading import Barrier, Thread

import pytest
from chat_server import ChatServer, Reply, as_reply, fails, says
from hypothesis import given
from hypothesis import strategies as st

from strategies.language_model.chat_client import Answer, ChatClient, Failure
from strategies.language_model.chat_model import ChatModel
from strategies.language_model.retrying import pause_s

BROKEN = Reply(b'{"choices"', promised=500)
BUSY = as_reply({"error": {"message": "busy"}}, status=503)
"""Without a word on when to come again."""


class Slept(list[float]):
    """The pauses, none of which was made."""

    def answer(self, server: ChatServer, retries: int, timeout_s: float = 20) -> Answer | Failure:
        model = ChatModel(base_url=server.url, model="m", retries=retries, timeout_s=timeout_s)
        return ChatClient(model, "").answer("a", self.wait)

    def wait(self, seconds: float) -> bool:
        self.append(seconds)
        return False


@pytest.fixture
def slept() -> Slept:
    return Slept()


class TestRequests:
    @pytest.mark.parametrize("retries", [0, 1, 3])
    @pytest.mark.parametrize(
        ("replies", "said"),
        [
            ([BROKEN], "the response broke off ("),
            ([BUSY], "HTTP 503: busy"),
            ([BROKEN, BUSY], ""),  # both kinds share the tries
            ([BUSY, BROKEN], ""),
        ],
    )
    def test_as_many_as_there_may_be_and_the_message_counts_them(
        self, chat_server: ChatServer, slept: Slept, retries: int, replies: list[Reply], said: str
    ) -> None:
        turn = cycle(replies)
        chat_server.answer = lambda prompt: next(turn)
        outcome = slept.answer(chat_server, retries)
        assert isinstance(outcome, Failure)
        assert len(chat_server.asked) == retries + 1
        assert outcome.what.startswith(said)
        assert outcome.of_endpoint
        if retries:
            assert outcome.what.endswith(f", asked {retries + 1} times")
        else:
            assert "times" not in outcome.what

    @pytest.mark.parametrize("reply", [BROKEN, BUSY])
    def test_pauses_grow(self, chat_server: ChatServer, slept: Slept, reply: Reply) -> None:
        chat_server.answer = lambda prompt: reply
        slept.answer(chat_server, 4)
        assert len(slept) == 4
        assert slept[0] >= 0.375
        assert all(after >= 1.5 * before for before, after in pairwise(slept))

    def test_the_pause_is_that_of_the_endpoint(self, chat_server: ChatServer, slept: Slept) -> None:
        asked_for = [{"retry-after": "7"}, {"retry-after-ms": "1500"}, {"Retry-After": "0.25"}]
        chat_server.answer_in_turn(
            [*(as_reply({}, status=429, headers=headers) for headers in asked_for), says("at last")]
        )
        outcome = slept.answer(chat_server, 3)
        assert isinstance(outcome, Answer)
        assert slept == [7, 1.5, 0.25]

    def test_one_that_asks_for_an_hour_is_not_waited_for(self, chat_server: ChatServer, slept: Slept) -> None:
        chat_server.answer = lambda prompt: as_reply({}, status=429, headers={"retry-after": "3600"})
        outcome = slept.answer(chat_server, 3)
        assert isinstance(outcome, Failure)
        assert (len(chat_server.asked), slept) == (1, [])

    def test_no_answer_in_time_is_asked_again(self, chat_server: ChatServer, slept: Slept) -> None:
        chat_server.answer = lambda prompt: Reply(waits=True)
        outcome = slept.answer(chat_server, 2, timeout_s=0.1)
        assert outcome == Failure("no answer within 0.1 s, asked 3 times", True)
        assert (len(chat_server.asked), len(slept)) == (3, 2)

    @pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
    def test_what_is_about_the_request_is_asked_once(
        self, chat_server: ChatServer, slept: Slept, status: int
    ) -> None:
        chat_server.answer = lambda prompt: fails(status, "no")
        outcome = slept.answer(chat_server, 3)
        assert isinstance(outcome, Failure)
        assert outcome.what == f"HTTP {status}: no"
        assert len(chat_server.asked) == 1

    def test_what_is_no_longer_wanted_is_not_asked_again(self, chat_server: ChatServer) -> None:
        chat_server.answer = lambda prompt: BUSY
        client = ChatClient(ChatModel(base_url=chat_server.url, model="m", retries=3), "")
        assert client.answer("a", lambda seconds: True) == Failure("HTTP 503: busy", True)
        assert len(chat_server.asked) == 1

    def test_an_error_that_breaks_off_is_asked_again(self, chat_server: ChatServer, slept: Slept) -> None:
        chat_server.answer_in_turn([Reply(b'{"error"', status=403, promised=500), says("whole")])
        outcome = slept.answer(chat_server, 1)
        assert isinstance(outcome, Answer)

    def test_the_new_name_of_the_limit_takes_no_try_from_requests_under_way_together(
        self, chat_server: ChatServer, slept: Slept
    ) -> None:
        together = Barrier(2)

        def answer(prompt: str) -> Reply:
            if "max_tokens" in chat_server.asked[-1].body:
                together.wait(timeout=20)
                return fails(400, "Use 'max_completion_tokens' instead.")
            return says(prompt)

        chat_server.answer = answer
        client = ChatClient(ChatModel(base_url=chat_server.url, model="m", retries=0), "")
        outcomes: list[object] = []
        ask: Callable[[], None] = lambda: outcomes.append(client.answer("a", slept.wait))  # noqa: E731
        threads = [Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [type(outcome) for outcome in outcomes] == [Answer, Answer]
        assert (len(chat_server.asked), slept) == (4, [])


class TestPauses:
    @given(st.integers(1, 10**6), st.sampled_from([None, 408, 409, 429, 500, 529]))
    def test_ours_lie_between_their_bounds(self, failed: int, status: int | None) -> None:
        whole = min(0.5 * 2 ** min(failed - 1, 20), 30)
        pause = pause_s(failed, status, {})
        assert pause is not None
        assert 0.75 * whole <= pause <= whole

    def test_an_endpoint_may_say_whether_to_come_again(self) -> None:
        assert pause_s(1, 429, {"x-should-retry": "false"}) is None
        assert pause_s(1, 400, {"x-should-retry": "true"}) is not None
        assert pause_s(1, 400, {"retry-after": "1"}) is None

    def test_a_date(self) -> None:
        pause = pause_s(1, 503, {"retry-after": formatdate(time.time() + 60, usegmt=True)})
        assert pause is not None
        assert 30 < pause <= 60
        assert pause_s(1, 503, {"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}) is None

    @pytest.mark.parametrize(
        "told", ["", "0", "-5", "nan", "inf", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "Mon, 99 Foo 1 1:1:1"]
    )
    def test_what_says_no_time_leaves_it_to_us(self, told: str) -> None:
        for name in ("retry-after", "retry-after-ms"):
            pause = pause_s(1, 503, {name: told})
            assert pause is not None
            assert 0.375 <= pause <= 0.5

    @given(st.text(), st.text(), st.text())
    def test_whatever_the_headers_say_it_is_a_pause_or_none(self, after: str, ms: str, again: str) -> None:
        pause = pause_s(1, 503, {"retry-after": after, "retry-after-ms": ms, "x-should-retry": again})
        assert pause is None or 0 < pause <= 120
