"""The filter of a sweep: what it leaves to search, what it costs the questions, and whose identity it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from experiments.results import SweepResult
from experiments.runner import Launch, prepare, run
from experiments.sweep import load_sweep, read_sweep
from experiments.tracking import NullTracker
from strategies.errors import BadInput

DOCUMENTS = {
    "old.md": "---\nyear: 2023\nkind: rules\n---\nRubbish is collected on Tuesday.\n",
    "new.md": "---\nyear: 2024\nkind: rules\n---\nRubbish is collected on Thursday.\n",
    "letter.txt": "The bicycles belong in the cellar. Rubbish is loud.\n",
    "letter.txt.meta.yaml": "year: 2024\nkind: letter\n",
}
ASKED: list[dict[str, Any]] = [
    {"id": "then", "question": "When was rubbish collected?", "evidence": ["collected on Tuesday"]},
    {"id": "now", "question": "When is rubbish collected?", "evidence": ["collected on Thursday"]},
    {"id": "any", "question": "Is rubbish collected?", "evidence": [
        {"document": "old.md", "quote": "Rubbish is collected",
         "alternatives": [{"document": "new.md", "quote": "Rubbish is collected"}]}]},
    {"id": "both", "question": "Where do bicycles belong?", "evidence": ["belong in the cellar"],
     "filter": {"kind": "rules"}},
    {"id": "none", "question": "Who wrote this?", "evidence": []},
]  # fmt: skip


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for name, text in DOCUMENTS.items():
        (folder / "documents" / name).write_text(text)
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, ASKED)))
    return folder


def launch(dataset: Path, wanted: Mapping[str, Any] | None, tracker: NullTracker | None = None) -> Launch:
    content = {
        "name": "filtered",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [64]},
        "headline": "context_recall_at_64_tokens",
        "filter": wanted,
        "grid": [{"strategy": "fixed", "unit": "words", "size": 20}],
    }
    return prepare(read_sweep(content), tracker or NullTracker(), cache_dir=None)


def misses(result: SweepResult) -> dict[str, str | None]:
    (record,) = result.records
    return {row["question_id"]: row["miss"] for row in record.questions}


def test_a_filter_is_one_for_all_questions_and_beside_their_own(dataset: Path) -> None:
    result = run(launch(dataset, {"year": 2024}))
    assert misses(result) == {"then": "filtered", "now": None, "any": None, "both": "filtered"}
    (record,) = result.records
    assert record.metrics["n_scored"] == 4
    assert record.metrics["misses_filtered"] == 2
    assert record.metrics["chunks"] == 3  # all are in the index; a filter is of the search
    assert record.params["filter"] == '{"year":2024}'
    assert misses(run(launch(dataset, None)))["then"] is None


def test_what_the_filter_costs_is_told(dataset: Path) -> None:
    notes = run(launch(dataset, {"year": 2024})).notes
    said = "The filter leaves 2 of 3 documents to search. 1 of 5 questions have evidence in others"
    assert any(note.startswith(said) for note in notes)
    assert any(note.startswith("The documents that are searched hold") for note in notes)
    assert not any("filter" in note for note in run(launch(dataset, None)).notes)


def test_the_filter_is_part_of_the_identity(dataset: Path) -> None:
    tracker = NullTracker()
    filters: list[dict[str, Any] | None] = [
        None, {}, {"year": 2024}, {"year": 2023},
        {"year": 2024, "kind": "rules"}, {"kind": "rules", "year": 2024},
    ]  # fmt: skip
    ids = [launch(dataset, wanted, tracker).config_ids[0] for wanted in filters]
    assert ids[0] == ids[1]
    assert ids[4] == ids[5]
    assert len(set(ids)) == 4
    run(launch(dataset, {"year": 2023}, tracker))
    assert [len(launch(dataset, wanted, tracker).to_run) for wanted in filters[2:4]] == [1, 0]


@pytest.mark.parametrize(
    ("wanted", "remedy"),
    [
        ("{year: 2025}", "year is 2023 or 2024 in the documents' metadata"),
        ('{year: "2024"}', "year is 2023 or 2024 in the documents' metadata"),
        ("{yeer: 2024}", "Did you mean year?"),
        ("{year: 2023, kind: letter}", "No document fulfils all of its entries at once"),
    ],
)
def test_a_filter_that_nothing_passes_is_refused_with_its_line(
    dataset: Path, tmp_path: Path, wanted: str, remedy: str
) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text(f"name: a\ndataset: ./set\nfilter: {wanted}\ngrid:\n  - {{strategy: fixed, size: 9}}\n")
    with pytest.raises(BadInput) as error:
        prepare(load_sweep(file), NullTracker(), cache_dir=None)
    (problem,) = error.value.problems
    assert problem.where == f"{file}:3"
    assert problem.what.startswith("no document passes the filter {")
    assert problem.remedy == remedy
