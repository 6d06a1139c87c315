"""Where everything is found whatever the cut, the verdict says that first, and how to measure instead."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from experiments.ceiling import fitting_headline
from experiments.cli.app import run
from experiments.cli.run_command import show
from experiments.planning import make_plan
from experiments.records import RunRecord
from experiments.results import Judging, SweepResult, judge
from experiments.runner import prepare
from experiments.sweep import load_sweep, read_sweep, sweep_from_options, with_headline
from experiments.tracking import NullTracker
from strategies.errors import BadInput

HEADLINE = "context_recall_at_1024_tokens"
FULL, HALF = [1.0] * 20, [1.0, 0.0] * 10


def record(name: str, scores: Sequence[float], headline: str = HEADLINE, **metrics: float) -> RunRecord:
    rows = tuple(
        {"question_id": f"q{place}", "unit": place, headline: score, "miss": None}
        for place, score in enumerate(scores)
    )
    held = {headline: sum(scores) / len(scores), "chunks": 3, "tokens_embedded": 9, "stored_bytes": 9}
    return RunRecord(f"{name}-0123456789", name, "finished", metrics={**held, **metrics}, questions=rows)


def judged(*records: RunRecord, headline: str = HEADLINE, **judging: Any) -> SweepResult:
    ids = tuple(one.config_id for one in records)
    return judge("mine", Judging(headline, 0.02, None, 7, 1, ids, **judging), records)


def told(result: SweepResult) -> bool:
    return "so nothing can be told" in result.recommendation.sentence


def test_a_table_in_which_all_is_found_offers_nothing() -> None:
    result = judged(record("a", FULL), record("b", [*FULL[:-1], 0.98]), searched_tokens=1965)
    assert result.recommendation.kind == "cannot_tell"
    assert result.recommendation.name is None
    assert result.recommendation.sentence == (
        "1,024 tokens of retrieved text hold nearly everything that is to be found, so nothing can be told: "
        "the means are 0.999 to 1.000. The documents that are searched hold 1,965 tokens. "
        "Run it again with --headline context_recall_at_256_tokens."
    )
    assert not any("8 times in 10" in note for note in result.notes)
    assert not any(result.table["recommended"])


def test_a_budget_that_holds_all_documents_tells_nothing_though_scores_differ() -> None:
    assert told(judged(record("a", FULL), record("b", HALF), searched_tokens=1024))
    assert not told(judged(record("a", FULL), record("b", HALF), searched_tokens=1025))
    assert not told(judged(record("a", FULL), record("b", HALF)))  # recorded by an older version


def test_many_perfect_questions_of_many_documents_recommend_the_cheapest() -> None:
    many = record("a", [1.0] * 200), record("b", [1.0] * 200)
    assert judged(*many, searched_tokens=100_000).recommendation.kind == "recommend"
    assert told(judged(*many, searched_tokens=2000))
    few = judged(record("a", FULL), record("b", FULL), searched_tokens=100_000)
    assert told(few)
    assert few.recommendation.sentence.endswith(
        "Run it again with a smaller budget, such as --headline context_recall_at_256_tokens, or ask harder "
        "questions."
    )


def test_where_half_of_the_documents_fit_a_little_less_is_nearly_everything() -> None:
    near = record("a", [*FULL[:-1], 0.4]), record("b", [0.5, *FULL[1:]])
    assert told(judged(*near, searched_tokens=2047))
    assert not told(judged(*near, searched_tokens=2048))
    worse = [0.96 + place % 2 / 1000 for place in range(200)]  # for all that, it is shown to be worse
    decided = record("a", [1.0] * 200), record("b", worse)
    assert judged(*decided, searched_tokens=2047).recommendation.name == "a"


def test_rows_that_are_not_compared_do_not_count() -> None:
    cut = record("cut", HALF, truncated_token_share=0.5)
    assert told(judged(record("a", FULL), record("b", FULL), cut, searched_tokens=1965))


def test_a_headline_by_depth_has_its_ceiling_too() -> None:
    headline = "mrr_at_10"
    rows = record("a", FULL, headline), record("b", FULL, headline)
    sentence = judged(*rows, headline=headline).recommendation.sentence
    assert sentence.startswith("Nearly everything is found by mrr_at_10, so nothing can be told")
    assert "--headline context_recall_at_256_tokens" in sentence


@pytest.mark.parametrize(
    ("headline", "tokens", "fitting"),
    [
        ("context_recall_at_1024_tokens", 1965, "context_recall_at_256_tokens"),
        ("context_recall_at_1024_tokens", 900, "context_recall_at_128_tokens"),
        ("answerable_at_4096_tokens", 0, "answerable_at_1024_tokens"),
        ("context_recall_at_512_tokens", 3, "context_recall_at_1_tokens"),
        ("hit_at_3", 10_000, "context_recall_at_256_tokens"),
    ],
)
def test_the_budget_that_fits(headline: str, tokens: int, fitting: str) -> None:
    assert fitting_headline(headline, tokens) == fitting


# The remedy


def test_a_headline_from_outside_goes_with_any_sweep(tmp_path: Path) -> None:
    wanted = "context_recall_at_256_tokens"
    ready = load_sweep("quick", headline=wanted)
    assert (ready.settings.headline, ready.settings.budgets) == (wanted, (256, 512, 1024, 2048, 4096))
    file = tmp_path / "s.yaml"
    head = "name: s\ndataset: handbook\nretrieval: {k: 5, token_budgets: 1024}\n"
    file.write_text(head + "grid: {strategy: fixed, size: 9}\n")
    assert load_sweep(file, headline=wanted).settings.budgets == (256, 1024)
    by_depth = load_sweep(file, headline="hit_at_3").settings
    assert (by_depth.headline, by_depth.ks) == ("hit_at_3", (3, 5))
    options = sweep_from_options("handbook", {"strategy": "fixed", "size": "9"}, headline=wanted)
    assert options.settings.budgets == ready.settings.budgets
    assert load_sweep(file, headline="context_recall_at_1024_tokens").settings.budgets == (1024,)


def test_a_wrong_headline_is_told_by_its_option(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("name: s\ndataset: handbook\nsed: 3\ngrid: {strategy: fixed, size: 9}\n")
    with pytest.raises(BadInput) as caught:
        load_sweep(file, headline="context_recal_at_256_tokens")
    assert [problem.where for problem in caught.value.problems] == ["--headline", f"{file}:3"]
    with pytest.raises(BadInput, match="--headline"):
        load_sweep("quick", headline="prompt_tokens_at_256_tokens")


def test_the_warning_names_the_remedy_and_the_remedy_helps(tmp_path: Path) -> None:
    """One document of twelve tokens, and a budget that holds all of it."""
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "a.txt").write_text("The gate opens at nine. Dogs stay on a lead.\n")
    line = '{"id": "g", "question": "When?", "evidence": ["The gate opens at nine."]}\n'
    (folder / "questions.jsonl").write_text(line)
    sweep = {
        "name": "s",
        "dataset": str(folder),
        "embedder": "hashing",
        "headline": "context_recall_at_1024_tokens",
        "grid": [{"strategy": "sentence", "size": [6, 12]}],
    }
    launch = prepare(read_sweep(sweep), NullTracker(), cache_dir=None, dry=True)
    assert launch.judging.searched_tokens == 12
    (note,) = (note for note in make_plan(launch).notes if "much or all of them" in note)
    assert note.endswith("a headline with a budget of at most 3, as by --headline context_recall_at_2_tokens")
    assert (
        prepare(
            read_sweep(with_headline(sweep, "context_recall_at_2_tokens")),
            NullTracker(),
            cache_dir=None,
            dry=True,
        ).judging.notes
        == launch.judging.notes[:1]
    )
    assert Judging.from_json(launch.judging.to_json()) == launch.judging


def test_run_and_plan_take_it_and_a_data_set_in_place_of_a_sweep_is_told_how(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("run", "plan"):
        assert run([command, "quick", "--headline", "nothing"]) == 2
        assert "--headline: headline 'nothing' is no metric" in " ".join(capsys.readouterr().err.split())
    (tmp_path / "my-set" / "documents").mkdir(parents=True)
    assert run(["run", "my-set"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "is a folder, and no sweep" in told
    assert "chunksweep run quick --dataset my-set" in told


def test_the_terminal_begins_with_it() -> None:
    file = io.StringIO()
    show(Console(file=file, width=300), judged(record("a", FULL), record("b", FULL)), "mlruns", "")
    assert "\n1,024 tokens of retrieved text hold nearly everything" in file.getvalue()
