"""Reading files: one verdict a file, nothing guessed, nothing translated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold import load
from evaluation.gold.documents import decode, media_type, read_folder
from strategies.errors import BadInput, Problem

ROW = '{"id": "a", "question": "What?", "evidence": []}\n'


def write(folder: Path, **files: bytes) -> Path:
    for name, data in files.items():
        (folder / f"{name}.txt").write_bytes(data)
    return folder


@given(st.text())
def test_a_text_comes_back_as_it_was_written(text: str) -> None:
    if "\0" not in text:
        assert decode(text.encode("utf-8"), "x") == text.removeprefix("\ufeff")


def test_newlines_are_kept(tmp_path: Path) -> None:
    files, problems = read_folder(write(tmp_path, a=b"one\r\ntwo\rthree\n"))
    assert (files[0].text, problems) == ("one\r\ntwo\rthree\n", [])


@pytest.mark.parametrize(
    ("data", "verdict", "remedy"),
    [
        ("Preis: 5 €".encode("cp1252"), "byte 0x80 at 9, line 1", "iconv -f CP1252"),
        ("déjà\nvu".encode("utf-16"), "is UTF-16", "iconv -f UTF-16"),
        ("plain words".encode("utf-16-le"), "NUL in about every second byte", "iconv -f UTF-16"),
        ("wide".encode("utf-32"), "is UTF-32", "iconv -f UTF-32"),
        (b"fine\nthen\0 not", "NUL (byte 9, line 2)", "hidden name"),
        (b"\xef\xbb\xbfab\x81", "byte 0x81 at 5, line 1", "Save it as UTF-8"),
    ],
)
def test_each_foreign_file_gets_its_verdict(data: bytes, verdict: str, remedy: str) -> None:
    problem = decode(data, "notes.txt")
    assert isinstance(problem, Problem)
    assert verdict in problem.what
    assert remedy in problem.remedy
    assert problem.where == "notes.txt"


BAD = {
    "latin.txt": "Grüße aus dem Süden".encode("cp1252"),
    "wide.txt": "Zwei Byte je Zeichen".encode("utf-16"),
    "blob.txt": b"words\0words words words",
}
GOOD = {"plain.txt": "All is well here.", "empty.txt": "", "marked.txt": b"\xef\xbb\xbfOpening words."}


def test_bad_files_are_named_together(make_set) -> None:
    with pytest.raises(BadInput) as error:
        load(make_set({**BAD, **GOOD}, ROW))
    assert [problem.where for problem in error.value.problems] == [
        f"documents/{name}" for name in sorted(BAD)
    ]
    assert all("--skip-bad" in problem.remedy for problem in error.value.problems)


def test_skipping_loads_the_rest_and_records_the_bad(make_set) -> None:
    gold = load(make_set({**BAD, **GOOD}, ROW), skip_bad=True)
    assert gold.skipped == tuple(sorted(BAD))
    assert {document.id: document.text for document in gold.documents} == {
        "empty.txt": "",
        "marked.txt": "Opening words.",
        "plain.txt": "All is well here.",
    }
    assert gold.byte_order_marks == ("marked.txt",)


def test_evidence_in_a_skipped_file_is_not_scored_but_the_question_stays(make_set) -> None:
    rows = [
        {"id": "lost", "question": "?", "evidence": [{"document": "wide.txt", "quote": "Zwei"}]},
        {
            "id": "kept",
            "question": "?",
            "evidence": [
                {
                    "document": "wide.txt",
                    "quote": "Zwei",
                    "alternatives": [{"document": "plain.txt", "quote": "All is well"}],
                }
            ],
        },
    ]
    folder = make_set({**BAD, **GOOD}, rows)
    gold = load(folder, skip_bad=True)
    assert [len(question.evidence) for question in gold.questions] == [0, 1]
    assert [problem.where for problem in gold.warnings] == ["questions.jsonl:1"]
    with pytest.raises(BadInput) as error:
        load(folder)
    # The bad file is the problem, not the question that points into it.
    assert all(problem.where.startswith("documents/") for problem in error.value.problems)


def test_hidden_files_are_ignored_at_any_depth(make_set) -> None:
    folder = make_set(
        {".DS_Store": b"\0\0", "a/.gitattributes": "x", ".git/config": "x", "a/b/c.md": "Text."}, ROW
    )
    assert [document.id for document in load(folder).documents] == ["a/b/c.md"]


def test_a_set_without_documents_is_refused(make_set) -> None:
    for files in ({}, {".hidden": "x"}):
        folder = make_set(files, ROW, folder=f"set{len(files)}")
        with pytest.raises(BadInput, match="holds no document"):
            load(folder)
    with pytest.raises(BadInput, match="holds no document"):
        load(make_set({"a.txt": b"\0"}, ROW), skip_bad=True)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.md", "text/markdown"), ("b.LOG", "text/plain"), ("c", "text/plain"), ("d.html", "text/html")],
)
def test_the_suffix_gives_the_media_type(path: str, expected: str) -> None:
    assert media_type(path) == expected


@pytest.mark.skipif(os.name == "nt", reason="links and pipes need POSIX")
def test_links_are_followed_but_never_in_a_circle(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "deep" / "deeper").mkdir(parents=True)
    write(root / "deep", real=b"Here.")
    (root / "deep" / "deeper" / "up").symlink_to(root)
    (root / "again").symlink_to(root / "deep")
    (root / "dangling.txt").symlink_to(root / "nowhere")
    os.mkfifo(root / "pipe")
    files, problems = read_folder(root)
    assert [file.id for file in files] == ["deep/real.txt"]
    assert [(problem.where, problem.what) for problem in problems] == [
        ("dangling.txt", "is a link to nothing"),
        ("pipe", "is not a regular file"),
    ]


@pytest.mark.skipif(os.name == "nt", reason="links need POSIX")
def test_each_real_file_is_read_once_under_its_own_name(tmp_path: Path) -> None:
    root, outside = tmp_path / "set" / "root", tmp_path / "outside"
    (root / "b").mkdir(parents=True)
    (outside / "sub").mkdir(parents=True)
    write(tmp_path / "set", card=b"No document.")
    write(root / "b", real=b"1", other=b"2")
    write(outside, far=b"3")
    write(outside / "sub", near=b"4")
    os.link(root / "b" / "other.txt", root / "copy.txt")  # a file of its own, like any copy
    links = {
        "a.txt": root / "b" / "real.txt",
        "a": root / "b",
        "c": outside,
        "d": outside,
        "e": outside / "sub",
        "f.txt": outside / "far.txt",
        "up": root.parent,
        "top": Path("/"),
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    files, problems = read_folder(root)
    assert [file.id for file in files] == [
        "b/other.txt", "b/real.txt", "c/far.txt", "c/sub/near.txt", "copy.txt",
    ]  # fmt: skip
    assert problems == []


@pytest.mark.skipif(os.name == "nt", reason="links need POSIX")
def test_links_behind_links_are_followed_and_those_to_nothing_are_all_named(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for folder in (root, tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
    write(tmp_path / "two", end=b"x")
    (root / "first").symlink_to(tmp_path / "one")
    (tmp_path / "one" / "second").symlink_to(tmp_path / "two")
    (tmp_path / "two" / "back").symlink_to(tmp_path / "one")
    (root / "gone").symlink_to(tmp_path / "nowhere")
    (root / "lost").symlink_to(tmp_path / "nowhere")
    (root / "loop").symlink_to(root / "loop")
    files, problems = read_folder(root)
    assert [file.id for file in files] == ["first/second/end.txt"]
    assert [problem.where for problem in problems] == ["gone", "loop", "lost"]


@pytest.mark.skipif(os.name == "nt", reason="links need POSIX")
def test_folders_that_all_link_to_each_other_are_walked_once(tmp_path: Path) -> None:
    # Following every path would take 9! = 362,880 folders.
    for n in range(9):
        (tmp_path / f"s{n}").mkdir()
        write(tmp_path / f"s{n}", text=b"x")
        for m in range(9):
            (tmp_path / f"s{n}" / f"l{m}").symlink_to(tmp_path / f"s{m}")
    files, problems = read_folder(tmp_path)
    assert [file.id for file in files] == [f"s{n}/text.txt" for n in range(9)]
    assert problems == []


@pytest.mark.skipif(os.name == "nt", reason="file names are text there")
def test_a_name_that_is_not_utf8_is_a_problem(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes no such name")
    files, problems = read_folder(tmp_path)
    assert files == []
    assert "not UTF-8" in problems[0].what
    str(problems[0]).encode("utf-8")


def test_ids_are_composed_however_the_file_system_spells_them(tmp_path: Path) -> None:
    (tmp_path / "cafe\u0301.txt").write_bytes(b"x")
    files, _ = read_folder(tmp_path)
    assert [file.id for file in files] == ["caf\u00e9.txt"]
