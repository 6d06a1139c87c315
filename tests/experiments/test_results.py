"""What a comparison says beside the recommendation: differences, the front, sides, rules, repeats, groups."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from rich.console import Console

from evaluation.cost import Prices
from evaluation.search import Search
from evaluation.stores import EXACT, Store
from evaluation.stores.faiss import Faiss
from evaluation.stores.lancedb import LanceDB
from evaluation.stores.pgvector import PgVector
from experiments.leaderboard import Leaderboard
from experiments.matrix import Matrix, by_group, permutations
from experiments.records import RunRecord
from experiments.results import Judging, SweepResult, judge
from experiments.tables import Table
from strategies.errors import BadInput
from strategies.parameters import as_record

HEADLINE = "context_recall_at_1024_tokens"
PROMPT = "prompt_tokens_at_1024_tokens"
COSTS = {
    PROMPT: 1000,
    "stored_bytes": 5000,
    "tokens_embedded": 900,
    "split_ms": 4,
    "embed_ms": 90,
    "index_ms": 2,
    "search_ms_p95": 1,
}


def record(
    name: str,
    scores: Sequence[float] | npt.NDArray[np.float64],
    *,
    repeat: int = 0,
    about: Mapping[int, Mapping[str, Any]] | None = None,
    documents: Mapping[str, Mapping[str, Any]] | None = None,
    reasons: Mapping[str, str] | None = None,
    **metrics: float | None,
) -> RunRecord:
    """One configuration with these headlines; question n stands on a document of its own."""
    held = {HEADLINE: float(np.mean(scores)), "chunks": 10, **COSTS, **metrics}
    rows = [
        {
            "question_id": f"q{number:03}",
            "tags": [],
            "unit": number,
            "documents": [f"d{number}"],
            HEADLINE: float(score),
            "miss": None,
            "error": None,
            **(about or {}).get(number, {}),
        }
        for number, score in enumerate(scores)
    ]
    return RunRecord(
        config_id=f"{name}-0123456789",
        name=name,
        status="finished",
        repeat=repeat,
        metrics={key: value for key, value in held.items() if value is not None},
        questions=tuple(rows),
        documents=tuple({"document": key, "metadata": value} for key, value in (documents or {}).items()),
        reasons=reasons or {},
    )


def judged(*records: RunRecord, **judging: Any) -> SweepResult:
    fields = {"margin": 0.02, "baseline": None, "seed": 7, "repeats": 1} | judging
    ids = tuple(dict.fromkeys(held.config_id for held in records))
    return judge("test", Judging(headline=HEADLINE, config_ids=ids, **fields), records)


def cells(table: Table, *columns: str) -> dict[Any, Any]:
    """Name -> the cells of these columns."""
    return {row["name"]: tuple(row[column] for column in columns) for row in table.rows()}


def drawn(what: Any, width: int = 200) -> str:
    file = io.StringIO()
    Console(file=file, width=width).print(what)
    return file.getvalue()


HARD = np.random.default_rng(1).uniform(0.2, 0.8, 80)
NOISE = np.random.default_rng(2).normal(0, 0.02, (80, 4))


# The baseline


def test_the_table_and_the_leaderboard_hold_difference_interval_and_p() -> None:
    better = HARD + 0.1 + NOISE[:, 0]
    result = judged(record("plain", HARD), record("better", better), baseline="plain")
    difference, low, high, p = cells(
        result.table, "difference_to_baseline", "difference_low", "difference_high", "p_baseline_holm"
    )["better"]
    assert difference == pytest.approx(0.1 + NOISE[:, 0].mean())
    half = 1.99 * NOISE[:, 0].std(ddof=1) / 80**0.5
    assert (low, high) == pytest.approx((difference - half, difference + half), abs=0.0007)
    assert p == pytest.approx(1 / 10_001)
    assert cells(result.table, "difference_to_baseline", "difference_low", "p_baseline_holm")["plain"] == (
        0,
        None,
        None,
    )
    shown = drawn(Leaderboard(result.table, HEADLINE))
    assert f"{low:.3f} to {high:.3f}" in shown
    assert f"{difference:.3f}" in shown


# The front


def test_the_front_over_score_and_every_cost() -> None:
    """Dear and best; cheap and poorer; one that the first beats; one that is kept by its search alone."""
    result = judged(
        record("best", HARD + 0.1, stored_bytes=9000),
        record("cheap", HARD),
        record("beaten", HARD + 0.05, stored_bytes=9000, embed_ms=200),
        record("quick", HARD - 0.2, search_ms_p95=0.2),
    )
    found = cells(result.table, "pareto", "pareto_probability", "ingestion_ms")
    assert found == {
        "best": (True, 1, 96),
        "cheap": (True, 1, 96),
        "beaten": (False, 0, 206),
        "quick": (True, 1, 96),
    }
    assert not any("Pareto" in note for note in result.notes)


def test_costs_of_a_language_model_and_of_a_reranker_are_counted() -> None:
    def on_front(**more: float) -> tuple[Any, ...]:
        result = judged(record("plain", HARD), record("other", HARD, **more))
        return tuple(held["pareto"] for held in result.statistics.values())

    assert on_front() == (True, True)
    for name in ("llm_ms", "split_embed_ms", "rerank_ms_p95"):
        assert on_front(**{name: 500.0}) == (True, False)


def test_what_is_smaller_than_two_digits_decides_nothing() -> None:
    def on_front(search_ms: float) -> tuple[Any, ...]:
        result = judged(
            record("plain", HARD, search_ms_p95=1.0), record("other", HARD, search_ms_p95=search_ms)
        )
        return tuple(held["pareto"] for held in result.statistics.values())

    assert on_front(1.02) == (True, True)
    assert on_front(1.2) == (True, False)


def test_a_time_that_not_all_could_measure_is_left_out_for_all_with_a_note() -> None:
    result = judged(
        record("here", HARD, embed_ms=1),
        record("elsewhere", HARD, embed_ms=None, reasons={"embed_ms": "measured on another machine"}),
        record("dear", HARD, stored_bytes=9000, embed_ms=0.5),
    )
    assert cells(result.table, "pareto", "ingestion_ms") == {
        "here": (True, 7),
        "elsewhere": (True, None),
        "dear": (False, 6.5),
    }
    (note,) = (note for note in result.notes if "Pareto" in note)
    assert "ingestion time (2 of 3 have it)" in note


def test_rows_that_are_not_comparable_have_no_membership_and_beat_nobody() -> None:
    result = judged(record("plain", HARD), record("cut", HARD + 0.2, truncated_token_share=0.4))
    assert cells(result.table, "pareto", "pareto_probability") == {"plain": (True, 1), "cut": (None, None)}


def test_a_headline_without_k_or_budget_has_no_prompt() -> None:
    low, high = (record(name, HARD, **{PROMPT: tokens}) for name, tokens in (("low", 500), ("high", 900)))
    assert cells(judged(low, high).table, "pareto") == {"low": (True,), "high": (False,)}
    other = "evidence_intact"

    def renamed(held: RunRecord) -> RunRecord:
        return RunRecord.from_json(held.to_json().replace(HEADLINE, other))

    judging = Judging(other, 0.02, None, 7, 1, (low.config_id, high.config_id))
    assert cells(judge("test", judging, [renamed(low), renamed(high)]).table, "pareto") == {
        "low": (True,),
        "high": (True,),
    }


# Sides


def split_result(**more: Any) -> SweepResult:
    """`lucky` leads on the first forty questions alone; `steady` is the baseline."""
    lucky = HARD + np.where(np.arange(80) < 40, 0.1, -0.1) + NOISE[:, 0]
    kept = tuple(f"q{number:03}" for number in range(40, 80))
    return judged(
        record("lucky", lucky), record("steady", HARD), baseline="steady", test_questions=kept, **more
    )


def test_what_is_chosen_is_chosen_on_dev_and_told_of_test() -> None:
    result = split_result()
    assert result.recommendation.name == "lucky"
    found = cells(result.table, HEADLINE, "headline_dev", "headline_test", "difference_to_baseline")
    lucky = HARD + np.where(np.arange(80) < 40, 0.1, -0.1) + NOISE[:, 0]
    gain = float((lucky - HARD)[:40].mean())
    assert found["lucky"] == pytest.approx((lucky.mean(), lucky[:40].mean(), lucky[40:].mean(), gain))
    assert found["steady"] == pytest.approx((HARD.mean(), HARD[:40].mean(), HARD[40:].mean(), 0))
    low, high = cells(result.table, "headline_test_low", "headline_test_high")["lucky"]
    assert low < lucky[40:].mean() < high
    sentence = result.recommendation.sentence
    dev, test = lucky[:40].mean(), lucky[40:].mean()
    assert f"On the 40 questions kept for the report, lucky has {test:.3f}" in sentence
    assert f"on the 40 that it was chosen on, {dev:.3f}" in sentence
    assert f"That is {dev - test:.3f} less: choosing the best of many flatters" in sentence
    assert f"The baseline steady has {HARD[40:].mean():.3f} there" in sentence
    assert f"lucky less steady is {(lucky - HARD)[40:].mean():+.3f} (" in sentence


def test_without_the_split_the_same_records_say_otherwise() -> None:
    """The scores of the table are those of all questions in both; only what is made of them differs."""
    split = split_result()
    whole = judge("test", Judging(HEADLINE, 0.02, "steady", 7, 1, split.judging.config_ids), split.records)
    assert whole.recommendation.name != "lucky"
    assert cells(whole.table, HEADLINE) == cells(split.table, HEADLINE)
    assert set(cells(whole.table, "headline_dev", "headline_test").values()) == {(None, None)}
    assert "kept for the report" not in whole.recommendation.sentence


def test_questions_of_the_test_side_cannot_change_the_choice() -> None:
    """Whatever they score: nothing that chooses may see them."""
    kept = tuple(f"q{number:03}" for number in range(40, 80))
    chosen = []
    for seed in range(3):
        drawn_scores = np.random.default_rng(seed).random((80, 3))
        drawn_scores[:40] = HARD[:40, None] + NOISE[:40, :3]
        records = [record(name, drawn_scores[:, place]) for place, name in enumerate("abc")]
        result = judged(*records, test_questions=kept, baseline="a")
        verdict = cells(
            result.table, "recommended", "best", "tied", "loss_bound", "pareto", "pareto_probability",
            "difference_to_baseline", "difference_low", "p_baseline_holm", "headline_dev",
        )  # fmt: skip
        chosen.append((result.recommendation.kind, result.recommendation.name, verdict))
    assert chosen[0] == chosen[1] == chosen[2]


def test_the_order_of_the_leaderboard_is_that_of_the_questions_chosen_on() -> None:
    shown = drawn(Leaderboard(split_result().table, HEADLINE))
    assert shown.index("lucky") < shown.index("steady")
    assert "on dev" in shown
    assert "on test" in shown


def test_rows_of_questions_say_their_side() -> None:
    result = split_result()
    sides = {row["question_id"]: row["side"] for row in result.questions.rows()}
    assert sides == {f"q{number:03}": "dev" if number < 40 else "test" for number in range(80)}
    plain = judged(record("a", HARD))
    assert set(plain.questions["side"]) == {None}


def test_the_side_of_a_question_is_kept_with_the_sweep() -> None:
    judging = split_result().judging
    assert Judging.from_json(judging.to_json()) == judging
    old = judging.to_json().replace('"test_questions"', '"unknown"')
    with pytest.raises(ValueError, match="not a description"):
        Judging.from_json(old)


def test_a_description_from_before_splits_is_read() -> None:
    import json

    content = json.loads(judged(record("a", HARD)).judging.to_json())
    del content["test_questions"]
    assert Judging.from_json(json.dumps(content)).test_questions == ()


# Rules of relevance


def ruled(*means: tuple[float, float, float]) -> SweepResult:
    return judged(
        *(
            record(f"c{number}", HARD, mrr_any=one, mrr_half=half, mrr_contains=whole)
            for number, (one, half, whole) in enumerate(means)
        )
    )


def test_rankings_that_agree_are_said_to() -> None:
    result = ruled((0.9, 0.8, 0.7), (0.8, 0.7, 0.6), (0.5, 0.2, 0.1))
    assert set(result.table["rule_tau"]) == {1.0}
    assert "nearly alike" in result.sensitivity
    assert result.sensitivity not in result.notes


def test_a_ranking_that_depends_on_the_rule_is_a_warning() -> None:
    """any and half agree in two of three pairs, any and contains in none."""
    result = ruled((0.9, 0.8, 0.1), (0.8, 0.9, 0.2), (0.7, 0.3, 0.3))
    assert set(result.table["rule_tau"]) == {-1.0}
    assert "any and half 0.33, any and contains -1.00, half and contains -0.33" in result.sensitivity
    assert "depends on what counts as relevant" in result.sensitivity
    assert result.sensitivity in result.notes


def test_two_configurations_or_older_records_have_no_agreement() -> None:
    for result in (ruled((0.9, 0.8, 0.1), (0.1, 0.2, 0.3)), judged(*(record(name, HARD) for name in "abc"))):
        assert set(result.table["rule_tau"]) == {None}
        assert result.sensitivity == ""


# Repeats


def test_times_tell_how_they_vary_over_repeats() -> None:
    times = (4.0, 6.0, 8.0)
    result = judged(
        *(record("a", HARD, repeat=number, split_ms=ms) for number, ms in enumerate(times)),
        record("b", HARD),
        repeats=3,
    )
    found = cells(result.table, "split_ms", "split_ms_sd", "search_ms_p95_sd", "index_ms_sd")
    assert found == {"a": (6, 2, 0, 0), "b": (4, None, None, None)}
    assert not any("repeats" in note for note in result.notes)


def test_scores_that_differ_between_repeats_are_told_though_their_mean_is_the_same() -> None:
    again = HARD.copy()
    again[0], again[1] = HARD[0] + 0.1, HARD[1] - 0.1
    result = judged(record("a", HARD), record("a", again, repeat=1), record("b", HARD), repeats=2)
    (note,) = (note for note in result.notes if "repeats" in note)
    assert note.startswith(
        f"a is left out of the comparison: it scored differently in its repeats ({HEADLINE})"
    )
    assert result.recommendation.best == "b"
    warnings = cells(result.table, "warnings")
    assert "differ between repeats" in (warnings["a"][0] or "")
    assert warnings["b"] == (None,)


def searched(store: Store) -> dict[str, Any]:
    """What a record's configuration says of its search, as a sweep writes it."""
    return {"search": as_record(Search(store=store), deciding=True)}


