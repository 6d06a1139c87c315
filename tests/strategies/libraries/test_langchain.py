"""LangChain's splitters: what they are told, what they return, where it lies."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from contract import NASTY

from strategies import canonical
from strategies.document import Chunk, Document
from strategies.errors import BadInput, SplitError
from strategies.libraries import THIRD_PARTY
from strategies.libraries.langchain_html import between_tags
from strategies.parameters import made, parameters
from strategies.splitting import split
from strategies.strategy import Strategy, Vectors
from strategies.tools import Tools

splitters = pytest.importorskip("langchain_text_splitters")


def build(name: str, **asked: Any) -> Strategy:
    """A splitter of LangChain by its own name."""
    return made(THIRD_PARTY[f"langchain:{name}"], asked, name)


def chunks(text: str, strategy: Strategy, tools: Tools | None = None) -> tuple[Chunk, ...]:
    return split(Document("gate.txt", text), strategy, tools or Tools())


def texts(text: str, strategy: Strategy, tools: Tools | None = None) -> list[str]:
    return [chunk.text for chunk in chunks(text, strategy, tools)]


# Places


def of_equal_words(seed: int, overlap: bool) -> tuple[Strategy, str, str]:
    """A splitter, a text of words that differ, and the same with one word everywhere.

    LangChain sees lengths and separators alone: what it does to the one, it does to the other.
    """
    chance = random.Random(seed)
    size = chance.randint(8, 40)
    strategy = build(
        "RecursiveCharacterTextSplitter",
        size=size,
        overlap=chance.randint(1, size // 2) if overlap else 0,
        unit="characters",
    )
    gaps = [chance.choice([" ", " ", " ", "\n", "\n\n"]) for _ in range(120)]
    distinct = "".join(f"{number:04}{gap}" for number, gap in enumerate(gaps))
    return strategy, distinct, re.sub(r"\d+", "tick", distinct)


@pytest.mark.parametrize("seed", range(10))
def test_repeated_words_lie_where_distinct_ones_would(seed: int) -> None:
    strategy, distinct, equal = of_equal_words(seed, overlap=False)
    there, here = chunks(distinct, strategy), chunks(equal, strategy)
    assert len(there) > 10
    assert [(one.start, one.end) for one in here] == [(one.start, one.end) for one in there]


@pytest.mark.parametrize("seed", range(10))
def test_repeated_words_share_no_more_than_is_asked(seed: int) -> None:
    strategy, _, text = of_equal_words(seed, overlap=True)
    found = chunks(text, strategy)
    for one, later in pairwise(found):
        assert one.start < later.start
        assert one.end - later.start <= canonical(strategy)["overlap"]


def test_repeated_sentences_in_tokens_lie_where_they_were_cut() -> None:
    """Four sentences, of which two are repeated; the last window only repeats."""
    text = "The gate opens at six. " * 40
    found = chunks(text, build("RecursiveCharacterTextSplitter", size=24, overlap=12))
    assert [chunk.start for chunk in found] == [46 * number for number in range(20)]
    assert {chunk.end - chunk.start for chunk in found[:-1]} == {91}
    assert found[-1].end == found[-2].end == 919


# RecursiveCharacterTextSplitter


class TestRecursive:
    def test_chunks_by_hand(self) -> None:
        """The second line is too long: it is cut at blanks, and its parts join nothing around it."""
        text = "one two\nthree four five six\nseven"
        strategy = build("RecursiveCharacterTextSplitter", size=12, unit="characters")
        assert texts(text, strategy) == ["one two", "three four", "five six", "seven"]

    def test_it_is_the_library_with_its_defaults(self) -> None:
        text = NASTY["kept white space"] + NASTY["mixed scripts"]
        theirs = splitters.RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=10).split_text(text)
        ours = chunks(text, build("RecursiveCharacterTextSplitter", size=40, overlap=10, unit="characters"))
        assert [chunk.embedded_text for chunk in ours] == theirs

    def test_separators_that_are_dropped_are_dropped_at_chunk_ends_alone(self) -> None:
        text = "aa, bb, cc, dd"
        strategy = build(
            "RecursiveCharacterTextSplitter",
            size=7,
            unit="characters",
            separators=[", "],
            keep_separator=False,
        )
        assert texts(text, strategy) == ["aa, bb", "cc, dd"]

    def test_a_language_brings_its_separators(self) -> None:
        code = "import os\n\n\ndef one():\n    return 1\n\n\nclass Two:\n    x = 2\n"
        strategy = build("RecursiveCharacterTextSplitter", size=30, unit="characters", language="python")
        assert texts(code, strategy) == ["import os", "def one():\n    return 1", "class Two:\n    x = 2"]

    def test_one_form(self) -> None:
        one = build("RecursiveCharacterTextSplitter", size=9)
        other = build(
            "RecursiveCharacterTextSplitter",
            size=9.0,
            separators=["\n\n", "\n", " ", ""],
            keep_separator=True,
        )
        assert canonical(one) == canonical(other)
        assert canonical(one)["keep_separator"] == "start"

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"separators": []}, "separators: is empty"),
            ({"separators": ["a"], "language": "go"}, "separators: stands beside language"),
            ({"separators": ["("], "is_separator_regex": True}, r"separators: '\(' is no regular expression"),
            ({"language": "perl"}, "language: is the text 'perl'"),
            ({"keep_separator": "middle"}, "keep_separator: is the text 'middle'"),
            ({"chunk_size": 9}, "chunk_size: is not a parameter"),
        ],
    )
    def test_what_cannot_work_is_refused(self, given: Mapping[str, object], said: str) -> None:
        with pytest.raises(BadInput, match=said):
            build("RecursiveCharacterTextSplitter", size=9, **given)

    def test_every_language_that_is_offered_is_the_library_s(self) -> None:
        (language,) = [
            p
            for p in parameters(THIRD_PARTY["langchain:RecursiveCharacterTextSplitter"])
            if p.name == "language"
        ]
        offered = set(language.type.split(" or ")) - {"null"}
        made_there = set()
        for one in splitters.Language:
            try:
                splitters.RecursiveCharacterTextSplitter.get_separators_for_language(one)
            except ValueError:
                continue
            made_there.add(one.value)
        assert offered == made_there

    def test_larger_chunks_are_marked(self) -> None:
        strategy = build("RecursiveCharacterTextSplitter", size=4, unit="characters", separators=[" "])
        found = chunks("one three", strategy)
        assert [(chunk.text, chunk.oversize) for chunk in found] == [("one", False), (" three", True)]

    def test_places_are_not_those_of_a_search(self) -> None:
        """LangChain's own `start_index` says 0, 0, 0, 0, 20 of this text."""
        text = "ping ping ping ping pong ping"
        strategy = build(
            "RecursiveCharacterTextSplitter", size=9, overlap=4, unit="characters", separators=[" "]
        )
        found = chunks(text, strategy)
        assert [chunk.text for chunk in found] == ["ping ping", "ping", "ping", "pong", "ping"]
        assert [chunk.start for chunk in found] == [0, 10, 15, 20, 25]


