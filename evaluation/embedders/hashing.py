"""An embedder without a model: words hashed into a vector, for tests and dry runs."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.embedding import Kind, Offsets, Sizes, TokenVectors, unit_rows
from strategies.errors import refuse
from strategies.strategy import Vectors
from strategies.units.counting import Counter, OffsetCounter

_WORD = re.compile(r"\w+|[^\w\s]")


class HashingEmbedder:
    """Counts words in `dim` hashed buckets, then scales to unit length.

    Deterministic and fast, finds shared words and nothing else: a test double and a lexical
    yardstick, not a recommendation.
    """

    name = "hashing"
    backend = "hashing numpy"

    def __init__(
        self,
        *,
        dim: int = 256,
        limit_tokens: int | None = None,
        query_prompt: str | None = None,
        passage_prompt: str | None = None,
    ) -> None:
        self.dim = dim
        self.limit_tokens = limit_tokens
        self.fingerprint = f"hashing-1-{dim}-{limit_tokens}"
        self._prompts: dict[Kind, str] = {"query": query_prompt or "", "passage": passage_prompt or ""}

    def prompt(self, kind: Kind) -> str:
        """What is put before a text of this kind."""
        return self._prompts[kind]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, float32, shape (n, dim)."""
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        for row, text in enumerate(texts):
            for match in self._words(text)[: self.limit_tokens]:
                self._add(vectors[row], match.group())
        return unit_rows(vectors)

    def lacks_token_vectors(self) -> None:
        """It has them: those of its words."""

    def token_offsets(self, text: str) -> Offsets:
        """Where its words lie."""
        return np.array([match.span() for match in self._words(text)], dtype=np.int64).reshape(-1, 2)

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """A word's vector is the same in every text."""
        found = []
        for text in texts:
            words = self._words(text)[: self.limit_tokens]
            vectors = np.zeros((len(words), self.dim), dtype=np.float32)
            for row, match in enumerate(words):
                self._add(vectors[row], match.group())
            found.append(TokenVectors(vectors, self.token_offsets(text)[: len(words)]))
        return found

    def sizes(self, texts: Sequence[str]) -> Sizes:
        """Words, and characters up to the last word within the limit."""
        words = [self._words(text) for text in texts]
        limit = self.limit_tokens
        seen = [
            len(text) if limit is None or len(found) <= limit else (found[limit - 1].end() if limit else 0)
            for text, found in zip(texts, words, strict=True)
        ]
        return Sizes(
            np.array([len(found) for found in words], dtype=np.int64), np.array(seen, dtype=np.int64)
        )

    def counter(self, unit: str) -> Counter:
        """Its words as a unit of length."""
        if unit not in ("embedder", "embedder+special"):
            raise refuse("unit", f"{unit!r} is no unit of this embedder", "Use embedder")
        return OffsetCounter(unit, lambda text: [match.span() for match in self._words(text)], specials=0)

    def versions(self) -> Mapping[str, str]:
        """Nothing but its own revision."""
        return {"hashing": "1"}

    def _add(self, vector: Vectors, word: str) -> None:
        digest = zlib.crc32(word.lower().encode("utf-8", "surrogatepass"))
        vector[digest % self.dim] += 1 if digest >> 31 else -1

    @staticmethod
    def _words(text: str) -> list[re.Match[str]]:
        return list(_WORD.finditer(text))
