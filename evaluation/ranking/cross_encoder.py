"""Cross-encoders of the sentence-transformers library: a folder, or a name on the Hugging Face hub."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.model_files import (
    backend,
    check_files,
    device,
    digests,
    fingerprint,
    model_folder,
    quiet,
    read_json,
    revision,
    weight_names,
)
from evaluation.ranking.pair_desk import Pair
from strategies.errors import refuse

_LOADING = threading.Lock()
"""One model at a time."""
_CLASSIFIES = "ForSequenceClassification"
_HEADS = {
    "classifier": (
        "albert", "bert", "camembert", "deberta", "deberta-v2", "distilbert", "electra", "modernbert",
        "mpnet", "roberta", "xlm-roberta",
    ),
    "score": ("gemma", "gemma2", "llama", "mistral", "qwen2", "qwen3"),
}  # fmt: skip
"""How transformers names the weights that make a score, and of which types of models."""


def open_cross_encoder(name: str) -> CrossEncoder:
    """Find the model's files and check what it is, without loading it; raises BadInput if it is not there."""
    folder = model_folder(name, "cross-encoder", lambda why: _missing(name, why))
    files = ("config.json", "config_sentence_transformers.json")
    config, card = (read_json(folder / file, lambda why: _missing(name, why)) for file in files)
    if not config:
        raise _missing(name, f"is no model: {folder} has no config.json")
    said = config.get("architectures") or "nothing"
    kind = str(said[0] if isinstance(said, list) else said)
    heads = (_CLASSIFIES, "ForCausalLM")
    if card.get("model_type") != "CrossEncoder" and not kind.endswith(heads):
        raise _missing(name, f"is no cross-encoder: it is a {kind}, which gives no score of a pair")
    names = config.get("id2label")
    labels = len(names) if names and isinstance(names, dict) else config.get("num_labels", 2)
    if kind.endswith(_CLASSIFIES) and labels != 1:
        raise _missing(name, f"gives {labels} scores a pair, of which none is how well a text answers")
    check_files(folder, lambda why: _missing(name, why))
    weights = weight_names(folder, lambda why: _missing(name, why))
    head = next((head for head, types in _HEADS.items() if config.get("model_type") in types), None)
    if head and kind.endswith(_CLASSIFIES) and weights is not None:
        parts = {part for weight in weights for part in weight.split(".")}
        if head not in parts:
            raise _headless(name, head)
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
        with _noting_what_lacks(self._folder) as lacking:
            model = Loaded(str(self._folder), local_files_only=True, device=self.device, model_kwargs=options)
        if lacking:
            raise _headless(self.name, ", ".join(sorted(lacking)[:3]))
        return model


@contextmanager
def _noting_what_lacks(folder: Path) -> Iterator[set[str]]:
    """The weights that a model loaded meanwhile needs and its files lack: transformers draws them at random.

    It tells them to who asks, which sentence-transformers does not.
    """
    from transformers import PreTrainedModel

    lacking: set[str] = set()

    def noting(cls: type, *args: Any, **options: Any) -> Any:
        if [str(place) for place in args[:1]] != [str(folder)]:  # another model, in another thread
            return plain.__func__(cls, *args, **options)
        model, report = plain.__func__(cls, *args, **options | {"output_loading_info": True})
        # What only feeds a head that the model has not is of no account.
        unused = () if cls.__name__.endswith(_CLASSIFIES) else ("pooler",)
        lacking.update(key for key in report["missing_keys"] if not {*unused} & {*key.split(".")})
        return model

    with _LOADING:
        plain = PreTrainedModel.__dict__["from_pretrained"]
        PreTrainedModel.from_pretrained = classmethod(noting)  # type: ignore[assignment, method-assign]
        try:
            yield lacking
        finally:
            PreTrainedModel.from_pretrained = plain  # type: ignore[method-assign]


def _as_given(scores: Any) -> Any:
    return scores


def _headless(name: str, lacking: str) -> Exception:
    return _missing(
        name, f"has files without {lacking}: its scores would be those of weights drawn at random"
    )


def _missing(name: str, why: str) -> Exception:
    remedy = (
        "Use a folder that holds a cross-encoder, or a name that is in the Hugging Face cache of this "
        "machine (HF_HOME)"
    )
    return refuse("rerank", f"{name!r} {why}", remedy)
