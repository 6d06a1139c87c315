from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import spans
from strategies.spans import GrowingUnion, Range, Ranges

ranges = st.builds(lambda start, size: (start, start + size), st.integers(0, 60), st.integers(0, 15))
many = st.lists(ranges, max_size=12)


def points(some: list[Range] | Ranges) -> set[int]:
    return {point for start, end in some for point in range(start, end)}


def is_normal(some: Ranges) -> bool:
    return all(start < end for start, end in some) and all(
        before[1] < after[0] for before, after in pairwise(some)
    )


@given(many)
def test_union_holds_the_same_points_in_normal_form(some: list[Range]) -> None:
    merged = spans.union(some)
    assert points(merged) == points(some)
    assert is_normal(merged)
    assert spans.length(merged) == len(points(some))


@given(many, many)
def test_intersect_and_subtract_are_those_of_sets_of_points(a: list[Range], b: list[Range]) -> None:
    one, other = spans.union(a), spans.union(b)
    common, left = spans.intersect(one, other), spans.subtract(one, other)
    assert points(common) == points(a) & points(b)
    assert points(left) == points(a) - points(b)
    assert is_normal(common)
    assert is_normal(left)


@given(ranges, ranges)
def test_two_ranges(a: Range, b: Range) -> None:
    assert spans.shared(a, b) == spans.shared(b, a) == len(points([a]) & points([b]))
    if points([b]):
        assert spans.contains(a, b) == (points([b]) <= points([a]))


@given(many)
def test_growing_union_gives_each_point_once(some: list[Range]) -> None:
    growing, before = GrowingUnion(), set[int]()
    for start, end in some:
        new = growing.add(start, end)
        assert is_normal(new)
        assert points(new) == set(range(start, end)) - before
        before |= set(range(start, end))
        assert growing.ranges == spans.union([(p, p + 1) for p in before])


@pytest.mark.parametrize(("one", "other"), [((10, 20), (0, 10)), ((0, 10), (10, 20))])
def test_ranges_that_touch_share_nothing(one: Range, other: Range) -> None:
    assert spans.shared(one, other) == 0
    assert spans.intersect((one,), (other,)) == ()
    assert spans.subtract((one,), (other,)) == (one,)
    assert spans.union([one, other]) == ((0, 20),)


def test_empty_sets() -> None:
    assert spans.union([]) == spans.union([(3, 3)]) == ()
    assert spans.intersect((), ((0, 1),)) == spans.subtract((), ((0, 1),)) == ()
    assert spans.length(()) == 0
    assert GrowingUnion().add(4, 4) == ()
