"""Chroma's layout: the public set as it is laid out there, and every slip in a table."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from evaluation.gold import Evidence, Passage, Question, load
from evaluation.gold.formats.chroma import Chroma
from evaluation.gold.formats.format import gold_set
from experiments.cli.app import run
from strategies.document import Document
from strategies.errors import BadInput

FOLDER = Path(
    os.environ.get("CHUNKSWEEP_CHROMA") or Path(__file__).parents[3].parent / "shared" / "gold" / "chroma"
)


def laid_out(home: Path, corpora: dict[str, bytes | str], rows: list[list[Any]], columns: str) -> Path:
    (home / "corpora").mkdir(parents=True)
    for name, text in corpora.items():
        (home / "corpora" / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with (home / "questions_df.csv").open("w", encoding="utf-8", newline="") as table:
        csv.writer(table, lineterminator="\n").writerows([columns.split(","), *rows])
    return home


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The public set in its own layout, and its questions as they are here."""
    if not (FOLDER / "questions.jsonl").is_file():
        pytest.skip("the Chroma set is not here: set CHUNKSWEEP_CHROMA")
    lines = (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    rows = []
    for question in questions:
        references = [
            {"content": one["text"], "start_index": one["start"], "end_index": one["end"]}
            for one in question["evidence"]
        ]
        corpus = question["document"].removesuffix(".txt")
        rows.append([question["question"], json.dumps(references), corpus])
    corpora = {f"{path.stem}.md": path.read_bytes() for path in (FOLDER / "documents").glob("*.txt")}
    home = tmp_path_factory.mktemp("chroma") / "general_evaluation_data"
    return laid_out(home, corpora, rows, "question,references,corpus_id"), questions


def test_the_public_set(
    public: tuple[Path, list[dict[str, Any]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, questions = public
    assert run(["gold", "import", "chroma", str(path), "--to", str(tmp_path / "set"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    counts = ("documents", "questions", "spans", "left_out")
    assert [told[name] for name in counts] == [5, 472, 790, 0]
    assert "217 spans had white space at an end, which was trimmed" in json.dumps(told["notes"])
    gold = load(tmp_path / "set")
    assert gold.digest == told["digest"]
    texts = {document.id: document.text for document in gold.documents}
    repeated = 0
    for found, raw in zip(gold.questions, questions, strict=True):
        assert (found.id, found.text) == (raw["id"], raw["question"])
        for entry, one in zip(found.evidence, raw["evidence"], strict=True):
            words = {texts[p.document][p.start : p.end] for p in entry.passages}
            assert words == {one["text"].strip()}
            first = entry.passages[0]
            assert one["start"] <= first.start < first.end <= one["end"]
            assert len(entry.passages) == texts[first.document].count(one["text"].strip())
            repeated += len(entry.passages) > 1
    assert repeated == 97
    assert Chroma().fit(gold).gold.digest == gold.digest


def test_only_where_it_is_said(public: tuple[Path, list[dict[str, Any]]], tmp_path: Path) -> None:
    path, _ = public
    target = tmp_path / "set"
    assert run(["gold", "import", "chroma", str(path), "--to", str(target), "--first-occurrence"]) == 0
    entries = [entry for question in load(target).questions for entry in question.evidence]
    assert (len(entries), {len(entry.passages) for entry in entries}) == (790, {1})


TEXT = "Bins go out on Tuesday. Cans too. Bins go out on Friday."


def reference(content: Any, start: Any = 0, end: Any = None) -> dict[str, Any]:
    return {"content": content, "start_index": start, "end_index": len(str(content)) if end is None else end}


def one_row(home: Path, references: Any, question: str = "When?", corpus: str = "a") -> Path:
    cell = references if isinstance(references, str) else json.dumps(references)
    return laid_out(home, {"a.md": TEXT}, [[question, cell, corpus]], "question,references,corpus_id")


FORM = 'Write [{"content", "start_index", "end_index"}]'


@pytest.mark.parametrize(
    ("references", "what"),
    [
        ([reference("Bins", 3, 7)], "content is not what stands at [3, 7), and stands at 0 and 34: 'Bins'"),
        ([reference("Glass")], "content is not what stands at [0, 5), and stands nowhere in it: 'Glass'"),
        ([reference(" ", 4, 5)], 'content is " ", not text'),
        ([reference("Bins", "0")], 'start_index is "0", not an offset in characters'),
        ([reference("Bins", 0.0)], "start_index is 0.0, not an offset in characters"),
        ([reference("Bins", -1)], "start_index is -1, not an offset in characters"),
        ([reference("Bins", True)], "start_index is true, not an offset in characters"),
        ([{"start_index": 0, "end_index": 4}], "content is missing, not text"),
        ([{"chunk_id": 4}], "content is missing, not text"),
        (["chunk-7"], 'is "chunk-7", not an object'),
        ([reference("\ud800")], "content holds half of a surrogate pair"),
    ],
)
def test_evidence_that_is_refused(references: Any, what: str, tmp_path: Path) -> None:
    refused = Chroma().read(one_row(tmp_path / "c", references)).refused
    assert {problem.where for problem in refused} == {"questions_df.csv:2"}
    assert refused[0].what.startswith(f"references[0]: {what}")


def test_rows_that_are_refused_are_told_all_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = json.dumps([reference("Cans too.", 24, 33)])
    rows: list[list[Any]] = [
        ["a", "When?\nNow.", good, "a"],
        ["a", "When?", good, "a"],
        ["", "When?", good, "b"],
        ["2", " ", good, "a"],
        ["3", "When?", "[{'content': 'x'}]", "a"],
        ["4", "When?", "{}", "a"],
        ["5", "When?", "", "a"],
        ["6", "When?", good],
        ["7", "When?", good, "bad"],
        ["8", "When?", good, "a"],
    ]
    corpora: dict[str, bytes | str] = {"a.md": TEXT, "bad.md": b"caf\xe9"}
    path = laid_out(tmp_path / "c", corpora, rows, "id,question,references,corpus_id")
    command = ["gold", "import", "chroma", str(path), "--to", str(tmp_path / "set")]
    assert run(command) == 2
    assert not (tmp_path / "set").exists()
    said = capsys.readouterr().err.splitlines()
    assert [line.removeprefix("chunksweep: ") for line in said] == [
        "corpora/bad.md: is not UTF-8 (byte 0xe9 at 3, line 1); it could be Windows cp1252. Save it as "
        "UTF-8: iconv -f CP1252 -t UTF-8 FILE > NEW, or leave it out with --skip-bad",
        "questions_df.csv:4: id 'a' stands at questions_df.csv:2 already. Give each question an id of its "
        "own; a number counts as its text",
        "questions_df.csv:5: corpus b is not in corpora/. Known: a",
        'questions_df.csv:6: question is " ", not text',
        "questions_df.csv:7: references: is not JSON (column 3: Expecting property name enclosed in double "
        f"quotes). {FORM}",
        f"questions_df.csv:8: references are no list. {FORM}",
        "questions_df.csv:9: references is missing, not text",
        "questions_df.csv:10: corpus_id is missing, not text",
        "questions_df.csv:11: corpus bad cannot be read. Known: a",
        "Nothing was written: 9 rows or files cannot be converted, 2 questions can. "
        "Mend them, or leave them out with --skip-bad",
    ]
    assert run([*command, "--skip-bad"]) == 0
    gold = load(tmp_path / "set")
    assert [question.id for question in gold.questions] == ["a", "8"]
    assert "Left out 9 rows or files that could not be converted." in str(gold.card["how_made"])


def test_offsets_that_are_wrong_but_for_words_that_stand_once(tmp_path: Path) -> None:
    references = [reference("Cans too.", 0, 9), reference("cans  TOO.", 24, 34)]
    imported = Chroma().read(one_row(tmp_path / "c", references))
    (question,) = imported.gold.questions
    assert [(p.start, p.end) for entry in question.evidence for p in entry.passages] == [(24, 33)] * 2
    assert [problem.what for problem in imported.notes] == [
        "references[0]: content is not what stands at [0, 9): taken at 24, where alone it stands",
        "references[1]: content is not what stands at [24, 34): taken at 24, where alone it stands",
    ]


def test_alternatives_are_all_other_copies(tmp_path: Path) -> None:
    path = one_row(tmp_path / "c", [reference("Bins go out on ", 34, 49)])
    for chosen, places in ((Chroma(), [34, 0]), (Chroma(first_occurrence=True), [34])):
        (question,) = chosen.read(path).gold.questions
        assert [(p.start, p.end) for p in question.evidence[0].passages] == [(at, at + 14) for at in places]


@pytest.mark.parametrize(
    ("text", "words", "start", "places"),
    [
        ("Pay 10. In 2010 it was 1,10 or 10", "10", 4, [4, 31]),
        ("yes, eyes yes-men", "yes", 0, [0, 10]),
        ("x x x x x", "x x", 2, [2, 6]),  # what shares text with the first is no other place
        ("x. " * 10, "x", 3, [3, *range(0, 30, 3)]),
        ("x. " * 11, "x", 3, [3]),
        ("xxx " * 50 + "x", "x", 200, [200]),
    ],
)
def test_copies_are_whole_words_in_few_places(
    text: str, words: str, start: int, places: list[int], tmp_path: Path
) -> None:
    cell = json.dumps([reference(words, start, start + len(words))])
    path = laid_out(tmp_path / "c", {"a.md": text}, [["?", cell, "a"]], "question,references,corpus_id")
    imported = Chroma().read(path)
    (entry,) = imported.gold.questions[0].evidence
    assert [passage.start for passage in entry.passages] == list(dict.fromkeys(places))
    many = "questions_df.csv:2: references[0]: content stands in more than 10 places: only that at 3 counts"
    assert [str(note) for note in imported.notes] == ([many] if text.count("x.") > 10 else [])
    assert Chroma().fit(imported.gold).refused == ()


def test_a_range_beyond_the_end_is_none(tmp_path: Path) -> None:
    imported = Chroma().read(one_row(tmp_path / "c", [reference("Friday.", 49, 60)]))
    (entry,) = imported.gold.questions[0].evidence
    assert [(p.start, p.end) for p in entry.passages] == [(49, 56)]
    assert "is not what stands at [49, 60): taken at 49" in imported.notes[0].what


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (b"", "questions_df.csv: is empty"),
        (b"question,references\n", "questions_df.csv:1: has no column corpus_id"),
        (
            b'question,references,corpus_id\n"a,[],a\n',
            "questions_df.csv:2: is not CSV (unexpected end of data)",
        ),
        (b'question,references,corpus_id\n"a"b,[],a\n', "questions_df.csv:2: is not CSV"),
        ("question".encode("utf-16"), "questions_df.csv: is UTF-16"),
        (
            b"question,references,corpus_id\ncaf\xe9,[],a\n",
            "questions_df.csv: is not UTF-8 (byte 0xe9 at 33, line 2)",
        ),
    ],
)
def test_tables_that_are_none(table: bytes, what: str, tmp_path: Path) -> None:
    path = one_row(tmp_path / "c", [])
    (path / "questions_df.csv").write_bytes(table)
    with pytest.raises(BadInput) as raised:
        Chroma().read(path)
    assert str(raised.value).startswith(what)


def test_a_table_of_windows(tmp_path: Path) -> None:
    """A byte-order mark, and carriage returns, in the table and in the text."""
    path = one_row(tmp_path / "c", [])
    row = '"When?",' + '"' + json.dumps([reference("a\nb", 0, 3)]).replace('"', '""') + '",a'
    table = f"\ufeffquestion,references,corpus_id\r\n{row}\r\n\r\n"
    (path / "questions_df.csv").write_bytes(table.encode())
    (path / "corpora" / "a.md").write_bytes(b"a\r\nb\r\nc")
    imported = Chroma().read(path)
    (question,) = imported.gold.questions
    assert [(p.start, p.end) for p in question.evidence[0].passages] == [(0, 4)]
    assert (len(imported.refused), len(imported.notes)) == (0, 1)


def test_names_of_corpora(tmp_path: Path) -> None:
    """Documents are called as their files; a suffix of their own goes before the `.md` that all have."""
    files: dict[str, bytes | str] = {"a.md": "a", "b.txt.md": "b", "c.d.md": "c"}
    rows = [["?", json.dumps([reference(text, 0)]), name] for text, name in (("b", "b.txt"), ("c", "c.d"))]
    gold = Chroma().read(laid_out(tmp_path / "c", files, rows, "question,references,corpus_id")).gold
    assert [(one.id, one.media_type) for one in gold.documents] == [
        ("a.md", "text/markdown"),
        ("b.txt", "text/plain"),
        ("c.d.md", "text/markdown"),
    ]
    assert [q.evidence[0].passages[0].document for q in gold.questions] == ["b.txt", "c.d.md"]


def test_a_question_that_is_asked_twice_is_kept_and_told(tmp_path: Path) -> None:
    rows = [["When?", "[]", "a"], ["When?", "[]", "b"], ["When?", "[]", "a"]]
    path = laid_out(tmp_path / "c", {"a.md": "a", "b.md": "b"}, rows, "question,references,corpus_id")
    imported = Chroma().read(path)
    assert [question.id for question in imported.gold.questions] == ["chroma-000", "chroma-001", "chroma-002"]
    assert [str(note) for note in imported.notes] == [
        "questions_df.csv:4: asks what line 2 asks, word for word"
    ]


def test_a_folder_that_is_called_as_a_file_would_be(tmp_path: Path) -> None:
    texts = [Document(id, id) for id in ("a.txt", "a.txt.md/b.txt", "a.txt.md/c.txt.md/d.txt")]
    entry = Evidence((Passage("a.txt.md/b.txt", 0, 5),))
    fitted = Chroma().fit(gold_set("s", texts, [Question("q", "?", (entry,))]))
    assert [one.id for one in fitted.gold.documents] == [
        "a.txt",
        "a.txt.md%2Fb.txt",
        "a.txt.md%2Fc.txt.md%2Fd.txt",
    ]
    assert "another name is needed for 2 of 3" in fitted.lost[-1].what
    Chroma().write(fitted.gold, tmp_path / "out")
    assert Chroma().read(tmp_path / "out").gold.digest == fitted.gold.digest


def test_what_a_person_did_not_ask_stays_told(tmp_path: Path) -> None:
    columns = "question,references,corpus_id,tags,answer,synthetic"
    rows = [
        ["When?", "[]", "a", '["a", "b"]', "On Tuesday.", "proxy"],
        ["Who?", "[]", "a", "one", "", ""],
        ["Why?", "[]", "a", "[1]", "", ""],
        ["Where?", "[]", "a", "", "", "person"],
    ]
    imported = Chroma().read(laid_out(tmp_path / "c", {"a.md": TEXT}, rows, columns))
    assert [(one.tags, one.answer, one.synthetic) for one in imported.gold.questions] == [
        (("a", "b"), "On Tuesday.", "proxy"),
        (("one",), "", ""),
    ]
    assert [problem.what for problem in imported.refused] == [
        "tags is [1], not a list of texts",
        'synthetic is "person", not proxy or model',
    ]
    Chroma().write(Chroma().fit(imported.gold).gold, tmp_path / "out")
    assert (tmp_path / "out" / "questions_df.csv").read_text("utf-8").splitlines()[0] == (
        '"id","question","references","corpus_id","tags","answer","synthetic"'
    )
    assert Chroma().read(tmp_path / "out").gold.digest == imported.gold.digest


def test_what_a_table_cannot_hold() -> None:
    questions = [
        *(Question("a\0", "?", ()), Question("b", "?\0", ()), Question("c", "?", (), answer="\0")),
        Question("d", "?", (), ("\0",)),
    ]
    fitted = Chroma().fit(gold_set("s", [Document("a.md", TEXT)], questions))
    assert [problem.what for problem in fitted.refused] == ["holds a NUL, which a table cannot"] * 3
    assert [one.id for one in fitted.gold.questions] == ["d"]
