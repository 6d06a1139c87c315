"""The desk where pairs of question and text are handed in and scores come out: each is scored once."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evaluation.embedding_desk import BATCH_TOKENS, Traffic, cache_path, even_batches, machine
from evaluation.vector_cache import key_of
from strategies.cache_file import CacheFile

Pair = tuple[str, str]
"""A question, and a text that may answer it."""

_COLUMNS = {"score": "real", "tokens": "integer", "truncated": "integer", "ms": "real", "machine": "text"}

_FLUSH_MS = 1000.0
"""Work that a kill may cost at most."""


class PairScorer(Protocol):
    """Tells how well a text answers a question, reading both together."""

    name: str
    """The model's name, for people."""
    fingerprint: str
    """Hex digest of all that changes a score but the pair: weights, limit, libraries."""
    backend: str
    """What computes: library, version and precision. Times are comparable only where equal."""

    @property
    def limit_tokens(self) -> int | None:
        """Tokens of a pair that reach the model, special tokens included; None: no limit."""

    def sizes(self, pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
        """Tokens of each pair, special tokens included, before truncation; shape (n,)."""

    def scores(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """One score a pair, higher for better, shape (n,). One batch."""

    def versions(self) -> Mapping[str, str]:
        """What decides the scores: name -> version."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Pairs with their scores, in the order they were asked for."""

    scores: npt.NDArray[np.float64]
    """Rounded to 1e-6, shape (n,)."""
    truncated: int
    """Pairs that are longer than the model's limit."""
    ms: float
    """Time that all of them took when they were scored."""
    same_machine: bool
    """Whether all were scored on a machine like this, so that the time compares."""


class PairDesk:
    """A model that scores pairs, behind its cache. One a model and sweep; counts what passes."""

    def __init__(self, scorer: PairScorer, folder: Path | None) -> None:
        """`folder`: that of the caches; None keeps scores in memory."""
        self.scorer = scorer
        self.traffic = Traffic("pairs", verb="scored")
        self._machine = machine(scorer.backend)
        self._cache = CacheFile(cache_path(scorer, folder, "-pairs"), "pairs", _COLUMNS)
        self._seen: set[bytes] = set()
        self._warm = False

    def prepare(self, pairs: Sequence[Pair]) -> None:
        """Score what the cache does not hold yet, in batches of even length.

        Raises ValueError where the model gives no number.
        """
        by_key = {key_of(*pair): pair for pair in pairs}
        new = [key for key in by_key if key not in self._seen]
        known = self._cache.known(new)
        missing = [key for key in new if key not in known]
        self.traffic.asked += len(pairs)
        self.traffic.distinct += len(new)
        self.traffic.from_cache += len(known)
        self._score({key: by_key[key] for key in missing})
        self._seen.update(new)

    def scored(self, pairs: Sequence[Pair]) -> Scored:
        """Scores of pairs; makes what is missing."""
        keys = [key_of(*pair) for pair in pairs]
        found = self._cache.get(keys)
        lost = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in found}
        if lost:  # new, or damaged in the cache
            self._score(lost)
            found |= self._cache.get(lost)
            self._seen |= lost.keys()
        rows = [found[key] for key in keys]
        return Scored(
            np.array([row[0] for row in rows], dtype=np.float64),
            truncated=sum(row[2] for row in rows),
            ms=sum(row[3] for row in rows),
            same_machine=all(row[4] == self._machine for row in rows),
        )

    def close(self) -> None:
        """Close the cache."""
        self._cache.close()

    def _score(self, pairs: Mapping[bytes, Pair]) -> None:
        if not pairs:
            return
        if not self._warm:
            self.scorer.scores([("The first call", "pays for loading the model and is not timed.")])
            self._warm = True
        keys, given = list(pairs), list(pairs.values())
        tokens, limit = self.scorer.sizes(given), self.scorer.limit_tokens
        work = tokens if limit is None else np.minimum(tokens, limit)
        pending, pending_ms = dict[bytes, tuple[float, int, int, float, str]](), 0.0
        for batch in even_batches(work, BATCH_TOKENS):
            started = time.perf_counter()
            scores = self.scorer.scores([given[row] for row in batch])
            # Padding makes every pair of a batch cost the same, so the time is shared out evenly.
            each_ms = (time.perf_counter() - started) * 1000 / len(batch)
            if not np.isfinite(scores).all():
                raise ValueError(f"{self.scorer.name} gives a pair a score that is no number")
            for row, score in zip(batch.tolist(), scores.tolist(), strict=True):
                cut = int(tokens[row] > work[row])
                pending[keys[row]] = (round(score, 6) + 0.0, int(tokens[row]), cut, each_ms, self._machine)
            self.traffic.embedded += len(batch)
            pending_ms += each_ms * len(batch)
            if pending_ms >= _FLUSH_MS:
                self._cache.put(pending)
                pending, pending_ms = {}, 0.0
        self._cache.put(pending)
