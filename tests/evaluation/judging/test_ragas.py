"""What needs the real ragas stands in this one file, since importing it takes seconds.

The judge is an endpoint on this machine that decides by the letter: every value is worked out by hand.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.judging import ragas_metrics
from evaluation.judging.case import Case, case_of
from evaluation.judging.judge import read_judge
from evaluation.judging.jury import Jury, Verdicts
from evaluation.judging.measures import JUDGED
from evaluation.judging.threads import in_threads
from evaluation.scoring import score
from experiments.cli.app import run as chunksweep
from experiments.runner import prepare
from experiments.runner import run as run_sweep
from experiments.sweep import load_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput
from strategies.language_model.chat import Chat
from strategies.strategy import Vectors

from ...strategies.chat_server import ChatServer, Reply, fails, says  # noqa: TID252  (a neighbour's)
from ..scene import context, hits, measured, question  # noqa: TID252
from .judge_server import KEY, judge_server, judges, schema

GATE, DOGS, POND = "The gate opens at six.", "Dogs stay on a lead.", "The pond freezes in winter."
COMPUTED = [name for name in JUDGED if not JUDGED[name].asks]
ASKED = [name for name in JUDGED if JUDGED[name].asks]


def case(*contexts: str, references: Sequence[str] = (GATE,)) -> Case:
    ids = tuple(map(str, range(len(contexts))))
    kept = tuple(text for text in contexts if text.strip())
    return Case("When does the gate open?", kept, ids, ids[:1], tuple(references), tuple(references))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("JUDGE_KEY", KEY)
    with judge_server() as listening:
        yield listening


class Judged:
    """Juries that ask one server, with one cache."""

    def __init__(self, server: ChatServer, folder: Path) -> None:
        self.server, self.folder = server, folder

    def jury(self, *names: str, **values: Any) -> Jury:
        model = {"base_url": self.server.url, "model": "m", "api_key_env": "JUDGE_KEY", "retries": 0}
        judge = read_judge({"metrics": list(names), "k": 5, **model, **values})
        embedder = HashingEmbedder(dim=32)

        def embed(texts: Sequence[str], kind: str) -> Vectors:
            return embedder.embed(texts)

        return Jury(judge, Chat(self.folder), embed)

    def verdicts(self, names: Sequence[str], *cases: Case, **values: Any) -> Verdicts:
        jury = self.jury(*names, **values)
        jury.check()
        try:
            return jury.verdicts(cases)
        finally:
            jury.close()

    def values(self, names: Sequence[str], one: Case, **values: Any) -> Mapping[str, float | None]:
        (verdict,) = self.verdicts(names, one, **values).questions
        assert verdict.complaints == ()
        return verdict.values


@pytest.fixture
def judged(server: ChatServer, tmp_path: Path) -> Judged:
    return Judged(server, tmp_path / "cache")


# Measures that ask nobody


def test_evidence_inside_a_chunk_is_found_by_ours_and_punished_by_string_distance(judged: Judged) -> None:
    before, after = f"{POND} " * 3, f" {DOGS}" * 3
    text = before + GATE + after
    documents = {"d": measured(text)}
    place = ("d", len(before), len(before) + len(GATE))
    scene = context(documents, [("d", 0, len(text))], ks=(1,))
    ranked = scene.read(question(place), hits(("d", 0, len(text))))
    assert score(ranked, scene)["context_recall_at_1"] == 1.0
    one = case_of(ranked, {"d": text}, scene.layout, "half", k=1)
    assert judged.values(COMPUTED, one) == {
        "ragas_id_context_precision": 1.0,
        "ragas_id_context_recall": 1.0,
        "ragas_nonllm_context_precision": 0.0,
        "ragas_nonllm_context_recall": 0.0,
    }
    whole = replace(one, contexts=(GATE,))
    assert judged.values(COMPUTED[2:], whole) == dict.fromkeys(COMPUTED[2:], 1.0)
    assert judged.server.asked == []


def test_ids_are_those_of_the_chunks_that_the_rule_of_the_sweep_calls_relevant(judged: Judged) -> None:
    one = replace(case(GATE, DOGS, POND), context_ids=("1", "2", "3"), relevant_ids=("3", "4", "5", "6"))
    assert judged.values(COMPUTED[:2], one) == {
        "ragas_id_context_precision": round(1 / 3, 9),
        "ragas_id_context_recall": 1 / 4,
    }


def test_cuts_that_leave_no_chunk_relevant_score_0_and_do_not_drop_out(judged: Judged) -> None:
    one = replace(case(GATE), relevant_ids=())
    assert judged.values(COMPUTED[:2], one) == dict.fromkeys(COMPUTED[:2], 0.0)


def test_string_recall_wants_the_passage_that_was_found_and_precision_takes_any(judged: Judged) -> None:
    one = replace(case(DOGS, GATE), references=(GATE, POND), passages=(GATE, DOGS, POND))
    assert judged.values(COMPUTED[2:], one) == {
        "ragas_nonllm_context_precision": 1.0,
        "ragas_nonllm_context_recall": 0.5,
    }


# Measures that ask


WORKED: list[tuple[str, Case, float]] = [
    # One of three contexts is useful, the second: precision there is 1/2.
    ("ragas_context_precision", case(DOGS, GATE, POND), 0.5),
    ("ragas_context_precision_without_reference", case(DOGS, GATE, POND), 0.5),
    ("ragas_context_recall", case(GATE, POND, references=(GATE, DOGS)), 0.5),
    ("ragas_context_relevance", case(POND, GATE), 1.0),
    ("ragas_context_relevance", case(POND), 0.0),
    ("ragas_faithfulness", case(GATE), 1.0),
    ("ragas_faithfulness", case(DOGS), 0.0),
    # The judge makes the very question of it.
    ("ragas_answer_relevancy", case(DOGS), 1.0),
    # F1 is 1, and so is the similarity.
    ("ragas_answer_correctness", case(DOGS), 1.0),
]


@pytest.mark.parametrize(("name", "one", "value"), WORKED)
def test_every_measure_by_hand(judged: Judged, name: str, one: Case, value: float) -> None:
    assert judged.values([name], one)[name] == value


def test_every_measure_that_asks_is_worked_out() -> None:
    assert {name for name, _, _ in WORKED} == set(ASKED)


def test_correctness_weighs_statements_and_likeness(judged: Judged) -> None:
    judged.server.answer = lambda prompt: judges(prompt, answer=f"{GATE} {DOGS}")
    # One true positive, one false positive, one false negative: F1 is 1/2.
    found = judged.values(["ragas_answer_correctness"], case(GATE, references=(GATE, POND)))
    answer, reference = HashingEmbedder(dim=32).embed([f"{GATE} {DOGS}", f"{GATE}\n{POND}"])
    likeness = float(answer @ reference / np.linalg.norm(answer) / np.linalg.norm(reference))
    assert found["ragas_answer_correctness"] == pytest.approx(0.75 * 0.5 + 0.25 * likeness, abs=1e-6)


def test_an_answer_that_points_the_other_way_is_0_and_not_less(judged: Judged) -> None:
    class Opposed(Jury):
        def _vectors(self, texts: Sequence[str], kind: str) -> Vectors:
            return np.array([[1.0 if text.startswith("When") else -1.0] for text in texts], np.float32)

    judged.server.answer = lambda prompt: (
        says(json.dumps({"question": "Who?", "noncommittal": 0})) if schema(prompt) else judges(prompt)
    )
    plain = judged.jury("ragas_answer_relevancy")
    verdicts = Opposed(plain.judge, Chat(), plain._embed).verdicts([case(GATE)])
    assert verdicts.questions[0].values == {"ragas_answer_relevancy": 0.0}


def test_nothing_reaches_the_judge_where_nothing_was_retrieved(judged: Judged) -> None:
    for nothing in (case(), case(""), case(" \n")):
        assert judged.values(list(JUDGED), nothing) == dict.fromkeys(JUDGED, 0.0)
    assert judged.server.asked == []


def test_without_a_reference_what_needs_one_is_not_scored(judged: Judged) -> None:
    wants = {name for name in JUDGED if {"reference", "reference_contexts"} & set(JUDGED[name].reads)}
    for one in (case(GATE, references=()), case(GATE, references=(" ",)), case(references=())):
        found = judged.values(sorted(JUDGED), one)
        assert {name for name, value in found.items() if value is None} == wants


# What goes wrong


BROKEN: list[tuple[Reply, str]] = [
    (says('{"reason": "so", "verdict": '), "no JSON object"),
    (says("Yes, it is useful."), "no JSON object"),
    (says('{"useful": true}'), "form"),
    (says('{"reason": "so", "verdict": 7}'), "verdict is 7, not 0 or 1"),
    (says('{"reason": "so", "verdict": 1e999}'), "form"),
    (says(None, refusal="I will not judge."), "refused: I will not judge."),
    (says('{"reason": "so", "verdict": 1}', finish="length"), "cut at"),
    (says(""), "empty"),
    (fails(429, retry_after="1"), "429"),
    (fails(500), "500"),
    (Reply(b'{"choices": [', promised=1000), "broke"),
    (Reply(b"<html>", status=200), "no answer"),
]


@pytest.mark.parametrize(("reply", "why"), BROKEN, ids=[why for _, why in BROKEN])
def test_a_verdict_that_cannot_be_had_is_missing_and_the_rest_goes_on(
    judged: Judged, reply: Reply, why: str
) -> None:
    usual = judged.server.answer
    judged.server.answer = lambda prompt: reply if "Precision" in schema(prompt) else usual(prompt)
    names = ["ragas_context_precision", "ragas_context_recall"]
    verdicts = judged.verdicts(names, case(GATE))
    (verdict,) = verdicts.questions
    assert verdict.values == {"ragas_context_precision": None, "ragas_context_recall": 1.0}
    (complaint,) = verdict.complaints
    assert complaint.startswith("ragas_context_precision: ")
    assert why in complaint
    judged.server.answer = usual  # what failed is not kept, so it is asked again
    assert judged.values(names, case(GATE))["ragas_context_precision"] == 1.0


UNUSABLE: list[tuple[str, str, object, str]] = [
    # ragas would average the rating that is left.
    ("ragas_context_relevance", "ContextRelevanceOutput", {"rating": 3}, "rating is 3, not 0 or 1 or 2"),
    # ragas would divide by the verdicts that came.
    ("ragas_faithfulness", "NLIStatementOutput", {"statements": []}, "statements are empty"),
    (
        "ragas_faithfulness",
        "NLIStatementOutput",
        {"statements": [{"statement": GATE, "reason": "so", "verdict": 1}] * 2},
        "judges 2 of 1 statements",
    ),
    # ragas would give full marks for facts.
    ("ragas_answer_correctness", "StatementGeneratorOutput", {"statements": []}, "statements are empty"),
    ("ragas_answer_correctness", "ClassificationWithReason", {"TP": [], "FP": [], "FN": []}, "no statement"),
    ("ragas_context_recall", "ContextRecallOutput", {"classifications": []}, "classifications are empty"),
    ("ragas_answer_relevancy", "AnswerRelevanceOutput", {"question": " ", "noncommittal": 0}, "question"),
]


@pytest.mark.parametrize(("name", "form", "verdict", "why"), UNUSABLE)
def test_a_verdict_that_ragas_would_turn_into_a_wrong_number_is_missing(
    judged: Judged, name: str, form: str, verdict: object, why: str
) -> None:
    usual = judged.server.answer
    judged.server.answer = lambda prompt: (
        says(json.dumps(verdict)) if schema(prompt) == form else usual(prompt)
    )
    (found,) = judged.verdicts([name], case(GATE)).questions
    assert found.values == {name: None}
    assert why in found.complaints[0]


def test_one_judge_of_two_that_fails_is_not_averaged_away(judged: Judged) -> None:
    usual = judged.server.answer
    judged.server.answer = lambda prompt: (
        fails(500) if prompt.startswith("As a specially designed expert") else usual(prompt)
    )
    (found,) = judged.verdicts(["ragas_context_relevance"], case(GATE)).questions
    assert found.values == {"ragas_context_relevance": None}


def test_a_busy_endpoint_and_a_killed_connection_are_tried_again(judged: Judged) -> None:
    judged.server.answer_in_turn(
        [
            fails(429, retry_after="1"),
            Reply(b'{"choices": [', promised=1000),
            fails(503),
            says('{"reason": "so", "verdict": 1}'),
        ]
    )
    assert judged.values(["ragas_context_precision"], case(GATE), retries=3) == {
        "ragas_context_precision": 1.0
    }
    assert len(judged.server.asked) == 4


def test_a_question_that_is_not_answered_in_time_is_missing_alone(judged: Judged) -> None:
    usual = judged.server.answer
    judged.server.answer = lambda prompt: Reply(waits=True) if POND in prompt else usual(prompt)
    slow, quick = judged.verdicts(["ragas_context_recall"], case(POND), case(GATE), timeout_s=0.5).questions
    assert slow.values == {"ragas_context_recall": None}
    assert "0.5 s" in slow.complaints[0]
    assert quick.values == {"ragas_context_recall": 1.0}


def test_where_no_answer_could_be_written_what_judges_it_is_missing(judged: Judged) -> None:
    judged.server.answer = lambda prompt: judges(prompt) if schema(prompt) else fails(400, "no such model")
    names = ["ragas_context_recall", "ragas_faithfulness", "ragas_answer_relevancy"]
    (found,) = judged.verdicts(names, case(GATE)).questions
    assert found.values == {
        "ragas_context_recall": 1.0,
        "ragas_faithfulness": None,
        "ragas_answer_relevancy": None,
    }
    assert len(found.complaints) == 2
    assert all("no answer to judge: " in complaint for complaint in found.complaints)
    assert sum(not schema(prompt) for prompt in judged.server.prompts) == 1


def test_a_signal_is_not_held_up_by_calls_under_way() -> None:
    stop = Event()

    def work(item: int) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        stop.wait()
        return item

    with pytest.raises(KeyboardInterrupt):
        list(in_threads(work, [1], 2))
    stop.set()


def test_what_is_no_failure_of_a_judge_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda item: 1 // item, [1, 0], 1))


# Costs, the cache, loops


def test_costs_are_those_of_every_answer_used_each_once(judged: Judged) -> None:
    prices = {"price_per_million_input_tokens": 2, "price_per_million_output_tokens": 10}
    names = ["ragas_faithfulness", "ragas_answer_correctness"]
    told = []
    for _ in range(2):
        verdicts = judged.verdicts(names, case(GATE), case(GATE), **prices)
        assert verdicts.reasons == {}
        metrics = dict(verdicts.metrics)
        assert metrics.pop("judge_ms") > 0
        told.append(metrics)
    # The answer; its statements, which both measures ask for and which are the reference's too; two verdicts.
    calls, given, made = 4, 50 + 3 * 100, 5 + 3 * 10
    wanted = {
        "judge_calls": calls,
        "judge_input_tokens": given,
        "judge_output_tokens": made,
        "judge_cost": pytest.approx((2 * given + 10 * made) / 1e6),
    }
    assert told == [wanted, wanted]


def test_without_prices_there_is_no_cost_and_without_asking_no_figure(judged: Judged) -> None:
    asked = judged.verdicts(["ragas_context_recall"], case(GATE))
    assert "judge_cost" not in asked.metrics
    assert asked.reasons == {"judge_cost": "no price was given for the models' tokens"}
    judged.server.answer = lambda prompt: fails(400, "no such model")
    failed = judged.verdicts(["ragas_context_recall"], case(GATE, POND))
    assert failed.questions[0].complaints
    assert failed.metrics["judge_calls"] == 0
    assert "judge_cost" not in failed.metrics
    assert failed.reasons == asked.reasons
    assert judged.verdicts(COMPUTED, case(GATE)).metrics == {}


def test_called_twice_from_a_coroutine_and_twice_from_plain_code(server: ChatServer, tmp_path: Path) -> None:
    def once(folder: str) -> list[Any]:
        found = Judged(server, tmp_path / folder).verdicts(list(JUDGED), case(GATE, POND), case(DOGS))
        return [(one.values, one.complaints) for one in found.questions]

    async def twice() -> list[Any]:
        asyncio.get_running_loop()
        return [once("a"), once("b")]

    plain = [once("c"), once("d")]
    assert asyncio.run(twice()) == plain == [plain[0], plain[0]]
    assert all(complaints == () for _, complaints in plain[0])


def test_a_rerun_asks_nothing(judged: Judged) -> None:
    first = judged.verdicts(list(JUDGED), case(GATE, POND))
    asked = len(judged.server.asked)
    again = judged.verdicts(list(JUDGED), case(GATE, POND))
    assert again.questions == first.questions
    assert len(judged.server.asked) == asked


# What leaves this machine


def test_no_connection_is_opened_but_to_the_judge_and_no_use_is_reported(
    judged: Judged, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))  # where ragas keeps who reports
    reached = []
    connect = socket.socket.connect

    def remembered(self: socket.socket, address: Any) -> None:
        reached.append(address)
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", remembered)
    judged.values(list(JUDGED), case(GATE))
    from ragas import _analytics

    _analytics._analytics_batcher.flush()
    assert _analytics.do_not_track()
    assert _analytics._analytics_batcher.buffer == []
    assert not (tmp_path / "home").exists()
    assert {address[0] for address in reached} == {"127.0.0.1"}


def test_the_key_goes_to_the_judge_and_nowhere_else(judged: Judged, tmp_path: Path) -> None:
    judged.server.answer = lambda prompt: (
        fails(401, f"wrong key {KEY}")
        if "Recall" in schema(prompt)
        else judges(prompt, answer=f"I was given {KEY}.")
    )
    verdicts = judged.verdicts(["ragas_context_recall", "ragas_faithfulness"], case(GATE))
    assert any("I was given ***." in prompt for prompt in judged.server.prompts)
    assert judged.server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert "wrong key ***" in verdicts.questions[0].complaints[0]
    assert KEY not in repr(verdicts)
    assert_nowhere(tmp_path)


def assert_nowhere(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_key_that_is_not_set_is_told_before_anything_is_asked(
    judged: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUDGE_KEY")
    with pytest.raises(BadInput, match="JUDGE_KEY"):
        judged.verdicts(["ragas_context_recall"], case(GATE))
    assert judged.server.asked == []


# The whole, as a user runs it


def written(folder: Path, url: str, **judge: Any) -> Path:
    """A sweep of two cuts over one document."""
    (folder / "set" / "documents").mkdir(parents=True)
    (folder / "set" / "card.yaml").write_text("name: set\n")
    (folder / "set" / "documents" / "park.txt").write_text(f"{GATE} {DOGS}\n\n{POND}\n")
    questions = [("When does the gate open?", GATE), ("May dogs run?", DOGS)]
    (folder / "set" / "questions.jsonl").write_text(
        "".join(
            json.dumps(
                {"id": str(n), "question": text, "evidence": [{"document": "park.txt", "quote": quote}]}
            )
            + "\n"
            for n, (text, quote) in enumerate(questions)
        )
    )
    content = {
        "name": "judged",
        "dataset": str(folder / "set"),
        "embedder": "hashing",
        "retrieval": {"k": [1, 2], "token_budgets": [16, 64]},
        "headline": "context_recall_at_16_tokens",
        "judge": {
            "metrics": list(JUDGED),
            "base_url": url,
            "model": "m",
            "api_key_env": "JUDGE_KEY",
            "retries": 0,
            "price_per_million_input_tokens": 1,
            "price_per_million_output_tokens": 1,
            **judge,
        },
        "grid": [{"strategy": "sentence", "size": [8, 30]}],
    }
    path = folder / "sweep.yaml"
    path.write_text(json.dumps(content))
    return path


Command = Callable[..., str]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "500")

    def run(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        place = ["--cache-dir", str(tmp_path / "cache"), "--tracking-uri", f"sqlite:///{tmp_path}/mlflow.db"]
        assert chunksweep([*arguments, *place]) == code
        told = capsys.readouterr()
        assert KEY not in told.out + told.err
        return told.out + told.err

    return run


@pytest.mark.slow
def test_a_sweep_is_judged_recorded_and_shown_and_a_rerun_asks_nothing(
    server: ChatServer, tmp_path: Path, command: Command
) -> None:
    sweep = str(written(tmp_path, server.url))
    planned = " ".join(command("plan", sweep).split())
    assert "at most 28 verdicts (2 questions x 7 metrics x 2 configurations)" in planned
    assert "4 answers that are written first" in planned
    assert server.asked == []

    rows = json.loads(command("run", sweep, "--quiet", "--json"))["configurations"]
    assert len(rows) == 2
    for row in rows:
        assert {name for name in JUDGED if row[name] is None} == set()
        assert all(0.0 <= row[name] <= 1.0 for name in JUDGED)
        assert row["judge_calls"] > 0
        total = row["judge_input_tokens"] + row["judge_output_tokens"]
        assert row["judge_cost"] == pytest.approx(total / 1e6)
        assert not [name for name in row if name.startswith("n_failed_")]
    asked = len(server.asked)
    again = command("run", sweep)  # is complete
    assert "Nothing was left to run" in " ".join(again.split())
    assert "faithfulness" in again
    command("run", sweep, "--quiet", "--fresh")  # is measured again, from what was answered
    assert len(server.asked) == asked

    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    (experiment,) = client.search_experiments(filter_string="name = 'judged'")
    runs = client.search_runs([experiment.experiment_id])
    logged = [run.data.metrics for run in runs if "ragas_faithfulness" in run.data.metrics]
    assert len(logged) == 4
    assert all(set(JUDGED) <= set(metrics) for metrics in logged)
    assert_nowhere(tmp_path)


def test_a_configuration_with_a_failed_verdict_is_counted_and_not_compared(
    server: ChatServer, tmp_path: Path
) -> None:
    usual = server.answer
    server.answer = lambda prompt: (
        fails(500) if "dogs" in prompt and "Recall" in schema(prompt) else usual(prompt)
    )
    names = ["ragas_context_recall", "ragas_context_relevance"]
    sweep = load_sweep(written(tmp_path, server.url, metrics=names))
    result = run_sweep(prepare(sweep, NullTracker(), cache_dir=None))
    for record in result.records:
        assert record.metrics["n_failed_ragas_context_recall"] == 1
        assert record.metrics["ragas_context_recall"] == 1.0  # of the question that was judged
        assert "n_failed_ragas_context_relevance" not in record.metrics
        assert record.reasons["ragas_context_recall"] == "not comparable: failed for 1 of 2 questions"
        first, second = record.questions
        assert first["error"] is None
        assert second["ragas_context_recall"] is None
        assert "ragas_context_recall: " in second["error"]
    assert result.recommendation.name is None
    assert any("ragas_context_recall could not be had for 1 questions" in note for note in result.notes)


def test_the_library_that_is_used_is_the_one_that_is_pinned() -> None:
    from importlib.metadata import version

    assert f"ragas=={version('ragas')}" in ragas_metrics.INSTALL
