"""Libraries report nothing unless the user wants it, and one place sees to that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from strategies.telemetry import OFF, telemetry_off

ROOT = Path(__file__).resolve().parents[2]


def test_what_is_not_set_is_set_and_what_is_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, *others = OFF
    monkeypatch.setenv(wanted, "as I like it")
    for name in others:
        monkeypatch.delenv(name, raising=False)
    telemetry_off()
    assert os.environ[wanted] == "as I like it"
    assert {name: os.environ[name] for name in others} == {name: OFF[name] for name in others}


def test_no_other_module_sets_any_of_it() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ("strategies", "evaluation", "experiments")
        for path in (ROOT / folder).rglob("*.py")
        if any(name in path.read_text("utf-8") for name in OFF)
    ]
    assert found == ["strategies/telemetry.py"]
