"""What every ranker owes, whatever it ranks by: one order, and lists that begin alike however deep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.ranking import RETRIEVERS, Ranker, dense_part, open_ranker
from evaluation.ranking.bm25 import BM25
from evaluation.ranking.hybrid import RRF_K, fuse
from evaluation.ranking.order import HitOrder
from evaluation.ranking.ranker import Query
from evaluation.search import Search
from evaluation.stores.exact import ExactStore
from evaluation.stores.store import Found
from strategies.document import Chunk
from strategies.strategy import Vectors

from .scene import NOWHERE, PlainScorer, chunk, dense, hybrid, listed, reranked

RANKERS: Mapping[str, Callable[[Path], Ranker]] = {
    "dense": dense,
    "bm25": BM25,
    "hybrid": lambda place: hybrid(3, place),
    "dense reranked": lambda place: reranked(dense(place), 3),
    "bm25 reranked": lambda place: reranked(BM25(place), 3),
    "hybrid reranked": lambda place: reranked(hybrid(2, place), 4),
}
WORDS = ["dog", "cat", "gate", "lead"]


class Scene(NamedTuple):
    """Chunks of three documents with vectors of few values, so that many tie."""

    chunks: list[Chunk]
    vectors: Vectors
    question: str
    vector: Vectors


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    n = draw(st.integers(1, 12))
    text = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
    numbers = st.sampled_from([-1.0, 0.0, 1.0])
    chunks = [chunk(draw(text), draw(st.sampled_from("abc")), 30 * row) for row in range(n)]
    vectors = draw(st.lists(st.tuples(numbers, numbers), min_size=n, max_size=n))
    rows = np.array(vectors, dtype=np.float32).reshape(n, 2)
    return Scene(chunks, rows, draw(text), np.array(draw(st.tuples(numbers, numbers)), dtype=np.float32))


def built(name: str, scene: Scene) -> Ranker:
    ranker = RANKERS[name](NOWHERE)
    ranker.build(scene.vectors, scene.chunks)
    return ranker


@pytest.mark.parametrize("name", RANKERS)
@settings(max_examples=40, deadline=None)
@given(scene=scenes(), documents=st.none() | st.frozensets(st.sampled_from("abcx")))
def test_deeper_lists_begin_like_the_others(
    name: str, scene: Scene, documents: frozenset[str] | None
) -> None:
    ranker = built(name, scene)
    n = len(scene.chunks)

    def at(depth: int) -> list[tuple[int, float]]:
        return listed(ranker, scene.chunks, scene.question, scene.vector, depth, documents)

    whole = at(n + 5)
    for depth in range(1, n + 2):
        assert at(depth) == whole[:depth]
    rows = [row for row, _ in whole]
    assert len(rows) == len(set(rows))
    admitted = {
        row for row, one in enumerate(scene.chunks) if documents is None or one.document_id in documents
    }
    assert set(rows) <= admitted
    if "bm25" not in name:
        assert set(rows) == admitted  # any K and any budget can be filled


@pytest.mark.parametrize("name", RANKERS)
@settings(max_examples=40, deadline=None)
@given(scene=scenes())
def test_the_order_of_the_chunks_changes_nothing(name: str, scene: Scene) -> None:
    order = np.random.default_rng(len(scene.chunks)).permutation(len(scene.chunks))
    shuffled = scene._replace(
        chunks=[scene.chunks[row] for row in order], vectors=np.ascontiguousarray(scene.vectors[order])
    )

    def places(told: Scene) -> list[tuple[str, int, float]]:
        found = listed(built(name, told), told.chunks, told.question, told.vector, 99)
        return [(told.chunks[row].document_id, told.chunks[row].start, score) for row, score in found]

    assert places(scene) == places(shuffled)


@pytest.mark.parametrize("name", RANKERS)
def test_an_index_of_nothing_finds_nothing(name: str, tmp_path: Path) -> None:
    ranker = RANKERS[name](tmp_path)
    ranker.build(np.zeros((0, 2), np.float32), [])
    assert listed(ranker, [], "dog", np.ones(2, np.float32), 5) == []
    assert ranker.stored().total == 0


class TestFusion:
    CHUNKS: Sequence[Chunk] = [
        chunk(text, "a", 20 * n) for n, text in enumerate(["dog", "dog cat", "cat", "gate"])
    ]
    VECTORS = np.array([[0.2, 0], [0.9, 0], [0.5, 0], [0.7, 0]], dtype=np.float32)
    ASKED = np.array([1, 0], dtype=np.float32)

    def fused(self, candidates: int, depth: int = 9) -> list[tuple[int, float]]:
        ranker = hybrid(candidates)
        ranker.build(self.VECTORS, self.CHUNKS)
        return listed(ranker, self.CHUNKS, "dog", self.ASKED, depth)

    def test_by_hand(self) -> None:
        """Vectors rank 1, 3, 2, 0; words rank 0, 1."""
        assert self.fused(100) == [
            (1, pytest.approx(1 / 61 + 1 / 62)),
            (0, pytest.approx(1 / 64 + 1 / 61)),
            (3, pytest.approx(1 / 62)),
            (2, pytest.approx(1 / 63)),
        ]

    def test_behind_the_candidates_comes_the_list_of_vectors(self) -> None:
        """One of each list is fused, with equal gains; the others follow as the vectors rank them."""
        assert self.fused(1) == [(0, 1 / 61), (1, 1 / 61), (3, -1.0), (2, -2.0)]

    def test_ties_behind_the_candidates_stay_ties(self) -> None:
        ranker = hybrid(1)
        ranker.build(np.array([[1, 0], [0.5, 0], [0.5, 0], [0.1, 0]], dtype=np.float32), self.CHUNKS)
        found = listed(ranker, self.CHUNKS, "nothing", self.ASKED, 9)
        assert found == [(0, 1 / 61), (1, -1.0), (2, -1.0), (3, -3.0)]

    def test_what_only_words_find_comes_last(self) -> None:
        """A store that gives up early leaves the rest to the list of words."""

        class Lazy(ExactStore):
            def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
                return super().search(query, min(depth, 1), documents)

        ranker = hybrid(1)
        ranker.dense._store = Lazy(NOWHERE)
        ranker.build(self.VECTORS, self.CHUNKS)
        found = listed(ranker, self.CHUNKS, "cat dog", self.ASKED, 9)
        assert [row for row, _ in found] == [1, 0, 2]
        assert [score for _, score in found] == [pytest.approx(2 / 61), -1.0, -1.0]

    @given(st.lists(st.permutations(range(6)).map(lambda rows: rows[:4]), min_size=2, max_size=2))
    def test_it_is_the_sum_over_the_lists(self, lists: list[list[int]]) -> None:
        rows, scores = fuse([np.array(rows) for rows in lists])
        expected = {
            row: sum(1 / (RRF_K + 1 + rows.index(row)) for rows in lists if row in rows)
            for rows in lists
            for row in rows
        }
        assert dict(zip(rows.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected)

    def test_what_changes_places_gains_the_same_to_the_last_digit(self) -> None:
        for n in (2, 50, 1000):
            forth = np.arange(n)
            scores = fuse([forth, forth[::-1]])[1]
            assert scores.tolist() == scores[::-1].tolist()


class TestReranking:
    def test_candidates_come_by_the_models_scores_and_the_rest_in_their_order(self) -> None:
        chunks = [chunk(f"text {n}", "a", 20 * n) for n in range(6)]
        vectors = np.array([[n / 10, 0] for n in range(6)], dtype=np.float32)
        scorer = PlainScorer()
        ranker = reranked(dense(), 3, scorer)
        ranker.build(vectors, chunks)
        found = listed(ranker, chunks, "which?", np.array([1, 0], dtype=np.float32), 9)
        scores = dict(
            zip((5, 4, 3), scorer.scores([("which?", f"text {n}") for n in (5, 4, 3)]), strict=True)
        )
        assert [row for row, _ in found[:3]] == sorted(scores, key=lambda row: (-scores[row], row))
        assert dict(found[:3]) == scores
        least = min(scores.values())
        assert found[3:] == [(2, least - 1), (1, least - 2), (0, least - 3)]

    def test_pairs_of_many_questions_are_scored_together_and_once(self) -> None:
        chunks = [chunk(f"text {n}", "a", 20 * n) for n in range(4)]
        scorer = PlainScorer()
        ranker = reranked(dense(), 2, scorer)
        ranker.build(np.eye(4, dtype=np.float32), chunks)
        asked = [(Query(f"q{n}", np.eye(4, dtype=np.float32)[n]), None) for n in (0, 1, 0)]
        spent = ranker.prepare(asked)
        assert len(scorer.batches) == 2  # the warm-up, and all others
        assert len(scorer.pairs) == len(set(scorer.pairs)) == 4
        assert [len(one.scores) for one in spent if one] == [2, 2, 2]
        for query, _ in asked:
            ranker.search(query, 4)
        assert len(scorer.batches) == 2

    def test_a_search_that_fails_is_left_to_fail_in_its_turn(self) -> None:
        class Failing(ExactStore):
            def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
                if query[0] == 1:
                    raise ConnectionError("the store went away")
                return super().search(query, depth, documents)

        first = dense()
        first._store = Failing(NOWHERE)
        ranker = reranked(first, 2)
        ranker.build(np.eye(2, dtype=np.float32), [chunk("a"), chunk("b", "b")])
        spent = ranker.prepare([(Query("q", row), None) for row in np.eye(2, dtype=np.float32)])
        assert [one is None for one in spent] == [True, False]


@pytest.mark.parametrize("retriever", RETRIEVERS)
def test_every_word_for_a_retriever_opens_one(retriever: str, tmp_path: Path) -> None:
    assert set(RETRIEVERS) == {"dense", "bm25", "hybrid"}
    ranker = open_ranker(Search(retriever=retriever), tmp_path)  # type: ignore[arg-type]
    chunks = [chunk("dog", "a"), chunk("cat", "a", 9)]
    ranker.build(np.eye(2, dtype=np.float32), chunks)
    assert listed(ranker, chunks, "dog", np.array([1, 0], np.float32), 1)[0][0] == 0
    assert (dense_part(ranker) is None) == (retriever == "bm25")
    ranker.close()


def test_a_hybrid_index_holds_texts_once(tmp_path: Path) -> None:
    chunks = [chunk("dog on a lead", "a"), chunk("cat", "a", 20)]
    vectors = np.eye(2, dtype=np.float32)
    places = [tmp_path / name for name in "abcd"]
    for place in places:
        place.mkdir()
    one, two, three, four = places
    parts: list[Ranker] = [dense(one), BM25(two), hybrid(5, three), reranked(hybrid(5, four), 2)]
    for part in parts:
        part.build(vectors, chunks)
    by_vectors, by_words, both, ordered = (part.stored() for part in parts)
    assert (both.vectors, both.index) == (by_vectors.vectors, by_vectors.index + by_words.index)
    assert (both.text, both.metadata) == (by_vectors.text, by_vectors.metadata)
    assert both.on_disk == by_vectors.on_disk + by_words.index
    assert ordered == both


def test_chunks_that_return_one_range_come_by_their_own_start() -> None:
    same = [Chunk("a", 0, start, start + 5, "x", 1, "x", (0, 20)) for start in (10, 0, 5)]
    found = Found(np.array([0, 1, 2]), np.zeros(3))
    assert HitOrder(same).sort(found).rows.tolist() == [1, 2, 0]
