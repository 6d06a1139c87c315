"""What a vector type leaves of a vector, and what its scores may lose."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evaluation.stores import EXACT, StoreError, VectorType
from evaluation.stores.exact import Exact
from evaluation.stores.nearest import best, dots, float_error
from evaluation.stores.quantising import Signs, Steps, fitted
from strategies.document import Chunk

Matrix = npt.NDArray[np.float32]

shapes = st.tuples(st.integers(1, 12), st.integers(1, 10))
numbers = st.floats(-100, 100, width=32, allow_subnormal=False)
matrices = shapes.flatmap(lambda shape: arrays(np.float32, shape, elements=numbers))
types = pytest.mark.parametrize("vector_type", get_args(VectorType))


def chunks(count: int) -> list[Chunk]:
    return [Chunk("a", 0, i, i + 1, "x", 1, "x", (i, i + 1)) for i in range(count)]


@types
@given(matrix=matrices)
def test_what_was_decoded_is_stored_as_before(vector_type: VectorType, matrix: Matrix) -> None:
    quantiser = fitted(matrix, vector_type)
    codes = quantiser.encode(matrix)
    decoded = quantiser.decode(codes)
    assert decoded.dtype == np.float32
    assert decoded.shape == matrix.shape
    assert np.isfinite(decoded).all()
    if vector_type != "int8":
        assert np.array_equal(quantiser.encode(decoded), codes)
    # Where a range is hardly wider than two floats, steps share a number; the numbers stay.
    np.testing.assert_allclose(quantiser.decode(quantiser.encode(decoded)), decoded, rtol=1e-6, atol=1e-6)


@given(matrix=matrices)
def test_a_number_is_off_by_half_a_step_at_most(matrix: Matrix) -> None:
    steps = Steps.fitted(matrix)
    decoded = steps.decode(steps.encode(matrix)).astype(np.float64)
    width = matrix.max(axis=0).astype(np.float64) - matrix.min(axis=0)
    slack = 1e-5 * np.abs(matrix).max()
    assert (np.abs(decoded - matrix) <= width / 255 / 2 + slack).all()


@given(matrix=matrices)
def test_halves_are_the_nearest(matrix: Matrix) -> None:
    quantiser = fitted(matrix, "float16")
    decoded = quantiser.decode(quantiser.encode(matrix)).astype(np.float64)
    assert (np.abs(decoded - matrix) <= np.abs(matrix) * 2.0**-11 + 2.0**-25).all()


@given(matrix=matrices, data=st.data())
def test_the_score_of_signs_is_the_cosine_of_sign_vectors(matrix: Matrix, data: st.DataObject) -> None:
    dimensions = matrix.shape[1]
    query = data.draw(arrays(np.float32, (dimensions,), elements=numbers))
    signs = Signs(dimensions)
    scores = signs.scores(signs.encode(matrix), query)
    one, other = np.where(matrix > 0, 1, -1), np.where(query > 0, 1, -1)
    cosines = (one * other).sum(axis=1) / dimensions
    assert scores.tolist() == [round(cosine, 6) + 0.0 for cosine in cosines.tolist()]
    assert (np.abs(scores) <= 1).all()
    decoded = signs.decode(signs.encode(matrix)) @ signs.decode(signs.encode(query[None]))[0]
    np.testing.assert_allclose(scores, decoded, atol=2e-6)


def test_worked_numbers() -> None:
    vectors = np.array([[-1.0, 0.25], [1.55, 0.25], [0.0, 0.25]], dtype=np.float32)
    query = np.array([1.0, 2.0], dtype=np.float32)
    # The range of the first dimension is 2.55, a step 0.01: -1 is step 0, 1.55 step 255, 0 step 100.
    steps = fitted(vectors, "int8")
    assert steps.encode(vectors)[:2].tolist() == [[-128, -128], [127, -128]]
    assert steps.decode(steps.encode(vectors))[:2].tolist() == [
        [pytest.approx(-0.995), 0.25], [pytest.approx(1.555), 0.25],
    ]  # fmt: skip
    assert steps.scores(steps.encode(vectors), query)[:2].tolist() == [-0.495, 2.055]
    binary = fitted(vectors, "binary")
    assert binary.encode(vectors).tolist() == [[2], [3], [2]]
    assert binary.scores(binary.encode(vectors), query).tolist() == [0.0, 1.0, 0.0]


def test_what_no_half_holds_is_refused_with_the_number() -> None:
    huge = np.array([[1.0, -70000.0]], dtype=np.float32)
    with pytest.raises(StoreError, match="70000, which float16 cannot hold: use float32"):
        fitted(huge, "float16").encode(huge)


@types
def test_new_vectors_are_stored_by_the_ranges_of_the_old(vector_type: VectorType, tmp_path: Path) -> None:
    """Codes of what is kept never change: an update loses no more than the first time."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(20, 16)).astype(np.float32)
    store = Exact().open(tmp_path, vector_type=vector_type)
    store.build(vectors, [Chunk("ab"[i % 2], 0, i, i + 1, "x", 1, "x", (i, i + 1)) for i in range(20)])
    store.stored()
    before = np.load(tmp_path / "vectors.npy")
    for _ in range(3):
        store.replace_document("b", 9 * vectors[:1], [Chunk("b", 0, 0, 1, "x", 1, "x", (0, 1))])
    store.stored()
    after = np.load(tmp_path / "vectors.npy")
    assert np.array_equal(after[:10], before[::2])
    assert len(after) == 11


