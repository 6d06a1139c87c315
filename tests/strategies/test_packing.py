"""Pieces and how they are packed: laws on random texts, chunks worked by hand, and the work it takes."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies.packing import furthest, pack
from strategies.pieces import (
    FINEST,
    LINES,
    Level,
    Piece,
    clusters,
    cut,
    lines,
    paragraphs,
    pieces_of,
    shorten,
    trimmed,
    words,
)
from strategies.strategy import Cut
from strategies.units.counting import AddsUp, Borders, CharacterCounter, counter_of
from strategies.units.rulers import Ruler

FAMILY = "👩‍👩‍👧"  # five code points that a reader sees as one character

texts = st.text(
    st.one_of(
        st.sampled_from([" ", " ", "\n", "\r\n", "\t", "word", "a", "-/", "。", "é", FAMILY, "\x1c"]),
        st.characters(exclude_categories=["Cs"]),
    ).map(lambda part: part[:1]),
    max_size=80,
) | st.lists(
    st.sampled_from(["one", "two ", " three", " ", "\n", "\r\n", "-/", "中文字", FAMILY, "e\u0301", "    "]),
    max_size=40,
).map("".join)


def word_ruler(text: str, unit: str = "characters") -> tuple[Ruler, list[Piece]]:
    return Ruler(text, counter_of(unit)), pieces_of(text, words)


def packed(text: str, size: int, overlap: int = 0, unit: str = "characters") -> list[str]:
    ruler, pieces = word_ruler(text, unit)
    return [text[chunk.start : chunk.end] for chunk in pack(pieces, ruler, size=size, overlap=overlap)]


class TestLaws:
    @settings(deadline=None)  # the vocabulary is loaded by the first example
    @given(
        texts, st.integers(1, 12), st.integers(0, 11), st.sampled_from(["characters", "words", "cl100k_base"])
    )
    def test_hold_for_any_text(self, text: str, size: int, overlap: int, unit: str) -> None:
        counter = counter_of(unit)
        ruler = Ruler(text, counter)
        pieces = shorten(pieces_of(text, paragraphs), (LINES, *FINEST), ruler, size)
        covered, before = 0, Cut(-1, -1)
        for chunk in pack(pieces, ruler, size=size, overlap=min(overlap, size - 1)):
            own = text[chunk.start : chunk.end]
            assert own.strip()
            assert chunk.start > before.start
            assert chunk.end > before.end
            assert not text[covered : chunk.start].strip()
            assert chunk.oversize == (counter.count(own) > size)
            assert not chunk.oversize or len(own) == 1
            covered, before = chunk.end, chunk
        assert not text[covered:].strip()

    @given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(9, 30), st.integers(0, 8))
    def test_chunks_are_full_and_overlaps_as_long_as_they_may(
        self, lengths: list[int], size: int, overlap: int
    ) -> None:
        text = " ".join("x" * length for length in lengths)
        ruler, pieces = word_ruler(text)
        chunks = list(pack(pieces, ruler, size=size, overlap=overlap))
        starts = [piece.start for piece in pieces]
        for chunk, following in pairwise(chunks):
            new = bisect_left(starts, chunk.end)
            assert pieces[new].end - chunk.start > size, "the next word would have fitted"
            earlier = [
                piece.start
                for piece in pieces
                if chunk.start < piece.start < chunk.end
                and chunk.end - piece.start <= overlap
                and pieces[new].end - piece.start <= size
            ]
            assert following.start == min(earlier, default=pieces[new].start)


class TestPack:
    def test_joins_whole_pieces_up_to_the_size(self) -> None:
        assert packed("aa bb cc dd e", size=5) == ["aa bb", "cc dd", "e"]

    def test_repeats_the_longest_run_within_the_overlap(self) -> None:
        assert packed("aa bb cc dd ee", size=8, overlap=4) == ["aa bb cc", "cc dd ee"]
        assert packed("aa bb cc dd ee", size=8, overlap=5) == ["aa bb cc", "bb cc dd", "cc dd ee"]

    def test_an_overlap_that_holds_no_whole_piece_is_none(self) -> None:
        assert packed("lamp post lamp post", size=9, overlap=3) == ["lamp post", "lamp post"]

    def test_gives_up_overlap_where_the_next_piece_needs_the_room(self) -> None:
        assert packed("aa bb ccccccc", size=8, overlap=5) == ["aa bb", "ccccccc"]

    def test_the_last_chunk_never_only_repeats(self) -> None:
        assert packed("a b c d e", size=5, overlap=3) == ["a b c", "b c d", "c d e"]

    def test_repeated_words_keep_their_own_places(self) -> None:
        text = "tock tock tock tick tock"
        ruler, pieces = word_ruler(text)
        chunks = pack(pieces, ruler, size=9, overlap=4)
        assert [(chunk.start, chunk.end) for chunk in chunks] == [(0, 9), (5, 14), (10, 19), (15, 24)]

    def test_counts_the_joined_slice_and_not_the_sum_of_its_pieces(self) -> None:
        text = "a\n\na\n\na\n\na\n\na"
        counter = counter_of("cl100k_base")
        ruler = Ruler(text, counter)
        chunks = list(pack(pieces_of(text, paragraphs), ruler, size=4))
        assert sum(counter.count(part) for part in text.split()) == 5
        assert [counter.count(text[chunk.start : chunk.end]) for chunk in chunks] == [3, 3, 1]

    def test_neither_chunks_nor_overlaps_reach_over_a_fresh_start(self) -> None:
        text = "a b c d e"
        ruler, pieces = word_ruler(text)
        pieces[2] = pieces[2]._replace(fresh=True)
        chunks = pack(pieces, ruler, size=5, overlap=3)
        assert [text[chunk.start : chunk.end] for chunk in chunks] == ["a b", "c d e"]

    def test_a_whole_piece_above_the_size_is_alone_and_oversize(self) -> None:
        text = "ab abcdefgh ab"
        ruler, pieces = word_ruler(text)
        pieces[1] = pieces[1]._replace(whole=True)
        assert shorten(pieces, FINEST, ruler, 5) == pieces
        chunks = [(text[c.start : c.end], c.oversize) for c in pack(pieces, ruler, size=5, overlap=4)]
        assert chunks == [("ab", False), ("abcdefgh", True), ("ab", False)]

    def test_nothing_gives_nothing(self) -> None:
        ruler, pieces = word_ruler(" \r\n ")
        assert list(pack(pieces, ruler, size=5)) == []

    def test_special_tokens_take_their_share_of_the_size(self) -> None:
        @dataclass(frozen=True)
        class Two(CharacterCounter):
            overhead: int = 2
            adds_up: AddsUp = "nowhere"

            def count(self, text: str) -> int:
                return len(text) + 2

        ruler = Ruler("a b c d e", Two())
        chunks = pack(pieces_of(ruler.text, words), ruler, size=5, overlap=3)
        assert [ruler.text[chunk.start : chunk.end] for chunk in chunks] == ["a b", "b c", "c d", "d e"]


@dataclass
class Spy:
    """Counts characters, and how many of them it was asked to count."""

    unit: str = "spied"
    overhead: int = 0
    adds_up: AddsUp = "nowhere"
    per_character: int | None = None
    counted: list[int] = field(default_factory=list)

    def count(self, text: str) -> int:
        self.counted.append(len(text))
        return len(text)

    def borders(self, text: str) -> Borders:
        return CharacterCounter().borders(text)


class TestWork:
    @pytest.mark.parametrize("text", ["word " * 2000, "x" * 6000, "x\n\n" * 2000, " " * 9000 + "x" * 50])
    def test_grows_with_the_length_of_the_text(self, text: str) -> None:
        def characters_counted(text: str) -> int:
            spy = Spy()
            ruler = Ruler(text, spy)
            list(pack(shorten(pieces_of(text, paragraphs), FINEST, ruler, 40), ruler, size=40, overlap=20))
            return sum(spy.counted)

        once, twice = characters_counted(text), characters_counted(text * 2)
        assert once < twice < 2.2 * once

    def test_a_chunk_takes_a_handful_of_counts(self) -> None:
        spy = Spy()
        ruler = Ruler("word " * 1000, spy)
        pieces = pieces_of(ruler.text, words)
        chunks = list(pack(pieces, ruler, size=99, overlap=49))
        assert len(chunks) == 99
        assert len(spy.counted) <= 6 * len(chunks)

    @given(st.integers(0, 50), st.integers(0, 50), st.integers(-9, 60), st.integers(0, 60))
    def test_furthest_finds_the_border_from_any_guess(
        self, low: int, width: int, guess: int, border: int
    ) -> None:
        asked: list[int] = []

        def good(number: int) -> bool:
            asked.append(number)
            return number <= border

        high = low + width
        assert furthest(good, low=low, high=high, guess=guess) == max(low, min(border, high))
        assert all(low < number <= high for number in asked)
        assert len(asked) == len(set(asked)) <= 14


class TestTrimmed:
    @pytest.mark.parametrize(
        ("text", "start", "end", "kept"),
        [
            ("  a = 1\n", 0, 8, "  a = 1"),
            ("x\n\n   \n  a\n", 1, 11, "  a"),
            ("x\r\n\r\n  a", 1, 8, "  a"),
            ("x\r  a", 2, 5, "  a"),
            ("x  a", 1, 4, "a"),
            ("x\r\n  a", 2, 6, "  a"),
            ("\u3000a", 0, 2, "\u3000a"),
        ],
    )
    def test_keeps_the_indentation_of_a_line_it_begins(
        self, text: str, start: int, end: int, kept: str
    ) -> None:
        found = trimmed(text, start, end)
        assert found is not None
        assert text[slice(*found)] == kept

    @pytest.mark.parametrize("text", ["", " ", "\r\n\t\n"])
    def test_blank(self, text: str) -> None:
        assert trimmed(text, 0, len(text)) is None


class TestPlaces:
    def test_cr_lf_is_one_line_break(self) -> None:
        assert list(lines("a\r\nb\rc\nd\r\n", 0, 9)) == [3, 5, 7]
        assert list(paragraphs("a\r\nb\r\n\r\nc", 0, 9)) == [8]

    def test_a_line_of_white_space_is_blank(self) -> None:
        assert list(paragraphs("a\n \t\n\nb", 0, 8)) == [6]

    def test_parts_join_to_the_piece(self) -> None:
        text = "one  two\n\n   three"
        parts = cut(text, Piece(0, len(text), fresh=True), words(text, 0, len(text)))
        assert [text[part.start : part.end] for part in parts] == ["one", "two", "three"]
        assert [part.fresh for part in parts] == [True, False, False]

    def test_characters_as_a_reader_sees_them(self) -> None:
        text = f"e\u0301{FAMILY}x"
        assert list(clusters(text, 0, len(text))) == [2, 7]


class TestShorten:
    def shorter(self, text: str, size: int) -> list[str]:
        ruler = Ruler(text, counter_of("characters"))
        pieces = shorten(pieces_of(text, lines), FINEST, ruler, size)
        return [text[chunk.start : chunk.end] for chunk in pack(pieces, ruler, size=size)]

    def test_what_is_cut_begins_a_chunk_and_its_rest_joins_what_follows(self) -> None:
        assert self.shorter("ab\nabcdefg\nxy", 5) == ["ab", "abcde", "fg\nxy"]

    def test_a_piece_is_cut_at_words_before_characters(self) -> None:
        assert self.shorter("one two three", 7) == ["one two", "three"]

    def test_a_joined_emoji_stays_whole_where_it_fits(self) -> None:
        assert self.shorter(f"ab{FAMILY}c", 6) == ["ab", f"{FAMILY}c"]

    def test_a_character_of_many_code_points_is_cut_only_below_its_length(self) -> None:
        assert self.shorter("e\u0301" * 2, 1) == ["e", "\u0301", "e", "\u0301"]

    def test_indentation_gives_way_before_a_word_does(self) -> None:
        assert self.shorter("      abc", 4) == ["abc"]


class TestRemembered:
    def test_parts_are_found_once_for_all_sizes(self) -> None:
        calls: list[tuple[int, int]] = []

        def spied(text: str, start: int, end: int) -> list[int]:
            calls.append((start, end))
            return list(lines(text, start, end))

        text = "a line of some length\n" * 50
        ruler = Ruler(text, counter_of("characters"))
        level = Level(spied)
        whole = Piece(0, len(text))
        first = shorten([whole], (level,), ruler, 100)
        assert shorten([whole], (level,), ruler, 200) == first
        assert calls == [(0, len(text))]

    def test_there_is_an_end_to_what_is_remembered(self) -> None:
        text = "x " * 4000
        ruler = Ruler(text, counter_of("characters"))
        for size in (1, 2, 3):
            shorten([Piece(0, len(text))], (LINES, *FINEST), ruler, size)
        held = sum(len(parts) for parts, _ in ruler.remembered.values())
        assert held + ruler.room <= len(text) // 16
