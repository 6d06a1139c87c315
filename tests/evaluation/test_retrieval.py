"""One ranked list, one tie rule, whatever the order of the chunks."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from evaluation.gold import Evidence, Passage, Question
from evaluation.retrieval import Hit, Retriever
from evaluation.stores import STORES, open_store
from strategies.document import Chunk, Document
from strategies.strategy import Vectors

EVERYTHING = 10_000


def chunk(document: str, start: int, end: int, returned: tuple[int, int] | None = None) -> Chunk:
    text = "x" * (end - start)
    return Chunk(document, 0, start, end, text, end - start, text, returned or (start, end))


def question(**filters: str | int | bool) -> Question:
    return Question("q", "which?", (Evidence((Passage("a", 0, 5),)),), filter=filters)


def unit(*rows: Sequence[float]) -> Vectors:
    matrix = np.array(rows, dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def ranked(
    chunks: Sequence[Chunk],
    vectors: Vectors,
    query: Sequence[float],
    asked: Question | None = None,
    documents: Sequence[Document] = (),
    depth: int = EVERYTHING,
) -> tuple[Hit, ...]:
    store = open_store("exact")
    store.build(vectors, chunks)
    known = documents or [
        Document(name, "x" * 99) for name in sorted({chunk.document_id for chunk in chunks})
    ]
    retriever = Retriever(store, chunks, known)
    return retriever.rank(asked or question(), unit(query)[0], depth, lambda hits: True).hits


def test_best_first() -> None:
    chunks = [chunk("a", 0, 5), chunk("a", 5, 10), chunk("b", 0, 5)]
    hits = ranked(chunks, unit([1, 0], [0, 1], [1, 1]), [0, 1])
    assert [(hit.document, hit.start, hit.chunk) for hit in hits] == [("a", 5, 1), ("b", 0, 2), ("a", 0, 0)]
    assert [hit.score for hit in hits] == [1.0, 0.707107, 0.0]


def test_ties_break_by_document_then_start_in_any_order() -> None:
    chunks = [chunk(name, start, start + 5) for name in ("b", "a", "c") for start in (5, 0, 10)]
    expected = [(name, start) for name in "abc" for start in (0, 5, 10)]
    for seed in range(20):
        shuffled = random.Random(seed).sample(chunks, len(chunks))
        hits = ranked(shuffled, unit(*[[1, 1]] * len(chunks)), [1, 1])
        assert [(hit.document, hit.start) for hit in hits] == expected


def test_a_cut_through_a_tie_keeps_the_first_of_the_rule() -> None:
    chunks = [chunk("c", 0, 5), chunk("b", 0, 5), chunk("a", 0, 5)]
    hits = ranked(chunks, unit([1, 1], [1, 1], [1, 1]), [1, 1], depth=2)
    assert [hit.document for hit in hits] == ["a", "b"]


def test_scores_closer_than_a_millionth_are_equal() -> None:
    chunks = [chunk("b", 0, 5), chunk("a", 0, 5)]
    hits = ranked(chunks, np.array([[0.5 + 1e-7, 0.0], [0.5, 0.0]], dtype=np.float32), [1, 0])
    assert [hit.document for hit in hits] == ["a", "b"]


def test_ties_are_told() -> None:
    chunks = [chunk("a", 0, 5), chunk("b", 0, 5)]
    store = open_store("exact")
    store.build(unit([1, 1], [1, 1]), chunks)
    retriever = Retriever(store, chunks, [Document("a", "x" * 9), Document("b", "x" * 9)])
    assert retriever.rank(question(), unit([1, 0])[0], 5, lambda hits: True).tied
    store.build(unit([1, 1], [1, 0]), chunks)
    assert not retriever.rank(question(), unit([1, 0])[0], 5, lambda hits: True).tied


def test_hits_that_return_one_range_are_one_hit_of_the_best_rank() -> None:
    parent = (0, 20)
    chunks = [chunk("a", 0, 10, parent), chunk("a", 10, 20, parent), chunk("a", 20, 30)]
    hits = ranked(chunks, unit([0, 1], [1, 0], [1, 1]), [1, 0])
    assert [(hit.start, hit.end, hit.chunk) for hit in hits] == [(0, 20, 1), (20, 30, 2)]


def test_a_filter_searches_only_what_matches() -> None:
    chunks = [chunk("a", 0, 5), chunk("b", 0, 5), chunk("c", 0, 5)]
    documents = [
        Document("a", "x" * 9, {"year": 2023}),
        Document("b", "x" * 9, {"year": 2024}),
        Document("c", "x" * 9),
    ]
    hits = ranked(chunks, unit([1, 0], [1, 1], [1, 0]), [1, 0], question(year=2024), documents)
    assert [hit.document for hit in hits] == ["b"]
    assert ranked(chunks, unit([1, 0], [1, 1], [1, 0]), [1, 0], question(year=1999), documents) == ()


def test_filters_that_differ_in_kind_differ() -> None:
    chunks = [chunk("a", 0, 5), chunk("b", 0, 5)]
    documents = [Document("a", "x" * 9, {"draft": True}), Document("b", "x" * 9, {"draft": 1})]
    store = open_store("exact")
    store.build(unit([1, 0], [1, 0]), chunks)
    retriever = Retriever(store, chunks, documents)
    found = [
        [hit.document for hit in retriever.rank(question(draft=value), unit([1, 0])[0], 5, bool).hits]
        for value in (True, 1)
    ]
    assert found == [["a"], ["b"]]


def test_the_list_deepens_until_it_is_enough() -> None:
    chunks = [chunk("a", start, start + 5) for start in range(0, 500, 5)]
    angles = np.linspace(0, 1, len(chunks))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    store = open_store("exact")
    store.build(vectors, chunks)
    retriever = Retriever(store, chunks, [Document("a", "x" * 500)])
    query = np.array([1, 0], dtype=np.float32)
    hits = retriever.rank(question(), query, 3, lambda found: len(found) >= 40).hits
    assert [hit.start for hit in hits[:40]] == list(range(0, 200, 5))
    assert len(retriever.rank(question(), query, 3, lambda found: False).hits) == 100


@pytest.mark.parametrize("name", STORES)
class TestStores:
    """What every store owes."""

    @pytest.mark.parametrize(("chunks", "depth"), [(0, 10), (3, 10), (3, 3), (3, 1)])
    def test_never_pads(self, name: str, chunks: int, depth: int) -> None:
        store = open_store(name)
        store.build(np.eye(4, dtype=np.float32)[:chunks], [chunk("a", i, i + 1) for i in range(chunks)])
        found = store.search(np.array([1, 0.5, 0.25, 0], dtype=np.float32), depth)
        assert found.rows.tolist() == list(range(min(chunks, depth)))
        assert found.scores.tolist() == [1.0, 0.5, 0.25][: min(chunks, depth)]

    def test_an_empty_mask_finds_nothing(self, name: str) -> None:
        store = open_store(name)
        store.build(np.eye(3, dtype=np.float32), [chunk("a", i, i + 1) for i in range(3)])
        query = np.array([1, 0, 0], dtype=np.float32)
        assert len(store.search(query, 5, np.zeros(3, dtype=bool)).rows) == 0
        assert store.search(query, 5, np.array([False, True, False])).rows.tolist() == [1]

    def test_stored_bytes_are_those_of_the_parts(self, name: str) -> None:
        chunks = [chunk("a", 0, 10), chunk("a", 5, 15)]
        store = open_store(name)
        store.build(np.eye(8, dtype=np.float32)[:2], chunks)
        stored = store.stored()
        assert stored.vectors == 2 * 8 * 4
        assert stored.text == 20  # the overlap is stored twice
        assert stored.total == stored.vectors + stored.index + stored.text + stored.metadata
        assert stored.on_disk >= stored.total

    def test_vectors_and_chunks_must_match(self, name: str) -> None:
        with pytest.raises(ValueError, match="2 vectors for 1 chunks"):
            open_store(name).build(np.eye(2, dtype=np.float32), [chunk("a", 0, 5)])
