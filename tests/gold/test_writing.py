"""A set that is written is the same set when it is read; one that would not be is refused."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evaluation.gold import Evidence, GoldSet, Passage, Question, digest, load
from evaluation.gold.changing import add_questions, replace_file
from evaluation.gold.loading import bundled
from evaluation.gold.unwritable import name_problem
from evaluation.gold.writing import new_folder, write_gold, yaml_text
from evaluation.yaml_reading import parse_yaml
from strategies.document import Document, Mark
from strategies.errors import BadInput

from .nasty import LETTERS, SCALARS, VALUES, sets

TEXT = "Bins go out on Tuesday.\nBins go out on Thursday.\n"
QUESTION = Question("bins", "When?", (Evidence((Passage("a.txt", 0, 23),)),))


def gold(*documents: Document, questions: tuple[Question, ...] = (QUESTION,), name: str = "small") -> GoldSet:
    texts = documents or (Document("a.txt", TEXT),)
    return GoldSet(name, texts, questions, "")  # a digest is of what can be written


def with_text(name: str = "b.txt", text: str = "b", **more: Any) -> GoldSet:
    return gold(Document("a.txt", TEXT), Document(name, text, **more))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sets())
@example(with_text(text="\ufeffBOM"))
@example(
    gold(
        Document("a", "x \u200b y \u200b"),
        questions=(Question("q", "?", (Evidence((Passage("a", 2, 7),)), Evidence((Passage("a", 2, 3),)))),),
    )
)
@example(with_text(metadata={"metadata": "x", "pages": 1, "media_type": True, "headings": -0.0}))
@example(
    with_text("b.md", "---\na: true\nb: 1\n---\n", metadata={"a": 1, "b": 1.0}, media_type="text/markdown")
)
def test_what_is_written_is_read_back(one: GoldSet) -> None:
    with tempfile.TemporaryDirectory() as home:
        write_gold(Path(home, "set"), one)
        assert load(Path(home, "set")).digest == digest(one.documents, one.questions)


def test_the_bundled_set_is_read_back(tmp_path: Path) -> None:
    (handbook,) = (load(path) for name, path in bundled().items() if name == "handbook")
    write_gold(
        tmp_path / "set", handbook, {"licence": "CC0-1.0", "counts": {"documents": len(handbook.documents)}}
    )
    again = load(tmp_path / "set")
    assert again.digest == handbook.digest
    assert again.card["licence"] == "CC0-1.0"


def test_evidence_without_its_words_is_long(tmp_path: Path) -> None:
    """Evidence of any length is written; the words of long evidence are not repeated."""
    text = "word " * 1000 + "end"
    asked = tuple(
        Question(str(n), "?", (Evidence((Passage("a.txt", 0, n),)),)) for n in (4, 1999, 2004, 5003)
    )
    one = gold(Document("a.txt", text), questions=asked)
    write_gold(tmp_path / "set", one)
    assert load(tmp_path / "set").digest == digest(one.documents, one.questions)
    lines = (tmp_path / "set" / "questions.jsonl").read_text("utf-8").splitlines()
    assert [len(line) > 1000 for line in lines] == [False, True, False, False]


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.text(LETTERS | st.just("\0"), max_size=200), SCALARS | st.lists(SCALARS, max_size=3))
)
@example({value: value for value in VALUES})
@example({"a": [{"start": 0, "label": "1"}, {"start": 3, "label": "-.5"}]})
def test_yaml_is_read_as_it_was(content: dict[str, Any]) -> None:
    found = parse_yaml(yaml_text(content), "a.yaml").content or {}
    assert repr(found) == repr(content)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("", "is empty"),
        ("/etc/hosts", "begins with /"),
        ("../a.txt", "has the part '..'"),
        ("a/./b", "has the part '.'"),
        ("a//b", "has an empty part"),
        ("a/", "has an empty part"),
        ("a\0b", "holds a NUL"),
        ("a.meta.yaml", "ends in .meta.yaml, as sidecars do"),
        ("x/.git/a", "has a part that begins with a dot (.git), as hidden files do"),
        ("e\u0301.txt", "is not in Unicode form NFC"),
        ("\ud800", "holds half of a surrogate pair (\\ud800 to \\udfff)"),
        ("\u00e9" * 128, "has a part of 256 bytes, where names hold 255"),
        ("x/" * 1024 + "y", "has 2049 bytes, where 2048 are the most"),
    ],
)
def test_names_that_no_file_has(name: str, what: str, tmp_path: Path) -> None:
    assert name_problem(name) == what
    with pytest.raises(BadInput) as raised:
        write_gold(tmp_path / "set", with_text(name))
    assert [problem.what for problem in raised.value.problems] == [
        f"{what}: its id must be a path below documents/"
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("one", "where", "what"),
    [
        (with_text("a.txt", TEXT), "document a.txt", "stands twice"),
        (with_text("A.txt"), "document A.txt", "cannot stand beside a.txt on every file system"),
        (with_text("a.txt/b"), "document a.txt/b", "cannot stand beside a.txt on every file system"),
        (
            gold(Document("B/a", ""), Document("a.txt", TEXT), Document("b/c", "")),
            "document b/c",
            "cannot stand beside B on every file system",
        ),
        (
            with_text("b" * 250, metadata={"a": 1}),
            "document bbbb",
            "has a name that leaves no room for its sidecar's, with .meta.yaml behind it",
        ),
        (
            with_text(text="%PDF-1.7 is how it begins"),
            "document b.txt",
            "its text begins with the signature of a PDF",
        ),
        (with_text(text="{\\rtf1 words"), "document b.txt", "its text begins with the signature of RTF"),
        (with_text(text="a\0"), "document b.txt", "its text holds a NUL"),
        (with_text(text="\udc00"), "document b.txt", "its text holds half of a surrogate pair"),
        (with_text(media_type=" "), "document b.txt", "its media type is ' '"),
        (with_text(metadata={" ": 1}), "document b.txt", "its metadata have a key ' '"),
        (with_text(metadata={"a": 2**63}), "document b.txt", "its metadata a are 9223372036854775808"),
        (with_text(metadata={"a": float("nan")}), "document b.txt", "its metadata a are nan"),
        (
            with_text("b.md", "---\ntitle: x\n---\n", media_type="text/markdown"),
            "document b.md",
            "its front matter holds title, which its metadata lack",
        ),
        (
            with_text(marks=(Mark("heading", 0, "a"), Mark("page", 0, "1"))),
            "document b.txt",
            "its marks are not pages, then headings",
        ),
        (
            with_text(marks=(Mark("page", 1, "1"), Mark("page", 1, "2"))),
            "document b.txt",
            "the starts of its pages do not rise within its text",
        ),
        (with_text(marks=(Mark("page", 2, "1"),)), "document b.txt", "the starts of its pages do not rise"),
        (with_text(marks=(Mark("page", 0, " "),)), "document b.txt", "a page's label is ' '"),
        (with_text(marks=(Mark("heading", 0, "a", 0),)), "document b.txt", "the level of a heading is 0"),
        (gold(name="a\nb"), "name", "is 'a\\nb': it must be a line of 1 to 120 characters"),
        (gold(questions=()), "questions", "there is none"),
        (replace(gold(), documents=(), questions=(Question("a", "?", ()),)), "documents", "there is none"),
        (gold(questions=(QUESTION, QUESTION)), "question bins", "stands twice"),
        (gold(questions=(replace(QUESTION, text=" "),)), "question bins", "its id or its text is blank"),
        (
            gold(questions=(replace(QUESTION, text="\ud800"),)),
            "question bins",
            "holds half of a surrogate pair",
        ),
        (
            gold(questions=(replace(QUESTION, tags=("a", "a")),)),
            "question bins",
            "a tag is blank, or stands twice",
        ),
        (
            gold(questions=(replace(QUESTION, answer=" a"),)),
            "question bins",
            "its answer begins or ends with",
        ),
        (
            gold(questions=(replace(QUESTION, filter={"a": 1}),)),
            "question bins",
            "no document passes its filter",
        ),
        (
            gold(questions=(replace(QUESTION, filter={"a": float("inf")}),)),
            "question bins",
            "its filter holds what is no text, number or truth value",
        ),
        (
            gold(questions=(replace(QUESTION, evidence=(Evidence(()),)),)),
            "question bins",
            "a piece of evidence has no place, or one twice",
        ),
        (
            gold(questions=(replace(QUESTION, evidence=(Evidence((Passage("b", 0, 1),)),)),)),
            "question bins",
            "its evidence is in b, which is no document",
        ),
        *(
            (
                gold(questions=(replace(QUESTION, evidence=(Evidence((Passage("a.txt", start, end),)),)),)),
                "question bins",
                f"its evidence [{start}, {end}) of a.txt is no range without white space at its ends",
            )
            for start, end in ((0, 5), (3, 3), (5, 4), (-5, -1), (0, 999))
        ),
    ],
)
def test_what_would_read_otherwise_is_refused(one: GoldSet, where: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        write_gold(tmp_path / "set", one)
    (problem,) = raised.value.problems
    assert problem.where.startswith(where)
    assert problem.what.startswith(what)
    assert list(tmp_path.iterdir()) == []


def test_everything_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    wrong = gold(
        Document("../a", "\0"), Document(".b", ""), questions=(replace(QUESTION, tags=(" ",)),), name=""
    )
    with pytest.raises(BadInput) as raised:
        write_gold(tmp_path / "set", wrong)
    assert [problem.where for problem in raised.value.problems] == [
        *("name", "document ../a", "document ../a", "document .b", "question bins", "question bins")
    ]


def test_a_card_that_could_not_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="licence is 4, not text"):
        write_gold(tmp_path / "set", gold(), {"licence": 4})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), new_folder(tmp_path / "set") as place:
        (place / "none" / "half").write_text("x")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty").mkdir()
    with new_folder(tmp_path / "empty") as place:
        (place / "whole").write_text("x")
    assert [path.name for path in tmp_path.rglob("*")] == ["empty", "whole"]
    for taken in ("empty", "empty/whole"):
        with pytest.raises(BadInput, match="is there already"), new_folder(tmp_path / taken):
            pass
    with new_folder(tmp_path / "deep" / "down") as place:
        (place / "a").write_text("x")
    assert (tmp_path / "deep" / "down" / "a").is_file()


def test_questions_are_added_behind_the_others(tmp_path: Path) -> None:
    add_questions(tmp_path, ["1\n"])
    file = tmp_path / "questions.jsonl"
    file.write_bytes(b"\xef\xbb\xbf1\r\n2")
    file.chmod(0o640)
    add_questions(tmp_path, ["3\n", "4\n"])
    assert file.read_bytes() == b"\xef\xbb\xbf1\r\n2\n3\n4\n"
    assert file.stat().st_mode & 0o777 == 0o640
    with pytest.raises(UnicodeEncodeError):
        replace_file(file, "\ud800")
    assert [path.name for path in tmp_path.iterdir()] == ["questions.jsonl"]
    assert file.read_bytes().endswith(b"4\n")


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "questions.jsonl").symlink_to(tmp_path / "shared" / "q.jsonl")
    for line in ("1\n", "2\n"):  # at first it leads to nothing
        add_questions(tmp_path / "set", [line])
    assert (tmp_path / "set" / "questions.jsonl").is_symlink()
    assert (tmp_path / "shared" / "q.jsonl").read_text() == "1\n2\n"
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "q.jsonl",
        "questions.jsonl",
        "set",
        "shared",
    ]


def test_an_id_that_was_added_meanwhile_is_not_added_twice(tmp_path: Path) -> None:
    add_questions(tmp_path, ['{"id": "a"}\n'])
    add_questions(tmp_path, ['{"id": "a"}\n', '{"id": "b"}\n'])
    assert (tmp_path / "questions.jsonl").read_text() == '{"id": "a"}\n{"id": "b"}\n'


def test_an_empty_folder_is_filled_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    before = os.stat(tmp_path / "here").st_ino
    for name in (Path(), tmp_path / "link"):
        with pytest.raises(FileNotFoundError), new_folder(name) as place:
            (place / "none" / "half").write_text("x")
        assert not any((tmp_path / "here").iterdir())
        with new_folder(name) as place:
            (place / "card.yaml").write_text("x")
            (place / "documents").mkdir()
            (place / "documents" / "a").write_text("x")
        assert (tmp_path / "here" / "documents" / "a").is_file()
        assert sorted(os.listdir()) == ["card.yaml", "documents"]  # where the user stands
        assert os.stat(tmp_path / "here").st_ino == before
        (tmp_path / "here" / "card.yaml").unlink()
        shutil.rmtree(tmp_path / "here" / "documents")


def test_what_cannot_be_moved_in_leaves_the_folder_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if target == tmp_path / "card.yaml":
            raise OSError(28, "No space left on device")
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", full)

    def fill() -> None:
        with new_folder(tmp_path) as place:
            (place / "card.yaml").write_text("x")
            (place / "questions.jsonl").write_text("x")

    with pytest.raises(OSError, match="No space"):
        fill()
    assert not any(tmp_path.iterdir())


def test_a_failed_run_leaves_no_parents(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(KeyError), new_folder(tmp_path / "there" / "deep" / "down"):
        raise KeyError
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]
