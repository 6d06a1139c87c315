"""Borders chosen by a model, over the real protocol."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from random import Random
from zlib import crc32

import pytest
from chat_server import ChatServer, Reply, says
from contract import NASTY, UNITS, check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strategies import build, canonical
from strategies.document import Document
from strategies.errors import BadInput, SplitError
from strategies.llm import Llm, numbers
from strategies.splitting import split
from strategies.tools import Tools

PARAGRAPHS = [f"P{number} opens here." for number in range(1, 13)]
"""Of five cl100k tokens each, with the full stop."""
TEXT = "\n\n".join(PARAGRAPHS)
RULES = Document("rules.txt", TEXT)


def llm(server: ChatServer, **values: object) -> Llm:
    made = build("llm", {"base_url": server.url, "model": "m", "size": 1000, "retries": 0} | values)
    assert isinstance(made, Llm)
    return made


def pieces_in(prompt: str) -> list[str]:
    """The pieces of a prompt, whose numbers must be theirs."""
    found = re.findall(r"^<(\d+)>(.*?)</\1>$", prompt, re.MULTILINE | re.DOTALL)
    assert [int(number) for number, _ in found] == list(range(1, len(found) + 1))
    return [text for _, text in found]


def firsts(server: ChatServer, tools: Tools, **values: object) -> list[list[int]]:
    """The paragraphs in each chunk."""
    chunks = split(RULES, llm(server, **values), tools)
    return [[int(number) for number in re.findall(r"P(\d+)", chunk.text)] for chunk in chunks]


def test_chunks_begin_where_the_model_says(chat_server: ChatServer, tools: Tools) -> None:
    chat_server.answer = lambda prompt: says("[3, 4, 9]")
    assert firsts(chat_server, tools) == [[1, 2], [3], [4, 5, 6, 7, 8], [9, 10, 11, 12]]
    assert pieces_in(chat_server.prompts[0]) == PARAGRAPHS
    assert len(chat_server.prompts) == 1


def test_no_border_is_an_answer(chat_server: ChatServer, tools: Tools) -> None:
    chat_server.answer = lambda prompt: says("[]")
    assert firsts(chat_server, tools) == [list(range(1, 13))]


def test_numbers_that_no_piece_has_are_left_out_and_the_others_put_in_order(
    chat_server: ChatServer, tools: Tools
) -> None:
    chat_server.answer = lambda prompt: says('[9, 4.0, 9, 1, 0, -3, 13, 99, 4.5, true, "x", null, [5]]')
    assert firsts(chat_server, tools) == [[1, 2, 3], [4, 5, 6, 7, 8], [9, 10, 11, 12]]


def test_what_is_larger_than_the_size_is_cut_between_pieces(chat_server: ChatServer, tools: Tools) -> None:
    chat_server.answer = lambda prompt: says("[3, 9]")
    asked = firsts(chat_server, tools, size=16, piece_size=8)
    assert asked == [[1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [12]]


def test_one_set_of_answers_serves_every_size(chat_server: ChatServer, tools: Tools) -> None:
    chat_server.answer = lambda prompt: says("[3, 9]")
    for size in (50, 60, 500):
        firsts(chat_server, tools, size=size)
    assert len(chat_server.prompts) == 1


def test_small_pieces_are_whole_sentences_that_never_leave_their_paragraph(
    chat_server: ChatServer, tools: Tools
) -> None:
    text = "One is short. Two is short. Three is short.\n\nHead\n\n" + "word " * 30
    chat_server.answer = lambda prompt: says("[]")
    split(Document("a.txt", text), llm(chat_server, piece_size=8), tools)
    pieces = pieces_in(chat_server.prompts[0])
    assert pieces[:3] == ["One is short. Two is short.", "Three is short.", "Head"]
    assert {len(piece.split()) for piece in pieces[3:-1]} == {8}


class TestWindows:
    """Windows of 20 tokens hold four paragraphs of five."""

    @staticmethod
    def windows(server: ChatServer) -> list[list[int]]:
        return [
            [int(piece[1:].split()[0]) for piece in pieces_in(prompt.partition("\n\nThese")[0])]
            for prompt in server.prompts
        ]

    def test_the_next_begins_at_the_last_border(self, chat_server: ChatServer, tools: Tools) -> None:
        chat_server.answer_in_turn([says("[2, 4]"), says("[3]"), says("[4]"), says("[3]")])
        asked = firsts(chat_server, tools, window_tokens=20)
        assert self.windows(chat_server) == [[1, 2, 3, 4], [4, 5, 6, 7], [6, 7, 8, 9], [9, 10, 11, 12]]
        assert asked == [[1], [2, 3], [4, 5], [6, 7, 8], [9, 10], [11, 12]]

    def test_or_at_the_middle_where_that_is_later(self, chat_server: ChatServer, tools: Tools) -> None:
        chat_server.answer_in_turn(says(answer) for answer in ("[2]", "[]", "[]", "[1]", "[]"))
        asked = firsts(chat_server, tools, window_tokens=20)
        assert self.windows(chat_server) == [
            [1, 2, 3, 4],
            [3, 4, 5, 6],
            [5, 6, 7, 8],
            [7, 8, 9, 10],
            [9, 10, 11, 12],
        ]
        assert asked == [[1], list(range(2, 13))]

    def test_one_never_holds_less_than_two_pieces(self, chat_server: ChatServer, tools: Tools) -> None:
        chat_server.answer = lambda prompt: says("[2]" if "P6" in prompt else "[]")
        asked = firsts(chat_server, tools, window_tokens=1)
        assert self.windows(chat_server) == [[number, number + 1] for number in range(1, 12)]
        assert asked == [[1, 2, 3, 4, 5], [6], list(range(7, 13))]

    def test_one_piece_asks_nothing(self, chat_server: ChatServer, tools: Tools) -> None:
        [chunk] = split(Document("a.txt", "\nOne. "), llm(chat_server), tools)
        assert (chunk.text, chat_server.prompts) == ("One.", [])

    def test_every_pair_of_neighbours_is_shown_and_none_often(
        self, chat_server: ChatServer, tools: Tools
    ) -> None:
        text = "\n\n".join(f"P{number} opens here." for number in range(100, 400))
        for answer in ("[]", "[2]", "[9]", json.dumps(list(range(2, 40)))):
            chat_server.asked.clear()
            chat_server.answer = lambda prompt, answer=answer: says(answer)  # type: ignore[misc]
            split(
                Document("a.txt", text),
                llm(chat_server, window_tokens=50, prompt=f"{{pieces}}\n\nThese: {answer}"),
                tools,
            )
            shown = self.windows(chat_server)
            pairs = {pair for window in shown for pair in pairwise(window)}
            assert pairs == {(number, number + 1) for number in range(100, 399)}
            assert sum(map(len, shown)) <= 2 * 300 + 20


class TestFailures:
    def test_an_answer_that_is_no_list_fails_the_document_and_the_rest_is_kept(
        self, chat_server: ChatServer, tools: Tools
    ) -> None:
        chat_server.answer_in_turn([says("[4]"), says("At the seventh piece.")])
        with pytest.raises(SplitError) as error:
            firsts(chat_server, tools, window_tokens=20)
        place = f"[{TEXT.index('P4')}:{TEXT.index('P7') + len(PARAGRAPHS[6])}]"
        said = "the answer is no JSON list of numbers: At the seventh piece."
        assert str(error.value) == f"rules.txt: llm, window {place}: {said}"
        chat_server.answer = lambda prompt: says("[4]")
        asked = firsts(chat_server, tools, window_tokens=20)
        assert asked == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
        assert len(chat_server.prompts) == 5

    def test_no_answer_in_time(self, chat_server: ChatServer, tools: Tools) -> None:
        chat_server.answer = lambda prompt: Reply(waits=True)
        with pytest.raises(SplitError, match=r"rules\.txt: llm, window \[0:.*: no answer within 0\.2 s"):
            firsts(chat_server, tools, timeout_s=0.2)


class TestParameters:
    def test_a_piece_is_no_larger_than_a_chunk(self, chat_server: ChatServer) -> None:
        assert llm(chat_server, size=30) == llm(chat_server, size=30, piece_size=30)
        assert canonical(llm(chat_server, size=30))["piece_size"] == 30

    def test_all_problems_at_once(self, chat_server: ChatServer) -> None:
        with pytest.raises(BadInput) as error:
            llm(chat_server, size=0, piece_size=0, window_tokens=0, prompt="Cut well", concurrency=0)
        where = {problem.where for problem in error.value.problems}
        assert where == {"size", "piece_size", "window_tokens", "prompt", "concurrency"}


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("[4, 9]", [4, 9]),
        ("[9, 4.0, 4, 9]", [4, 9]),
        ("[]", []),
        ("```json\n[2]\n```", [2]),
        ("[2, null]", [2]),
        ('["2"]', None),
        ("[null]", None),
        ("[NaN, Infinity]", None),
        ("4, 9", None),
        ('{"numbers": [4]}', None),
        ("4", None),
    ],
)
def test_what_an_answer_holds(answer: str, found: list[int] | None) -> None:
    assert numbers(answer) == found


def nonsense(prompt: str) -> str:
    """A list of up to six numbers, always the same for a prompt."""
    luck = Random(crc32(prompt.encode()))
    return json.dumps(
        [luck.choice([1, 2, 3, 4, 5, 8, 13, 40, -1, 2.5, 3.0]) for _ in range(luck.randrange(6))]
    )


SOME = st.sampled_from(
    [" the gate", " opens. ", "漢字。", "\n\n", "👩\u200d👧", "# A\n", "x" * 30, "<3>", "</1>"]
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(SOME, max_size=40).map("".join),
    unit=st.sampled_from(UNITS),
    size=st.integers(1, 40),
    piece_size=st.integers(1, 20),
    window_tokens=st.integers(10, 200),
)
def test_the_laws_hold_whatever_a_model_says(
    chat_server: ChatServer,
    tools: Tools,
    text: str,
    unit: str,
    size: int,
    piece_size: int,
    window_tokens: int,
) -> None:
    def answer(prompt: str) -> Reply:
        said = nonsense(prompt)
        return says(said if numbers(said) is not None else "[]")

    chat_server.answer = answer
    strategy = llm(chat_server, unit=unit, size=size, piece_size=piece_size, window_tokens=window_tokens)
    document = Document("a.md", text, media_type="text/markdown")
    chunks = check(document, strategy, tools)
    assert split(document, strategy, tools) == chunks


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_nasty_texts(chat_server: ChatServer, tools: Tools, text: str) -> None:
    chat_server.answer = lambda prompt: says("[3, 5, 8]")
    for unit, size in (("characters", 7), ("cl100k_base", 20), ("embedder+special", 64)):
        check(Document("a.md", text), llm(chat_server, unit=unit, size=size), tools)
