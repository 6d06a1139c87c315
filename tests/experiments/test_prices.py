"""Prices of a sweep file: read, kept beside the runs, turned into columns; they rerun nothing."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.cost import COSTS, FREE, Prices
from experiments.leaderboard import Leaderboard
from experiments.results import Judging, SweepResult, judge
from experiments.runner import prepare, run
from experiments.sweep import Sweep, read_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput

TEXT = "The gate opens at six. Dogs stay on a lead. Fishing needs a card.\n"
PRICES = {
    "per_million_embedding_tokens": 2,
    "per_million_prompt_tokens": 10,
    "per_gb_month": 1,
    "currency": "CHF",
}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "a.txt").write_text(TEXT)
    (folder / "questions.jsonl").write_text(
        '{"id": "q", "question": "When does the gate open?",'
        ' "evidence": [{"document": "a.txt", "quote": "The gate opens at six."}]}\n'
    )
    return folder


def sweep(dataset: Path | str, **more: Any) -> Sweep:
    content = {
        "name": "prices",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1], "token_budgets": [8]},
        "headline": "context_recall_at_8_tokens",
        "grid": {"strategy": "sentence", "sentences": 1},
    }
    return read_sweep({**content, **more})


def launched(dataset: Path, tracker: NullTracker, **more: Any) -> SweepResult:
    return run(prepare(sweep(dataset, **more), tracker, cache_dir=None))


def row(result: SweepResult) -> dict[str, Any]:
    (only,) = result.table.rows()
    return only


def test_without_prices_there_is_no_sum_and_no_word_about_it(dataset: Path) -> None:
    found = row(launched(dataset, NullTracker()))
    assert {found[name] for name in COSTS} == {None}
    assert found["missing_reasons"] is None
    assert sweep(dataset).prices == FREE == sweep(dataset, prices={}).prices


def test_what_was_counted_is_priced_and_other_prices_run_nothing(dataset: Path) -> None:
    tracker = NullTracker()
    first = launched(dataset, tracker)
    assert first.ran == 1
    priced = launched(dataset, tracker, prices=PRICES)
    assert priced.ran == 0
    found = row(priced)
    # Words and marks, as `hashing` counts: 17 of the sentences, 6 of the question.
    assert (found["tokens_embedded"], found["query_tokens_mean"]) == (17, 6)
    assert found["embedding_cost"] == 17 * 2 / 1e6
    assert found["query_embedding_cost_per_1000_questions"] == 6 * 2 / 1e3
    assert found["prompt_tokens_at_8_tokens"] == 8
    assert found["prompt_cost_per_1000_questions"] == 8 * 10 / 1e3
    assert found["storage_cost_per_month"] == found["stored_bytes"] / 1e9
    dearer = row(launched(dataset, tracker, prices={**PRICES, "per_gb_month": 3}))
    assert dearer["storage_cost_per_month"] == 3 * found["stored_bytes"] / 1e9


def test_the_currency_is_said_in_the_head_of_every_sum(dataset: Path) -> None:
    table = launched(dataset, NullTracker(), prices=PRICES).table
    heads = {held.name: held.label for held in table.columns if held.unit == "money"}
    assert {name for name, label in heads.items() if label.endswith(", CHF")} == set(COSTS)
    assert heads["llm_cost"] == "LLM cost"  # of a model whose prices stand elsewhere
    console = Console(width=300)
    with console.capture() as shown:
        console.print(Leaderboard(table, "context_recall_at_8_tokens"))
    assert "CHF" in shown.get()
    assert "0.000034" in shown.get()


def test_prices_are_kept_with_the_description_of_the_sweep() -> None:
    judging = Judging("mrr_at_1", 0.02, None, 7, 1, ("a-1",), prices=Prices(per_gb_month=0.5, currency="EUR"))
    assert Judging.from_json(judging.to_json()) == judging
    before = dataclasses.replace(judging, prices=FREE)
    text = before.to_json().replace(', "prices": ', ', "unread": ')
    with pytest.raises(ValueError, match="not a description"):
        Judging.from_json(text)
    with pytest.raises(ValueError, match="not a description"):
        Judging.from_json(judging.to_json().replace("0.5", "-1"))


def test_a_description_from_before_there_were_prices_has_none() -> None:
    text = '{"headline": "mrr_at_1", "margin": 0.02, "baseline": null, "seed": 7, "repeats": 1,'
    judging = Judging.from_json(text + ' "config_ids": ["a-1"], "notes": []}')
    assert judging.prices == FREE
    assert judge("old", judging, []).records == ()


def test_everything_wrong_with_prices_is_said_with_its_place() -> None:
    with pytest.raises(BadInput) as error:
        sweep("handbook", prices={"per_gb_month": -1, "per_million_promt_tokens": 3, "currency": 7})
    assert sorted(str(problem) for problem in error.value.problems) == [
        "prices.currency: currency is 7, not text or null",
        "prices.per_gb_month: per_gb_month is -1; use 0 or more",
        "prices.per_million_promt_tokens: per_million_promt_tokens is not a parameter of prices. "
        "Did you mean per_million_prompt_tokens?",
    ]
    with pytest.raises(BadInput, match="must be a map"):
        sweep("handbook", prices=3)
