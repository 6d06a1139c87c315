"""Progress says what is true and what can be known, where someone looks, and nothing anywhere else."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from rich.console import Console

from experiments.progress import (
    LEADING_ROWS,
    LineProgress,
    Progress,
    SilentProgress,
    SweepProgress,
    TimeLeft,
    outcome,
    progress_for,
)
from experiments.records import Row, RunRecord
from experiments.tables import Table, wide

HEADLINE = "context_recall_at_1024_tokens"


def record(name: str, headline: float) -> RunRecord:
    return RunRecord(f"{name}-1", name, "finished", metrics={HEADLINE: headline})


FAILED = RunRecord("broken-1", "broken", "failed", error="no text\nat all")


class Clock:
    """Seconds that pass only when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def console(terminal: bool, width: int = 80) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=width, force_terminal=terminal, color_system=None), file


def sweep(progress: Progress, *records: RunRecord) -> None:
    with progress:
        for index, held in enumerate(records):
            progress.configuration_started(held.name, index, len(records))
            for name in ("splitting", "embedding"):
                progress.phase(name)
            progress.embedded(50, 100)
            progress.embedded(100, 100)
            progress.configuration_finished(held)


def test_quiet_says_nothing() -> None:
    target, file = console(terminal=True)
    progress = progress_for(target, HEADLINE, quiet=True)
    assert isinstance(progress, SilentProgress)
    sweep(progress, record("a", 0.5), FAILED)
    assert file.getvalue() == ""


def test_a_pipe_gets_one_line_a_configuration_however_long() -> None:
    target, file = console(terminal=False, width=20)
    progress = progress_for(target, HEADLINE)
    assert isinstance(progress, LineProgress)
    sweep(progress, record("fixed-[red]-cl100k_base-192", 0.51234), FAILED)
    assert file.getvalue().splitlines() == [
        "[1/2] fixed-[red]-cl100k_base-192: context_recall_at_1024_tokens 0.512",
        "[2/2] broken: failed: no text at all",
    ]


def test_a_terminal_sees_what_runs_how_far_and_who_leads() -> None:
    target, file = console(terminal=True)
    clock = Clock()
    progress = SweepProgress(target, HEADLINE, clock=clock)
    assert isinstance(progress_for(target, HEADLINE), SweepProgress)

    def seen() -> str:
        with target.capture() as capture:
            target.print(progress.display())
        return capture.get()

    progress.configuration_started("fixed-96", 0, 3)
    progress.phase("splitting")
    assert "1/3" in seen()
    assert "splitting: fixed-96" in seen()
    assert "left" not in seen()
    progress.phase("embedding")
    clock.now = 10.0
    progress.embedded(50, 100)
    assert "about 50 s left" in seen()
    progress.configuration_finished(record("fixed-96", 0.25))
    progress.configuration_started("broken", 1, 3)
    progress.configuration_finished(FAILED)
    progress.configuration_started("fixed-192", 2, 3)
    progress.configuration_finished(record("fixed-192", 0.75))
    text = seen()
    assert "3/3, 1 failed" in text
    assert text.index("0.750") < text.index("0.250")
    assert file.getvalue() == ""


def test_only_the_leaders_are_kept_on_the_screen() -> None:
    target, _ = console(terminal=True)
    progress = SweepProgress(target, HEADLINE)
    for index in range(20):
        progress.configuration_started(f"c{index}", index, 20)
        progress.configuration_finished(record(f"c{index}", index / 100))
    with target.capture() as capture:
        target.print(progress.display())
    assert [f"0.{number}0" in capture.get() for number in (19, 15, 14)] == [True, True, False]


def full(name: str, headline: float, repeat: int = 0, **metrics: float) -> RunRecord:
    """A record with chunks and questions, as a run leaves it."""
    questions = tuple({"question_id": str(number), "unit": number, HEADLINE: 1.0} for number in range(40))
    chunks = tuple({"document": "a.md", "index": number, "start": number} for number in range(200))
    metrics = {HEADLINE: headline, **metrics}
    return RunRecord(
        f"{name}-1", name, "finished", repeat, metrics=metrics, questions=questions, chunks=chunks
    )


def test_the_display_makes_no_table_and_holds_no_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    target, _ = console(terminal=True)
    progress = SweepProgress(target, HEADLINE)
    made = list[int]()
    rows = list[Row]()

    def counting(records: Iterable[RunRecord]) -> Table:
        records = list(records)
        made.append(len(records))
        rows.extend(row for held in records for row in (*held.chunks, *held.questions))
        return wide(records)

    monkeypatch.setattr("experiments.progress.wide", counting)
    for index in range(3):
        progress.configuration_started(f"c{index}", index, 3)
        progress.configuration_finished(full(f"c{index}", index / 10))
    once = list(made)
    with target.capture() as capture:
        for _ in range(5):
            target.print(progress.display())
    assert capture.get().count("0.200") == 5
    assert made == once
    assert rows == []


