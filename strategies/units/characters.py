"""A text as an array of code points, and which of them are white space."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_WHITE = np.array([chr(point).isspace() for point in range(0x3001)])
"""Whether a code point is white space by `str.isspace`; none above U+3000 is."""


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """The code points of a text, lone surrogates included; shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def is_white(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Which code points are white space.

    >>> is_white(code_points("a b\\u3000\\U0001f600")).tolist()
    [False, True, False, True, False]
    """
    white: npt.NDArray[np.bool_] = _WHITE[np.minimum(points, len(_WHITE) - 1)] & (points < len(_WHITE))
    return white
