"""Text for a terminal carries no spaces that nobody sees."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from experiments.cli.app import run
from experiments.paragraph import Paragraph, fold, say, shown
from strategies.errors import Problem, nearest, refuse


@pytest.mark.parametrize(
    ("text", "indent", "width", "expected"),
    [
        ("a text of some words", 2, 14, ["  a text of", "  some words"]),
        ("a text of some words", 0, 12, ["a text of", "some words"]),
        ("\none\ntwo", 2, 80, ["", "  one", "  two"]),
        ("\none\n\ntwo", 0, 80, ["", "one", "", "two"]),
        ("trailing   ", 4, 80, ["    trailing"]),
        ("[b]unbroken[/b]", 2, 8, ["  [b]unb", "  roken[", "  /b]"]),
    ],
)
def test_every_line_ends_where_its_text_does(text: str, indent: int, width: int, expected: list[str]) -> None:
    file = io.StringIO()
    Console(file=file, width=width).print(Paragraph(Text(text), indent))
    assert file.getvalue().splitlines() == expected


@pytest.mark.parametrize("what", ["strategies", "metrics", "datasets", "sweeps"])
def test_lists_carry_no_spaces_at_line_ends(
    what: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["list", what]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("    ") for line in lines)
    assert [line for line in lines if line != line.rstrip() or len(line) > 60] == []


class Terminal(io.StringIO):
    """A file that people look at."""

    def isatty(self) -> bool:
        return True


LONG = "  questions.jsonl: the words of evidence[0] also stand elsewhere. Add them as alternatives"


def test_a_line_is_folded_for_people_and_whole_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    terminal, pipe = Terminal(), io.StringIO()
    for file in (terminal, pipe):
        say(LONG, file)
        say("", file)
    assert pipe.getvalue() == f"{LONG}\n\n"
    lines = terminal.getvalue().split("\n")
    assert lines[-2:] == ["", ""]
    assert len(lines) > 4
    assert all(line.startswith("  ") and len(line) <= 40 for line in lines[:-2])
    assert " ".join(line.strip() for line in lines).strip() == LONG.strip()
    for file, folded in ((terminal, True), (pipe, False)):
        file.truncate(0)
        file.seek(0)
        fold(Console(file=file, width=40), Text(LONG.strip()))
        assert (file.getvalue().count("\n") > 1) == folded
        assert " ".join(file.getvalue().split()) == LONG.strip()


def test_errors_and_checks_are_folded_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("TERM", "xterm")
    out, err = Terminal(), Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    assert run(["plan", "--strategy", "fixed", "--set", "no equals sign", "--set", "nor here"]) == 2
    assert run(["gold", "check", "handbook"]) == 0
    lines = [*out.getvalue().splitlines(), *err.getvalue().splitlines()]
    assert err.getvalue().count("chunksweep: ") == 2 < len(err.getvalue().splitlines())
    assert "handbook: ready" in out.getvalue()
    assert [line for line in lines if len(line) > 50 or line != line.rstrip()] == []


NASTY = "red \x1b[31m, title \x1b]0;owned\x07, back \u202e, tab\there, wide\xa0blank"
TOLD = NASTY.replace("\x1b", "\\x1b").replace("\x07", "\\x07").replace("\u202e", "\\u202e")


def test_what_moves_a_terminals_cursor_is_escaped_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    assert str(Problem(NASTY, NASTY, NASTY)) == f"{TOLD}: {TOLD}. {TOLD}"
    assert str(refuse("a\nb", "c")) == "a\nb: c"
    assert nearest(NASTY, [NASTY]) == f"Did you mean {TOLD}?"
    assert nearest("?", [NASTY]) == f"Known: {TOLD}"
    for file in (Terminal(), io.StringIO()):
        say(NASTY, file)
        fold(Console(file=file, width=200, color_system=None), Text(NASTY))
        assert {sign for sign in file.getvalue() if sign != "\n" and not sign.isprintable()} <= {"\t", "\xa0"}
        assert file.getvalue().count("back \\u202e") == 2


def test_styles_stay_on_their_words_when_signs_are_escaped() -> None:
    text = shown(Text.assemble("a\x1bb", ("c\x1b", "bold"), ("d", "dim")))
    assert text.plain == "a\\x1bbc\\x1bd"
    assert [(text.plain[span.start : span.end], span.style) for span in text.spans] == [
        ("c\\x1b", "bold"),
        ("d", "dim"),
    ]


def test_a_command_line_that_cannot_be_understood_is_escaped_too(capsys: pytest.CaptureFixture[str]) -> None:
    red = "\x1b[31m"
    for words in (["gold", "check", "a", red], ["plan", f"--{red}"], [red]):
        assert run(words) == 2
        assert "\\x1b[31m" in capsys.readouterr().err
