"""What a search cannot be is refused before any work."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.search import Search
from strategies.errors import BadInput


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"retriever": "hybrid", "candidates": 0}, "candidates: is 0, not from 1 to 1000000"),
        ({"retriever": "hybrid", "candidates": 10**6 + 1}, "candidates: is 1000001, not from 1"),
        ({"rerank": ""}, "rerank: is blank; name a cross-encoder, or leave it out"),
        ({"rerank": " \t"}, "rerank: is blank"),
    ],
)
def test_axes_that_cannot_be_are_refused(said: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        Search(**said)


def test_the_most_candidates_are_taken() -> None:
    assert Search(retriever="hybrid", candidates=10**6).n_candidates == 10**6
