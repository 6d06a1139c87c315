"""Sweeps that ask a language model: who pays, what is told of it, and what prices change."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments.records import RunRecord
from experiments.results import SweepResult
from experiments.runner import prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import Key, NullTracker
from strategies.errors import BadInput

from ..strategies.chat_server import ChatServer, fails, says  # noqa: TID252  (a neighbour's)

GATE, DOGS = "The gate opens at six.", "Dogs stay on a lead."


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ChatServer() as server:
        server.answer = lambda prompt: says("Rules of the park.", usage=(100, 10))
        yield server


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for number in range(8):
        (folder / "documents" / f"{number}.txt").write_text(f"{GATE} {DOGS} Number {number} is here.\n")
    question = {"id": "q", "question": "When does the gate open?"}
    evidence = [{"document": "0.txt", "quote": GATE}]
    (folder / "questions.jsonl").write_text(json.dumps(question | {"evidence": evidence}))
    return folder


class Remembering(NullTracker):
    """Has the records of an earlier sweep."""

    def __init__(self, result: SweepResult | None = None) -> None:
        super().__init__()
        self.earlier = {} if result is None else {record.key: record for record in result.records}

    def completed(self, config_ids: Collection[str] | None = None) -> dict[Key, RunRecord]:
        return {key: record for key, record in self.earlier.items() if config_ids and key[0] in config_ids}


class Asking:
    """Sweeps of one contextual strategy, a chunk a document, with one cache."""

    def __init__(self, dataset: Path, server: ChatServer) -> None:
        self.dataset, self.server = dataset, server

    def sweep(self, earlier: SweepResult | None = None, **values: Any) -> SweepResult:
        contextual = {
            "strategy": "contextual",
            "base": {"strategy": "sentence", "size": 99},
            "base_url": self.server.url,
            "model": "m",
            "retries": 0,
            "concurrency": 1,
        }
        content = {
            "name": "asking",
            "dataset": str(self.dataset),
            "embedder": "hashing",
            "retrieval": {"k": [1], "token_budgets": [16]},
            "headline": "context_recall_at_16_tokens",
            "grid": [contextual | values],
        }
        cache = self.dataset.parent / "cache"
        return run(prepare(read_sweep(content), Remembering(earlier), cache_dir=cache))


@pytest.fixture
def asking(dataset: Path, chat_server: ChatServer) -> Asking:
    return Asking(dataset, chat_server)


def prices(given: float, made: float) -> dict[str, float]:
    return {"price_per_million_input_tokens": given, "price_per_million_output_tokens": made}


def test_what_is_paid_now_is_told_apart_from_what_was_kept(asking: Asking) -> None:
    first = asking.sweep()
    assert first.traffic.endswith("; answers: 8 used, 8 paid now")
    again = asking.sweep()
    assert again.ran == 1
    assert again.traffic.endswith("; answers: 8 used, 0 paid now")
    assert len(asking.server.asked) == 8


def test_a_sweep_that_asks_nothing_says_nothing_of_answers(asking: Asking) -> None:
    content = {"name": "x", "dataset": str(asking.dataset), "embedder": "hashing", "headline": "mrr_at_10"}
    sweep = read_sweep(content | {"grid": [{"strategy": "sentence", "size": 9}]})
    assert "answers" not in run(prepare(sweep, NullTracker(), cache_dir=None)).traffic


def test_answers_are_paid_for_once_where_more_than_five_documents_fail(asking: Asking) -> None:
    """The first seven are too long for the model; the answer for the last is kept all the same."""
    asking.server.answer = lambda prompt: (
        fails(400, "too long") if "Number 7" not in prompt else says("Rules.")
    )
    failed = asking.sweep()
    error = failed.records[0].error
    assert error is not None
    assert error.startswith("7 of 8 documents could not be cut: 0.txt")
    assert error.endswith("; and 2 more")
    assert failed.traffic.endswith("; answers: 1 used, 1 paid now")
    asking.server.answer = lambda prompt: says("Rules.")
    assert asking.sweep().traffic.endswith("; answers: 8 used, 7 paid now")


def test_an_endpoint_that_is_dead_is_given_up_all_the_same(asking: Asking) -> None:
    asking.server.answer = lambda prompt: fails(500)
    error = asking.sweep().records[0].error
    assert error is not None
    assert error.startswith("8 of 8 documents could not be cut")
    assert len(asking.server.asked) == 5


def test_a_price_makes_no_new_experiment_and_a_record_keeps_its_cost(asking: Asking) -> None:
    """800 input tokens at 2 a million and 80 output tokens at 10 a million: 0.0024."""
    first = asking.sweep(**prices(2, 10))
    assert first.records[0].metrics["llm_cost"] == pytest.approx(0.0024, rel=1e-12)
    for values in (prices(4, 20), {}):
        resumed = asking.sweep(first, **values)
        assert resumed.ran == 0
        assert resumed.records[0].metrics["llm_cost"] == first.records[0].metrics["llm_cost"]
    fresh = asking.sweep(**prices(4, 20))
    assert fresh.ran == 1
    assert fresh.records[0].config_id == first.records[0].config_id
    assert fresh.records[0].metrics["llm_cost"] == pytest.approx(0.0048, rel=1e-12)
    assert len(asking.server.asked) == 8


def test_two_prices_are_no_two_configurations(asking: Asking) -> None:
    with pytest.raises(BadInput, match="in the grid twice"):
        asking.sweep(price_per_million_input_tokens=[1, 2], price_per_million_output_tokens=1)
