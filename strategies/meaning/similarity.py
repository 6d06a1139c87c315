"""How alike texts of a document are, in a stream: vectors come in batches and go, similarities stay.

Similarities are cosines, rounded to a millionth: vectors of equal texts then have a similarity of exactly 1
on every machine, and a border that wins by noise alone wins nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from strategies.pieces import Piece
from strategies.strategy import SplitTools, Vectors

BATCH = 512
"""Texts whose vectors are held at a time."""

Numbers = npt.NDArray[np.float64]


def cosine_problem(number: float) -> str:
    """What is wrong with a limit of similarity, or nothing.

    >>> cosine_problem(0.5), cosine_problem(50)
    ('', 'is 50, and a similarity lies between -1 and 1')
    """
    return "" if -1 <= number <= 1 else f"is {number:g}, and a similarity lies between -1 and 1"


def windows(text: str, pieces: Sequence[Piece], buffer: int) -> Iterator[str]:
    """Each piece with `buffer` pieces on each side, as they stand in the text.

    >>> list(windows("One. Two. Three.", [Piece(0, 4), Piece(5, 9), Piece(10, 16)], 1))
    ['One. Two.', 'One. Two. Three.', 'Two. Three.']
    """
    last = len(pieces) - 1
    for index in range(len(pieces)):
        yield text[pieces[max(index - buffer, 0)].start : pieces[min(index + buffer, last)].end]


def batches(texts: Iterable[str], tools: SplitTools) -> Iterator[Vectors]:
    """Vectors of all texts, in order, `BATCH` texts at a time."""
    waiting = iter(texts)
    while batch := list(islice(waiting, BATCH)):
        yield tools.embed(batch)


def neighbours(texts: Iterable[str], tools: SplitTools) -> Numbers:
    """The similarity of each text to the next; shape (max(n - 1, 0),)."""
    found: list[Numbers] = []
    before: Vectors | None = None
    for vectors in batches(texts, tools):
        joined = vectors if before is None else np.concatenate((before, vectors))
        found.append(cosines(joined[:-1], joined[1:]))
        before = vectors[-1:]
    return np.concatenate(found) if found else np.zeros(0)


def cosines(one: Vectors, other: Vectors) -> Numbers:
    """Row by row, of unit vectors of shape (n, dim) or of one against n; 0 where a vector is zero."""
    products: Numbers = np.einsum("...j,...j->...", one, other, dtype=np.float64)
    return np.clip(np.round(products, 6), -1.0, 1.0)
