from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.layout import Layout
from strategies.spans import Range, shared

from .scene import chunk

ranges = st.builds(lambda start, size: (start, start + size), st.integers(0, 40), st.integers(1, 25))


@given(st.lists(st.tuples(st.sampled_from("ab"), ranges), max_size=12), st.sampled_from("abc"), ranges)
def test_overlapping_finds_exactly_the_distinct_ranges_that_share_text(
    index: list[tuple[str, Range]], document: str, asked: Range
) -> None:
    layout = Layout.of([chunk(name, i, own) for i, (name, own) in enumerate(index)])
    expected = {own for name, own in index if name == document and shared(own, asked)}
    found = layout.overlapping(document, *asked)
    assert found.ranges == sorted(expected)
    for own, row in zip(found.ranges, found.rows.tolist(), strict=True):
        assert index[row] == (document, own)
        assert (document, own) not in index[:row]


def test_children_of_one_parent_return_one_range_and_keep_their_own() -> None:
    layout = Layout.of(
        [chunk("d", 0, (0, 10), (0, 30)), chunk("d", 1, (10, 30), (0, 30)), chunk("d", 2, (30, 40))]
    )
    assert layout.returned["d"].ranges == [(0, 30), (30, 40)]
    assert layout.embedded["d"].ranges == [(0, 10), (10, 30), (30, 40)]
    assert layout.overlapping("d", 29, 31).rows.tolist() == [0, 2]
    assert layout.overlapping("d", 30, 31).ranges == [(30, 40)]


def test_a_range_that_ends_where_the_asked_one_starts_is_left_out_even_below_a_longer_one() -> None:
    layout = Layout.of(
        [chunk("d", 0, (0, 20)), chunk("d", 1, (2, 5)), chunk("d", 2, (3, 6)), chunk("d", 3, (8, 9))]
    )
    assert layout.overlapping("d", 5, 8).ranges == [(0, 20), (3, 6)]


def test_an_empty_index() -> None:
    layout = Layout.of([])
    assert len(layout.overlapping("d", 0, 5)) == 0
