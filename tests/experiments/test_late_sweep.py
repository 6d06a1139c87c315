"""A sweep with late vectors: what it embeds, what each configuration is charged, what a plan says."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding import TokenVectors
from experiments.planning import make_plan
from experiments.records import RunRecord
from experiments.runner import Launch, prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput

HANDBOOK = Path(__file__).resolve().parents[2] / "datasets" / "handbook"
SENTENCES = [
    "The gate opens at six.", "Dogs stay on a lead.", "Fishing needs a card.", "Children swim for free.",
    "The code is seven.", "Trains leave at ten.", "Ask Ann for a key.", "Nobody sleeps in the barn.",
]  # fmt: skip
GRID = [{"strategy": "fixed", "size": [8, 16]}, {"strategy": "sentence", "size": 12}]
LIMIT = 16


class Counting(HashingEmbedder):
    """Reads 16 words, and remembers what it was asked token vectors of."""

    def __init__(self) -> None:
        super().__init__(limit_tokens=LIMIT)
        self.windows: list[str] = []

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        self.windows += [text for text in texts if not text.startswith("The first call")]
        return super().token_vectors(texts)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "blank.txt").write_text(" \n")
    for number in range(4):
        text = " ".join(SENTENCES[number:] + SENTENCES[:number]) + "\n"
        (folder / "documents" / f"{number}.txt").write_text(text)
    question = {"id": "q", "question": "When does the gate open?"}
    evidence = [{"document": "0.txt", "quote": SENTENCES[0]}]
    (folder / "questions.jsonl").write_text(json.dumps(question | {"evidence": evidence}))
    return folder


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: counting)
    return counting


def launch(dataset: Path, cache: Path | None = None, **fields: Any) -> Launch:
    content = {
        "name": "late",
        "dataset": str(dataset),
        "embedder": "hashing",
        "vectors": ["direct", "late"],
        "retrieval": {"k": [1], "token_budgets": [16]},
        "headline": "context_recall_at_16_tokens",
        "grid": GRID,
    }
    return prepare(read_sweep(content | fields), NullTracker(), cache_dir=cache)


def by_name(launched: Launch) -> dict[str, RunRecord]:
    records = {record.name: record for record in run(launched).records}
    assert [record.error for record in records.values() if record.error] == []
    return records


def windows_of(launched: Launch) -> list[str]:
    """Those of all documents; documents that hold the same passages share some."""
    config = next(config for config in launched.grid.configs if config.search.vectors == "late")
    return launched.bench.texts(config, launched.bench.split(config))


def test_windows_are_embedded_once_for_all_configurations_and_never_again(
    dataset: Path, embedder: Counting, tmp_path: Path
) -> None:
    first = launch(dataset, tmp_path / "cache")
    records = by_name(first)
    assert sorted(records) == [
        "fixed-16", "fixed-16-vectors=late", "fixed-8", "fixed-8-vectors=late", "sentence-12",
        "sentence-12-vectors=late",
    ]  # fmt: skip
    assert len(embedder.windows) == len(set(embedder.windows))
    late = [record.metrics for name, record in records.items() if name.endswith("late")]
    assert {metrics["late_windows"] for metrics in late} == {len(windows_of(first))}
    assert set(embedder.windows) == set(windows_of(first))
    embedder.windows.clear()
    again = by_name(launch(dataset, tmp_path / "cache"))
    assert embedder.windows == []
    assert {name: record.metrics["embed_ms"] for name, record in again.items()} == pytest.approx(
        {name: record.metrics["embed_ms"] for name, record in records.items()}
    )


def test_each_is_charged_all_windows_and_nothing_is_cut_off(dataset: Path, embedder: Counting) -> None:
    launched = launch(dataset)
    records = by_name(launched)
    words = int(embedder.sizes(windows_of(launched)).tokens.sum())
    assert words > int(embedder.sizes([doc.text for doc in launched.bench.gold.documents]).tokens.sum())
    for name, record in records.items():
        if name.endswith("late"):
            assert record.metrics["tokens_embedded"] == words
            assert record.metrics["truncated_chunks"] == record.metrics["truncated_token_share"] == 0
            assert record.metrics["embed_ms"] > 0
        else:
            assert "late_windows" not in record.metrics
    long = by_name(launch(dataset, grid=[{"strategy": "fixed", "size": 40}]))
    assert long["fixed-40"].metrics["truncated_token_share"] > 0
    assert long["fixed-40-vectors=late"].metrics["truncated_token_share"] == 0
    assert long["fixed-40-vectors=late"].metrics["tokens_embedded"] == words


def test_a_strategy_that_cuts_by_meaning_can_have_late_vectors(dataset: Path, embedder: Counting) -> None:
    launched = launch(dataset, vectors="late", grid=[{"strategy": "semantic", "buffer": 0, "size": 8}])
    (record,) = by_name(launched).values()
    words = int(embedder.sizes(windows_of(launched)).tokens.sum())
    assert record.metrics["tokens_embedded"] == words + record.metrics["split_tokens_embedded"]


def test_traffic_tells_windows_from_texts(dataset: Path, embedder: Counting) -> None:
    launched = launch(dataset)
    texts, windows = run(launched).traffic.split("; ")
    assert texts.startswith("texts: ")
    asked, distinct = 3 * len(windows_of(launched)), len(embedder.windows)
    assert windows == f"windows: {asked} asked, {distinct} distinct, 0 from cache, {distinct} embedded"
    assert ";" not in run(launch(dataset, vectors="direct")).traffic


def test_progress_is_told_while_windows_are_embedded(dataset: Path, embedder: Counting) -> None:
    launched = launch(dataset, vectors="late")
    told: list[tuple[int, int]] = []
    bench = launched.bench
    bench.measure(
        launched.grid.configs[0], lambda phase: None, lambda done, total: told.append((done, total)), {}
    )
    total = int(embedder.sizes(embedder.windows).tokens.sum())
    assert told[-1] == (total, total)


def test_a_plan_counts_windows_once(dataset: Path, embedder: Counting, tmp_path: Path) -> None:
    launched = launch(dataset, tmp_path / "cache")
    plan = make_plan(launched)
    planned = {one.name: one for one in plan.configurations}
    first, second, third = (one for name, one in planned.items() if name.endswith("late"))
    distinct = sorted(set(windows_of(launched)))
    assert first.texts_to_embed == len(distinct)
    assert first.tokens_to_embed == int(embedder.sizes(distinct).tokens.sum())
    assert (second.texts_to_embed, third.texts_to_embed) == (0, 0)
    assert first.truncated_token_share == 0
    assert plan.tokens_to_embed == sum(one.tokens_to_embed or 0 for one in planned.values())
    assert plan.estimated_s
    run(launch(dataset, tmp_path / "other"))
    after = make_plan(launch(dataset, tmp_path / "other"))
    assert (after.tokens_to_embed, after.tokens_cached) == (0, plan.tokens_to_embed)
    assert after.estimated_s is None


def test_a_model_that_cannot_is_refused_before_any_work(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        HashingEmbedder, "lacks_token_vectors", lambda self: "puts Dense after its transformer"
    )
    with pytest.raises(BadInput, match="late vectors need vectors of tokens, but hashing puts Dense"):
        launch(dataset)
    launch(dataset, vectors="direct")


@pytest.mark.slow
def test_two_documents_of_the_handbook_with_the_packaged_model(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    lines = [json.loads(line) for line in (HANDBOOK / "questions.jsonl").read_text("utf-8").splitlines()]
    wanted = ["reports/2023-q3-report.md", "reports/2024-q3-report.md"]
    for name in wanted:
        (folder / "documents" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HANDBOOK / "documents" / name, folder / "documents" / name)
    (folder / "card.yaml").write_text("name: set\n")
    asked = [
        line
        for line in lines
        if line["evidence"]
        and "filter" not in line
        and {*re.findall(r'"document": "([^"]+)', json.dumps(line))} <= {*wanted}
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    fields: dict[str, Any] = {
        "embedder": "all-MiniLM-L6-v2",
        "retrieval": {"k": [1], "token_budgets": [256]},
        "headline": "context_recall_at_256_tokens",
        "grid": [{"strategy": "recursive", "size": [96, 384]}],
    }
    records = by_name(launch(folder, tmp_path / "cache", **fields))
    small, large = (records[f"recursive-{size}-vectors=late"].metrics for size in (96, 384))
    assert small["tokens_embedded"] == large["tokens_embedded"]
    assert small["late_windows"] == large["late_windows"] > 2
    assert large["truncated_token_share"] == 0 < records["recursive-384"].metrics["truncated_token_share"]
    assert small["context_recall_at_256_tokens"] > 0.3  # far above chance: the vectors mean something
    again = launch(folder, tmp_path / "cache", **fields)
    run(again)
    assert "0 embedded" in again.bench.traffic.split("; ")[1]
