"""One ranked list, one tie rule, whatever the order of the chunks."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluation.gold import Evidence, Passage, Question, admits
from evaluation.ranking.bm25 import BM25
from evaluation.ranking.dense import Dense
from evaluation.retrieval import CLIENTS, TIMED_QUERIES, Hit, Retriever, tied
from evaluation.stores import Found
from evaluation.stores.exact import ExactStore
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


def exactly(vectors: Vectors, chunks: Sequence[Chunk]) -> Dense:
    ranker = Dense(ExactStore(Path()))  # which writes nothing unless it is measured
    ranker.build(vectors, chunks)
    return ranker


def ranked(
    chunks: Sequence[Chunk],
    vectors: Vectors,
    query: Sequence[float],
    asked: Question | None = None,
    documents: Sequence[Document] = (),
    depth: int = EVERYTHING,
) -> tuple[Hit, ...]:
    known = documents or [
        Document(name, "x" * 99) for name in sorted({chunk.document_id for chunk in chunks})
    ]
    retriever = Retriever(exactly(vectors, chunks), chunks, known)
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
    retriever = Retriever(exactly(unit([1, 0], [1, 0]), chunks), chunks, documents)
    found = [
        [hit.document for hit in next(retriever.rank(question(draft=value), unit([1, 0])[0], 5))]
        for value in (True, 1)
    ]
    assert found == [["a"], ["b"]]


def test_the_list_deepens_until_it_is_enough() -> None:
    chunks = [chunk("a", start, start + 5) for start in range(0, 500, 5)]
    angles = np.linspace(0, 1, len(chunks))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    retriever = Retriever(exactly(vectors, chunks), chunks, [Document("a", "x" * 500)])
    query = np.array([1, 0], dtype=np.float32)
    lists = list(retriever.rank(question(), query, 3))
    assert [len(hits) for hits in lists] == [3, 6, 12, 24, 48, 96, 100]
    for hits in lists:
        assert [hit.start for hit in hits] == list(range(0, 5 * len(hits), 5))


def test_the_list_deepens_past_a_tie_and_ends_within_a_filter() -> None:
    chunks = [chunk(name, start, start + 5) for name in "ab" for start in range(0, 50, 5)]
    retriever = Retriever(
        exactly(unit(*[[1, 1]] * len(chunks)), chunks),
        chunks,
        [Document("a", "x" * 50, {"year": 1}), Document("b", "x" * 50)],
    )
    assert [len(hits) for hits in retriever.rank(question(), unit([1, 0])[0], 3)] == [3, 20]
    assert [len(hits) for hits in retriever.rank(question(), unit([1, 0])[0], 99)] == [20]
    assert [len(hits) for hits in retriever.rank(question(year=1), unit([1, 0])[0], 10)] == [10]


def test_a_list_cut_within_a_tie_is_deepened_though_all_that_tie_came_at_once() -> None:
    # The two best return one range, so the first two hits lie among the first three chunks.
    chunks = [chunk("a", 0, 10, (0, 20)), chunk("a", 10, 20, (0, 20)), chunk("a", 20, 30), chunk("a", 30, 40)]
    retriever = Retriever(
        exactly(unit(*[[1, 1]] * 4), chunks), chunks, [Document("a", "x" * 40), Document("b", "x")]
    )
    lists = list(retriever.rank(question(), unit([1, 0])[0], 2))
    assert [[hit.start for hit in hits] for hits in lists] == [[0], [0, 20, 30]]


def test_the_documents_that_a_filter_admits_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def counting(wanted: object, metadata: object) -> bool:
        asked.append(wanted)
        return admits(wanted, metadata)  # type: ignore[arg-type]

    monkeypatch.setattr("evaluation.retrieval.admits", counting)
    documents = [Document("a", "x" * 9, {"year": 2023}), Document("b", "x" * 9, {"year": 2024})]
    retriever = Retriever(Dense(ExactStore(Path())), [chunk("a", 0, 5)], documents)
    assert retriever.searchable(question()) == {"a", "b"}
    assert asked == []
    for _ in range(3):
        assert retriever.searchable(question(year=2024)) == {"b"}
        assert retriever.searchable(question(year=2025)) == frozenset()
    assert len(asked) == 4


@pytest.mark.parametrize("n", [1, TIMED_QUERIES - 1, TIMED_QUERIES, TIMED_QUERIES + 1, 399, 1000])
def test_searches_are_timed_evenly_over_all_questions(n: int) -> None:
    class Noting(ExactStore):
        def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
            seen.append(int(query[0]))
            return super().search(query, depth, documents)

    seen: list[int] = []
    ranker = Dense(Noting(Path()))
    ranker.build(np.ones((1, 1), dtype=np.float32), [chunk("a", 0, 5)])
    retriever = Retriever(ranker, [chunk("a", 0, 5)], [Document("a", "x" * 9)])
    vectors = np.arange(n, dtype=np.float32).reshape(-1, 1)
    times = retriever.time_searches([question()] * n, vectors, 1)
    timed = seen[-len(times) :]
    assert len(times) == min(n, TIMED_QUERIES)
    assert len(seen) == len(times) + min(3, n)  # the warm-up
    assert timed[0] == 0
    assert timed[-1] == n - 1
    gaps = set(np.diff(timed).tolist())
    assert gaps <= {(n - 1) // (len(times) - 1), -(-(n - 1) // (len(times) - 1))} if n > 1 else not gaps


def test_eight_clients_search_at_once() -> None:
    """Eight searches wait for one another: fewer threads would wait for ever, and the barrier breaks."""
    meeting = threading.Barrier(CLIENTS, timeout=20)

    class Meeting(ExactStore):
        seen = 0

        def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
            self.seen += 1
            if threading.current_thread() is not threading.main_thread():
                meeting.wait()
            return super().search(query, depth, documents)

    store = Meeting(Path())
    ranker = Dense(store)
    ranker.build(np.ones((1, 1), dtype=np.float32), [chunk("a", 0, 5)])
    retriever = Retriever(ranker, [chunk("a", 0, 5)], [Document("a", "x" * 9)])
    times = retriever.time_searches([question()] * 16, np.ones((16, 1), np.float32), 1, CLIENTS)
    assert len(times) == 64  # sixteen questions, each asked four times
    assert all(time > 0 for time in times)
    assert retriever.time_searches([], np.ones((0, 1), np.float32), 1, CLIENTS) == []


class Lossy(ExactStore):
    """Never finds the first of its chunks."""

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        found = super().search(query, depth + 1, documents)
        kept = found.rows != 0
        return Found(found.rows[kept], found.scores[kept])


def recall(
    store: ExactStore, vectors: Vectors, queries: Vectors, k: int, asked: Question | None = None
) -> float | None:
    names = "aabbcc"
    chunks = [chunk(names[row], 10 * row, 10 * row + 5) for row in range(len(vectors))]
    documents = [Document(name, "x" * 99, {"kind": name}) for name in "abc"]
    ranker = Dense(store)
    ranker.build(vectors, chunks)
    retriever = Retriever(ranker, chunks, documents)
    return retriever.store_recall([asked or question()] * len(queries), queries, vectors, k)


class TestStoreRecall:
    NEAR = unit([1, 0], [1, 0.1], [1, 0.2], [1, 0.3], [1, 0.4], [1, 0.5])
    ALONG, ACROSS = unit([1, 0])[0], unit([0, 1])[0]

    def test_exact_search_finds_all(self) -> None:
        assert recall(ExactStore(Path()), self.NEAR, np.stack([self.ALONG, self.ACROSS]), 3) == 1.0

    def test_what_a_store_loses_is_missing(self) -> None:
        """The first chunk is one of three for the one question, and none of three for the other."""
        assert recall(Lossy(Path()), self.NEAR, self.ALONG[None], 3) == pytest.approx(2 / 3)
        assert recall(Lossy(Path()), self.NEAR, self.ACROSS[None], 3) == 1.0
        both = np.stack([self.ALONG, self.ACROSS])
        assert recall(Lossy(Path()), self.NEAR, both, 3) == pytest.approx((2 / 3 + 1) / 2)

    def test_one_of_a_tie_is_as_good_as_another(self) -> None:
        ties = unit(*[[1, 1]] * 6)
        assert recall(Lossy(Path()), ties, self.ALONG[None], 3) == 1.0
        assert recall(Lossy(Path()), ties, self.ALONG[None], 6) == pytest.approx(5 / 6)

    def test_a_filter_narrows_both(self) -> None:
        def within(name: str) -> float | None:
            return recall(Lossy(Path()), self.NEAR, self.ALONG[None], 3, question(kind=name))

        assert within("b") == 1.0
        assert within("a") == 0.5
        assert within("none") is None

    def test_words_have_no_store(self) -> None:
        retriever = Retriever(BM25(Path()), [chunk("a", 0, 5)], [Document("a", "x" * 9)])
        assert retriever.store_recall([question()], np.zeros((1, 0), np.float32), self.NEAR, 3) is None

    def test_a_search_that_fails_is_left_out(self) -> None:
        class Failing(ExactStore):
            def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
                if query[0] == 1:
                    raise ConnectionError("the store went away")
                return super().search(query, depth, documents)

        both = np.stack([self.ALONG, self.ACROSS])
        assert recall(Failing(Path()), self.NEAR, both, 3) == 1.0
        assert recall(Failing(Path()), self.NEAR, self.ALONG[None], 3) is None
