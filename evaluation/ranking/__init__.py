"""What ranks the chunks for a question. One file a way; RETRIEVERS says which there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evaluation.ranking.bm25 import BM25
from evaluation.ranking.dense import Dense
from evaluation.ranking.hybrid import Hybrid
from evaluation.ranking.pair_desk import PairDesk
from evaluation.ranking.ranker import Query, Ranker
from evaluation.ranking.reranked import Reranked
from evaluation.search import Search

__all__ = ["RETRIEVERS", "PairDesk", "Query", "Ranker", "Reranked", "dense_part", "open_ranker"]


def _dense(search: Search, folder: Path) -> Dense:
    return Dense(search.store.open(folder, vector_type=search.vector_type, metric=search.metric))


def _bm25(search: Search, folder: Path) -> BM25:
    return BM25(folder)


def _hybrid(search: Search, folder: Path) -> Hybrid:
    vectors, words = folder / "vectors", folder / "words"
    for part in (vectors, words):
        part.mkdir()
    return Hybrid(_dense(search, vectors), BM25(words), search.n_candidates)


RETRIEVERS: dict[str, Callable[[Search, Path], Ranker]] = {
    "dense": _dense,
    "bm25": _bm25,
    "hybrid": _hybrid,
}
"""Word in a sweep's `retriever:` -> a new, empty ranker that keeps its files in an empty folder."""


def open_ranker(search: Search, folder: Path, reranker: PairDesk | None = None) -> Ranker:
    """A new, empty ranker; `reranker` where the search asks for one."""
    first = RETRIEVERS[search.retriever](search, folder)
    return first if reranker is None else Reranked(first, reranker, search.n_candidates)


def dense_part(ranker: Ranker) -> Dense | None:
    """What of a ranker searches vectors; None where nothing does."""
    if isinstance(ranker, Reranked):
        return dense_part(ranker.first)
    if isinstance(ranker, Hybrid):
        return ranker.dense
    return ranker if isinstance(ranker, Dense) else None
