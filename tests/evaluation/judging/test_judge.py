"""What a sweep says about judging, checked before any work; and sweeps where there is no ragas."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judging import ragas_metrics
from evaluation.judging.judge import PROMPT, Answering, Judge, read_judge
from evaluation.judging.measures import JUDGED
from evaluation.scorers import MEASURES, check_names
from evaluation.settings import Settings
from experiments.columns import measure
from experiments.grid import expand
from experiments.planning import make_plan
from experiments.runner import prepare, run
from experiments.sweep import read_sweep
from experiments.sweep_schema import Sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput
from strategies.language_model.chat_model import ChatModel

MODEL = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "api_key_env": "A_KEY"}


def problems(**written: Any) -> list[str]:
    with pytest.raises(BadInput) as caught:
        read_judge(written)
    return [str(problem) for problem in caught.value.problems]


# Reading


def test_measures_stand_in_one_order_and_what_none_needs_is_left_out() -> None:
    names = ["ragas_id_context_recall", "ragas_id_context_precision"]
    one = read_judge({"metrics": names, **MODEL, "answer": {"prompt": "{question}{context}"}})
    assert one == Judge(metrics=tuple(reversed(names)))
    assert read_judge({"metrics": names[0]}) == Judge(metrics=(names[0],))
    asking = read_judge({"metrics": ["ragas_context_recall"], **MODEL})
    assert asking.model == ChatModel(**MODEL)
    assert asking.answer is None
    assert read_judge({"metrics": ["ragas_faithfulness"], **MODEL}).answer == Answering(
        model=ChatModel(**MODEL), prompt=PROMPT
    )


def test_everything_that_is_wrong_is_said_at_once() -> None:
    assert problems(
        metrics=["ragas_faithfulnes", "ragas_context_recall", "ragas_context_recall"], kk=3, tokens=0
    ) == [
        "kk: is not a parameter of the judge. Did you mean k?",
        "tokens: is 0; use 1 or more",
        "metrics[0]: 'ragas_faithfulnes' is no measure of ragas. Did you mean ragas_faithfulness?",
        "metrics[2]: holds ragas_context_recall twice. Keep one of them",
        "base_url: is missing: ragas_context_recall asks a language model. Say which one",
    ]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({}, "metrics: is missing"),
        ({"metrics": []}, "metrics: is an empty list. Write some of ragas_id_context_precision, "),
        ({"metrics": 3}, "metrics: is 3, not a list of text"),
        ({"metrics": ["ragas_id_context_recall"], "k": 1, "tokens": 2}, "tokens: stands beside k"),
        ({"metrics": ["ragas_context_recall"], **MODEL, "base_url": "here"}, "base_url: is 'here', not an"),
        ({"metrics": ["ragas_faithfulness"], **MODEL, "answer": 3}, "answer: is no map"),
        (
            {"metrics": ["ragas_faithfulness"], **MODEL, "answer": {"prompt": "Say."}},
            "answer.prompt: lacks {question} and {context}",
        ),
        (
            {"metrics": ["ragas_faithfulness"], **MODEL, "answer": {"promt": PROMPT}},
            "answer.promt: is not a parameter of the answer. Did you mean prompt?",
        ),
        (
            {"metrics": ["ragas_faithfulness"], **MODEL, "answer": {"timeout_s": 0}},
            "answer.timeout_s: is 0; use more than 0",
        ),
    ],
)
def test_each_slip_has_its_place(written: dict[str, Any], told: str) -> None:
    assert any(problem.startswith(told) for problem in problems(**written))


def test_a_key_in_place_of_its_variable_is_not_shown() -> None:
    for written in ({"api_key_env": "sk-123"}, {"answer": {"api_key_env": "sk-123"}}):
        told = problems(metrics=["ragas_faithfulness"], **{**MODEL, **written})
        assert told
        assert "sk-123" not in "".join(told)


def test_answers_are_written_by_the_judge_unless_another_is_named() -> None:
    prices = {"price_per_million_input_tokens": 1.0, "price_per_million_output_tokens": 2.0}

    def answering(**said: Any) -> ChatModel:
        one = read_judge({"metrics": ["ragas_faithfulness"], **MODEL, **prices, "answer": said})
        assert one.answer is not None
        return one.answer.model

    assert answering() == ChatModel(**MODEL, **prices)
    assert answering(temperature=0.5) == ChatModel(**MODEL, **prices, temperature=0.5)
    assert answering(model="n") == ChatModel(**{**MODEL, "model": "n"})  # of another price
    elsewhere = answering(model="n", base_url="http://127.0.0.1:2/v1")
    assert elsewhere.api_key_env is None  # a key goes to no other address


@given(st.text(), st.text())
def test_texts_are_put_into_the_prompt_as_they_are(question: str, context: str) -> None:
    prompt = "{other} {context} {question} {context}"
    filled = Answering(model=ChatModel(**MODEL), prompt=prompt).filled(question, context)
    assert filled == "{other} " + context + " " + question + " " + context


def test_names_are_their_own_and_no_metrics() -> None:
    assert all(name.startswith("ragas_") for name in JUDGED)
    check_names(JUDGED)
    for name, held in JUDGED.items():
        assert (measure(name).label, measure(name).direction) == (held.label, "higher")
    told = {"judge_calls", "judge_input_tokens", "judge_output_tokens", "judge_cost", "judge_ms"}
    assert told <= MEASURES
    assert all(measure(name).meaning for name in told)


# In a sweep


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "a.txt").write_text("The gate opens at six. Dogs stay on a lead.\n")
    evidence = [{"document": "a.txt", "quote": "The gate opens at six."}]
    rows = [
        {"id": "q", "question": "When does the gate open?", "evidence": evidence},
        {"id": "none", "question": "What does it cost?", "evidence": []},
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def content(dataset: Path | str, **more: Any) -> dict[str, Any]:
    return {
        "name": "judged",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [16, 32]},
        "headline": "context_recall_at_16_tokens",
        "grid": [{"strategy": "sentence", "size": [8, 30]}],
        **more,
    }


def sweep(judge: Any, **more: Any) -> Sweep:
    return read_sweep(content("handbook", judge=judge, **more))


def test_what_the_headline_speaks_of_is_judged_unless_it_is_said() -> None:
    names = ["ragas_id_context_recall"]
    assert sweep(names).settings.judge == Judge(metrics=tuple(names), tokens=16)
    assert sweep(names, headline="mrr_at_3").settings.judge == Judge(metrics=tuple(names), tokens=32)
    assert sweep({"metrics": names, "k": 3}).settings.judge == Judge(metrics=tuple(names), k=3)
    assert sweep(None).settings.judge is None


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ({"metrics": ["ragas_id_context_recall"], "k": 4}, "judge.k: k is 4, more than is retrieved"),
        (
            {"metrics": ["ragas_id_context_recall"], "tokens": 33},
            "judge.tokens: tokens is 33, more than is retrieved. Use at most 32, or add 33 to retr",
        ),
        (["ragas_recall"], "judge.metrics[0]: judge: metrics[0] 'ragas_recall' is no measure of ragas"),
        ("ragas", "judge: judge is the text 'ragas', must be a map or a list"),
        (
            {"metrics": ["ragas_faithfulness"], **MODEL, "answer": {"prompt": "Say."}},
            "judge.answer.prompt: judge: answer.prompt lacks",
        ),
    ],
)
def test_a_slip_in_a_sweep_has_its_place(judge: Any, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        sweep(judge)
    assert any(str(problem).startswith(told) for problem in caught.value.problems), caught.value


def test_a_judged_score_may_decide() -> None:
    assert sweep(["ragas_id_context_recall"], headline="ragas_id_context_recall").settings.judge
    with pytest.raises(BadInput, match="is no metric"):
        sweep(["ragas_id_context_precision"], headline="ragas_id_context_recall")


def test_who_judges_is_part_of_what_a_configuration_is_and_the_key_is_not() -> None:
    def told(judge: Any) -> dict[str, Any]:
        (config, _) = expand(sweep(judge)).configs
        return config.canonical()

    plain = told(None)
    assert "judge" not in plain
    assert "judge" not in plain["settings"]
    asking = {"metrics": ["ragas_context_recall"], **MODEL}
    same = asking | {"api_key_env": "OTHER", "timeout_s": 1, "concurrency": 9, "retries": 0}
    assert told(asking) == told(same) != plain
    assert told(asking) != told(asking | {"model": "n"})
    assert "A_KEY" not in json.dumps(told(asking))
    (config, _) = expand(sweep(asking)).configs
    assert {"ragas", "rapidfuzz"} <= config.versions.keys()


def test_a_plan_counts_what_may_be_asked(dataset: Path, tmp_path: Path) -> None:
    judge = {"metrics": ["ragas_context_recall", "ragas_faithfulness", "ragas_id_context_recall"], **MODEL}
    asked = read_sweep(content(dataset, judge=judge))
    launch = prepare(asked, NullTracker(), cache_dir=tmp_path / "cache", dry=True)
    plan = make_plan(launch)
    launch.bench.close()
    (note,) = [note for note in plan.notes if note.startswith("A judge is asked")]
    assert "at most 4 verdicts (1 questions x 2 metrics x 2 configurations)" in note
    assert "on at most 2 answers that are written first" in note


# Without ragas


@pytest.fixture
def no_ragas(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "ragas"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ragas", None)
    ragas_metrics._library.cache_clear()
    yield
    ragas_metrics._library.cache_clear()


@pytest.mark.usefixtures("no_ragas")
def test_without_ragas_everything_else_runs(dataset: Path, tmp_path: Path) -> None:
    result = run(prepare(read_sweep(content(dataset)), NullTracker(), cache_dir=tmp_path / "cache"))
    assert [record.status for record in result.records] == ["finished"] * 2
    assert not {name for record in result.records for name in record.metrics if "judge" in name}


@pytest.mark.usefixtures("no_ragas")
def test_asking_for_ragas_where_it_is_not_says_what_to_install(dataset: Path, tmp_path: Path) -> None:
    tracker = NullTracker()
    asked = read_sweep(content(dataset, judge=["ragas_id_context_recall"]))
    with pytest.raises(BadInput) as caught:
        prepare(asked, tracker, cache_dir=tmp_path / "cache")
    told = str(caught.value)
    assert '"ragas==0.4.3" rapidfuzz "langchain-community<0.4.2"' in told
    assert "leave ragas_id_context_recall out" in told
    assert tracker.kept == []


def test_what_the_message_pins_is_what_the_project_pins() -> None:
    project = (Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8")
    for pin in ("ragas==0.4.3", "langchain-community<0.4.2"):
        assert pin in ragas_metrics.INSTALL
        assert f'"{pin}"' in project


def test_settings_without_a_judge_are_as_before() -> None:
    assert replace(Settings(), judge=None) == Settings()
