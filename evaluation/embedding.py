"""Embedder: texts to vectors. The contract, and how a sweep's `embedder:` becomes one.

Opening an embedder checks that everything it needs is there and costs well under a second; the
model itself is loaded when the first text is embedded, so a sweep that finds all its vectors in
the cache never loads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from strategies.errors import refuse
from strategies.strategy import Vectors
from strategies.units.counting import Counter

Kind = Literal["passage", "query"]
"""Many models want another prompt before a query than before a passage."""

DEFAULT_MODEL = "all-MiniLM-L6-v2"


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """An embedder as a sweep names it."""

    model: str = DEFAULT_MODEL
    """A packaged model, a folder, or a name that the Hugging Face cache or hub knows; `hashing`
    needs no model and is for trying things out."""
    query_prompt: str | None = None
    """Put before every question, for example `query: `; None: what the model itself asks for."""
    passage_prompt: str | None = None
    """Put before every passage; None: what the model itself asks for."""


class Embedder(Protocol):
    """Turns texts into vectors, and tells how much of a text it sees."""

    name: str
    """The model's name, for people."""
    fingerprint: str
    """Hex digest of all that changes a vector but the text: weights, limit, libraries."""
    backend: str
    """What computes: library, version and precision. Times are comparable only where equal."""
    limit_tokens: int | None
    """Tokens that reach the model, special tokens included; None: no limit."""

    @property
    def dim(self) -> int:
        """Length of a vector; may load the model."""

    def prompt(self, kind: Kind) -> str:
        """What is put before a text of this kind."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts (prompt included), float32, shape (n, dim), as the model gives them.

        One batch, in this order. Not scaled, but finite: see `finite_rows`.
        """

    def sizes(self, texts: Sequence[str]) -> Sizes:
        """How long each text (prompt included) is for this model."""

    def lacks_token_vectors(self) -> str | None:
        """Why it cannot give vectors of tokens, in words that follow its name; None where it can.

        Tells without loading the model.
        """

    def token_offsets(self, text: str) -> Offsets:
        """Where each token of a text of any length lies, special tokens left out; shape (n, 2)."""

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Vectors of the tokens of texts (prompt included) within the limit. One batch, in this order."""

    def counter(self, unit: str) -> Counter:
        """Its own tokenizer as a unit of length: `embedder`, or `embedder+special`."""

    def versions(self) -> Mapping[str, str]:
        """Libraries and model revision that a run should record."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Length of texts as an embedder sees them; both arrays have one entry a text."""

    tokens: npt.NDArray[np.int64]
    """Tokens with special tokens, before truncation."""
    seen_characters: npt.NDArray[np.int64]
    """Characters of the text that reach the model; all of them where nothing is cut off."""


Offsets = npt.NDArray[np.int64]
"""Shape (n, 2): start and end code point of each token in its text."""


class TokenVectors(NamedTuple):
    """One text, token by token; special tokens are left out."""

    vectors: Vectors
    """float32, shape (n, dim), as the model gives them: not scaled."""
    offsets: Offsets


def open_embedder(spec: EmbedderSpec) -> Embedder:
    """The embedder a sweep asks for; raises BadInput if the model is not there."""
    if spec.model == "hashing":
        from evaluation.embedders.hashing import HashingEmbedder

        return HashingEmbedder(query_prompt=spec.query_prompt, passage_prompt=spec.passage_prompt)
    from evaluation.embedders.sentence_transformer import open_sentence_transformer

    return open_sentence_transformer(spec)


def missing_model(name: str, why: str) -> Exception:
    """The error for a model that cannot be loaded."""
    return refuse(
        "embedder.model",
        f"{name!r} {why}",
        f"Use the packaged {DEFAULT_MODEL}, a folder that holds a sentence-transformers model, or a "
        "name that is in the Hugging Face cache of this machine (HF_HOME)",
    )


def finite_rows(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Rows as float32; one that holds anything not finite becomes zero.

    >>> finite_rows(np.array([[3.0, 4.0], [np.nan, 1.0]])).tolist()
    [[3.0, 4.0], [0.0, 0.0]]
    """
    rows = np.asarray(vectors, dtype=np.float32)
    finite = np.isfinite(rows).all(axis=1, keepdims=True) if rows.size else np.ones((len(rows), 1), bool)
    kept: Vectors = np.where(finite, rows, np.float32(0))
    return kept


def unit_rows(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Rows scaled to length 1; rows that are zero or not finite become zero, never NaN.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    rows = finite_rows(vectors)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
