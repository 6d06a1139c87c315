"""The set that docs/gold-sets.md builds is a good one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluation.gold import load
from evaluation.gold.card import CARD_KEYS, COUNTS
from evaluation.gold.check import check
from evaluation.gold.question_form import ENTRY_KEYS, QUESTION_KEYS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "gold-sets.md"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    blocks = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for path, content in blocks:
        file = tmp_path / "house" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
    return tmp_path / "house"


def test_the_examples_load_and_point_where_they_should(house: Path) -> None:
    gold = load(house)
    text = {document.id: document.text for document in gold.documents}
    evidence = {
        q.id: [[text[p.document][p.start : p.end] for p in e.passages] for e in q.evidence]
        for q in gold.questions
    }
    bins = "Put the bins out the evening before."
    assert evidence["bikes"] == [[text["rules.md"][text["rules.md"].index("Bicycles") :].strip()]]
    assert evidence["bins"] == [[bins, bins.replace("the e", "the\ne")]]
    assert evidence["day"] == [["collected on Thursday"]]
    assert evidence["author"] == [["The caretaker"]]
    assert evidence["pets"] == []


def test_the_set_passes_its_check(house: Path) -> None:
    assert check(house).ok


def test_the_page_names_every_key() -> None:
    page = PAGE.read_text("utf-8")
    for key in {*CARD_KEYS, *COUNTS, *QUESTION_KEYS, *ENTRY_KEYS}:
        assert f"`{key}`" in page or f'"{key}"' in page, key
