"""Semantic borders: which texts are embedded, where chunks end, how they come to their sizes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from angles import Angles
from contract import NASTY, check
from hypothesis import given
from hypothesis import strategies as st

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.gold import load
from experiments.grid import expand
from experiments.sweep import read_sweep
from experiments.workbench import Workbench
from strategies import build, canonical
from strategies.document import Document
from strategies.errors import BadInput
from strategies.meaning import similarity
from strategies.meaning.grouping import Group, grouped, runs
from strategies.meaning.similarity import batches, cosines, neighbours, windows
from strategies.meaning.thresholds import DEFAULTS, Kind
from strategies.pieces import Piece
from strategies.semantic import Semantic
from strategies.tools import Tools
from strategies.units.rulers import Ruler

SENTENCES = ["Owls hunt.", "Owls sleep.", "Gates open.", "Gates shut now."]
TEXT = "Owls hunt. Owls sleep.  Gates open.\nGates shut now."
ANGLES = dict(zip(SENTENCES, [0, 10, 80, 120], strict=True))  # distances 0.015, 0.658, 0.234


def chunks(text: str, tools: Tools, **parameters: object) -> list[str]:
    return [text[cut.start : cut.end] for cut in Semantic(**parameters).cuts(Document("one", text), tools)]


class TestBorders:
    def test_a_border_lies_where_the_distance_spikes(self) -> None:
        tools = Angles(ANGLES).tools
        halves = ["Owls hunt. Owls sleep.", "Gates open.\nGates shut now."]
        assert chunks(TEXT, tools, buffer=0) == halves
        assert chunks(TEXT, tools, buffer=0, threshold_kind="percentile", threshold=60) == halves
        assert chunks(TEXT, tools, buffer=0, threshold_kind="similarity", threshold=0.5) == halves

    def test_similarity_is_three_quarters_by_default(self) -> None:
        thirds = ["Owls hunt. Owls sleep.", "Gates open.\nGates shut now."]
        assert chunks(TEXT, Angles(ANGLES).tools, buffer=0, threshold_kind="similarity") == thirds
        turned = Angles({**ANGLES, "Gates shut now.": 122})  # cos 42 is 0.743
        assert len(chunks(TEXT, turned.tools, buffer=0, threshold_kind="similarity")) == 3

    @pytest.mark.parametrize(("kind", "threshold"), DEFAULTS.items())
    def test_every_kind_has_its_default(self, kind: Kind, threshold: float) -> None:
        assert Semantic(threshold_kind=kind) == Semantic(threshold_kind=kind, threshold=threshold)
        assert canonical(Semantic(threshold_kind=kind))["threshold"] == threshold

    def test_windows_are_slices_of_the_document(self) -> None:
        seen = [
            "Owls hunt. Owls sleep.",
            "Owls hunt. Owls sleep.  Gates open.",
            "Owls sleep.  Gates open.\nGates shut now.",
            "Gates open.\nGates shut now.",
        ]
        angles = Angles(dict(zip(seen, [0, 0, 90, 90], strict=True)))
        assert chunks(TEXT, angles.tools) == ["Owls hunt. Owls sleep.", "Gates open.\nGates shut now."]
        assert angles.texts == seen

    def test_a_wide_window_is_the_whole_text(self) -> None:
        angles = Angles({TEXT: 45})
        assert chunks(TEXT, angles.tools, buffer=9) == [TEXT]
        assert angles.texts == [TEXT] * 4

    def test_a_blank_document_has_no_chunks(self) -> None:
        assert chunks(" \n\t\n ", Angles({}).tools, size=200) == []

    def test_a_single_sentence_needs_no_vector(self) -> None:
        angles = Angles({})
        assert chunks("Owls hunt.", angles.tools, size=30) == ["Owls hunt."]
        assert angles.calls == []

    def test_two_sentences_differ_only_by_an_absolute_limit(self) -> None:
        tools = Angles({"One.": 0, "Two.": 90}).tools
        for kind in DEFAULTS:
            number = 2 if kind == "similarity" else 1
            assert len(chunks("One. Two.", tools, buffer=0, threshold_kind=kind)) == number

    @pytest.mark.parametrize("kind", DEFAULTS)
    def test_what_repeats_itself_has_no_border(self, kind: Kind) -> None:
        text = "The gate opens at six. " * 30
        assert len(chunks(text, Tools(embed=HashingEmbedder().embed), buffer=0, threshold_kind=kind)) == 1

    def test_zero_vectors_are_like_nothing(self) -> None:
        zeros = Tools(embed=lambda texts: np.zeros((len(texts), 3), np.float32))
        assert chunks(TEXT, zeros) == [TEXT]
        assert len(chunks(TEXT, zeros, threshold_kind="similarity")) == 4


class TestStream:
    def test_memory_holds_the_vectors_of_a_batch_or_two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(similarity, "BATCH", 8)
        names = [f"text {number}" for number in range(100)]
        angles = Angles({name: number * number for number, name in enumerate(names)})
        found = neighbours(names, angles.tools)
        assert [len(call) for call in angles.calls] == [8] * 12 + [4]
        assert angles.most_held <= 1
        turns = [right - left for left, right in pairwise(angles.degrees.values())]
        assert found == pytest.approx(np.cos(np.radians(turns)), abs=1e-6)

    @pytest.mark.parametrize("batch", [1, 2, 3, 512])
    def test_batches_change_nothing(self, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
        tools = Tools(embed=HashingEmbedder().embed)
        texts = [*"abracadabra", "a b", ""]
        alone = cosines(tools.embed(texts[:-1]), tools.embed(texts[1:]))
        monkeypatch.setattr(similarity, "BATCH", batch)
        assert neighbours(texts, tools).tolist() == alone.tolist()
        assert sum(len(vectors) for vectors in batches(iter(texts), tools)) == len(texts)

    def test_nothing_to_compare(self) -> None:
        tools = Angles({"a": 0}).tools
        assert neighbours([], tools).shape == neighbours(["a"], tools).shape == (0,)

    def test_equal_vectors_have_a_similarity_of_one(self) -> None:
        rows = np.random.default_rng(1).normal(size=(500, 384)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        assert (cosines(rows, rows) == 1).all()

    def test_windows_of_no_width_are_the_pieces(self) -> None:
        assert list(windows("a. b.", [Piece(0, 2), Piece(3, 5)], 0)) == ["a.", "b."]


def test_twelve_thresholds_embed_as_many_texts_as_one(tmp_path: Path) -> None:
    def embedded(thresholds: list[float]) -> tuple[int, int]:
        entry = {"strategy": "semantic", "size": 64, "threshold": thresholds}
        sweep = read_sweep({"name": "x", "dataset": str(tmp_path), "embedder": "hashing", "grid": [entry]})
        bench = Workbench.open(sweep, load(sweep.dataset), None)
        cuts = {bench.split(config).chunks[0].end for config in expand(sweep).configs}
        bench.close()
        return bench.desk.traffic.embedded, len(cuts)

    gates = "Gates open at six. Gates shut at nine. Owls hunt mice at night. Owls sleep by day. Rain fell. "
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "gate.txt").write_text(gates + "Visitors sign the book. " + gates[:40])
    (tmp_path / "documents" / "owl.txt").write_text(gates[40:] * 3)
    (tmp_path / "card.yaml").write_text("name: gates\n")
    (tmp_path / "questions.jsonl").write_text(
        '{"id": "q1", "question": "When do gates open?", "evidence": '
        '[{"document": "gate.txt", "quote": "Visitors sign the book."}]}\n'
    )
    one, _ = embedded([50.0])
    twelve, different = embedded([*range(5, 100, 8)])
    assert one == twelve > 10
    assert different > 1


class TestSizes:
    """Sentences of three words, sizes in words."""

    def cuts(
        self, distances: list[float], size: int | None, min_size: int = 0, borders: list[int] | None = None
    ) -> list[Group]:
        """The sentences of each chunk, first to last."""
        n = len(distances) + 1
        text = "one two three. " * n
        pieces = [Piece(15 * k, 15 * k + 14) for k in range(n)]
        between = np.isin(np.arange(n - 1), borders or [])
        ruler = Tools().ruler(Document("one", text), "words")
        found = grouped(pieces, np.array(distances), between, ruler, size=size, min_size=min_size)
        return [(cut.start // 15, cut.end // 15) for cut in found]

    def test_without_a_size_groups_stay(self) -> None:
        assert self.cuts([0.5] * 4, None) == [(0, 4)]
        assert self.cuts([0.5] * 4, None, borders=[1]) == [(0, 1), (2, 4)]

    def test_what_is_too_large_is_cut_where_the_distance_is_largest(self) -> None:
        # Four sentences fit; looked at are the places after the third and the fourth: 0.9 and 0.2.
        assert self.cuts([0.99, 0.3, 0.9, 0.2, 0.1], 12) == [(0, 2), (3, 5)]
        # A spike in the first half would leave a crumb.
        assert self.cuts([0.99, 0.3, 0.2, 0.1, 0.9], 12) == [(0, 2), (3, 5)]

    def test_what_is_alike_all_over_is_cut_as_seldom_as_can_be(self) -> None:
        assert self.cuts([0.0] * 9, 12) == [(0, 3), (4, 7), (8, 9)]

    def test_groups_that_fit_are_left_alone(self) -> None:
        assert self.cuts([0.1, 0.9, 0.1, 0.1], 9, borders=[1]) == [(0, 1), (2, 4)]

    def test_small_groups_join_the_next_and_the_last_the_one_before(self) -> None:
        assert self.cuts([0.1] * 5, None, 6, borders=[0, 2, 4]) == [(0, 2), (3, 5)]
        assert self.cuts([0.1] * 3, None, 9, borders=[0, 1, 2]) == [(0, 3)]
        assert self.cuts([0.1] * 3, None, 99, borders=[0, 1, 2]) == [(0, 3)]
        assert self.cuts([0.1] * 5, None, 6, borders=[1, 3]) == [(0, 1), (2, 3), (4, 5)]  # 6 is not below 6

    def test_a_small_group_stays_where_nothing_fits(self) -> None:
        assert self.cuts([0.1] * 4, 9, 4, borders=[0, 3]) == [(0, 0), (1, 3), (4, 4)]

    def test_a_long_sentence_is_cut_at_words(self) -> None:
        text = "Owls hunt the fat mice. Gates open."
        tools = Angles({"Owls hunt the fat mice.": 0, "Gates open.": 90}).tools
        found = chunks(text, tools, size=2, unit="words", buffer=0)
        assert found == ["Owls hunt", "the fat", "mice.", "Gates open."]

    def test_a_sentence_that_is_cut_at_words_begins_a_chunk(self) -> None:
        text = "Owls. Gates open at six and shut at nine."
        tools = Angles({"Owls.": 0, "Gates open at six and shut at nine.": 0}).tools
        found = chunks(text, tools, size=6, unit="words", buffer=0)
        assert found == ["Owls.", "Gates open at six and shut", "at nine."]

    def test_what_cannot_be_cut_is_marked(self) -> None:
        (cut,) = Semantic(size=1).cuts(Document("one", "🦉"), Tools())
        assert (cut.start, cut.end, cut.oversize) == (0, 1, True)

    def test_a_place_inside_a_sentence_is_the_last_choice(self) -> None:
        # Six lines fit; of the places in the second half of them, one lies between sentences.
        lines = "Owls\nhunt\nmice\nnow. Gates\nopen\nat\nsix\nand\nshut\nat\nnine."
        tools = Angles(dict.fromkeys(lines.replace(". ", ".|").split("|"), 0)).tools
        found = chunks(lines, tools, size=6, unit="words", buffer=0)
        assert found == ["Owls\nhunt\nmice\nnow.", "Gates\nopen\nat\nsix\nand\nshut", "at\nnine."]

    def test_a_part_that_counts_more_than_the_whole_is_not_taken(self) -> None:
        class Odd(Ruler):
            def count(self, start: int, end: int) -> int:
                return 99 if (start, end) == (45, 74) else super().count(start, end)

        text = "one two three. " * 8
        pieces = [Piece(15 * k, 15 * k + 14) for k in range(8)]
        distances = np.array([0.1, 0.1, 0.2, 0.1, 0.9, 0.1, 0.1])

        def ends(ruler: Ruler) -> list[int]:
            cuts = grouped(pieces, distances, np.zeros(7, np.bool_), ruler, size=9)
            return [(cut.end - 14) // 15 for cut in cuts]

        assert ends(Ruler(text, Tools().counter("words"))) == [2, 4, 7]
        assert ends(Odd(text, Tools().counter("words"))) == [2, 5, 7]

    @given(st.lists(st.booleans(), max_size=12))
    def test_runs_hold_every_piece_once(self, borders: list[bool]) -> None:
        found = list(runs(np.array(borders, dtype=np.bool_)))
        assert [k for first, last in found for k in range(first, last + 1)] == list(range(len(borders) + 1))
        assert len(found) == sum(borders) + 1


WITH_LEAST_SIZE = [
    Semantic(size=20, min_size=5),
    Semantic(size=9, min_size=9, unit="characters", threshold_kind="similarity", buffer=0),
    Semantic(min_size=8, unit="words", threshold_kind="gradient", threshold=10),
]


@pytest.mark.parametrize("strategy", WITH_LEAST_SIZE, ids=["tokens", "characters", "words"])
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_the_laws_hold_with_a_least_size(text: str, strategy: Semantic) -> None:
    check(Document("gate.txt", text), strategy, Tools(embed=HashingEmbedder().embed))


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"threshold": 101}, "threshold: is 101, and a percentile lies between 0 and 100"),
            ({"threshold_kind": "similarity", "threshold": 75}, "a similarity lies between -1 and 1"),
            ({"threshold_kind": "interquartile", "threshold": -1}, "lies at 0 or above"),
            ({"threshold_kind": "precentile"}, "Did you mean percentile"),
            ({"buffer": -1}, "buffer: is -1; use 0 or more"),
            ({"min_size": -1}, "min_size: is -1; use 0 or more"),
            ({"size": 10, "min_size": 11}, "min_size: 11 is more than size 10"),
            ({"size": 0}, "size: is 0"),
            ({"language": "english"}, "language: is 'english'"),
        ],
    )
    def test_what_cannot_work_is_refused(self, parameters: dict[str, object], message: str) -> None:
        with pytest.raises(BadInput) as error:
            build("semantic", parameters)
        assert message in str(error.value)

    def test_problems_between_parameters_come_together(self) -> None:
        with pytest.raises(BadInput) as error:
            build("semantic", {"threshold": -1, "size": 10, "min_size": 11})
        assert {problem.where for problem in error.value.problems} == {"threshold", "min_size"}

    def test_a_unit_in_which_nothing_is_counted_makes_no_other_experiment(self) -> None:
        assert Semantic(unit="words") == Semantic()
        assert Semantic(unit="words", min_size=1) != Semantic(min_size=1)

    def test_an_embedder_is_asked_for(self) -> None:
        assert Semantic.needs == ("embedder",)
        with pytest.raises(BadInput, match="cuts by meaning and needs an embedder"):
            chunks(TEXT, Tools())
