"""Sentences: where they end, how they are packed, and which parameters are refused."""

from __future__ import annotations

from itertools import pairwise

import pytest
import sentencex
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import build, canonical, segmenting
from strategies.document import Document
from strategies.errors import BadInput
from strategies.pieces import Piece
from strategies.segmenting import sentences
from strategies.sentence import Sentence, windows
from strategies.tools import Tools


def chunks(text: str, **parameters: object) -> list[str]:
    cuts = Sentence(**parameters).cuts(Document("one", text), Tools())
    return [text[cut.start : cut.end] for cut in cuts]


def one_by_one(text: str, language: str = "en") -> list[str]:
    return chunks(text, sentences=1, language=language)


class TestSegmenting:
    @pytest.mark.parametrize(
        "text",
        [
            "Dr. Ames signed the lease, i.e. the long one, at 9.30 p.m. on Monday",
            "It weighs 3.5 kg and costs $4.20",
            "J. R. Hale wrote it",
            "See www.gate.example for the map",
        ],
    )
    def test_not_every_dot_ends_a_sentence(self, text: str) -> None:
        assert one_by_one(f"{text}. Then it rained.") == [f"{text}.", "Then it rained."]

    def test_other_marks_end_sentences(self) -> None:
        assert one_by_one("Who goes? Nobody! So be it.") == ["Who goes?", "Nobody!", "So be it."]

    def test_chinese_and_japanese_need_no_space(self) -> None:
        assert one_by_one("门关了。谁去？快走！", "zh") == ["门关了。", "谁去？", "快走！"]
        assert one_by_one("門は六時に開く。鍵は二回。", "ja") == ["門は六時に開く。", "鍵は二回。"]

    def test_the_language_knows_its_abbreviations(self) -> None:
        text = "Das gilt z. B. am 3. Mai. Sonst nicht."
        assert one_by_one(text, "de") == ["Das gilt z. B. am 3. Mai.", "Sonst nicht."]

    @pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\r\r", "\n  \n", "\n\n\n"])
    def test_a_blank_line_ends_a_sentence(self, gap: str) -> None:
        assert one_by_one(f"Gate rules{gap}the gate shuts at six") == ["Gate rules", "the gate shuts at six"]

    def test_a_line_break_does_not(self) -> None:
        assert one_by_one("The gate\r\nshuts at six. Go home.") == ["The gate\r\nshuts at six.", "Go home."]

    def test_a_sentence_longer_than_a_window_stays_one(self) -> None:
        long = "and so on " * 500
        assert one_by_one(f"First one. Then {long}end. Last one.") == [
            "First one.",
            f"Then {long}end.",
            "Last one.",
        ]

    @given(st.lists(st.integers(1, 400), min_size=30, max_size=60))
    @settings(max_examples=20, deadline=None)
    def test_windows_change_nothing(self, lengths: list[int]) -> None:
        text = " ".join(f"The gate {'w' * length} shuts at 6.30 p.m. sharp." for length in lengths)
        whole = sentencex.segment("en", text)
        assert len(whole) == len(lengths)
        found = [0, *sentences(text, 0, len(text)), len(text)]
        assert [len(part) for part in whole] == [b - a for a, b in pairwise(found)]

    @pytest.mark.parametrize(
        "text", ["A.\x85B. C", "Mr.\u2028No. \ud800x", "a.\u3000B. C", "\x1c. \x0b\x0c. A", "\ufeff. \0. B."]
    )
    def test_odd_characters_are_no_reason_to_stop(self, text: str) -> None:
        assert "".join("".join(one_by_one(text)).split()) == "".join(text.split())

    def test_a_panic_of_the_library_leaves_the_text_whole(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class PanicException(BaseException):
            pass

        def panic(language: str, text: str) -> list[str]:
            raise PanicException

        monkeypatch.setattr(segmenting.sentencex, "segment", panic)
        assert one_by_one("One here. Two here.\n\nThree.") == ["One here. Two here.", "Three."]

    def test_an_interrupt_is_not_swallowed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(language: str, text: str) -> list[str]:
            raise KeyboardInterrupt

        monkeypatch.setattr(segmenting.sentencex, "segment", interrupted)
        with pytest.raises(KeyboardInterrupt):
            one_by_one("One here. Two here.")

    def test_segments_that_do_not_join_back_lose_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def careless(language: str, text: str) -> list[str]:
            return ["One here.", "never written", "Three here."]

        monkeypatch.setattr(segmenting.sentencex, "segment", careless)
        assert one_by_one("One here. Two here. Three here. ") == ["One here. Two here.", "Three here."]


class TestPacking:
    TEXT = "One is here. Two is here. Three is here. Four is here."

    def test_whole_sentences_up_to_the_size(self) -> None:
        assert chunks(self.TEXT, size=6, unit="words") == [
            "One is here. Two is here.",
            "Three is here. Four is here.",
        ]

    def test_overlap_is_whole_sentences(self) -> None:
        assert chunks(self.TEXT, size=6, overlap=5, unit="words") == [
            "One is here. Two is here.",
            "Two is here. Three is here.",
            "Three is here. Four is here.",
        ]
        assert chunks(self.TEXT, size=6, overlap=2, unit="words") == chunks(self.TEXT, size=6, unit="words")

    def test_a_longer_sentence_is_cut_at_words_and_begins_a_chunk(self) -> None:
        text = "Go on. The old gate shuts at six every day. Go home."
        assert chunks(text, size=4, unit="words") == [
            "Go on.",
            "The old gate shuts",
            "at six every day.",
            "Go home.",
        ]

    def test_a_list_without_full_stops_is_cut_at_line_ends(self) -> None:
        assert chunks("six of one\nhalf a dozen\nof the other", size=5, unit="words") == [
            "six of one",
            "half a dozen",
            "of the other",
        ]

    def test_a_longer_word_is_cut_at_characters(self) -> None:
        assert chunks("abcdefgh. I.", size=5, unit="characters") == ["abcde", "fgh.", "I."]

    def test_spaces_and_commas_stay(self) -> None:
        text = "Gate,,one  is\n shut. Two,,,is open."
        assert chunks(text, size=100) == [text]

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize("text", ["a" * 1_000_000, "门" * 100_000, "门。" * 50_000, "“a. " * 50_000])
    def test_long_texts_without_ends_or_with_nothing_else(self, text: str) -> None:
        cuts = list(Sentence(size=5000, unit="characters").cuts(Document("one", text), Tools()))
        assert all(cut.end - cut.start <= 5000 for cut in cuts)
        assert sum(cut.end - cut.start for cut in cuts) >= len(text) - 2 * len(cuts)


class TestNumberOfSentences:
    TEXT = "One. Two. Three. Four. Five."

    @pytest.mark.parametrize(
        ("count", "overlap", "expected"),
        [
            (2, 0, ["One. Two.", "Three. Four.", "Five."]),
            (3, 1, ["One. Two. Three.", "Three. Four. Five."]),
            (3, 2, ["One. Two. Three.", "Two. Three. Four.", "Three. Four. Five."]),
            (5, 4, ["One. Two. Three. Four. Five."]),
            (9, 8, ["One. Two. Three. Four. Five."]),
        ],
    )
    def test_windows(self, count: int, overlap: int, expected: list[str]) -> None:
        assert chunks(self.TEXT, sentences=count, overlap_sentences=overlap) == expected

    def test_a_blank_text_has_none(self) -> None:
        assert chunks(" \r\n", sentences=2) == []

    @given(st.integers(0, 40), st.integers(1, 9), st.integers(0, 8))
    def test_every_piece_is_in_a_chunk_and_the_last_is_new(self, n: int, count: int, overlap: int) -> None:
        overlap = min(overlap, count - 1)
        found = list(windows([Piece(i, i + 1) for i in range(n)], count, overlap))
        assert {i for cut in found for i in range(cut.start, cut.end)} == set(range(n))
        ends = [cut.end for cut in found]
        assert ends == sorted(set(ends))
        assert all(cut.end - cut.start == count for cut in found[:-1])


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "where"),
        [
            ({}, ["size"]),
            ({"size": 10, "sentences": 2}, ["sentences"]),
            ({"size": 10, "overlap": 10}, ["overlap"]),
            ({"size": 0}, ["size"]),
            ({"size": 10, "overlap_sentences": 1}, ["overlap_sentences"]),
            ({"sentences": 2, "overlap": 1}, ["overlap"]),
            ({"sentences": 0}, ["sentences"]),
            ({"sentences": 2, "overlap_sentences": 2}, ["overlap_sentences"]),
            ({"sentences": 2, "overlap_sentences": -1}, ["overlap_sentences"]),
            ({"sentences": "2"}, ["sentences"]),
            ({"size": 10, "language": "de-AT"}, ["language"]),
            (
                {"size": 10, "overlap": 12, "sentences": 0, "language": ""},
                ["overlap", "language", "sentences", "sentences"],
            ),
        ],
    )
    def test_bad_ones_are_refused_together(self, parameters: dict[str, object], where: list[str]) -> None:
        with pytest.raises(BadInput) as caught:
            Sentence(**parameters)
        assert sorted(problem.where for problem in caught.value.problems) == sorted(where)

    def test_a_share_of_the_size(self) -> None:
        assert Sentence(size=40, overlap="25%") == Sentence(size=40, overlap=10)


def test_a_unit_that_counts_nothing_makes_no_difference() -> None:
    one, other = build("sentence", {"sentences": 2}), build("sentence", {"sentences": 2, "unit": "words"})
    assert one == other
    assert canonical(one) == canonical(other)
    assert canonical(one)["unit"] == "cl100k_base"
