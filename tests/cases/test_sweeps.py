"""What a sweep compares: each configuration once, with its own chunks, times and versions."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding_desk import EmbeddingDesk
from experiments.grid import expand
from experiments.results import SweepResult
from experiments.sweep import load_sweep
from experiments.tables import wide
from experiments.tracking import NullTracker
from strategies.errors import BadInput
from strategies.strategy import Vectors

from .scenes import asking, measured, write_set

TIMES = ("_ms", "_median", "_p95")


def table(result: SweepResult) -> dict[str, dict[str, float]]:
    """All that was measured but times, by configuration."""
    return {
        record.name: {key: value for key, value in record.metrics.items() if not key.endswith(TIMES)}
        for record in result.records
    }


def test_order_and_cache_change_no_table(harbour: Path, tmp_path: Path) -> None:
    def swept(sizes: list[int], cache: str) -> SweepResult:
        grid = {"strategy": "fixed", "unit": "words", "size": sizes, "headings": ["none", "document"]}
        return measured(harbour, grid, options={"cache_dir": tmp_path / cache})

    cold, turned_cold = swept([5, 12], "one"), swept([12, 5], "two")
    warm, turned_warm = swept([5, 12], "two"), swept([12, 5], "one")
    assert not cold.traffic.endswith(" 0 embedded")
    assert warm.traffic.endswith(" 0 embedded")
    assert turned_warm.traffic.endswith(" 0 embedded")
    assert table(cold) == table(turned_cold) == table(warm) == table(turned_warm)
    assert len({row["chunks"] for row in table(cold).values()}) == 2
    assert len({(row["chunks"], row["tokens_embedded"]) for row in table(cold).values()}) == 4
    assert {record.config_id for record in cold.records} == {record.config_id for record in warm.records}


def test_other_prompts_read_no_vector_of_the_first(harbour: Path, tmp_path: Path) -> None:
    grid = {"strategy": "fixed", "unit": "words", "size": 12}
    options = {"cache_dir": tmp_path / "cache"}
    plain = measured(harbour, grid, options=options)
    prompted = measured(
        harbour, grid, options=options, embedder={"model": "hashing", "passage_prompt": "steps lift deck "}
    )
    assert prompted.records[0].metrics["tokens_embedded"] > plain.records[0].metrics["tokens_embedded"]
    assert "0 from cache" not in prompted.traffic  # the questions have no prompt, and are shared
    assert prompted.records[0].config_id != plain.records[0].config_id


NOTICES = "Bins go out on Monday.\n\nGlass goes out on Friday.\n\nPaper waits for rain."


@pytest.mark.parametrize("name", ["paragraph", "recursive", "markdown", "sentence"])
def test_an_overlap_that_never_came_about_is_measured_named_and_marked(tmp_path: Path, name: str) -> None:
    folder = write_set(
        tmp_path / "notices",
        {"notices.txt": NOTICES},
        [asking("glass", "When does glass go out?", "notices.txt", "Glass goes out on Friday.")],
    )
    grid = {"strategy": name, "unit": "characters", "size": 30, "overlap": [0, 8]}
    result = measured(folder, grid)
    plain, asked = result.records
    assert [len(record.chunks) for record in result.records] == [3, 3]
    assert plain.metrics["overlap_effective"] == asked.metrics["overlap_effective"] == 0
    assert asked.metrics["overlapping_borders_share"] == 0
    assert result.table["same_chunks_as"] == (None, plain.name)
    (note,) = (note for note in result.notes if "Overlap was asked for" in note)
    assert asked.name in note
    assert f"{plain.name}," not in note
    assert f"{plain.name}." not in note


def test_an_overlap_that_came_about_is_not_warned_about(harbour: Path) -> None:
    result = measured(
        harbour,
        {"strategy": "fixed", "unit": "words", "size": 6, "overlap": 2},
        {"strategy": "sentence", "sentences": 2, "overlap_sentences": [0, 1]},
    )
    assert [record.metrics["overlap_effective"] > 0 for record in result.records] == [True, False, True]
    assert not any("Overlap was asked for" in note for note in result.notes)
    assert result.table["same_chunks_as"] == (None, None, None)


SWEEP = """
name: twice
dataset: handbook
grid:
  - strategy: fixed
    unit: words
    size: {sizes}
    overlap: {overlaps}
