from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.statistics import kendall_tau

lists = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0]), min_size=n, max_size=n)] * 2)
)


@given(lists)
def test_it_is_scipys(drawn: tuple[list[float], list[float]]) -> None:
    one, other = drawn
    found = kendall_tau(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(stats.kendalltau(one, other).statistic)


def test_by_hand_with_a_tie() -> None:
    """Pairs: five of six agree, one is tied in the second: 5 / sqrt(6 * 5)."""
    assert kendall_tau([1, 2, 3, 4], [1, 2, 3, 3]) == pytest.approx(5 / 30**0.5)


def test_what_differs_by_rounding_is_tied() -> None:
    assert kendall_tau([0.3, 0.1 + 0.2, 1], [1, 2, 3]) == kendall_tau([0.3, 0.3, 1], [1, 2, 3])


def test_order_and_reverse() -> None:
    assert kendall_tau([1, 2, 3], [10, 20, 30]) == 1
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == -1
    assert kendall_tau([], []) is None


def test_lists_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        kendall_tau([1, 2], [1, 2, 3])
