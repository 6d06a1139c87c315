"""Each pair is scored once; scores, limits and times are told as they were."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from evaluation.embedding_desk import BATCH_TOKENS
from evaluation.ranking.pair_desk import Pair, PairDesk

from .scene import PlainScorer

PAIRS = [("who?", "Ann"), ("who?", "Ben"), ("when?", "Ann"), ("who?", "Ann")]


def test_each_distinct_pair_is_scored_once(tmp_path: Path) -> None:
    scorer = PlainScorer()
    desk = PairDesk(scorer, tmp_path)
    desk.prepare(PAIRS)
    found = desk.scored(PAIRS)
    assert sorted(scorer.pairs) == sorted(set(PAIRS))
    assert found.scores.tolist() == [PlainScorer().scores([pair])[0] for pair in PAIRS]
    assert desk.traffic.line() == "pairs: 4 asked, 3 distinct, 0 from cache, 3 scored"


def test_another_desk_scores_nothing_and_tells_the_same(tmp_path: Path) -> None:
    first, again = PairDesk(PlainScorer(), tmp_path), PlainScorer()
    before = first.scored(PAIRS)
    first.close()
    desk = PairDesk(again, tmp_path)
    desk.prepare(PAIRS)
    after = desk.scored(PAIRS)
    assert again.batches == []
    assert after.scores.tolist() == before.scores.tolist()
    assert (after.ms, after.truncated) == (before.ms, before.truncated)
    assert before.ms > 0
    assert desk.traffic.line() == "pairs: 4 asked, 3 distinct, 3 from cache, 0 scored"


def test_another_model_shares_nothing(tmp_path: Path) -> None:
    PairDesk(PlainScorer(), tmp_path).scored(PAIRS)
    other = PlainScorer()
    other.fingerprint = "plain-2"
    PairDesk(other, tmp_path).scored(PAIRS)
    assert len(other.pairs) == 3


def test_question_and_text_do_not_run_together(tmp_path: Path) -> None:
    scorer = PlainScorer()
    PairDesk(scorer, tmp_path).scored([("ab", "c"), ("a", "bc")])
    assert len(scorer.pairs) == 2


def test_pairs_past_the_limit_are_counted(tmp_path: Path) -> None:
    long = [("one two three", "four five six"), ("one two three", "four five six seven")]
    assert PairDesk(PlainScorer(), tmp_path).scored(long).truncated == 1
    unlimited = PlainScorer()
    unlimited.limit_tokens = None
    assert PairDesk(unlimited, None).scored(long).truncated == 0


def test_a_damaged_row_is_scored_anew(tmp_path: Path) -> None:
    desk = PairDesk(PlainScorer(), tmp_path)
    before = desk.scored(PAIRS)
    assert desk._cache.path is not None
    with sqlite3.connect(desk._cache.path) as database:
        database.execute("update pairs set score = score + 1 where rowid = 1")
    again = PlainScorer()
    assert PairDesk(again, tmp_path).scored(PAIRS).scores.tolist() == before.scores.tolist()
    assert len(again.pairs) == 1


def test_times_of_another_machine_do_not_compare(tmp_path: Path) -> None:
    desk = PairDesk(PlainScorer(), tmp_path)
    assert desk.scored(PAIRS).same_machine
    desk._machine = "another processor x64"
    assert not desk.scored(PAIRS).same_machine


def test_batches_keep_to_a_budget_of_tokens() -> None:
    scorer = PlainScorer()
    scorer.limit_tokens = None
    desk = PairDesk(scorer, None)
    pairs = [("q", "word " * (1 + n % 300)) for n in range(600)]
    desk.prepare([(f"{question} {n}", text) for n, (question, text) in enumerate(pairs)])
    assert len(scorer.pairs) == 600
    for batch in scorer.batches:
        assert len(batch) == 1 or len(batch) * scorer.sizes(batch).max() <= BATCH_TOKENS


class Broken(PlainScorer):
    def scores(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        return np.full(len(pairs), np.nan)


def test_a_model_that_gives_no_number_is_named() -> None:
    with pytest.raises(ValueError, match="plain gives a pair a score that is no number"):
        PairDesk(Broken(), None).scored(PAIRS)


class Clocked(PlainScorer):
    """Takes a second to load at its first call, and a millisecond a pair."""

    now_s = 0.0

    def scores(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        self.now_s += len(pairs) / 1000 + (1 if not self.now_s else 0)
        return super().scores(pairs)


def test_a_pair_costs_what_it_took_and_loading_costs_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = Clocked()
    monkeypatch.setattr("evaluation.ranking.pair_desk.time.perf_counter", lambda: scorer.now_s)
    desk = PairDesk(scorer, tmp_path)
    desk.prepare(PAIRS)
    assert desk.scored(PAIRS[:2]).ms == pytest.approx(2.0)
    assert PairDesk(Clocked(), tmp_path).scored(PAIRS[1:2]).ms == pytest.approx(1.0)


def test_no_pairs_are_no_work(tmp_path: Path) -> None:
    scorer = PlainScorer()
    found = PairDesk(scorer, tmp_path).scored([])
    assert (found.scores.tolist(), found.truncated, found.ms, found.same_machine) == ([], 0, 0, True)
    assert scorer.batches == []