@pytest.mark.parametrize(
    ("config", "left_out"),
    [
        (searched(PgVector(index="hnsw")), False),
        (searched(PgVector(index="ivfflat")), False),
        (searched(PgVector()), True),
        (searched(LanceDB(index="ivf_pq")), False),
        (searched(LanceDB()), True),
        (searched(Faiss(index="hnsw")), True),
        (searched(EXACT), True),
        ({"search": {"store": {"store": "pgvector", "index": "of another version"}}}, True),
        ({}, True),
    ],
)
def test_a_store_that_draws_its_index_anew_may_score_differently(
    config: dict[str, Any], left_out: bool
) -> None:
    again = HARD.copy()
    again[0] += 0.1
    repeats = (record("a", HARD), record("a", again, repeat=1))
    result = judged(*(replace(held, config=config) for held in repeats), record("b", HARD - 0.1), repeats=2)
    assert (result.recommendation.best == "b") is left_out
    notes = " ".join(result.notes)
    assert ("a is left out of the comparison" in notes) is left_out
    assert ("a: its index is built anew each time" in notes) is not left_out
    assert ("scores are means over 2 builds" in notes) is not left_out
    warnings, mean = cells(result.table, "warnings", HEADLINE)["a"]
    assert ("differ between repeats, and must not" in (warnings or "")) is left_out
    assert mean == pytest.approx((HARD.mean() + again.mean()) / 2)


