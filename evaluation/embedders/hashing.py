"""An embedder without a model: words hashed into a vector, for tests and dry runs."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.embedding import Kind, Sizes, unit_rows
from strategies.counting import Counter, OffsetCounter
from strategies.errors import refuse
from strategies.strategy import Vectors

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
                bucket = zlib.crc32(match.group().lower().encode("utf-8", "surrogatepass"))
                vectors[row, bucket % self.dim] += 1 if bucket >> 31 else -1
        return unit_rows(vectors)

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

    @staticmethod
    def _words(text: str) -> list[re.Match[str]]:
        return list(_WORD.finditer(text))
