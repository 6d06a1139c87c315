"""Evidence in its surroundings, as data, on a pipe and on a terminal."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.showing import Surroundings, chosen
from experiments.cli.app import run
from experiments.evidence_view import clean, view
from strategies.document import Document, Mark
from tests.gold.conftest import MakeSet

RULES = "# House\r\n\r\nKeep quiet at night.\r\n\r\n## Bins\r\n\r\nPut the bins out on Monday, not before."


@pytest.fixture
def house(make_set: MakeSet) -> Path:
    return make_set(
        {"rules.md": RULES, "note.txt": "Bins go out on Monday.\x1b[2J\tThanks"},
        [
            {
                "id": "bins",
                "question": "When do the bins go out?",
                "evidence": [
                    {
                        "document": "rules.md",
                        "quote": "bins out on Monday",
                        "alternatives": [{"document": "note.txt", "quote": "Bins go out on Monday."}],
                    }
                ],
                "tags": ["single"],
                "answer": "On Monday",
            },
            {"id": "pets", "question": "May I keep a dog?", "evidence": []},
        ],
    )


def test_a_passage_is_told_by_line_section_page_and_what_is_around_it() -> None:
    start = RULES.index("bins out")
    document = Document("rules.md", RULES, media_type="text/markdown", marks=(Mark("page", 9, "4"),))
    found = Surroundings({"rules.md": document}, context=8).of(Passage("rules.md", start, start + 18))
    assert (found.line, found.page, found.section) == (7, "4", ("House", "Bins"))
    assert (found.before, found.text, found.after) == ("Put the ", "bins out on Monday", ", not ")


@given(st.text(alphabet="ab \r\n", min_size=1, max_size=40), st.data())
def test_lines_and_surroundings_are_those_of_the_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = Surroundings({"d": Document("d", text)}, data.draw(st.integers(0, 9))).of(
        Passage("d", start, end)
    )
    assert text[start - len(found.before) : end + len(found.after)] == found.before + found.text + found.after
    # A line feed belongs to the line that a carriage return before it ends.
    inside = text[start - 1 : start + 1] == "\r\n"
    assert found.line == len((text[:start] + "x").splitlines()) - inside


def test_the_command_marks_evidence_on_a_pipe(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gold", "show", "bins", "pets", "--dataset", str(house)]) == 0
    out = capsys.readouterr().out
    assert "bins  When do the bins go out?" in out
    assert "tags: single" in out
    assert "answer: On Monday" in out
    assert "evidence 1 of 1: rules.md, line 7, House > Bins, [54, 72)" in out
    assert "    Put the >>>bins out on Monday<<<, not before.\n" in out
    assert "  or note.txt, line 1, [0, 22)\n    >>>Bins go out on Monday.<<<\\x1b[2J    Thanks\n" in out
    assert "\x1b" not in out
    assert "\r" not in out
    assert "no evidence: the question is not scored" in out


def test_a_terminal_underlines_evidence_and_no_text_moves_its_cursor() -> None:
    note = "Tom\x1b[2J says [bold]hi[/bold] \x9b\u202eabc"
    gold = {"n": Document("n", note)}
    question = Question("q\x07", "Who\x1b]0;x\x07?", (Evidence((Passage("n", 0, 7),)),))
    file = io.StringIO()
    view(Console(file=file, force_terminal=True, width=60, highlight=False), question, Surroundings(gold))
    out = file.getvalue()
    assert "\x1b[1;4mTom\\x1b[2J\x1b[0m says [bold]hi[/bold] \\x9b\\u202eabc" in out
    assert not any(sign in out for sign in "\x07\x9b\u202e")
    assert ">>>" not in out


def test_json_holds_the_same(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gold", "show", "--all", "--dataset", str(house), "--context", "4", "--json"]) == 0
    bins, pets = json.loads(capsys.readouterr().out)
    (entry,) = bins["evidence"]
    assert (entry["document"], entry["line"], entry["section"]) == ("rules.md", 7, ["House", "Bins"])
    assert (entry["start"], entry["end"], entry["text"]) == (54, 72, "bins out on Monday")
    assert entry["alternatives"][0]["document"] == "note.txt"
    assert pets["evidence"] == []


def test_an_unknown_id_names_the_nearest(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gold", "show", "bims", "--dataset", str(house)]) == 2
    assert "there is no question 'bims'. Did you mean bins?" in capsys.readouterr().err
    many = GoldSet("big", (), tuple(Question(f"q{n}", "?", ()) for n in range(500)), "")
    found, (problem,) = chosen(many, ["zebra"])
    assert (found, problem.remedy) == ([], "It has 500, none of a similar id")
    assert run(["gold", "show", "--dataset", str(house)]) == 2
    assert run(["gold", "show", "bins", "--all", "--dataset", str(house)]) == 2


def test_questions_beside_an_unknown_id_are_shown(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gold", "show", "pets", "nosuch", "bins", "--dataset", str(house)]) == 2
    said = capsys.readouterr()
    assert said.out.index("pets  May I keep a dog?") < said.out.index("bins  When do the bins")
    assert "there is no question 'nosuch'" in said.err
    assert run(["gold", "show", "nosuch", "pets", "--dataset", str(house), "--json"]) == 2
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == ["pets"]


def test_what_does_not_resolve_is_told(make_set: MakeSet, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"id": "a", "question": "Who?", "evidence": ["Put the bins out on Munday"]},
        {"id": "b", "question": "When?", "evidence": ["on Monday, not"]},
    ]
    folder = make_set({"rules.md": RULES}, lines)
    assert run(["gold", "show", "a", "--dataset", str(folder)]) == 2
    assert 'reads "Put the bins out on Monday", 0.96 alike' in capsys.readouterr().err
    assert run(["gold", "show", "b", "--dataset", str(folder)]) == 0
    assert "The set has a problem elsewhere" in capsys.readouterr().err


@given(st.text(max_size=30))
def test_clean_text_has_only_line_feeds_and_what_prints(text: str) -> None:
    assert all(sign == "\n" or sign.isprintable() or sign.isspace() for sign in clean(text))
    assert not any(sign in clean(text) for sign in "\x1b\x9b\r\t\b\u202e")


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "gold-sets.md").read_text("utf-8")
    for path, content in re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        file = tmp_path / "house" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"^    \$ chunksweep (gold show .*)$", page, re.MULTILINE)
    assert run(command.split()) == 0
    printed = capsys.readouterr().out.splitlines()
    assert f"    $ chunksweep {command}\n" + "\n".join(f"    {line}".rstrip() for line in printed) in page
