"""Parents, neighbours and merged fragments: what any strategy can carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from strategies import build
from strategies.document import Chunk, Document, Mark
from strategies.errors import BadInput
from strategies.modifiers import PLAIN, Modifiers
from strategies.parameters import as_record, made
from strategies.splitting import split
from strategies.strategy import Cut, SplitTools, Strategy
from strategies.tools import Tools

GATE = Document(
    "gate.md",
    "# Gate\n\nOpens at six. Shuts at ten.\n\nNo dogs.\n\n# Pump\n\n"
    "The code is seven. Ask Ann. She knows it.\n",
    media_type="text/markdown",
)


def cut(name: str, params: dict[str, object], modifiers: Modifiers) -> tuple[Chunk, ...]:
    return split(GATE, build(name, {"unit": "words", **params}), Tools(), modifiers)


def words(chunk: Chunk) -> str:
    return " ".join(chunk.text.split())


def returned(chunk: Chunk) -> str:
    return " ".join(GATE.text[slice(*chunk.returned)].split())


class TestParents:
    PARENTS = build("markdown", {"size": 40, "unit": "words"})

    def test_children_lie_inside_their_parent_and_return_it(self) -> None:
        chunks = cut("sentence", {"size": 4}, Modifiers(parents=self.PARENTS))
        assert [(words(chunk), returned(chunk)[:6]) for chunk in chunks] == [
            ("# Gate", "# Gate"),
            ("Opens at six.", "# Gate"),
            ("Shuts at ten.", "# Gate"),
            ("No dogs.", "# Gate"),
            ("# Pump", "# Pump"),
            ("The code is seven.", "# Pump"),
            ("Ask Ann.", "# Pump"),
            ("She knows it.", "# Pump"),
        ]
        assert {returned(chunk) for chunk in chunks} == {
            "# Gate Opens at six. Shuts at ten. No dogs.",
            "# Pump The code is seven. Ask Ann. She knows it.",
        }
        assert all(chunk.returned[0] <= chunk.start < chunk.end <= chunk.returned[1] for chunk in chunks)

    def test_no_child_reaches_across_two_parents(self) -> None:
        plain = cut("fixed", {"size": 7}, PLAIN)
        assert any("dogs." in chunk.text and "Pump" in chunk.text for chunk in plain)
        parted = cut("fixed", {"size": 7}, Modifiers(parents=self.PARENTS))
        assert not any("dogs." in chunk.text and "Pump" in chunk.text for chunk in parted)

    def test_sections_are_those_of_the_whole_document(self) -> None:
        parents = build("sentence", {"sentences": 1})
        chunks = cut("markdown", {"size": 5}, Modifiers(parents=parents))
        assert {chunk.section for chunk in chunks if "seven" in chunk.text} == {("Pump",)}

    def test_pages_are_those_of_the_whole_document(self) -> None:
        marks = (Mark("page", 0, "i"), Mark("page", 20, "ii"), Mark("page", 40, "iii"))
        document = Document("scan", "abcdefghi " * 6, marks=marks)
        parents = build("fixed", {"size": 30, "unit": "characters"})
        chunks = split(document, build("page", {}), Tools(), Modifiers(parents=parents))
        assert [(chunk.start, chunk.page) for chunk in chunks] == [
            (0, "i"),
            (20, "ii"),
            (30, "ii"),
            (40, "iii"),
        ]

    def test_parents_that_overlap_are_refused(self) -> None:
        for parents in (
            {"strategy": "fixed", "size": 10, "overlap": 2},
            {"strategy": "sentence", "sentences": 4, "overlap_sentences": 1},
        ):
            with pytest.raises(BadInput, match="parents: overlap, but every chunk has one parent"):
                made(Modifiers, {"parents": parents}, "fixed")

    @pytest.mark.parametrize(
        ("parents", "said"),
        [
            ({"strategy": "atoms", "size": 20, "overlap": 4}, "overlap"),
            (
                {
                    "strategy": "routed",
                    "routes": [{"path": "*", "use": {"strategy": "fixed", "size": 9}}],
                    "otherwise": {"strategy": "fixed", "size": 9, "overlap": 2},
                },
                r"overlap \(fixed inside routed\)",
            ),
            (
                {"strategy": "proposition", "size": 9, "base_url": "http://localhost/v1", "model": "m"},
                "makes several texts of one passage",
            ),
        ],
    )
    def test_what_overlaps_inside_is_refused_too(self, parents: dict[str, object], said: str) -> None:
        with pytest.raises(BadInput, match=said):
            made(Modifiers, {"parents": parents}, "fixed")


@dataclass(frozen=True, slots=True)
class Given(Strategy):
    """A library that hands out chunks inside others."""

    name: ClassVar[str] = "given"
    native: ClassVar[bool] = False
    given: tuple[Cut, ...]

    def cuts(self, document: Document, tools: SplitTools) -> tuple[Cut, ...]:
        return self.given


class TestChunksInsideOthers:
    TEXT = Document("letters", "abcdefghij" * 10)

    def test_what_is_merged_loses_nothing(self) -> None:
        cuts = Given((Cut(0, 60), Cut(10, 20), Cut(60, 100)))
        chunks = split(self.TEXT, cuts, Tools(), Modifiers(min_chunk=8))
        assert {position for chunk in chunks for position in range(chunk.start, chunk.end)} == set(range(100))

    def test_neighbours_hold_all_in_reach(self) -> None:
        cuts = Given((Cut(0, 40), Cut(10, 20), Cut(15, 18), Cut(16, 96)))
        chunks = split(self.TEXT, cuts, Tools(), Modifiers(neighbours=1))
        assert [chunk.returned for chunk in chunks] == [(0, 40), (0, 40), (10, 96), (15, 96)]


class TestNeighbours:
    def test_with_a_chunk_come_those_around_it(self) -> None:
        chunks = cut("sentence", {"sentences": 1}, Modifiers(neighbours=1))
        assert [words(chunk) for chunk in chunks][:4] == [
            "# Gate",
            "Opens at six.",
            "Shuts at ten.",
            "No dogs.",
        ]
        assert [returned(chunk) for chunk in chunks][:3] == [
            "# Gate Opens at six.",
            "# Gate Opens at six. Shuts at ten.",
            "Opens at six. Shuts at ten. No dogs.",
        ]

    def test_more_neighbours_than_there_are_return_everything(self) -> None:
        chunks = cut("sentence", {"sentences": 1}, Modifiers(neighbours=99))
        assert {chunk.returned for chunk in chunks} == {(0, len(GATE.text) - 1)}

    def test_neighbours_of_children_are_whole_parents(self) -> None:
        modifiers = Modifiers(parents=TestParents.PARENTS, neighbours=1)
        chunks = cut("sentence", {"size": 4}, modifiers)
        whole = (chunks[0].returned[0], chunks[-1].returned[1])
        at = next(i for i, chunk in enumerate(chunks) if chunk.text.startswith("# Pump"))
        assert chunks[at].returned == chunks[at - 1].returned == whole
        assert chunks[0].returned != whole != chunks[-1].returned


class TestMinChunk:
    def test_a_fragment_joins_what_stands_under_the_same_heading(self) -> None:
        chunks = cut("sentence", {"size": 6}, Modifiers(min_chunk=5))
        assert all(chunk.tokens >= 5 for chunk in chunks)
        dogs = next(chunk for chunk in chunks if "dogs" in chunk.text)
        assert "Pump" not in dogs.text

    def test_the_size_is_kept_and_what_no_neighbour_can_take_stays(self) -> None:
        plain = cut("sentence", {"size": 3}, PLAIN)
        assert cut("sentence", {"size": 3}, Modifiers(min_chunk=50))[0].end >= plain[0].end
        for chunk in cut("sentence", {"size": 3}, Modifiers(min_chunk=50)):
            assert len(chunk.text.split()) <= 3

    def test_the_size_is_that_of_the_route_that_cut_the_document(self) -> None:
        inner = {"strategy": "sentence", "size": 4, "unit": "words"}
        routed = {"routes": [{"path": "*.md", "use": inner}], "otherwise": "fixed", "size": 90}
        for chunk in cut("routed", routed, Modifiers(min_chunk=32)):
            assert len(chunk.text.split()) <= 4
        for chunk in cut("atoms", {"size": 90, "prose": inner}, Modifiers(min_chunk=32)):
            assert len(chunk.text.split()) <= 4

    def test_without_a_size_all_may_become_one(self) -> None:
        (chunk,) = cut("sentence", {"sentences": 1}, Modifiers(min_chunk=500))
        assert (chunk.start, chunk.end) == (0, len(GATE.text) - 1)

    def test_nothing_large_enough_is_touched(self) -> None:
        assert cut("sentence", {"size": 6}, Modifiers(min_chunk=1)) == cut("sentence", {"size": 6}, PLAIN)

    def test_children_join_inside_their_parent_only(self) -> None:
        chunks = cut("sentence", {"sentences": 1}, Modifiers(parents=TestParents.PARENTS, min_chunk=500))
        assert [returned(chunk) == words(chunk) for chunk in chunks] == [True, True]


class TestParameters:
    def test_their_one_form_makes_them_again(self) -> None:
        modifiers = Modifiers(parents=build("sentence", {"size": 40}), neighbours=2, min_chunk=8)
        assert made(Modifiers, as_record(modifiers), "any") == modifiers
        assert as_record(PLAIN) == {"headings": "none", "parents": None, "neighbours": 0, "min_chunk": 0}

    def test_all_that_is_wrong_is_said_at_once(self) -> None:
        wrong = {
            "headings": "sections",
            "parents": {"strategy": "fixed", "size": 0},
            "neighbours": -1,
            "min_chunk": "x",
        }
        with pytest.raises(BadInput) as error:
            made(Modifiers, wrong, "fixed")
        assert sorted(problem.where for problem in error.value.problems) == [
            "headings",
            "min_chunk",
            "neighbours",
            "parents.size",
        ]
