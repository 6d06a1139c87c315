"""`chunksweep run` says before and after what it is about, in whole sentences."""

from __future__ import annotations

import io
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from experiments.cli.run_command import _announce, show
from experiments.records import RunRecord
from experiments.results import Judging, judge

HEADLINE = "context_recall_at_1024_tokens"


def console() -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=100), file


def launch(*, configs: int, repeats: int, left: int, documents: int = 3, questions: int = 40) -> Any:
    """As much of a launch as is announced."""
    return SimpleNamespace(
        sweep=SimpleNamespace(name="mine", repeats=repeats),
        grid=SimpleNamespace(configs=[None] * configs, skipped=["size 8: too small"]),
        to_run=[None] * left,
        bench=SimpleNamespace(
            gold=SimpleNamespace(documents=[None] * documents, questions=[None] * questions),
            embedder=SimpleNamespace(name="a-model"),
        ),
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"configs": 4, "repeats": 1, "left": 4}, "4 configurations, 3 documents, 40 questions"),
        (
            {"configs": 4, "repeats": 3, "left": 12},
            "4 configurations x 3 repeats, 3 documents, 40 questions",
        ),
        (
            {"configs": 4, "repeats": 3, "left": 7},
            "4 configurations x 3 repeats, 5 of 12 runs already done, 3 documents, 40 questions",
        ),
        (
            {"configs": 1, "repeats": 1, "left": 0, "documents": 1, "questions": 1},
            "1 configuration, 1 of 1 run already done, 1 document, 1 question",
        ),
        (
            {"configs": 1200, "repeats": 1, "left": 1200, "documents": 5000},
            "1,200 configurations, 5,000 documents, 40 questions",
        ),
    ],
)
def test_what_will_run_is_counted(given: dict[str, int], told: str) -> None:
    target, file = console()
    _announce(target, launch(**given))
    assert file.getvalue().splitlines() == ["Left out: size 8: too small", f"mine: {told}, a-model"]


def measured(name: str, scores: list[float], misses: int, **more: float) -> RunRecord:
    mean = sum(scores) / len(scores)
    return RunRecord(
        f"{name}-1",
        name,
        "finished",
        metrics={HEADLINE: mean, "chunks": 9, "tokens_embedded": 90, "misses_split": misses, **more},
        questions=tuple(
            {"question_id": str(number), "unit": number, HEADLINE: score}
            for number, score in enumerate(scores)
        ),
    )


def test_misses_are_told_with_the_name_of_the_configuration_that_has_them() -> None:
    records = [measured("weak", [0.0, 0.25] * 20, 33), measured("strong", [1.0, 0.75] * 20, 7)]
    judging = Judging(HEADLINE, 0.02, None, 0, 1, tuple(one.config_id for one in records))
    target, file = console()
    show(target, judge("mine", judging, records, ran=2), "mlruns", "")
    lines = file.getvalue().splitlines()
    title = lines.index("Why strong, the best measured, missed questions:")
    assert lines[title + 1].startswith("  7 split: ")
    assert "33" not in file.getvalue()
    under = file.getvalue().partition("\n\n")[2].splitlines()
    assert [line for line in under if line != line.rstrip()] == []


def test_with_a_split_the_misses_told_are_those_of_the_dev_questions() -> None:
    held = measured("only", [0.5] * 80, 9)
    rows = tuple(
        {**row, "miss": "split" if int(row["question_id"]) in (1, 2, 70) else None} for row in held.questions
    )
    kept = tuple(str(number) for number in range(40, 80))
    judging = Judging(HEADLINE, 0.02, None, 0, 1, (held.config_id,), test_questions=kept)
    target, file = console()
    show(target, judge("mine", judging, [replace(held, questions=rows)], ran=1), "mlruns", "")
    lines = file.getvalue().splitlines()
    title = lines.index("Why only, the best measured, missed dev questions:")
    assert lines[title + 1].startswith("  2 split: ")


def test_what_stores_lose_is_one_warning_with_the_names_of_the_rows() -> None:
    recalls = {"exact": 1.0, "enough": 0.99, "coarse": 0.79, "nearly": 0.9899}
    scores = [0.0, 0.25] * 20
    records = [measured(name, scores, 1, store_recall=recall) for name, recall in recalls.items()]
    judging = Judging(HEADLINE, 0.02, None, 0, 1, tuple(one.config_id for one in records))
    target, file = console()
    show(target, judge("mine", judging, records, ran=4), "mlruns", "")
    told = " ".join(file.getvalue().split())
    assert told.count("nearest chunks") == 1
    assert "exact search finds: coarse (79.0 %), nearly (98.9 %). Differences" in told
    assert "0.790" in told
    lossless = judge("mine", replace(judging, config_ids=judging.config_ids[:2]), records[:2], ran=2)
    assert not any("nearest chunks" in note for note in lossless.notes)
