"""What every reader owes, whatever it reads; a reader joins by standing in `ALL`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.gold import load, readers
from evaluation.gold.from_folder import new_set
from evaluation.gold.readers import ALL, READERS, Outcome, Reader, read_file, reader_of
from evaluation.gold.readers.page import markdown_table
from evaluation.gold.readers.reader import tidy
from evaluation.gold.sources import Choice, Rows
from evaluation.scalars import is_scalar
from strategies.errors import Problem

from . import files

MOST = 1_000_000
FOLDER = Path(readers.__file__).parent
NO_READERS = {"__init__", "reader", "page", "markdown_text", "docx_styles", "html_charset", "html_tree"}
ROWS = Choice(rows=Rows(("subject", "body"), "ticket", ("team", "year")))
OBJECTS = Choice(rows=Rows(("q",), "id", ("tags", "by")))
SOURCE = Choice("source")
MADE: dict[str, tuple[bytes, Choice]] = {
    "notes.md": (b"---\ntitle: N\n---\n# Notes\r\n\r\nText.\r\n", Choice()),
    "marked.txt": (b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe\r", Choice()),
    "code.py": (b"def f():\n\tpass", Choice()),
    "odd.suffix": (b"\n\n words\n", Choice()),
    "page.html": (files.PAGE, Choice()),
    "latin.htm": ('<meta charset="iso-8859-1"><p>Fünf €</p>'.encode("cp1252"), Choice()),
    "source.html": (files.PAGE.replace(b"\n", b"\r\n"), SOURCE),
    "wide.html": ("<p>Fünf\r\n</p>".encode("utf-16"), SOURCE),
    "gate.pdf": (files.pdf("One\nTwo", "", "Three", sections={2: "Three"}), Choice()),
    "rules.docx": (files.rules(), Choice()),
    "tickets.csv": (files.TABLE, ROWS),
    "tickets.tsv": (files.TABLE.replace(b",", b"\t"), ROWS),
    "whole.csv": (files.TABLE, Choice()),
    "lines.jsonl": (files.LINES, OBJECTS),
    "lines.ndjson": (files.LINES, Choice()),
}

each = pytest.mark.parametrize("name", MADE)


def read(name: str):
    data, choice = MADE[name]
    texts = read_file(reader_of(name, choice), data, name, choice, MOST)
    assert not isinstance(texts, Problem), texts
    return texts


def test_every_reader_and_suffix_has_a_file_here() -> None:
    used = {reader_of(name, choice) for name, (_, choice) in MADE.items()}
    assert used == set(ALL)
    assert {Path(name).suffix for name in MADE} >= READERS.keys()
    assert {suffix: reader for reader in ALL for suffix in reader.suffixes} == READERS
    assert {reader.read.__module__ for reader in ALL} == {
        f"evaluation.gold.readers.{path.stem}" for path in FOLDER.glob("*.py") if path.stem not in NO_READERS
    }
    assert len({reader.name for reader in ALL}) == len(ALL)


@each
def test_texts_are_unicode_without_a_mark_and_marks_lie_in_them_in_order(name: str) -> None:
    reader = reader_of(name, MADE[name][1])
    for text in read(name):
        assert text.text == tidy(text.text)
        assert text.text.strip()
        assert text.row is not None or text.suffix == reader.suffix
        assert all(is_scalar(value) for value in text.metadata.values())
        for kind in ("page", "heading"):
            starts = [mark.start for mark in text.marks if mark.kind == kind]
            assert starts == sorted(set(starts))
            assert all(0 <= start <= len(text.text) for start in starts)
        for mark in text.marks:
            assert mark.label == " ".join(mark.label.split()) != ""


@each
def test_equal_bytes_give_equal_texts(name: str) -> None:
    assert read(name) == read(name)


@each
def test_what_was_read_is_what_is_loaded(name: str, tmp_path: Path) -> None:
    data, choice = MADE[name]
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / name).write_bytes(data)
    card = tmp_path / "card.yaml"
    card.write_text(
        f"sources: {{{name}: {yaml_of(choice)}}}\n" if choice != Choice() else "licence: CC0-1.0\n"
    )
    new_set(tmp_path / "set", tmp_path / "files", card=card)
    (tmp_path / "set" / "questions.jsonl").write_text('{"id": 1, "question": "?", "evidence": []}\n')
    gold = load(tmp_path / "set")
    assert gold.warnings == ()
    texts = {name + text.suffix: text for text in read(name)}
    assert {document.id: document.text for document in gold.documents} == {
        id: text.text for id, text in texts.items()
    }
    for document in gold.documents:
        assert document.marks == texts[document.id].marks
        assert texts[document.id].metadata.items() <= document.metadata.items()
    if not any(text.suffix for text in texts.values()) and not name.startswith("wide"):
        assert (tmp_path / "set" / "documents" / name).read_bytes() == data


def yaml_of(choice: Choice) -> str:
    if choice.rows is None:
        return f"{{html: {choice.html}}}"
    fields = {"text": [*choice.rows.text], "id": choice.rows.id, "metadata": [*choice.rows.metadata]}
    return "{" + ", ".join(f"{key}: {value!s}" for key, value in fields.items()) + "}"


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut short": lambda data: data[: len(data) // 2],
    "its beginning alone": lambda data: data[:9],
    "holes in it": lambda data: re.sub(rb"[eo]", b"\0", data),
}


def guarded(name: str, data: bytes, choice: Choice) -> Outcome:
    return read_file(reader_of(name, choice), data, name, choice, MOST)


def direct(name: str, data: bytes, choice: Choice) -> Outcome:
    """What the reader itself makes of bytes, with no net under it."""
    return reader_of(name, choice).read(data, name, choice, MOST)


@pytest.mark.parametrize("how", BROKEN)
@each
def test_a_broken_file_is_read_or_gets_a_verdict(name: str, how: str) -> None:
    data, choice = MADE[name]
    broken = BROKEN[how](data)
    # What is wrong inside of the archive is told by the library, by whatever it raises.
    read_it = guarded if name.endswith(".docx") else direct
    outcome = read_it(name, broken, choice)
    if isinstance(outcome, Problem):
        assert outcome.where == name
        assert outcome.what
        assert outcome.remedy


@pytest.mark.parametrize("name", sorted({f"a{suffix}" for suffix in READERS} | {"a.md"}))
@given(data=st.binary(max_size=200))
@settings(max_examples=25, deadline=None)
def test_no_bytes_make_a_reader_raise_anything(name: str, data: bytes) -> None:
    for choice in (Choice(), SOURCE, Choice(rows=Rows(("a",)))):
        if name.endswith(("csv", "tsv", "jsonl", "ndjson")) or choice.rows is None:
            outcome = direct(name, data, choice)
            assert isinstance(outcome, Problem) or all(text.text == tidy(text.text) for text in outcome)


def test_what_a_library_raises_is_a_verdict_and_want_of_memory_is_none() -> None:
    def raising(error: BaseException) -> Reader:
        def read(data: bytes, where: str, choice: Choice, most: int) -> Outcome:
            raise error

        return replace(readers.PDF, read=read)

    told = read_file(raising(ValueError("bad\nxref")), b"%PDF", "a.pdf", Choice(), MOST)
    assert isinstance(told, Problem)
    assert told.what.startswith("could not be read by pypdfium2 ")
    assert told.what.endswith("ValueError: bad\\nxref")
    with pytest.raises(MemoryError):
        read_file(raising(MemoryError()), b"%PDF", "a.pdf", Choice(), MOST)


@pytest.mark.parametrize("name", [name for name in MADE if any(text.suffix for text in read(name))])
def test_the_longest_text_made_is_a_limit(name: str) -> None:
    data, choice = MADE[name]
    length = sum(len(text.text) for text in read(name))
    outcome = read_file(reader_of(name, choice), data, name, choice, length - 1)
    assert isinstance(outcome, Problem)
    assert "--max-mb" in outcome.remedy


def test_the_table_of_kinds_is_that_of_the_readers() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "documents.md"
    assert markdown_table() in page.read_text("utf-8")
