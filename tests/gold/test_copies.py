"""Places of quotes found in one pass: what the search of one quote in one document finds, and no other."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.gold import copies
from evaluation.gold.copies import find_places, fold_quote
from evaluation.gold.quotes import Corpus, Quote
from strategies.document import Document

LETTERS = st.sampled_from(
    ["a", "a", "a", "b", "A", " ", "\n", "\u0301", "é", "\u00ad", "’", "ß", "İ", "中", "ﬁ"]
)
"""Few letters, so that much repeats; and what folds to more, to fewer, to none, or joins what precedes it."""
REPEATED = st.builds(lambda part, times: part * times, st.text(LETTERS, max_size=6), st.integers(0, 12))
TEXTS = st.text(LETTERS, max_size=60) | REPEATED


def naive(documents: list[Document], quote: str) -> list[tuple[int, int, int]]:
    """As one would look for one quote."""
    corpus = Corpus({document.id: document for document in documents})
    return [
        (number, start, end)
        for number, document in enumerate(documents)
        for start, end in corpus.alike(document.id, Quote(quote))
    ]


def found(documents: list[Document], quotes: list[str]) -> list[list[tuple[int, int, int]]]:
    return [
        list(zip(places.documents.tolist(), places.starts.tolist(), places.ends.tolist(), strict=True))
        for places in find_places(documents, [fold_quote(quote) for quote in quotes])
    ]


@given(st.data(), st.lists(TEXTS, max_size=4), st.sampled_from([1, 30, 1_000_000]))
@example(None, ["ab" * 40], 1_000_000)
def test_every_place_is_found_and_no_other(
    data: st.DataObject | None, texts: list[str], at_once: int
) -> None:
    documents = [Document(f"{number}.txt", text) for number, text in enumerate(texts)]
    quotes = ["ab" * 20, "", "ba"] if data is None else data.draw(st.lists(TEXTS, max_size=4))
    for text in texts if data is not None else []:
        ends = data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))
        quotes.append(text[min(ends) : max(ends)])
    with pytest.MonkeyPatch.context() as patch:
        # Documents and candidates one by one, some together, all together.
        patch.setattr(copies, "CHARACTERS_AT_ONCE", at_once)
        patch.setattr(copies, "PAIRS_AT_ONCE", at_once)
        assert found(documents, quotes) == [naive(documents, quote) for quote in quotes]


@given(TEXTS)
def test_a_quote_is_folded_as_ever(text: str) -> None:
    assert fold_quote(text) == Quote(text).folded


def test_windows_with_equal_numbers_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "_mixed", lambda numbers: numbers * 0)  # every window has one number
    documents = [Document("a.txt", "the gate, the goat and the gate")]
    quotes = ["the gate", "the goat", "the gait", "the", "e"]
    assert found(documents, quotes) == [naive(documents, quote) for quote in quotes]


def test_no_quote_reaches_from_one_document_into_the_next() -> None:
    documents = [Document("a.txt", "ends here"), Document("b.txt", "here it begins")]
    assert found(documents, ["here", "here here", "herehere"]) == [[(0, 5, 9), (1, 0, 4)], [], []]


def test_long_quotes_and_many_of_one_beginning() -> None:
    lines = [f"{'the same beginning of every line, ' * 3}line {n}.\n" for n in range(300)]
    documents = [Document("a.txt", "".join(lines)), Document("b.txt", "".join(reversed(lines)))]
    places = found(documents, [*lines, "".join(lines)])
    assert all([number for number, _, _ in hits] == [0, 1] for hits in places[:-1])
    assert places[-1] == [(0, 0, len("".join(lines).rstrip()))] or places[-1][0][0] == 0
    assert len(places[-1]) == 1
