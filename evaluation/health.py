"""Chunk health: what a cut looks like before any question is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evaluation.embedding_desk import Embedded
from strategies.document import Chunk, Document
from strategies.spans import length, union

TINY_TOKENS = 32
"""Chunks below this are fragments: they rank high for their few words and tell a reader little."""


def chunk_health(documents: Sequence[Document], chunks: Sequence[Chunk]) -> dict[str, float]:
    """Measures of all chunks together, in the order of `chunks` within each document.

    Shares are of characters. `overlap_effective` is the text a chunk shares with the one before it,
    over the text of all chunks that have one before them: 0.25 means that a quarter of each chunk
    repeats. Texts made from one passage share its range and count as one chunk there. Without chunks, or
    without text, a share is 0.
    """
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document_id, []).append(chunk)
    shared = [
        (max(0, min(before[1], after[1]) - after[0]), after[1] - after[0])
        for group in by_document.values()
        for before, after in pairwise(dict.fromkeys((chunk.start, chunk.end) for chunk in group))
    ]
    characters = sum(len(document.text) for document in documents)
    covered = sum(
        length(union((chunk.start, chunk.end) for chunk in group)) for group in by_document.values()
    )
    stored = sum(chunk.end - chunk.start for chunk in chunks)
    repeated, following = (sum(column) for column in zip(*shared, strict=True)) if shared else (0, 0)
    tokens = np.array([chunk.tokens for chunk in chunks], dtype=np.int64)
    measures: dict[str, float] = {
        "documents": len(documents),
        "chunks": len(chunks),
        "oversize_chunks": sum(chunk.oversize for chunk in chunks),
        "coverage": covered / characters if characters else 0.0,
        "duplication": stored / characters if characters else 0.0,
        "overlap_effective": repeated / following if following else 0.0,
        "overlapping_borders_share": sum(part > 0 for part, _ in shared) / len(shared) if shared else 0.0,
    }
    if len(tokens):
        p5, p95 = np.percentile(tokens, [5, 95])
        measures |= {
            "chunk_tokens_mean": float(tokens.mean()),
            "chunk_tokens_p5": float(p5),
            "chunk_tokens_p95": float(p95),
            "chunk_tokens_max": int(tokens.max()),
            "share_under_32_tokens": float((tokens < TINY_TOKENS).mean()),
        }
    return measures


def truncation(embedded: Embedded, limit_tokens: int | None) -> dict[str, float]:
    """What the embedder was given, and how much of it its limit cut off.

    `tokens_embedded` counts what reaches the model, special tokens included; `late_windows` stands
    where vectors were pooled from windows of the documents.
    """
    tokens = embedded.tokens
    reached = tokens if limit_tokens is None else np.minimum(tokens, limit_tokens)
    return {
        "tokens_embedded": int(reached.sum()),
        "truncated_chunks": int((reached < tokens).sum()),
        "truncated_token_share": truncated_share(tokens, limit_tokens),
        **({} if embedded.windows is None else {"late_windows": embedded.windows}),
    }


def truncated_share(tokens: npt.NDArray[np.int64], limit_tokens: int | None) -> float:
    """Share of the tokens of texts, of which each has `tokens`, that a limit cuts off; 0 without tokens."""
    total = int(tokens.sum())
    lost = 0 if limit_tokens is None else int(np.maximum(tokens - limit_tokens, 0).sum())
    return lost / total if total else 0.0


def embedded_until(chunks: Sequence[Chunk], embedded: Embedded) -> Mapping[int, int]:
    """Row of each truncated chunk -> the code point of its document up to which the embedder saw it."""
    until = {}
    for row, (chunk, seen) in enumerate(zip(chunks, embedded.seen_characters.tolist(), strict=True)):
        lead = len(chunk.embedded_text) - len(chunk.text)
        if seen < len(chunk.embedded_text) and chunk.embedded_text.endswith(chunk.text):
            until[row] = chunk.start + max(0, seen - lead)
    return until
