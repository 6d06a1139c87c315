from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from evaluation.statistics import Simultaneous, simultaneous
from evaluation.statistics.max_t import unseen_loss

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 20), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 0.2, 0.3, 0.5, 1.0]),
)


def excluded(result: Simultaneous) -> np.ndarray:
    """Columns shown to be worse than the one with the highest mean."""
    return result.lower[:, int(result.mean.argmax())] > 0


def pair(only_first: int, only_second: int, questions: int) -> np.ndarray:
    """Two binary columns that differ on so many questions."""
    scores = np.full((questions, 2), 1.0)
    scores[:only_first, 1] = 0
    scores[only_first : only_first + only_second, 0] = 0
    return scores


@settings(deadline=None)
@given(tables, st.integers(1, 6), st.integers(0, 3))
def test_bounds_are_finite_ordered_and_mirrored(scores: np.ndarray, units: int, seed: int) -> None:
    labels = np.arange(len(scores)) % units
    result = simultaneous(scores, labels, permutations=50, seed=seed)
    assert math.isfinite(result.critical)
    for matrix in (result.difference, result.se, result.lower, result.upper):
        assert np.isfinite(matrix).all()
    assert (result.lower <= result.difference).all()
    assert (result.difference <= result.upper).all()
    assert (np.abs(result.lower) <= 1).all()
    assert (np.abs(result.upper) <= 1).all()
    np.testing.assert_array_equal(result.difference, -result.difference.T)
    np.testing.assert_array_equal(result.se, result.se.T)
    assert not np.diag(result.upper).any()
    assert not np.diag(result.lower).any()


def test_hand_worked_pair() -> None:
    """Differences 1, 0, 0, 1 of four questions: mean 0.5, variance 1/3, standard error sqrt(1/12)."""
    result = simultaneous([[0, 1], [1, 1], [0, 0], [0, 1]], range(4), permutations=200, seed=1)
    assert result.difference[0, 1] == 0.5
    assert result.se[0, 1] == pytest.approx(math.sqrt(1 / 12))


def test_standard_error_of_unequal_units_by_hand() -> None:
    """Differences (1, 0) and (0) and (0): mean 1/4; unit sums less size times mean: 1/2, -1/4, -1/4."""
    result = simultaneous([[0, 1], [0, 0], [0, 0], [0, 0]], [0, 0, 1, 2], permutations=50, seed=1)
    assert result.difference[0, 1] == 0.25
    assert result.se[0, 1] == pytest.approx(math.sqrt(3 / 2 * (1 / 4 + 1 / 16 + 1 / 16)) / 4)


def test_the_critical_value_is_that_of_a_plain_computation() -> None:
    """All 512 flips of nine unequal units, every statistic worked out on its own."""
    generator = np.random.default_rng(3)
    labels = np.repeat(range(9), [1, 2, 1, 3, 1, 1, 2, 4, 1])
    scores = generator.random((len(labels), 3)) + np.array([0, 0.1, 0.4])
    sizes = np.bincount(labels)
    tables = [scores, scores - scores.mean(axis=0)]
    largest: list[list[float]] = [[], []]
    for signs in itertools.product((-1, 1), repeat=9):
        for table, found in zip(tables, largest, strict=True):
            statistics = []
            for i, j in itertools.combinations(range(3), 2):
                sums = np.bincount(labels, (table[:, j] - table[:, i])) * signs
                mean = sums.sum() / len(labels)
                se = math.sqrt(9 / 8 * ((sums - sizes * mean) ** 2).sum()) / len(labels)
                statistics.append(abs(mean) / se)
            found.append(max(statistics))
    exact = max(float(np.quantile(found, 0.95)) for found in largest)
    result = simultaneous(scores, labels, permutations=20_000, seed=1)
    assert result.critical == pytest.approx(exact, rel=0.03)


def test_one_pair_of_many_questions_needs_the_normal_quantile() -> None:
    scores = np.random.default_rng(1).normal(size=(400, 2))
    assert simultaneous(scores, range(400), permutations=20_000, seed=1).critical == pytest.approx(
        1.97, abs=0.04
    )


