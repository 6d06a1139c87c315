"""Separators from coarse to fine: worked examples, line breaks, lists that are refused."""

from __future__ import annotations

import pytest

from strategies.document import Document
from strategies.errors import BadInput
from strategies.recursive import SEPARATORS, Recursive, after
from strategies.tools import Tools


def chunks(text: str, unit: str = "characters", **parameters: object) -> list[str]:
    cuts = Recursive(unit=unit, **parameters).cuts(Document("one", text), Tools())
    return [text[cut.start : cut.end] for cut in cuts]


class TestLevels:
    def test_the_coarsest_separator_that_is_enough(self) -> None:
        text = "Ash bin left.\n\nTin bin. Oak bin.\n\nElm bin"
        assert chunks(text, size=17) == ["Ash bin left.", "Tin bin. Oak bin.", "Elm bin"]

    def test_only_what_is_too_long_is_cut_finer(self) -> None:
        text = "one two\n\nthree four five six seven. eight nine ten"
        assert chunks(text, size=30) == ["one two", "three four five six seven.", "eight nine ten"]

    def test_neighbours_join_whichever_separator_made_them(self) -> None:
        text = "one\n\ntwo two. three three three\n\nfour"
        assert chunks(text, size=14) == ["one\n\ntwo two.", "three three", "three\n\nfour"]

    def test_separators_stay_with_the_piece_before(self) -> None:
        assert chunks("red, blue, green", size=10, separators=[","]) == ["red, blue,", "green"]

    def test_repeated_separators_are_kept(self) -> None:
        text = "next,,last,,,end"
        assert "".join(chunks(text, size=6, separators=[","])) == text

    def test_white_space_inside_a_chunk_is_untouched(self) -> None:
        text = "def g():\n    y  =  2\n\n\n    return y\n"
        assert chunks(text, size=20) == ["def g():\n    y  =  2", "    return y"]

    def test_an_empty_separator_cuts_characters(self) -> None:
        assert chunks("abcdef gh", size=4, separators=[""]) == ["abcd", "ef g", "h"]

    def test_without_it_words_and_characters_still_keep_the_size(self) -> None:
        assert chunks("ab cd\n\nefghijk", size=5, separators=["\n\n"]) == ["ab cd", "efghi", "jk"]

    def test_separators_are_literal(self) -> None:
        assert chunks("a.b|c.d", size=4, separators=["|", "."]) == ["a.b|", "c.d"]
        assert chunks("aXbXcX", size=2, separators=["."]) == ["aX", "bX", "cX"]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_a_line_feed_stands_for_any_line_break(self, end: str) -> None:
        text = f"one one{end}{end}two{end}two{end}{end}{end}six six"
        assert chunks(text, "words", size=2) == ["one one", f"two{end}two", "six six"]

    def test_a_carriage_return_and_line_feed_are_one_break(self) -> None:
        assert list(after("\n\n").places("a\r\nb\r\n\r\nc", 0, 9)) == [8]
        assert list(after("\r\n").places("a\nb\r\nc", 0, 6)) == [5]


class TestOverlap:
    def test_whole_pieces(self) -> None:
        text = "aa. bb. cc. dd."
        assert chunks(text, size=7, overlap=3, separators=[". "]) == ["aa. bb.", "bb. cc.", "cc. dd."]

    def test_short_paragraphs_that_fit_share_nothing(self) -> None:
        text = "Ash bin: left.\n\nTin bin: right.\n\nOak bin: back."
        assert chunks(text, size=20, overlap=8) == text.split("\n\n")

    def test_repeated_words_keep_their_own_places(self) -> None:
        text = "tock tock tock tock tick tock"
        cuts = list(
            Recursive(size=9, overlap=4, unit="characters", separators=[" "]).cuts(
                Document("one", text), Tools()
            )
        )
        assert [cut.start for cut in cuts] == [0, 5, 10, 15, 20]
        assert all(len(text[cut.start : cut.end]) == 9 for cut in cuts)


class TestSize:
    @pytest.mark.parametrize("size", [8, 13, 32])
    def test_is_that_of_the_joined_text(self, size: int) -> None:
        counter = Tools().counter("cl100k_base")
        text = "b b b b b b b b b b b b b -/\nc c c c -/\n" * 8
        assert all(counter.count(chunk) <= size for chunk in chunks(text, "cl100k_base", size=size))

    def test_one_character_above_the_size_is_oversize(self) -> None:
        cuts = list(Recursive(size=1).cuts(Document("one", "x 𓀀 y"), Tools()))
        assert [(cut.start, cut.end, cut.oversize) for cut in cuts] == [
            (0, 1, False),
            (2, 3, True),
            (4, 5, False),
        ]

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize(
        "text", ["a" * 1_000_000, "\n" * 1_000_000 + "x", "a\n" * 200_000, ". " * 200_000]
    )
    def test_any_text_ends(self, text: str) -> None:
        cuts = list(Recursive(size=900, overlap=90).cuts(Document("one", text), Tools()))
        assert cuts[-1].end == len(text.rstrip())

    def test_many_separators_need_no_deep_stack(self) -> None:
        separators = [f"<{number}>" for number in range(3000)]
        assert chunks("ab<2999>cd", size=9, separators=separators) == ["ab<2999>", "cd"]


class TestParameters:
    @pytest.mark.parametrize("separators", [[], ["", " "], [" ", " "], "; ", [1]])
    def test_lists_that_are_refused(self, separators: object) -> None:
        with pytest.raises(BadInput, match="separators"):
            Recursive(size=10, separators=separators)

    def test_everything_wrong_is_told_at_once(self) -> None:
        with pytest.raises(BadInput) as caught:
            Recursive(size=10, overlap=10, separators=[], unit="inches")
        assert sorted(problem.where for problem in caught.value.problems) == ["overlap", "separators", "unit"]

    def test_a_list_and_a_tuple_are_the_same_strategy(self) -> None:
        assert Recursive(size=10, separators=list(SEPARATORS)) == Recursive(size=10)
