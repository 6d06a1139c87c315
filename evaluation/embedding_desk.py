"""The desk where texts are handed in and vectors come out: each distinct text is embedded once."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evaluation.embedding import Embedder, Kind, unit_rows
from evaluation.vector_cache import Entry, VectorCache, key_of
from strategies.strategy import Vectors

BATCH_TOKENS = 2048
"""Padded tokens a batch: large enough to keep the processor busy, small enough for its caches."""

_FLUSH_MS = 1000.0
"""Work that a kill may cost at most."""

Report = Callable[[int, int], None]
"""Called with tokens embedded so far and tokens to embed."""


@dataclass(slots=True)
class Traffic:
    """What passed a desk, counted in texts."""

    what: str = "texts"
    asked: int = 0
    distinct: int = 0
    from_cache: int = 0
    embedded: int = 0
    verb: str = "embedded"
    """What was done with those that no cache held."""

    def line(self) -> str:
        """One line for a log."""
        return (
            f"{self.what}: {self.asked} asked, {self.distinct} distinct, "
            f"{self.from_cache} from cache, {self.embedded} {self.verb}"
        )


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, in the order they were asked for; every array has one entry a text."""

    vectors: Vectors
    """float32, shape (n, dim), as the model gives them; (n, 0) where nothing is embedded."""
    tokens: npt.NDArray[np.int64]
    """Length for the model, special tokens and prompt included, before truncation."""
    seen_characters: npt.NDArray[np.int64]
    """Characters of the text (without prompt) that reached the model."""
    embed_ms: npt.NDArray[np.float64]
    """Time each text took when it was embedded."""
    same_machine: bool
    """Whether all of them were embedded on a machine like this, so that their times compare."""
    windows: int | None = None
    """Windows of documents that the vectors were pooled from; None where each is that of its text."""

    @classmethod
    def nothing(cls, texts: Sequence[str]) -> Embedded:
        """What texts cost that are not embedded: no vector, no token, no time."""
        n = len(texts)
        seen = np.array([len(text) for text in texts], dtype=np.int64)
        return cls(np.zeros((n, 0), np.float32), np.zeros(n, np.int64), seen, np.zeros(n), True)

    def unit(self) -> Embedded:
        """The same with vectors of unit length, whose dot product is the cosine."""
        return replace(self, vectors=unit_rows(self.vectors))

    @classmethod
    def join(cls, parts: Sequence[Embedded]) -> Embedded:
        """Several, one after another; none at all gives arrays of no rows."""
        if not parts:
            return cls(
                np.zeros((0, 0), np.float32), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), True
            )
        windows = [part.windows for part in parts if part.windows is not None]
        return cls(
            vectors=np.concatenate([part.vectors for part in parts]),
            tokens=np.concatenate([part.tokens for part in parts]),
            seen_characters=np.concatenate([part.seen_characters for part in parts]),
            embed_ms=np.concatenate([part.embed_ms for part in parts]),
            same_machine=all(part.same_machine for part in parts),
            windows=sum(windows) if windows else None,
        )


