from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.relevance import RULES, relevant, which_relevant
from strategies.spans import Range

ranges = st.builds(lambda start, size: (start, start + size), st.integers(0, 40), st.integers(1, 20))


@pytest.mark.parametrize(
    ("hit", "passage", "any_", "half", "contains"),
    [
        ((0, 10), (10, 20), False, False, False),  # they touch
        ((10, 20), (0, 10), False, False, False),
        ((0, 11), (10, 20), True, False, False),  # 1 of 10
        ((0, 14), (10, 20), True, False, False),  # 4 of 10
        ((0, 15), (10, 20), True, True, False),  # exactly half
        ((0, 19), (10, 20), True, True, False),
        ((0, 20), (10, 20), True, True, True),
        ((12, 14), (10, 20), True, True, False),  # a small hit, wholly evidence
        ((9, 11), (10, 20), True, True, False),  # half of a small hit
        ((8, 11), (10, 20), True, False, False),  # a third of it
        ((0, 900), (10, 20), True, True, True),
        ((0, 13), (10, 15), True, True, False),  # 3 of 5: more than half of an odd length
        ((0, 12), (10, 15), True, False, False),  # 2 of 5
    ],
)
def test_rules(hit: Range, passage: Range, any_: bool, half: bool, contains: bool) -> None:
    assert relevant(hit, passage, "any") is any_
    assert relevant(hit, passage, "half") is half
    assert relevant(hit, passage, "contains") is contains


@pytest.mark.parametrize("rule", sorted(RULES))
def test_an_empty_range_is_never_relevant(rule: str) -> None:
    assert not relevant((5, 5), (0, 10), rule)


@given(ranges, ranges)
def test_each_rule_asks_for_more_than_the_one_before(hit: Range, passage: Range) -> None:
    flags = [relevant(hit, passage, rule) for rule in RULES]
    assert flags == sorted(flags, reverse=True)


@given(st.lists(ranges, max_size=8), ranges, st.sampled_from(sorted(RULES)))
def test_many_ranges_are_judged_as_one_by_one(hits: list[Range], passage: Range, rule: str) -> None:
    starts, ends = np.array(hits, dtype=np.int64).reshape(-1, 2).T
    assert which_relevant(starts, ends, passage, rule).tolist() == [
        relevant(hit, passage, rule) for hit in hits
    ]
