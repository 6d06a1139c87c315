"""Every sentence a chunk, its neighbours returned."""

from __future__ import annotations

import pytest

from strategies import build
from strategies.document import Chunk, Document
from strategies.errors import BadInput
from strategies.splitting import split
from strategies.tools import Tools

TEXT = "One. Two is longer.\n\nThree! Four? Five."


def cut(**values: object) -> list[tuple[str, str]]:
    chunks = split(Document("a", TEXT), build("sentence_window", values), Tools())
    return [(chunk.text, TEXT[slice(*chunk.returned)]) for chunk in chunks]


def test_with_a_sentence_come_those_around_it() -> None:
    assert cut(window=1) == [
        ("One.", "One. Two is longer."),
        ("Two is longer.", "One. Two is longer.\n\nThree!"),
        ("Three!", "Two is longer.\n\nThree! Four?"),
        ("Four?", "Three! Four? Five."),
        ("Five.", "Four? Five."),
    ]


def test_a_window_of_none_returns_the_sentence_alone() -> None:
    assert all(text == returned for text, returned in cut(window=0))


def test_the_parts_of_a_long_sentence_are_as_few_as_fit_and_never_hold_two_sentences() -> None:
    found = cut(window=1, size=2, unit="words")
    assert [text for text, _ in found] == ["One.", "Two is", "longer.", "Three!", "Four?", "Five."]
    assert found[2] == ("longer.", "Two is longer.\n\nThree!")


def test_one_character_that_is_too_large_is_marked() -> None:
    (chunk,) = split(Document("a", "🦉"), build("sentence_window", {"size": 1}), Tools())
    assert isinstance(chunk, Chunk)
    assert chunk.oversize


def test_a_negative_window_is_refused() -> None:
    with pytest.raises(BadInput, match="window: is -1"):
        build("sentence_window", {"window": -1})


def test_what_counts_nothing_has_no_unit() -> None:
    assert build("sentence_window", {"unit": "words"}) == build("sentence_window", {})
