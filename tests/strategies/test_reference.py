"""The page about strategies says what the code does."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import pytest

from strategies import STRATEGIES, THIRD_PARTY
from strategies.modifiers.headings import HEADINGS
from strategies.reference import parameter_table, updated
from strategies.strategy import Strategy
from strategies.units.counting import EMBEDDER_UNITS
from strategies.units.encodings import ENCODINGS

PAGE = Path(__file__).parents[2] / "docs" / "strategies.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_reference_is_up_to_date() -> None:
    assert updated(TEXT) == TEXT, "run: python -m strategies.reference docs/strategies.md"
    for name in STRATEGIES:
        assert f"\n## `{name}`\n" in TEXT


@pytest.mark.parametrize("cls", [*STRATEGIES.values(), *THIRD_PARTY.values()], ids=lambda cls: cls.name)
def test_every_strategy_says_when_to_use_it_and_what_it_costs(cls: type[Strategy]) -> None:
    said = inspect.getdoc(cls) or ""
    assert "Use it" in said
    assert re.search(r"\b[Cc]osts?\s", said)


def test_the_examples_run() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried >= 5
    assert failed == 0


def test_every_unit_and_modifier_is_on_the_page() -> None:
    for word in ("characters", "words", *ENCODINGS, *EMBEDDER_UNITS, *HEADINGS):
        assert re.search(rf"^\| .*`{re.escape(word)}`.* \|", TEXT, re.MULTILINE), word


def test_a_parameter_table() -> None:
    size, overlap = parameter_table(STRATEGIES["fixed"]).splitlines()[2:4]
    assert size == "| `size` | whole number | required | largest chunk, in units |"
    assert overlap.startswith(
        "| `overlap` | whole number or text | `0` | units repeated from the chunk before"
    )
