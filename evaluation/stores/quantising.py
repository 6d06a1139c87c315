"""Vector types: what a store keeps of a vector's numbers, and the score that this gives.

Questions stay float32, but for `binary`, where signs are compared with signs. For pgvector and LanceDB a
type is their own (`halfvec`, `bit`, ...) where it means the same.

- `float32`: the numbers as the model gives them. 4 bytes each.
- `float16`: the nearest IEEE half. 2 bytes each.
- `int8`: per dimension, the range of the vectors that are indexed, cut into 255 equal steps; kept is the
  step, which decodes to its middle. This is `QT_8bit` of FAISS (`SQ8`), but for the sign of the byte. 1 byte
  each, and two float32 a dimension for the range. The range is fitted when an index is built and stays until
  it is built anew; a number outside it is kept as the nearest step.
- `binary`: 1 for a number above 0, else 0, eight to a byte. The score is `1 - 2 x hamming / dimensions`: the
  cosine of the two vectors of signs, in [-1, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.stores.nearest import Scores, dots, rounded
from evaluation.stores.store import StoreError, VectorType
from strategies.strategy import Vectors

Codes = npt.NDArray[Any]
"""What is stored, one row a vector."""

_STEPS = np.float32(255)


class Quantiser(Protocol):
    """One vector type, fitted to the vectors of an index."""

    def encode(self, vectors: Vectors) -> Codes:
        """What is stored of vectors of shape (n, dim). Raises StoreError for a number that it cannot hold."""

    def decode(self, codes: Codes) -> Vectors:
        """The vectors that the codes stand for, float32 of shape (n, dim)."""

    def scores(self, codes: Codes, query: Vectors) -> Scores:
        """Similarity of each code to a question's vector of shape (dim,), rounded to 1e-6."""

    @property
    def ranges(self) -> Vectors:
        """What is kept once an index beside the codes, float32 of shape (2, dim), or empty."""


@dataclass(frozen=True, slots=True)
class Cast:
    """`float32` and `float16`: each number in fewer bits.

    >>> half = Cast(np.dtype(np.float16))
    >>> half.decode(half.encode(np.array([[0.1, -2.0]], dtype=np.float32))).tolist()
    [[0.0999755859375, -2.0]]
    """

    dtype: np.dtype[Any]

    def encode(self, vectors: Vectors) -> Codes:
        """The nearest number of the type."""
        with np.errstate(over="ignore"):
            codes = np.ascontiguousarray(vectors, dtype=self.dtype)
        if not np.isfinite(codes).all():
            largest = float(np.abs(vectors).max())
            raise StoreError(f"a vector holds {largest:.6g}, which {self.dtype} cannot hold: use float32")
        return codes

    def decode(self, codes: Codes) -> Vectors:
        """The same numbers as float32."""
        return codes.astype(np.float32, copy=False)

    def scores(self, codes: Codes, query: Vectors) -> Scores:
        """Dot products, in float64."""
        return rounded(dots(self.decode(codes), query))

    @property
    def ranges(self) -> Vectors:
        """None."""
        return np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """`int8`: 255 equal steps of each dimension's range.

    >>> steps = Steps.fitted(np.array([[0.0, 5.0], [255.0, 5.0]], dtype=np.float32))
    >>> codes = steps.encode(np.array([[0.0, 5.0], [1.9, 5.0], [999.0, 5.0]], dtype=np.float32))
    >>> codes.tolist()
    [[-128, -128], [-127, -128], [127, -128]]
    >>> steps.decode(codes).tolist()
    [[0.5, 5.0], [1.5, 5.0], [255.5, 5.0]]
    """

    low: Vectors
    """Smallest number of each dimension, shape (dim,)."""
    width: Vectors
    """Largest less smallest, shape (dim,); 0 where all are the same, which is then kept exactly."""

    @classmethod
    def fitted(cls, vectors: Vectors) -> Steps:
        """With the ranges of these vectors; of none, empty ranges at 0."""
        if not len(vectors):
            return cls(*np.zeros((2, vectors.shape[1]), dtype=np.float32))
        low = vectors.min(axis=0)
        return cls(low, vectors.max(axis=0) - low)

    def encode(self, vectors: Vectors) -> Codes:
        """The step of each number, from -128 for the lowest."""
        share = np.zeros_like(vectors, dtype=np.float32)
        np.divide(vectors - self.low, self.width, out=share, where=self.width > 0)
        steps = (np.clip(share, 0, 1) * _STEPS).astype(np.int16)
        return np.ascontiguousarray(steps - 128, dtype=np.int8)

    def decode(self, codes: Codes) -> Vectors:
        """The middle of each step."""
        middle = (codes.astype(np.float32) + np.float32(128.5)) / _STEPS
        decoded: Vectors = self.low + middle * self.width
        return decoded

    def scores(self, codes: Codes, query: Vectors) -> Scores:
        """Dot products of what is decoded, in float64."""
        return rounded(dots(self.decode(codes), query))

    @property
    def ranges(self) -> Vectors:
        """Lowest numbers and widths."""
        return np.stack([self.low, self.width])


@dataclass(frozen=True, slots=True)
class Signs:
    """`binary`: the sign of each number, packed.

    >>> signs = Signs(4)
    >>> codes = signs.encode(np.array([[0.5, -0.1, 0.0, 0.2], [-1, -1, -1, 1]], dtype=np.float32))
    >>> codes.tolist()
    [[9], [8]]
    >>> signs.decode(codes).tolist()
    [[0.5, -0.5, -0.5, 0.5], [-0.5, -0.5, -0.5, 0.5]]
    >>> signs.scores(codes, np.array([1, -1, -1, 1], dtype=np.float32)).tolist()
    [1.0, 0.5]
    """

    dimensions: int

    def encode(self, vectors: Vectors) -> Codes:
        """uint8 of shape (n, dim / 8), rounded up; the first number is the lowest bit."""
        return np.packbits(vectors > 0, axis=1, bitorder="little")

    def decode(self, codes: Codes) -> Vectors:
        """Vectors of unit length whose dot products are the scores."""
        bits = np.unpackbits(codes, axis=1, count=self.dimensions, bitorder="little")
        decoded: Vectors = (bits * np.float32(2) - 1) / np.float32(max(self.dimensions, 1) ** 0.5)
        return decoded

    def scores(self, codes: Codes, query: Vectors) -> Scores:
        """From the number of signs that differ."""
        differing = np.bitwise_count(codes ^ self.encode(query[None])).sum(axis=1, dtype=np.int64)
        return self.of_distances(differing)

    def of_distances(self, hamming: npt.NDArray[np.int64]) -> Scores:
        """The scores of numbers of signs that differ."""
        return rounded(1 - 2 * hamming / max(self.dimensions, 1))

    @property
    def ranges(self) -> Vectors:
        """None."""
        return np.zeros((0, 0), dtype=np.float32)


_FITTED: Mapping[VectorType, Callable[[Vectors], Quantiser]] = {
    "float32": lambda vectors: Cast(np.dtype(np.float32)),
    "float16": lambda vectors: Cast(np.dtype(np.float16)),
    "int8": Steps.fitted,
    "binary": lambda vectors: Signs(vectors.shape[1]),
}


def fitted(vectors: Vectors, vector_type: VectorType) -> Quantiser:
    """The quantiser of a type, fitted to vectors of shape (n, dim)."""
    return _FITTED[vector_type](vectors)
