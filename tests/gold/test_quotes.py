"""Folding, and the way back to the original text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.gold.quotes import Corpus, Quote, fold, occurrences
from strategies.document import Document

# Letters with and without marks, ligatures, sharp s, Hangul, quotes, dashes, blanks, invisible characters.
ALPHABET = (
    "aAb.'\"- \n\t\u00a0\u3000éÉe\u0301\u0323ßﬁﬂİσς한\u1112\u1161“”‘’–—−…²½\u00ad\u200b\u2060\ufeff´¨ｶﾞ🙂"
)
TEXTS = st.text(alphabet=ALPHABET, max_size=14)
UNSEEN = "\u00ad\u200b\u2060\ufeff"


def is_mark(character: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", character)[0]) != 0


def corpus(text: str) -> Corpus:
    return Corpus({"d": Document("d", text)})


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße", "strasse"),
        ("ﬁne print…", "fine print..."),
        ("It’s “so” – or ‘not’ — at −5", "it's \"so\" - or 'not' - at -5"),
        ("one \r\n\t two\u00a0three", "one two three"),
        ("co\u00adop \u200b ed", "coop ed"),
        ("e\u0301", "e\u0301"),
        ("é", "e\u0301"),
        ("", ""),
    ],
)
def test_what_folds_to_what(text: str, folded: str) -> None:
    assert fold(text).text == folded


@given(TEXTS)
@example("a\u0301\u0323")
@example("한")
@example("\u03b1\u0345\u0301")
@example("ｶ\u0323ﾞ")
def test_unicode_forms_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)).text == fold(text).text
    assert fold(unicodedata.normalize("NFD", text)).text == fold(text).text
    # Compatibility forms take a spacing accent for a blank and a mark; folding does not.
    plain = text.replace("´", "").replace("¨", "")
    assert fold(unicodedata.normalize("NFKC", plain)).text == fold(plain).text


@given(st.text(max_size=30))
def test_the_way_back_covers_the_text_in_order(text: str) -> None:
    folded = fold(text)
    clusters = [folded.cluster(at) for at in range(len(folded.text))]
    assert clusters == sorted(clusters)
    assert all(start < end for start, end in clusters)
    # What no folded character comes from is invisible.
    covered = {at for start, end in clusters for at in range(start, end)}
    assert all(text[at] in UNSEEN for at in range(len(text)) if at not in covered)


@given(TEXTS, st.data())
def test_places_alike_are_those_that_fold_alike(text: str, data: st.DataObject) -> None:
    """Against every range of the text, folded one by one."""
    start = data.draw(st.integers(0, len(text)))
    quote = Quote(text[start : data.draw(st.integers(start, len(text)))])
    if not quote.folded:
        return

    def blank(at: int) -> bool:
        return text[at].isspace() or text[at] in UNSEEN

    def whole(start: int, end: int) -> bool:
        """No mark of a letter is cut off, and the ends can be seen."""
        opens = not is_mark(text[start]) or start == 0 or blank(start - 1)
        closes = end == len(text) or not is_mark(text[end])
        return opens and closes and not blank(start) and not blank(end - 1)

    ranges = [(a, b) for a in range(len(text)) for b in range(a + 1, len(text) + 1) if whole(a, b)]
    expected = [(a, b) for a, b in ranges if fold(text[a:b]).text == quote.folded]
    assert list(corpus(text).alike("d", quote)) == expected


@given(TEXTS, TEXTS, st.text(alphabet="abé ß", min_size=1, max_size=6))
def test_a_retyped_quote_is_found(before: str, after: str, words: str) -> None:
    words = words.strip()
    if not words:
        return
    retyped = unicodedata.normalize("NFD", words.upper()).replace(" ", " \n ")
    text = f"{before} {words} {after}"
    found = list(corpus(text).alike("d", Quote(retyped)))
    assert all(fold(text[a:b]).text == fold(words).text for a, b in found)
    assert len(before) + 1 in [a for a, _ in found]


def test_the_way_back_takes_memory_only_where_it_bends() -> None:
    folded = fold("Plain words and more of them. " * 1000 + "caf\u00e9" + " and so on" * 1000)
    assert len(folded.text) == 30_000 + 5 + 10_000
    assert len(folded.runs) == len(folded.shifts) == len(folded.widths) == 2


def test_half_a_character_is_no_match() -> None:
    assert list(corpus("a ﬁn").alike("d", Quote("in"))) == []
    assert list(corpus("cafe\u0301").alike("d", Quote("cafe"))) == []
    assert list(corpus("a ﬁn").alike("d", Quote("FIN"))) == [(2, 4)]
    assert list(corpus("ｶﾞ").alike("d", Quote("カ"))) == []
    assert list(corpus("ｶﾞ").alike("d", Quote("ガ"))) == [(0, 2)]


def test_repeats_are_counted_with_and_without_overlap() -> None:
    assert list(occurrences("aaaa", "aa", overlapping=True)) == [0, 1, 2]
    assert list(occurrences("aaaa", "aa", overlapping=False)) == [0, 2]


def test_every_place_counts_however_it_is_set() -> None:
    text = "Pay in 30 days.\nPay in\n30 days. Pay in 31 days."
    assert corpus(text).every("d", Quote("Pay in 30 days")) == [(0, 14), (16, 30)]


def test_many_marks_on_one_letter_end_and_keep_their_places() -> None:
    text = "a" + "\u0323\u0301" * 50_000 + "b"
    folded = fold(text)
    assert folded.text[-1] == "b"
    assert folded.widths.max() <= 31
    assert folded.original(len(folded.text) - 1, len(folded.text)) == (len(text) - 1, len(text))
