"""Means that flatter nobody: failed verdicts, ties, and a cut that is the same for every question."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluation.cutting import Cutting
from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.evaluate import Asked, Index, evaluate
from evaluation.gold import Question, load
from evaluation.measured import Measured
from evaluation.ranking.dense import Dense
from evaluation.retrieval import Hit
from evaluation.settings import Settings
from evaluation.stores.exact import ExactStore
from strategies import build
from strategies.document import Chunk
from strategies.splitting import split
from strategies.strategy import Vectors
from strategies.tools import TOKENS, Tools

from .scenes import measured, sweep

WINDOWS = {"strategy": "fixed", "unit": "words", "size": [5, 30]}


def test_a_row_whose_verdicts_failed_is_never_the_best(harbour: Path) -> None:
    """A's verdicts are 1 and 0; B has a single 1 and a failure for each question that would cost it."""
    unjudged = measured(harbour, WINDOWS)
    best = unjudged.recommendation.best
    chunks = {record.name: int(record.metrics["chunks"]) for record in unjudged.records}
    few = min(chunks.values())
    assert few < max(chunks.values())

    def judge(question: Question, hits: Sequence[Hit]) -> float:
        favoured = (len(hits) <= few) == (chunks[best] == few)  # the configuration that would win
        if question.id == "deposit":
            return 1.0
        if favoured:
            raise ConnectionError("no verdict")
        return 0.0

    result = measured(harbour, WINDOWS, options={"scorers": {"judged": judge}})
    by_name = {record.name: record for record in result.records}
    (other,) = by_name.keys() - {best}
    flattered, honest = by_name[best], by_name[other]
    assert (honest.metrics["judged"], flattered.metrics["judged"]) == (1 / 5, 1.0)
    assert "n_failed_judged" not in honest.metrics
    assert flattered.metrics["n_failed_judged"] == flattered.metrics["n_failed"] == 4
    assert flattered.metrics["context_recall_at_16_tokens"] > honest.metrics["context_recall_at_16_tokens"]
    assert result.recommendation.best == other
    assert result.recommendation.name != best
    assert result.statistics[best]["loss_bound"] is None
    row = next(row for row in result.table.rows() if row["name"] == best)
    assert "judged: not comparable: failed for 4 of 5 questions" in str(row["warnings"])
    assert any(best in note for note in result.notes)


class Constant(HashingEmbedder):
    """Knows nothing: every text has the same vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dim), dtype=np.float32)
        vectors[:, 0] = 1
        return vectors


def test_a_scorer_that_knows_nothing_scores_the_same_in_any_order_of_chunks(harbour: Path) -> None:
    gold, tools = load(str(harbour)), Tools()
    chunks: list[Chunk] = []
    for document in gold.documents:
        chunks += split(document, build("fixed", {"unit": "words", "size": 6}), tools)
    desk = EmbeddingDesk(Constant(), None)
    lengths = {one.id: Measured.of(one, tools.borders(one, TOKENS)[:-1]) for one in gold.documents}
    settings = Settings(ks=(1, 3), budgets=(16,), headline="context_recall_at_16_tokens")
    asked = Asked.of(gold, desk.vectors([one.text for one in gold.questions], "query"), lengths, settings)

    def rows(order: Sequence[Chunk]) -> tuple[tuple[dict[str, object], ...], float]:
        embedded = desk.vectors([chunk.embedded_text for chunk in order], "passage")
        ranker = Dense(ExactStore(harbour))
        found = evaluate(Index(gold.documents, order, embedded, Cutting(1.0), None), asked, ranker)
        return found.questions, found.metrics["tied_queries"]

    expected, tied = rows(chunks)
    assert tied == len(gold.questions) == 5
    assert any(row["mrr_at_3"] == 0 for row in expected)  # else no order could flatter
    passages = [one for question in gold.questions for entry in question.evidence for one in entry.passages]

    def without_gold(chunk: Chunk) -> bool:
        places = [one.start for one in passages if one.document == chunk.document_id]
        return not any(chunk.start <= start < chunk.end for start in places)

    gold_first = sorted(chunks, key=without_gold)
    shuffled = [random.Random(seed).sample(chunks, len(chunks)) for seed in range(20)]
    for order in (gold_first, gold_first[::-1], *shuffled):
        assert rows(order) == (expected, 5)


def test_ties_are_recorded(harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: Constant())
    (record,) = measured(harbour, {"strategy": "fixed", "unit": "words", "size": 6}).records
    assert record.metrics["tied_queries"] == 5


def test_one_gold_file_scores_every_configuration_of_a_grid(harbour: Path) -> None:
    grid = {"strategy": ["fixed", "recursive", "sentence"], "unit": "words", "size": [5, 9, 30]}
    result = measured(harbour, grid)
    assert len(result.records) == 9
    for record in result.records:
        assert record.metrics["n_scored"] == 5
        assert record.metrics["n_failed"] == record.metrics["n_no_gold"] == 0
        assert [row["question_id"] for row in record.questions] == [
            "deposit", "licence", "ferry", "bicycles", "stair",
        ]  # fmt: skip
    assert sweep(harbour, grid).settings.headline in result.records[0].metrics
