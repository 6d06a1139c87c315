"""Sweeps in memory: order of work, what is never done twice, and failures that cost only themselves."""

from __future__ import annotations

import dataclasses
import io
import json
import signal
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from rich.console import Console

import strategies
import strategies.splitting
from evaluation.gold import Question
from evaluation.retrieval import Hit
from evaluation.statistics import detectable
from experiments.planning import make_plan, show_plan
from experiments.progress import SilentProgress
from experiments.records import RunRecord
from experiments.results import Judging, SweepResult, judge
from experiments.runner import Launch, prepare, run
from experiments.signals import Interrupted
from experiments.sweep import read_sweep
from experiments.tracking import NullTracker, TrackingError
from strategies.document import Document
from strategies.errors import BadInput
from strategies.strategy import Cut, SplitTools, Strategy

PLACES = {
    "park.md": "# Park\n\nThe north gate opens at nine. All dogs stay on a lead.\n\n"
    "## Pond\n\nFishing needs a green card.\n",
    "pool.txt": "Swimming costs four euro in summer. Children swim for free all year.\n",
    "train.txt": "Dogs travel for half the price. The last train leaves at ten.\n",
}
ASKED = [
    ("lead", "Do all dogs stay on a lead?", "park.md", "All dogs stay on a lead."),
    ("price", "Swimming costs how many euro?", "pool.txt", "Swimming costs four euro in summer."),
    ("fishing", "Which card does fishing need?", "park.md", "Fishing needs a green card."),
    ("dogs", "For what price do dogs travel?", "train.txt", "Dogs travel for half the price."),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: set\n")
    for name, text in PLACES.items():
        (folder / "documents" / name).write_text(text)
    lines = [
        json.dumps({"id": key, "question": text, "evidence": [{"document": name, "quote": quote}]})
        for key, text, name, quote in ASKED
    ]
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return folder


def sweep(dataset: Path, *grid: dict[str, Any], **fields: Any) -> Any:
    content = {
        "name": "test",
        "dataset": str(dataset),
        "embedder": "hashing",
        "retrieval": {"k": [1, 3], "token_budgets": [16, 64]},
        "headline": "context_recall_at_16_tokens",
        "grid": list(grid) or [{"strategy": "fixed", "unit": "words", "size": [6, 12], "overlap": [0, 2]}],
    }
    return read_sweep(content | fields)


def launch(
    dataset: Path,
    tracker: NullTracker,
    *grid: dict[str, Any],
    cache: Path | None = None,
    options: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Launch:
    return prepare(sweep(dataset, *grid, **fields), tracker, cache_dir=cache, **(options or {}))


SCORES = ("context_recall_at_16_tokens", "mrr_at_3", "precision_omega", "chunks", "tokens_embedded")


def scores(result: SweepResult) -> dict[str, dict[str, float]]:
    return {record.name: {key: record.metrics[key] for key in SCORES} for record in result.records}


def test_every_configuration_is_recorded_and_compared(dataset: Path) -> None:
    tracker = NullTracker()
    result = run(launch(dataset, tracker))
    assert [record.name for record in result.records] == [record.name for record in tracker.kept]
    assert len(result.records) == 4
    assert {record.status for record in result.records} == {"finished"}
    assert result.recommendation.best in {record.name for record in result.records}
    assert len({record.metrics["chunks"] for record in result.records}) > 1
    for record in result.records:
        assert record.metrics["n_scored"] == 4
        assert record.versions["data_digest"]
        assert record.run_id in tracker.tags


def test_a_second_launch_does_nothing_and_says_the_same(dataset: Path) -> None:
    tracker = NullTracker()
    first = run(launch(dataset, tracker))
    second = run(launch(dataset, tracker))
    assert (first.ran, second.ran) == (4, 0)
    assert len(tracker.launches) == 1
    assert len(tracker.kept) == 4
    assert scores(first) == scores(second)
    assert first.statistics == second.statistics


def test_fresh_measures_again_and_embeds_nothing(dataset: Path, tmp_path: Path) -> None:
    tracker = NullTracker()
    first = run(launch(dataset, tracker, cache=tmp_path / "cache"))
    again = run(launch(dataset, tracker, cache=tmp_path / "cache", options={"fresh": True}))
    assert again.ran == 4
    assert again.traffic.endswith("0 embedded")
    assert scores(first) == scores(again)
    assert len({record.key for record in again.records}) == len(again.records) == 4


@pytest.mark.parametrize("warm", [False, True])
def test_neither_order_nor_cache_changes_a_number(dataset: Path, tmp_path: Path, warm: bool) -> None:
    tables = []
    for number, sizes in enumerate([[6, 12], [12, 6]]):
        cache = tmp_path / ("cache" if warm else f"cache-{number}")
        result = run(
            launch(dataset, NullTracker(), {"strategy": "fixed", "unit": "words", "size": sizes}, cache=cache)
        )
        tables.append(scores(result))
    assert tables[0] == tables[1]
    assert tables[0]["fixed-words-6"]["chunks"] != tables[0]["fixed-words-12"]["chunks"]


@dataclasses.dataclass(frozen=True)
class Brittle(Strategy):
    """Cuts at every line, and breaks at one size as long as it is told to."""

    size: int = 1
    name: ClassVar[str] = "brittle"
    broken: ClassVar[bool] = True

    def cuts(self, document: Document, tools: SplitTools) -> Iterable[Cut]:
        if self.size == 3 and self.broken:
            raise RuntimeError("the blade is blunt")
        return [Cut(0, len(document.text))]


@pytest.fixture
def brittle(monkeypatch: pytest.MonkeyPatch) -> type[Brittle]:
    monkeypatch.setitem(strategies.STRATEGIES, "brittle", Brittle)
    monkeypatch.setattr(Brittle, "broken", True)
    return Brittle


def test_one_failure_costs_only_itself(
    dataset: Path, brittle: type[Brittle], monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker = NullTracker()
    grid = {"strategy": "brittle", "size": [1, 2, 3, 4]}
    result = run(launch(dataset, tracker, grid))
    assert [record.status for record in result.records] == ["finished", "finished", "failed", "finished"]
    assert [record.error for record in result.failed] == ["RuntimeError: the blade is blunt"]
    assert len(result.table) == 4
    monkeypatch.setattr(brittle, "broken", False)
    again = run(launch(dataset, tracker, grid))
    assert again.ran == 1
    assert [record.status for record in again.records] == ["finished"] * 4
    assert len(again.table) == 4


def test_fail_fast_stops_and_keeps_what_is_done(dataset: Path, brittle: type[Brittle]) -> None:
    tracker = NullTracker()
    result = run(launch(dataset, tracker, {"strategy": "brittle", "size": [1, 3, 4]}), fail_fast=True)
    assert [record.status for record in result.records] == ["finished", "failed"]
    assert any("Not run yet: 1 of 3 configurations" in note for note in result.notes)


def test_a_signal_ends_the_run_and_the_next_launch_goes_on(dataset: Path) -> None:
    class Stopping(SilentProgress):
        def configuration_started(self, name: str, index: int, total: int) -> None:
            if index == 2:
                signal.raise_signal(signal.SIGTERM)

    tracker = NullTracker()
    with pytest.raises(Interrupted, match="SIGTERM"):
        run(launch(dataset, tracker), progress=Stopping())
    assert len(tracker.kept) == 2
    assert tracker.running == {}
    assert tracker.tags["launch"]["status"] == "killed"
    assert run(launch(dataset, tracker)).ran == 2


def test_a_signal_never_breaks_into_a_record(dataset: Path) -> None:
    class Store(list[RunRecord]):
        """Gets the signal while the second record is written."""

        def append(self, record: RunRecord) -> None:
            if len(self) == 1:
                signal.raise_signal(signal.SIGINT)
            super().append(record)

    tracker = NullTracker(kept=Store())
    with pytest.raises(Interrupted, match="SIGINT"):
        run(launch(dataset, tracker))
    assert [record.status for record in tracker.kept] == ["finished", "finished"]
    assert tracker.running == {}
    assert run(launch(dataset, tracker)).ran == 2


def test_a_judge_that_fails_makes_a_row_not_comparable(dataset: Path) -> None:
    """The row with a failed verdict must not win by it."""

    def judge(question: Question, hits: Sequence[Hit]) -> float:
        if question.id == "price" and len(hits) < 4:
            raise TimeoutError("no verdict")
        return 1.0

    grid = {"strategy": "fixed", "unit": "words", "size": [4, 40]}
    result = run(launch(dataset, NullTracker(), grid, options={"scorers": {"judged": judge}}))
    small, large = result.records
    assert small.metrics["judged"] == large.metrics["judged"] == 1.0
    assert "n_failed_judged" not in small.metrics
    assert large.metrics["n_failed_judged"] == large.metrics["n_failed"] == 1
    assert result.recommendation.best == small.name
    assert result.statistics[large.name]["loss_bound"] is None
    assert any(large.name in note and "judged could not be had for 1" in note for note in result.notes)


def test_repeats_share_an_identity_and_a_row(dataset: Path) -> None:
    tracker = NullTracker()
    result = run(launch(dataset, tracker, {"strategy": "fixed", "unit": "words", "size": 6}, repeats=3))
    assert [record.repeat for record in result.records] == [0, 1, 2]
    assert len({record.config_id for record in result.records}) == 1
    assert len(result.table) == 1
    assert result.table["repeats"] == (3,)


def test_a_changed_byte_is_another_experiment(dataset: Path) -> None:
    tracker = NullTracker()
    before = launch(dataset, tracker)
    run(before)
    path = dataset / "documents" / "pool.txt"
    path.write_text(path.read_text().replace("all year", "all days"))
    after = launch(dataset, tracker)
    assert set(before.config_ids).isdisjoint(after.config_ids)
    assert len(after.to_run) == 4


def test_a_changed_library_is_another_experiment(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = launch(dataset, NullTracker()).config_ids
    monkeypatch.setattr("experiments.workbench.version", lambda name: "99.0")
    assert set(before).isdisjoint(launch(dataset, NullTracker()).config_ids)


def test_sizes_never_share_chunks(dataset: Path) -> None:
    made = launch(dataset, NullTracker())
    cuts = {
        config.name: tuple(
            (chunk.document_id, chunk.start, chunk.end) for chunk in made.bench.split(config).chunks
        )
        for config in made.grid.configs
    }
    assert len(set(cuts.values())) == 4


def test_truncated_rows_are_marked_and_never_recommended(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evaluation.embedders.hashing import HashingEmbedder

    monkeypatch.setattr("experiments.workbench.open_embedder", lambda spec: HashingEmbedder(limit_tokens=5))
    result = run(launch(dataset, NullTracker(), {"strategy": "fixed", "unit": "words", "size": [4, 40]}))
    small, large = result.records
    assert large.metrics["truncated_token_share"] > 0.05
    assert result.recommendation.name != large.name
    assert result.recommendation.best == small.name
    assert any("past the embedder's limit" in note for note in result.notes)


def test_a_baseline_is_compared_against(dataset: Path) -> None:
    result = run(launch(dataset, NullTracker(), baseline="fixed-words-6"))
    assert result.statistics["fixed-words-6"]["difference_to_baseline"] == 0.0
    others = [name for name in result.statistics if name != "fixed-words-6"]
    assert all(0 < result.statistics[name]["p_baseline_holm"] <= 1 for name in others)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Seventy questions on seventy notes, each note with a question of its own; two of them share a note."""
    folder = tmp_path / "many"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: many\n")
    lines = []
    for number in range(70):
        quote = f"Note {number} says that gate {number * 7 % 70} opens at nine."
        (folder / "documents" / f"n{number:02}.md").write_text(f"{quote} Nobody knows why it does.\n")
        evidence = [{"document": f"n{number:02}.md", "quote": quote}]
        if number == 1:
            evidence.append({"document": "n00.md", "quote": "Note 0 says that gate 0 opens at nine."})
        asked = {"id": f"q{number:02}", "question": f"Which gate is in note {number}?", "evidence": evidence}
        lines.append(json.dumps(asked))
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return folder


def test_a_split_judges_anew_and_measures_nothing_again(many: Path) -> None:
    tracker = NullTracker()
    whole = run(launch(many, tracker))
    prepared = launch(many, tracker, split={"test": 0.5})
    assert prepared.to_run == []
    split = run(prepared)
    assert split.ran == 0
    assert split.records == whole.records
    kept = set(split.judging.test_questions)
    assert len(kept) == 35
    assert {"q00", "q01"} <= kept or not {"q00", "q01"} & kept  # they share a note
    sides = {row["question_id"]: row["side"] for row in split.questions.rows()}
    assert {key for key, side in sides.items() if side == "test"} == kept
    assert {row["question_id"]: row["side"] for row in split.retrieved.rows()} == sides
    assert "35 questions kept for the report" in split.recommendation.sentence
    again = judge("test", Judging.from_json(tracker.described() or ""), tracker.records())
    assert again.recommendation == split.recommendation
    assert again.statistics == split.statistics


def test_a_split_that_leaves_too_few_is_refused_before_any_work(dataset: Path, many: Path) -> None:
    tracker = NullTracker()
    with pytest.raises(BadInput) as refused:
        launch(dataset, tracker, split={"test": 0.5})
    (problem,) = refused.value.problems
    assert problem.where == "split.test"
    assert "a side needs 30: the 4 questions that have evidence form 3 groups" in problem.what
    with pytest.raises(BadInput, match=r"leaves 56 questions to choose on \(dev\) and 14 to report on"):
        launch(many, tracker, split={"test": 0.2})
    with pytest.raises(BadInput) as both:
        launch(many, tracker, split={"test": 0.2}, filter={"year": 1})
    assert len(both.value.problems) == 2
    assert tracker.launches == []


@pytest.mark.parametrize("written", [{"test": 0}, {"test": 1}, {"test": "half"}, {"dev": 0.5}, 0.5])
def test_a_split_is_a_share_between_0_and_1(dataset: Path, written: Any) -> None:
    with pytest.raises(BadInput, match=r"split|test|dev"):
        sweep(dataset, split=written)
    assert sweep(dataset, split=None).split is None


def test_a_plan_says_what_the_questions_can_tell(many: Path) -> None:
    """Sixty-nine groups of questions, or of the half to choose on thirty-five or so; six pairs."""
    plan = make_plan(launch(many, NullTracker()))
    assert plan.detectable == detectable(69)
    assert plan.detectable_among_all == detectable(69, columns=4)
    half = make_plan(launch(many, NullTracker(), split={"test": 0.5}))
    assert half.detectable in (detectable(34), detectable(35))
    file = io.StringIO()
    show_plan(Console(file=file, width=400), plan)
    shown = file.getvalue()
    assert f"differ by {plan.detectable:.3f} in the headline" in shown
    assert f"any two of all 4 by {plan.detectable_among_all:.3f}" in shown
    assert "a standard deviation of 0.3: an assumption" in shown


def test_all_is_checked_before_any_work(dataset: Path) -> None:
    tracker = NullTracker()
    with pytest.raises(BadInput, match="overlap"):
        launch(dataset, tracker, {"strategy": "fixed", "size": 10, "overlap": 10})
    with pytest.raises(BadInput, match="neither a folder nor a bundled data set"):
        launch(dataset / "nowhere", tracker)
    with pytest.raises(BadInput, match=r"embedder\.model"):
        launch(dataset, tracker, embedder="./no-such-model")
    assert tracker.launches == []


def test_a_blank_set_ends_finished_with_reasons(tmp_path: Path) -> None:
    folder = tmp_path / "blank"
    (folder / "documents").mkdir(parents=True)
    (folder / "card.yaml").write_text("name: blank\n")
    (folder / "documents" / "empty.txt").write_text(" \n\n")
    (folder / "questions.jsonl").write_text('{"id": "q", "question": "Anything?", "evidence": []}')
    result = run(launch(folder, NullTracker()))
    assert {record.status for record in result.records} == {"finished"}
    assert all(record.metrics["chunks"] == 0 for record in result.records)
    assert all("search_ms_median" in record.reasons for record in result.records)
    assert result.recommendation.kind == "nothing"


class Ticking:
    """A clock that only work moves."""

    now_s = 0.0

    def work(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.mark.parametrize("sizes", [[6, 12], [12, 6]])
def test_shared_work_is_charged_to_every_configuration_alike(
    dataset: Path, monkeypatch: pytest.MonkeyPatch, sizes: list[int]
) -> None:
    """Tokenising a document takes a second, and reading its headings an hour that belongs to none."""
    from strategies import tools

    clock = Ticking()
    monkeypatch.setattr("evaluation.latency.time.perf_counter", lambda: clock.now_s)
    monkeypatch.setattr(tools, "perf_counter", lambda: clock.now_s)
    ruler, outline = tools.Ruler, tools.outline

    def slow_ruler(*rest: Any) -> Any:
        clock.work(1.0)
        return ruler(*rest)

    def slow_outline(document: Document) -> Any:
        clock.work(3600.0)
        return outline(document)

    monkeypatch.setattr(tools, "Ruler", slow_ruler)
    monkeypatch.setattr(tools, "outline", slow_outline)
    grid = {"strategy": "fixed", "unit": ["cl100k_base", "words"], "size": sizes}
    result = run(launch(dataset, NullTracker(), grid))
    assert {record.name: record.metrics["split_ms"] for record in result.records} == {
        record.name: pytest.approx(3000.0) for record in result.records
    }


def test_repeats_are_cut_anew(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[str] = []
    split = strategies.splitting.split

    def counting(document: Document, *rest: Any) -> Any:
        cuts.append(document.id)
        return split(document, *rest)

    monkeypatch.setattr("experiments.cutter.split", counting)
    run(launch(dataset, NullTracker(), {"strategy": "fixed", "unit": "words", "size": 6}, repeats=3))
    assert cuts.count("park.md") == 3


def test_fewer_repeats_show_fewer(dataset: Path) -> None:
    tracker = NullTracker()
    grid = {"strategy": "fixed", "unit": "words", "size": 6}
    run(launch(dataset, tracker, grid, repeats=2))
    once = run(launch(dataset, tracker, grid))
    assert (once.ran, once.table["repeats"]) == (0, (1,))
    described = tracker.described()
    assert described is not None
    again = judge("test", Judging.from_json(described), tracker.records())
    assert again.table["repeats"] == (1,)


def test_questions_without_evidence_are_named_as_the_fault(dataset: Path) -> None:
    (dataset / "questions.jsonl").write_text('{"id": "q", "question": "Anything?", "evidence": []}')
    result = run(launch(dataset, NullTracker()))
    assert "no question is scored" in result.recommendation.sentence


def test_when_all_fail_the_sentence_says_so(dataset: Path, brittle: type[Brittle]) -> None:
    result = run(launch(dataset, NullTracker(), {"strategy": "brittle", "size": 3}, baseline="brittle-3"))
    assert result.recommendation.sentence == "Nothing to recommend: every configuration failed."
    assert any("baseline brittle-3 has not finished" in note for note in result.notes)


def test_fail_fast_counts_what_ran(dataset: Path, brittle: type[Brittle]) -> None:
    result = run(launch(dataset, NullTracker(), {"strategy": "brittle", "size": [3, 4]}), fail_fast=True)
    assert result.ran == 1


def test_another_headline_of_the_same_budget_measures_nothing_anew(dataset: Path) -> None:
    tracker = NullTracker()
    run(launch(dataset, tracker))
    assert run(launch(dataset, tracker, headline="answerable_at_16_tokens")).ran == 0
    assert run(launch(dataset, tracker, headline="answerable_at_64_tokens")).ran == 4


def test_a_store_that_is_gone_at_the_end_costs_a_note(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object, **__: object) -> None:
        raise TrackingError("the store went away")

    monkeypatch.setattr(NullTracker, "mark", gone)
    monkeypatch.setattr(NullTracker, "close", gone)
    result = run(launch(dataset, NullTracker()))
    assert len(result.records) == 4
    assert sum("the store went away" in note for note in result.notes) == 2


def test_a_budget_that_holds_the_corpus_is_warned_about(dataset: Path) -> None:
    small = run(launch(dataset, NullTracker()))
    assert not any("All documents together hold" in note for note in small.notes)
    large = run(launch(dataset, NullTracker(), headline="context_recall_at_64_tokens"))
    assert any("All documents together hold" in note for note in large.notes)