# The others


def test_characters_are_cut_at_one_separator() -> None:
    strategy = build("CharacterTextSplitter", size=9, unit="characters")
    found = chunks("one\n\ntwo\n\nthree four five\n\nsix", strategy)
    assert [(c.text, c.oversize) for c in found] == [
        ("one\n\ntwo", False),
        ("three four five", True),
        ("six", False),
    ]


def test_a_pattern_that_is_written_into_the_chunks_is_refused() -> None:
    strategy = build(
        "CharacterTextSplitter", size=40, unit="characters", separator=r"\s\d\s", is_separator_regex=True
    )
    with pytest.raises(SplitError) as error:
        chunks("one 1 two 2 three", strategy)
    said = r"gate.txt: langchain:CharacterTextSplitter: chunk 0 stands nowhere in the document: "
    assert str(error.value).startswith(said)
    assert r"one\\s\\d\\stwo" in str(error.value)


def test_windows_of_tokens_share_what_is_asked() -> None:
    text = "The gate opens at six. " * 20
    found = chunks(text, build("TokenTextSplitter", size=12, overlap=6))
    assert [chunk.tokens for chunk in found[:-1]] == [12] * (len(found) - 1)
    assert [chunk.start for chunk in found[:3]] == [0, 22, 45]
    assert found[-1].end == len(text)


def test_half_a_character_is_refused() -> None:
    with pytest.raises(
        SplitError, match=r"TokenTextSplitter: chunk 0 stands nowhere in the document: '.*\ufffd'"
    ):
        chunks(NASTY["emoji sequences"], build("TokenTextSplitter", size=7))


def test_windows_of_tokens_need_an_encoding() -> None:
    with pytest.raises(BadInput, match="unit: words is no encoding of tiktoken"):
        build("TokenTextSplitter", size=7, unit="words")


