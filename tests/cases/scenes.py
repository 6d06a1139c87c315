"""Small data sets and sweeps for whole cases: written, cut, asked and compared in one call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.results import SweepResult
from experiments.runner import prepare, run
from experiments.sweep import Sweep, read_sweep
from experiments.tracking import NullTracker, Tracker


def write_set(
    folder: Path, documents: Mapping[str, str | bytes], questions: Sequence[Mapping[str, Any]]
) -> Path:
    """A data set in its folder; texts are written as they are, line ends included."""
    (folder / "documents").mkdir(parents=True)
    for name, content in documents.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / "documents" / name).write_bytes(data)
    (folder / "card.yaml").write_text(f"name: {folder.name}\n")
    (folder / "questions.jsonl").write_text("\n".join(json.dumps(question) for question in questions))
    return folder


def asking(name: str, text: str, document: str, quote: str) -> dict[str, Any]:
    """A question with one quote."""
    return {"id": name, "question": text, "evidence": [{"document": document, "quote": quote}]}


def sweep(dataset: Path, *grid: Mapping[str, Any], **fields: Any) -> Sweep:
    """A sweep with the embedder that needs no model."""
    content: dict[str, Any] = {
        "name": "case",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [16, 64]},
        "headline": "context_recall_at_16_tokens",
        "grid": list(grid),
    }
    return read_sweep(content | fields)


def measured(
    dataset: Path,
    *grid: Mapping[str, Any],
    tracker: Tracker | None = None,
    options: Mapping[str, Any] | None = None,
    **fields: Any,
) -> SweepResult:
    """What a sweep says; `options` are those of `prepare`."""
    asked = {"cache_dir": None, **(options or {})}
    return run(prepare(sweep(dataset, *grid, **fields), tracker or NullTracker(), **asked))
