"""What the cards of bundled sets say of their difficulty is what the benchmark computes."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from evaluation.gold import bundled

ROOT = Path(__file__).parents[1]
CARDS = {
    name: yaml.safe_load((folder / "card.yaml").read_text("utf-8")) for name, folder in bundled().items()
}
TOLD: dict[str, Any] = {name: card["difficulty"] for name, card in CARDS.items() if "difficulty" in card}


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("difficulty")


def test_the_lines_are_those_of_a_card(benchmark: ModuleType) -> None:
    figures = {"bm25": {"mrr_at_10": 0.5, "hit_at_5": 1.0}, "all-MiniLM-L6-v2": {"hit_at_5": 0.0625}}
    assert yaml.safe_load("\n".join(benchmark.lines(figures))) == {"difficulty": figures}


def test_every_figure_leaves_room_for_better_cuts() -> None:
    assert TOLD.keys() == CARDS.keys()
    for name, difficulty in TOLD.items():
        most = 1 if name == "minis" else 0.9  # a smoke test tells no cuts apart
        assert all(0.2 < value < most for scores in difficulty.values() for value in scores.values()), name


@pytest.mark.slow
@pytest.mark.parametrize("name", TOLD)
def test_the_card_holds_what_is_computed(name: str, benchmark: ModuleType) -> None:
    found = benchmark.difficulty(name)
    assert found["bm25"] == TOLD[name]["bm25"]
    # Vectors differ a little from machine to machine, and with them the order of near hits.
    assert found["all-MiniLM-L6-v2"] == pytest.approx(TOLD[name]["all-MiniLM-L6-v2"], abs=0.005)
    assert found.keys() == TOLD[name].keys()
