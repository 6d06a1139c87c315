"""Tables say what the records say: every value in its column, nothing made up, nothing lost."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest

from evaluation.metrics import expand
from evaluation.settings import Settings
from experiments.columns import COLUMNS, QUESTION_COLUMNS, RETRIEVED_COLUMNS
from experiments.records import RunRecord, plain
from experiments.tables import Table, frame, long, retrieved, wide


def record(name: str = "fixed-96", **changes: Any) -> RunRecord:
    made = RunRecord(config_id=f"{name}-0123456789", name=name, status="finished")
    return dataclasses.replace(made, **changes)


def row(table: Table, number: int = 0) -> dict[str, Any]:
    return list(table.rows())[number]


def test_a_golden_record_fills_every_column_with_its_own_value() -> None:
    scores = [made.name for made in expand(Settings())]
    expected: dict[str, Any] = {
        "name": "golden",
        "config_id": "golden-0123456789",
        "status": "finished",
        "repeats": 1,
        "same_chunks_as": "earlier",
        "warnings": "careful",
        "missing_reasons": "judged: no judge",
        "error": "none to speak of",
        "run_id": "run 7",
    }
    metrics, params, verdict = dict[str, Any](), dict[str, Any](), dict[str, Any]()
    measures = [
        held for held in COLUMNS if held.group not in ("configuration", "parameter", "verdict", "notes")
    ]
    for number, name in enumerate([*(held.name for held in measures), *scores], start=100):
        metrics[name] = expected[name] = number
    for held in COLUMNS:
        if held.group == "parameter":
            params[held.name] = expected[held.name] = (
                -1 - len(params) if held.kind == "integer" else f"the {held.name}"
            )
        elif held.group == "verdict":
            given: dict[str, Any] = {"text": "the headline", "boolean": True, "number": len(verdict) / 64}
            verdict[held.name] = expected[held.name] = given[held.kind]
    chunks = ({"document": "a.md", "index": 0, "start": 0, "end": 9},)
    golden = record(
        "golden",
        params=params,
        metrics=metrics,
        chunks=chunks,
        warnings=("careful",),
        reasons={"judged": "no judge"},
        error="none to speak of",
        run_id="run 7",
    )
    table = wide([record("earlier", params=params, chunks=chunks), golden], {"golden": verdict})
    found = row(table, 1)
    assert found == {**expected, "judged": None}
    assert {held.name for held in COLUMNS} < found.keys()
    values = [value for value in found.values() if value is not None and value is not True]
    assert len(set(values)) == len(values)
    for held, cells in zip(table.columns, table.cells, strict=True):
        kind = {"text": str, "integer": int, "number": float, "boolean": bool}[held.kind]
        assert {type(cell) for cell in cells} <= {kind, type(None)}, held.name


def test_an_empty_table_has_every_declared_column() -> None:
    none = ((wide([]), COLUMNS), (long([]), QUESTION_COLUMNS), (retrieved([]), RETRIEVED_COLUMNS))
    for table, columns in none:
        assert [held.name for held in table.columns] == [held.name for held in columns]
        assert len(table) == 0
        assert list(table.rows()) == []
        assert frame(table).shape == (0, len(columns))


def test_a_configuration_that_failed_keeps_its_row_with_the_reason() -> None:
    table = wide([record(metrics={"chunks": 3}), record("broken", status="failed", error="no text")])
    assert row(table, 1)["status"] == "failed"
    assert row(table, 1)["error"] == "no text"
    assert table["chunks"] == (3, None)
    assert table["repeats"] == (1, 0)


def test_what_is_missing_is_none_and_says_why() -> None:
    table = wide(
        [record(reasons={"mrr_at_10": "no question has gold"}), record("b", metrics={"mrr_at_10": 0.5})]
    )
    assert table["mrr_at_10"] == (None, 0.5)
    assert table["missing_reasons"] == ("mrr_at_10: no question has gold", None)


def test_a_score_that_is_not_to_be_compared_says_so() -> None:
    held = record(
        metrics={"judged": 1.0, "n_failed_judged": 1}, reasons={"judged": "not comparable: failed for 1 of 2"}
    )
    table = wide([held])
    assert (table["judged"], table["n_failed_judged"]) == ((1.0,), (1,))
    assert table["warnings"] == ("judged: not comparable: failed for 1 of 2",)
    assert table["missing_reasons"] == (None,)


def test_a_judge_that_failed_in_one_repeat_failed() -> None:
    scores = {"judged": 1.0, "chunks": 3}
    reason = {"judged": "not comparable"}
    failed = record(repeat=1, metrics={**scores, "n_failed_judged": 3}, reasons=reason)
    table = wide([record(repeat=0, metrics=scores), failed])
    assert table["n_failed_judged"] == (1.5,)
    assert "n_failed_judged" not in str(table["missing_reasons"])


def test_making_a_table_copies_no_chunks_and_no_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    held = record(chunks=CHUNKS * 50, questions=QUESTIONS, metrics={"chunks": 50})
    copied: list[str] = []

    def copying(value: Any, where: str = "value") -> Any:
        copied.append(where)
        return plain(value, where)

    monkeypatch.setattr("experiments.records.plain", copying)
    assert wide([held])["chunks"] == (50,)
    assert not {"chunks", "questions"} & set(copied)
    dataclasses.replace(held)  # a copy of a record is a copy of its rows, or nothing was shown above
    assert {"chunks", "questions"} <= set(copied)


def test_repeats_are_averaged_and_counted() -> None:
    table = wide(
        [
            record(repeat=0, metrics={"embed_ms": 10.0, "chunks": 4, "n_scored": 3, "only_once": 1.0}),
            record(repeat=1, metrics={"embed_ms": 20.0, "chunks": 4, "n_scored": 4}),
            record(repeat=2, status="failed", error="out of memory"),
        ]
    )
    assert len(table) == 1
    found = row(table)
    assert (found["embed_ms"], found["repeats"], found["status"]) == (15.0, 2, "finished")
    assert found["chunks"] == 4
    assert isinstance(found["chunks"], int)
    assert found["n_scored"] == 3.5
    assert found["only_once"] is None
    assert "only_once: measured in 1 of 2 repeats" in found["missing_reasons"]
    assert "repeat 2 failed: out of memory" in found["warnings"]


def test_equal_repeats_keep_the_value_to_the_last_digit() -> None:
    table = wide([record(repeat=number, metrics={"mrr_at_10": 0.1}) for number in range(3)])
    assert table["mrr_at_10"] == (0.1,)


def test_of_a_configuration_run_twice_only_the_newest_is_shown() -> None:
    table = wide([record(metrics={"chunks": 9}, ended_at=2.0), record(metrics={"chunks": 8}, ended_at=1.0)])
    assert table["chunks"] == (9,)


@pytest.mark.parametrize(
    ("given", "kind", "expected"),
    [
        ([0, 24], "integer", (0, 24)),
        ([0, "10%"], "text", ("0", "10%")),
        ([1, 0.5], "number", (1.0, 0.5)),
        ([True, False], "boolean", (True, False)),
        ([True, "auto"], "text", ("true", "auto")),
        ([2**70, 1], "text", (str(2**70), "1")),
        ([2**60 + 1, 0.5], "text", (str(2**60 + 1), "0.5")),
        (["007", "7"], "text", ("007", "7")),
    ],
)
def test_a_parameter_column_has_one_kind_that_holds_every_value(given: Any, kind: str, expected: Any) -> None:
    table = wide([record(f"c{number}", params={"knob": value}) for number, value in enumerate(given)])
    assert table["knob"] == expected
    assert {held.name: held.kind for held in table.columns}["knob"] == kind


def test_a_text_never_carries_what_a_file_or_a_terminal_would_choke_on() -> None:
    table = wide([record(error="\x1b[31mred\x00 \udcff\ttab\nline", status="failed")])
    assert table["error"] == ("\\u001b[31mred\\u0000 \\udcff\ttab\nline",)


def test_statistics_that_are_no_numbers_are_missing() -> None:
    table = wide([record()], {"fixed-96": {"loss_bound": math.nan, "headline_low": math.inf, "tied": True}})
    assert (table["loss_bound"], table["headline_low"], table["tied"]) == ((None,), (None,), (True,))


CHUNKS = ({"document": "a.md", "index": 0, "start": 0, "end": 9, "tokens": 3},)


def test_the_same_cut_under_another_name_is_marked() -> None:
    other_unit = ({**CHUNKS[0], "tokens": 9},)
    moved = ({**CHUNKS[0], "end": 8},)
    records = [
        record("a", chunks=CHUNKS, params={"overlap": 0, "vectors": "direct"}),
        record("b", chunks=other_unit, params={"overlap": 8, "vectors": "direct"}),
        record("c", chunks=moved, params={"overlap": 8, "vectors": "direct"}),
        record("d", chunks=CHUNKS, params={"overlap": 0, "vectors": "late"}),
        record("e", chunks=CHUNKS, params={"overlap": 4, "vectors": "direct"}),
        record("f"),
        record("g"),
        record("h", chunks=CHUNKS, params={"overlap": 0, "vectors": "direct"}, status="failed"),
    ]
    assert wide(records)["same_chunks_as"] == (None, "a", None, None, "a", None, None, None)


def test_rows_measured_with_other_data_or_versions_are_warned_about() -> None:
    usual = {"data_digest": "aaaa", "numpy": "2.4.6"}
    records = [
        record("a", versions=usual),
        record("b", versions={**usual, "data_digest": "bbbb"}),
        record("c", versions=usual),
        record("d", versions={**usual, "third_party": "1.0"}),
        record("e", versions={"data_digest": "cccc"}, params={"dataset": "another"}),
    ]
    assert wide(records)["warnings"] == (None, "data digest differs: bbbb, elsewhere aaaa", None, None, None)
    assert wide([records[0], records[2]])["warnings"] == (None, None)


QUESTIONS = (
    {
        "question_id": "007",
        "question": "How many?",
        "tags": ["table", "multi"],
        "unit": 4,
        "mrr_at_5": 1.0,
        "judged": None,
        "miss": None,
        "miss_flags": [],
        "error": "judged: timed out",
    },
    {"question_id": "7", "tags": [], "unit": 5, "mrr_at_5": 0, "judged": 1, "miss": "split", "error": None},
)


def test_chunks_are_the_same_whichever_of_them_were_retrieved() -> None:
    chunk = {"document": "a.md", "index": 0, "start": 0, "end": 9}
    table = wide([record("a", chunks=(chunk,)), record("b", chunks=({**chunk, "text": "Begins so"},))])
    assert table["same_chunks_as"] == (None, "a")


def test_the_long_table_has_one_row_a_configuration_metric_and_question() -> None:
    table = long([record(questions=QUESTIONS), record("broken", status="failed", error="no text")])
    found = [
        (
            line["name"],
            line["metric"],
            line["question_id"],
            line["tags"],
            line["value"],
            line["miss"],
            line["error"],
        )
        for line in table.rows()
    ]
    assert found == [
        ("fixed-96", "mrr_at_5", "007", "table, multi", 1.0, None, "judged: timed out"),
        ("fixed-96", "mrr_at_5", "7", None, 0.0, "split", None),
        ("fixed-96", "judged", "007", "table, multi", None, None, "judged: timed out"),
        ("fixed-96", "judged", "7", None, 1.0, "split", None),
        ("broken", None, None, None, None, None, "no text"),
    ]


def test_pandas_gets_the_same_values_with_units() -> None:
    table = wide([record(metrics={"chunks": 3, "embed_ms": 1.5}), record("b")], {"b": {"tied": False}})
    made = frame(table)
    assert list(made.columns) == [held.name for held in table.columns]
    assert made.attrs["units"]["embed_ms"] == "ms"
    assert made.attrs["directions"]["embed_ms"] == "lower"
    assert made.attrs["meanings"]["chunks"] == "Chunks indexed"
    back = made.astype(object).where(made.notna(), None)
    assert [tuple(back[name]) for name in back] == list(table.cells)
    assert str(made["chunks"].dtype) == "Int64"