# Prices and sides in words


def test_with_prices_a_note_says_that_money_does_not_decide() -> None:
    def told(prices: Prices) -> bool:
        return any("Prices do not decide" in n for n in judged(*TWO, prices=prices).notes)

    assert not told(Prices())
    assert not told(Prices(currency="EUR"))
    assert told(Prices(per_gb_month=0.3))
    assert not any("Prices" in n for n in judged(TWO[0], prices=Prices(per_gb_month=0.3)).notes)


TWO = (record("a", HARD), record("b", HARD + NOISE[:, 0]))


def test_with_a_split_the_questions_of_a_sentence_are_those_of_its_side() -> None:
    rough = HARD + np.random.default_rng(3).normal(0.0, 0.3, 80)
    kept = tuple(f"q{number:03}" for number in range(40, 80))
    for more, dev in (({"test_questions": kept}, "dev "), ({}, "")):
        result = judged(record("a", HARD, tokens_embedded=1), record("b", rough), margin=0.05, **more)
        sentence, notes = result.recommendation.sentence, " ".join(result.notes)
        assert f"Cannot tell from {40 if dev else 80} {dev}questions" in sentence
        assert f" {dev}questions like these would settle it" in sentence
        assert f" {dev}questions and 2 configurations" in notes


def test_too_few_questions_that_differ_have_no_interval() -> None:
    other = HARD.copy()
    other[[1, 3, 5, 7, 41, 43, 45, 47]] += 0.1
    kept = tuple(f"q{number:03}" for number in range(40, 80))
    whole = judged(record("a", HARD), record("b", other), baseline="a")
    assert None not in cells(whole.table, "difference_low", "difference_high")["b"]
    split = judged(record("a", HARD), record("b", other), baseline="a", test_questions=kept)
    found = cells(split.table, "difference_low", "difference_high", "p_baseline_holm")["b"]
    assert found[:2] == (None, None)
    assert found[2] > 0.05
    assert "b less a is +0.010 (too few differ for an interval)." in split.recommendation.sentence


