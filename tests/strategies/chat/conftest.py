"""A model that the server of a test speaks for, and a chat with a cache of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from strategies.language_model.chat import Chat
from strategies.language_model.chat_model import ChatModel

if TYPE_CHECKING:
    from chat_server import ChatServer


@pytest.fixture
def model(chat_server: ChatServer) -> ChatModel:
    """Asked by one thread, so that requests come in order."""
    return ChatModel(base_url=chat_server.url, model="m", timeout_s=20, retries=2, concurrency=1)


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    chat = Chat(tmp_path)
    yield chat
    chat.close()
