"""Questions alike: the pairs that comparing each with each would find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold.warnings import nearly_the_same
from evaluation.gold.warnings.copied_words import longest_run
from evaluation.gold.warnings.nearly_the_same import FEWEST_WORDS, SIMILAR_FROM, similar

WORDS = st.sampled_from([*"abcdefghijkl", "gate", "bell"])
SETS = st.lists(st.frozensets(WORDS, max_size=14), max_size=14)


def share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


@given(SETS, st.integers(1, 2))
def test_each_question_finds_its_nearest(sets: list[frozenset[str]], kinds: int) -> None:
    kind = [number % kinds for number in range(len(sets))]
    order = sorted(range(len(sets)), key=lambda n: len(sets[n]))
    wanted = {}
    for place, this in enumerate(order):
        others = [
            share(sets[this], sets[n])
            for n in order[:place]
            if kind[n] == kind[this] and len(sets[n]) >= FEWEST_WORDS and len(sets[this]) >= FEWEST_WORDS
        ]
        if max(others, default=0) >= SIMILAR_FROM:
            wanted[this] = max(others)
    found = list(similar(sets, kind))
    assert {this: similarity for _, this, similarity in found} == wanted
    assert all(share(sets[other], sets[this]) == similarity for other, this, similarity in found)


def test_a_crowd_of_one_pattern_is_compared_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    jaccard = nearly_the_same._jaccard

    def counting(one: frozenset[str], other: frozenset[str]) -> float:
        compared.append(1)
        return jaccard(one, other)

    monkeypatch.setattr(nearly_the_same, "_jaccard", counting)
    pattern = [f"what{n}" for n in range(9)]
    sets = [frozenset([*pattern, f"name{n}"]) for n in range(2000)]
    found = list(similar(sets, [None] * len(sets)))
    assert len(found) == 1999
    assert len(compared) <= 2000 * 3 * nearly_the_same.MOST_COMPARED


@given(st.lists(WORDS, max_size=12), st.lists(WORDS, max_size=12))
def test_the_longest_run_is_the_longest_that_both_have(one: list[str], other: list[str]) -> None:
    def runs(words: list[str]) -> set[tuple[str, ...]]:
        ends = range(len(words) + 1)
        return {tuple(words[start:end]) for start in ends for end in ends if start <= end}

    assert longest_run(one, other) == max(map(len, runs(one) & runs(other)))
