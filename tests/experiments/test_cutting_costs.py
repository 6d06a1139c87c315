"""What cutting costs, who pays for it, and documents that cannot be cut."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import pytest
from rich.console import Console

import strategies
from experiments.planning import make_plan, show_plan
from experiments.records import RunRecord
from experiments.runner import Launch, prepare, run
from experiments.sweep import read_sweep
from experiments.tracking import NullTracker
from strategies.document import Document
from strategies.errors import SplitError
from strategies.parameters import settle
from strategies.strategy import Cut, Need, SplitTools, Strategy, parameter

SENTENCES = [
    "The gate opens at six.", "Dogs stay on a lead.", "Fishing needs a card.", "Children swim for free.",
    "The code is seven.", "Trains leave at ten.", "Ask Ann for a key.", "Nobody sleeps in the barn.",
]  # fmt: skip


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for number in range(8):
        text = " ".join(SENTENCES[number:] + SENTENCES[:number]) + "\n"
        (folder / "documents" / f"{number}.txt").write_text(text)
    question = {"id": "q", "question": "When does the gate open?"}
    evidence = [{"document": "0.txt", "quote": SENTENCES[0]}]
    (folder / "questions.jsonl").write_text(json.dumps(question | {"evidence": evidence}))
    return folder


def launch(dataset: Path, *grid: dict[str, Any], cache: Path | None = None, **options: Any) -> Launch:
    content = {
        "name": "costs",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1], "token_budgets": [16]},
        "headline": "context_recall_at_16_tokens",
        "grid": list(grid),
    }
    return prepare(read_sweep(content), NullTracker(), cache_dir=cache, **options)


def records(dataset: Path, *grid: dict[str, Any], cache: Path | None = None) -> list[RunRecord]:
    return list(run(launch(dataset, *grid, cache=cache)).records)


class TestCuttingByMeaning:
    def test_it_is_charged_for_the_vectors_it_asks_for(self, dataset: Path) -> None:
        plain, semantic = records(
            dataset,
            {"strategy": "sentence", "sentences": 1},
            {"strategy": "semantic", "buffer": 0, "size": 4},
        )
        assert not {"split_tokens_embedded", "split_embed_ms"} & plain.metrics.keys()
        # Eight sentences in eight orders: each distinct one is embedded once to cut.
        words = sum(len(text.replace(".", " .").split()) for text in SENTENCES)
        assert semantic.metrics["split_tokens_embedded"] == words

    def test_what_it_embeds_to_cut_is_part_of_what_it_embeds(self, dataset: Path) -> None:
        anything = {"buffer": 0, "threshold_kind": "similarity", "threshold": -1}
        (whole,) = records(dataset, {"strategy": "semantic", **anything})  # every document is one chunk
        words = whole.metrics["split_tokens_embedded"]
        assert whole.metrics["tokens_embedded"] == 8 * words + words > 0

    def test_a_cached_vector_is_charged_what_it_cost(self, dataset: Path, tmp_path: Path) -> None:
        grid = {"strategy": "semantic", "size": 8}
        first, again = (records(dataset, grid, cache=tmp_path / "cache")[0] for _ in range(2))
        assert first.metrics["split_embed_ms"] == again.metrics["split_embed_ms"] > 0
        assert first.metrics["tokens_embedded"] == again.metrics["tokens_embedded"]

    def test_twelve_thresholds_embed_as_many_texts_to_cut_as_one(self, dataset: Path) -> None:
        def embedded(thresholds: list[float]) -> tuple[int, int]:
            grid = {"strategy": "semantic", "threshold_kind": "similarity", "threshold": thresholds}
            found = launch(dataset, grid)
            for config in found.grid.configs:
                found.bench.split(config)
            return len(found.grid.configs), found.bench.desk.traffic.embedded

        one, twelve = embedded([0.5]), embedded([n / 13 for n in range(1, 13)])
        assert (one[0], twelve[0]) == (1, 12)
        assert one[1] == twelve[1] > 0

    def test_a_plan_embeds_nothing_to_cut_and_says_what_it_does_not_know(self, dataset: Path) -> None:
        grid = [{"strategy": "semantic", "size": 8}, {"strategy": "fixed", "size": 8}]
        found = launch(dataset, *grid, dry=True)
        plan = make_plan(found)
        by_meaning, fixed = plan.configurations
        assert (by_meaning.chunks, by_meaning.tokens_to_embed, by_meaning.truncated_token_share) == (
            None,
        ) * 3
        assert fixed.chunks
        assert [note for note in plan.notes if "semantic" in note] == [
            "Not in these figures: semantic-8, cut by meaning: how much they embed, to cut and as chunks, "
            "is known once they run"
        ]
        console = Console(width=100, record=True, file=StringIO())
        show_plan(console, plan)
        text = console.export_text()
        assert "?" in text.splitlines()[1]
        passes = f"counted each time, are {plan.corpus_passes:.1f} times the corpus"
        assert passes in " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Picky(Strategy):
    """Refuses documents whose text begins with one of some words."""

    name: ClassVar[str] = "picky"
    needs: ClassVar[tuple[Need, ...]] = ("chat",)
    refused: tuple[str, ...] = parameter("first words", default=())

    def __post_init__(self) -> None:
        settle(self)

    def cuts(self, document: Document, tools: SplitTools) -> Iterable[Cut]:
        if document.text.startswith(self.refused):
            raise SplitError(f"{document.id}: chunk 0: refused")
        return [Cut(0, len(document.text.rstrip()))]


class TestDocumentsThatCannotBeCut:
    @pytest.fixture(autouse=True)
    def _picky(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(strategies.STRATEGIES, "picky", Picky)

    def test_all_of_them_are_named_and_the_configuration_fails(self, dataset: Path) -> None:
        failed, fine = records(
            dataset, {"strategy": "picky", "refused": ["Dogs", "Ask"]}, {"strategy": "picky"}
        )
        assert failed.status == "failed"
        assert failed.error == (
            "2 of 8 documents could not be cut: 1.txt: chunk 0: refused; 6.txt: chunk 0: refused"
        )
        assert fine.status == "finished"
        assert fine.metrics["llm_calls"] == 0

    def test_one_speaks_for_itself(self, dataset: Path) -> None:
        (failed,) = records(dataset, {"strategy": "picky", "refused": ["Dogs"]})
        assert failed.error == "1.txt: chunk 0: refused"

    def test_where_a_model_is_asked_all_are_tried_and_five_are_named(
        self, dataset: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tried: list[str] = []
        cuts = Picky.cuts
        monkeypatch.setattr(
            Picky,
            "cuts",
            lambda self, document, tools: (tried.append(document.id), cuts(self, document, tools))[1],
        )
        (failed,) = records(dataset, {"strategy": "picky", "refused": [text[:3] for text in SENTENCES[:7]]})
        named = "; ".join(f"{number}.txt: chunk 0: refused" for number in range(5))
        assert failed.error == f"7 of 8 documents could not be cut: {named}; and 2 more"
        assert tried == [f"{number}.txt" for number in range(8)]

    def test_others_end_after_five(self, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Picky, "needs", ())
        (failed,) = records(dataset, {"strategy": "picky", "refused": [text[:3] for text in SENTENCES]})
        assert failed.error is not None
        assert failed.error.startswith("5 of 8 documents could not be cut: 0.txt")
        assert failed.error.endswith("4.txt: chunk 0: refused; after 5 of them no more was tried")

    def test_five_of_five_leave_nothing_untried(self, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Picky, "needs", ())
        (failed,) = records(dataset, {"strategy": "picky", "refused": [text[:5] for text in SENTENCES[3:]]})
        assert failed.error is not None
        assert failed.error.endswith("7.txt: chunk 0: refused")


def test_libraries_decide_what_is_the_same_experiment(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ids() -> list[str]:
        return list(launch(dataset, {"strategy": ["picky", "fixed"], "size": [8]}).config_ids)

    monkeypatch.setitem(strategies.STRATEGIES, "picky", Sized)
    before = ids()
    monkeypatch.setattr(Sized, "version", "2")
    after = ids()
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_a_plan_goes_on_where_one_cannot_cut(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(strategies.STRATEGIES, "picky", Picky)
    monkeypatch.setattr(Picky, "needs", ())
    found = launch(
        dataset, {"strategy": "picky", "refused": ["Ask"]}, {"strategy": "fixed", "size": 9}, dry=True
    )
    plan = make_plan(found)
    assert [one.chunks is None for one in plan.configurations] == [True, False]
    assert any("will fail: 6.txt: chunk 0: refused" in note for note in plan.notes)


@dataclass(frozen=True, slots=True)
class Sized(Strategy):
    """Cut by a library that has a version."""

    name: ClassVar[str] = "picky"
    version: ClassVar[str] = "1"
    size: int = parameter("largest chunk")

    def versions(self) -> dict[str, str]:
        return {"blade": self.version}

    def cuts(self, document: Document, tools: SplitTools) -> Iterable[Cut]:
        return [Cut(0, len(document.text.rstrip()))]


@pytest.mark.parametrize("parents", [None, {"strategy": "recursive", "size": 200}], ids=["plain", "parents"])
def test_what_another_configuration_found_out_is_charged_too(dataset: Path, parents: Any) -> None:
    """Nobody is cheap for coming last."""
    entry = {"strategy": "sentence", "size": [44, 40], "parents": parents}
    found = launch(dataset, entry)
    first, second = found.grid.configs
    found.bench.split(first)
    found_done_by_first = found.bench.tools.shared_ms
    split_ms = found.bench.split(second).cutting.split_ms
    assert split_ms >= found.bench.tools.shared_ms > found_done_by_first
