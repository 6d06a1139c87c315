from __future__ import annotations

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measured import Measured
from strategies.document import Document
from strategies.units.characters import _WHITE

from .scene import measured


@given(st.text(alphabet=st.sampled_from("ab \n\t\x85\u00a0\u2003\u3000é漢😀\ud800"), max_size=30))
def test_non_white_characters_are_those_that_isspace_denies(text: str) -> None:
    counts = measured(text, []).non_white
    assert counts.dtype == np.int64
    assert counts.tolist() == [sum(not c.isspace() for c in text[:i]) for i in range(len(text) + 1)]


def test_no_white_space_lies_above_the_table() -> None:
    assert not any(chr(point).isspace() for point in range(len(_WHITE), sys.maxunicode + 1))


def test_tokens_start_inside_and_add_up() -> None:
    text = measured("one two three", token_starts=[0, 3, 7])  # "one", " two", " three"
    assert text.tokens(0, 13) == 3
    assert text.tokens(0, 3) == 1
    assert text.tokens(1, 3) == 0
    assert text.tokens(3, 4) == 1
    assert text.tokens(0, 5) + text.tokens(5, 13) == 3


def test_cut_at_tokens_ends_where_the_next_token_starts() -> None:
    text = measured("one two three", token_starts=[0, 3, 7])
    assert [text.cut_at_tokens(0, 13, n) for n in (1, 2, 3, 9)] == [3, 7, 13, 13]
    assert text.cut_at_tokens(1, 13, 1) == 7  # the rest of "one", whose token starts before, and " two"


def test_cut_never_holds_more_tokens_where_several_start_at_one_character() -> None:
    text = measured("a😀b", token_starts=[0, 1, 1, 1, 2])
    assert [text.cut_at_tokens(0, 3, n) for n in range(1, 6)] == [1, 1, 1, 2, 3]
    assert [text.tokens(0, end) for end in (1, 2, 3)] == [1, 4, 5]


def test_an_empty_document() -> None:
    empty = Measured.of(Document("d", ""), np.array([], dtype=np.int64))
    assert empty.non_white.tolist() == [0]
    assert empty.tokens(0, 0) == 0
    assert empty.cut_at_tokens(0, 0, 3) == 0
