"""The desk where windows of documents are handed in and token vectors come out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from evaluation.embedding import Embedder, Kind, TokenVectors
from evaluation.embedding_desk import BATCH_TOKENS, Desk, Report, Traffic, cache_path, even_batches
from evaluation.token_cache import TokenCache, WindowTokens
from evaluation.vector_cache import key_of


class TokenDesk(Desk):
    """The desk of windows and their token vectors.

    Memory holds the windows of one batch, or those that are asked for.
    """

    cache: TokenCache

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        super().__init__(embedder, Traffic("windows"))
        self.cache = TokenCache(cache_path(embedder, folder, "-tokens"))
        self._cached: set[bytes] = set()

    def prepare(self, texts: Sequence[str], kind: Kind, report: Report | None = None) -> None:
        """Embed what the cache does not hold yet, in batches of even length."""
        by_key = self._by_key(texts, kind)
        new = [key for key in by_key if key not in self._seen]
        known = self.cache.known(new)
        self.traffic.asked += len(texts)
        self.traffic.distinct += len(new)
        self.traffic.from_cache += len(known)
        self._seen.update(new)
        self._cached |= known
        missing = {key: by_key[key] for key in new if key not in known}
        for batch in self._embedded(missing, kind, report) if self.cache.writable else ():
            self.cache.put(batch)
            if not self.cache.writable:
                break  # what comes after would be lost as well

    def vectors(self, texts: Sequence[str], kind: Kind) -> list[WindowTokens]:
        """Token vectors of windows, in their order; embeds what is missing."""
        by_key = self._by_key(texts, kind)
        found = self.cache.get(by_key)
        lost = {key: text for key, text in by_key.items() if key not in found}
        damaged = self._cached & lost.keys()
        self._cached -= damaged
        self.traffic.from_cache -= len(damaged)
        for batch in self._embedded(lost, kind, None):  # new, damaged, or not kept
            self.cache.put(batch)
            found |= batch
        return [found[key_of(self.embedder.prompt(kind), text)] for text in texts]

    def _embedded(
        self, texts: dict[bytes, str], kind: Kind, report: Report | None
    ) -> Iterator[dict[bytes, WindowTokens]]:
        """The windows' token vectors, batch by batch."""
        if not texts:
            return
        if not self._warm:
            self.embedder.token_vectors(["The first call pays for loading the model and is not timed."])
            self._warm = True
        prompt, keys = self.embedder.prompt(kind), list(texts)
        given = [prompt + text for text in texts.values()]
        work = np.minimum(
            self.tokens(list(texts.values()), kind), self.embedder.limit_tokens or np.iinfo(np.int64).max
        )
        total, done = int(work.sum()), 0
        for batch in even_batches(work, BATCH_TOKENS):
            started = time.perf_counter()
            made = self.embedder.token_vectors([given[row] for row in batch])
            each_ms = (time.perf_counter() - started) * 1000 / len(batch)  # padding makes them equal
            yield {
                keys[row]: _without_prompt(tokens, len(prompt), int(work[row]), each_ms, self.machine)
                for row, tokens in zip(batch, made, strict=True)
            }
            done += int(work[batch].sum())
            self.traffic.embedded += len(batch)
            if report:
                report(done, total)


def _without_prompt(found: TokenVectors, prompt: int, tokens: int, ms: float, machine: str) -> WindowTokens:
    """The tokens that hold something of the text, their starts counted from its first character."""
    starts, ends = found.offsets.T
    kept = ends > prompt if prompt else np.full(len(ends), True)
    places = np.maximum.accumulate(np.maximum(starts[kept] - prompt, 0))
    return WindowTokens(found.vectors[kept], places, tokens, ms, machine)
