"""Ranges that follow their quotes after a document was edited."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold import load
from evaluation.gold.check import check
from evaluation.gold.moving import _Found, _line
from evaluation.gold.quotes import Corpus, Quote
from evaluation.gold.standing import standing
from experiments.cli.app import run
from strategies.document import Document
from tests.gold.conftest import MakeSet

OLD = "Returns within 30 days. Bring the receipt. Shops open at nine. Shops close at six.\n"
NEW = f"# Returns, as of May\n\n{OLD}"


def range_of(text: str, words: str, **more: Any) -> dict[str, Any]:
    start = text.index(words)
    return {"document": "a.md", "start": start, "end": start + len(words), "quote": words, **more}


RECEIPT, OPEN = range_of(OLD, "Bring the receipt."), range_of(OLD, "open at nine")
LINES = [
    '{"id": "free",   "question": "Caf\\u00e9?", "evidence": ["close at six"]}',
    json.dumps({"id": "what", "question": "What?", "evidence": [{**RECEIPT, "alternatives": [OPEN]}]}),
    "",
    json.dumps({"id": "bare", "question": "When?", "evidence": {"document": "a.md", "start": 0, "end": 7}}),
    '{"id": "slip", "question": 7, "evidence": []}  ',
    json.dumps({"id": "one", "question": "Wo, Größe?", "evidence": OPEN}, ensure_ascii=False) + "\r",
]


@pytest.fixture
def edited(make_set: MakeSet) -> Path:
    return make_set({"a.md": NEW}, LINES)


def lines(folder: Path) -> list[str]:
    return (folder / "questions.jsonl").read_bytes().decode().split("\n")


def problems(folder: Path) -> str:
    return "\n".join(map(str, check(folder).problems))


def test_a_range_that_no_longer_reads_its_quote_says_where_that_stands(edited: Path) -> None:
    said = problems(edited)
    assert f"not its quote. Its quote stands at {NEW.index('Bring')} now; chunksweep gold move" in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Nine. Shops open at nine. They open at nine.", "Its quote stands at 12 and 31: correct the one"),
        ("No shop opens at nine.", "The document has 22 characters. At 8 the document reads"),
        (OLD.replace("nine", "ten"), 'At 49 the document reads "open at'),
        ("Closed", "The document has 6 characters. Copy the words"),
        ("Reopen at nine.", "Its quote begins or ends inside a word where it stands, at 2"),
    ],
)
def test_what_stands_in_no_one_place_is_told_otherwise(text: str, says: str, make_set: MakeSet) -> None:
    folder = make_set(
        {"a.md": text}, [{"id": "q", "question": "?", "evidence": range_of(OLD, "open at nine")}]
    )
    assert says in problems(folder)
    assert "gold move" not in problems(folder)
    before = lines(folder)
    assert run(["gold", "move", str(folder)]) == 2
    assert lines(folder) == before


def test_a_range_beyond_the_end_is_told_its_place(make_set: MakeSet) -> None:
    folder = make_set({"a.md": "open at nine"}, [{"id": "q", "question": "?", "evidence": OPEN}])
    assert "The document has 12 characters. Its quote stands at 0 now" in problems(folder)


def test_ranges_move_and_all_else_stays_byte_for_byte(
    edited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = lines(edited)
    assert run(["gold", "move", str(edited), "--dry-run"]) == 0
    assert "Would move 3 ranges" in capsys.readouterr().out
    assert lines(edited) == before
    assert run(["gold", "move", str(edited)]) == 0
    out = capsys.readouterr().out
    assert "Moved 3 ranges. Read whether each still answers its question:" in out
    to = range_of(NEW, "open at nine")
    assert (
        f"  what: evidence[0].alternatives[0], a.md [{OPEN['start']}, {OPEN['end']}) to "
        f'[{to["start"]}, {to["end"]}): "open at nine"' in out
    )
    assert "1 range has no quote, so that nothing tells whether evidence still stands there: bare" in out
    after = lines(edited)
    assert [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [1, 5]
    assert json.loads(after[1])["evidence"] == [
        {**range_of(NEW, "Bring the receipt."), "alternatives": [range_of(NEW, "open at nine")]}
    ]
    assert json.loads(after[5])["evidence"] == range_of(NEW, "open at nine")
    assert after[5].endswith("}\r")
    assert "Größe" in after[5]
    assert run(["gold", "move", str(edited)]) == 0
    assert "Moved 0 ranges." in capsys.readouterr().out
    assert lines(edited) == after


def test_what_cannot_be_moved_is_listed_and_the_rest_is_moved(
    make_set: MakeSet, capsys: pytest.CaptureFixture[str]
) -> None:
    text = NEW.replace("Bring the receipt.", "No receipt is asked for.")
    folder = make_set({"a.md": text}, [LINES[1]])
    assert run(["gold", "move", str(folder), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert [(one["where"], one["to"][0]) for one in told["moved"]] == [
        ("evidence[0].alternatives[0]", text.index("open"))
    ]
    assert [(one["question"], one["line"], one["quote"]) for one in told["left"]] == [
        ("what", 1, "Bring the receipt.")
    ]
    assert run(["gold", "move", str(folder)]) == 2
    assert '"Bring the receipt." does not stand there' in capsys.readouterr().out


def test_the_checksum_is_kept_true_and_never_made_right(
    make_set: MakeSet, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_set({"a.md": NEW}, [LINES[5]], "name: x\nchecksum: sha256:0\n")
    (right,) = re.findall(r"files give (sha256:\w+)", problems(folder))
    (folder / "card.yaml").write_text(f"name: x\nchecksum: {right}\n")
    assert run(["gold", "move", str(folder)]) == 0
    load(folder)
    capsys.readouterr()
    assert right not in (folder / "card.yaml").read_text()
    (folder / "documents" / "a.md").write_text(OLD)
    assert run(["gold", "move", str(folder)]) == 0
    assert "checksum was wrong before this change" in capsys.readouterr().err


def test_bundled_sets_and_folders_without_documents_are_refused(make_set: MakeSet) -> None:
    assert run(["gold", "move", "minis"]) == 2
    assert run(["gold", "move", str(make_set({}, []))]) == 2


def test_a_signal_between_the_two_files_waits(make_set: MakeSet, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_set({"a.md": NEW}, [LINES[5]], "name: x\nchecksum: sha256:0\n")
    (right,) = re.findall(r"files give (sha256:\w+)", problems(folder))
    (folder / "card.yaml").write_text(f"name: x\nchecksum: {right}\n")
    replace = os.replace

    def interrupted(name: str, path: str) -> None:
        replace(name, path)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "replace", interrupted)
    assert run(["gold", "move", str(folder)]) == 130
    monkeypatch.undo()
    load(folder)  # the checksum holds


PARTS = st.lists(
    st.sampled_from(["tenant", "pays", "on", "Größe", "the", "14", "\n", "cellar."]), max_size=12
)


@given(PARTS, PARTS, PARTS, st.lists(st.sampled_from(["new", "x", "\n\n"]), max_size=6))
def test_what_is_put_in_before_evidence_changes_no_evidence(
    before: list[str], words: list[str], after: list[str], added: list[str]
) -> None:
    old, quote = " ".join([*before, "one mark", *words, "end", *after]), " ".join(["one mark", *words, "end"])
    new = " ".join([*added, old])
    row = {"id": "q", "question": "?", "evidence": [range_of(old, quote)]}
    line, found = json.dumps(row), _Found()
    moved = json.loads(_line(line, 1, Corpus({"a.md": Document("a.md", new)}), found))
    (anchor,) = moved["evidence"]
    assert new[anchor["start"] : anchor["end"]] == quote
    assert found.left == []
    assert len(found.moved) == (old != new)


def test_a_byte_order_mark_stays(make_set: MakeSet) -> None:
    folder = make_set({"a.md": NEW}, f"\ufeff{LINES[5]}\n")
    assert run(["gold", "move", str(folder)]) == 0
    assert lines(folder)[0].startswith('\ufeff{"id": "one"')
    load(folder)


@given(st.text("ab .é", max_size=20), st.text("ab .é", min_size=1, max_size=4))
def test_the_place_taken_is_the_only_one_and_reads_the_quote(text: str, words: str) -> None:
    corpus, quote = Corpus({"d": Document("d", text)}), Quote(words)
    place, why = standing(corpus, "d", quote)
    if place is not None:
        assert why == ""
        assert corpus.reads("d", *place, quote)
        assert len(list(corpus.places(quote, ["d"]))) == 1
    elif not why:
        assert list(corpus.places(quote, ["d"])) == []
