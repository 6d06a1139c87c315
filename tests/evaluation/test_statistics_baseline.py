from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statistics import against, holm
from strategies.errors import BadInput


def test_p_is_the_share_of_flips_that_differ_as_much() -> None:
    differences = np.array([0.4, 0.3, -0.1, 0.2, 0.3, 0.1, 0.25, -0.05])
    flips = [abs(np.dot(signs, differences)) for signs in itertools.product((-1, 1), repeat=8)]
    exact = np.mean([flip >= abs(differences.sum()) - 1e-9 for flip in flips])
    result = against(np.column_stack((np.zeros(8), differences)), 0, range(8), permutations=40_000, seed=1)
    assert result.difference[1] == pytest.approx(differences.mean())
    assert result.p[1] == pytest.approx(exact, abs=0.004)


def test_the_baseline_and_its_copies_do_not_differ() -> None:
    column = np.random.default_rng(0).random(30)
    result = against(np.column_stack((column, column, column - 0.3)), 1, range(30), permutations=999, seed=1)
    assert result.difference.tolist() == pytest.approx([0, 0, -0.3])
    assert result.p[:2].tolist() == [1, 1]
    assert result.p_holm[:2].tolist() == [1, 1]
    assert result.p[2] == 0.001
    assert result.p_holm[2] == 0.002


def test_units_are_flipped_whole() -> None:
    """Six copies of five questions: five units cannot reach 5 %, thirty would."""
    scores = np.repeat(np.column_stack((np.zeros(5), [0.1, 0.2, 0.1, 0.3, 0.1])), 6, axis=0)
    assert against(scores, 0, np.repeat(range(5), 6), permutations=2000, seed=1).p[1] > 0.05
    assert against(scores, 0, range(30), permutations=2000, seed=1).p[1] < 0.001


def test_equals_are_found_different_in_one_of_twenty() -> None:
    scores = np.random.default_rng(1).random((40, 2001))
    p = against(scores, 0, range(40), permutations=999, seed=1).p[1:]
    independent = [
        against(scores[:, [2 * i, 2 * i + 1]], 0, range(40), permutations=199, seed=i).p[1]
        for i in range(1000)
    ]
    assert p.min() > 0
    assert 0.03 <= np.mean(np.array(independent) <= 0.05) <= 0.07


def test_the_seed_decides_everything() -> None:
    scores = np.random.default_rng(1).random((30, 3))
    once, again, other = (against(scores, 0, range(30), permutations=500, seed=s).p for s in (1, 1, 2))
    assert once.tolist() == again.tolist()
    assert once.tolist() != other.tolist()


def test_a_single_column_and_a_single_question() -> None:
    assert against([[0.5], [0.7]], 0, range(2), permutations=20, seed=1).p_holm.tolist() == [1]
    assert against([[0.0, 1.0]], 0, [0], permutations=20, seed=1).p.tolist() == [1, 1]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(BadInput, match="missing"):
        against([[0.5, np.nan]], 0, [0], seed=1)
    with pytest.raises(IndexError):
        against([[0.5, 0.6]], 2, [0], seed=1)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_order_and_never_lowers(p: list[float]) -> None:
    adjusted = holm(p)
    assert all(before <= after <= 1 for before, after in zip(p, adjusted, strict=True))
    assert all(adjusted[i] <= adjusted[j] for i in range(len(p)) for j in range(len(p)) if p[i] <= p[j])
    if p:
        assert min(adjusted) == min(1, len(p) * min(p))


def test_the_interval_is_that_of_the_paired_difference() -> None:
    """Scores vary far more than their difference, whose interval alone is narrow."""
    generator = np.random.default_rng(2)
    hard = generator.random(200)
    gain = generator.normal(0.05, 0.05, 200)
    result = against(np.column_stack((hard, hard + gain)), 0, range(200), permutations=4000, seed=1)
    half = 1.97 * gain.std(ddof=1) / 200**0.5
    assert result.low[1] == pytest.approx(gain.mean() - half, abs=0.001)
    assert result.high[1] == pytest.approx(gain.mean() + half, abs=0.001)
    assert np.isnan([result.low[0], result.high[0]]).all()  # the baseline itself


def test_intervals_hold_the_true_difference_in_about_95_of_100() -> None:
    generator = np.random.default_rng(4)
    held = 0
    for number in range(300):
        scores = generator.normal((0.5, 0.55), 0.2, (60, 2))
        result = against(scores, 0, range(60), permutations=400, seed=number)
        held += result.low[1] <= 0.05 <= result.high[1]
    assert 0.91 <= held / 300 <= 0.985


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=12))
def test_an_interval_holds_its_difference(pairs: list[tuple[float, float]]) -> None:
    result = against(np.array(pairs), 0, range(len(pairs)), permutations=50, seed=1)
    assert not (result.low > result.difference).any()
    assert not (result.difference > result.high).any()


@pytest.mark.parametrize("differing", range(8))
def test_an_interval_needs_six_units_that_differ(differing: int) -> None:
    """Of fewer, resamples would vary too little, and exclude 0 where no flips can reach 5 %."""
    gain = np.zeros((30, 1))
    gain[:differing] = 1
    result = against(np.hstack((np.zeros((30, 1)), gain)), 0, range(30), permutations=4000, seed=1)
    assert np.isfinite([result.low[1], result.high[1]]).tolist() == [differing >= 6] * 2
    if differing < 6:
        assert result.p[1] > 0.05


def test_questions_that_differ_within_one_unit_are_one_that_differs() -> None:
    scores = np.zeros((30, 2))
    scores[:10, 1] = 1
    labels = [number // 5 for number in range(30)]
    assert np.isnan(against(scores, 0, labels, permutations=50, seed=1).low[1])
    assert not np.isnan(against(scores, 0, range(30), permutations=50, seed=1).low[1])


def test_questions_of_a_unit_widen_the_interval() -> None:
    scores = np.repeat(np.random.default_rng(1).random((20, 2)), 5, axis=0)
    whole = against(scores, 0, np.repeat(range(20), 5), permutations=2000, seed=1)
    single = against(scores, 0, range(100), permutations=2000, seed=1)
    assert whole.high[1] - whole.low[1] > 1.8 * (single.high[1] - single.low[1])
