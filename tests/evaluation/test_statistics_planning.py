from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics import detectable, detectable_after, simultaneous
from evaluation.statistics.planning import units_needed


def test_what_eighty_questions_can_find() -> None:
    """(1.96 + 0.84) 0.3 / sqrt(80)."""
    assert detectable(80) == pytest.approx((1.95996 + 0.84162) * 0.3 / math.sqrt(80), rel=1e-4)
    assert detectable(80, sd=0.6) == pytest.approx(2 * detectable(80))


def test_the_difference_is_found_as_often_as_promised() -> None:
    size = detectable(100)
    samples = np.random.default_rng(1).normal(size, 0.3, (4000, 100))
    found = stats.ttest_1samp(samples, 0, axis=1).pvalue <= 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("units", [0, 1])
def test_no_or_one_unit_finds_nothing_short_of_everything(units: int) -> None:
    assert 0.8 < detectable(units) <= 1


def test_after_a_run_the_observed_spread_and_the_correction_count() -> None:
    scores = np.random.default_rng(1).normal(0, 0.2, (400, 12))
    result = simultaneous(scores, range(400), permutations=1000, seed=1)
    plain = detectable(400, sd=0.2 * math.sqrt(2))
    assert detectable_after(result) == pytest.approx(plain * (result.critical + 0.84) / 2.8, rel=0.03)
    assert detectable_after(simultaneous([[0.5], [0.6]], range(2), permutations=10, seed=1)) == 0


def test_a_likely_loss_is_decided_when_it_stands_out() -> None:
    """0.1 > 2 x 0.4 / sqrt(n) from n = 65 on."""
    assert units_needed(0.1, 0.4, margin=0.02, critical=2, columns=2) == 65


def test_identical_columns_are_decided_when_an_unseen_loss_must_have_shown() -> None:
    """1 - 0.05^(1/149) is the first below 0.02."""
    assert units_needed(0, 0, margin=0.02, critical=2, columns=2) == 149


def test_a_margin_of_nothing_is_never_reached_by_equals() -> None:
    assert units_needed(0, 0.3, margin=0, critical=2, columns=2) is None
    assert units_needed(0.02, 0.3, margin=0.02, critical=2, columns=2) == 901


@given(
    loss=st.floats(0, 0.5),
    sd=st.sampled_from([0, 0.01, 0.3, 0.7]),
    margin=st.floats(0.01, 0.3),
    columns=st.integers(2, 50),
)
def test_it_is_the_smallest_number_that_decides(loss: float, sd: float, margin: float, columns: int) -> None:
    def decided(units: int) -> bool:
        reach = 3 * sd / math.sqrt(units)
        unseen = 1 - (0.05 / (columns - 1)) ** (1 / units)
        lower, upper = loss - (reach or unseen), loss + math.hypot(reach, unseen)
        return lower > 0 or upper <= margin

    units = units_needed(loss, sd, margin=margin, critical=3, columns=columns)
    assert units is not None
    assert decided(units)
    assert units == 1 or not decided(units - 1)


def test_any_two_of_many_take_more() -> None:
    """12 configurations are 66 pairs, each at 0.05 / 66."""
    critical = stats.norm.ppf(1 - 0.05 / 132)
    assert detectable(80, columns=12) == pytest.approx((critical + 0.84162) * 0.3 / math.sqrt(80), rel=1e-4)
    assert detectable(80, columns=1) == detectable(80, columns=2) == detectable(80)


def test_what_is_said_before_a_run_is_near_what_is_said_after() -> None:
    scores = np.random.default_rng(1).normal(0.5, 0.3 / math.sqrt(2), (150, 12))
    after = detectable_after(simultaneous(scores, range(150), permutations=1000, seed=1))
    assert detectable(150, columns=12) == pytest.approx(after, rel=0.08)
