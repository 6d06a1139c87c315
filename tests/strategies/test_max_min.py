"""Max-Min chunking: the rule for joining by hand, and how far back it looks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from angles import Angles
from hypothesis import given
from hypothesis import strategies as st
from linear import grows_linearly

from evaluation.embedders.hashing import HashingEmbedder
from strategies import build, max_min
from strategies.document import Document
from strategies.errors import BadInput
from strategies.max_min import MaxMin
from strategies.meaning import similarity
from strategies.tools import Tools

NAMES = ["Owls hunt.", "Bats hunt.", "Cats hunt.", "Dogs hunt.", "Rain fell.", "Snow fell."]


def chunks(text: str, tools: Tools, **parameters: object) -> list[str]:
    return [text[cut.start : cut.end] for cut in MaxMin(**parameters).cuts(Document("one", text), tools)]


def numbers(degrees: Sequence[float], **parameters: object) -> list[int]:
    """Sentences a chunk, for sentences at these angles."""
    names = NAMES[: len(degrees)]
    found = chunks(" ".join(names), Angles(dict(zip(names, degrees, strict=True))).tools, **parameters)
    return [chunk.count(".") for chunk in found]


class TestRule:
    def test_the_first_two_are_close_by_a_lower_limit(self) -> None:
        # 1.5 x 0.4226 is 0.634, above 0.6; 1.5 x 0.3907 is 0.586.
        assert numbers([0, 65]) == [2]
        assert numbers([0, 67]) == [1, 1]
        assert numbers([0, 65], init_const=1.4) == [1, 1]

    def test_the_third_must_exceed_the_hard_limit(self) -> None:
        # Least similarity cos 65: 0.9 x 0.4226 x sigmoid(1) = 0.278, so 0.6 decides.
        assert numbers([0, 65, 118]) == [3]  # cos 53 is 0.602
        assert numbers([0, 65, 119]) == [2, 1]  # cos 54 is 0.588
        assert numbers([0, 65, 119], hard_thr=0.55) == [3]

    def test_the_nearest_sentence_counts(self) -> None:
        assert numbers([0, 50, -50]) == [3]  # 50 degrees from the first, 100 from the second
        assert numbers([0, 50, 54, -50]) == [4]

    def test_a_chunk_whose_own_are_close_asks_for_more(self) -> None:
        # Equal ones, c = 1: limits sigmoid(1) = 0.731, sigmoid(2) = 0.881, sigmoid(3) = 0.953.
        assert numbers([0, 0, 43], c=1) == [3]  # cos 43 is 0.7314
        assert numbers([0, 0, 44], c=1) == [2, 1]
        assert numbers([0, 0, 0, 28], c=1) == [4]  # cos 28 is 0.883
        assert numbers([0, 0, 0, 29], c=1) == [3, 1]
        assert numbers([0, 0, 0, 29], c=0.9) == [4]

    def test_the_least_similarity_is_that_of_all_pairs(self) -> None:
        # 0, 30, 60: the least is cos 60 = 0.5, so the limit for the fourth is 0.9 x 0.5 x 0.881 = 0.396.
        assert numbers([0, 30, 60, 126], hard_thr=0.3) == [4]  # cos 66 is 0.407
        assert numbers([0, 30, 60, 127], hard_thr=0.3) == [3, 1]  # cos 67 is 0.391
        assert numbers([0, 60, 30, -50], hard_thr=0.3) == [4]  # 0.643; the last to join had 0.866 at least

    def test_a_new_chunk_begins_anew(self) -> None:
        assert numbers([0, 0, 90, 150]) == [2, 2]  # 1.5 x cos 60 is 0.75
        assert numbers([0, 40, 180, 180, 224], c=1) == [2, 2, 1]  # the limit is 0.731 again, not 0.56

    def test_a_chunk_that_is_full_begins_another_by_the_same_rule(self) -> None:
        assert numbers([0, 0, 0, 50]) == [3, 1]
        assert numbers([0, 0, 0, 50], size=4, unit="words") == [2, 2]

    @given(st.lists(st.integers(0, 90), min_size=2, max_size=6), st.floats(0, 0.7))
    def test_against_the_formula(self, degrees: list[int], hard_thr: float) -> None:
        vectors = Angles(dict(zip(NAMES, degrees)))(NAMES[: len(degrees)]).astype(np.float64)
        table = np.round(vectors @ vectors.T, 6)
        sizes = [1]
        for new in range(1, len(degrees)):
            members = range(new - sizes[-1], new)
            if len(members) == 1:
                joins = 1.5 * table[new, new - 1] > hard_thr
            else:
                least = min(table[i, j] for i in members for j in members)
                limit = 0.9 * least / (1 + math.exp(-(len(members) - 1)))
                joins = max(table[new, i] for i in members) > max(limit, hard_thr)
            if joins:
                sizes[-1] += 1
            else:
                sizes.append(1)
        assert numbers(degrees, hard_thr=hard_thr) == sizes


class TestEdges:
    def test_a_blank_document_has_no_chunks(self) -> None:
        assert chunks(" \n\t\n ", Angles({}).tools, size=200) == []

    def test_a_single_sentence_needs_no_vector(self) -> None:
        angles = Angles({})
        assert chunks("Owls hunt.", angles.tools) == ["Owls hunt."]
        assert angles.calls == []

    def test_sentences_are_embedded_alone_and_once(self) -> None:
        angles = Angles(dict.fromkeys(NAMES, 0.0))
        chunks("  ".join(NAMES), angles.tools)
        assert angles.texts == NAMES

    def test_what_repeats_itself_is_one_chunk_or_full_ones(self) -> None:
        text = "The gate opens at six. " * 12
        tools = Tools(embed=HashingEmbedder().embed)
        assert len(chunks(text, tools)) == 1
        assert [chunk.count(".") for chunk in chunks(text, tools, size=20, unit="words")] == [4, 4, 4]

    def test_zero_vectors_are_like_nothing(self) -> None:
        zeros = Tools(embed=lambda texts: np.zeros((len(texts), 3), np.float32))
        assert chunks(" ".join(NAMES), zeros) == NAMES

    def test_a_long_sentence_is_cut_at_words(self) -> None:
        tools = Angles({"Owls hunt the fat mice.": 0, "Gates open.": 0}).tools
        found = chunks("Owls hunt the fat mice. Gates open.", tools, size=2, unit="words")
        assert found == ["Owls hunt", "the fat", "mice.", "Gates open."]

    @pytest.mark.parametrize("batch", [1, 2, 4])
    def test_batches_change_nothing(self, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = numbers([0, 10, 20, 100, 110, 200])
        monkeypatch.setattr(similarity, "BATCH", batch)
        assert numbers([0, 10, 20, 100, 110, 200]) == whole == [3, 2, 1]

    def test_only_the_last_sentences_of_a_long_chunk_are_looked_at(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        degrees = [0, 40, 80, 120, -40]  # the last is 40 degrees from the first, 80 from the second
        assert numbers(degrees, hard_thr=0.2) == [5]
        monkeypatch.setattr(max_min, "REACH", 3)
        assert numbers(degrees, hard_thr=0.2) == [4, 1]  # cos 120 is -0.5
        monkeypatch.setattr(max_min, "REACH", 4)
        assert numbers(degrees, hard_thr=0.2) == [5]

    def test_time_is_linear(self) -> None:
        alike = np.zeros((16_000, 64), dtype=np.float32)
        alike[:, 0] = 1

        def work(n: int) -> None:
            assert not MaxMin().borders([alike[:n]], lambda first, last: True).any()

        assert grows_linearly(work, 2_000)


class TestParameters:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"hard_thr": 1.5}, "hard_thr: is 1.5, and a similarity lies between -1 and 1"),
            ({"c": -0.1}, "c: is -0.1; use 0 or more"),
            ({"init_const": -1}, "init_const: is -1; use 0 or more"),
            ({"size": 0}, "size: is 0"),
            ({"language": "english"}, "language: is 'english'"),
        ],
    )
    def test_what_cannot_work_is_refused(self, parameters: dict[str, object], message: str) -> None:
        with pytest.raises(BadInput) as error:
            build("max_min", parameters)
        assert message in str(error.value)

    def test_a_unit_in_which_nothing_is_counted_makes_no_other_experiment(self) -> None:
        assert MaxMin(unit="words") == MaxMin()

    def test_an_embedder_is_asked_for(self) -> None:
        assert MaxMin.needs == ("embedder",)
        with pytest.raises(BadInput, match="cuts by meaning and needs an embedder"):
            chunks("One owl. Two owls.", Tools())
