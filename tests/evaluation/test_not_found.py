"""Evidence that the store lost is told from evidence that other text outranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.cutting import Cutting
from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.evaluate import Asked, Evaluation, Index, evaluate
from evaluation.gold import Evidence, GoldSet, Passage, Question
from evaluation.measured import Measured
from evaluation.misses import Miss, classify
from evaluation.ranking.dense import Dense
from evaluation.retrieval import Retriever
from evaluation.search import Search
from evaluation.settings import Settings
from evaluation.stores.exact import ExactStore
from evaluation.stores.store import Found
from strategies.document import Chunk, Document
from strategies.strategy import Vectors

from .scene import chunk, hits, question
from .test_misses import ALL, PAIRS, scene


def test_what_exact_search_ranks_and_the_store_does_not() -> None:
    known, asked = scene(), question(("d", 18, 23))
    listed, exact = (known.read(asked, hits(*places)) for places in (PAIRS[:3], [PAIRS[3], *PAIRS[:2]]))
    assert classify(listed, known, ALL) == Miss("outranked", ("outranked",), 2)
    missed = classify(listed, known, ALL, exact)
    assert missed == Miss("not_found", ("not_found",), 2)
    assert "exact search ranks the evidence" in missed.remedy
    assert classify(listed, known, ALL, listed) == Miss("outranked", ("outranked",), 2)


def test_half_of_a_passage_in_the_exact_list_is_not_all_of_it() -> None:
    known, asked = scene(), question(("d", 15, 20))
    listed, exact = known.read(asked, hits(*PAIRS[:2])), known.read(asked, hits(PAIRS[3], PAIRS[0]))
    assert classify(listed, known, ALL, exact) == Miss("split", ("split", "outranked"), 2)
    whole = known.read(asked, hits(PAIRS[3], PAIRS[2]))
    assert classify(listed, known, ALL, whole) == Miss("split", ("split", "not_found"), 2)


def test_what_is_ranked_is_not_lost() -> None:
    known, asked = scene(), question(("d", 6, 11))
    listed = known.read(asked, hits(*PAIRS))
    assert classify(listed, known, ALL, listed) == Miss("budget", ("budget",), 2)


class Forgetful(ExactStore):
    """Never finds one row: what an approximate index may do to any."""

    lost = 1

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        found = super().search(query, depth + 1, documents)
        kept = found.rows != self.lost
        return Found(found.rows[kept][:depth], found.scores[kept][:depth])


TEXT = "gate code seven. pool ticket four. barn light green. boat rope blue. "
PLACES = [(0, 16), (17, 34), (35, 52), (53, 68)]
ASKED = Question("q", "pool ticket", (Evidence((Passage("a", 17, 34),)),))


def measured(store: ExactStore, search: Search) -> Evaluation:
    document = Document("a", TEXT)
    chunks = [Chunk("a", n, s, e, TEXT[s:e], 4, TEXT[s:e], (s, e)) for n, (s, e) in enumerate(PLACES)]
    desk = EmbeddingDesk(HashingEmbedder(), None)
    words = np.array([0, 5, 10, 17, 22, 29, 35, 40, 46, 53, 58, 63])
    settings = Settings(ks=(2,), budgets=(3,), headline="answerable_at_3_tokens")
    gold = GoldSet("tiny", (document,), (ASKED,), "digest")
    asked = Asked.of(gold, desk.vectors([ASKED.text], "query"), {"a": Measured.of(document, words)}, settings)
    embedded = desk.vectors([chunk.embedded_text for chunk in chunks], "passage")
    index = Index((document,), chunks, embedded, Cutting(0.0), None, search)
    return evaluate(index, asked, Dense(store))


@pytest.mark.parametrize(
    ("search", "reason"),
    [(Search(vector_type="float16"), "not_found"), (Search(), "outranked")],
)
def test_a_store_that_may_lose_is_held_against_exact_search(
    tmp_path: Path, search: Search, reason: str
) -> None:
    """The same answers: of a store that says it is exact, nothing is looked up a second time."""
    (row,) = measured(Forgetful(tmp_path), search).questions
    assert (row["miss"], row["miss_flags"]) == (reason, [reason])


def test_a_store_that_finds_it_is_not_blamed(tmp_path: Path) -> None:
    result = measured(ExactStore(tmp_path), Search(vector_type="float16"))
    assert result.metrics["misses_total"] == result.metrics["misses_not_found"] == 0


def test_which_searches_may_lose() -> None:
    assert [Search(vector_type=kind).may_lose for kind in ("float32", "float16", "int8", "binary")] == [
        False,
        True,
        True,
        True,
    ]
    assert not Search(retriever="bm25").may_lose
    assert not Search(vector_type="int8", retriever="hybrid").may_lose  # its list is fused
    assert not Search(vector_type="int8", rerank="a model").may_lose


@given(st.integers(1, 8), st.integers(0, 10_000))
def test_exact_search_to_compare_with_is_that_of_the_exact_store(n: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(9, 3)).astype(np.float32)
    chunks = [chunk("d", i, (i, i + 1), (i - i % 2, i + 2 - i % 2)) for i in range(8)]  # two return one range
    store = ExactStore(Path())
    store.build(vectors[1:], chunks)
    retriever = Retriever(Dense(store), chunks, [Document("d", "x" * 9)])
    asked = question(("d", 0, 1))
    ranked = list(retriever.rank(asked, vectors[0], 8))[-1]
    assert retriever.nearest(asked, vectors[0], vectors[1:], n) == ranked[:n]
