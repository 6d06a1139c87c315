"""What ranks the chunks for a question. One file a way; RETRIEVERS says which there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evaluation.ranking.dense import Dense
from evaluation.ranking.ranker import Query, Ranker
from evaluation.search import Search

__all__ = ["RETRIEVERS", "Query", "Ranker", "open_ranker"]


def _dense(search: Search, folder: Path) -> Ranker:
    return Dense(search.store.open(folder, vector_type=search.vector_type, metric=search.metric))


RETRIEVERS: dict[str, Callable[[Search, Path], Ranker]] = {"dense": _dense}
"""Word in a sweep's `retriever:` -> a new, empty ranker that keeps its files in an empty folder."""


def open_ranker(search: Search, folder: Path) -> Ranker:
    """A new, empty ranker."""
    return RETRIEVERS[search.retriever](search, folder)
