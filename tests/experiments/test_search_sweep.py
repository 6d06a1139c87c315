"""Sweeps over how chunks are searched: what each row measures, what nothing embeds, what is not compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.ranking.pair_desk import Pair
from evaluation.searching import STORE_RECALL
from experiments.leaderboard import marks, ranked
from experiments.planning import make_plan
from experiments.records import RunRecord
from experiments.results import SweepResult
from experiments.runner import Launch, prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput
from strategies.strategy import Vectors

TEXTS = {
    "park.txt": "The north gate opens at nine. The south gate opens at ten. All dogs stay on a lead.",
    "pool.txt": "Swimming costs four euro in summer. Children swim free. The pool closes early in winter.",
    "hall.txt": "The hall opens at nine. Dogs may not enter. A ticket costs two euro, and four on Sunday.",
}
ASKED = {
    "dogs": ("Must dogs stay on a lead?", "park.txt", "All dogs stay on a lead."),
    "price": ("What does swimming cost in summer?", "pool.txt", "Swimming costs four euro in summer."),
    "hall": ("When does the hall open?", "hall.txt", "The hall opens at nine."),
}
LINE = {"strategy": "fixed", "unit": "words", "size": 6}
HEADLINE = "context_recall_at_16_tokens"


class Counting(HashingEmbedder):
    """Remembers every text that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += [text for text in texts if not text.startswith("The first call")]
        return super().embed(texts)