@types
def test_the_file_alone_gives_the_scores(vector_type: VectorType, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(30, 20)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    store = EXACT.open(tmp_path, vector_type=vector_type)
    store.build(vectors, chunks(30))
    measured = store.stored()
    codes = np.load(tmp_path / "vectors.npy")
    assert (
        codes.nbytes
        == measured.vectors
        == 30 * {"float32": 80, "float16": 40, "int8": 20, "binary": 3}[vector_type]
    )
    assert measured.index == (2 * 20 * 4 if vector_type == "int8" else 0)
    query = rng.normal(size=20).astype(np.float32)
    if vector_type == "binary":
        bits = np.unpackbits(codes, axis=1, count=20, bitorder="little").astype(bool)
        scores = 1 - 2 * (bits != (query > 0)).sum(axis=1) / 20
    else:
        decoded = codes.astype(np.float64)
        if vector_type == "int8":
            low, width = np.load(tmp_path / "ranges.npy").astype(np.float64)
            decoded = low + (decoded + 128.5) / 255 * width
        scores = decoded @ query.astype(np.float64)
    found = store.search(query, 30)
    assert found.rows.tolist() == list(range(30))
    np.testing.assert_allclose(found.scores, scores, atol=1.1e-6)


@given(seed=st.integers(0, 10**6), dimensions=st.integers(1, 400), scale=st.sampled_from([1e-3, 1.0, 1e4]))
def test_float32_products_are_within_their_bound(seed: int, dimensions: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    vectors = (rng.normal(size=(50, dimensions)) * scale).astype(np.float32)
    query = rng.normal(size=dimensions).astype(np.float32)
    longest = float(np.linalg.norm(vectors, axis=1).max())
    off = np.abs((vectors @ query).astype(np.float64) - dots(vectors, query)).max()
    assert off <= float_error(query, longest)
    backwards = np.zeros(50, dtype=np.float32)
    for column in range(dimensions - 1, -1, -1):  # the worst order: one number after the other
        backwards = backwards + vectors[:, column] * query[column]
    assert np.abs(backwards - dots(vectors, query)).max() <= float_error(query, longest)


def test_a_score_does_not_depend_on_the_rows_beside_it() -> None:
    rng = np.random.default_rng(2)
    vectors, query = rng.normal(size=(9000, 37)).astype(np.float32), rng.normal(size=37).astype(np.float32)
    everything = dots(vectors, query)
    picked = rng.permutation(9000)[:501]
    assert np.array_equal(dots(vectors[picked], query), everything[picked])
    assert dots(vectors[17:18], query)[0] == everything[17]


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=1, max_size=9), st.integers(1, 12))
def test_the_best_are_the_best_with_all_ties(scores: list[float], depth: int) -> None:
    found = best(np.arange(len(scores)), np.array(scores), depth)
    last = sorted(scores, reverse=True)[min(depth, len(scores)) - 1]
    assert found.rows.tolist() == [row for row, score in enumerate(scores) if score >= last]
