from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from evaluation.statistics import detectable, simultaneous
from evaluation.statistics.bootstrap import _expanded_tail
from evaluation.statistics.max_t import unseen_loss

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_the_worked_example_gives_what_the_page_says() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted > 10
    assert outcome.failed == 0


def test_the_table_of_what_a_set_can_find() -> None:
    header, _, row = re.findall(r"^\|.*\|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[:3]
    sizes = [int(cell.replace(",", "")) for cell in header.split("|")[2:-1]]
    assert [float(cell) for cell in row.split("|")[2:-1]] == [round(detectable(size), 3) for size in sizes]


def test_the_figures_in_the_text() -> None:
    assert round(_expanded_tail(0.95, 20), 3) == 0.016
    assert [round(unseen_loss(units, 2), 3) for units in (20, 80, 149)] == [0.139, 0.037, 0.02]
    assert round(1 / 0.9**20) == 8
    noise = np.random.default_rng(1).normal(size=(1000, 40))
    for columns, critical in ((2, 2.0), (10, 3.15), (40, 3.85)):
        result = simultaneous(noise[:, :columns], range(1000), permutations=2000, seed=1)
        assert result.critical == pytest.approx(critical, abs=0.1)