def test_misses_are_counted_among_the_questions_to_choose_on() -> None:
    """And the remedy is one that the retriever has."""
    about = {0: {"miss": "outranked"}, 1: {"miss": "split"}, 50: {"miss": "outranked"}}
    held = record("a", HARD, about=about, misses_outranked=2, misses_split=1)
    words = replace(held, params={"retriever": "bm25"})
    kept = tuple(f"q{number:03}" for number in range(40, 80))
    for some, outranked in (({}, 2), ({"test_questions": kept}, 1)):
        assert [told[:2] for told in judged(held, **some).misses()] == [
            ("split", 1),
            ("outranked", outranked),
        ]
    assert "embedder" in judged(held).misses()[1][2]
    assert "embedder" not in judged(words).misses()[1][2]


# Groups


TAGGED = {number: {"tags": ["easy"] if number < 40 else ["hard", "table"]} for number in range(80)}


def test_a_group_has_its_mean_interval_number_and_verdict() -> None:
    """`a` is better on easy questions, `b` on hard ones."""
    where = np.where(np.arange(80) < 40, 0.1, -0.1)
    result = judged(record("a", HARD + where, about=TAGGED), record("b", HARD, about=TAGGED))
    table = by_group(result, "tag")
    rows = {(row["group"], row["name"]): row for row in table.rows()}
    assert list(dict.fromkeys(table["group"])) == ["easy", "hard", "table"]
    assert {key: row["verdict"] for key, row in rows.items()} == {
        ("easy", "a"): "best",
        ("easy", "b"): "worse",
        ("hard", "a"): "worse",
        ("hard", "b"): "best",
        ("table", "a"): "worse",
        ("table", "b"): "best",
    }
    easy = rows["easy", "b"]
    assert easy["mean"] == pytest.approx(HARD[:40].mean())
    assert easy["low"] < easy["mean"] < easy["high"]
    assert (easy["questions"], easy["few"], easy["resampled"]) == (40, False, "component")


