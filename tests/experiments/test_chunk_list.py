"""What a question retrieved: small in the record, whole in every table, and the same as what was scored."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.evaluate import Retrieved
from evaluation.retrieval import Hit
from experiments import exporting
from experiments.chunk_list import (
    TEXT_CHARACTERS,
    beginning,
    chunk_rows,
    document_rows,
    hits,
    retrieved_rows,
    with_metadata,
)
from experiments.columns import RETRIEVED_COLUMNS
from experiments.mlflow_tracker.writing import table
from experiments.records import RunRecord
from experiments.runner import prepare, run
from experiments.sweep import read_sweep
from experiments.tables import retrieved
from experiments.tracking import NullTracker
from strategies.document import Chunk, Document
from strategies.errors import BadInput

GATE = Document("gate.md", "# Gate\n\nThe north gate\nopens at nine.", {"year": 2024, "by": "Zoë"})
POOL = Document("pool.txt", "Swimming costs four euro.")
CHUNKS = (
    Chunk(
        "gate.md", 0, 0, 23, GATE.text[:23], 5, "x", (0, 37), ("Gate", "North"), "i", metadata=GATE.metadata
    ),
    Chunk("gate.md", 1, 23, 37, GATE.text[23:], 5, GATE.text[23:], (23, 37), metadata=GATE.metadata),
    Chunk("pool.txt", 0, 0, 25, POOL.text, 5, POOL.text, (0, 25)),
)
FOUND = (
    Retrieved("gate", (Hit("pool.txt", 0, 25, 0.5, 2), Hit("gate.md", 0, 37, 0.25, 0)), (False, True)),
    Retrieved("lost", (), ()),
)
RECORD = RunRecord(
    "fixed-9-0123456789",
    "fixed-9",
    "finished",
    questions=({"question_id": "gate", "question": "When?"}, {"question_id": "lost", "question": "Who?"}),
    chunks=chunk_rows(CHUNKS, FOUND, (GATE, POOL)),
    retrieved=retrieved_rows(FOUND),
    documents=document_rows((GATE, POOL)),
)


def test_a_record_holds_each_text_and_each_metadata_once() -> None:
    assert [row.get("text") for row in RECORD.chunks] == [
        "# Gate The north gate opens at nine.", None, "Swimming costs four euro.",
    ]  # fmt: skip
    assert RECORD.documents == ({"document": "gate.md", "metadata": {"year": 2024, "by": "Zoë"}},)
    assert RECORD.retrieved == (
        {"question_id": "gate", "chunks": [2, 0], "scores": [0.5, 0.25], "relevant": [2]},
        {"question_id": "lost", "chunks": [], "scores": [], "relevant": []},
    )


def test_every_chunk_of_the_list_shows_the_metadata_of_its_document() -> None:
    shown = list(with_metadata(RECORD))
    assert [row.get("metadata") for row in shown] == [dict(GATE.metadata), dict(GATE.metadata), None]
    assert all(
        {k: v for k, v in a.items() if k != "metadata"} == b
        for a, b in zip(shown, RECORD.chunks, strict=True)
    )


def test_the_table_of_retrieved_chunks_is_whole() -> None:
    rows = list(retrieved([RECORD, RunRecord("broken-1", "broken", "failed", error="no")]).rows())
    about = {"name": "fixed-9", "config_id": "fixed-9-0123456789"}
    first = {**about, "question_id": "gate", "question": "When?", "synthetic": None, "side": None}
    nothing = dict.fromkeys(column.name for column in RETRIEVED_COLUMNS)
    assert rows == [
        {
            **first, "rank": 1, "score": 0.5, "relevant": False, "document": "pool.txt", "start": 0,
            "end": 25, "chunk": 0, "section": None, "page": None, "metadata": None,
            "text": "Swimming costs four euro.",
        },
        {
            **first, "rank": 2, "score": 0.25, "relevant": True, "document": "gate.md", "start": 0, "end": 37,
            "chunk": 0, "section": "Gate > North", "page": "i", "metadata": '{"year": 2024, "by": "Zoë"}',
            "text": "# Gate The north gate opens at nine.",
        },
        {**nothing, **about, "question_id": "lost", "question": "Who?"},
    ]  # fmt: skip


def test_repeats_retrieve_alike_and_stand_once() -> None:
    failed = RunRecord("fixed-9-0123456789", "fixed-9", "failed", error="once")
    second, third = (dataclasses.replace(RECORD, repeat=number) for number in (1, 2))
    assert len(retrieved([failed, second, third])) == 3


def test_the_table_in_the_store_is_that_of_the_record() -> None:
    shown = json.loads(table(hits(RECORD)))
    own = [
        column.name for column in RETRIEVED_COLUMNS[2:] if column.name != "side"
    ]  # known once it is judged
    assert shown["columns"] == own
    assert len(shown["data"]) == 3


@given(st.text(st.sampled_from("ab \n\t\u2028"), max_size=3000), st.integers(0, 3000), st.integers(0, 3000))
def test_the_beginning_of_a_text_is_one_short_line_of_its_words(text: str, start: int, end: int) -> None:
    shown, words = beginning(text, start, end), text[start:end].split()
    assert len(shown) <= TEXT_CHARACTERS
    assert len(shown.splitlines()) <= 1
    if len(text[start:end]) <= TEXT_CHARACTERS:
        assert shown == " ".join(words)


# --- of a sweep


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    (folder / "documents" / "park.md").write_text(
        "---\nyear: 2024\n---\n# Park\n\nThe north gate opens at nine. All dogs stay on a lead.\n\n"
        "## Pond\n\nFishing needs a green card.\n"
    )
    (folder / "documents" / "pool.txt").write_text(
        "Swimming costs four euro in summer. Children swim free.\n"
    )
    (folder / "documents" / "pool.txt.meta.yaml").write_text("pages: [{start: 0, label: 7}]\n")
    asked: list[dict[str, Any]] = [
        {"id": "dogs", "question": "Do all dogs stay on a lead?", "evidence": ["All dogs stay on a lead."]},
        {"id": "fish", "question": "Which card does fishing need?", "evidence": ["needs a green card."]},
        {"id": "swim", "question": "Swimming costs what?", "evidence": ["Swimming costs four euro"]},
        {"id": "none", "question": "Who?", "evidence": []},
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    return folder


def test_what_is_shown_is_what_was_scored(dataset: Path) -> None:
    content = {
        "name": "shown",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [64]},
        "headline": "context_recall_at_64_tokens",
        "grid": [{"strategy": ["fixed", "markdown"], "unit": "words", "size": 6}],
    }
    result = run(prepare(read_sweep(content), NullTracker(), cache_dir=None))
    rows = list(result.retrieved.rows())
    assert len(rows) == 2 * 3 * 3  # configurations, questions with gold, the largest K
    texts = {"park.md": (dataset / "documents" / "park.md").read_text(), "pool.txt": "Swimming costs four"}
    for row in rows:
        assert row["rank"] in (1, 2, 3)
        assert row["page"] == ("7" if row["document"] == "pool.txt" else None)
        assert row["metadata"] == ('{"year": 2024}' if row["document"] == "park.md" else None)
        if row["document"] == "park.md":
            assert row["text"] == " ".join(texts["park.md"][row["start"] : row["end"]].split())  # type: ignore[misc]
    for record in result.records:
        for question in record.questions:
            mine = [
                row for row in rows
                if (row["name"], row["question_id"]) == (record.name, question["question_id"])
            ]  # fmt: skip
            ranks = [row["rank"] for row in mine if row["relevant"]]
            assert question["mrr_at_3"] == (1 / ranks[0] if ranks else 0.0)  # type: ignore[operator]
            scores = [row["score"] for row in mine]
            assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert any(row["section"] == "Park > Pond" for row in rows if row["name"] == "markdown-words-6")
    assert list(result.retrieved_frame().columns) == [column.name for column in RETRIEVED_COLUMNS]


def test_the_table_can_be_exported(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    content = {
        "name": "shown", "dataset": str(dataset), "embedder": "hashing",
        "retrieval": {"k": [2], "token_budgets": [64]}, "headline": "context_recall_at_64_tokens",
        "grid": [{"strategy": "fixed", "unit": "words", "size": 6}],
    }  # fmt: skip
    result = run(prepare(read_sweep(content), NullTracker(), cache_dir=None))
    monkeypatch.setattr(exporting, "load", lambda name, **options: result)
    options: dict[str, Any] = {"format": None, "output": None, "tracking_uri": None, "report": [].append}
    exporting.export_sweep("shown", long=False, retrieved=True, **options)
    lines = list(csv.reader(io.StringIO(capfdbinary.readouterr().out.decode(), newline="")))
    assert lines[0] == [column.name for column in RETRIEVED_COLUMNS]
    assert len(lines) == 1 + 3 * 2
    with pytest.raises(BadInput, match="--retrieved"):
        exporting.export_sweep("shown", long=True, retrieved=True, **options)
