"""The page's example is what the command does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evaluation.gold.making.candidates import REASONS
from experiments.cli.app import run

from .question_server import model, question_server, step

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "made-questions.md").read_text("utf-8")
PROSE = " ".join(PAGE.split())
"""Without its line ends, which may stand anywhere."""


def fenced(head: str) -> str:
    (text,) = re.findall(rf"^```{head}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return text


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The set of the page on gold sets, where one stands."""
    page = (DOCS / "gold-sets.md").read_text("utf-8")
    for path, content in re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        file = tmp_path / "house" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("CHUNKSWEEP_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "house"


def test_the_page_shows_the_estimate(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(
        r"^```\n\$ chunksweep (gold generate .*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    command, printed = block
    assert run(command.split()) == 0
    assert capsys.readouterr().out == printed


def test_the_reply_of_the_page_becomes_its_line(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reply = json.loads(fenced("json reply"))

    def question(prompt: str) -> object:
        return reply if "passage 1, from rules.md > House rules" in prompt else {"question": None}

    answers = model(question=question, answer=lambda prompt: {"answer": reply["answer"]})
    with question_server(answers) as server:
        words = ["--base-url", server.url, "--model", "m", "--questions", "1", "--yes"]
        assert run(["gold", "generate", "house", *words]) == 0
        assert [step(prompt) for prompt in server.prompts][-2:] == ["question", "answer"]
    assert (house / "questions.jsonl").read_text("utf-8").splitlines()[-1] + "\n" == fenced("json line")


def test_every_reason_is_on_the_page() -> None:
    assert [name for name, words in REASONS.items() if f"| `{name}` | {words} |" not in PAGE] == []


def test_the_sizes_of_the_page_are_those_of_the_code() -> None:
    from evaluation.gold import copies_that_count
    from evaluation.gold.making import prompts, sampling, span_exact, synthesizing, wording

    assert (sampling.LEAST_TOKENS, sampling.MOST_TOKENS) == (300, 600)
    assert "of some 300 to 600 tokens" in PROSE
    assert (wording.LEAKING, wording.COPIED_WORDS) == (4 / 5, 6)
    assert "more than four fifths of its words of four letters and more" in PROSE
    assert (prompts.MOST_QUESTION, prompts.MOST_ANSWER, prompts.MOST_ALONE) == (300, 600, 1200)
    assert "300 characters and tokens, an answer 600, one from the evidence alone 1,200" in PROSE
    assert (prompts.MOST_BEFORE, prompts.MOST_BEFORE_TOKENS) == (10, 400)
    assert "the last ten are shown, in 400 tokens" in PROSE
    assert copies_that_count.MOST_PLACES == 10
    assert "Evidence whose words stand in more than ten places" in PROSE
    assert span_exact.MOST_SAMPLES == 3
    assert "up to three for each question that is wanted" in PROSE
    assert synthesizing._MULTI == 4
    assert "Three of four questions are of its single-hop" in PROSE
