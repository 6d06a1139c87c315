"""Columns are declared once, and what is declared can be read."""

from __future__ import annotations

import re

import pytest

from evaluation.judging.measures import JUDGED
from evaluation.metrics import METRICS, expand
from evaluation.misses import REMEDIES
from evaluation.settings import Settings
from experiments.columns import COLUMNS, GROUPS, QUESTION_COLUMNS, Column, measure, ordered, reference


@pytest.mark.parametrize("columns", [COLUMNS, QUESTION_COLUMNS])
def test_names_are_unique_and_every_column_explains_itself(columns: tuple[Column, ...]) -> None:
    names = [held.name for held in columns]
    assert len(set(names)) == len(names)
    for held in columns:
        assert re.fullmatch(r"[a-z0-9_]+", held.name)
        assert held.label
        assert held.meaning
        assert held.direction in ("higher", "lower", "none")
        assert held.group in GROUPS
        assert held.kind in ("text", "integer", "number", "boolean")
        # A number says what it counts, but for those in the unit of another column.
        in_another = held.group == "verdict" or held.name == "value"
        assert held.unit or in_another or held.kind in ("text", "boolean")


def test_no_metric_is_declared_twice() -> None:
    assert not {held.name for held in COLUMNS} & set(METRICS)


def test_groups_stand_together_in_their_order() -> None:
    places = [GROUPS.index(held.group) for held in COLUMNS]
    assert places == sorted(places)


def test_names_end_in_their_unit() -> None:
    for held in COLUMNS:
        assert ("_bytes" in held.name) == (held.unit == "bytes")
        assert bool(re.search(r"_ms(_|$)", held.name)) == (held.unit == "ms")


def test_every_score_gets_label_unit_and_direction_from_its_metric() -> None:
    for made in expand(Settings(ks=(7,), budgets=(300,))):
        held = measure(made.name)
        assert (held.name, held.unit, held.direction) == (made.name, made.metric.unit, made.metric.direction)
        assert not re.search(r"\b[KB]\b", held.label)
        assert made.metric.source in held.meaning


def test_an_unknown_measure_is_a_score_without_direction() -> None:
    held = measure("judged_faithfulness")
    assert (held.group, held.kind, held.unit, held.direction) == ("score", "number", "", "none")


def test_passes_over_the_corpus_are_said_to_count_the_text_alone() -> None:
    held = measure("corpus_passes")
    assert held.unit == "ratio"
    assert "without headings" in held.meaning
    assert "embedded" not in held.meaning  # that is another column's


def test_every_reason_of_a_miss_has_its_column() -> None:
    counted = {held.name for held in COLUMNS if held.group == "misses"}
    assert counted == {"misses_total", *(f"misses_{reason}" for reason in REMEDIES)}


def test_scores_stand_in_the_order_of_the_metrics_and_of_their_cut() -> None:
    names = ["zeta", "mrr_at_10", "chunks", "mrr_at_5", "context_recall_at_1024_tokens", "hit_at_1", "name"]
    assert [held.name for held in ordered(measure(name) for name in names)] == [
        "name",
        "context_recall_at_1024_tokens",
        "mrr_at_5",
        "mrr_at_10",
        "hit_at_1",
        "zeta",
        "chunks",
    ]


def test_the_reference_lists_every_measure_in_a_table_that_holds() -> None:
    lines = reference().splitlines()
    named = [line.split("`")[1] for line in lines[2:]]
    assert named == [*METRICS, *(held.name for held in COLUMNS), *JUDGED]
    assert {line.count("|") for line in lines} == {5}
