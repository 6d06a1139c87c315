"""The ready sweep of equal budgets: what it compares, and that it runs from file to table and diagnosis."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.vectors import VECTORS
from experiments import workbench
from experiments.cli.app import run
from experiments.grid import expand
from experiments.sweep import load_sweep

NAME = "two-small-or-one-large"


def test_it_asks_both_questions_at_equal_k_and_at_equal_budgets() -> None:
    sweep = load_sweep(NAME)
    configs = expand(sweep).configs
    assert {1, 2} <= set(sweep.settings.ks)  # one large, two small
    assert {512, 1024} <= set(sweep.settings.budgets)
    assert sweep.settings.headline == "context_recall_at_1024_tokens"
    told = [config.params() for config in configs]
    for vectors in VECTORS:
        some = [params for params in told if params["vectors"] == vectors]
        assert [params["size"] for params in some if "parents" not in params] == [128, 256, 1024]
        (nested,) = (params for params in some if "parents" in params)
        assert nested["size"] == 128
        assert '"size":1024' in str(nested["parents"])


TEXT = " ".join(f"Item {n} of the list is stored in hall {n * 7 % 13} of the depot." for n in range(160))


@pytest.mark.slow
def test_it_runs_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a document long enough that the large chunks pass the limit, which is that of the packaged model."""
    folder = tmp_path / "depot"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: depot\n")
    (folder / "documents" / "list.txt").write_text(TEXT)
    lines = [
        {
            "id": f"q{n}",
            "question": f"In which hall is item {n} stored?",
            "tags": ["item"],
            "evidence": [
                {"document": "list.txt", "quote": f"Item {n} of the list is stored in hall {n * 7 % 13} "}
            ],
        }
        for n in range(0, 160, 8)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHUNKSWEEP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setattr(workbench, "open_embedder", lambda spec: HashingEmbedder(limit_tokens=256))
    assert run(["run", NAME, "--dataset", str(folder), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = {row["name"]: row for row in found["configurations"]}
    assert len(rows) == 8
    unread = {name for name, row in rows.items() if row["truncated_token_share"] > 0.05}
    assert unread == {"recursive-1024"}
    assert "recursive-1024" in " ".join(found["notes"])
    assert found["recommendation"]["name"] not in unread
    for row in rows.values():
        assert row["prompt_tokens_at_512_tokens"] == 512
        assert row["prompt_tokens_at_1024_tokens"] == 1024
    assert (
        rows["recursive-256"]["prompt_tokens_at_2"]
        <= 512
        < rows["recursive-1024-vectors=late"]["prompt_tokens_at_1"]
    )

    assert run(["diagnose", NAME, "--config", "recursive-1024", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["missed"] == rows["recursive-1024"]["misses_total"]
    assert "truncated" in {pattern["name"] for pattern in told["patterns"]}
    assert run(["diagnose", NAME]) == 0
    assert f"{NAME}: " in capsys.readouterr().out
    assert run(["diagnose", NAME, "--config", "recursive-25"]) == 2
    assert "Did you mean recursive-256?" in capsys.readouterr().err
    assert run(["diagnose", "no-such-sweep"]) == 2
