"""Pieces of another strategy, merged and split: in which order, within which sizes, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from angles import Angles
from contract import NASTY, check

from evaluation.embedders.hashing import HashingEmbedder
from strategies import build, canonical
from strategies.document import Document
from strategies.errors import BadInput, SplitError
from strategies.hybrid import Hybrid
from strategies.sentence import Sentence
from strategies.strategy import Cut, SplitTools, Strategy
from strategies.tools import Tools

NAMES = ["Owls hunt.", "Bats hunt.", "Cats hunt.", "Dogs hunt.", "Rain fell.", "Snow fell."]
ONE_BY_ONE = Sentence(sentences=1)


def chunks(text: str, tools: Tools, **parameters: object) -> list[str]:
    strategy = Hybrid(**{"unit": "words", "base": ONE_BY_ONE, **parameters})
    return [text[cut.start : cut.end] for cut in strategy.cuts(Document("one", text), tools)]


def numbers(degrees: list[float], **parameters: object) -> list[int]:
    """Pieces a chunk, for pieces of two words at these angles."""
    names = NAMES[: len(degrees)]
    found = chunks(" ".join(names), Angles(dict(zip(names, degrees, strict=True))).tools, **parameters)
    return [chunk.count(".") for chunk in found]


class TestMerging:
    def test_neighbours_above_the_limit_are_merged(self) -> None:
        assert numbers([0, 59, 120], size=99) == [2, 1]  # cos 59 is 0.515, cos 61 is 0.485
        assert numbers([0, 59, 120], size=99, merge_above=0.48) == [3]
        assert numbers([0, 59, 120], size=99, merge_above=0.52) == [1, 1, 1]
        assert numbers([0, 60], size=99) == [1, 1]  # not above 0.5

    def test_the_most_alike_come_first(self) -> None:
        assert numbers([0, 20, 30], size=4) == [1, 2]
        assert numbers([0, 10, 30], size=4) == [2, 1]
        assert numbers([0, 10, 20], size=4) == [2, 1]  # the left of equals

    def test_groups_grow_on_both_sides_up_to_the_size(self) -> None:
        assert numbers([0, 20, 30, 60], size=6) == [3, 1]
        assert numbers([0, 40, 50, 60], size=6) == [1, 3]
        assert numbers([0, 40, 50, 60], size=8) == [4]

    def test_no_vectors_are_made_of_what_was_merged(self) -> None:
        angles = Angles(dict.fromkeys(NAMES, 0.0))
        chunks(" ".join(NAMES), angles.tools, size=99)
        assert angles.texts == NAMES

    def test_a_blank_document_has_no_chunks(self) -> None:
        assert chunks(" \n\t\n ", Angles({}).tools, size=200) == []

    def test_a_single_piece_needs_no_vector(self) -> None:
        angles = Angles({})
        assert chunks("Owls hunt.", angles.tools, size=9) == ["Owls hunt."]
        assert angles.calls == []

    def test_what_repeats_itself_makes_chunks_up_to_the_size(self) -> None:
        tools = Tools(embed=HashingEmbedder().embed)
        found = chunks("Gates open now. " * 8, tools, size=9)
        assert max(len(chunk.split()) for chunk in found) == 9
        assert len(found) <= 4

    def test_zero_vectors_are_like_nothing(self) -> None:
        zeros = Tools(embed=lambda texts: np.zeros((len(texts), 3), np.float32))
        assert chunks(" ".join(NAMES), zeros, size=99) == NAMES


class TestSmall:
    """Nothing is alike enough to be merged for that alone: `merge_above` is 1."""

    def test_a_small_piece_joins_the_neighbour_that_is_more_alike(self) -> None:
        text = "Owls hunt mice. Bats. Cats hunt mice."
        left = {"Owls hunt mice.": 0, "Bats.": 40, "Cats hunt mice.": 90}
        right = {"Owls hunt mice.": 0, "Bats.": 50, "Cats hunt mice.": 90}
        equal = {"Owls hunt mice.": 0, "Bats.": 45, "Cats hunt mice.": 90}
        merge = {"size": 4, "min_size": 2, "merge_above": 1}
        assert chunks(text, Angles(left).tools, **merge) == ["Owls hunt mice. Bats.", "Cats hunt mice."]
        assert chunks(text, Angles(right).tools, **merge) == ["Owls hunt mice.", "Bats. Cats hunt mice."]
        assert chunks(text, Angles(equal).tools, **merge) == ["Owls hunt mice. Bats.", "Cats hunt mice."]

    def test_it_joins_the_other_where_only_that_fits(self) -> None:
        text = "Owls hunt the mice. Bats. Cats hunt."
        tools = Angles({"Owls hunt the mice.": 0, "Bats.": 0, "Cats hunt.": 90}).tools
        found = chunks(text, tools, size=4, min_size=2, merge_above=1)
        assert found == ["Owls hunt the mice.", "Bats. Cats hunt."]

    def test_it_stays_where_neither_fits(self) -> None:
        text = "Owls hunt the mice. Bats. Cats hunt the mice."
        tools = Angles({"Owls hunt the mice.": 0, "Bats.": 0, "Cats hunt the mice.": 0}).tools
        assert len(chunks(text, tools, size=4, min_size=2)) == 3

    def test_what_is_still_small_goes_on(self) -> None:
        text = "Owls. Bats. Cats hunt the mice now."
        tools = Angles({"Owls.": 0, "Bats.": 0, "Cats hunt the mice now.": 90}).tools
        assert chunks(text, tools, size=7, min_size=3, merge_above=1) == [text]
        assert numbers([0, 90, 180, 270], size=99, min_size=6, merge_above=1) == [4]
        assert numbers([0, 90, 180, 0, 90, 180], size=7, min_size=6, merge_above=1) == [3, 3]


class TestSplitting:
    @dataclass(frozen=True, slots=True)
    class Whole(Strategy):
        """The document as one piece."""

        name: ClassVar[str] = "whole"

        def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
            yield Cut(0, len(document.text), section=("A",))

    def test_a_large_piece_is_cut_at_its_weakest_border(self) -> None:
        angles = Angles(dict(zip(NAMES[:4], [0, 10, 90, 95], strict=True)))
        text = " ".join(NAMES[:4])
        angles.degrees |= {"Owls hunt. Bats hunt.": 0, "Cats hunt. Dogs hunt.": 90}
        found = chunks(text, angles.tools, size=7, base=self.Whole())
        assert found == ["Owls hunt. Bats hunt.", "Cats hunt. Dogs hunt."]
        assert angles.calls[0] == NAMES[:4]

    def test_parts_keep_the_section(self) -> None:
        tools = Tools(embed=HashingEmbedder().embed)
        strategy = Hybrid(size=4, unit="words", base=self.Whole(), merge_above=1)
        cuts = list(strategy.cuts(Document("one", " ".join(NAMES)), tools))
        assert [cut.section for cut in cuts] == [("A",)] * len(cuts)
        assert len(cuts) == 3

    def test_an_atom_of_the_base_stays_whole_and_is_marked(self) -> None:
        table = "| Zone | Day |\n|---|---|\n| north and south and east | 5 |\n| b | 6 |\n"
        document = Document("t.md", f"Rates.\n\n{table}\nOwls.", media_type="text/markdown")
        tools = Tools(embed=HashingEmbedder().embed)
        strategy = Hybrid(size=6, unit="words", base="markdown", min_size=6)
        cuts = check(document, strategy, tools)
        assert [chunk.text for chunk in cuts if chunk.oversize] == ["| north and south and east | 5 |"]


@dataclass(frozen=True, slots=True)
class Fixed(Strategy):
    """Cuts that the test wants."""

    name: ClassVar[str] = "wanted"
    embeds_more: ClassVar[bool] = True
    wanted: tuple[Cut, ...] = ()

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        return iter(self.wanted)


class TestBase:
    TEXT = "Owls hunt. Bats hunt. Cats hunt."

    def cuts(self, *wanted: Cut) -> list[Cut]:
        tools = Tools(embed=lambda texts: np.ones((len(texts), 1), np.float32))
        return list(Hybrid(size=9, unit="words", base=Fixed(wanted)).cuts(Document("d", self.TEXT), tools))

    def test_a_piece_that_embeds_or_returns_more_is_never_merged(self) -> None:
        more = Cut(0, 10, embedded_text="About owls.")
        assert self.cuts(more, Cut(11, 21), Cut(22, 32)) == [more, Cut(11, 32)]
        wide = Cut(22, 32, returned=(0, 32))
        assert self.cuts(Cut(0, 10), Cut(11, 21), wide) == [Cut(0, 21), wide]

    def test_what_the_base_finds_too_large_may_fit(self) -> None:
        assert self.cuts(Cut(0, 10, oversize=True)) == [Cut(0, 10)]

    def test_a_chunk_has_the_section_of_its_first_piece(self) -> None:
        found = self.cuts(Cut(0, 10, section=("A",)), Cut(11, 21, section=("B",)), Cut(22, 32))
        assert found == [Cut(0, 32, section=("A",))]

    def test_pieces_that_overlap_after_all_are_a_failure_of_the_document(self) -> None:
        with pytest.raises(SplitError, match=r"d: \[5:21\] of wanted overlaps the piece before it"):
            self.cuts(Cut(0, 10), Cut(5, 21))

    def test_no_pieces_make_no_chunks(self) -> None:
        assert self.cuts() == []


ROUTE = {"path": "*.txt", "use": {"strategy": "fixed", "overlap": 2}}


class TestParameters:
    def test_the_base_is_sentences_of_a_quarter_unless_named(self) -> None:
        quarter = {"strategy": "sentence", "size": 50, "unit": "words", "language": "de"}
        given = {"size": 200, "unit": "words", "language": "de"}
        assert build("hybrid", given) == build("hybrid", {**given, "base": quarter})
        assert canonical(Hybrid(size=3))["base"] == canonical(Sentence(size=1))

    def test_the_base_inherits_unit_and_size(self) -> None:
        hybrid = build("hybrid", {"size": 90, "unit": "words", "base": "paragraph"})
        assert canonical(hybrid)["base"] == canonical(build("paragraph", {"size": 90, "unit": "words"}))

    @pytest.mark.parametrize(
        ("base", "message"),
        [
            ({"strategy": "fixed", "overlap": 3}, "base.overlap: is 3. Pieces must not overlap: use 0"),
            ({"strategy": "fixed", "size": 20, "stride": 15}, "base.overlap: is 5"),
            ({"strategy": "routed", "routes": [ROUTE]}, "base.overlap: is 2 in the fixed inside it"),
            ({"strategy": "fixd"}, "is not a strategy"),
            ({"strategy": "fixed", "sise": 1}, "base.sise: is not a parameter"),
        ],
    )
    def test_a_base_that_cannot_work_is_refused(self, base: dict[str, object], message: str) -> None:
        with pytest.raises(BadInput) as error:
            build("hybrid", {"size": 10, "base": base})
        assert message in str(error.value)

    def test_several_chunks_of_one_passage_are_no_pieces(self) -> None:
        class Many(Fixed):
            many_to_one = True

        with pytest.raises(BadInput, match="base: is wanted, which makes several chunks of one passage"):
            Hybrid(size=10, base=Many())

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"min_size": 11}, "min_size: is 11, with size 10. Use 0 to 10"),
            ({"min_size": -1}, "min_size: is -1"),
            ({"merge_above": 50}, "merge_above: is 50, and a similarity lies between -1 and 1"),
            ({"language": "english"}, "language: is 'english'"),
        ],
    )
    def test_what_cannot_work_is_refused(self, parameters: dict[str, object], message: str) -> None:
        with pytest.raises(BadInput) as error:
            build("hybrid", {"size": 10, **parameters})
        assert message in str(error.value)

    def test_all_problems_come_together(self) -> None:
        with pytest.raises(BadInput) as error:
            build("hybrid", {"size": 10, "min_size": 11, "base": {"strategy": "fixed", "overlap": 3}})
        assert {problem.where for problem in error.value.problems} == {"min_size", "base.overlap"}

    def test_an_embedder_is_asked_for(self) -> None:
        assert Hybrid.needs == ("embedder",)
        with pytest.raises(BadInput, match="cuts by meaning and needs an embedder"):
            chunks("One owl. Two owls.", Tools(), size=9)


@pytest.mark.parametrize(
    "base",
    [
        {"strategy": "fixed", "size": 90},
        {"strategy": "recursive", "size": 8},
        {"strategy": "markdown", "size": 12, "isolate": ["table"]},
        {"strategy": "max_min", "hard_thr": 0.2},
    ],
    ids=lambda base: base["strategy"],
)
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_the_laws_hold_whatever_the_base(text: str, base: dict[str, object]) -> None:
    strategy = build("hybrid", {"size": 30, "min_size": 10, "merge_above": 0.3, "base": base})
    check(
        Document("gate.md", text, media_type="text/markdown"),
        strategy,
        Tools(embed=HashingEmbedder().embed),
    )
