"""Stores and vector types as axes of a sweep: names, params, bytes, and what stops it before any work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.stores import STORES as ALL_STORES
from evaluation.stores.exact import ExactStore
from evaluation.stores.faiss import Faiss
from experiments.cli.app import run as command
from experiments.results import SweepResult
from experiments.runner import Launch, prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput

SENTENCES = [
    "The gate opens at six.", "Dogs stay on a lead.", "Fishing needs a card.", "Children swim for free.",
    "The code is seven.", "Trains leave at ten.", "Ask Ann for a key.", "Nobody sleeps in the barn.",
]  # fmt: skip
STORES = ["exact", {"store": "faiss", "index": "hnsw"}, {"store": "faiss", "index": "flat"}]
TYPES = ["float32", "int8"]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for number in range(8):
        text = " ".join(SENTENCES[number:] + SENTENCES[:number]) + "\n"
        (folder / "documents" / f"{number}.txt").write_text(text)
    asked = [
        {"id": f"q{n}", "question": f"Who said that {sentence}", "evidence": [
            {"document": f"{n}.txt", "quote": sentence}]}
        for n, sentence in enumerate(SENTENCES)
    ]  # fmt: skip
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    return folder


def launch(dataset: Path, **fields: Any) -> Launch:
    content = {
        "name": "stores",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [16]},
        "headline": "context_recall_at_16_tokens",
        "store": STORES,
        "vector_type": TYPES,
        "grid": [{"strategy": "fixed", "unit": "words", "size": 6}],
    }
    return prepare(read_sweep(content | fields), NullTracker(), cache_dir=None)


@pytest.fixture
def result(dataset: Path) -> SweepResult:
    return run(launch(dataset))


def test_every_pair_is_a_configuration_with_a_name_and_params(result: SweepResult) -> None:
    assert [record.error for record in result.records if record.error] == []
    graph = {"ef_construction": 200, "ef_search": 64, "index": "hnsw", "m": 32, "store": "faiss"}
    told = {record.name: (record.params["store"], record.params["vector_type"]) for record in result.records}
    assert {name: (_read(store), kind) for name, (store, kind) in told.items()} == {
        "fixed-words-6": ("exact", "float32"),
        "fixed-words-6-vector_type=int8": ("exact", "int8"),
        "fixed-words-6-store=faiss_hnsw": (graph, "float32"),
        "fixed-words-6-store=faiss_hnsw-vector_type=int8": (graph, "int8"),
        "fixed-words-6-store=faiss": ({"index": "flat", "store": "faiss"}, "float32"),
        "fixed-words-6-store=faiss-vector_type=int8": ({"index": "flat", "store": "faiss"}, "int8"),
    }


def _read(store: Any) -> Any:
    return json.loads(store) if str(store).startswith("{") else store


def test_bytes_tell_the_stores_apart_and_the_answers_do_not(result: SweepResult) -> None:
    metrics = {record.name: record.metrics for record in result.records}
    exact, small = metrics["fixed-words-6"], metrics["fixed-words-6-vector_type=int8"]
    graph = metrics["fixed-words-6-store=faiss_hnsw"]
    assert exact["vectors_bytes"] == graph["vectors_bytes"] == 4 * small["vectors_bytes"] > 0
    assert exact["index_bytes"] == 0 < small["index_bytes"] < graph["index_bytes"]
    for name, one in metrics.items():
        parts = ("vectors_bytes", "index_bytes", "text_bytes", "metadata_bytes")
        assert one["stored_bytes"] == sum(one[part] for part in parts), name
        assert one["store_bytes_on_disk"] >= one["vectors_bytes"] + one["index_bytes"]
        assert one["text_bytes"] == exact["text_bytes"]
        assert one["search_ms_median"] > 0
    for kind in ("", "-vector_type=int8"):
        one, other = metrics[f"fixed-words-6{kind}"], metrics[f"fixed-words-6-store=faiss{kind}"]
        assert [one[name] for name in one if "_at_" in name] == [
            other[name] for name in other if "_at_" in name
        ]
    assert exact["context_recall_at_16_tokens"] > 0


def test_versions_of_a_library_are_part_of_the_identity(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = launch(dataset)
    monkeypatch.setattr(Faiss, "versions", lambda self: {"faiss-cpu": "0.0.1"})
    after = launch(dataset)
    pairs = zip(before.grid.configs, before.config_ids, after.config_ids, strict=True)
    assert {config.search.store.name for config, one, other in pairs if one != other} == {"faiss"}
    record = next(record for record in run(after).records if "faiss" in record.name)
    assert record.versions["faiss-cpu"] == "0.0.1"


def test_a_missing_library_is_told_before_any_work(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Faiss, "packages", ("no_such_library",))
    with pytest.raises(BadInput, match=r"pip install 'chunksweep\[faiss\]'") as caught:
        launch(dataset)
    assert len(caught.value.problems) == 1  # for all configurations together
    assert launch(dataset, store="exact").to_run
    assert launch(dataset, retriever="bm25").to_run  # holds no vector


def test_a_pair_that_cannot_be_is_refused_or_left_out(dataset: Path) -> None:
    codes = {"store": "faiss", "index": "pq", "bits": 4}
    with pytest.raises(BadInput, match="int8 means nothing for index: pq"):
        launch(dataset, store=["exact", codes])
    left = launch(dataset, store=["exact", codes], invalid="skip").grid
    assert len(left.configs) == 3
    assert len(left.skipped) == 1


def test_too_few_chunks_cost_one_configuration_its_result(dataset: Path) -> None:
    records = run(
        launch(dataset, store=["exact", {"store": "faiss", "index": "pq"}], vector_type="float32")
    ).records
    failed = [record for record in records if record.status == "failed"]
    assert [record.name for record in failed] == ["fixed-words-6-store=faiss_pq"]
    assert failed[0].error is not None
    assert failed[0].error.startswith("faiss learns 256 codes of 8 bits from as many chunks at least")


def test_a_store_is_closed_whatever_happens(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(ExactStore, "close", lambda self: closed.append(self))

    def fails(self: ExactStore) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(ExactStore, "stored", fails)
    (record,) = run(launch(dataset, store="exact", vector_type="float32")).records
    assert (record.status, record.error) == ("failed", "OSError: disk full")
    assert len(closed) >= 1


def test_stores_are_listed_with_all_that_they_take(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(["list", "stores", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(rows) == list(ALL_STORES)
    assert (rows["exact"]["extra"], rows["exact"]["installed"]) == (None, True)
    faiss = rows["faiss"]
    assert (faiss["extra"], faiss["installed"]) == ("faiss", True)
    assert faiss["vector_types"] == ["float32", "float16", "int8", "binary"]
    assert [one["name"] for one in faiss["parameters"]] == [
        "index", "m", "ef_construction", "ef_search", "nlist", "nprobe", "pq_m", "bits",
    ]  # fmt: skip
    monkeypatch.setattr(Faiss, "packages", ("no_such_library",))
    assert command(["list", "stores", "faiss"]) == 0
    assert "not installed: pip install 'chunksweep[faiss]'" in capsys.readouterr().out
