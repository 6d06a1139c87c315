"""Chunk health, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.health import chunk_health, embedded_until, truncation
from strategies.document import Chunk, Document

TEXT = "aaaa bbbb cccc dddd "  # 20 characters, the last one white


def cut(start: int, end: int, *, tokens: int = 40, lead: str = "", oversize: bool = False) -> Chunk:
    text = TEXT[start:end]
    return Chunk("d", 0, start, end, text, tokens, lead + text, (start, end), oversize=oversize)


def test_measures_by_hand() -> None:
    chunks = [cut(0, 10, tokens=10), cut(5, 14, tokens=40), cut(15, 19, tokens=40, oversize=True)]
    health = chunk_health([Document("d", TEXT)], chunks)
    assert health["chunks"] == 3
    assert health["coverage"] == 18 / 20
    assert health["duplication"] == 23 / 20
    assert health["overlap_effective"] == 5 / 13  # 5 shared, of the 9 + 4 characters that follow another
    assert health["overlapping_borders_share"] == 0.5
    assert health["chunk_tokens_mean"] == 30
    assert health["chunk_tokens_max"] == 40
    assert health["share_under_32_tokens"] == pytest.approx(1 / 3)
    assert health["oversize_chunks"] == 1


def test_neighbours_are_of_one_document() -> None:
    text = "same"
    chunks = [Chunk(name, 0, 0, 4, text, 1, text, (0, 4)) for name in ("a", "b")]
    health = chunk_health([Document("a", text), Document("b", text)], chunks)
    assert health["overlap_effective"] == health["overlapping_borders_share"] == 0


def test_a_chunk_inside_another_shares_no_more_than_all_of_itself() -> None:
    document = Document("a", "x" * 20)
    health = chunk_health([document], [cut(0, 20), cut(5, 10)])
    assert health["overlap_effective"] == 1.0


def test_texts_made_from_one_passage_are_no_overlap() -> None:
    document = Document("a", "x" * 20)
    health = chunk_health([document], [cut(0, 10), cut(0, 10), cut(8, 20), cut(8, 20)])
    assert health["overlap_effective"] == 2 / 12
    assert health["overlapping_borders_share"] == 1.0


def test_no_chunks_give_zeros_and_no_nan() -> None:
    health = chunk_health([Document("d", " \n")], [])
    assert health == {
        "documents": 1,
        "chunks": 0,
        "oversize_chunks": 0,
        "coverage": 0.0,
        "duplication": 0.0,
        "overlap_effective": 0.0,
        "overlapping_borders_share": 0.0,
    }


def test_truncation_counts_what_never_reached_the_model(tmp_path: Path) -> None:
    desk = EmbeddingDesk(HashingEmbedder(limit_tokens=8), tmp_path)
    embedded = desk.vectors([" ".join(["word"] * 20), "two words"], "passage")
    assert truncation(embedded, 8) == {
        "tokens_embedded": 8 + 2,
        "truncated_chunks": 1,
        "truncated_token_share": 12 / 22,
    }
    assert truncation(embedded, None)["truncated_chunks"] == 0


def test_where_the_embedder_stopped_reading(tmp_path: Path) -> None:
    desk = EmbeddingDesk(HashingEmbedder(limit_tokens=3), tmp_path)
    chunks = [cut(5, 19), cut(0, 9), cut(5, 19, lead="A B\n")]
    embedded = desk.vectors([chunk.embedded_text for chunk in chunks], "passage")
    # "bbbb cccc dddd" fits; "aaaa bbbb" fits; after two words of heading only "bbbb" is read.
    assert dict(embedded_until(chunks, embedded)) == {2: 9}
