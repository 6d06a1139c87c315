"""semchunk: what it is told, what it returns, where it lies."""

from __future__ import annotations

import pytest
from contract import NASTY

from strategies.document import Document
from strategies.errors import BadInput, SplitError
from strategies.libraries.semchunk import Semchunk
from strategies.splitting import split
from strategies.tools import Tools

semchunk = pytest.importorskip("semchunk")


def places(text: str, strategy: Semchunk) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in split(Document("gate.txt", text), strategy, Tools())]


@pytest.mark.parametrize(("size", "overlap", "piece"), [(2, 0, 2), (5, 2, 2), (5, 3, 2), (9, 1, 1)])
def test_a_character_larger_than_a_piece_fails_the_document(size: int, overlap: int, piece: int) -> None:
    said = rf"gate.txt: semchunk cannot cut the character '鍵', which counts more than {piece} cl100k_base"
    with pytest.raises(SplitError, match=said):
        places("a 鍵", Semchunk(size, overlap))
    assert places("a 鍵", Semchunk(3)) == [(0, 1), (2, 3)]


def test_white_space_of_too_many_lengths_fails_the_document() -> None:
    text = "a".join("\n" * length for length in range(1, 1200))  # a level each
    with pytest.raises(SplitError, match=r"gate.txt: semchunk cannot cut white space of so many"):
        places(text, Semchunk(1, unit="characters"))


def test_levels() -> None:
    text = "# Gate\n\nIt opens at six. Visitors sign, always.\n\nDogs\tstay outside."
    found = [text[start:end] for start, end in places(text, Semchunk(25, unit="characters"))]
    assert found == ["# Gate", "It opens at six.", "Visitors sign, always.", "Dogs\tstay outside."]


def test_neighbours_are_shared() -> None:
    found = places("a b c d e f g h", Semchunk(4, 2, "words"))
    assert found == [(0, 7), (4, 11), (8, 15)]


def test_an_overlap_of_one_is_a_unit_and_not_the_whole() -> None:
    assert places("a b c d e", Semchunk(3, 1, "words")) == [(0, 5), (4, 9)]
    assert places("a b c d e f", Semchunk(3, 0, "words")) == [(0, 5), (6, 11)]


def test_it_is_asked_as_its_users_ask_it() -> None:
    text = NASTY["lists"] + NASTY["mixed scripts"]
    counter = Tools().counter("cl100k_base")
    for overlap in (0, 5, 9):
        texts = semchunk.chunk(text, 20, counter.count, overlap=overlap or None)
        assert [text[start:end] for start, end in places(text, Semchunk(20, overlap))] == texts


def test_the_library_keeps_no_count() -> None:
    from semchunk import semchunk as inside

    before = dict(inside._memoized_token_counters)
    places("The gate opens at six. " * 9, Semchunk(7, unit="words"))
    assert inside._memoized_token_counters == before


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"size": 0}, "size"),
        ({"size": 5, "overlap": 5}, "overlap"),
        ({"size": 5, "overlap": -1}, "overlap"),
        ({"size": 5, "overlap": 0.5}, "overlap"),
        ({"size": 5, "unit": "wrods"}, "unit"),
    ],
)
def test_what_cannot_work_is_refused(given: dict[str, object], where: str) -> None:
    with pytest.raises(BadInput) as error:
        Semchunk(**given)  # type: ignore[arg-type]
    assert [problem.where for problem in error.value.problems] == [where]
