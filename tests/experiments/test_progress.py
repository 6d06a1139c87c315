"""Progress says what is true and what can be known, where someone looks, and nothing anywhere else."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from experiments.progress import (
    LineProgress,
    Progress,
    SilentProgress,
    SweepProgress,
    TimeLeft,
    outcome,
    progress_for,
)
from experiments.records import RunRecord

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
    progress = SweepProgress(target, HEADLINE, tokens_to_embed=300, clock=clock)
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
    progress.embedded(100, 100)
    assert "about 20 s left" in seen()
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


def test_time_left_is_unknown_until_something_is_known() -> None:
    clock = Clock()
    left = TimeLeft(1000, clock)
    assert left.seconds() is None
    assert left.share() == 0.0
    left.started(0, 2)
    clock.now = 5.0
    assert left.seconds() is None


def test_time_left_is_tokens_at_the_speed_so_far_and_the_other_work() -> None:
    clock = Clock()
    left = TimeLeft(1000, clock)
    left.started(0, 4)
    clock.now = 3.0  # splitting
    left.embedding(True)
    clock.now = 13.0
    left.embedded(200, 200)  # 20 tokens a second
    assert left.seconds() == pytest.approx(800 / 20)
    assert left.share() == 0.2
    left.embedding(False)
    clock.now = 14.0  # searching
    left.finished()
    # 4 s of other work in the one configuration so far, three to go.
    assert left.seconds() == pytest.approx(800 / 20 + 3 * 4)


def test_a_sweep_of_cached_vectors_goes_by_configurations() -> None:
    clock = Clock()
    left = TimeLeft(0, clock)
    left.started(0, 4)
    clock.now = 2.0
    left.finished()
    assert (left.share(), left.seconds()) == (0.25, 6.0)


def test_a_plan_that_counted_too_few_tokens_never_shows_more_than_all() -> None:
    left = TimeLeft(10, Clock())
    left.started(0, 2)
    left.embedded(50, 100)
    assert left.share() == 0.5
    left.embedded(100, 100)
    left.finished()
    left.started(1, 2)
    left.embedded(50, 100)
    assert left.share() == 0.75


def test_asking_changes_nothing() -> None:
    clock = Clock()
    left = TimeLeft(100, clock)
    left.started(0, 2)
    left.embedding(True)
    clock.now = 4.0
    left.embedded(50, 50)
    assert [left.seconds() for _ in range(3)] == [4.0, 4.0, 4.0]


def test_a_record_without_headline_says_why() -> None:
    held = RunRecord("a-1", "a", "finished", reasons={HEADLINE: "no question has gold"})
    assert outcome(held, HEADLINE) == f"finished, no {HEADLINE}: no question has gold"
    assert outcome(RunRecord("a-1", "a", "killed"), HEADLINE) == "killed"
