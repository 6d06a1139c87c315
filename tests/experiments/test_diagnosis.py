"""A diagnosis says what the record holds: counted by hand, and of a sweep that ran."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from evaluation.misses import REMEDIES
from experiments.diagnosis import BINS, Diagnosis, diagnose, why_not_cosine
from experiments.diagnosis_shown import Shown
from experiments.records import RunRecord
from experiments.results import Judging, SweepResult, judge
from experiments.runner import prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput

HEADLINE = "context_recall_at_16_tokens"


def row(name: str, value: float, miss: str | None = None, *tags: str, **more: Any) -> dict[str, Any]:
    sought = {"entries": 1, "missing": [], "held": 1.0, "rank": 1, "score": 0.9, "tokens": 9}
    if miss:
        sought |= {"missing": [[["a.md", 5, 9]]], "held": 0.0}
    return {
        "question_id": name,
        "question": f"What is\n{name}?",
        "tags": list(tags),
        "unit": 0,
        HEADLINE: value,
        "top1_similarity": more.pop("top", 0.5),
        "first_relevant_similarity": None if miss else 0.5,
        "miss": miss,
        "miss_flags": [miss] if miss else [],
        "sought": sought | more,
        "error": None,
    }


ROWS = (
    row("right", 1.0, None, "easy", top=1.0),
    row("near", 0.25, "budget", "hard", "table", rank=4, score=0.25, tokens=40, top=0.0),
    row("far", 0.0, "outranked", "hard", rank=None, score=None, tokens=None, top=0.25),
    row("deep", 0.0, "budget", "hard", rank=3, score=0.125, tokens=90, top=0.75),
    row("other", 0.5, "split", "table", rank=2, score=0.5, tokens=30, top=0.5),
)
CHUNKS = (
    {"document": "a.md", "index": 0, "start": 0, "end": 40, "tokens": 8, "text": "How\tit begins"},
    {"document": "a.md", "index": 1, "start": 40, "end": 60, "tokens": 4},
)


def record(name: str = "fixed-8", **more: Any) -> RunRecord:
    values: dict[str, Any] = {
        "config": {"settings": {"miss_budget": 16, "ks": [1, 3]}},
        "metrics": {
            "chunks": 2,
            HEADLINE: 0.35,
            "tokens_embedded": 10,
            "duplicate_share_at_1": 0.0,
            "duplicate_share_at_3": 0.125,
        },
        "questions": ROWS,
        "chunks": CHUNKS,
        "retrieved": tuple(
            {"question_id": one["question_id"], "chunks": [0, 1], "scores": [0.5, 0.25], "relevant": []}
            for one in ROWS
        ),
    }
    return RunRecord(f"{name}-0123456789", name, "finished", **{**values, **more})


def result(*records: RunRecord) -> SweepResult:
    judging = Judging(HEADLINE, 0.02, None, 7, 1, tuple(one.config_id for one in records))
    return judge("small", judging, records)


def shown(diagnosis: Diagnosis, **options: Any) -> str:
    console = Console(file=StringIO(), **{"width": 100, **options})
    with console.capture() as captured:
        console.print(Shown(diagnosis))
    return captured.get()


def test_reasons_in_total_and_by_tag() -> None:
    found = diagnose(result(record()))
    assert (found.questions, found.missed, found.failed, found.budget) == (5, 4, 0, 16)
    assert {reason.reason: reason.questions for reason in found.reasons} == {
        "split": 1,
        "budget": 2,
        "outranked": 1,
    }
    assert all(reason.remedy == REMEDIES[reason.reason] for reason in found.reasons)
    assert [(of.tag, of.missed, of.questions, dict(of.reasons)) for of in found.tags] == [
        ("hard", 3, 3, {"budget": 2, "outranked": 1}),
        ("table", 2, 2, {"split": 1, "budget": 1}),
        ("easy", 0, 1, {}),
    ]


def test_quartiles_and_histograms_by_hand() -> None:
    similarities = diagnose(result(record())).similarities
    assert similarities is not None
    assert (similarities.low, similarities.high) == (0.0, 1.0)
    first = similarities.first_hits  # 0, 0.25, 0.5, 0.75, 1
    assert (first.n, first.unknown, first.quartiles) == (5, 0, (0.0, 0.25, 0.5, 0.75, 1.0))
    assert [place for place, count in enumerate(first.histogram) if count] == [0, 5, 10, 15, BINS - 1]
    relevant = similarities.first_relevant_hits
    assert (relevant.n, relevant.unknown, set(relevant.quartiles)) == (1, 4, {0.5})
    missing = similarities.missing_evidence  # 0.125, 0.25, 0.5; one is not ranked
    assert (missing.n, missing.unknown) == (3, 1)
    assert missing.quartiles == (0.125, 0.1875, 0.25, 0.375, 0.5)
    assert sum(missing.histogram) == 3


def test_the_worst_question_comes_first() -> None:
    found = diagnose(result(record()))
    assert [missed.question_id for missed in found.worst] == ["far", "deep", "near", "other"]
    assert [missed.question_id for missed in diagnose(result(record()), worst=2).worst] == ["far", "deep"]
    deep = found.worst[1]
    assert deep.first_hit == {
        "document": "a.md",
        "start": 0,
        "end": 40,
        "score": 0.5,
        "text": "How\tit begins",
    }
    assert deep.evidence == ((("a.md", 5, 9),),)
    assert (deep.evidence_rank, deep.evidence_score, deep.evidence_tokens) == (3, 0.125, 90)


def test_what_a_filter_excludes_comes_last() -> None:
    filtered = row("excluded", 0.0, "filtered", rank=None, score=None, tokens=None)
    found = diagnose(result(record(questions=(filtered, *ROWS))))
    assert [missed.question_id for missed in found.worst] == ["far", "deep", "near", "other", "excluded"]


def test_with_a_split_nothing_is_told_of_the_test_questions() -> None:
    """Whatever they score: the diagnosis is that of a record that never held them."""
    share = {"duplicate_share_at_3": 0.25}
    rows = tuple({**one, **share} for one in ROWS)
    metrics = {**record().metrics, **share}
    kept = {**row("kept", 0.0, "outranked", "hard", top=-1.0), "duplicate_share_at_3": 1.0}
    both = record(questions=(*rows, kept), metrics={**metrics, "duplicate_share_at_3": 0.375})
    whole = result(both)
    judging = replace(whole.judging, test_questions=("kept",))
    found = diagnose(judge("small", judging, whole.records))
    alone = diagnose(result(record(questions=rows, metrics=metrics)))
    assert (found.side, alone.side) == ("dev", None)
    assert "Of the 5 dev questions alone" in found.notes[0]
    assert replace(found, side=None, notes=()) == replace(alone, notes=())


def test_duplicates_are_those_of_each_k() -> None:
    assert diagnose(result(record())).duplicate_share == {1: 0.0, 3: 0.125}


def test_the_recommended_configuration_unless_another_is_named() -> None:
    better = tuple({**one, HEADLINE: 1.0, "miss": None} for one in ROWS)
    good = record("good", questions=better)
    both = result(record(), good)
    assert diagnose(both).configuration == "good"
    assert diagnose(both, "fixed-8").configuration == "fixed-8"
    assert diagnose(both, "fixed-8-0123456789").configuration == "fixed-8"
    with pytest.raises(BadInput, match="Did you mean fixed-8"):
        diagnose(both, "fixed-9")
    with pytest.raises(BadInput, match="no configuration that finished"):
        diagnose(result(replace(record(), status="failed", error="broken")))


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({}, None),
        ({"retriever": "dense", "metric": "cosine", "vector_type": "int8"}, None),
        ({"retriever": "bm25"}, "bm25"),
        ({"retriever": "hybrid"}, "hybrid"),
        ({"retriever": "dense", "rerank": "a model"}, "cross-encoder"),
        ({"metric": "dot"}, "dot products"),
        ({"vector_type": "binary"}, "signs"),
    ],
)
def test_scores_that_are_no_cosines_are_called_so(params: dict[str, str], why: str | None) -> None:
    assert (why_not_cosine(params) is None) == (why is None)
    found = diagnose(result(record(params=params)))
    assert (found.similarities is None) == (why is not None)
    if why:
        text = " ".join(shown(found).split())
        assert "Not cosine: scores" in text
        assert why in text
        assert "first relevant hits" not in text


def test_a_record_of_an_older_version_says_what_it_lacks() -> None:
    old = tuple({key: value for key, value in one.items() if key != "sought"} for one in ROWS)
    found = diagnose(result(record(questions=old)))
    assert found.patterns == ()
    assert (found.missed, found.failed) == (4, 0)
    assert found.worst[0].evidence_rank is None
    assert "older version" in " ".join(shown(found).split())
    assert "Nothing that enough" not in shown(found)


def test_a_failed_search_is_told_apart_from_a_miss() -> None:
    failed = {**row("broken", 0.0), "sought": None, "error": "OSError: no", "top1_similarity": None}
    found = diagnose(result(record(questions=(*ROWS, failed))))
    assert (found.questions, found.missed, found.failed) == (6, 4, 1)
    assert "1 failed" in shown(found)


def test_what_is_shown() -> None:
    found = diagnose(result(record()))
    text = shown(found)
    assert "small: fixed-8: 4 of 5 questions missed in 16 tokens" in text
    assert f"1 split: {REMEDIES['split']}" in " ".join(text.split())
    assert "far (outranked): What is far?" in text
    assert "first hit: a.md [0, 40), 0.500: How it begins" in text
    assert "missing: a.md [5, 9)" in text
    assert "first of it at rank 3, 0.125; all evidence within 90 tokens" in text
    assert "nothing of it is ranked" in text
    assert "12.5% of the first 3" in text
    assert "█" in text
    assert "Nothing that enough of them show." in text


def test_what_users_wrote_reaches_no_terminal_raw() -> None:
    red = "\x1b[31m"
    chunks = [{**chunk, "document": f"a{red}.md", "text": red} for chunk in CHUNKS]
    entry = ["b\x1b[31m.md", 5, 9]
    asked = row(f"q{red}", 0.0, "split", f"t{red}", rank=2, score=0.5, tokens=30, missing=[[entry]])
    hits = {"question_id": asked["question_id"], "chunks": [0], "scores": [0.5], "relevant": []}
    found = record(f"n{red}", questions=(asked,), chunks=tuple(chunks), retrieved=(hits,))
    text = shown(diagnose(result(found)))
    assert red not in text
    for name in ("n", "q", "t", "a", "b", ": "):
        assert f"{name}\\x1b[31m" in text


@pytest.mark.parametrize("width", [24, 40, 60, 76, 80, 100, 120])
def test_numbers_of_similarities_are_whole_at_every_width(width: int) -> None:
    text = shown(diagnose(result(record())), width=width)
    section = text.partition("(cosine)")[2].partition("Duplicates:")[0]
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in section
    told = " ".join(section.split())
    numbers = [
        ["5", "0", "0.000", "0.250", "0.500", "0.750", "1.000"],
        ["1", "4", *["0.500"] * 5],
        ["3", "1", "0.125", "0.188", "0.250", "0.375", "0.500"],
    ]
    found = re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?= |,|$)", re.sub(r"\d\.\d\d to \d\.\d\d", "", told))
    assert found == [number for line in numbers for number in line]
    assert ("█" in section) == (width >= 100)


def test_a_diagnosis_of_nothing_missed() -> None:
    rows = (row("right", 1.0),)
    found = diagnose(result(record(questions=rows)))
    text = shown(found)
    assert "0 of 1 question missed" in text
    assert "in common" not in text
    assert "worst" not in text


TEXTS = {
    "gate.txt": "The gate opens at six. The gate closes at nine. The gate has a code. The code is seven.",
    "pool.txt": "Children swim for free. Adults pay four euro. The pool closes in winter.",
}
QUESTIONS = [
    ("opens", "When does the gate open?", "gate.txt", "The gate opens at six."),
    ("code", "Which number lets me through?", "gate.txt", "The gate has a code. The code is seven."),
    ("price", "Adults pay how many euro?", "pool.txt", "Adults pay four euro."),
    ("winter", "Is there ice?", "pool.txt", "The pool closes in winter."),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for name, text in TEXTS.items():
        (folder / "documents" / name).write_text(text)
    lines = [
        {"id": name, "question": asked, "tags": [home], "evidence": [{"document": home, "quote": quote}]}
        for name, asked, home, quote in QUESTIONS
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return folder


@pytest.mark.parametrize("search", [{}, {"retriever": "bm25"}])
def test_of_a_sweep_that_ran(dataset: Path, search: dict[str, str]) -> None:
    content = {
        "name": "real",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 2], "token_budgets": [6, 12]},
        "headline": "context_recall_at_6_tokens",
        "grid": [{"strategy": "sentence", "sentences": 1, **search}],
    }
    ran = run(prepare(read_sweep(content), NullTracker(), cache_dir=None))
    (made,) = ran.records
    found = diagnose(ran)
    assert made.error is None
    assert found.missed == made.metrics["misses_total"] >= 1
    assert {one.reason: one.questions for one in found.reasons} == {
        reason: count for reason in REMEDIES if (count := made.metrics[f"misses_{reason}"])
    }
    assert sum(of.questions for of in found.tags) == found.questions == 4
    assert {of.tag for of in found.tags} == set(TEXTS)
    two_sentences = next(missed for missed in found.worst if missed.question_id == "code")
    assert two_sentences.reason == "split"
    assert two_sentences.evidence == ((("gate.txt", 48, 87),),)
    assert (found.similarities is None) == bool(search)
    assert found.duplicate_share == {1: 0.0, 2: 0.0}
    assert json.loads(json.dumps(asdict(found), allow_nan=False))["missed"] == found.missed
    assert "Why questions were missed" in shown(found)
