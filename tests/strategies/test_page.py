"""Pages: form feeds and marks, whole pages, pages cut to a size, small pages joined."""

from __future__ import annotations

import pytest
from contract import check
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies.document import Document, Mark
from strategies.errors import BadInput
from strategies.outline import outline
from strategies.page import Page
from strategies.splitting import split
from strategies.tools import Tools

TOOLS = Tools()
BOOK = "The gate opens.\nSix it is.\f\n \fDogs stay outside. Cats may pass. \fThe end.\n"


def chunks(text: str, marks: tuple[Mark, ...] = (), **parameters: object) -> list[tuple[str | None, str]]:
    """Page and text of every chunk, sizes in words."""
    words = {"unit": "words"} | parameters
    found = split(Document("book.txt", text, marks=marks), Page(**words), TOOLS)
    return [(chunk.page, chunk.text) for chunk in found]


def texts(text: str, marks: tuple[Mark, ...] = (), **parameters: object) -> list[str]:
    return [text for _, text in chunks(text, marks, **parameters)]


class TestPages:
    def test_form_feeds_end_pages_and_blank_ones_are_counted(self) -> None:
        assert chunks(BOOK) == [
            ("1", "The gate opens.\nSix it is."),
            ("3", "Dogs stay outside. Cats may pass."),
            ("4", "The end."),
        ]

    def test_marks_go_before_form_feeds(self) -> None:
        marks = (Mark("page", 0, "iv"), Mark("page", 16, "v"))
        assert chunks(BOOK[:41], marks) == [
            ("iv", "The gate opens."),
            ("v", "Six it is.\f\n \fDogs stay o"),
        ]

    def test_what_stands_before_the_first_mark_is_a_page_without_a_label(self) -> None:
        assert chunks("cover one", (Mark("page", 6, "1"),)) == [(None, "cover"), ("1", "one")]

    def test_marks_in_any_order_twice_at_one_place_and_at_the_ends(self) -> None:
        marks = (Mark("page", 8, "4"), Mark("page", 0, "1"), Mark("page", 4, "2"), Mark("page", 4, "3"))
        assert chunks("one two ", marks) == [("1", "one"), ("3", "two")]

    def test_headings_are_no_pages(self) -> None:
        assert chunks("one two", (Mark("heading", 4, "Two"),)) == [(None, "one two")]

    def test_a_document_without_pages_is_one(self) -> None:
        assert chunks("one\n\ntwo\n") == [(None, "one\n\ntwo")]

    @pytest.mark.parametrize("text", ["", "\f", " \f\n\f "])
    def test_blank_documents(self, text: str) -> None:
        assert chunks(text) == []

    def test_other_strategies_know_the_pages_too(self) -> None:
        found = outline(Document("book.txt", BOOK))
        assert [found.page(place) for place in (0, 26, 27, 29, 30, len(BOOK))] == [
            "1",
            "1",
            "2",
            "2",
            "3",
            "4",
        ]
        assert found.page_labels == ("1", "2", "3", "4")
        assert outline(Document("one.txt", "no feed")).page_starts == ()


class TestSize:
    def test_a_larger_page_is_cut_into_sentences(self) -> None:
        assert chunks(BOOK, size=3) == [
            ("1", "The gate opens."),
            ("1", "Six it is."),
            ("3", "Dogs stay outside."),
            ("3", "Cats may pass."),
            ("4", "The end."),
        ]

    def test_no_chunk_reaches_into_the_next_page(self) -> None:
        assert texts("one\ftwo\fthree", size=10) == ["one", "two", "three"]

    def test_nor_does_the_overlap(self) -> None:
        assert texts("A one. B two. C three.\fD four. E five.", size=4, overlap=2) == [
            "A one. B two.",
            "B two. C three.",
            "D four. E five.",
        ]

    def test_joined_pages_are_as_many_as_fit(self) -> None:
        assert chunks("one\ftwo\fthree\ffour", size=3, join=True) == [("1", "one\ftwo\fthree"), ("4", "four")]

    def test_joined_pages_are_repeated_whole(self) -> None:
        assert texts("a b\fc\fd e", size=3, overlap=1, join=True) == ["a b\fc", "c\fd e"]

    def test_parts_of_large_pages_join_too(self) -> None:
        assert texts("one\fA two. B three.", size=3, join=True) == ["one\fA two.", "B three."]

    @settings(max_examples=60)
    @given(
        text=st.lists(
            st.sampled_from(["\f", "\f\f", " ", "\n", "The gate. ", "no", "\r\n", "🦉", "x" * 9]), max_size=30
        ),
        places=st.lists(st.integers(0, 60), max_size=4),
        size=st.none() | st.integers(1, 30),
        share=st.floats(0, 1, exclude_max=True),
        join=st.booleans(),
    )
    def test_the_laws(
        self, text: list[str], places: list[int], size: int | None, share: float, join: bool
    ) -> None:
        marks = tuple(Mark("page", place, str(place)) for place in places)
        strategy = Page() if size is None else Page(size, int(size * share), "characters", join)
        document = Document("book.txt", "".join(text), marks=marks)
        found = check(document, strategy, TOOLS)
        if not join:
            borders = outline(document).page_starts
            assert not any(chunk.start < border < chunk.end for chunk in found for border in borders)


class TestParameters:
    def test_overlap_and_join_need_a_size(self) -> None:
        with pytest.raises(BadInput) as error:
            Page(overlap="10%", join=True)
        assert [problem.where for problem in error.value.problems] == ["overlap", "join"]

    def test_without_a_size_nothing_is_counted(self) -> None:
        assert Page(unit="words", language="de") == Page()
        assert Page(size=5, unit="words") != Page(size=5)

    def test_all_problems_at_once(self) -> None:
        with pytest.raises(BadInput) as error:
            Page(size=0, unit="wrods", language="german")
        assert [problem.where for problem in error.value.problems] == ["unit", "language", "size"]
