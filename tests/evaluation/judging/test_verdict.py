"""A judge's answer counts only if it is what was asked for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judging.verdict import fault_of, json_object

VERDICT = {"reason": "so", "verdict": 1}


@pytest.mark.parametrize(
    "answer",
    [
        '{"reason": "so", "verdict": 1}',
        '  \n{"reason": "so",\n "verdict": 1}\n',
        'Here it is:\n```json\n{"reason": "so", "verdict": 1}\n```\nDone {ok}.',
        'Output: {"reason": "so", "verdict": 1}. That is all.',
    ],
)
def test_an_object_is_found_alone_in_a_fence_or_between_words(answer: str) -> None:
    assert json_object(answer) == VERDICT


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "1",
        "[1]",
        "yes",
        "{",
        "}",
        "}{",
        '{"a": 1} and {"b": 2}',
        "```\n{}\n```\n```\n{}\n```",
        "{" * 5000,
    ],
)
def test_what_is_not_one_object_is_none(answer: str) -> None:
    assert json_object(answer) is None


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.booleans())))
def test_every_object_is_read_back(value: dict[str, object]) -> None:
    assert json_object(json.dumps(value)) == value


@given(st.integers())
def test_a_decision_is_one_of_its_choices(number: int) -> None:
    assert (fault_of({"verdict": number}) == "") == (number in (0, 1))
    assert (fault_of({"rating": number}) == "") == (number in (0, 1, 2))
    nested = {"classifications": [{"attributed": 1}, {"attributed": number}]}
    assert (fault_of(nested) == "") == (number in (0, 1))


def test_as_many_statements_are_judged_as_were_made() -> None:
    verdict = {"statements": [{"verdict": 1}, {"verdict": 0}]}
    assert fault_of(verdict, 2) == ""
    assert fault_of(verdict, 3) == "it judges 2 of 3 statements"
