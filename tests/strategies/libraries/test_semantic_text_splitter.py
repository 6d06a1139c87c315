"""semantic-text-splitter: what it is told, what it returns, where it lies."""

from __future__ import annotations

import pytest
from contract import LONG, NASTY

from strategies.document import Document
from strategies.errors import BadInput, SplitError
from strategies.libraries.semantic_text_splitter import (
    LONGEST_WORD,
    MarkdownSplitter,
    Splitter,
    TextSplitter,
)
from strategies.splitting import split
from strategies.tools import Tools

library = pytest.importorskip("semantic_text_splitter")

BOTH = pytest.mark.parametrize("cls", [TextSplitter, MarkdownSplitter])


def places(text: str, strategy: Splitter) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in split(Document("gate.md", text), strategy, Tools())]


def texts(text: str, strategy: Splitter) -> list[str]:
    return [text[start:end] for start, end in places(text, strategy)]


@BOTH
def test_a_word_that_would_take_minutes_is_refused(cls: type[Splitter]) -> None:
    with pytest.raises(
        SplitError, match=r"gate.md: a word of more than 200,000 characters would keep semantic"
    ):
        places("a" * (LONGEST_WORD + 1), cls(200))


def test_units_of_text() -> None:
    text = "It opens at six. Visitors sign.\n\nDogs stay\noutside, at all times."
    strategy = TextSplitter(20, unit="characters")
    assert texts(text, strategy) == [
        "It opens at six.",
        "Visitors sign.",
        "Dogs stay",
        "outside, at all",
        "times.",
    ]
    assert "".join(texts(text, TextSplitter(20, unit="characters", trim=False))) == text


@BOTH
@pytest.mark.parametrize("unit", ["characters", "cl100k_base"])
def test_untrimmed_chunks_are_the_text(cls: type[Splitter], unit: str) -> None:
    strategy = cls(64, unit=unit, trim=False)
    parts = strategy.parts(Document("gate.md", LONG), Tools())
    assert "".join(part.text for part in parts) == LONG


def test_units_of_markdown() -> None:
    text = "# Gate\n\nIt opens.\n\n## Dogs\n\n- stay out\n- stay calm\n"
    assert texts(text, MarkdownSplitter(31, unit="characters")) == [
        "# Gate\n\nIt opens.",
        "## Dogs\n\n- stay out\n- stay calm",
    ]
    # As plain text, the gap between the sections is like any other.
    assert texts(text, TextSplitter(31, unit="characters"))[0] == "# Gate\n\nIt opens.\n\n## Dogs"


def test_the_overlap_is_at_most_what_was_asked() -> None:
    assert texts("a b c d e f g", TextSplitter(5, 2, "characters")) == ["a b c", "c d e", "e f g"]


def test_a_range_of_sizes_is_full_early() -> None:
    text = "One two. Three four. Five six."
    assert texts(text, TextSplitter(22, unit="characters")) == ["One two. Three four.", "Five six."]
    early = TextSplitter(22, unit="characters", min_size=5)
    assert texts(text, early) == ["One two.", "Three four.", "Five six."]


@BOTH
@pytest.mark.parametrize("unit", ["characters", "cl100k_base"])
def test_it_cuts_as_with_its_own_counters(cls: type[Splitter], unit: str) -> None:
    made = getattr(library, cls.__name__)
    for text in (NASTY["lists"], NASTY["mixed scripts"], NASTY["special tokens"], NASTY["nested fences"]):
        for size, overlap in ((7, 3), (64, 16)):
            asked = (size, overlap)
            own = made(*asked) if unit == "characters" else made.from_tiktoken_model("gpt-4", *asked)
            assert texts(text, cls(size, overlap, unit)) == own.chunks(text)


@BOTH
@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"size": 0}, "size"),
        ({"size": 5, "overlap": 5}, "overlap"),
        ({"size": 5, "min_size": 6}, "min_size"),
        ({"size": 5, "min_size": 0}, "min_size"),
        ({"size": 5, "min_size": 3, "overlap": 3}, "overlap"),
        ({"size": 5, "trim": 1}, "trim"),
        ({"size": 5, "unit": "wrods"}, "unit"),
    ],
)
def test_what_cannot_work_is_refused(cls: type[Splitter], given: dict[str, object], where: str) -> None:
    with pytest.raises(BadInput) as error:
        cls(**given)  # type: ignore[arg-type]
    assert [problem.where for problem in error.value.problems] == [where]


@BOTH
def test_a_surrogate_fails_the_document(cls: type[Splitter]) -> None:
    with pytest.raises(SplitError, match=r"gate.md: .* failed: UnicodeEncodeError"):
        places("a \ud800 b", cls(2))
