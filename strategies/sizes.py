"""Size, overlap and stride: whole units, and only pairs that move forward."""

from __future__ import annotations

import re
from collections.abc import Callable

from strategies.errors import BadInput, Problem

_SHARE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")


def whole(value: object) -> int | None:
    """The whole number that `value` is, or None.

    >>> whole(200), whole(200.0), whole(200.5), whole("200"), whole(True)
    (200, 200, None, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def found(value: object) -> str:
    """What a value is, in words, for a message about its type.

    >>> found("2e2"), found(True), found(2.5), found(None)
    ("is the text '2e2'", 'is true, a truth value', 'is 2.5', 'is null')
    """
    if value is None:
        return "is null"
    if isinstance(value, bool):
        return f"is {str(value).lower()}, a truth value"
    if isinstance(value, str):
        return f"is the text {value!r}"
    return f"is the list {value!r}" if isinstance(value, list | tuple) else f"is {value!r}"


def not_negative(number: float) -> str:
    """What is wrong with a number that must be 0 or more, or nothing.

    >>> not_negative(0), not_negative(-0.5)
    ('', 'is -0.5; use 0 or more')
    """
    return "" if number >= 0 else f"is {number:g}; use 0 or more"


def positive(number: int) -> str:
    """What is wrong with a number that must be 1 or more, or nothing.

    >>> positive(1), positive(0)
    ('', 'is 0; use 1 or more')
    """
    return "" if number >= 1 else f"is {number}; use 1 or more"


def within(least: int, most: int) -> Callable[[int], str]:
    """A check that says what is wrong with a number that must lie between two, both of them allowed.

    >>> within(2, 8)(8), within(2, 8)(9)
    ('', 'is 9, not from 2 to 8')
    """
    return lambda number: "" if least <= number <= most else f"is {number}, not from {least} to {most}"


def resolve(size: object, overlap: object = 0, stride: object = None) -> tuple[int, int]:
    """Size and overlap in units, from what a user wrote.

    `overlap` is a number of units or a share of the size (`"10%"`, rounded down); `stride` says the
    same from the other side (`overlap = size - stride`). Raises BadInput with every problem.

    >>> resolve(96, "25%"), resolve(100, stride=60), resolve(9, "10%")
    ((96, 24), (100, 40), (9, 0))
    """
    problems: list[Problem] = []
    units = _size(size, problems)
    repeated = (
        _overlap(overlap, units, problems) if stride is None else _stride(stride, overlap, units, problems)
    )
    if problems or units is None or repeated is None:
        raise BadInput(problems)
    return units, repeated


def _size(size: object, problems: list[Problem]) -> int | None:
    units = whole(size)
    if units is None:
        problems.append(Problem("size", f"{found(size)}, not a whole number", plain_number(size)))
    elif units < 1:
        problems.append(Problem("size", f"is {units}", "Use 1 or more"))
        return None
    return units


def _overlap(overlap: object, size: int | None, problems: list[Problem]) -> int | None:
    share = _SHARE.fullmatch(overlap) if isinstance(overlap, str) else None
    if share:
        per_cent = float(share[1])
        if per_cent >= 100:
            problems.append(Problem("overlap", f"is {overlap}", "A share must stay under 100%"))
            return None
        # Whole hundredths of a per cent, so that 29% of 100 is 29 and not the 28 of 0.29 * 100.
        return None if size is None else size * round(per_cent * 100) // 10_000
    units = whole(overlap)
    if units is None:
        remedy = plain_number(overlap) or 'Write a number of units, or a share such as "10%"'
        problems.append(Problem("overlap", f"{found(overlap)}, not a whole number or a share", remedy))
    elif units < 0:
        problems.append(Problem("overlap", f"is {units}", "Use 0 or more"))
        return None
    elif size is not None and units >= size:
        problems.append(Problem("overlap", f"{units} is not less than size {size}", f"Use 0 to {size - 1}"))
        return None
    return units


def _stride(stride: object, overlap: object, size: int | None, problems: list[Problem]) -> int | None:
    if overlap not in (0, None) or isinstance(overlap, bool):
        problems.append(Problem("stride", "stands beside overlap", "Give one of the two"))
    units = whole(stride)
    if units is None:
        problems.append(Problem("stride", f"{found(stride)}, not a whole number", plain_number(stride)))
        return None
    if units < 1 or (size is not None and units > size):
        limit = size if size is not None else "the size"
        problems.append(
            Problem("stride", f"is {units}", f"Use 1 to {limit}: a longer step would leave text out")
        )
        return None
    return None if size is None else size - units


def plain_number(value: object) -> str:
    """Advice for text that spells a number, as YAML reads `2e2`."""
    try:
        number = whole(float(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return ""
    return f"Write {number}, without quotes or exponent" if number is not None else ""