def test_groups_by_what_is_known_of_the_documents() -> None:
    """Evidence in two types belongs to both; what is not known belongs nowhere."""
    about = {0: {"documents": ["d0", "d1"]}, 1: {"documents": ["d9"]}}
    documents = {"d0": {"type": "log", "year": 2024}, "d1": {"type": "faq"}, "d2": {"type": "faq"}}
    result = judged(
        record("a", HARD[:3], about=about, documents=documents), record("b", HARD[:3], about=about)
    )
    table = by_group(result, "type")
    held = {
        row["group"]: (row["questions"], row["few"], row["mean"])
        for row in table.rows()
        if row["name"] == "a"
    }
    assert held == {
        "faq": (2, True, pytest.approx(HARD[[0, 2]].mean())),
        "log": (1, True, pytest.approx(HARD[0])),
    }
    assert set(table["verdict"]) == {"cannot tell"}
    assert list(dict.fromkeys(by_group(result, "year")["group"])) == ["2024"]
    assert result.groups_frame("type")["mean"].tolist() == list(table["mean"])


def test_with_a_split_groups_are_of_the_questions_chosen_on() -> None:
    kept = tuple(f"q{number:03}" for number in range(40, 80))
    result = judged(record("a", HARD, about=TAGGED), record("b", HARD + 0.1), test_questions=kept)
    assert set(by_group(result, "tag")["group"]) == {"easy"}


