"""Text for a terminal carries no spaces that nobody sees."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from experiments.cli.app import run
from experiments.paragraph import Paragraph


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
