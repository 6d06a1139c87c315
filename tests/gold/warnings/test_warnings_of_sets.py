"""What is said of whole sets: Chroma's, whose traps are known, and the bundled one.

Chroma's set is not part of this repository: its folder is $CHUNKSWEEP_CHROMA, else `../shared/gold/chroma`,
an optional data folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from evaluation.gold.check import GoldReport, check
from evaluation.gold.check_lines import lines

FOLDER = Path(
    os.environ.get("CHUNKSWEEP_CHROMA") or Path(__file__).parents[3].parent / "shared" / "gold" / "chroma"
)
needs_chroma = pytest.mark.skipif(
    not (FOLDER / "questions.jsonl").is_file(), reason="the Chroma set is not here: set CHUNKSWEEP_CHROMA"
)


def rows(name: str) -> list[dict]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> GoldReport:
    """The report on Chroma's set in the form of a gold set."""
    folder = tmp_path_factory.mktemp("chroma")
    (folder / "documents").symlink_to(FOLDER / "documents")
    (folder / "card.yaml").write_text("name: chroma\n")
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for row in rows("questions.jsonl"):
            evidence = [
                {"document": row["document"], "start": one["start"], "end": one["end"]}
                for one in row["evidence"]
            ]
            file.write(
                json.dumps({"id": row["id"], "question": row["question"], "evidence": evidence}) + "\n"
            )
    return check(folder)


@needs_chroma
def test_the_known_traps_of_chroma_are_found(chroma: GoldReport) -> None:
    found = {warning.rule: warning for warning in chroma.warnings}
    assert found["elsewhere"].figures == {"spans": 97, "exact": 97, "questions": 68}
    assert found["trimmed"].figures == {"spans": 217}
    assert "217 spans begin or end with white space; they were trimmed" in found["trimmed"].what
    assert set(found) == {"elsewhere", "cut_words", "copied_words", "trimmed"}


@needs_chroma
def test_the_copies_in_chroma_stand_where_they_should(chroma: GoldReport) -> None:
    (elsewhere,) = (warning for warning in chroma.warnings if warning.rule == "elsewhere")
    asked = {row["id"]: row for row in rows("questions.jsonl")}
    wanted = {}
    for row in rows("evidence_duplicates.jsonl"):
        question = asked[row["id"]]
        text = question["evidence"][row["evidence_index"]]["text"]
        before = len(text) - len(text.lstrip())  # which was trimmed
        places = [
            {"document": question["document"], "start": start + before} for start in row["other_starts"]
        ]
        wanted[row["id"], row["evidence_index"]] = places
    assert {(case["question"], case["evidence"]): case["first"] for case in elsewhere.cases} == wanted
    assert all(case["exact"] == case["places"] == len(case["first"]) for case in elsewhere.cases)


@needs_chroma
def test_no_question_of_chroma_is_taken_for_one_without_a_subject(chroma: GoldReport) -> None:
    assert len(chroma.overlaps) == 472
    assert "median 50%" in "\n".join(lines(chroma))


def test_the_bundled_set_has_little_to_look_at() -> None:
    report = check("handbook")
    assert report.ok
    unwanted = {"elsewhere", "no_subject", "cut_words", "short_evidence", "half_document", "asked_twice"}
    assert not unwanted & {warning.rule for warning in report.warnings}