"""


def test_equal_values_are_one_configuration_and_a_text_is_no_number(tmp_path: Path) -> None:
    file = tmp_path / "twice.yaml"

    def grid(sizes: str, overlaps: str, more: str = "") -> Any:
        file.write_text(SWEEP.format(sizes=sizes, overlaps=overlaps) + more)
        return expand(load_sweep(file))

    with pytest.raises(BadInput) as caught:
        grid("[200, 2e2]", "[0]", "invalid: skip\n")
    assert [str(problem) for problem in caught.value.problems] == [
        f"{file}:7: size is the text '2e2', not a whole number. Write 200, without quotes or exponent"
    ]
    with pytest.raises(BadInput, match="fixed-words-200 stands in the grid twice"):
        grid("[200, 200]", "[0, 0.0]")
    kept = grid("[200, 200]", "[0, 0.0]", "invalid: skip\n")
    assert [config.name for config in kept.configs] == ["fixed-words-200"]
    assert [problem.what for problem in kept.skipped] == ["fixed-words-200 stands in the grid twice"]


def test_wanted_repeats_are_runs_of_one_configuration(harbour: Path) -> None:
    tracker = NullTracker()
    grid = {"strategy": "fixed", "unit": "words", "size": [6, 6.0]}
    result = measured(harbour, grid, tracker=tracker, repeats=3, invalid="skip")
    assert [record.repeat for record in tracker.kept] == [0, 1, 2]
    assert len({record.config_id for record in tracker.kept}) == 1
    assert len({str(record.config) for record in tracker.kept}) == 1
    assert result.table["repeats"] == (3,)


class Sluggish(HashingEmbedder):
    """Loads for a second at its first call; then every text takes ten milliseconds. Its clock is its own."""

    now_s = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.now_s += (0.0 if self.now_s else 1.0) + len(texts) / 100
        return super().embed(texts)


@pytest.mark.parametrize("cached", [False, True])
def test_no_configuration_pays_for_loading_the_model(
    harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cached: bool
) -> None:
    tables = []
    for order in ([5, 12], [12, 5]):
        embedder = Sluggish()
        monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec, embedder=embedder: embedder)
        monkeypatch.setattr(
            "evaluation.embedding_desk.time.perf_counter", lambda embedder=embedder: embedder.now_s
        )
        options = {"cache_dir": tmp_path / "cache" if cached else None}
        result = measured(harbour, {"strategy": "fixed", "unit": "words", "size": order}, options=options)
        tables.append({record.name: record.metrics for record in result.records})
        assert embedder.now_s == 0.0 if cached and order == [12, 5] else embedder.now_s > 1.0
        for record in result.records:
            texts = record.metrics["chunks"]
            assert record.metrics["embed_ms"] == pytest.approx(10 * texts)  # every chunk, none cached
            assert record.metrics["query_embed_ms_median"] == pytest.approx(10)
            assert record.metrics["query_embed_ms_p95"] == pytest.approx(10)
            assert record.metrics["timed_queries"] == 5
    for name in tables[0]:
        for key in ("embed_ms", "query_embed_ms_median", "query_embed_ms_p95"):
            assert tables[0][name][key] == pytest.approx(tables[1][name][key])


def test_times_of_another_machine_are_left_out_with_the_reason(
    harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, options = {"strategy": "fixed", "unit": "words", "size": 6}, {"cache_dir": tmp_path / "cache"}
    measured(harbour, grid, options=options)
    monkeypatch.setattr("evaluation.embedding_desk.machine", lambda backend: f"another one, {backend}")
    (record,) = measured(harbour, grid, options=options).records
    assert {"embed_ms", "query_embed_ms_median", "query_embed_ms_p95"}.isdisjoint(record.metrics)
    assert "another machine" in record.reasons["embed_ms"]
    assert "search_ms_median" in record.metrics
    assert EmbeddingDesk(HashingEmbedder(), None).machine.startswith("another one")


def fake(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(
        "experiments.workbench.version", lambda name: "0.0.1" if name == library else real(name)
    )


def test_a_library_that_decides_nothing_is_warned_about_in_its_row(
    harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = NullTracker()

    def swept(sizes: list[int]) -> SweepResult:
        return measured(harbour, {"strategy": "fixed", "unit": "words", "size": sizes}, tracker=tracker)

    assert swept([5, 8]).table["warnings"] == (None, None)
    fake(monkeypatch, "numpy")
    later = swept([5, 8, 12])
    assert later.ran == 1
    warnings = later.table["warnings"]
    assert warnings[:2] == (None, None)
    assert str(warnings[2]).startswith("numpy differs: 0.0.1, elsewhere ")


def test_a_changed_byte_or_splitter_is_another_experiment_and_stands_out_beside_the_old(
    harbour: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = NullTracker()
    grid = {"strategy": "sentence", "unit": "words", "size": [8, 16]}

    def swept(**options: Any) -> SweepResult:
        return measured(harbour, grid, tracker=tracker, options=options)

    first = swept()
    again = swept(fresh=True)
    assert again.ran == 2
    assert table(again) == table(first)
    path = harbour / "documents" / "light.txt"
    path.write_text(path.read_text().replace("Sundays", "Mondays"))
    changed = swept()
    assert changed.ran == 2
    fake(monkeypatch, "sentencex")
    upgraded = swept()
    assert upgraded.ran == 2
    versions = {record.config_id: dict(record.versions) for record in upgraded.records}
    assert all(one["sentencex"] == "0.0.1" and len(one["data_digest"]) == 64 for one in versions.values())
    warnings = wide(tracker.records())["warnings"]
    assert len(warnings) == 6
    beside = "\n".join(str(warning) for warning in warnings)
    assert "data digest differs: " in beside
    assert "sentencex differs: 0.0.1, elsewhere " in beside
