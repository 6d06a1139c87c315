"""From cuts to chunks, and what is said of a strategy that breaks the law."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from strategies.document import Document, Mark
from strategies.errors import BadInput, SplitError
from strategies.fixed import Fixed
from strategies.modifiers import Modifiers
from strategies.splitting import split
from strategies.strategy import Cut, SplitTools, Strategy
from strategies.tools import Tools

GATE = Document(
    "rules/gate.md",
    "# Gate\n\nThe code changes on Monday.\n\n## Visitors\n\nThey sign the blue book.\n",
    metadata={"title": "House Rules", "year": 2024},
    media_type="text/markdown",
)


@dataclass(frozen=True)
class Given(Strategy):
    """Cuts where it is told."""

    name: ClassVar[str] = "given"
    given: tuple[Cut, ...]

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        yield from self.given


class ManyToOne(Given):
    many_to_one: ClassVar[bool] = True


def test_every_field_of_a_chunk() -> None:
    given = Given((Cut(0, 37), Cut(35, 75, oversize=True)))
    chunks = split(GATE, given, Tools(), Modifiers(headings="section"))
    assert [chunk.index for chunk in chunks] == [0, 1]
    second = chunks[1]
    assert second.document_id == "rules/gate.md"
    assert (second.start, second.end) == second.returned == (35, 75)
    assert second.text == GATE.text[35:75] == "\n\n## Visitors\n\nThey sign the blue book.\n"
    assert second.tokens == 9  # the blank line before it belongs to the token of the full stop
    assert second.section == ("Gate", "Visitors")
    assert second.embedded_text == "[Section: Gate > Visitors]\n" + second.text
    assert second.page is None
    assert second.oversize
    assert not chunks[0].oversize
    assert second.metadata == {"title": "House Rules", "year": 2024}


def test_tokens_of_chunks_that_share_nothing_add_up() -> None:
    chunks = split(GATE, Fixed(size=5, unit="characters"), Tools())
    assert sum(chunk.tokens for chunk in chunks) == Tools().counter("cl100k_base").count(GATE.text)


def test_a_strategy_may_know_better() -> None:
    cut = Cut(8, 20, section=("Own",), embedded_text="What changes? The code.", returned=(0, 36))
    (chunk,) = split(GATE, Given((cut,)), Tools(), Modifiers(headings="document"))
    assert chunk.section == ("Own",)
    assert chunk.embedded_text == "[Document: House Rules > Section: Own]\nWhat changes? The code."
    assert chunk.returned == (0, 36)
    assert chunk.text == GATE.text[8:20]


def test_pages_and_headings_of_a_reader() -> None:
    marks = (Mark("page", 0, "i"), Mark("heading", 4, "Intro"), Mark("page", 10, "ii"))
    document = Document("scan.pdf", "aaa bbb ccccc ddd", marks=marks)
    chunks = split(document, Fixed(size=2, unit="words"), Tools())
    assert [(chunk.text, chunk.page, chunk.section) for chunk in chunks] == [
        ("aaa bbb ", "i", ()),
        ("ccccc ddd", "i", ("Intro",)),
    ]
    (chunk,) = split(document, Given((Cut(11, 17),)), Tools())
    assert chunk.page == "ii"


def test_a_blank_document_has_no_chunks() -> None:
    assert split(Document("blank", " \r\n\u3000"), Given((Cut(0, 2),)), Tools()) == ()


@pytest.mark.parametrize(
    ("cuts", "fault"),
    [
        (
            (Cut(0, 5), Cut(0, 9)),
            r"1 of given, \[0:9\], does not start after the one before, \[0:5\]: '# Gate",
        ),
        ((Cut(5, 12), Cut(2, 20)), "does not start after the one before"),
        ((Cut(0, 20), Cut(5, 20)), r"lies inside the one before, \[0:20\]"),
        ((Cut(6, 8),), r"is blank: '\\n\\n'"),
        ((Cut(5, 5),), "is not a range of its 75 characters"),
        ((Cut(-1, 5),), "is not a range of its 75 characters"),
        ((Cut(70, 76),), "is not a range of its 75 characters"),
        ((Cut(0, 5, returned=(0, 76)),), r"returns \[0:76\], not a range"),
        ((Cut(0, 5, embedded_text=" "),), "has nothing to embed"),
    ],
)
def test_a_breach_of_the_first_law_is_shown(cuts: tuple[Cut, ...], fault: str) -> None:
    with pytest.raises(SplitError, match=f"^rules/gate.md: chunk .*{fault}"):
        split(GATE, Given(cuts), Tools())


def test_ranges_may_repeat_where_a_strategy_declares_it() -> None:
    twice = (Cut(8, 35, embedded_text="It changes."), Cut(8, 35, embedded_text="On Monday."))
    assert len(split(GATE, ManyToOne(twice), Tools())) == 2
    with pytest.raises(SplitError, match="does not start after"):
        split(GATE, Given(twice), Tools())
    with pytest.raises(SplitError, match="lies inside"):
        split(GATE, ManyToOne((Cut(8, 35), Cut(9, 35))), Tools())


class Library(Given):
    native: ClassVar[bool] = False


def test_libraries_may_hand_out_a_chunk_inside_another_but_not_move_back() -> None:
    assert len(split(GATE, Library((Cut(0, 20), Cut(5, 20), Cut(5, 12))), Tools())) == 3
    with pytest.raises(SplitError, match="does not start after"):
        split(GATE, Library((Cut(5, 20), Cut(4, 30))), Tools())


def test_an_unknown_modifier_is_refused() -> None:
    with pytest.raises(BadInput, match=r"headings: is the text 'sections', not none or section or document"):
        Modifiers(headings="sections")  # type: ignore[arg-type]
