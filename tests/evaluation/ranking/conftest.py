from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny_cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real one with weights that mean nothing: 64 tokens of MiniLM's tokenizer, one score a pair."""
    from .scene import save_cross_encoder

    return save_cross_encoder(tmp_path_factory.mktemp("tiny-cross-encoder"))