def test_many_groups_ask_for_more_than_one() -> None:
    """A difference that stands out by itself does not among twenty groups like it."""
    generator = np.random.default_rng(5)
    gain = generator.normal(0.0, 0.1, 40)
    gain += 2.3 * gain.std(ddof=1) / 40**0.5 - gain.mean()
    for tags, expected in ((["one"], "best"), ([f"t{number:02}" for number in range(20)], "cannot tell")):
        about = {number: {"tags": tags} for number in range(40)}
        result = judged(record("a", HARD[:40] + gain, about=about), record("b", HARD[:40], about=about))
        found = {row["verdict"] for row in by_group(result, "tag").rows() if row["name"] == "a"}
        assert found == {expected}


@pytest.mark.parametrize("groups", [1, 19, 20, 21, 97, 500])
def test_flips_grow_with_the_groups_that_share_the_level(groups: int) -> None:
    assert permutations(groups) * 0.05 / groups >= 10 - 1e-9


@pytest.mark.parametrize(("shared", "told"), [(False, False), (True, True)])
def test_groups_that_are_resampled_by_single_questions_are_named(shared: bool, told: bool) -> None:
    """Forty questions on five documents, or on forty."""
    about = {number: {"tags": ["one"], "unit": number % 5 if shared else number} for number in range(40)}
    better = HARD[:40] + 0.1 + NOISE[:40, 0]
    table = by_group(judged(record("a", better, about=about), record("b", HARD[:40], about=about)), "tag")
    assert set(table["verdict"]) == {"best", "worse"}
    assert set(table["resampled"]) == {"question" if shared else "component"}
    assert ("resampled one by one" in drawn(Matrix(table, "tag"))) is told


def test_a_row_that_cannot_be_compared_has_a_mean_and_no_verdict() -> None:
    result = judged(
        record("a", HARD, about=TAGGED),
        record("b", HARD + 0.1, about=TAGGED),
        record("cut", HARD + 0.2, about=TAGGED, truncated_token_share=0.5),
    )
    found = {row["name"]: row["verdict"] for row in by_group(result, "tag").rows() if row["group"] == "easy"}
    assert found == {"a": "worse", "b": "best", "cut": None}


def test_a_group_that_nobody_has_is_refused_with_what_there_is() -> None:
    plain = judged(record("a", HARD[:3], documents={"d0": {"type": "log"}}))
    with pytest.raises(BadInput, match="no question has a tag"):
        by_group(plain, "tag")
    with pytest.raises(BadInput, match=r"Did you mean type\?, or use --by tag"):
        by_group(plain, "typ")
    with pytest.raises(BadInput, match="Metadata there: type, or use --by tag"):
        by_group(plain, "year")
    with pytest.raises(BadInput, match="The documents have no metadata, or use --by tag"):
        by_group(judged(record("a", HARD[:3])), "year")
    old = judged(record("a", HARD[:3], about={key: {"documents": None} for key in range(3)}))
    rows = tuple({k: v for k, v in row.items() if k != "documents"} for row in old.records[0].questions)
    older = RunRecord(
        config_id="a-0123456789", name="a", status="finished", metrics=old.records[0].metrics, questions=rows
    )
    with pytest.raises(BadInput, match="--fresh"):
        by_group(judged(older), "type")


def test_the_matrix_fits_and_shows_every_group_and_name() -> None:
    about = {number: {"tags": [f"kind of question {number % 12:02}"]} for number in range(80)}
    records = [record(f"recursive-cl100k-{size}", HARD + size / 1000, about=about) for size in (1, 2, 90)]
    table = by_group(judged(*records), "tag")
    for width in (50, 80, 200):
        text = drawn(Matrix(table, "tag"), width)
        assert max(map(len, text.splitlines())) <= width
        assert all(f" {number:02}" in text or f"{number:02}\n" in text for number in range(12))
        assert "Fewer than 10 questions" in text
        assert "Under a group's name: its number of questions" in " ".join(text.split())
        assert "chunksweep export NAME --by tag" in " ".join(text.split())
        assert f"{HARD[0::12].mean() + 0.09:.3f}" in text
