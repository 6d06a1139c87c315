"""A chat that keeps its answers in memory, and tools that ask it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from strategies.language_model.chat import Chat
from strategies.tools import Tools
from strategies.units.counting import Counter


@pytest.fixture
def chat() -> Iterator[Chat]:
    chat = Chat()
    yield chat
    chat.close()


@pytest.fixture
def tools(chat: Chat, minilm: dict[str, Counter]) -> Tools:
    return Tools(counters=minilm, chat=chat.answers)
