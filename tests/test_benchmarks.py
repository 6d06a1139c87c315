"""The benchmarks run, and their page holds what they print: the figures are for an idle machine to say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from strategies import STRATEGIES

ROOT = Path(__file__).parents[1]
CEILING = "tiktoken encode_ordinary"
TIMED = {name for name, cls in STRATEGIES.items() if not cls.needs}


def printed(*options: str) -> str:
    """What a quick run of our own strategies prints."""
    command = [sys.executable, str(ROOT / "benchmarks" / "splitting.py")]
    quick = ["--characters", "3000", "--repeats", "1", "--no-libraries"]
    return subprocess.run([*command, *quick, *options], capture_output=True, text=True, check=True).stdout


def on_the_page(command: str) -> str:
    """The part of docs/benchmarks.md that a command printed."""
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    found = re.findall(rf"(?s)<!-- begin: python benchmarks/{command}[^\n]* -->\n(.*?)<!-- end -->", page)
    assert len(found) == 1
    return str(found[0])


def form(text: str) -> list[str]:
    """Its lines without figures, which differ from run to run."""
    return re.sub(r"\d+\.\d+( \(missed\))?", "0", text).strip().splitlines()


def test_every_strategy_that_asks_for_nothing_is_timed() -> None:
    (text,) = json.loads(printed("--json"))["texts"]
    assert {row["name"] for row in text["rows"]} == TIMED | {CEILING}
    assert all(row["mb_a_second"] > 0 for row in text["rows"])
    asked = {bar["what"] for bar in text["bars"]}
    assert {"fixed: nine splits / one sweep of nine", "markdown: twice the text / the text"} <= asked


def test_several_texts_stand_side_by_side_in_the_form_of_the_page(tmp_path: Path) -> None:
    corpora = tmp_path / "documents"
    corpora.mkdir()
    for name in ("one.txt", "two.txt"):
        (corpora / name).write_text("The gate opens at six.\n\nDogs stay outside.\n" * 40)
    ours, page = form(printed("--markdown", "--chroma", str(tmp_path))), form(on_the_page("splitting.py"))
    # The lines of libraries stand between ours, which are sorted by speed.
    assert sorted(set(ours[:-1]) - set(page)) == []
    assert [line for line in page if line.startswith(("| cut by", "| ratio", "| ---"))] == [
        line for line in ours if line.startswith(("| cut by", "| ratio", "| ---"))
    ]
    assert page[-1].startswith("Texts: handbook and Python 0 MB, Chroma's corpora 0 MB. Left out: semantic (")


@pytest.mark.parametrize(
    "line", [line for line in on_the_page("splitting.py").splitlines() if " least " in line]
)
def test_what_misses_its_goal_is_marked(line: str) -> None:
    _, _, *figures, goal, _ = (cell.strip() for cell in line.split("|"))
    least = float(goal.removeprefix("at least "))
    for figure in figures:
        ratio, _, mark = figure.partition(" ")
        # A figure that is rounded to its goal may be on either side of it.
        assert mark == ("(missed)" if float(ratio) < least else "") or float(ratio) == least


def test_published_values_stand_beside_ours() -> None:
    lines = on_the_page("chroma_omega.py").splitlines()
    heads = [line for line in lines if line.startswith("| strategy")]
    assert (
        heads
        == ["| strategy | size | overlap | chunks | mean size | precision omega, % | published, % |"] * 2
    )
    named = {line.split("|")[1].strip() for line in lines if line.startswith("|")} - {"strategy", "---"}
    assert named == {"cluster", "recursive", "sentence", "fixed", "langchain:RecursiveCharacterTextSplitter"}