MARKDOWN = (
    "Before.\n\n# Gate\n\nOpens  at\tsix.\n\n    indented\n\n"
    "## Dogs\r\n\r\nStay 👩\u200d👧.\n\n# Gate\n\nAgain."
)


def test_markdown_headings_become_sections() -> None:
    found = chunks(MARKDOWN, build("MarkdownHeaderTextSplitter"))
    assert [(c.section, c.text) for c in found] == [
        ((), "Before."),
        (("Gate",), "Opens  at\tsix.\n\n    indented"),
        (("Gate", "Dogs"), "Stay 👩\u200d👧."),
        (("Gate",), "Again."),
    ]
    assert [c.embedded_text for c in found][1:3] == ["Opens  atsix.  \nindented", "Stay 👩👧."]


def test_markdown_headings_stay_if_asked() -> None:
    """Sections of one path that follow each other are one chunk."""
    strategy = build("MarkdownHeaderTextSplitter", strip_headers=False, headers_to_split_on=[2])
    found = chunks(MARKDOWN, strategy)
    assert [c.section for c in found] == [(), ("Dogs",)]
    assert found[0].text == MARKDOWN[: MARKDOWN.index("\n\n## Dogs")]
    assert found[1].text == MARKDOWN[MARKDOWN.index("## Dogs") :]


@pytest.mark.parametrize(("levels", "said"), [([], "is empty"), ([1, 7], "holds 7, and levels are 1 to 6")])
def test_heading_levels_are_checked(levels: Sequence[int], said: str) -> None:
    for name in ("MarkdownHeaderTextSplitter", "HTMLHeaderTextSplitter"):
        with pytest.raises(BadInput, match=f"headers_to_split_on: {said}"):
            build(name, headers_to_split_on=levels)


def test_markdown_headings_are_no_separators_of_the_markdown_splitter() -> None:
    text = "# One\ntext\n# Two\ntext"
    assert texts(text, build("MarkdownTextSplitter", size=17, unit="characters")) == [
        "# One\ntext\n# Two",
        "text",
    ]
    recursive = build("RecursiveCharacterTextSplitter", size=17, unit="characters", language="markdown")
    assert texts(text, recursive) == ["# One\ntext", "# Two\ntext"]


def test_python_is_cut_at_definitions() -> None:
    code = "class A:\n    x = 1\n\nclass B:\n    y = 2\n"
    strategy = build("PythonCodeTextSplitter", size=20, unit="characters")
    assert texts(code, strategy) == ["class A:\n    x = 1", "class B:\n    y = 2"]


class TestHtml:
    PAGE = (
        "<html><head><title>Gate</title></head><body>\n<h1>Gate</h1>\n"
        "<p>Opens &amp; closes at <b>six</b> sharp.</p>"
        "<div>Around<h2>Dogs &lt;3</h2><p>Gate</p></div><p>End.</p></body></html>"
    )

    def test_chunks_are_ranges_of_the_source(self) -> None:
        """The title is none: what stands outside of the body is not read."""
        found = chunks(self.PAGE, build("HTMLHeaderTextSplitter"))
        assert [(c.section, c.text) for c in found] == [
            (("Gate",), "Gate"),
            (("Gate",), "Opens &amp; closes at <b>six</b> sharp.</p><div>Around"),
            (("Gate", "Dogs <3"), "Dogs &lt;3"),
            (("Gate",), "Gate</p></div><p>End."),
        ]
        assert found[0].start == self.PAGE.index("<h1>") + 4
        assert found[1].embedded_text == "Opens & closes at sharp.  \nsix  \nAround"

    def test_every_element_alone(self) -> None:
        strategy = build("HTMLHeaderTextSplitter", return_each_element=True)
        assert "<b>six</b>" in texts(self.PAGE, strategy)[1]
        assert texts(self.PAGE, strategy)[2] == "six"

    def test_what_stands_before_its_place_comes_in_the_order_of_the_source(self) -> None:
        found = chunks("<div><h1>Late</h1>own</div>", build("HTMLHeaderTextSplitter"))
        assert [c.text for c in found] == ["Late", "own"]

    def test_between_tags(self) -> None:
        view = between_tags("<p>a &amp; b&nbsp;<i>c</i>&copy2<!-- d --></p>")
        assert view.text == "a&bc©2<!--d-->"
        assert (view.starts[1], view.ends[1]) == (5, 10)

    @pytest.mark.parametrize(
        "page",
        ["<p>a<p>b<", "<p title='x>y'>a</p>", "<![CDATA[x]]>y", "a < b & c", "<script>if (a<b) {}</script>d"],
    )
    def test_broken_pages_are_cut_or_refused(self, page: str) -> None:
        with suppress(SplitError):
            assert chunks(page, build("HTMLHeaderTextSplitter"))


