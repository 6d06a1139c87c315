"""Which values of a user's file can be kept: text that UTF-8 can hold, and scalars that survive JSON."""

from __future__ import annotations

import math

LARGEST = 2**63 - 1
"""Whole numbers have 64 bits."""
HALF_PAIR = ("holds half of a surrogate pair (\\ud800 to \\udfff)", "Write the character itself")
"""What is wrong with text that is not `is_unicode`, and the remedy."""


def is_unicode(text: str) -> bool:
    r"""Whether a text can be written as UTF-8, which half of a surrogate pair cannot.

    >>> is_unicode("größer"), is_unicode("\ud800")
    (True, False)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_scalar(value: object) -> bool:
    """Whether a value may be metadata: text, a truth value, or a finite number, a whole one of 64 bits."""
    if isinstance(value, int):
        return abs(value) <= LARGEST
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))
