"""BEIR folders: whole documents as evidence, and every slip in corpus, queries and judgements."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from evaluation.gold import Evidence, GoldSet, Passage, Question, load
from evaluation.gold.formats.beir import Beir
from evaluation.gold.formats.format import gold_set
from evaluation.gold.formats.placing import trimmed
from experiments.cli.app import run
from strategies.document import Document
from strategies.errors import BadInput

from ..nasty import sets  # noqa: TID252  (a neighbour's)

TEXT = "Bins go out on Tuesday."
HEADER = "query-id\tcorpus-id\tscore"


def lines(rows: list[Any]) -> str:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)


def folder(
    home: Path,
    judged: list[str],
    corpus: list[Any] | None = None,
    queries: list[Any] | None = None,
    header: str = HEADER,
) -> Path:
    (home / "qrels").mkdir(parents=True)
    corpus = [{"_id": "a", "title": "", "text": TEXT}] if corpus is None else corpus
    queries = [{"_id": "q", "text": "When?"}] if queries is None else queries
    (home / "corpus.jsonl").write_text(lines(corpus), "utf-8")
    (home / "queries.jsonl").write_text(lines(queries), "utf-8")
    (home / "qrels" / "test.tsv").write_text(lines([header, *judged]), "utf-8", newline="")
    return home


def test_relevant_documents_are_evidence_as_a_whole(tmp_path: Path) -> None:
    corpus = [
        {"_id": "a", "title": "Bins", "text": f" {TEXT}\n"},
        {"_id": "b", "title": "Only a title", "text": ""},
        {"_id": "c", "text": f"\n{TEXT} ", "metadata": {"year": 2024, "by": {"name": "Zoë"}, "x": None}},
    ]
    path = folder(tmp_path / "b", ["q\tc\t1", "q\ta\t2", "q\tb\t0", "q\tb\t1"], corpus)
    imported = Beir().read(path)
    (question,) = imported.gold.questions
    assert [entry.passages for entry in question.evidence] == [
        (Passage("c", 1, 24),),
        (Passage("a", 0, 30),),
        (Passage("b", 0, 12),),
    ]
    a, b, c = imported.gold.documents
    assert (a.text, a.metadata) == (f"Bins\n\n {TEXT}\n", {"title": "Bins"})
    assert (b.text, b.metadata) == ("Only a title", {"title": "Only a title"})
    assert (c.text, c.metadata) == (f"\n{TEXT} ", {"year": 2024, "by.name": "Zoë"})
    assert [str(note) for note in imported.notes] == [
        "qrels/test.tsv: 1 of 4 judgements are graded otherwise than 1: all evidence counts alike"
    ]
    strict = Beir(least_score=2).read(path)
    assert [len(one.evidence) for one in strict.gold.questions] == [1]


def test_titles_go_back_where_they_were(tmp_path: Path) -> None:
    corpus = [
        {"_id": "a", "title": "Bins", "text": TEXT},
        {"_id": "b", "title": "Only", "text": ""},
        {"_id": "c", "title": "", "text": TEXT},
        {"_id": "d", "title": "One", "text": TEXT, "metadata": {"title": "Other"}},
    ]
    gold = Beir().read(folder(tmp_path / "b", ["q\ta\t1"], corpus)).gold
    Beir().write(gold, tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert [(row["title"], row["text"]) for row in rows] == [
        ("Bins", TEXT),
        ("Only", ""),
        ("", TEXT),
        ("", f"One\n\n{TEXT}"),
    ]
    assert Beir().read(tmp_path / "out").gold.digest == gold.digest


def test_only_queries_of_the_split_become_questions(tmp_path: Path) -> None:
    queries = [{"_id": name, "text": "?"} for name in ("other", "low", "q")]
    path = folder(tmp_path / "b", ["q\ta\t1", "low\ta\t0"], queries=queries)
    (path / "qrels" / "dev.tsv").write_text(f"{HEADER}\nother\ta\t1\n")
    found = {split: Beir(split=split).read(path).gold.questions for split in ("test", "dev")}
    assert {split: [(one.id, len(one.evidence)) for one in some] for split, some in found.items()} == {
        "test": [("low", 0), ("q", 1)],
        "dev": [("other", 1)],
    }
    with pytest.raises(BadInput, match=r"qrels/train.tsv: is not there. There is: --set split=dev or test"):
        Beir(split="train").read(path)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("{", "is not JSON"),
        ([], "is [], not an object"),
        ({"text": TEXT}, "_id is missing, not text"),
        ({"_id": "x", "text": 3}, "text is 3, not text"),
        ({"_id": "x", "title": 3, "text": TEXT}, "title is 3, not text"),
        ({"_id": "x", "text": "a\0"}, "its text holds a NUL"),
        ({"_id": "a", "text": TEXT}, "_id 'a' stands above already"),
        ({"_id": "x", "text": TEXT, "metadata": [1]}, "metadata is [1], not an object"),
        ({"_id": "x", "text": TEXT, "metadata": {"y": [[1]]}}, "metadata y is"),
        ({"_id": "x", "text": TEXT, "media_type": 1}, "media_type is 1, not text"),
        ({"_id": "x", "text": TEXT, "pages": [{"start": 99, "label": "1"}]}, "pages[0].start is 99"),
        ('{"_id": "x", "text": "\\ud800"}', "holds half of a surrogate pair"),
    ],
)
def test_documents_that_are_refused(row: Any, what: str, tmp_path: Path) -> None:
    corpus = [{"_id": "a", "text": TEXT}, row]
    queries = [{"_id": "q", "text": "?"}, {"_id": "r", "text": "?"}]
    imported = Beir().read(folder(tmp_path / "b", ["q\ta\t1", "r\tx\t1"], corpus, queries))
    first, second = imported.refused
    assert (first.where, first.what[: len(what)]) == ("corpus.jsonl:2", what)
    known = '"_id": "x"' in (row if isinstance(row, str) else json.dumps(row))
    assert second.what == f"document x {'cannot be read' if known else 'is not in corpus.jsonl'}"
    assert [one.id for one in imported.gold.questions] == ["q"]


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("{", "is not JSON"),
        ({"_id": "r"}, "text is missing, not text"),
        ({"_id": "r", "text": " "}, 'text is " ", not text'),
        ({"_id": " ", "text": "?"}, '_id is " ", not text'),
        ({"_id": "q", "text": "?"}, "id 'q' stands at queries.jsonl:1 already"),
        ({"_id": "r", "text": "?", "tags": "x"}, 'tags is "x", not a list'),
        ({"_id": "r", "text": "?", "filter": {"year": [1]}}, "filter is a map, not metadata"),
        ({"_id": "r", "text": "?", "filter": {"year": 1}}, "no document passes the filter"),
        ({"_id": "r", "text": "?", "answer": 1}, "answer is 1, not text"),
        ({"_id": "r", "text": "?", "synthetic": "x"}, 'synthetic is "x", not proxy or model'),
    ],
)
def test_queries_that_are_refused(query: Any, what: str, tmp_path: Path) -> None:
    judged = ["q\ta\t1"] + (["r\ta\t1"] if isinstance(query, dict) and query["_id"] == "r" else [])
    imported = Beir().read(folder(tmp_path / "b", judged, queries=[{"_id": "q", "text": "?"}, query]))
    (problem,) = imported.refused
    assert (problem.where, problem.what[: len(what)]) == ("queries.jsonl:2", what)
    assert [one.id for one in imported.gold.questions] == ["q"]


def test_judgements_that_are_refused(tmp_path: Path) -> None:
    corpus = [{"_id": "a", "text": TEXT}, {"_id": "blank", "text": " \n"}]
    queries = [{"_id": name, "text": "?"} for name in "qrst"]
    judged = ["q\ta\t1", "q\ta\t1", "x\ta\t1", "r\ta\t1", "r\tnone\t1", "s\tblank\t1", "t\tnone\t0"]
    imported = Beir().read(folder(tmp_path / "b", judged, corpus, queries))
    assert [str(problem) for problem in imported.refused] == [
        "qrels/test.tsv:4: query x is not in queries.jsonl",
        "qrels/test.tsv:6: document none is not in corpus.jsonl",
        "qrels/test.tsv:7: document blank has no text, so it cannot be evidence",
    ]
    assert [str(note) for note in imported.notes] == ["qrels/test.tsv:3: judges a for q again"]
    # With a part of its evidence its score would be another.
    assert [(one.id, len(one.evidence)) for one in imported.gold.questions] == [("q", 1), ("t", 0)]


def test_tables_that_are_none_are_told_with_all_their_lines(tmp_path: Path) -> None:
    judged = ["q\ta", "q a 1", "q\ta\tgood", "q\ta\tnan", "", "q\ta\t1"]
    with pytest.raises(BadInput) as raised:
        Beir().read(folder(tmp_path / "b", judged, header="q\ta\t1"))
    assert [problem.where for problem in raised.value.problems] == [
        f"qrels/test.tsv:{line}" for line in (1, 2, 3, 4, 5)
    ]
    assert "is a judgement, where BEIR has a line of headings" in str(raised.value)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_files_that_are_missing(name: str, tmp_path: Path) -> None:
    path = folder(tmp_path / "b", ["q\ta\t1"])
    (path / name).unlink()
    with pytest.raises(BadInput, match=f"{name}: is not there"):
        Beir().read(path)


def test_what_beir_cannot_hold() -> None:
    texts = [Document("a", TEXT), Document("b", f" {TEXT} ")]
    whole, padded, part = Passage("a", 0, 23), Passage("b", 1, 24), Passage("a", 0, 4)
    kinds = {
        "whole": ((whole,), (padded,)),
        "part": ((padded,), (part,)),
        "several": ((part,), (Passage("a", 5, 7),)),
        "either": ((whole, padded),),
        "none": (),
        "nul\0": (),
    }
    questions = [Question(id, "?", tuple(map(Evidence, entries))) for id, entries in kinds.items()]
    fitted = Beir().fit(gold_set("s", texts, questions))
    assert [str(problem) for problem in fitted.refused] == [
        "question part: has a part of a as evidence, where BEIR knows whole documents",
        "question several: has several pieces of evidence in one document, where BEIR knows whole ones only",
        "question either: has alternatives, which BEIR does not know",
        "question nul\\x00: holds a NUL, which a table cannot",
    ]
    assert [one.id for one in fitted.gold.questions] == ["whole", "none"]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(gold=sets())
def test_a_set_of_whole_documents_comes_back(gold: GoldSet, tmp_path_factory: pytest.TempPathFactory) -> None:
    texts = {document.id: document.text for document in gold.documents}
    questions = []
    for one in gold.questions:
        homes = dict.fromkeys(entry.passages[0].document for entry in one.evidence)
        spans = [Passage(home, *trimmed(texts[home], (0, len(texts[home])))) for home in homes]
        questions.append(replace(one, evidence=tuple(Evidence((span,)) for span in spans)))
    whole = gold_set(gold.name, gold.documents, questions)
    assert Beir().fit(whole).gold == whole
    path = tmp_path_factory.mktemp("beir") / "out"
    Beir().write(whole, path)
    back = Beir().read(path)
    assert (back.refused, back.notes, back.gold.digest) == ((), (), whole.digest)


def test_an_import_says_what_whole_documents_mean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = [{"_id": "a", "text": " ".join(f"Bin {number} goes out on Tuesday." for number in range(30))}]
    path = folder(tmp_path / "b", ["q\ta\t1", "x\ta\t1"], corpus)
    command = ["gold", "import", "beir", str(path), "--to", str(tmp_path / "set")]
    assert run(command) == 2
    assert run([*command, "--skip-bad", "--set", "split=test"]) == 0
    said = capsys.readouterr()
    assert "note: beir: evidence is whole documents" in said.err
    assert "left out: qrels/test.tsv:3: query x is not in queries.jsonl" in said.err
    assert [one.id for one in load(tmp_path / "set").questions] == ["q"]
    assert run(["gold", "check", str(tmp_path / "set")]) == 0
    assert "half" in "".join(capsys.readouterr())
    for slip, what in {"split=../x": "split", "least_score=high": "least_score"}.items():
        assert run([*command, "--set", slip]) == 2
        assert what in capsys.readouterr().err
