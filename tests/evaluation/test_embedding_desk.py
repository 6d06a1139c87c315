"""Each distinct text is embedded once; sizes, limits and times are told as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding_desk import BATCH_TOKENS, EmbeddingDesk, even_batches
from strategies.strategy import Vectors


class Counting(HashingEmbedder):
    """Remembers every text that it was given."""

    def __init__(self, *, limit_tokens: int | None = None) -> None:
        super().__init__(limit_tokens=limit_tokens, passage_prompt="passage: ", query_prompt="query: ")
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        return super().embed(texts)

    @property
    def texts(self) -> list[str]:
        """What was asked for, without the warm-up."""
        return [text for batch in self.batches[1:] for text in batch]


def test_each_distinct_text_is_embedded_once(tmp_path: Path) -> None:
    embedder = Counting()
    desk = EmbeddingDesk(embedder, tmp_path)
    desk.prepare(["red", "blue", "red"], "passage")
    desk.prepare(["blue", "green"], "passage")
    vectors = desk.vectors(["green", "red", "green"], "passage").vectors
    assert sorted(embedder.texts) == ["passage: blue", "passage: green", "passage: red"]
    assert np.array_equal(vectors[0], vectors[2])
    assert np.array_equal(vectors[1], HashingEmbedder().embed(["passage: red"])[0])
    assert (desk.traffic.asked, desk.traffic.distinct, desk.traffic.from_cache, desk.traffic.embedded) == (
        5,
        3,
        0,
        3,
    )


def test_a_second_desk_embeds_nothing(tmp_path: Path) -> None:
    first = EmbeddingDesk(Counting(), tmp_path)
    first.prepare(["red", "blue"], "passage")
    again = Counting()
    desk = EmbeddingDesk(again, tmp_path)
    desk.prepare(["blue", "red"], "passage")
    assert np.array_equal(desk.vectors(["red"], "passage").vectors, first.vectors(["red"], "passage").vectors)
    assert again.batches == []
    assert desk.traffic.line() == "texts: 2 asked, 2 distinct, 2 from cache, 0 embedded"


def test_another_model_or_limit_shares_nothing(tmp_path: Path) -> None:
    EmbeddingDesk(Counting(), tmp_path).prepare(["red"], "passage")
    other = EmbeddingDesk(Counting(limit_tokens=8), tmp_path)
    other.prepare(["red"], "passage")
    assert other.traffic.embedded == 1


def test_a_question_is_not_a_passage(tmp_path: Path) -> None:
    desk = EmbeddingDesk(Counting(), tmp_path)
    passage = desk.vectors(["red"], "passage").vectors
    query = desk.vectors(["red"], "query").vectors
    assert not np.array_equal(passage, query)


def test_what_lies_past_the_limit_changes_nothing_and_is_told(tmp_path: Path) -> None:
    desk = EmbeddingDesk(HashingEmbedder(limit_tokens=8), tmp_path)
    words = [f"word{number}" for number in range(20)]
    long, other = " ".join(words), " ".join([*words[:8], *words[:7:-1]])
    embedded = desk.vectors([long, other, "short"], "passage")
    assert np.array_equal(embedded.vectors[0], embedded.vectors[1])
    assert embedded.tokens.tolist() == [20, 20, 1]
    assert long[: embedded.seen_characters[0]].endswith("word7")
    assert embedded.seen_characters[2] == len("short")


def test_the_prompt_is_not_counted_as_text_seen(tmp_path: Path) -> None:
    desk = EmbeddingDesk(Counting(), tmp_path)
    assert desk.vectors(["red apples"], "passage").seen_characters.tolist() == [len("red apples")]


def test_a_damaged_entry_is_computed_anew(tmp_path: Path) -> None:
    desk = EmbeddingDesk(Counting(), tmp_path)
    before = desk.vectors(["red"], "passage").vectors
    assert desk.cache.path is not None
    with sqlite3.connect(desk.cache.path) as database:
        database.execute("update vectors set crc = crc + 1")
    embedder = Counting()
    again = EmbeddingDesk(embedder, tmp_path)
    assert np.array_equal(again.vectors(["red"], "passage").vectors, before)
    assert embedder.texts == ["passage: red"]


class Clocked(HashingEmbedder):
    """Takes a second to load at its first call, and a millisecond a text."""

    now_s = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.now_s += len(texts) / 1000 + (1 if not self.now_s else 0)
        return super().embed(texts)


def test_loading_the_model_is_charged_to_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Clocked()
    monkeypatch.setattr("evaluation.embedding_desk.time.perf_counter", lambda: embedder.now_s)
    times = EmbeddingDesk(embedder, tmp_path).vectors(["one", "two", "three"], "passage").embed_ms
    assert times.tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_a_vector_from_the_cache_costs_what_it_cost_when_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = Clocked()
    monkeypatch.setattr("evaluation.embedding_desk.time.perf_counter", lambda: embedder.now_s)
    EmbeddingDesk(embedder, tmp_path).prepare(["one", "two"], "passage")
    times = EmbeddingDesk(Clocked(), tmp_path).vectors(["two", "one"], "passage").embed_ms
    assert times.tolist() == pytest.approx([1.0, 1.0])


def test_times_of_another_machine_do_not_compare(tmp_path: Path) -> None:
    desk = EmbeddingDesk(Counting(), tmp_path)
    assert desk.vectors(["red", "blue"], "passage").same_machine
    desk.machine = "another processor x64"
    assert not desk.vectors(["red"], "passage").same_machine


def test_a_damaged_entry_on_a_disk_that_refuses_costs_nothing_but_time(tmp_path: Path) -> None:
    desk = EmbeddingDesk(Counting(), tmp_path)
    before = desk.vectors(["red"], "passage").vectors
    assert desk.cache.path is not None
    with sqlite3.connect(desk.cache.path) as database:
        database.execute("update vectors set crc = crc + 1")
    again = EmbeddingDesk(Counting(), tmp_path)
    again.cache._file._database = sqlite3.connect(f"file:{desk.cache.path}?mode=ro", uri=True)
    again.prepare(["red"], "passage")
    assert np.array_equal(again.vectors(["red", "red"], "passage").vectors, np.vstack([before, before]))
    assert again.traffic.line() == "texts: 1 asked, 1 distinct, 0 from cache, 1 embedded"


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    desk = EmbeddingDesk(Counting(), tmp_path)
    texts = [f"{'word ' * 300}{number}" for number in range(20)]
    desk.prepare(texts, "passage", lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1] > 0
    assert calls == sorted(calls)
    assert len(calls) > 1


def test_batches_hold_every_row_once_within_their_budget() -> None:
    tokens = np.random.default_rng(3).integers(1, 600, size=500)
    batches = list(even_batches(tokens, BATCH_TOKENS))
    assert sorted(np.concatenate(batches).tolist()) == list(range(500))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * tokens[batch].max() <= BATCH_TOKENS


def test_questions_are_embedded_one_at_a_time(tmp_path: Path) -> None:
    embedder = Counting()
    EmbeddingDesk(embedder, tmp_path).prepare(["who", "when", "where"], "query")
    assert [len(batch) for batch in embedder.batches[1:]] == [1, 1, 1]


@pytest.mark.parametrize("texts", [[], ["\x00\x01"], ["!?"]])
def test_odd_texts_give_finite_vectors(tmp_path: Path, texts: list[str]) -> None:
    embedded = EmbeddingDesk(Counting(), tmp_path).vectors(texts, "passage")
    assert embedded.vectors.shape == (len(texts), 256)
    assert np.isfinite(embedded.vectors).all()
