from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from evaluation.statistics import mean_intervals
from evaluation.statistics.bootstrap import _student_quantile
from strategies.errors import BadInput

tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 25), st.integers(1, 4)),
    elements=st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]),
)


@settings(deadline=None)
@given(tables, st.integers(1, 8), st.integers(0, 3))
def test_an_interval_holds_the_mean_and_stays_within_the_scores(
    scores: np.ndarray, units: int, seed: int
) -> None:
    labels = np.arange(len(scores)) % units
    low, high = mean_intervals(scores, labels, resamples=200, seed=seed)
    mean = np.clip(scores.mean(axis=0), scores.min(axis=0), scores.max(axis=0))
    assert np.isfinite(low).all()
    assert (scores.min(axis=0) <= low).all()
    assert (low <= mean).all()
    assert (mean <= high).all()
    assert (high <= scores.max(axis=0)).all()


def test_a_column_that_does_not_vary_has_no_width() -> None:
    scores = np.column_stack((np.full(30, 0.1), np.linspace(0, 1, 30)))
    low, high = mean_intervals(scores, range(30), resamples=500, seed=1)
    assert low[0] == high[0] == 0.1
    assert low[1] < 0.5 < high[1]


def test_the_seed_decides_everything_and_labels_are_only_names() -> None:
    scores = np.random.default_rng(0).random((40, 3))
    once = mean_intervals(scores, range(40), resamples=300, seed=5)
    again = mean_intervals(scores, range(100, 140), resamples=300, seed=5)
    other = mean_intervals(scores, range(40), resamples=300, seed=6)
    np.testing.assert_array_equal(once, again)
    assert not np.array_equal(once, other)


def test_asking_every_question_five_times_narrows_nothing() -> None:
    """Five copies in one unit carry what one carries: an interval that ignores units would halve."""
    scores = np.random.default_rng(0).random((30, 2))
    single = mean_intervals(scores, range(30), resamples=500, seed=1)
    copied = mean_intervals(np.repeat(scores, 5, axis=0), np.repeat(range(30), 5), resamples=500, seed=1)
    np.testing.assert_allclose(copied, single, rtol=1e-12)


def test_blocks_of_draws_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(0).random((25, 2))
    whole = mean_intervals(scores, range(25), resamples=200, seed=1)
    monkeypatch.setattr("evaluation.statistics.bootstrap.BLOCK_CELLS", 25 * 7)
    np.testing.assert_allclose(mean_intervals(scores, range(25), resamples=200, seed=1), whole, rtol=1e-12)


@pytest.mark.parametrize(("questions", "share"), [(20, 0.5), (40, 0.8), (300, 0.95)])
def test_intervals_of_a_binary_score_cover_the_truth(questions: int, share: float) -> None:
    """2,400 columns of which each interval should hold the true mean in about 95 %."""
    scores = (np.random.default_rng(1).random((questions, 2400)) < share).astype(float)
    low, high = mean_intervals(scores, range(questions), resamples=1000, seed=1)
    covered = ((low <= share) & (share <= high)).mean()
    assert 0.93 <= covered <= 0.985


def test_intervals_of_a_dozen_scores_cover_the_truth() -> None:
    """Plain percentiles cover 90 % here."""
    scores = np.random.default_rng(1).normal(0.5, 0.1, (12, 2400))
    low, high = mean_intervals(scores, range(12), resamples=1000, seed=1)
    assert 0.935 <= ((low <= 0.5) & (high >= 0.5)).mean() <= 0.97


def test_intervals_of_clustered_scores_cover_only_if_drawn_by_cluster() -> None:
    generator = np.random.default_rng(2)
    sizes = 1 + generator.poisson(4, 40) * (generator.random(40) < 0.7)
    labels = np.repeat(np.arange(40), sizes)
    scores = generator.normal(0.5, 0.1, (40, 1000))[labels] + generator.normal(0, 0.1, (len(labels), 1000))

    def covered(units: np.ndarray) -> float:
        low, high = mean_intervals(scores, units, resamples=1000, seed=3)
        return float(((low <= 0.5) & (high >= 0.5)).mean())

    assert 0.92 <= covered(labels) <= 0.98
    assert covered(np.arange(len(labels))) < 0.85


@pytest.mark.parametrize("degrees", [4, 9, 19, 99])
def test_the_quantile_of_students_t(degrees: int) -> None:
    assert _student_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=0.01)


def test_one_unit_cannot_vary() -> None:
    low, high = mean_intervals([[0.2], [0.6]], [0, 0], resamples=50, seed=1)
    assert low[0] == high[0] == pytest.approx(0.4)


def test_bad_tables_are_refused_with_all_their_faults() -> None:
    with pytest.raises(BadInput) as caught:
        mean_intervals([[0.5, np.nan, np.inf]], [0, 1], seed=1)
    assert len(caught.value.problems) == 2
    assert "column 1, 2" in str(caught.value)
    with pytest.raises(BadInput, match="no question is scored"):
        mean_intervals(np.empty((0, 2)), [], seed=1)
    with pytest.raises(BadInput, match="1 dimensions"):
        mean_intervals([0.5, 0.5], [0, 1], seed=1)
