"""Paragraphs: what ends one, how they are packed, and how a long one is cut."""

from __future__ import annotations

import pytest

from strategies.document import Document
from strategies.errors import BadInput
from strategies.paragraph import Paragraph
from strategies.tools import Tools


def chunks(text: str, **parameters: object) -> list[str]:
    cuts = Paragraph(**parameters).cuts(Document("one", text), Tools())
    return [text[cut.start : cut.end] for cut in cuts]


class TestBorders:
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_any_line_break_makes_the_same_paragraphs(self, end: str) -> None:
        text = f"# Boiler{end}{end}The tank is{end}drained in May.{end}{end}Call Ida first.{end}"
        assert chunks(text, size=6, unit="words") == [
            "# Boiler",
            f"The tank is{end}drained in May.",
            "Call Ida first.",
        ]

    def test_positions_are_those_of_the_text_as_it_stands(self) -> None:
        text = "# Boiler\r\n\r\nThe tank is drained.\r\n"
        cuts = list(Paragraph(size=4, unit="words").cuts(Document("one", text), Tools()))
        assert [(cut.start, cut.end) for cut in cuts] == [(0, 8), (12, 32)]

    def test_lines_of_white_space_are_blank(self) -> None:
        assert chunks("one\n   \ntwo\n\t\n \nthree", size=1, unit="words") == ["one", "two", "three"]

    def test_indentation_of_a_first_line_stays(self) -> None:
        assert chunks("\n\none\n\n\n   two\n   three\n", size=2, unit="words") == ["one", "   two\n   three"]


class TestPacking:
    def test_short_paragraphs_share_a_chunk_as_they_stand(self) -> None:
        text = "Ash bin: left.\n\nTin bin: right.\n\nOak bin: back."
        assert chunks(text, size=6, unit="words") == [
            "Ash bin: left.\n\nTin bin: right.",
            "Oak bin: back.",
        ]

    def test_overlap_is_whole_paragraphs_or_nothing(self) -> None:
        text = "Ash bin: left.\n\nTin bin: right.\n\nOak bin: back."
        assert chunks(text, size=20, overlap=8, unit="characters") == text.split("\n\n")
        assert chunks(text, size=32, overlap=16, unit="characters") == [
            "Ash bin: left.\n\nTin bin: right.",
            "Tin bin: right.\n\nOak bin: back.",
        ]

    def test_a_longer_one_is_cut_at_sentences_that_join_their_neighbours(self) -> None:
        text = "Boiler notes\n\nThe tank is full. Drain it at noon. Call Ida first.\n\nThe end"
        assert chunks(text, size=6, unit="words") == [
            "Boiler notes\n\nThe tank is full.",
            "Drain it at noon.",
            "Call Ida first.\n\nThe end",
        ]

    def test_a_longer_sentence_is_cut_at_line_ends_then_words_then_characters(self) -> None:
        assert chunks("12:00 on\n12:30 off\n13:00 on", size=4, unit="words") == [
            "12:00 on\n12:30 off",
            "13:00 on",
        ]
        assert chunks("the tank is drained in May", size=11, unit="characters") == [
            "the tank is",
            "drained in",
            "May",
        ]
        assert chunks("abcdefgh ij", size=5, unit="characters") == ["abcde", "fgh", "ij"]

    def test_tokens_of_joined_paragraphs_count_the_gaps_too(self) -> None:
        tools = Tools()
        text = "\n\n".join("a" for _ in range(40))
        cuts = list(Paragraph(size=8).cuts(Document("one", text), tools))
        counts = [tools.counter("cl100k_base").count(text[cut.start : cut.end]) for cut in cuts]
        assert set(counts[:-1]) == {7}

    def test_a_blank_text_has_no_chunks(self) -> None:
        assert chunks("\n \r\n", size=3) == []


class TestParameters:
    @pytest.mark.parametrize(
        ("size", "overlap"), [(10, 10), (10, 11), (0, 0), (10, -1), ("ten", 0), (10, "100%")]
    )
    def test_pairs_that_cannot_be(self, size: object, overlap: object) -> None:
        with pytest.raises(BadInput):
            Paragraph(size=size, overlap=overlap)
