"""Fixed windows: spans worked by hand, and the parameters that are refused."""

from __future__ import annotations

import random
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.document import Document
from strategies.errors import BadInput
from strategies.fixed import Fixed
from strategies.tools import Tools
from strategies.units.counting import OffsetCounter
from strategies.units.encodings import TokenCounter


def spans(text: str, tools: Tools | None = None, **parameters: object) -> list[tuple[int, int]]:
    cuts = Fixed(**parameters).cuts(Document("one", text), tools or Tools())
    return [(cut.start, cut.end) for cut in cuts]


def pieces(text: str, tools: Tools | None = None, **parameters: object) -> list[str]:
    return [text[start:end] for start, end in spans(text, tools, **parameters)]


def oversize(text: str, **parameters: object) -> list[str]:
    cuts = Fixed(**parameters).cuts(Document("one", text), Tools())
    return [text[cut.start : cut.end] for cut in cuts if cut.oversize]


class TestWindows:
    def test_characters(self) -> None:
        assert spans("abcdefghij", size=4, unit="characters") == [(0, 4), (4, 8), (8, 10)]

    def test_overlap(self) -> None:
        assert spans("abcdefgh", size=4, overlap=1, unit="characters") == [(0, 4), (3, 7), (6, 8)]

    def test_the_last_window_never_only_repeats(self) -> None:
        assert spans("abcdefghij", size=8, overlap=4, unit="characters") == [(0, 8), (4, 10)]

    def test_words_keep_the_white_space_after_them(self) -> None:
        text = " one two  three\nfour"
        assert pieces(text, size=2, unit="words") == [" one two  ", "three\nfour"]

    def test_repeated_words_have_their_own_places(self) -> None:
        text = "tick tick tick tick tock tick"
        assert spans(text, size=2, overlap=1, unit="words") == [
            (0, 10),
            (5, 15),
            (10, 20),
            (15, 25),
            (20, 29),
        ]

    def test_tokens(self) -> None:
        assert pieces("The gate code changes on Monday.", size=3) == [
            "The gate code",
            " changes on Monday",
            ".",
        ]

    @given(length=st.integers(1, 300), size=st.integers(1, 50), share=st.floats(0, 1, exclude_max=True))
    def test_number_of_windows(self, length: int, size: int, share: float) -> None:
        overlap = int(size * share)
        found = spans("a" * length, size=size, overlap=overlap, unit="characters")
        assert len(found) == max(1, ceil((length - overlap) / (size - overlap)))

    @given(n=st.integers(1, 300), size=st.integers(1, 50), share=st.floats(0, 1, exclude_max=True))
    def test_number_of_windows_in_tokens(self, n: int, size: int, share: float) -> None:
        overlap = int(size * share)
        found = spans("hello" + " hello" * (n - 1), size=size, overlap=overlap)
        assert len(found) == max(1, ceil((n - overlap) / (size - overlap)))


