"""What strategies of a sweep share, and what each of them is charged for it."""

from __future__ import annotations

import pytest

from strategies import build
from strategies.document import Document
from strategies.splitting import split
from strategies.tools import TOKENS, Tools

GATE = Document("gate.md", "# Gate\n\nOpens at six. " * 30, media_type="text/markdown")


@pytest.fixture
def tools() -> Tools:
    return Tools()


def test_whoever_waits_for_a_ruler_pays_in_time_and_the_next_is_charged_once(tools: Tools) -> None:
    tools.ruler(GATE, "words")
    tools.ruler(GATE, "words")
    assert tools.shared_ms == 0
    tools.open_account()
    tools.ruler(GATE, "words")
    once = tools.shared_ms
    assert once > 0
    tools.ruler(GATE, "words")
    assert tools.shared_ms == once
    tools.open_account()
    assert tools.shared_ms == 0


def test_what_describes_chunks_is_charged_to_those_alone_who_cut_by_it(tools: Tools) -> None:
    tools.describe(GATE)
    split(GATE, build("fixed", {"size": 5, "unit": "characters"}), tools)
    in_characters = tools.shared_ms
    tools.tokens(GATE, [0], [9])
    assert tools.shared_ms == in_characters == 0
    tools.open_account()
    tools.ruler(GATE, TOKENS)
    tokenising = tools.shared_ms
    assert tokenising > 0
    tools.outline(GATE)
    assert tools.shared_ms > tokenising


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
def test_pieces_found_for_another_size_are_charged(name: str, tools: Tools) -> None:
    long = Document("long", "The gate opens at six and shuts at ten in the evening. Dogs stay out.\n\n" * 99)
    split(long, build(name, {"size": 9}), tools)
    tools.open_account()
    ruler = tools.ruler(long, TOKENS)
    counting = tools.shared_ms
    split(long, build(name, {"size": 8}), tools)
    assert ruler.remembered
    assert tools.shared_ms > counting


def test_documents_that_share_an_id_share_nothing(tools: Tools) -> None:
    tools.ruler(GATE, "words")
    tools.open_account()
    other = Document(GATE.id, "Two words")
    assert len(tools.borders(other, "words")) == 3
    assert tools.shared_ms == 0


def test_a_little_room_holds_the_last(tools: Tools) -> None:
    small = Tools(characters_held=5)
    first, second = Document("a", "aaaa"), Document("b", "bbbb")
    held = small.ruler(first, "characters")
    assert small.ruler(first, "characters") is held
    small.ruler(second, "characters")
    assert small.ruler(first, "characters") is not held
