"""Cutting all documents of a set under one configuration after another, and what each of them cost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evaluation.cutting import Answered, Cutting, Vectored
from evaluation.embedding import unit_rows
from evaluation.embedding_desk import Embedded, EmbeddingDesk
from evaluation.latency import stopwatch
from evaluation.vector_cache import key_of
from experiments.run_config import RunConfig
from strategies.document import Chunk, Document
from strategies.errors import SplitError
from strategies.language_model.chat import Chat
from strategies.splitting import split
from strategies.strategy import Vectors
from strategies.tools import Tools

_PATIENCE = 5
"""Documents that may fail before the others are spared, and how many of them are named."""

_WARM_UP = Document("warm-up.md", "# One\n\nA first sentence. A second one.\n", media_type="text/markdown")


@dataclass(frozen=True, slots=True)
class SplitDocuments:
    """All documents of the set under one strategy."""

    by_document: tuple[tuple[Document, tuple[Chunk, ...]], ...]
    cutting: Cutting

    @property
    def chunks(self) -> list[Chunk]:
        """All chunks, documents in order of their id."""
        return [chunk for _, chunks in self.by_document for chunk in chunks]


class Cutter:
    """One a sweep; what configurations share is found out once and charged to each."""

    def __init__(self, documents: Sequence[Document], desk: EmbeddingDesk, cache_dir: Path | None) -> None:
        """`desk` embeds what strategies cut by; `cache_dir` keeps a language model's answers."""
        self._documents = documents
        self._desk = desk
        self._chat = Chat(cache_dir)
        counters = {unit: desk.embedder.counter(unit) for unit in ("embedder", "embedder+special")}
        self.tools = Tools(counters=counters, embed=self._embed_passages, chat=self._chat.answers)
        self._cut_by = _CutBy()
        self._warm: set[str] = set()
        self._last_split: tuple[str, SplitDocuments] | None = None
        self._answers_used = self._answers_paid = 0

    def split(self, config: RunConfig, *, anew: bool = False) -> SplitDocuments:
        """Cut every document; the last result serves configurations that cut alike, unless `anew`.

        Raises SplitError where documents cannot be cut, naming the first five. Where a language model is
        asked, all are tried before, so that the answers for the others are paid for once and kept (an
        endpoint that is dead is the chat's to give up); elsewhere five failures end it.
        """
        if self._last_split and self._last_split[0] == config.split_key and not anew:
            return self._last_split[1]
        self._warm_up(config)
        self._cut_by = _CutBy()
        self._chat.spent()  # from here on
        self.tools.open_account()
        parts, failures, split_ms = [], [], 0.0
        for document in self._documents:
            self.tools.describe(document)
            shared_ms = self.tools.shared_ms
            with stopwatch() as watch:
                try:
                    parts.append((document, split(document, config.strategy, self.tools, config.modifiers)))
                except SplitError as error:
                    failures.append(str(error))
            # What configurations share is found out once, and charged to each of them.
            split_ms += watch.ms + self.tools.shared_ms - shared_ms
            if len(failures) == _PATIENCE and "chat" not in config.needs:
                break
        cutting = self._cutting(config, split_ms)
        if failures:
            tried = len(parts) + len(failures)
            raise SplitError(_failed(failures, len(self._documents), tried))
        result = SplitDocuments(tuple(parts), cutting)
        self._last_split = (config.split_key, result)
        return result

    def _warm_up(self, config: RunConfig) -> None:
        """The first call of a strategy pays for imports and tables; nobody pays for its answers."""
        names = {strategy.name for strategy in config.strategies}
        if not names <= self._warm and "chat" not in config.needs:
            with suppress(SplitError):
                split(_WARM_UP, config.strategy, self.tools, config.modifiers)
        self._warm |= names

    def _cutting(self, config: RunConfig, split_ms: float) -> Cutting:
        """What was spent since documents were begun to be cut."""
        vectored, spent = self._cut_by, self._chat.spent()
        self._answers_used += spent.calls
        self._answers_paid += spent.paid_calls
        return Cutting(
            max(split_ms - vectored.waited_ms - spent.waited_ms, 0.0),
            vectored.told() if "embedder" in config.needs else None,
            Answered(spent.calls, spent.input_tokens, spent.output_tokens, spent.ms, spent.cost)
            if "chat" in config.needs
            else None,
        )

    @property
    def traffic(self) -> str:
        """What a language model answered, as part of a line for a log; empty where none was asked."""
        if not (self._answers_used or self._answers_paid):
            return ""
        return f"answers: {self._answers_used:,} used, {self._answers_paid:,} paid now"

    def close(self) -> None:
        """Close the cache of answers."""
        self._chat.close()

    def _embed_passages(self, texts: Sequence[str]) -> Vectors:
        with stopwatch() as watch:
            self._desk.prepare(texts, "passage")
            found = self._desk.vectors(texts, "passage")
        self._cut_by.add(texts, found, self._desk.embedder.limit_tokens, watch.ms)
        return unit_rows(found.vectors)


@dataclass(slots=True)
class _CutBy:
    """The vectors that a strategy asked for in order to cut; a text that it asks for twice counts once."""

    seen: set[bytes] = field(default_factory=set)
    tokens: int = 0
    embed_ms: float = 0.0
    same_machine: bool = True
    waited_ms: float = 0.0

    def add(self, texts: Sequence[str], found: Embedded, limit_tokens: int | None, waited_ms: float) -> None:
        self.waited_ms += waited_ms
        self.same_machine &= found.same_machine
        reached = found.tokens if limit_tokens is None else np.minimum(found.tokens, limit_tokens)
        for text, tokens, ms in zip(texts, reached.tolist(), found.embed_ms.tolist(), strict=True):
            key = key_of("", text)
            if key not in self.seen:
                self.seen.add(key)
                self.tokens += tokens
                self.embed_ms += ms

    def told(self) -> Vectored:
        return Vectored(len(self.seen), self.tokens, self.embed_ms, self.same_machine)


def _failed(failures: Sequence[str], documents: int, tried: int) -> str:
    if len(failures) == 1:
        return failures[0]
    named = "; ".join(failures[:_PATIENCE])
    rest = f"; and {len(failures) - _PATIENCE:,} more" if len(failures) > _PATIENCE else ""
    spared = f"; after {_PATIENCE} of them no more was tried" if tried < documents else ""
    return f"{len(failures):,} of {documents:,} documents could not be cut: {named}{rest}{spared}"
