from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics import Front, pareto_front
from strategies.errors import BadInput


def front(means: list[float], costs: list[list[float]]) -> list[bool]:
    """Of configurations that score the same on every one of 30 questions."""
    scores = np.tile(np.array(means), (30, 1))
    return pareto_front(scores, costs, range(30), resamples=10, seed=1).member.tolist()


def test_a_front_by_hand() -> None:
    """Cheap and poor, dear and good, and between them one that is beaten in both and one that is not."""
    assert front([0.3, 0.9, 0.5, 0.6], [[1], [9], [6], [5]]) == [True, True, False, True]


def test_no_worse_in_all_and_better_in_one_is_enough() -> None:
    assert front([0.5, 0.5], [[1, 2], [1, 3]]) == [True, False]
    assert front([0.5, 0.6], [[1, 2], [1, 2]]) == [False, True]
    assert front([0.5, 0.6], [[1, 2], [2, 1]]) == [True, True]
    assert front([0.6, 0.5], [[1, 3], [2, 1]]) == [True, True]  # better in one cost alone


def test_equals_do_not_beat_each_other_but_are_beaten_together() -> None:
    assert front([0.5, 0.5, 0.5], [[1], [1], [1]]) == [True, True, True]
    assert front([0.5, 0.5, 0.7], [[1], [1], [1]]) == [False, False, True]


def test_without_costs_only_the_best_are_left() -> None:
    assert front([0.5, 0.7, 0.7], [[], [], []]) == [False, True, True]
    assert front([0.5], [[3]]) == [True]


def plain(means: list[float], costs: list[tuple[int, ...]]) -> list[bool]:
    """The definition, pair by pair."""
    points = [(-mean, *paid) for mean, paid in zip(means, costs, strict=True)]

    def beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return [not any(beats(other, point) for other in points) for point in points]


points = st.lists(
    st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=9,
)


@given(points, st.randoms())
def test_it_is_the_definition_in_any_order(drawn: list[tuple[float, int, int]], random: object) -> None:
    means, costs = [point[0] for point in drawn], [point[1:] for point in drawn]
    found = front(means, [list(paid) for paid in costs])
    assert found == plain(means, costs)
    assert any(found)
    order = list(range(len(drawn)))
    random.shuffle(order)  # type: ignore[attr-defined]
    again = front([means[i] for i in order], [list(costs[i]) for i in order])
    assert again == [found[i] for i in order]


@given(points)
def test_a_copy_shares_the_fate_of_its_model(drawn: list[tuple[float, int, int]]) -> None:
    means, costs = [point[0] for point in drawn], [list(point[1:]) for point in drawn]
    found = front([*means, means[0]], [*costs, costs[0]])
    assert found[-1] == found[0]
    assert found[:-1] == front(means, costs)


def uncertain(seed: int = 1) -> Front:
    """Cheapest; best in every question; beaten in every question and in cost; a coin against the best."""
    generator = np.random.default_rng(0)
    good = generator.uniform(0.4, 0.6, 40)
    coin = good + np.where(np.arange(40) % 2, 0.1, -0.1)
    scores = np.column_stack((good - 0.3, good, good - 0.1, coin))
    return pareto_front(scores, [[1], [5], [6], [5]], range(40), seed=seed)


def test_probabilities_that_are_certain_and_one_that_is_a_coin() -> None:
    found = uncertain()
    assert found.member.tolist()[:3] == [True, True, False]
    assert found.probability[0] == 1  # nothing is as cheap
    assert found.probability[2] == 0
    assert found.probability[3] == pytest.approx(0.5, abs=0.1)
    assert found.probability[1] == pytest.approx(0.5, abs=0.1)


def test_the_probability_is_that_of_all_resamples_of_three_units() -> None:
    """Two of three units favour the second: it wins where they are drawn often enough."""
    scores = np.array([[0.5, 0.6], [0.5, 0.6], [0.5, 0.35]])
    drawn = [np.mean([scores[i, 1] for i in draw]) for draw in itertools.product(range(3), repeat=3)]
    exact = np.mean([mean > 0.5 + 1e-9 or abs(mean - 0.5) < 1e-9 for mean in drawn])
    found = pareto_front(scores, [[1], [1]], range(3), resamples=20_000, seed=1)
    assert found.probability[1] == pytest.approx(exact, abs=0.01)


def test_questions_of_a_unit_are_drawn_together() -> None:
    """The same 40 questions in one unit leave nothing to chance."""
    generator = np.random.default_rng(3)
    scores = generator.random((40, 2))
    whole = pareto_front(scores, [[1], [1]], [0] * 40, seed=1)
    assert set(whole.probability.tolist()) <= {0.0, 1.0}
    single = pareto_front(scores, [[1], [1]], range(40), seed=1)
    assert 0 < single.probability[0] < 1


def test_the_seed_decides_everything() -> None:
    assert uncertain(5).probability.tolist() == uncertain(5).probability.tolist()
    assert uncertain(5).probability.tolist() != uncertain(6).probability.tolist()


@pytest.mark.parametrize("costs", [[[1], [2]], [[1], [2], [np.nan]], [1, 2, 3]])
def test_costs_that_are_missing_or_misshapen_are_refused(costs: list[object]) -> None:
    with pytest.raises(BadInput, match="costs"):
        pareto_front(np.zeros((5, 3)), costs, range(5), seed=1)  # type: ignore[arg-type]
