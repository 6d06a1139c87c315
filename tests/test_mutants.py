"""The tests notice the faults that must never pass unseen."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _mutants() -> ModuleType:
    path = Path(__file__).with_name("mutants.py")
    spec = importlib.util.spec_from_file_location("mutants", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutants"] = module
    spec.loader.exec_module(module)
    return module


MUTANTS = _mutants()


@pytest.mark.parametrize("mutant", MUTANTS.MUTANTS, ids=lambda mutant: mutant.name)
def test_every_fault_has_one_place(mutant: Any) -> None:
    assert (MUTANTS.ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.right) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS.MUTANTS, ids=lambda mutant: mutant.name)
def test_every_fault_is_caught(mutant: object) -> None:
    assert MUTANTS.verdict(mutant) == "caught"


@pytest.mark.slow
def test_the_same_tests_pass_without_a_fault() -> None:
    assert MUTANTS.control() == "passed"