def test_independent_pairs_need_what_the_studentised_range_needs() -> None:
    """All pairs of 10 independent columns: Tukey's critical value, q / sqrt(2)."""
    scores = np.random.default_rng(1).normal(size=(1000, 10))
    tukey = stats.studentized_range.ppf(0.95, 10, 10_000) / math.sqrt(2)
    assert simultaneous(scores, range(1000), permutations=5000, seed=1).critical == pytest.approx(
        tukey, rel=0.03
    )


def test_a_binary_pair_is_a_sign_test() -> None:
    """With one pair of binary columns the flips are the sign test: found below 5 % two-sided, never above."""
    for only_first, only_second in itertools.product((4, 5, 6, 8), (0, 1, 2, 3)):
        scores = pair(only_first, only_second, questions=20)
        result = simultaneous(scores, range(20), permutations=4000, seed=1)
        p = stats.binomtest(only_first, only_first + only_second).pvalue
        assert (result.lower[1, 0] > 0) == (p < 0.05)


def test_a_pair_that_never_differs_has_the_bound_of_a_loss_unseen() -> None:
    result = simultaneous(np.ones((20, 2)), range(20), permutations=100, seed=1)
    bound = 1 - 0.05 ** (1 / 20)
    assert result.se[0, 1] == 0
    assert result.upper[0, 1] == pytest.approx(bound)
    assert result.lower[0, 1] == pytest.approx(-bound)


def test_a_constant_gap_is_known_only_as_far_as_the_questions_reach() -> None:
    column = np.random.default_rng(1).random(50) / 2
    result = simultaneous(np.column_stack((column, column + 0.3)), range(50), permutations=100, seed=1)
    assert result.se[0, 1] == 0
    assert result.lower[0, 1] == pytest.approx(0.3 - unseen_loss(50, 2))
    assert result.upper[0, 1] == pytest.approx(0.3 + unseen_loss(50, 2))


def test_an_unseen_loss_is_shared_among_the_rivals() -> None:
    assert unseen_loss(100, columns=11) == pytest.approx(1 - 0.005 ** (1 / 100))
    assert unseen_loss(20, columns=1) == unseen_loss(20, columns=2)


def test_a_hair_of_a_difference_does_not_beat_no_difference() -> None:
    """One tiny loss in 20 questions must not prove more than none at all."""
    scores = np.ones((20, 2))
    scores[0, 0] = 0.99
    result = simultaneous(scores, range(20), permutations=200, seed=1)
    assert result.upper[0, 1] >= unseen_loss(20, 2)


@pytest.mark.parametrize(("losses", "questions"), [(0, 20), (1, 150), (2, 150), (10, 1000)])
def test_few_whole_losses_get_nearly_the_exact_binomial_bound(losses: int, questions: int) -> None:
    result = simultaneous(pair(0, losses, questions), range(questions), permutations=2000, seed=1)
    exact = stats.beta.ppf(0.95, losses + 1, questions - losses)
    assert result.upper[0, 1] == pytest.approx(exact, rel=0.03)


def test_asking_every_question_five_times_proves_nothing_more() -> None:
    scores = np.random.default_rng(0).random((30, 4))
    once = simultaneous(scores, range(30), permutations=300, seed=1)
    copied = simultaneous(np.repeat(scores, 5, axis=0), np.repeat(range(30), 5), permutations=300, seed=1)
    assert copied.critical == pytest.approx(once.critical)
    np.testing.assert_allclose(copied.upper, once.upper, atol=1e-12)


def test_what_a_question_gives_to_all_columns_cancels() -> None:
    generator = np.random.default_rng(0)
    scores = generator.random((30, 4))
    plain = simultaneous(scores, range(30), permutations=300, seed=1)
    shifted = simultaneous(scores + generator.random((30, 1)), range(30), permutations=300, seed=1)
    np.testing.assert_allclose(shifted.upper, plain.upper, atol=1e-9)


def test_the_order_of_columns_changes_nothing_but_the_order() -> None:
    scores = np.random.default_rng(0).random((30, 4))
    order = [2, 0, 3, 1]
    plain = simultaneous(scores, range(30), permutations=300, seed=1)
    moved = simultaneous(scores[:, order], range(30), permutations=300, seed=1)
    np.testing.assert_allclose(moved.lower, plain.lower[np.ix_(order, order)], atol=1e-12)