class Cache(Protocol):
    """What a desk asks of its cache, whatever that keeps of a text."""

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys are there."""

    def pace(self, machine: str) -> float | None:
        """Milliseconds a token on a machine; None if nothing was embedded there."""

    def close(self) -> None:
        """Close the file."""


class Desk(ABC):
    """An embedder behind its cache, whatever is embedded. One a sweep; counts what passes."""

    cache: Cache

    def __init__(self, embedder: Embedder, traffic: Traffic) -> None:
        self.embedder = embedder
        self.traffic = traffic
        self.machine = machine(embedder.backend)
        self._seen: set[bytes] = set()
        self._warm = False

    @abstractmethod
    def prepare(self, texts: Sequence[str], kind: Kind, report: Report | None = None) -> None:
        """Embed what the cache does not hold yet."""

    def missing(self, texts: Sequence[str], kind: Kind) -> list[str]:
        """The distinct texts that the cache does not hold."""
        by_key = self._by_key(texts, kind)
        known = self.cache.known(list(by_key))
        return [text for key, text in by_key.items() if key not in known]

    def tokens(self, texts: Sequence[str], kind: Kind) -> npt.NDArray[np.int64]:
        """Tokens of each text under the prompt of its kind, as the embedder counts; shape (n,)."""
        prompt = self.embedder.prompt(kind)
        return self.embedder.sizes([prompt + text for text in texts]).tokens

    def pace(self) -> float | None:
        """Milliseconds a token on this machine; None if nothing was embedded here."""
        return self.cache.pace(self.machine)

    def close(self) -> None:
        """Close the cache."""
        self.cache.close()

    def _by_key(self, texts: Sequence[str], kind: Kind) -> dict[bytes, str]:
        """The distinct texts by the key that they have under the prompt of their kind."""
        prompt = self.embedder.prompt(kind)
        return {key_of(prompt, text): text for text in texts}


class EmbeddingDesk(Desk):
    """The desk of texts and their vectors."""

    cache: VectorCache

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        super().__init__(embedder, Traffic())
        self.folder = folder
        # Files without the suffix are of versions that kept unit vectors alone.
        self.cache = VectorCache(cache_path(embedder, folder, "-as-given"))

    def prepare(self, texts: Sequence[str], kind: Kind, report: Report | None = None) -> None:
        """Embed what the cache does not hold yet, longest first in batches of even length."""
        prompt, by_key = self.embedder.prompt(kind), self._by_key(texts, kind)
        new = [key for key in by_key if key not in self._seen]
        known = self.cache.known(new)
        missing = [key for key in new if key not in known]
        self.traffic.asked += len(texts)
        self.traffic.distinct += len(new)
        self.traffic.from_cache += len(known)
        if missing:
            self._embed(missing, [prompt + by_key[key] for key in missing], _budget(kind), report)
        self._seen.update(new)

    def vectors(self, texts: Sequence[str], kind: Kind) -> Embedded:
        """Vectors of texts; embeds what is missing."""
        prompt = self.embedder.prompt(kind)
        keys = [key_of(prompt, text) for text in texts]
        entries = self.cache.get(keys)
        lost = {key: prompt + text for key, text in zip(keys, texts, strict=True) if key not in entries}
        if lost:  # new, or damaged in the cache
            self.traffic.from_cache -= len(self._seen & lost.keys())
            self._embed(list(lost), list(lost.values()), _budget(kind), None)
            entries |= self.cache.get(lost)
            self._seen |= lost.keys()
        rows = [entries[key] for key in keys]
        return Embedded(
            vectors=np.stack([row.vector for row in rows])
            if rows
            else np.zeros((0, self.embedder.dim), np.float32),
            tokens=np.array([row.tokens for row in rows], dtype=np.int64),
            seen_characters=np.array(
                [max(0, row.seen_characters - len(prompt)) for row in rows], dtype=np.int64
            ),
            embed_ms=np.array([row.embed_ms for row in rows], dtype=np.float64),
            same_machine=all(row.machine == self.machine for row in rows),
        )

    def _embed(self, keys: Sequence[bytes], texts: Sequence[str], budget: int, report: Report | None) -> None:
        if not self._warm:
            self.embedder.embed(["The first call pays for loading the model and is not timed."])
            self._warm = True
        sizes = self.embedder.sizes(texts)
        work = np.minimum(sizes.tokens, self.embedder.limit_tokens or np.iinfo(np.int64).max)
        total, done, pending, pending_ms = int(work.sum()), 0, dict[bytes, Entry](), 0.0
        for batch in even_batches(work, budget):
            started = time.perf_counter()
            vectors = self.embedder.embed([texts[row] for row in batch])
            # Padding makes every text of a batch cost the same, so the time is shared out evenly.
            each_ms = (time.perf_counter() - started) * 1000 / len(batch)
            for row, vector in zip(batch, vectors, strict=True):
                pending[keys[row]] = Entry(
                    vector, int(sizes.tokens[row]), int(sizes.seen_characters[row]), each_ms, self.machine
                )
            done += int(work[batch].sum())
            pending_ms += each_ms * len(batch)
            self.traffic.embedded += len(batch)
            if pending_ms >= _FLUSH_MS or done == total:
                self.cache.put(pending)
                pending, pending_ms = {}, 0.0
            if report:
                report(done, total)
        self.cache.put(pending)


class Fingerprinted(Protocol):
    """A model, as far as its cache is concerned."""

    name: str
    fingerprint: str
    """Hex digest of all that changes what it gives but the text."""


def cache_path(model: Fingerprinted, folder: Path | None, suffix: str = "") -> Path | None:
    """The file of a model's cache: one for each model and all that changes what it gives."""
    if folder is None:
        return None
    slug = "".join(sign if sign.isalnum() else "-" for sign in Path(model.name).name)[:40]
    digest = hashlib.sha256(model.fingerprint.encode()).hexdigest()[:16]
    return folder / "vectors" / f"{slug}-{digest}{suffix}.sqlite"


def even_batches(tokens: npt.NDArray[np.int64], budget: int) -> Iterator[npt.NDArray[np.int64]]:
    """Rows in batches of at most `budget` padded tokens (or one row), longest first.

    >>> [batch.tolist() for batch in even_batches(np.array([3, 9, 4, 10]), 20)]
    [[3, 1], [2, 0]]
    """
    order = np.argsort(-tokens, kind="stable")
    start = 0
    while start < len(order):
        rows = max(1, budget // max(1, int(tokens[order[start]])))
        yield order[start : start + rows]
        start += rows


def _budget(kind: Kind) -> int:
    """Tokens a batch. Questions go one at a time: that is how they arrive, and what their latency means."""
    return BATCH_TOKENS if kind == "passage" else 1


def threads() -> int:
    """Threads that numerical libraries of this process use at most."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not offered by macOS and Windows
        cores = os.cpu_count() or 1
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(asked)) if asked.isdecimal() and int(asked) else cores


@cache
def machine(backend: str) -> str:
    """Processor, threads and backend: times are compared only where all of them are equal."""
    return f"{_processor()} x{threads()}, {backend}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
