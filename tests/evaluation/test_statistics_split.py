from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics import sides, split_problem

labellings = st.lists(st.integers(0, 12), min_size=1, max_size=60)
shares = st.sampled_from([0.1, 0.3, 0.5, 0.8])


def names(count: int) -> list[str]:
    return [f"question-{number}" for number in range(count)]


@given(labellings, shares, st.integers(0, 5))
def test_components_stay_whole_and_order_changes_nothing(labels: list[int], test: float, seed: int) -> None:
    ids = names(len(labels))
    found = dict(zip(ids, sides(ids, labels, test=test, seed=seed), strict=True))
    for label in labels:
        assert len({found[key] for key, other in zip(ids, labels, strict=True) if other == label}) == 1
    order = list(range(len(labels)))
    random.Random(seed).shuffle(order)
    shuffled = [ids[place] for place in order]
    renamed = [100 - labels[place] for place in order]  # labels are only names
    again = dict(zip(shuffled, sides(shuffled, renamed, test=test, seed=seed), strict=True))
    assert again == found


@given(st.integers(40, 200), shares)
def test_single_questions_meet_the_share_exactly(count: int, test: float) -> None:
    found = sides(names(count), range(count), test=test, seed=7)
    assert abs(found.count("test") - test * count) < 1


def test_the_seed_decides() -> None:
    ids, labels = names(60), [number // 2 for number in range(60)]
    one, again, other = (sides(ids, labels, test=0.5, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_large_components_are_divided_as_well_as_can_be() -> None:
    """Of 60, 50, 40 and 35 questions, 60 with 35 (95) or 50 with 40 (90) is nearest to 92.5."""
    labels = [0] * 60 + [1] * 50 + [2] * 40 + [3] * 35
    assert sides(names(185), labels, test=0.5, seed=7).count("test") in (90, 95)


def test_a_side_that_is_too_small_is_named_with_its_numbers() -> None:
    labels = [0] * 70 + list(range(1, 21))
    found = sides(names(90), labels, test=0.5, seed=7)
    problem = split_problem("sweep.yaml:4", found, labels)
    assert problem is not None
    counts = found.count("dev"), found.count("test")
    assert (
        f"leaves {counts[0]} questions to choose on (dev) and {counts[1]} to report on (test)" in problem.what
    )
    assert "the 90 questions that have evidence form 21 groups" in problem.what
    assert "the largest of them 70" in problem.what
    assert problem.where == "sweep.yaml:4"


@pytest.mark.parametrize(("count", "refused"), [(59, True), (60, False)])
def test_thirty_questions_a_side_are_enough(count: int, refused: bool) -> None:
    labels = range(count)
    found = sides(names(count), labels, test=0.5, seed=1)
    assert (split_problem("split", found, labels) is not None) == refused