class Growing(Counting):
    """Gives longer vectors to texts that say less: by dot products those come first."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        lengths = np.array([[60 - len(text) % 60] for text in texts], dtype=np.float32)
        return super().embed(texts) * lengths


class Scorer:
    """Prefers texts that have much in common with the question, letter by letter."""

    name, backend, limit_tokens = "letters", "plain python", 10

    def __init__(self, name: str) -> None:
        self.fingerprint = f"letters {name}"
        self.pairs: list[Pair] = []

    def sizes(self, pairs: Sequence[Pair]) -> np.ndarray[Any, Any]:
        return np.array([len(" ".join(pair).split()) for pair in pairs], dtype=np.int64)

    def scores(self, pairs: Sequence[Pair]) -> np.ndarray[Any, Any]:
        self.pairs += [pair for pair in pairs if pair[0] != "The first call"]
        return np.array([len(set(question) & set(text)) / len(set(text)) for question, text in pairs])

    def versions(self) -> dict[str, str]:
        return {"reranker letters": self.fingerprint}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for name, text in TEXTS.items():
        (folder / "documents" / name).write_text(text)
    lines = [
        json.dumps({"id": key, "question": text, "evidence": [{"document": name, "quote": quote}]})
        for key, (text, name, quote) in ASKED.items()
    ]
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: counting)
    return counting


@pytest.fixture
def scorers(monkeypatch: pytest.MonkeyPatch) -> list[Scorer]:
    """Those that were opened."""
    opened: list[Scorer] = []

    def open_one(name: str) -> Scorer:
        opened.append(Scorer(name))
        return opened[-1]

    monkeypatch.setattr("experiments.workbench.open_cross_encoder", open_one)
    return opened


def launch(dataset: Path, *grid: dict[str, Any], cache: Path | None = None, **fields: Any) -> Launch:
    content = {
        "name": "search",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [16, 64]},
        "headline": HEADLINE,
        "grid": list(grid) or [LINE],
    }
    return prepare(read_sweep(content | fields), NullTracker(), cache_dir=cache)


def finished(result: SweepResult) -> dict[str, RunRecord]:
    records = {record.name: record for record in result.records}
    assert [record.error for record in records.values() if record.error] == []
    return records


def test_each_way_to_search_is_a_row_of_its_own(dataset: Path, scorers: list[Scorer]) -> None:
    grid = LINE | {"retriever": ["dense", "bm25", "hybrid"], "rerank": [None, "letters"], "candidates": None}
    launched = launch(dataset, grid)
    records = finished(run(launched))
    assert len(set(launched.config_ids)) == len(records) == 6
    for name, record in records.items():
        metrics, reasons = record.metrics, record.reasons
        assert metrics["n_scored"] == 3
        assert metrics[HEADLINE] > 0
        assert metrics["search_8_clients_ms_p95"] >= metrics["search_8_clients_ms_median"] > 0
        assert ("rerank_ms_median" in metrics) == ("rerank" in name)
        is_dense = name == "fixed-words-6"
        assert ("top1_similarity" in metrics) == is_dense
        assert is_dense or "no similarities of vectors" in reasons["top1_similarity"]
        by_words = "bm25" in name
        assert metrics.get("store_recall") == (None if by_words else 1.0)
        assert not by_words or reasons["store_recall"] == "no vector is searched"
        assert ("bm25s" in record.versions) == ("retriever" in name)
        assert ("reranker letters" in record.versions) == ("rerank" in name)
        assert all(row["top1_similarity"] is None for row in record.questions) != is_dense
    assert {record.params["retriever"] for record in records.values()} == {"dense", "bm25", "hybrid"}
    assert records["fixed-words-6-retriever=bm25"].metrics[HEADLINE] == 1.0


def test_words_alone_embed_nothing(dataset: Path, embedder: Counting) -> None:
    records = finished(run(launch(dataset, LINE | {"retriever": "bm25"})))
    assert embedder.texts == []
    metrics = records["fixed-words-6-retriever=bm25"].metrics
    none = ("tokens_embedded", "vectors_bytes", "embed_ms", "query_embed_ms_median", "truncated_token_share")
    assert {metrics[name] for name in none} == {0.0}
    assert metrics["index_bytes"] > 0
    assert metrics["store_bytes_on_disk"] == metrics["stored_bytes"]


def test_what_embeds_to_cut_still_does(dataset: Path, embedder: Counting) -> None:
    line = {"strategy": "semantic", "size": 24, "threshold_kind": "similarity", "threshold": 0.5}
    (record,) = finished(run(launch(dataset, line | {"retriever": "bm25"}))).values()
    assert record.metrics["tokens_embedded"] == record.metrics["split_tokens_embedded"] > 0
    assert record.metrics["vectors_bytes"] == record.metrics["embed_ms"] == 0
    assert ASKED["dogs"][0] not in embedder.texts


def test_a_plan_says_that_words_alone_embed_nothing(dataset: Path, embedder: Counting) -> None:
    plan = make_plan(launch(dataset, LINE | {"retriever": ["bm25", "dense"]}))
    by_words, by_vectors = plan.configurations
    assert (by_words.texts_to_embed, by_words.tokens_to_embed) == (0, 0)
    assert by_words.chunk_tokens == by_vectors.chunk_tokens
    assert (by_vectors.texts_to_embed or 0) > 0
    assert plan.corpus_passes == pytest.approx(1.0)  # of the one that embeds
    assert any("words alone are searched: fixed-words-6-retriever=bm25" in note for note in plan.notes)
    alone = make_plan(launch(dataset, LINE | {"retriever": "bm25"}))
    assert (alone.tokens_to_embed, alone.corpus_passes, alone.estimated_s) == (0, 0.0, None)


@pytest.mark.parametrize("kind", [Counting, Growing])
def test_both_similarities_embed_once(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Counting]
) -> None:
    """A model that scales its vectors ranks alike by both; one that does not may not."""
    made = kind()
    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: made)
    records = finished(run(launch(dataset, LINE | {"metric": ["cosine", "dot"]}, cache=tmp_path / "cache")))
    assert len(made.texts) == len(set(made.texts)) > 3
    cosine, dot = records["fixed-words-6"], records["fixed-words-6-metric=dot"]
    same = cosine.retrieved == dot.retrieved
    assert same == (kind is Counting)
    assert cosine.metrics["top1_similarity"] <= 1 < dot.metrics["top1_similarity"] or kind is Counting
    assert cosine.metrics["store_recall"] == dot.metrics["store_recall"] == 1.0


def test_strategies_cut_by_unit_vectors_whatever_the_similarity(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: Growing())
    vectors = launch(dataset).bench.tools.embed(["one", "one two three"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)


def test_reranked_pairs_are_scored_once_and_their_limit_told(
    dataset: Path, tmp_path: Path, scorers: list[Scorer]
) -> None:
    grid = LINE | {"retriever": ["dense", "bm25"], "rerank": "letters", "candidates": 4}
    records = finished(run(launch(dataset, grid, cache=tmp_path / "cache")))
    (scorer,) = scorers
    assert len(scorer.pairs) == len(set(scorer.pairs)) > 6
    dense = next(record for name, record in records.items() if "bm25" not in name)
    assert dense.metrics["rerank_pairs"] == 4 * 3
    longer = [pair for pair in set(scorer.pairs) if len(" ".join(pair).split()) > 10]
    assert 0 < dense.metrics["rerank_truncated_pairs"] <= len(longer)
    assert "pairs of question and chunk are longer than letters reads" in dense.warnings[-1]
    again = finished(run(launch(dataset, grid, cache=tmp_path / "cache")))
    assert scorers[-1].pairs == []
    assert [again[name].metrics["rerank_ms_median"] for name in again] == [
        records[name].metrics["rerank_ms_median"] for name in again
    ]
    assert [again[name].retrieved for name in again] == [records[name].retrieved for name in again]


def test_a_plan_says_what_is_reranked_at_most(dataset: Path, scorers: list[Scorer]) -> None:
    line = LINE | {"retriever": ["dense", "bm25"], "rerank": [None, "letters"]}
    plan = make_plan(launch(dataset, line | {"candidates": None}))
    assert any("at most 600 pairs of question and chunk" in note for note in plan.notes)
    assert scorers[0].pairs == []


def test_another_model_is_another_configuration(
    dataset: Path, scorers: list[Scorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = launch(dataset, LINE | {"rerank": "letters"}).config_ids
    monkeypatch.setattr(
        "experiments.workbench.open_cross_encoder", lambda name: Scorer(f"{name}, trained on")
    )
    assert launch(dataset, LINE | {"rerank": "letters"}).config_ids != ids


def test_models_that_are_not_there_are_named_together_before_any_work(
    dataset: Path, embedder: Counting
) -> None:
    with pytest.raises(BadInput) as error:
        launch(dataset, LINE | {"rerank": ["./absent", "./gone"]})
    assert [problem.where for problem in error.value.problems] == ["rerank", "rerank"]
    assert embedder.texts == []


def test_an_index_that_loses_neighbours_never_passes_for_a_cut(dataset: Path) -> None:
    records = finished(run(launch(dataset, LINE | {"vector_type": ["float32", "binary"]})))
    exact, coarse = records["fixed-words-6"], records["fixed-words-6-vector_type=binary"]
    assert exact.metrics["store_recall"] == 1.0
    assert exact.warnings == ()
    assert 0 < coarse.metrics["store_recall"] < STORE_RECALL
    assert any("of the 3 nearest chunks that exact search" in warning for warning in coarse.warnings)


class TestScope:
    def test_a_question_searches_only_where_its_evidence_is(self, dataset: Path) -> None:
        result = run(launch(dataset, LINE | {"scope": "document"}))
        (record,) = finished(result).values()
        wanted = {key: name for key, (_, name, _) in ASKED.items()}
        hits = [(row["question_id"], row["document"]) for row in result.retrieved.rows()]
        assert len(hits) == 9
        assert all(wanted[str(question)] == document for question, document in hits)
        assert any("scope: document" in note for note in result.notes)
        assert result.recommendation.best == record.name

    def test_rows_of_another_scope_are_never_ranked_together(self, dataset: Path) -> None:
        grid = LINE | {"size": [6, 12], "scope": ["document", "corpus"]}
        result = run(launch(dataset, grid, baseline="fixed-words-6-scope=document"))
        records = finished(result)
        apart = {name for name in records if "document" in name}
        assert len(apart) == 2
        for name, said in result.statistics.items():
            assert bool(said.get("apart")) == (name in apart)
            assert said.get("difference_to_baseline") is None
            assert (said["loss_bound"] is None) == (name in apart)
        assert result.recommendation.best not in apart
        assert not set(result.recommendation.tied) & apart
        assert sum("only documents that hold the evidence" in note for note in result.notes) == 2
        assert any("baseline fixed-words-6-scope=document searched other" in note for note in result.notes)
        rows = ranked(result.table.rows(), HEADLINE)
        assert [row["name"] in apart for row in rows] == [False, False, True, True]
        assert ["#" in marks(row) for row in rows] == [False, False, True, True]


def test_only_rows_of_one_search_share_their_chunks(dataset: Path) -> None:
    grid = LINE | {"size": [100, 200], "retriever": ["dense", "bm25"], "scope": ["corpus", "document"]}
    rows = run(launch(dataset, grid)).table.rows()
    same = {row["name"]: row["same_chunks_as"] for row in rows}
    assert len(same) == 8
    for name, other in same.items():
        assert other == (str(name).replace("200", "100") if "200" in str(name) else None)


def test_the_order_of_retrievers_changes_no_number(dataset: Path) -> None:
    words = ["dense", "bm25", "hybrid"]
    tables = []
    for order in (words, words[::-1]):
        records = finished(run(launch(dataset, LINE | {"retriever": order})))
        tables.append({name: record.questions for name, record in records.items()})
    assert tables[0] == tables[1]
