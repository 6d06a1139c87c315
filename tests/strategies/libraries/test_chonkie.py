"""Chonkie's chunkers: what they are told, what they return, where it lies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from contract import NASTY

from evaluation.embedders.hashing import HashingEmbedder
from strategies import canonical
from strategies.document import Document
from strategies.errors import BadInput, SplitError
from strategies.libraries.chonkie import (
    FastChunker,
    RecursiveChunker,
    SemanticChunker,
    SentenceChunker,
    TokenChunker,
)
from strategies.libraries.chonkie_tools import tokenizer
from strategies.parameters import made
from strategies.splitting import split
from strategies.strategy import Strategy, Vectors
from strategies.tools import Tools

pytest.importorskip("chonkie")


@pytest.fixture
def tools() -> Tools:
    return Tools(embed=HashingEmbedder(dim=16).embed)


def places(text: str, strategy: Strategy, tools: Tools | None = None) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in split(Document("gate.txt", text), strategy, tools or Tools())]


def texts(text: str, strategy: Strategy, tools: Tools | None = None) -> list[str]:
    return [text[start:end] for start, end in places(text, strategy, tools)]


class TestTokenChunker:
    def test_windows(self) -> None:
        assert places("abcdefghij", TokenChunker(4, 1, "characters")) == [(0, 4), (3, 7), (6, 10)]
        text = "The gate opens at six."
        assert texts(text, TokenChunker(2)) == ["The gate", " opens at", " six."]

    def test_words_keep_the_white_space_around_them(self) -> None:
        assert texts("  a b\nc ", TokenChunker(2, unit="words")) == ["  a b\n", "c "]

    def test_no_character_is_cut_in_two(self) -> None:
        text = "🦉漢" * 30
        assert "".join(texts(text, TokenChunker(2))) == text

    def test_a_share_of_the_size(self) -> None:
        assert TokenChunker(10, "30%").overlap == 3


class TestSentenceChunker:
    TEXT = "The gate opens at six. Visitors sign. Dogs stay outside! Who pays?\nNobody does that here."

    def test_sentences_are_packed(self) -> None:
        assert texts(self.TEXT, SentenceChunker(40, unit="characters")) == [
            "The gate opens at six. Visitors sign. ",
            "Dogs stay outside! Who pays?\n",  # fewer than 12 characters join the next
            "Nobody does that here.",
        ]

    def test_a_large_sentence_stays_whole(self) -> None:
        chunks = split(Document("gate.txt", self.TEXT), SentenceChunker(3), Tools())
        assert [chunk.oversize for chunk in chunks] == [True] * len(chunks)

    def test_whole_sentences_overlap(self) -> None:
        strategy = SentenceChunker(8, 4, "words", min_characters_per_sentence=1)
        found = texts(self.TEXT, strategy)
        assert found == [
            "The gate opens at six. Visitors sign. ",
            "Visitors sign. Dogs stay outside! Who pays?\n",
            "Who pays?\nNobody does that here.",
        ]

    def test_delimiters_are_a_list_and_go_where_they_are_told(self) -> None:
        strategy = SentenceChunker(1, min_characters_per_sentence=1, delim=("at",), include_delim="next")
        assert texts("The gate opens at six.", strategy) == ["The g", "ate opens ", "at six."]

    @pytest.mark.parametrize(
        ("given", "where"),
        [
            ({"delim": ["", "."]}, "delim"),
            ({"delim": "."}, "delim"),
            ({"include_delim": None}, "include_delim"),
            ({"min_sentences_per_chunk": 0}, "min_sentences_per_chunk"),
            ({"min_characters_per_sentence": 0}, "min_characters_per_sentence"),
            ({"approximate": True}, "approximate"),
            ({"unit": "gpt2-tokens"}, "unit"),
        ],
    )
    def test_what_cannot_work_is_refused(self, given: dict[str, object], where: str) -> None:
        with pytest.raises(BadInput) as error:
            made(SentenceChunker, {"size": 9} | given, "chonkie:SentenceChunker")
        assert [problem.where for problem in error.value.problems] == [where]


class TestRecursiveChunker:
    TEXT = "# Gate\n\nIt opens at six. Visitors sign, always.\n\nDogs stay outside."

    def test_levels(self) -> None:
        assert texts(self.TEXT, RecursiveChunker(30, "characters", min_characters_per_chunk=1)) == [
            "# Gate\n\n",
            "It opens at six. ",
            "Visitors sign, always.\n\n",
            "Dogs stay outside.",
        ]

    def test_rules(self) -> None:
        rules = [{"delimiters": ["gate", ","]}, {"whitespace": True, "include_delim": "next"}, {}]
        strategy = made(
            RecursiveChunker,
            {"size": 9, "unit": "characters", "min_characters_per_chunk": 1, "rules": rules},
            "chonkie:RecursiveChunker",
        )
        assert texts("The gate, opens at six.", strategy) == ["The gate,", " opens at", " six."]
        assert canonical(strategy)["rules"] == [
            {"delimiters": ["gate", ","], "whitespace": False, "include_delim": "prev"},
            {"delimiters": None, "whitespace": True, "include_delim": "next"},
            {"delimiters": None, "whitespace": False, "include_delim": "prev"},
        ]

    def test_without_a_last_level_text_stays_whole(self) -> None:
        strategy = made(RecursiveChunker, {"size": 2, "rules": [{"whitespace": True}]}, "it")
        (chunk,) = split(Document("gate.txt", "abcdefghij" * 3), strategy, Tools())
        assert chunk.oversize

    @pytest.mark.parametrize(
        ("rules", "where"),
        [
            ([{"delimiters": ["a"], "whitespace": True}], "rules[0].whitespace"),
            ([{}, {"delimiters": [" "]}], "rules[1].delimiters"),
            ([{"delimiters": [""]}], "rules[0].delimiters"),
            ([{"pattern": "a"}], "rules[0].pattern"),
            ([{"include_delim": "both"}], "rules[0].include_delim"),
        ],
    )
    def test_rules_that_chonkie_refuses_are_refused_before(self, rules: object, where: str) -> None:
        with pytest.raises(BadInput) as error:
            made(RecursiveChunker, {"size": 9, "rules": rules}, "chonkie:RecursiveChunker")
        assert [problem.where for problem in error.value.problems] == [where]

    def test_the_library_keeps_no_text(self) -> None:
        import chonkie

        places(self.TEXT, RecursiveChunker(3))
        assert chonkie.RecursiveChunker._estimate_token_count.cache_info().currsize == 0


class TestSemanticChunker:
    WATER = "The pump moves water to the tank. "
    DOGS = "Dogs bark loudly outside at night. "

    def test_cuts_where_the_meaning_changes(self) -> None:
        def embed(given: Sequence[str]) -> Vectors:  # water is one axis, dogs the other
            rows = [[text.count("water"), text.count("Dogs")] for text in given]
            return np.array(rows, dtype=np.float32) / np.linalg.norm(rows, axis=1, keepdims=True)

        parts = [self.WATER * 10, self.DOGS * 10, self.WATER * 10]
        strategy = SemanticChunker(5000, similarity_window=1)
        assert texts("".join(parts), strategy, Tools(embed=embed)) == parts

    def test_the_size_cuts_between_sentences(self, tools: Tools) -> None:
        strategy = SemanticChunker(17, "words", similarity_window=1)  # of 7 words each
        assert texts(self.WATER * 4, strategy, tools) == [self.WATER * 2] * 2

    def test_few_sentences_stay_whole(self, tools: Tools) -> None:
        (chunk,) = split(Document("gate.txt", self.WATER * 3), SemanticChunker(9), tools)
        assert chunk.oversize

    def test_vectors_come_from_the_tools(self) -> None:
        asked: list[str] = []

        def embed(given: Sequence[str]) -> Vectors:
            asked.extend(given)
            return np.ones((len(given), 1), dtype=np.float32)

        places(self.WATER * 6, SemanticChunker(50, similarity_window=2), Tools(embed=embed))
        assert asked == [self.WATER * 2] * 4 + [self.WATER] * 4

    def test_without_an_embedder_it_is_refused(self) -> None:
        with pytest.raises(BadInput, match="needs an embedder"):
            places(self.WATER * 9, SemanticChunker(50))

    @pytest.mark.parametrize(
        ("given", "where"),
        [
            ({"threshold": 0}, "threshold"),
            ({"threshold": 1}, "threshold"),
            ({"similarity_window": 0}, "similarity_window"),
            ({"filter_window": 4}, "filter_window"),
            ({"filter_window": -1}, "filter_window"),
            ({"filter_polyorder": 5}, "filter_polyorder"),
            ({"filter_polyorder": -1}, "filter_polyorder"),
            ({"filter_tolerance": 1.0}, "filter_tolerance"),
            ({"skip_window": -1}, "skip_window"),
            ({"min_characters_per_sentence": 0}, "min_characters_per_sentence"),
            ({"embedding_model": "potion"}, "embedding_model"),
        ],
    )
    def test_what_cannot_work_is_refused(self, given: dict[str, object], where: str) -> None:
        with pytest.raises(BadInput) as error:
            made(SemanticChunker, {"size": 9} | given, "chonkie:SemanticChunker")
        assert [problem.where for problem in error.value.problems] == [where]


class TestFastChunker:
    TEXT = "The gate opens at six. Visitors sign.\nDogs stay outside."

    def test_windows_end_behind_a_delimiter(self) -> None:
        assert texts(self.TEXT, FastChunker(30)) == [
            "The gate opens at six.",
            " Visitors sign.\n",
            "Dogs stay outside.",
        ]
        assert texts(self.TEXT, FastChunker(30, pattern="s ")) == [
            "The gate opens ",
            "at six. Visitors sign.\nDogs ",
            "stay outside.",
        ]

    def test_bytes_are_counted_and_characters_are_placed(self) -> None:
        assert places("é.é.é.", FastChunker(6)) == [(0, 4), (4, 6)]

    def test_a_cut_inside_a_character_fails_the_document(self) -> None:
        with pytest.raises(SplitError, match=r"gate.txt: chonkie:FastChunker failed: UnicodeDecodeError"):
            places("大門は六時に開きます", FastChunker(10))

    @pytest.mark.parametrize("size", [0, -1, 2.5])
    def test_a_size_that_never_ends_is_refused(self, size: float) -> None:
        with pytest.raises(BadInput, match="size_bytes"):
            made(FastChunker, {"size_bytes": size}, "chonkie:FastChunker")

    def test_nothing_to_cut_at_is_refused(self) -> None:
        with pytest.raises(BadInput, match=r'pattern: is "".*\n.*delimiters: is .+, not ASCII'):
            FastChunker(pattern="", delimiters="。")


def test_our_tokens_join_back_to_the_text(tools: Tools) -> None:
    for unit in ("characters", "words", "cl100k_base"):
        for text in [*NASTY.values(), "", " "]:
            asked = tokenizer(Document("one", "another text"), tools, unit)
            assert asked.decode(asked.encode(text)) == text
            assert asked.count_tokens(text) == tools.counter(unit).count(text)
            assert len(asked.encode(text)) == max(tools.counter(unit).count(text), bool(text))


LOUD = """
from strategies import build
from strategies.document import Document
from strategies.splitting import split
from strategies.tools import Tools
strategy = build("chonkie:SentenceChunker", {"size": 3, "min_sentences_per_chunk": 2})
print(len(split(Document("one", "One two three four. " * 3), strategy, Tools())))
"""


@pytest.mark.slow
def test_the_library_says_nothing_on_the_terminal() -> None:
    """It warns of a last chunk of one sentence, and sets up its log when it is imported."""
    done = subprocess.run([sys.executable, "-c", LOUD], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("2\n", "")
