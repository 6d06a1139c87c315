"""Texts that libraries return, placed in the document that they came from."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from linear import grows_linearly

from strategies.errors import SplitError
from strategies.libraries.aligning import Place, after, align, anywhere, places_in
from strategies.libraries.views import folded, printing


def back(characters: int) -> Callable[[int], int]:
    """Pieces share at most so many characters."""
    return lambda end: end - characters


def places(text: str, pieces: Sequence[str], earliest: Callable[[int], int] = after) -> list[Place | None]:
    return align(text, pieces, earliest=earliest)


class TestRepeats:
    TEXT = "tick tick tick tick tock tick"

    def test_without_overlap_each_begins_behind_the_one_before(self) -> None:
        pieces = ["tick tick", "tick tick", "tock", "tick"]
        assert places(self.TEXT, pieces) == [(0, 9), (10, 19), (20, 24), (25, 29)]

    def test_a_known_overlap_is_shared_and_no_more(self) -> None:
        pieces = ["tick tick", "tick tick", "tick tick", "tick tock", "tock tick"]
        assert places(self.TEXT, pieces, back(5)) == [(0, 9), (5, 14), (10, 19), (15, 24), (20, 29)]

    def test_an_unknown_overlap_is_as_large_as_it_can_be_without_an_end_inside(self) -> None:
        assert places("ping ping ping pong", ["ping ping", "ping ping", "ping pong"], anywhere) == [
            (0, 9),
            (5, 14),
            (10, 19),
        ]

    def test_a_piece_is_not_placed_inside_the_one_before_while_it_occurs_again(self) -> None:
        assert places("sit on the mat, the cat", ["sit on the", "the"], anywhere) == [(0, 10), (16, 19)]
        assert places("sit on the mat", ["sit on the mat", "the mat"], anywhere) == [(0, 14), (7, 14)]

    def test_what_leaves_no_place_for_a_later_piece_is_not_chosen(self) -> None:
        """Behind the one before there is one "a b": but then "b a" would have no place."""
        assert places("a b a a b", ["a b", "a", "b a", "a"]) == [(0, 3), (0, 1), (2, 5), (6, 7)]
        assert places("a b a b", ["a b", "b a", "a b"]) == [(0, 3), (2, 5), (4, 7)]

    def test_only_as_many_leave_their_likely_place_as_must(self) -> None:
        """The overlap of the last two, of which nothing was said, moves none of those before."""
        text = "one, one, one, one, two"
        pieces = ["one,", "one,", "one,", "one, two", "two"]
        assert places(text, pieces) == [(0, 4), (5, 9), (10, 14), (15, 23), (20, 23)]

    def test_less_is_shared_rather_than_text_left_out(self) -> None:
        text = "x w w\n\nw w\n\nw y"
        assert places(text, ["x w w", "w w\n\nw", "y"], back(3)) == [(0, 5), (7, 13), (14, 15)]
        assert places(text, ["x w w", "w w\n\nw"], back(3)) == [(0, 5), (2, 8)]  # text is left out anyway

    def test_one_shares_less_though_another_needs_it_all(self) -> None:
        text = "p q s t u x w w\n\nw w\n\nw y"
        pieces = ["p q s t", "q s t u", "x w w", "w w\n\nw", "y"]
        assert places(text, pieces, back(5)) == [(0, 7), (2, 9), (10, 15), (17, 23), (24, 25)]

    @pytest.mark.parametrize("shared", [0, 1, 7, 399])
    def test_all_share_less_rather_than_leave_out_the_end(self, shared: int) -> None:
        """As where tokens of a long run hold several letters, and were counted one by one."""
        starts = range(0, 400 * (400 - shared), 400 - shared)
        text = "a" * (starts[-1] + 400)
        windows = [text[start : start + 400] for start in starts]
        assert places(text, windows, back(400)) == [(start, start + 400) for start in starts]

    def test_white_space_tells_places_apart(self) -> None:
        assert places("a b\n\na\nb", ["a\nb"]) == [(5, 8)]
        assert places("a b\n\na\nb", ["a\tb"]) == [(0, 3)]

    def test_one_that_must_lie_before_its_likely_place_shares_as_little_as_it_can(self) -> None:
        assert places("x a a y", ["x a a", "a", "y"]) == [(0, 5), (4, 5), (6, 7)]

    def test_two_begin_together_where_there_is_no_other_way(self) -> None:
        assert places("the changes", ["the", "change", "changes"]) == [(0, 3), (4, 10), (4, 11)]
        assert places("a a", ["a", "a a"], anywhere) == [(0, 1), (0, 3)]
        assert places("x a a", ["x", "a", "a"], anywhere) == [(0, 1), (2, 3), (4, 5)]

    def test_among_places_that_all_differ_none_is_shared(self) -> None:
        """If the second went behind the first, two would have to begin together."""
        pieces = ["a", "a", "a"]
        assert places("a a a", pieces, lambda end: end + 2) == [(0, 1), (2, 3), (4, 5)]


class TestWhiteSpace:
    def test_any_run_equals_any_other(self) -> None:
        text = "The gate\r\n\r\nopens\tat six.\u3000Dogs\x1coutside.\n"
        pieces = ["The gate\n\nopens", "opens at\nsix. Dogs  outside."]
        assert places(text, pieces, back(5)) == [(0, 17), (12, 39)]
        assert text[12:39] == "opens\tat six.\u3000Dogs\x1coutside."

    def test_no_run_equals_none(self) -> None:
        with pytest.raises(SplitError, match="chunk 0 stands nowhere in the document: 'thegate'"):
            places("the gate", ["thegate"])

    def test_white_space_at_the_ends_is_kept_where_the_document_has_it(self) -> None:
        text = "\n  one \n\n two  "
        assert places(text, ["\n  one \n", "\n two  "]) == [(0, 8), (8, 15)]
        assert places(text, ["one", " two"]) == [(3, 6), (9, 13)]

    def test_white_space_at_the_ends_is_left_out_where_it_differs(self) -> None:
        text = "\n  one \n\n two  "
        assert places(text, ["\tone", "two\n"]) == [(3, 6), (10, 13)]

    def test_blank_pieces_have_no_place(self) -> None:
        assert places("a b", ["", "a", " \n", "b", "\u3000"]) == [None, (0, 1), None, (2, 3), None]
        assert places(" \n", [" ", ""]) == [None, None]
        assert places("", []) == []

    def test_a_later_start_with_more_white_space_does_not_move_back(self) -> None:
        assert places("  a b", ["a", "  a b"], anywhere) == [(2, 3), (2, 5)]


class TestCharacters:
    def test_positions_are_code_points(self) -> None:
        text = "🦉🦉 👩\u200d👧 e\u0301 🦉 漢字"
        assert places(text, ["🦉🦉", "👩\u200d👧 e\u0301", "🦉", "漢字"]) == [
            (0, 2),
            (3, 9),
            (10, 11),
            (12, 14),
        ]

    def test_normalised_text_is_another_text(self) -> None:
        text = "cafe\u0301 noir"
        with pytest.raises(SplitError, match="chunk 1 stands nowhere"):
            places(text, ["caf", unicodedata.normalize("NFC", text)])

    def test_a_replacement_character_is_another_text(self) -> None:
        with pytest.raises(SplitError, match="nowhere"):
            places("a 🦉 b", ["a \ufffd"])

    def test_lone_surrogates_have_places(self) -> None:
        assert places("a \ud800 b", ["\ud800 b"]) == [(2, 5)]


class TestRefusals:
    def test_text_that_was_never_there_is_shown_with_its_number(self) -> None:
        with pytest.raises(SplitError) as error:
            places("The gate opens.", ["The gate", "", "opens at\tseven"])
        assert str(error.value) == r"chunk 2 stands nowhere in the document: 'opens at\\tseven'"

    def test_a_long_text_is_shown_in_brief(self) -> None:
        with pytest.raises(SplitError) as error:
            places("The gate opens.", ["x" * 10_000])
        assert len(str(error.value)) < 150

    def test_text_out_of_order_is_told_apart(self) -> None:
        with pytest.raises(SplitError, match="chunk 1 stands before the start of the chunk before it"):
            places("one two", ["two", "one"])

    def test_the_first_that_has_no_place_is_named(self) -> None:
        with pytest.raises(SplitError, match="chunk 1 "):
            places("a b c", ["a", "x", "b", "y"])


class TestOffsets:
    TEXT = "go go go stop"

    def test_true_ones_decide_between_places(self) -> None:
        assert align(self.TEXT, ["go", "go", "stop"], starts=[3, 6, 9]) == [(3, 5), (6, 8), (9, 13)]

    def test_one_may_point_at_white_space_before_the_text(self) -> None:
        assert align(self.TEXT, ["go", " go", "stop"], starts=[0, 5, 8]) == [(0, 2), (5, 8), (9, 13)]

    def test_those_of_a_search_repeat_the_first_place_and_count_once(self) -> None:
        assert align(self.TEXT, ["go", "go", "go"], starts=[0, 0, 0]) == [(0, 2), (3, 5), (6, 8)]

    @pytest.mark.parametrize("starts", [[-1, -1, -1], [1, 4, 90], [None, None, None], [], [7, 5, 2]])
    def test_wrong_ones_do_not_count(self, starts: list[int | None]) -> None:
        assert align(self.TEXT, ["go", "go", "stop"], starts=starts) == [(0, 2), (3, 5), (9, 13)]

    def test_bytes_are_no_code_points(self) -> None:
        text = "äö äö äö"
        found = align(text, ["äö", "äö", "äö"], starts=[0, 5, 10])
        assert found == [(0, 2), (3, 5), (6, 8)]

    def test_one_that_leaves_no_place_for_a_later_piece_does_not_count(self) -> None:
        assert align(self.TEXT, ["go", "go", "go"], starts=[6, None, None]) == [(0, 2), (3, 5), (6, 8)]

    def test_a_window_that_begins_with_other_white_space_has_its_own_place(self) -> None:
        text = "a a a a a"
        windows = [text[start : start + 5] for start in range(5)]
        found = align(text, windows, starts=range(5), earliest=anywhere)
        assert found == [(start, start + 5) for start in range(5)]


def test_a_view_of_what_prints_ignores_what_does_not() -> None:
    text = "# Set\n\tup \u200bthe\x00 gate\u00ad.\n"
    pieces = ["up  the gate."]
    assert align(text, pieces, view=printing(text)) == [(7, 22)]
    assert printing(text).text == "#Setupthegate."


def test_folding_keeps_one_blank_for_a_run() -> None:
    view = folded(" \n a\t\tb c \n")
    assert view.text == "a b c"
    assert view.starts.tolist() == [3, 4, 6, 7, 8]
    assert view.ends.tolist() == [4, 5, 7, 8, 9]
    assert folded(" \n").text == ""


# Laws

WHITE = [" ", "\n", "\r\n", "  ", "\t", "\u3000", "\x1c", "\n\n"]
WORDS = ["a", "b", "ab", "aa", "the", "gate", "é", "🦉", "漢", "e\u0301", "."]
texts = st.lists(st.sampled_from(WORDS + WHITE), min_size=1, max_size=40).map("".join)


@st.composite
def mangled(draw: st.DrawFn, piece: str) -> str:
    """The piece with other white space, and perhaps none at its ends."""
    parts = [draw(st.sampled_from(WHITE)) + word for word in piece.split()]
    inner = "".join(parts).lstrip()
    return draw(st.sampled_from(["", " ", "\n"])) + inner + draw(st.sampled_from(["", "\t"]))


@given(st.data(), texts)
def test_any_pieces_with_any_overlap_find_places(data: st.DataObject, text: str) -> None:
    number = st.integers(0, len(text))
    starts = sorted(data.draw(st.lists(number, max_size=8)))
    ranges = [(start, data.draw(st.integers(start, len(text)))) for start in starts]
    pieces = [data.draw(mangled(text[start:end])) for start, end in ranges]
    overlap = data.draw(st.integers(0, 10))
    found = align(text, pieces, earliest=back(overlap))
    before = 0
    for piece, place in zip(pieces, found, strict=True):
        assert (place is None) == (not piece.strip())
        if place is not None:
            assert text[place.start : place.end].split() == piece.split()
            assert place.start >= before
            before = place.start


@given(st.data(), texts)
def test_parts_of_a_text_are_placed_where_they_were_cut(data: st.DataObject, text: str) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text)))))
    ranges = [pair for pair in itertools.pairwise([0, *cuts, len(text)]) if text[slice(*pair)].strip()]
    assert align(text, [text[start:end] for start, end in ranges]) == ranges
    stripped = [text[start:end].strip() for start, end in ranges]
    for piece, place, (start, _) in zip(stripped, align(text, stripped), ranges, strict=True):
        inside = start + text[start:].index(piece)
        assert place == (inside, inside + len(piece))


@given(st.data())
def test_windows_over_distinct_words_are_placed_where_they_were_cut(data: st.DataObject) -> None:
    words = [f"w{number}" for number in range(data.draw(st.integers(1, 30)))]
    size = data.draw(st.integers(1, 8))
    overlap = data.draw(st.integers(0, size - 1))
    windows = [words[first : first + size] for first in range(0, len(words), size - overlap)]
    text = "\n".join(words)
    for earliest in (after, anywhere, back(2)):
        for window, place in zip(windows, align(text, [" ".join(w) for w in windows], earliest=earliest)):
            assert place is not None
            assert text[place.start : place.end].split() == window


def feasible(text: str, parts: Sequence[str], step: int) -> bool:
    """Whether there are such places at all, tried one after another: the first fit leaves most room."""
    start = 0
    for part in parts:
        start = text.find(part, start)
        if start < 0:
            return False
        start += step
    return True


@given(
    st.text("ab", max_size=9),
    st.lists(st.text("ab", min_size=1, max_size=3), max_size=5),
    st.integers(-3, 3),
)
def test_places_are_found_whenever_there_are_any(text: str, parts: list[str], shift: int) -> None:
    if not feasible(text, parts, step=0):
        with pytest.raises(SplitError):
            align(text, parts, earliest=lambda end: end + shift)
        return
    found = places_in(folded(text), parts, lambda end: end + shift)
    assert all(text.startswith(part, start) for part, start in zip(parts, found, strict=True))
    step = 1 if feasible(text, parts, step=1) else 0
    assert all(later - start >= step for start, later in itertools.pairwise(found))


@given(st.text("ab ", min_size=1, max_size=12), st.lists(st.integers(-2, 14), max_size=4), st.data())
def test_offsets_never_place_a_text_where_it_is_not(
    text: str, starts: list[int], data: st.DataObject
) -> None:
    assume(text.strip())
    pieces = [text[start : start + data.draw(st.integers(1, 4))] for start in sorted(map(abs, starts))]
    for piece, place in zip(pieces, align(text, pieces, starts=starts, earliest=anywhere), strict=True):
        assert (place is None) == (not piece.strip())
        assert place is None or text[place.start : place.end].split() == piece.split()


LONG = {
    "one letter": ("a", 400, 200),
    "sentences": ("The gate opens. ", 400, 200),
    "short and long by turns": ("ab", 64, 60),
}


@pytest.mark.parametrize(("unit", "size", "step"), LONG.values(), ids=LONG)
@pytest.mark.parametrize("overlap", [0, 200, None])
def test_time_is_linear(unit: str, size: int, step: int, overlap: int | None) -> None:
    def work(characters: int) -> None:
        text = unit * (characters // len(unit))
        pieces = [text[start : start + size] for start in range(0, len(text), step)]
        align(text, pieces, earliest=anywhere if overlap is None else back(overlap))

    assert grows_linearly(work, 10_000)


@pytest.mark.parametrize("pieces", [["a"], ["a", "a" * 300], ["b" + "a" * 300]])
def test_time_is_linear_where_nothing_fits(pieces: list[str]) -> None:
    def work(characters: int) -> None:
        text = "a" * characters
        many = pieces * (characters // 10)
        try:
            align(text, many)
        except SplitError:
            return

    assert grows_linearly(work, 10_000)
