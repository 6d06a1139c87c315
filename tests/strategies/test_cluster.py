"""The best cut of the whole document: pieces, gains, and dynamic programming against trying every cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from angles import Angles
from hypothesis import given
from hypothesis import strategies as st
from linear import grows_linearly

from evaluation.embedders.hashing import HashingEmbedder
from strategies import build
from strategies.cluster import Cluster, best_groups, gains_of, longest_groups, small_pieces
from strategies.document import Document
from strategies.errors import BadInput
from strategies.meaning import similarity
from strategies.meaning.similarity import Numbers
from strategies.pieces import Piece
from strategies.recursive import SEPARATORS, levels_of
from strategies.tools import Tools
from strategies.units.rulers import Ruler

Groups = list[tuple[int, int]]


def chunks(text: str, tools: Tools, **parameters: object) -> list[str]:
    return [text[cut.start : cut.end] for cut in Cluster(**parameters).cuts(Document("one", text), tools)]


def ruler(text: str, unit: str = "words") -> Ruler:
    return Tools().ruler(Document("one", text), unit)


class TestByHand:
    """Lines of one word, which are pieces of one unit."""

    def test_groups_hold_what_is_alike(self) -> None:
        # 0, 0, 90, 90 degrees: two of six pairs have a similarity of 1, so the mean is 1/3.
        tools = Angles({"a": 0, "b": 0, "c": 90, "d": 90}).tools
        assert chunks("a\nb\nc\nd", tools, size=4, piece_size=1, unit="words") == ["a\nb", "c\nd"]

    def test_a_group_has_at_most_so_many_pieces_as_fit(self) -> None:
        tools = Angles({"a": 0, "b": 0, "c": 0, "d": 90}).tools
        assert chunks("a\nb\nc\nd", tools, size=3, piece_size=1, unit="words") == ["a\nb\nc", "d"]
        # Two pairs of three are lost, whichever two pieces are kept together: the last group begins farther
        # left with b and c together.
        assert chunks("a\nb\nc\nd", tools, size=2, piece_size=1, unit="words") == ["a", "b\nc", "d"]
        assert chunks("a\nb\nc\nd", tools, size=1, piece_size=1, unit="words") == ["a", "b", "c", "d"]

    def test_the_whole_is_weighed_and_not_only_neighbours(self) -> None:
        # By neighbours alone, b belongs to a (30 degrees) rather than to c (40); but c, d and b are three.
        angles = {"a": 0, "b": 30, "c": 70, "d": 50, "e": 200}
        text = "a\nb\nc\nd\ne"
        found = chunks(text, Angles(angles).tools, size=3, piece_size=1, unit="words")
        assert found == ["a", "b\nc\nd", "e"]

    def test_what_repeats_itself_makes_full_chunks(self) -> None:
        tools = Tools(embed=HashingEmbedder().embed)
        assert chunks("tick\n" * 8, tools, size=4, piece_size=1, unit="words") == ["tick\n" * 3 + "tick"] * 2
        assert chunks("tick\n" * 6, tools, size=4, piece_size=1, unit="words") == [
            "tick\ntick",
            "tick\n" * 3 + "tick",
        ]

    def test_zero_vectors_are_like_nothing(self) -> None:
        zeros = Tools(embed=lambda texts: np.zeros((len(texts), 3), np.float32))
        assert chunks("a\nb\nc", zeros, size=2, piece_size=1, unit="words") == ["a", "b\nc"]

    @pytest.mark.parametrize(("size", "piece_size"), [(99, 50), (20, 50), (50, 50)])
    def test_below_twice_the_piece_nothing_is_embedded(self, size: int, piece_size: int) -> None:
        angles = Angles({})
        text = "word " * 80
        limit = min(size, piece_size)
        found = chunks(text, angles.tools, size=size, piece_size=piece_size, unit="words")
        assert [len(chunk.split()) for chunk in found] == [limit] * (80 // limit) + [80 % limit] * (
            80 % limit > 0
        )
        assert angles.calls == []

    def test_a_blank_document_has_no_chunks(self) -> None:
        assert chunks(" \n\t\n ", Angles({}).tools, size=200) == []

    def test_a_single_piece_needs_no_vector(self) -> None:
        angles = Angles({})
        assert chunks("one two", angles.tools, size=10, piece_size=5, unit="words") == ["one two"]
        assert angles.calls == []


class TestPieces:
    def pieces(self, text: str, limit: int, unit: str = "words") -> list[str]:
        found = small_pieces(Piece(0, len(text)), levels_of(SEPARATORS), ruler(text, unit), limit)
        return [text[piece.start : piece.end] for piece in found]

    def test_only_neighbours_under_one_separator_are_joined(self) -> None:
        text = "a b\n\nc d. e f. g\n\nh\n\ni"
        # The middle paragraph is too long; its end, `g`, is joined neither with `h` nor with the next.
        assert self.pieces(text, 4) == ["a b", "c d. e f.", "g", "h\n\ni"]

    def test_what_fits_is_one_piece(self) -> None:
        assert self.pieces("a b\n\nc d", 4) == ["a b\n\nc d"]

    def test_a_long_word_is_cut_into_characters(self) -> None:
        assert self.pieces("abcdefgh", 3, "characters") == ["abc", "def", "gh"]

    def test_an_atom_stays(self) -> None:
        assert self.pieces("👩", 1, "cl100k_base") == ["👩"]


class TestGains:
    @given(
        degrees=st.lists(st.integers(0, 359), min_size=2, max_size=12),
        width=st.integers(1, 14),
        batch=st.integers(1, 13),
    )
    def test_the_band_of_the_matrix_less_the_mean_of_all_pairs(
        self, degrees: list[int], width: int, batch: int
    ) -> None:
        names = [str(number) for number in range(len(degrees))]
        angles = Angles(dict(zip(names, degrees, strict=True)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(similarity, "BATCH", batch)
            gains = gains_of(names, len(names), angles.tools, width)
        vectors = angles(names).astype(np.float64)
        matrix = vectors @ vectors.T
        mean = matrix[np.triu_indices(len(names), k=1)].mean()
        assert gains.shape == (len(names), width)
        for row in range(len(names)):
            for back in range(1, min(row, width) + 1):
                assert gains[row, back - 1] == pytest.approx(matrix[row, row - back] - mean, abs=3e-6)

    def test_memory_holds_the_vectors_of_a_batch_or_two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(similarity, "BATCH", 8)
        names = [str(number) for number in range(100)]
        angles = Angles(dict.fromkeys(names, 0.0))
        gains_of(names, 100, angles.tools, 3)
        assert angles.most_held <= 1

    def test_equal_vectors_gain_nothing(self) -> None:
        embed = HashingEmbedder().embed
        gains = gains_of(["The gate opens at six."] * 7, 7, Tools(embed=embed), 2)
        assert (gains[2:] == 0).all()


def score(gains: Numbers, groups: Groups) -> float:
    return sum(
        gains[one, one - other - 1]
        for first, last in groups
        for one in range(first, last + 1)
        for other in range(first, one)
    )


@st.composite
def problems(draw: st.DrawFn) -> tuple[Numbers, np.ndarray]:
    """Gains of up to eight pieces in groups of up to five, and how many pieces each group may have."""
    n, width = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    hundredths = draw(st.lists(st.integers(-100, 100), min_size=n * width, max_size=n * width))
    longest = draw(st.lists(st.integers(1, width + 1), min_size=n, max_size=n))
    return np.array(hundredths).reshape(n, width) / 100, np.array(longest)


def every_cut(n: int, longest: np.ndarray) -> list[Groups]:
    cuts = []
    for mask in range(2 ** (n - 1)):
        starts = [0, *(k + 1 for k in range(n - 1) if mask >> k & 1), n]
        groups = [(first, after - 1) for first, after in pairwise(starts)]
        if all(last - first < longest[last] for first, last in groups):
            cuts.append(groups)
    return cuts


@given(problems())
def test_no_other_cut_is_better_and_of_equal_ones_the_last_groups_begin_farthest_left(
    problem: tuple[Numbers, np.ndarray],
) -> None:
    gains, longest = problem
    found = best_groups(gains, longest)
    cuts = every_cut(len(gains), longest)
    assert found in cuts
    best = max(score(gains, groups) for groups in cuts)
    assert score(gains, found) == pytest.approx(best, abs=1e-9)
    equal = [groups for groups in cuts if score(gains, groups) > best - 1e-7]
    assert found == min(equal, key=lambda groups: [first for first, _ in reversed(groups)])


class TestLongest:
    def test_groups_end_where_size_or_number_end(self) -> None:
        text = "a bb\nccc\nd e f\ng"
        pieces = [Piece(0, 4), Piece(5, 8), Piece(9, 14), Piece(15, 16)]  # 2, 1, 3 and 1 words
        assert longest_groups(pieces, ruler(text), 4, 9).tolist() == [1, 2, 2, 2]
        assert longest_groups(pieces, ruler(text), 7, 9).tolist() == [1, 2, 3, 4]
        assert longest_groups(pieces, ruler(text), 7, 2).tolist() == [1, 2, 2, 2]
        assert longest_groups(pieces, ruler(text), 1, 9).tolist() == [1, 1, 1, 1]

    def test_a_group_that_counts_more_than_its_pieces_is_cut(self) -> None:
        # Blank lines count as characters, so two pieces of 4 do not fit into 8.
        tools = Tools(embed=HashingEmbedder().embed)
        assert chunks("gate\n\ngate", tools, size=8, piece_size=4, unit="characters") == ["gate", "gate"]
        assert chunks("gate\n\ngate", tools, size=10, piece_size=4, unit="characters") == ["gate\n\ngate"]


def test_time_is_linear() -> None:
    gains = np.tile(np.array([[0.1, -0.2, 0.05]]), (80_000, 1))
    longest = np.full(len(gains), 4)
    assert grows_linearly(lambda n: best_groups(gains[:n], longest[:n]), 4_000)


class TestParameters:
    def test_what_cannot_work_is_refused(self) -> None:
        with pytest.raises(BadInput, match="piece_size: is 0; use 1 or more"):
            build("cluster", {"size": 10, "piece_size": 0})
        with pytest.raises(BadInput, match="size: is missing"):
            build("cluster", {})

    def test_an_embedder_is_asked_for(self) -> None:
        assert Cluster.needs == ("embedder",)
        with pytest.raises(BadInput, match="cuts by meaning and needs an embedder"):
            chunks("one two\n\nthree", Tools(), size=4, piece_size=2, unit="words")
