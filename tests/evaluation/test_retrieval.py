"""One ranked list, one tie rule, whatever the order of the chunks."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from evaluation.gold import Evidence, Passage, Question, admits
from evaluation.retrieval import TIMED_QUERIES, Hit, Retriever, tied
from evaluation.stores import STORES, Found, open_store
from evaluation.stores.exact import ExactStore
from strategies.document import Chunk, Document, Mark
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
    return next(retriever.rank(asked or question(), unit(query)[0], depth))


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
    assert tied(ranked(chunks, unit([1, 1], [1, 1]), [1, 0]), 2)
    assert not tied(ranked(chunks, unit([1, 1], [1, 0]), [1, 0]), 2)
    assert not tied((), 2)


def test_ties_count_only_where_they_decide_about_the_first_k() -> None:
    chunks = [chunk("a", start, start + 5) for start in (0, 5, 10, 15)]
    hits = ranked(chunks, unit([1, 0], [2, 1], [1, 1], [1, 1]), [1, 0])
    assert [tied(hits, k) for k in (1, 2, 3, 4)] == [False, False, True, True]  # 3: which of two is third


def test_chunks_of_one_returned_range_do_not_tie_with_one_another() -> None:
    chunks = [chunk("a", 0, 10, (0, 20)), chunk("a", 10, 20, (0, 20)), chunk("a", 20, 30)]
    assert not tied(ranked(chunks, unit([1, 0], [1, 0], [1, 1]), [1, 0]), 2)
    assert tied(ranked(chunks, unit([1, 0], [1, 1], [1, 0]), [1, 0]), 2)


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


def test_only_the_documents_that_are_given_are_searched() -> None:
    chunks = [chunk("a", 0, 5), chunk("b", 0, 5), chunk("c", 0, 5)]
    documents = [Document("b", "x" * 9, {"year": 2024}), Document("c", "x" * 9)]
    vectors, query = unit([1, 0], [1, 1], [1, 2]), [1, 0]
    assert [hit.document for hit in ranked(chunks, vectors, query, documents=documents)] == ["b", "c"]
    hits = ranked(chunks, vectors, query, question(year=2024), documents)
    assert [hit.document for hit in hits] == ["b"]


def test_filters_that_differ_in_kind_differ() -> None:
    chunks = [chunk("a", 0, 5), chunk("b", 0, 5)]
    documents = [Document("a", "x" * 9, {"draft": True}), Document("b", "x" * 9, {"draft": 1})]
    store = open_store("exact")
    store.build(unit([1, 0], [1, 0]), chunks)
    retriever = Retriever(store, chunks, documents)
    found = [
        [hit.document for hit in next(retriever.rank(question(draft=value), unit([1, 0])[0], 5))]
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
    lists = list(retriever.rank(question(), query, 3))
    assert [len(hits) for hits in lists] == [3, 6, 12, 24, 48, 96, 100]
    for hits in lists:
        assert [hit.start for hit in hits] == list(range(0, 5 * len(hits), 5))


def test_the_list_deepens_past_a_tie_and_ends_within_a_filter() -> None:
    chunks = [chunk(name, start, start + 5) for name in "ab" for start in range(0, 50, 5)]
    store = open_store("exact")
    store.build(unit(*[[1, 1]] * len(chunks)), chunks)
    retriever = Retriever(store, chunks, [Document("a", "x" * 50, {"year": 1}), Document("b", "x" * 50)])
    assert [len(hits) for hits in retriever.rank(question(), unit([1, 0])[0], 3)] == [3]
    assert [len(hits) for hits in retriever.rank(question(), unit([1, 0])[0], 99)] == [20]
    assert [len(hits) for hits in retriever.rank(question(year=1), unit([1, 0])[0], 10)] == [10]


def test_the_documents_that_a_filter_admits_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def counting(wanted: object, metadata: object) -> bool:
        asked.append(wanted)
        return admits(wanted, metadata)  # type: ignore[arg-type]

    monkeypatch.setattr("evaluation.retrieval.admits", counting)
    documents = [Document("a", "x" * 9, {"year": 2023}), Document("b", "x" * 9, {"year": 2024})]
    retriever = Retriever(open_store("exact"), [chunk("a", 0, 5)], documents)
    assert retriever.searchable(question()) == {"a", "b"}
    assert asked == []
    for _ in range(3):
        assert retriever.searchable(question(year=2024)) == {"b"}
        assert retriever.searchable(question(year=2025)) == frozenset()
    assert len(asked) == 4


@pytest.mark.parametrize("n", [1, TIMED_QUERIES - 1, TIMED_QUERIES, TIMED_QUERIES + 1, 399, 1000])
def test_searches_are_timed_evenly_over_all_questions(n: int) -> None:
    class Noting(ExactStore):
        def search(self, query: Vectors, depth: int, allowed: npt.NDArray[np.bool_] | None = None) -> Found:
            seen.append(int(query[0]))
            return super().search(query, depth, allowed)

    seen: list[int] = []
    store = Noting()
    store.build(np.ones((1, 1), dtype=np.float32), [chunk("a", 0, 5)])
    retriever = Retriever(store, [chunk("a", 0, 5)], [Document("a", "x" * 9)])
    vectors = np.arange(n, dtype=np.float32).reshape(-1, 1)
    times = retriever.time_searches([question()] * n, vectors, 1)
    timed = seen[-len(times) :]
    assert len(times) == min(n, TIMED_QUERIES)
    assert len(seen) == len(times) + min(3, n)  # the warm-up
    assert timed[0] == 0
    assert timed[-1] == n - 1
    gaps = set(np.diff(timed).tolist())
    assert gaps <= {(n - 1) // (len(times) - 1), -(-(n - 1) // (len(times) - 1))} if n > 1 else not gaps


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

    def test_a_mask_changes_no_score(self, name: str) -> None:
        rng = np.random.default_rng(3)
        vectors, query = unit(*rng.normal(size=(50, 16))), unit(rng.normal(size=16))[0]
        store = open_store(name)
        store.build(vectors, [chunk("a", i, i + 1) for i in range(50)])
        everything, allowed = store.search(query, 50), np.arange(50) % 3 == 0
        some = store.search(query, 50, allowed)
        assert some.rows.tolist() == np.flatnonzero(allowed).tolist()
        assert some.scores.tolist() == everything.scores[everything.rows.argsort()][allowed].tolist()
        best = store.search(query, 5, allowed)
        assert sorted(best.scores) == sorted(some.scores)[-5:]

    def test_stored_bytes_are_those_of_the_parts(self, name: str) -> None:
        chunks = [chunk("a", 0, 10), chunk("a", 5, 15)]
        store = open_store(name)
        store.build(np.eye(8, dtype=np.float32)[:2], chunks)
        stored = store.stored()
        assert stored.vectors == 2 * 8 * 4
        assert stored.text == 20  # the overlap is stored twice
        assert stored.total == stored.vectors + stored.index + stored.text + stored.metadata
        assert stored.on_disk >= stored.total

    def test_what_is_stored_of_a_chunk_comes_back(self, name: str) -> None:
        document = Document(
            "deep/a.md",
            "# Gäte\n\none\u2028line\ftwo \U0001f436 three\n",
            {"year": 2024, "score": 0.5, "draft": False, "by.name": "Zo\u00eb\u2028\n", "empty": ""},
            marks=(Mark("page", 0, "i"), Mark("page", 16, "2")),
        )
        places = [(0, 6), (8, 16), (16, 27), (16, 27)]
        chunks = [
            Chunk(
                document.id, index, start, end, document.text[start:end], 1, "Gate > other words",
                (8, 27) if index == 2 else (start, end), section=("G\u00e4te", "x") if index else (),
                page="i" if start < 16 else "2", metadata=document.metadata,
            )
            for index, (start, end) in enumerate(places)
        ]  # fmt: skip
        chunks.append(chunk("b", 0, 5))  # of a document of which nothing is known
        store = open_store(name)
        store.build(np.eye(5, dtype=np.float32), chunks)
        found = store.payloads()
        assert found[:4] == [
            {
                "document": "deep/a.md",
                "index": index,
                "start": start,
                "end": end,
                "returned": [8, 27] if index == 2 else [start, end],
                "page": "i" if start < 16 else "2",
                "metadata": dict(document.metadata),
                "text": document.text[start:end],
                **({"section": ["G\u00e4te", "x"]} if index else {}),
            }
            for index, (start, end) in enumerate(places)
        ]
        kinds = {key: type(value) for key, value in found[0]["metadata"].items()}
        assert kinds == {"year": int, "score": float, "draft": bool, "by.name": str, "empty": str}
        assert found[4] == {
            "document": "b", "index": 0, "start": 0, "end": 5, "returned": [0, 5], "text": "xxxxx",
        }  # fmt: skip

    def test_an_empty_store_holds_nothing(self, name: str) -> None:
        store = open_store(name)
        store.build(np.zeros((0, 4), dtype=np.float32), [])
        assert store.payloads() == []

    def test_vectors_and_chunks_must_match(self, name: str) -> None:
        with pytest.raises(ValueError, match="2 vectors for 1 chunks"):
            open_store(name).build(np.eye(2, dtype=np.float32), [chunk("a", 0, 5)])
