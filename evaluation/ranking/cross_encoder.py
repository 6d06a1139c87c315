"""Cross-encoders of the sentence-transformers library: a folder, or a name on the Hugging Face hub."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.model_files import (
    backend,
    device,
    digests,
    fingerprint,
    model_folder,
    quiet,
    read_json,
    revision,
)
from evaluation.ranking.pair_desk import Pair
from strategies.errors import refuse


def open_cross_encoder(name: str) -> CrossEncoder:
    """Find the model's files and check what it is, without loading it; raises BadInput if it is not there."""
    folder = model_folder(name, "cross-encoder", lambda why: _missing(name, why))
    config, card = (read_json(folder / file) for file in ("config.json", "config_sentence_transformers.json"))
    if not config:
        raise _missing(name, f"is no model: {folder} has no config.json")
    kind = str((config.get("architectures") or ["nothing"])[0])
    heads = ("ForSequenceClassification", "ForCausalLM")
    if card.get("model_type") != "CrossEncoder" and not kind.endswith(heads):
        raise _missing(name, f"is no cross-encoder: it is a {kind}, which gives no score of a pair")
    labels = len(config.get("id2label") or {}) or int(config.get("num_labels", 2))
    if kind.endswith(heads[0]) and labels != 1:
        raise _missing(name, f"gives {labels} scores a pair, of which none is how well a text answers")
    return CrossEncoder(name, folder)


class CrossEncoder:
    """A model on this machine that reads question and text together; loaded when the first pair is scored.

    Its scores are those before any activation, which keeps their order but brings some of them together.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.device = device()
        self.backend = backend(self.device)
        self._folder = folder
        self._loading = threading.Lock()
        self.revision = revision(digests(folder))
        self.fingerprint = fingerprint(self.revision)

    @property
    def limit_tokens(self) -> int | None:
        """The model's own limit; loads the model."""
        found = self._model.max_seq_length
        return None if found is None or found > 10**9 else int(found)

    def sizes(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """By its own tokenizer; a prompt that the model puts before a question is not counted."""
        questions, texts = zip(*pairs, strict=True)
        found = self._model.tokenizer(list(questions), list(texts), truncation=False, verbose=False)
        return np.array([len(ids) for ids in found["input_ids"]], dtype=np.int64)

    def scores(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """One score a pair. One batch; what is longer than the limit is cut off as the model does it."""
        with self._loading:
            found = self._model.predict(
                list(pairs), batch_size=len(pairs), show_progress_bar=False, activation_fn=_as_given
            )
        return np.asarray(found, dtype=np.float64).reshape(len(pairs))

    def versions(self) -> Mapping[str, str]:
        """The digest of its files and of what computes, under a name that tells two models apart."""
        slug = "".join(sign if sign.isalnum() else "-" for sign in Path(self.name).name)[:40]
        return {f"reranker {slug}": self.fingerprint[:16]}

    @cached_property
    def _model(self) -> Any:
        quiet()
        from sentence_transformers import CrossEncoder as Loaded
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        # The library would take the checkpoint's own type of numbers, in which a batch changes a score.
        options = {"dtype": "float32"}
        return Loaded(str(self._folder), local_files_only=True, device=self.device, model_kwargs=options)


def _as_given(scores: Any) -> Any:
    return scores


def _missing(name: str, why: str) -> Exception:
    remedy = (
        "Use a folder that holds a cross-encoder, or a name that is in the Hugging Face cache of this "
        "machine (HF_HOME)"
    )
    return refuse("rerank", f"{name!r} {why}", remedy)