def test_the_recount_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows are recounted at their edges, not whole: cutting stays near the price of counting once."""
    dice = random.Random(7)
    words = [
        "the",
        "gate",
        "opens",
        "at",
        "six.",
        "Visitors",
        "sign",
        "book,",
        "which",
        "is",
        "blue;",
        "42",
        "rules",
    ]
    document = Document("one", " ".join(dice.choices(words, k=60_000)))

    counted = 0
    count = TokenCounter.count

    def counting(self: TokenCounter, text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count(self, text)

    monkeypatch.setattr(TokenCounter, "count", counting)
    assert len(list(Fixed(size=256).cuts(document, Tools()))) > 200
    assert 0 < counted < len(document.text) / 4  # all of it, if every window were counted whole


class TestWhiteSpace:
    def test_a_blank_document_has_no_windows(self) -> None:
        assert spans("", size=3) == []
        assert spans(" \r\n\u3000\t", size=3) == []

    def test_blank_windows_are_left_out(self) -> None:
        assert pieces("ab" + " " * 10 + "cd", size=4, unit="characters") == ["ab  ", "cd"]

    def test_a_window_that_adds_only_white_space_is_left_out(self) -> None:
        assert pieces("abcd    \n", size=4, overlap=2, unit="characters") == ["abcd"]
        assert pieces("abcd    ef", size=4, overlap=2, unit="characters") == ["abcd", "  ef"]


class TestRecount:
    """Counts of tokens do not add up: a window that counts more when taken alone ends earlier."""

    @staticmethod
    def tools() -> Tools:
        # A tokenizer that needs one piece more for a text which begins with a consonant.
        def offsets(text: str) -> list[tuple[int, int]]:
            pairs = [(i, min(i + 2, len(text))) for i in range(0, len(text), 2)]
            return [(0, 0), *pairs] if text[:1] in ("b", "d", "f") else pairs

        return Tools(counters={"embedder": OffsetCounter("embedder", offsets)})

    def test_the_next_window_starts_where_the_short_one_ended(self) -> None:
        text = "axbxcxdxexfxgx"
        assert pieces(text, self.tools(), size=3, unit="embedder") == ["axbxcx", "dxex", "fxgx"]

    def test_with_overlap(self) -> None:
        text = "axbxcxdxexfxgx"
        found = pieces(text, self.tools(), size=3, overlap=1, unit="embedder")
        assert found == ["axbxcx", "cxdxex", "exfxgx"]

    def test_windows_that_fell_back_into_the_one_before_are_left_out(self) -> None:
        text = "axbxcxdxexfxgx"
        found = pieces(text, self.tools(), size=3, overlap=2, unit="embedder")
        assert found == ["axbxcx", "cxdxex", "exfxgx"]

    def test_special_tokens_take_their_room(self, tools: Tools) -> None:
        text = "one two three four five six"
        assert pieces(text, tools, size=5, unit="embedder+special") == ["one two three ", "four five six"]


class TestAtoms:
    def test_one_character_wider_than_the_size_is_oversize(self) -> None:
        # The owl is three cl100k tokens, the letters are one each.
        assert pieces("a🦉b", size=2) == ["a", "🦉", "b"]
        assert oversize("a🦉b", size=2) == ["🦉"]
        assert oversize("a🦉b", size=3) == []

    def test_overlap_begins_at_a_whole_character_within_it(self) -> None:
        # a=1 🦉=3 b=1: two tokens before the end of the first window begin inside the owl.
        assert pieces("a🦉b c d", size=5, overlap=2) == ["a🦉b", "b c d"]

    def test_graphemes_are_cut_unless_asked(self) -> None:
        family = "👩\u200d👩\u200d👧"
        assert len(pieces(family, size=1, unit="characters")) == 5
        assert pieces(f"a{family}b", size=3, unit="characters", keep_graphemes=True) == ["a", family, "b"]
        assert oversize(f"a{family}b", size=3, unit="characters", keep_graphemes=True) == [family]

    @pytest.mark.parametrize("size", range(1, 7))
    @pytest.mark.parametrize("unit", ["characters", "cl100k_base"])
    def test_no_chunk_starts_inside_a_grapheme(self, size: int, unit: str) -> None:
        as_read = [
            "n\u0303",
            "o",
            " \u0301",
            "👨\u200d👩\u200d👧",
            " ",
            "🇳🇱",
            "🇩🇪",
            "👍🏽",
            " ",
            "❤\ufe0f",
            "\r\n",
        ]
        as_read += ["क्षि", "각", "\n\u0302", "x", "a\U0001f3fd"]
        borders = {sum(map(len, as_read[:n])) for n in range(len(as_read))}
        for overlap in range(size):
            found = spans("".join(as_read), size=size, overlap=overlap, unit=unit, keep_graphemes=True)
            assert {start for start, _ in found} <= borders

    def test_a_long_run_of_marks_is_one_atom(self) -> None:
        text = "a" + "\u0301" * 20_000
        assert pieces(text, size=4, unit="characters", keep_graphemes=True) == [text]


class TestParameters:
    def test_stride_is_overlap_from_the_other_side(self) -> None:
        assert Fixed(size=100, stride=60) == Fixed(size=100, overlap=40) == Fixed(size=100, overlap="40%")
        assert Fixed(size=100, stride=100) == Fixed(size=100)

    def test_shares_round_down(self) -> None:
        assert Fixed(size=96, overlap="25%").overlap == 24
        assert Fixed(size=99, overlap="25%").overlap == 24

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"size": 10, "overlap": 10}, "overlap: 10 is not less than size 10. Use 0 to 9"),
            ({"size": 10, "overlap": 11}, "overlap: 11 is not less than size 10. Use 0 to 9"),
            ({"size": 10, "overlap": -1}, "overlap: is -1. Use 0 or more"),
            ({"size": 10, "overlap": "100%"}, "overlap: is 100%. A share must stay under 100%"),
            ({"size": 0}, "size: is 0. Use 1 or more"),
            ({"size": 10.5}, "size: is 10.5, not a whole number"),
            ({"size": True}, "size: is true, a truth value, not a whole number"),
            ({"size": 10, "stride": 0}, "stride: is 0. Use 1 to 10"),
            ({"size": 10, "stride": 11}, "stride: is 11. Use 1 to 10"),
            ({"size": 10, "stride": 5, "overlap": 2}, "stride: stands beside overlap. Give one of the two"),
            ({"size": 10, "unit": "wrods"}, "unit: 'wrods' is not a unit. Did you mean words?"),
        ],
    )
    def test_bad_parameters_cannot_be_made(self, parameters: dict[str, object], message: str) -> None:
        with pytest.raises(ValueError) as error:
            Fixed(**parameters)
        assert isinstance(error.value, BadInput)
        assert str(error.value).startswith(message)

    def test_all_problems_are_reported_together(self) -> None:
        with pytest.raises(BadInput) as error:
            Fixed(size=10, overlap=12, unit="wrods", keep_graphemes="yes")
        assert {problem.where for problem in error.value.problems} == {"overlap", "unit", "keep_graphemes"}