class TestSemantic:
    TEXT = "Cats purr. Cats sleep.\nCats eat! Bolts hold. Bolts rust. Bolts turn."

    @pytest.fixture
    def by_topic(self) -> Tools:
        """Vectors that know cats from bolts."""

        def embed(texts: Sequence[str]) -> Vectors:
            cats = np.array([[text.count("Cats"), text.count("Bolts")] for text in texts], dtype=np.float32)
            return cats / np.linalg.norm(cats, axis=1, keepdims=True)

        return Tools(embed=embed)

    def test_it_cuts_where_the_topic_changes(self, by_topic: Tools) -> None:
        strategy = build("SemanticChunker", buffer_size=0, breakpoint_threshold_amount=80)
        found = chunks(self.TEXT, strategy, by_topic)
        assert [c.text for c in found] == [self.TEXT[:32], self.TEXT[33:]]
        assert found[0].embedded_text == "Cats purr. Cats sleep. Cats eat!"

    def test_a_number_of_chunks_may_be_asked_for(self, by_topic: Tools) -> None:
        strategy = build("SemanticChunker", buffer_size=0, number_of_chunks=2)
        assert len(chunks(self.TEXT, strategy, by_topic)) == 2

    def test_thresholds_have_one_form(self) -> None:
        by_share = build("SemanticChunker", breakpoint_threshold_type="gradient")
        assert canonical(by_share)["breakpoint_threshold_amount"] == 95.0
        assert by_share == build(
            "SemanticChunker", breakpoint_threshold_type="gradient", breakpoint_threshold_amount=95
        )

    @pytest.mark.parametrize("kind", ["percentile", "standard_deviation", "interquartile", "gradient"])
    def test_blank_ends_have_nothing_to_embed(self, kind: str, by_topic: Tools) -> None:
        asked: list[str] = []

        def embed(texts: Sequence[str]) -> Vectors:
            asked.extend(texts)
            return by_topic.embed(texts)

        strategy = build("SemanticChunker", buffer_size=0, breakpoint_threshold_type=kind)
        for text in (f"\n{self.TEXT}\n", "Cats.", "Cats. Bolts. "):
            assert chunks(text, strategy, Tools(embed=embed))
        assert all(text.strip() for text in asked)

    @pytest.mark.parametrize(
        ("given", "where"),
        [
            ({"buffer_size": -1}, "buffer_size"),
            ({"breakpoint_threshold_amount": 101}, "breakpoint_threshold_amount"),
            ({"breakpoint_threshold_type": "median"}, "breakpoint_threshold_type"),
            ({"number_of_chunks": 0}, "number_of_chunks"),
            ({"min_chunk_size": -1}, "min_chunk_size"),
            ({"sentence_split_regex": "("}, "sentence_split_regex"),
        ],
    )
    def test_what_cannot_work_is_refused(self, given: Mapping[str, object], where: str) -> None:
        with pytest.raises(BadInput, match=f"^{where}: "):
            build("SemanticChunker", **given)

    def test_it_needs_an_embedder(self) -> None:
        with pytest.raises(BadInput, match="needs an embedder"):
            chunks(self.TEXT, build("SemanticChunker"))


# Not installed


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strategies.libraries.library.find_spec", lambda name: None)
    with pytest.raises(BadInput) as error:
        build("RecursiveCharacterTextSplitter", size=0)
    said = {problem.where: str(problem) for problem in error.value.problems}
    assert said["strategy"] == (
        "strategy: langchain:RecursiveCharacterTextSplitter needs langchain-text-splitters. "
        "Install chunksweep[langchain]"
    )
    assert "size" in said
    assert not THIRD_PARTY["langchain:RecursiveCharacterTextSplitter"].is_installed()


def test_nothing_is_logged_or_warned(capfd: pytest.CaptureFixture[str]) -> None:
    chunks("one two three " * 20, build("CharacterTextSplitter", size=2, separator=" two "))
    assert capfd.readouterr() == ("", "")
