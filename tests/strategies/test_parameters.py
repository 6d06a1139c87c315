"""Parameters read from a class: their types in words, their one form, and what does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.errors import BadInput
from strategies.parameters import Parameter, parameters, settle
from strategies.sizes import resolve
from strategies.strategy import parameter


def even(number: int) -> str:
    return "" if number % 2 == 0 else f"is {number}, which is odd"


@dataclass(frozen=True)
class Everything:
    size: int = parameter("how long")
    pairs: int | None = parameter("an even number", default=None, check=even)
    ratio: float = parameter("a share", default=0.5)
    kind: Literal["table", "code"] = parameter("a word of a list", default="table")
    marks: tuple[str, ...] = parameter("texts", default=())
    kept: bool = parameter("a switch", default=False)

    def __post_init__(self) -> None:
        settle(self)


def test_parameters_are_described() -> None:
    assert parameters(Everything) == (
        Parameter("size", "whole number", True, None, "how long"),
        Parameter("pairs", "whole number or null", False, None, "an even number"),
        Parameter("ratio", "number", False, 0.5, "a share"),
        Parameter("kind", "table or code", False, "table", "a word of a list"),
        Parameter("marks", "list of text", False, [], "texts"),
        Parameter("kept", "true or false", False, False, "a switch"),
    )


def test_values_take_their_one_form() -> None:
    found = Everything(size=8.0, pairs=2.0, ratio=1, marks=["a", "b"])
    assert found == Everything(size=8, pairs=2, ratio=1.0, marks=("a", "b"))
    assert [type(value) for value in (found.size, found.pairs, found.ratio, found.marks)] == [
        int,
        int,
        float,
        tuple,
    ]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": "8"}, "size: is the text '8', not a whole number. Write 8, without quotes or exponent"),
        ({"size": "eight"}, "size: is the text 'eight', not a whole number"),
        ({"size": None}, "size: is null, not a whole number"),
        ({"size": [8]}, "size: is the list [8], not a whole number"),
        ({"size": float("nan")}, "size: is nan, not a whole number"),
        ({"size": 8, "pairs": 3}, "pairs: is 3, which is odd"),
        ({"size": 8, "pairs": True}, "pairs: is true, a truth value, not a whole number or null"),
        ({"size": 8, "ratio": float("inf")}, "ratio: is inf, not a number"),
        ({"size": 8, "ratio": 10**400}, f"ratio: is {10**400}, not a number"),
        ({"size": 8, "kind": "tables"}, "kind: is the text 'tables', not table or code. Did you mean table?"),
        ({"size": 8, "marks": "ab"}, "marks: is the text 'ab', not a list of text. Write a list: ['ab']"),
        ({"size": 8, "marks": ["a", 1]}, "marks: is the list ['a', 1], not a list of text"),
        ({"size": 8, "kept": 1}, "kept: is 1, not true or false"),
    ],
)
def test_what_does_not_fit_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput) as error:
        Everything(**values)
    assert str(error.value) == message


def test_all_problems_come_together() -> None:
    with pytest.raises(BadInput) as error:
        Everything(size="8", pairs=3, kept=0)
    assert [problem.where for problem in error.value.problems] == ["size", "pairs", "kept"]


@given(size=st.integers(1, 10_000), percent=st.integers(0, 99))
def test_a_share_is_rounded_down_exactly(size: int, percent: int) -> None:
    assert resolve(size, f"{percent}%") == (size, size * percent // 100)


@given(size=st.integers(-3, 30), overlap=st.integers(-3, 30))
def test_only_pairs_that_move_forward_resolve(size: int, overlap: int) -> None:
    if size >= 1 and 0 <= overlap < size:
        assert resolve(size, overlap) == (size, overlap)
        assert resolve(size, stride=size - overlap) == (size, overlap)
    else:
        with pytest.raises(BadInput):
            resolve(size, overlap)
        with pytest.raises(BadInput):
            resolve(size, stride=size - overlap)


@pytest.mark.parametrize(
    ("overlap", "message"),
    [
        (
            "2e1",
            "overlap: is the text '2e1', not a whole number or a share. Write 20, without quotes or exponent",
        ),
        (
            "ten",
            "overlap: is the text 'ten', not a whole number or a share. Write a number of units, or a share",
        ),
        (0.1, "overlap: is 0.1, not a whole number or a share. Write a number of units, or a share"),
        (True, "overlap: is true, a truth value, not a whole number or a share"),
        ("-5%", "overlap: is the text '-5%', not a whole number or a share"),
    ],
)
def test_an_overlap_is_a_number_or_a_share(overlap: object, message: str) -> None:
    with pytest.raises(BadInput) as error:
        resolve(100, overlap)
    assert str(error.value).startswith(message)


def test_size_and_overlap_are_both_reported() -> None:
    with pytest.raises(BadInput) as error:
        resolve(0, "200%")
    assert [problem.where for problem in error.value.problems] == ["size", "overlap"]