def test_the_seed_decides_everything_and_blocks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random((30, 4))
    once = simultaneous(scores, range(30), permutations=300, seed=1)
    assert simultaneous(scores, range(30), permutations=300, seed=2).critical != once.critical
    monkeypatch.setattr("evaluation.statistics.max_t.BLOCK_CELLS", 30 * 11)
    again = simultaneous(scores, range(30), permutations=300, seed=1)
    assert again.critical == pytest.approx(once.critical, rel=1e-9)


@pytest.mark.parametrize("gains", [[1.0] * 5, [0.9, 1, 0.8, 1, 0.9], [1.0], [0.4, 0.4]])
def test_five_units_cannot_show_anything(gains: list[float]) -> None:
    """Five of five the same way happens to equals in 6 % of the cases; no bound excludes or is infinite."""
    scores = np.column_stack((np.zeros(len(gains)), gains))
    result = simultaneous(scores, range(len(gains)), permutations=1000, seed=1)
    assert not excluded(result).any()
    assert result.upper[1, 0] >= 0
    assert 0.4 < result.upper[0, 1] <= 1


def test_six_units_can_show_a_large_difference() -> None:
    scores = np.column_stack((np.zeros(6), [0.9, 1, 0.8, 1, 0.9, 0.9]))
    assert excluded(simultaneous(scores, range(6), permutations=4000, seed=1)).tolist() == [True, False]


def test_equals_are_excluded_in_at_most_seven_percent_of_tables() -> None:
    """40 columns of noise. With 1.96 standard errors nearly every table would exclude some column."""
    false, uncorrected = 0, 0
    for seed in range(300):
        scores = np.random.default_rng(seed).normal(0.5, 0.2, (500, 40))
        result = simultaneous(scores, range(500), permutations=499, seed=seed)
        false += excluded(result).any()
        uncorrected += (result.difference > 1.96 * result.se)[:, result.mean.argmax()].any()
    assert false / 300 <= 0.07
    assert uncorrected / 300 >= 0.9


def test_a_loss_of_ten_points_is_found_in_ninety_five_percent_of_tables() -> None:
    found = 0
    for seed in range(300):
        scores = np.random.default_rng(seed).normal(0.5, 0.2, (500, 40))
        scores[:, 7] -= 0.1
        found += excluded(simultaneous(scores, range(500), permutations=199, seed=seed))[7]
    assert found / 300 >= 0.95


def test_true_differences_lie_within_all_bounds_together() -> None:
    """Far apart columns: flips of the columns as they are would be led by the means and ask too little."""
    truth = np.linspace(0, 1, 12)
    missed = 0
    for seed in range(200):
        scores = truth + np.random.default_rng(seed).normal(0, 0.05, (60, 12))
        result = simultaneous(scores, range(60), permutations=199, seed=seed)
        true = truth[np.newaxis, :] - truth[:, np.newaxis]
        missed += ((result.lower > true + 1e-9) | (result.upper < true - 1e-9)).any()
    assert missed / 200 <= 0.09


def test_unequal_units_that_hang_together_are_not_taken_for_differences() -> None:
    false, ignored = 0, 0
    for seed in range(150):
        generator = np.random.default_rng(seed)
        sizes = 1 + generator.poisson(4, 25) * (generator.random(25) < 0.7)
        labels = np.repeat(np.arange(25), sizes)
        scores = generator.normal(0.5, 0.15, (25, 6))[labels] + generator.normal(0, 0.15, (len(labels), 6))
        false += excluded(simultaneous(scores, labels, permutations=199, seed=seed)).any()
        ignored += excluded(simultaneous(scores, range(len(labels)), permutations=199, seed=seed)).any()
    assert false / 150 <= 0.1
    assert ignored / 150 >= 0.3


def test_two_hundred_columns_are_compared_in_bounded_memory() -> None:
    scores = np.random.default_rng(0).normal(size=(500, 200))
    result = simultaneous(scores, range(500), permutations=200, seed=1)
    assert 4 < result.critical < 5
