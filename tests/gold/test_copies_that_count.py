"""Which copies of evidence will do in its stead, by hand and as laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold.copies_that_count import MOST_PLACES, whole_sentences, whole_words, with_copies
from evaluation.gold.nouns import Passage
from strategies.document import Document


def place(text: str) -> tuple[str, int, int]:
    """A text whose copy stands between angles, which are taken out: `in 20‹10›`."""
    start, end = text.index("‹"), text.index("›") - 1
    return text.replace("‹", "").replace("›", ""), start, end


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("in 20‹10›", False),
        ("‹10› men", True),
        ("‹10›.5 men", False),
        ("1,‹200› men", False),
        ("‹10›.", True),
        ("a percent‹age of 18 years›' rent", False),
        ("an ‹age of 18 years› and more", True),
        ("‹open›ing", False),
        ("‹open›\u00ading", False),
        ("‹open›_slowly", False),
        ("‹cafe›\u0301s", False),
        ("從‹大門›前進", True),
        ("第‹10›條", True),
        ("‹ประตู›เปิด", True),
        ("‹대문이 열›린다", False),
        ("‹all of it›", True),
    ],
)
def test_whole_words(text: str, is_one: bool) -> None:
    assert whole_words(*place(text)) == is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("‹The gate is open.›", True),
        ("Nobody should ever believe that ‹the gate is open.›", False),
        ("Nobody believes that ‹Peter is here.›", False),
        ("Nobody believes that\n‹the gate is open.›", False),
        ('He said "‹The gate is open.›"', False),
        ("It rains. ‹The gate is open.›", True),
        ("Hinges, bolts etc. ‹the gate is open.›", False),
        ("it rains\n\n‹the gate is open.›", True),
        ('"It rains." ‹The gate is open.›', True),
        ("## Gates\n\n‹The gate is open.›", True),
        ("Gates\n‹The gate is open.›", True),
        ("- first\n- ‹the gate is open.›", False),  # in doubt
        ("- first\n- ‹The gate is open.›", True),
        ("1. ‹The gate is open.›", True),
        ("| ‹The gate is open› | 3 |", True),
        ("<p>‹The gate is open.›</p>", True),
        ("Dr. Ames: ‹The gate is open.›", False),
        ("‹The gate is open›, they lie.", False),
        ("‹The gate is open› on Sundays.", False),
        ("‹The gate is open›\nonly on Sundays.", False),
        ("‹The gate is open›\n\nonly on Sundays.", True),
        ("‹The gate is open›. It rains.", True),
        ("def f():\n    ‹return x›\n", True),
        ("def f():\n    ‹return x› + 1\n", False),
        ("大門開。‹大門開著。›", True),
        ("沒有人相信‹大門開著。›", False),
    ],
)
def test_whole_sentences(text: str, is_one: bool) -> None:
    assert whole_sentences(*place(text)) == is_one


@given(st.text(st.sampled_from("ab1.,'犬 \n\u00ad\u0301"), max_size=12), st.data())
def test_sentences_are_of_words_and_the_whole_is_one(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert whole_words(text, start, end) or not whole_sentences(text, start, end)
    assert whole_words(text, 0, len(text))


def test_the_first_place_stays_first_and_what_overlaps_is_no_other() -> None:
    documents = {"a": Document("a", "ha ha ha ha ha"), "b": Document("b", "ha haha")}
    found = [*(Passage("a", at, at + 5) for at in (0, 3, 6, 9)), Passage("b", 0, 5)]
    entry = with_copies(Passage("a", 6, 11), found, documents, whole_words)
    assert entry is not None
    assert entry.passages == (Passage("a", 6, 11), Passage("a", 0, 5))
    entry = with_copies(Passage("b", 0, 2), found[:2], documents, whole_words)
    assert entry is not None
    assert entry.passages == (Passage("b", 0, 2), Passage("a", 0, 5))


def test_as_many_places_as_may_be() -> None:
    documents = {"a": Document("a", "gate " * (MOST_PLACES + 1))}
    found = [Passage("a", 5 * n, 5 * n + 4) for n in range(MOST_PLACES + 1)]
    entry = with_copies(found[3], found[:-1], documents, whole_words)
    assert entry is not None
    assert len(entry.passages) == MOST_PLACES
    assert with_copies(found[3], found, documents, whole_words) is None
