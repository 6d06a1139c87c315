"""Thresholds: from distances of neighbours to borders, against numbers worked by hand and numpy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.meaning.thresholds import DEFAULTS, RANGES, Kind, borders, threshold_problem

KINDS: list[Kind] = list(DEFAULTS)
NINE = np.array([0.1] * 4 + [0.9] + [0.1] * 4)


def places(distances: list[float], kind: Kind, threshold: float) -> list[int]:
    return np.flatnonzero(borders(np.array(distances), kind, threshold)).tolist()


class TestByHand:
    def test_similarity_is_absolute(self) -> None:
        # 0.25 is a similarity of 0.75 itself, which is not below 0.75.
        assert places([0.1, 0.25, 0.250001, 0.9], "similarity", 0.75) == [2, 3]

    def test_percentile(self) -> None:
        # The 80th percentile of five lies 0.2 of the way from 0.4 to 0.9: 0.5.
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "percentile", 80) == [3]
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "percentile", 50) == [1, 3]
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "percentile", 100) == []
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "percentile", 0) == [1, 2, 3, 4]

    def test_standard_deviation(self) -> None:
        # Mean 17/90, deviation 0.2514: 0.9 is 2.83 deviations above the mean.
        assert borders(NINE, "standard_deviation", 2.8).tolist() == (NINE > 0.5).tolist()
        assert not borders(NINE, "standard_deviation", 2.83).any()

    def test_interquartile(self) -> None:
        # Quartiles 0.2 and 0.4, mean 0.38: the limit is 0.38 + t * 0.2.
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "interquartile", 0) == [1, 3]
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "interquartile", 2.5) == [3]
        assert places([0.1, 0.4, 0.2, 0.9, 0.3], "interquartile", 2.6) == []

    def test_gradient(self) -> None:
        # Slopes 0.1, 0.25, 0.1, -0.25, -0.3: the border stands where the distance begins to climb.
        assert places([0.1, 0.2, 0.6, 0.4, 0.1], "gradient", 75) == [1]


@given(
    distances=st.lists(st.integers(0, 2_000_000), min_size=2, max_size=30),
    kind=st.sampled_from(KINDS),
    threshold=st.floats(0, 1),
)
def test_limits_are_those_of_numpy(distances: list[int], kind: Kind, threshold: float) -> None:
    values = np.array(distances) / 1e6
    slopes = np.gradient(values)
    if kind in ("percentile", "gradient"):
        threshold *= 100
    q1, q3 = np.percentile(values, [25, 75])
    limit = {
        "similarity": 1 - threshold,
        "percentile": np.percentile(values, threshold),
        "standard_deviation": np.mean(values) + threshold * np.std(values),
        "interquartile": np.mean(values) + threshold * (q3 - q1),
        "gradient": np.percentile(slopes, threshold),
    }[kind]
    compared = slopes if kind == "gradient" else values
    clear = np.abs(compared - limit) > 1e-8
    assert (borders(values, kind, threshold) == (compared > limit))[clear].all()
    assert not borders(values, kind, threshold)[np.abs(compared - limit) < 1e-10].any()


class TestEdges:
    @pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "similarity"])
    @pytest.mark.parametrize("distance", [0.0, 0.1, 0.3, 0.7, 1.0])
    @pytest.mark.parametrize("n", [1, 2, 3, 7, 49])
    def test_equal_distances_have_no_border(self, kind: Kind, distance: float, n: int) -> None:
        # The mean of seven times 0.3 comes out below 0.3: without care all of them would be borders.
        low = RANGES[kind][0]
        assert not borders(np.full(n, distance), kind, low).any()

    @pytest.mark.parametrize("kind", KINDS)
    def test_no_distances_have_no_borders(self, kind: Kind) -> None:
        assert borders(np.zeros(0), kind, DEFAULTS[kind]).shape == (0,)

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_default_is_allowed_and_what_means_nothing_is_not(self, kind: Kind) -> None:
        assert threshold_problem(kind, DEFAULTS[kind]) == ""
        low, high = RANGES[kind]
        assert threshold_problem(kind, low - 0.001)
        assert bool(threshold_problem(kind, 100.001)) == (high < np.inf)
