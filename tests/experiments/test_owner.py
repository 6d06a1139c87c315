"""Whether the process behind a run is gone: told only where it is known."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

import psutil
import pytest

from experiments.owner import Owner

MYSELF = Owner.myself()


@pytest.fixture
def zombie() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has ended and was not waited for yet."""
    child = subprocess.Popen([sys.executable, "-S", "-c", ""])
    deadline = time.monotonic() + 30
    while psutil.Process(child.pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield child
    child.wait()


def test_this_process_is_alive() -> None:
    assert os.getpid() == MYSELF.pid
    assert not MYSELF.is_dead()
    assert not Owner.myself().is_dead()


def test_a_process_that_has_gone_is_dead(zombie: subprocess.Popen[bytes]) -> None:
    owner = replace(MYSELF, pid=zombie.pid, started_at=psutil.Process(zombie.pid).create_time())
    zombie.wait()
    assert not psutil.pid_exists(zombie.pid)
    assert owner.is_dead()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no zombies")
def test_a_zombie_is_dead(zombie: subprocess.Popen[bytes]) -> None:
    owner = replace(MYSELF, pid=zombie.pid, started_at=psutil.Process(zombie.pid).create_time())
    assert psutil.pid_exists(zombie.pid)
    assert owner.is_dead()


@pytest.mark.parametrize("seconds", [-60.0, 60.0])
def test_a_number_that_was_used_again_belongs_to_a_dead_process(seconds: float) -> None:
    assert replace(MYSELF, started_at=MYSELF.started_at + seconds).is_dead()


@pytest.mark.parametrize("seconds", [-1.0, 1.0])
def test_a_clock_that_was_set_kills_nobody(seconds: float) -> None:
    assert not replace(MYSELF, started_at=MYSELF.started_at + seconds).is_dead()


def test_of_another_host_nothing_is_known() -> None:
    assert not replace(MYSELF, host="elsewhere", started_at=0.0).is_dead()
    assert not replace(MYSELF, host="elsewhere", pid=2**22 + 1).is_dead()


def test_a_process_that_may_not_be_looked_at_counts_as_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(pid: int) -> None:
        raise psutil.AccessDenied(pid)

    monkeypatch.setattr(psutil, "Process", denied)
    assert not replace(MYSELF, started_at=0.0).is_dead()


def test_an_owner_reads_back() -> None:
    assert Owner.from_json(MYSELF.to_json()) == MYSELF


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", '{"host": "a", "pid": "x", "started_at": 1}', '{"host": "a", "pid": 1}'],
)
def test_what_is_no_owner_is_none(text: str) -> None:
    assert Owner.from_json(text) is None
