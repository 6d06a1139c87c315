"""Records keep what was measured, exactly, and nothing that is not a number."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.records import RunRecord, newest, plain

texts = st.text(st.characters(), max_size=8)
finite = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.one_of(texts, st.integers(), finite, st.booleans())
values = st.recursive(
    st.one_of(st.none(), scalars),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
rows = st.lists(st.dictionaries(texts, values, max_size=3), max_size=3).map(tuple)
records = st.builds(
    RunRecord,
    config_id=texts,
    name=texts,
    status=st.sampled_from(["finished", "failed", "killed"]),
    repeat=st.integers(0, 9),
    params=st.dictionaries(texts, scalars, max_size=3),
    config=st.dictionaries(texts, values, max_size=3),
    metrics=st.dictionaries(texts, finite, max_size=3),
    curves=st.dictionaries(texts, st.dictionaries(st.integers(), finite, max_size=3), max_size=3),
    questions=rows,
    chunks=rows,
    retrieved=rows,
    documents=rows,
    reasons=st.dictionaries(texts, texts, max_size=3),
    warnings=st.lists(texts, max_size=3).map(tuple),
    versions=st.dictionaries(texts, texts, max_size=3),
    error=st.one_of(st.none(), texts),
    started_at=st.one_of(st.none(), finite),
    ended_at=st.one_of(st.none(), finite),
    run_id=st.one_of(st.none(), texts),
)


def record(**changes: Any) -> RunRecord:
    return dataclasses.replace(RunRecord(config_id="a-0123456789", name="a", status="finished"), **changes)


@given(records)
def test_json_gives_back_an_equal_record(original: RunRecord) -> None:
    text = original.to_json()
    assert text.isascii()
    assert RunRecord.from_json(text) == original
    assert RunRecord.from_json(text).to_json() == text


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float32("nan")])
@pytest.mark.parametrize(
    "place",
    [
        lambda bad: {"metrics": {"mrr_at_10": bad}},
        lambda bad: {"curves": {"recall_over_k": {1: bad}}},
        lambda bad: {"params": {"size": bad}},
        lambda bad: {"config": {"deep": [{"er": bad}]}},
        lambda bad: {"questions": ({"question_id": "q", "value": bad},)},
        lambda bad: {"chunks": ({"tokens": bad},)},
        lambda bad: {"retrieved": ({"scores": [bad]},)},
        lambda bad: {"documents": ({"metadata": {"x": bad}},)},
        lambda bad: {"started_at": bad},
    ],
)
def test_what_is_not_a_number_is_refused_everywhere(place: Any, bad: float) -> None:
    with pytest.raises(ValueError, match="left out"):
        record(**place(bad))


def test_numpy_scalars_and_tuples_become_plain() -> None:
    made = record(
        metrics={"chunks": np.int64(3), "hit_at_5": True},
        curves={"recall_over_k": {np.int64(5): np.float32(0.5)}},
        chunks=({"section": ("A", "B"), "tokens": np.int64(7), "oversize": np.bool_(True)},),
    )
    assert made.metrics == {"chunks": 3.0, "hit_at_5": 1.0}
    assert made.chunks == ({"section": ["A", "B"], "tokens": 7, "oversize": True},)
    assert RunRecord.from_json(made.to_json()) == made


def test_a_record_does_not_follow_what_it_was_made_from() -> None:
    metrics, row = {"mrr_at_10": 0.5}, {"question_id": "q"}
    made = record(metrics=metrics, questions=(row,))
    metrics["mrr_at_10"] = row["question_id"] = 0.0  # type: ignore[assignment]
    assert made.metrics == {"mrr_at_10": 0.5}
    assert made.questions == ({"question_id": "q"},)


@pytest.mark.parametrize("value", [{1: "a"}, {"a": {2}}, object(), [b"x"]])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"key|JSON"):
        plain(value)


def test_a_number_too_large_for_a_metric_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        record(metrics={"chunks": 10**400})


@pytest.mark.parametrize("changes", [{"status": "complete"}, {"repeat": -1}])
def test_impossible_fields_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes))):
        record(**changes)


def damaged(**changes: Any) -> str:
    return json.dumps({**json.loads(record().to_json()), **changes})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        "[" * 100_000,
        record().to_json()[:-1],
        record().to_json().replace('"metrics":{}', '"metrics":{"a":NaN}'),
        damaged(format=2),
        damaged(surplus=1),
        damaged(curves=[]),
        damaged(curves={"a": {"x": 1.0}}),
        damaged(questions=None),
        damaged(metrics={"a": "x"}),
        damaged(repeat="0"),
        damaged(repeat=True),
        damaged(name=5),
        damaged(questions=[5]),
        damaged(questions={}),
        damaged(chunks=["a"]),
        damaged(retrieved=None),
        damaged(documents={}),
        damaged(metrics={"a": "5"}),
        damaged(metrics={"a": True}),
        damaged(metrics=[]),
        damaged(curves={"a": [1.0]}),
        damaged(curves={"a": {"1": "1.0"}}),
        damaged(params=[]),
        damaged(params={"size": [96]}),
        damaged(config=5),
        damaged(reasons={"a": 5}),
        damaged(warnings="text"),
        damaged(versions={"a": None}),
        damaged(error=5),
        damaged(started_at="now"),
        damaged(run_id=5),
        damaged(config={"a": None}).replace("null}", "[" * 600 + "]" * 600 + "}", 1),
    ],
)
def test_damaged_text_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        RunRecord.from_json(text)


def test_a_record_from_before_there_were_retrieved_chunks_is_read() -> None:
    old = json.loads(record(metrics={"chunks": 3}).to_json())
    del old["retrieved"], old["documents"]
    assert RunRecord.from_json(json.dumps(old)) == record(metrics={"chunks": 3})


def test_the_newest_of_several_runs_is_kept() -> None:
    first, second = record(ended_at=1.0, run_id="old"), record(ended_at=2.0, run_id="new")
    other = record(repeat=1, ended_at=0.5)
    for order in ([first, second, other], [second, other, first]):
        assert newest(order) == {("a-0123456789", 0): second, ("a-0123456789", 1): other}
