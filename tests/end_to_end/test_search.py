"""One sweep over every way to search, with the real model, a real cross-encoder and real MLflow."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ..evaluation.ranking.scene import save_cross_encoder  # noqa: TID252
from .shell import Cli

pytestmark = pytest.mark.slow

SWEEP = """
name: search
dataset: {dataset}
invalid: skip   # what a store cannot hold
grid:
  - {{strategy: recursive, size: 96, retriever: [dense, bm25, hybrid]}}
  - {{strategy: recursive, size: 96, metric: dot}}
  - {{strategy: recursive, size: 96, retriever: hybrid, rerank: {model}, candidates: 10}}
  - {{strategy: recursive, size: 96, scope: document}}
  - {{strategy: recursive, size: 96, vector_type: [float16, int8, binary]}}
  - strategy: recursive
    size: 96
    store: [faiss, lancedb, pgvector]
    vector_type: [float32, float16, int8, binary]
"""
TIMES = ("_ms", "_median", "_p95")


@pytest.fixture(scope="module")
def measured(
    cli: Cli, small_set: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, float]]:
    """Metrics of each run, by its name, as MLflow keeps them."""
    folder = tmp_path_factory.mktemp("search")
    (folder / "model").mkdir()
    model = save_cross_encoder(folder / "model")
    (folder / "sweep.yaml").write_text(SWEEP.format(dataset=small_set, model=model))
    done = cli(folder, "run", "sweep.yaml")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "only documents that hold the evidence" in " ".join((done.stdout + done.stderr).split())
    with sqlite3.connect(folder / "mlflow.db") as database:
        found: dict[str, dict[str, float]] = {}
        for name, key, value in database.execute(
            "select r.name, m.key, m.value from latest_metrics m join runs r on r.run_uuid = m.run_uuid "
            "join tags t on t.run_uuid = r.run_uuid where t.key = 'mlflow.parentRunId' "
            "and r.status = 'FINISHED'"
        ):
            found.setdefault(name, {})[key] = value
    return found


def test_each_way_to_search_is_a_finished_run_with_its_metrics(measured: dict[str, dict[str, float]]) -> None:
    assert len(measured) == 6 + 3 + 10  # no int8 in lancedb and pgvector
    for name, metrics in measured.items():
        assert 0 < metrics["context_recall_at_1024_tokens"] <= 1
        assert metrics["search_8_clients_ms_p95"] > 0
        by_words = "bm25" in name
        assert ("store_recall" in metrics) != by_words
        assert metrics.get("store_recall", 1.0) == 1.0 or "int8" in name or "binary" in name
        assert (metrics["tokens_embedded"] == 0) == (metrics["vectors_bytes"] == 0) == by_words
        assert ("rerank_ms_p95" in metrics) == ("rerank" in name)
        assert metrics["index_bytes"] > 0 or ("retriever" not in name and "rerank" not in name)
    reranked = next(metrics for name, metrics in measured.items() if "rerank" in name)
    assert reranked["rerank_pairs"] == 10 * reranked["n_scored"]
    assert 0 < reranked["rerank_truncated_pairs"] <= reranked["rerank_pairs"]  # it reads 64 tokens


def test_a_model_of_unit_vectors_ranks_alike_by_both_similarities(
    measured: dict[str, dict[str, float]],
) -> None:
    cosine, dot = (
        {key: value for key, value in measured[name].items() if not key.endswith(TIMES)}
        for name in ("recursive-96", "recursive-96-metric=dot")
    )
    assert dot == pytest.approx(cosine, abs=1e-6)


def test_a_store_that_compares_all_vectors_changes_no_score(measured: dict[str, dict[str, float]]) -> None:
    scores = ("mrr_at_10", "context_recall_at_1024_tokens", "top1_similarity", "tied_queries")
    for store in ("faiss", "lancedb", "pgvector"):
        for words in ("", "-vector_type=binary"):
            exact, other = measured[f"recursive-96{words}"], measured[f"recursive-96-store={store}{words}"]
            for score in scores:
                assert other[score] == pytest.approx(exact[score], abs=1e-6)
    sizes = [measured[f"recursive-96{words}"]["vectors_bytes"] for words in ("", "-vector_type=float16")]
    assert sizes[0] == 2 * sizes[1]
