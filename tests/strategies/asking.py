"""Asking a chat where every answer will do."""

from __future__ import annotations

import pytest

from strategies.errors import ChatError
from strategies.language_model.chat import Chat
from strategies.language_model.chat_model import ChatModel


def anything(answer: str) -> str:
    """Finds no fault."""
    return ""


def ask(chat: Chat, model: ChatModel, *prompts: str) -> list[str]:
    return chat.answers(model, prompts, anything)


def failures(chat: Chat, model: ChatModel, *prompts: str) -> dict[int, str]:
    """Prompt -> what stood against its answer."""
    with pytest.raises(ChatError) as error:
        chat.answers(model, prompts, anything)
    return error.value.failures
