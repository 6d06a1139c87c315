"""Propositions of passages, written by a model over the real protocol."""

from __future__ import annotations

import json
import re
from random import Random
from zlib import crc32

import pytest
from chat_server import ChatServer, Reply, says
from contract import UNITS, check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strategies import build
from strategies.document import Document
from strategies.errors import SplitError
from strategies.proposition import Proposition, propositions
from strategies.splitting import split
from strategies.tools import Tools

TEXT = "# Rules\n\nThe gate opens at six. It closes at ten.\n\n## Dogs\n\nDogs stay outside.\n"
GATE = Document("gate.md", TEXT, {"title": "House rules"}, media_type="text/markdown")


def proposition(server: ChatServer, **values: object) -> Proposition:
    asked = {"base_url": server.url, "model": "m", "base": "markdown", "size": 40, "retries": 0} | values
    made = build("proposition", asked)
    assert isinstance(made, Proposition)
    return made


def passage_in(prompt: str) -> str:
    return re.search(r"<passage>\n(.*)\n</passage>", prompt, re.DOTALL)[1]  # type: ignore[index]


def test_each_proposition_is_embedded_and_stands_for_its_passage(
    chat_server: ChatServer, tools: Tools
) -> None:
    first, second = (0, 49), (51, 78)
    chat_server.answer = lambda prompt: says(
        '["The gate opens at 6.", "The gate  closes at 10.", "The gate opens at 6."]'
        if passage_in(prompt).startswith("# Rules")
        else '```json\n["Dogs are not let in."]\n```'
    )
    chunks = split(GATE, proposition(chat_server), tools)
    assert [(chunk.start, chunk.end, chunk.embedded_text) for chunk in chunks] == [
        (*first, "The gate opens at 6."),
        (*first, "The gate closes at 10."),
        (*second, "Dogs are not let in."),
    ]
    assert [chunk.text for chunk in chunks] == [TEXT[0:49], TEXT[0:49], TEXT[51:78]]
    assert [chunk.section for chunk in chunks] == [("Rules",), ("Rules",), ("Rules", "Dogs")]


def test_a_passage_without_propositions_stands_for_itself(chat_server: ChatServer, tools: Tools) -> None:
    chat_server.answer = lambda prompt: says("[]" if "six" in prompt else '["  "]')
    chunks = split(GATE, proposition(chat_server), tools)
    assert [chunk.embedded_text for chunk in chunks] == [chunk.text for chunk in chunks]
    assert len(chunks) == 2


def test_the_model_is_told_where_the_passage_stands(chat_server: ChatServer, tools: Tools) -> None:
    chat_server.answer = lambda prompt: says("[]")
    split(GATE, proposition(chat_server), tools)
    prompt = next(prompt for prompt in chat_server.prompts if "Dogs stay" in prompt)
    assert prompt.startswith(
        "<title>House rules</title>\n<section>Rules > Dogs</section>\n<passage>\n## Dogs\n"
    )
    split(Document("a.txt", "One. Two."), proposition(chat_server, base="sentence"), tools)
    assert chat_server.prompts[-1].startswith("<title>a.txt</title>\n<section></section>\n")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ('["a", "b"]', ["a", "b"]),
        (' \n["a"]\n', ["a"]),
        ("[]", []),
        ('```json\n["a"]\n```', ["a"]),
        ('```\n["a"]\n```', ["a"]),
        ('Here they are:\n\n```json\n["a", "`b`"]\n```\nShall I go on?', ["a", "`b`"]),
        ('["a", "a ", " b\\n c", ""]', ["a", "b c"]),
        ('["half \\ud800"]', ["half \ufffd"]),
        ('["a", 1]', None),
        ('["a", ["b"]]', None),
        ('{"propositions": ["a"]}', None),
        ('"a"', None),
        ("null", None),
        ("a", None),
        ('["a", "b"', None),
        ('["a"] ["b"]', None),
        ('```\n["a"]\n```\n```\n["b"]\n```', None),
        ("[" * 100_000, None),
        ("[1" + "0" * 10_000 + "]", None),
    ],
)
def test_what_an_answer_holds(answer: str, found: list[str] | None) -> None:
    assert propositions(answer) == found


@given(st.lists(st.text()))
def test_any_list_of_texts_is_read(texts: list[str]) -> None:
    found = propositions(json.dumps(texts))
    assert found == propositions(json.dumps(texts, ensure_ascii=False))
    assert found is not None
    assert {" ".join(text.split()) for text in texts} - {""} == set(found)
    assert len(set(found)) == len(found)


@given(st.text())
def test_any_answer_is_read_or_refused(answer: str) -> None:
    assert propositions(answer) is None or answer.strip()[0] in "[`"


class TestFailures:
    def test_an_answer_that_is_no_list_fails_its_document_and_is_asked_for_again(
        self, chat_server: ChatServer, tools: Tools
    ) -> None:
        def answer(prompt: str) -> Reply:
            return says("I see " + "dogs " * 50) if "Dogs stay" in prompt else says('["Open at six."]')

        chat_server.answer = answer
        with pytest.raises(SplitError) as error:
            split(GATE, proposition(chat_server), tools)
        said = str(error.value)
        assert said.startswith(
            "gate.md: proposition, passage 1 [51:78]: the answer is no JSON list of texts: I see dogs"
        )
        assert len(said) < 250
        chat_server.answer = lambda prompt: says('["Dogs wait."]')
        chunks = split(GATE, proposition(chat_server), tools)
        assert [chunk.embedded_text for chunk in chunks] == ["Open at six.", "Dogs wait."]
        assert len(chat_server.prompts) == 3

    def test_an_answer_that_is_cut(self, chat_server: ChatServer, tools: Tools) -> None:
        chat_server.answer = lambda prompt: says('["a", "b', finish="length")
        with pytest.raises(SplitError, match=r"passage 0 .* cut at 7 tokens: raise max_output_tokens"):
            split(GATE, proposition(chat_server, max_output_tokens=7), tools)


def nonsense(prompt: str) -> str:
    """A list of up to four texts, always the same for a prompt."""
    luck = Random(crc32(prompt.encode()))
    texts = ["a", "b", " ", "漢字", "]", '"', "a ", "{passage}", "x" * 500, "\x00"]
    return json.dumps([luck.choice(texts) for _ in range(luck.randrange(5))])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(
        st.sampled_from([" the gate", " opens. ", "漢字。", "\n\n", "👩\u200d👧", "# A\n", "x" * 30])
    ).map("".join),
    base=st.sampled_from(["recursive", "sentence", "fixed", "markdown"]),
    unit=st.sampled_from(UNITS),
    size=st.integers(3, 40),
)
def test_the_laws_hold_whatever_a_model_says(
    chat_server: ChatServer, tools: Tools, text: str, base: str, unit: str, size: int
) -> None:
    chat_server.answer = lambda prompt: says(nonsense(prompt))
    strategy = proposition(chat_server, base=base, unit=unit, size=size, overlap=size // 3, concurrency=1)
    document = Document("a.md", text, media_type="text/markdown")
    chunks = check(document, strategy, tools)
    passages = list(strategy.base.cuts(document, tools)) if text.strip() else []
    assert list(dict.fromkeys((chunk.start, chunk.end) for chunk in chunks)) == [
        (passage.start, passage.end) for passage in passages
    ]
    assert split(document, strategy, tools) == chunks