def test_repeats_and_failed_judges_do_not_push_others_off_the_screen() -> None:
    target, _ = console(terminal=True)
    progress = SweepProgress(target, HEADLINE)
    held = [full(f"judged-{number}", 0.9, n_failed_judge=1) for number in range(LEADING_ROWS)]
    held += [full("repeated", 0.8, repeat) for repeat in range(LEADING_ROWS)]
    held += [full("other", 0.5)]
    for index, one in enumerate(held):
        progress.configuration_started(one.name, index, len(held))
        progress.configuration_finished(one)
    with target.capture() as capture:
        target.print(progress.display())
    text = capture.get()
    assert text.index(" repeated") < text.index(" other") < text.index("judged-")
    assert text.count("judged-") == LEADING_ROWS - 2


def test_the_display_goes_and_an_error_stays() -> None:
    target, file = console(terminal=True)

    def stopped() -> None:
        with SweepProgress(target, HEADLINE) as progress:
            progress.configuration_started("a", 0, 1)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    # The cursor was hidden, and is back.
    text = file.getvalue()
    assert text.index("\x1b[?25l") < text.index("\x1b[?25h")


def spend(left: TimeLeft, clock: Clock, index: int, total: int, *, tokens: int, embed_s: float) -> None:
    """One configuration: 1 s of splitting, `embed_s` of embedding in five steps, 1 s of scoring."""
    left.started(index, total)
    clock.now += 1
    left.embedding()
    for step in range(1, 6 if tokens else 1):
        clock.now += embed_s / 5
        left.embedded(step * tokens // 5, tokens)
    clock.now += 1
    left.finished()


def test_time_left_is_unknown_until_something_is_known() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    assert (left.seconds(), left.share()) == (None, 0.0)
    left.started(0, 2)
    clock.now = 5.0
    left.embedding()
    left.embedded(0, 100)
    assert (left.seconds(), left.share()) == (None, 0.0)


def test_equal_configurations_are_foreseen_to_the_second() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    for index in range(12):
        spend(left, clock, index, 12, tokens=1000, embed_s=10)
        assert left.share() == pytest.approx((index + 1) / 12)
        assert left.seconds() == pytest.approx(12 * (11 - index))


def test_the_time_left_falls_as_time_passes_within_a_configuration() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    spend(left, clock, 0, 3, tokens=1000, embed_s=10)
    left.started(1, 3)
    told = []
    for _ in range(5):
        clock.now += 2
        told.append(left.seconds())
    assert told == pytest.approx([22, 20, 18, 16, 14])
    left.embedding()
    clock.now += 1
    left.embedded(250, 1000)  # three seconds more, where the configuration before had but one left
    assert left.seconds() == pytest.approx(3 + (12 + 11 + 3) / 2)
    assert left.share() == pytest.approx((1 + 0.25) / 3)
    clock.now += 2
    assert left.seconds() == pytest.approx(1 + (12 + 11 + 3) / 2)


def test_the_first_configuration_is_enough_for_an_estimate() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.started(0, 4)
    clock.now = 3.0
    left.embedding()
    clock.now = 13.0
    left.embedded(200, 1000)  # 20 tokens a second: 40 s more, so 53 s for each
    assert left.share() == pytest.approx(0.2 / 4)
    assert left.seconds() == pytest.approx(40 + 3 * 53)


def test_one_configuration_of_many_is_never_all() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    shares = []
    for index, tokens in enumerate([100, 0, 4000, 7]):  # none: all vectors were cached
        spend(left, clock, index, 4, tokens=tokens, embed_s=tokens / 100)
        shares.append(left.share())
    assert shares == [0.25, 0.5, 0.75, 1.0]
    assert left.seconds() == 0.0
    clock.now += 5
    assert left.seconds() == 0.0


def test_a_sweep_of_cached_vectors_goes_by_configurations() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.started(0, 4)
    clock.now = 2.0
    left.finished()
    assert (left.share(), left.seconds()) == (0.25, 6.0)


def test_the_first_one_that_no_cache_provides_for_raises_the_estimate() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    for index in range(3):
        spend(left, clock, index, 5, tokens=0, embed_s=0)
    assert left.seconds() == pytest.approx(2 * 2)
    left.started(3, 5)
    clock.now += 1
    left.embedding()
    clock.now += 10
    left.embedded(100, 1000)  # 90 s more
    assert left.seconds() == pytest.approx(90 + (3 * 2 + 1 + 10 + 90) / 4)


def test_asking_changes_nothing() -> None:
    clock = Clock()
    left = TimeLeft(clock)
    left.started(0, 2)
    left.embedding()
    clock.now = 4.0
    left.embedded(50, 50)
    assert [left.seconds() for _ in range(3)] == [4.0, 4.0, 4.0]


def test_a_record_without_headline_says_why() -> None:
    held = RunRecord("a-1", "a", "finished", reasons={HEADLINE: "no question has gold"})
    assert outcome(held, HEADLINE) == f"finished, no {HEADLINE}: no question has gold"
    assert outcome(RunRecord("a-1", "a", "killed"), HEADLINE) == "killed"
