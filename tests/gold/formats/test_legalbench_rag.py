"""LegalBench-RAG folders: every slip in a benchmark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.gold import Evidence, Passage, Question
from evaluation.gold.formats.format import gold_set
from evaluation.gold.formats.legalbench_rag import LegalBenchRag
from strategies.document import Document
from strategies.errors import BadInput

TEXT = "Bins go out on Tuesday. Cans too. Bins go out on Friday."


def folder(home: Path, *tests: Any, **benchmarks: str) -> Path:
    (home / "corpus" / "x").mkdir(parents=True)
    (home / "benchmarks").mkdir()
    (home / "corpus" / "x" / "a.txt").write_text(TEXT, "utf-8")
    (home / "corpus" / "bad.txt").write_bytes(b"caf\xe9")
    for name, content in {"house": json.dumps({"tests": tests}), **benchmarks}.items():
        (home / "benchmarks" / f"{name}.json").write_text(content, "utf-8")
    return home


def asked(*snippets: Any, **more: Any) -> dict[str, Any]:
    return {"query": "When?", "snippets": list(snippets), **more}


def snippet(start: Any, end: Any, file: Any = "x/a.txt", **more: Any) -> dict[str, Any]:
    return {"file_path": file, "span": [start, end], **more}


@pytest.mark.parametrize(
    ("test", "what"),
    [
        ([], "is [], not an object"),
        ({"snippets": []}, "query is missing, not text"),
        ({"query": "When?"}, "snippets are missing"),
        ({"query": "When?", "snippets": {}}, "snippets is a map, not a list"),
        (asked(tags="bins"), 'tags is "bins", not a list'),
        (asked(tags=[1]), "tags is [1], not a list of texts"),
        (asked(id=[]), "id is [], not text"),
        (asked("chunk-7"), 'snippets[0]: is "chunk-7", not an object'),
        (asked({"chunk_id": 7}), "snippets[0]: file_path is missing, not text"),
        (asked(snippet(0, 4, "a.txt")), "snippets[0]: file_path a.txt is not in corpus/"),
        (asked(snippet(0, 4, "bad.txt")), "snippets[0]: file_path bad.txt cannot be read"),
        (asked({"file_path": "x/a.txt"}), "snippets[0]: span is no pair of offsets"),
        (asked(snippet(0, 4.5)), "snippets[0]: span is no pair of offsets"),
        (
            asked(snippet(4, 4)),
            "snippets[0]: span [4, 4) is no range of words in x/a.txt, which has 56 characters",
        ),
        (asked(snippet(-4, -1)), "snippets[0]: span [-4, -1) is no range of words"),
        (asked(snippet(4, 5)), "snippets[0]: span [4, 5) is no range of words"),
        (asked(snippet(-23, -14, answer="Cans too.")), "snippets[0]: span [-23, -14) is no range of words"),
        (asked(snippet(24, 24, answer="Cans too.")), "snippets[0]: span [24, 24) is no range of words"),
        (asked(snippet(0, 10**30)), "snippets[0]: span [0, 1000"),
        (asked(snippet(50, 57)), "snippets[0]: span [50, 57) is no range of words"),
        (
            asked(snippet(1, 5, answer="Bins")),
            "snippets[0]: answer is not what stands at [1, 5), and stands at 0 and",
        ),
        (asked(snippet(0, 4, answer=4)), "snippets[0]: answer is 4, not text"),
    ],
)
def test_tests_that_are_refused(test: Any, what: str, tmp_path: Path) -> None:
    imported = LegalBenchRag().read(folder(tmp_path / "l", test, asked(snippet(0, 4, answer="Bins"))))
    assert [question.id for question in imported.gold.questions] == ["house-001"]
    of_file, problem = imported.refused
    assert (of_file.where, problem.where) == ("corpus/bad.txt", "benchmarks/house.json: tests[0]")
    assert problem.what.startswith(what)


def test_every_snippet_is_needed_and_is_checked(tmp_path: Path) -> None:
    test = asked(snippet(23, 33), snippet(0, 8, answer="Cans too"), tags=["a", "b", "a"])
    imported = LegalBenchRag().read(folder(tmp_path / "l", test))
    (question,) = imported.gold.questions
    spans = (Passage("x/a.txt", 24, 33), Passage("x/a.txt", 24, 32))
    assert question == Question("house-000", "When?", tuple(Evidence((one,)) for one in spans), ("a", "b"))
    assert [str(note) for note in imported.notes] == [
        "benchmarks/house.json: tests[0]: snippets[1]: answer is not what stands at [0, 8): "
        "taken at 24, where alone it stands"
    ]


def test_a_span_beyond_the_end_is_looked_for(tmp_path: Path) -> None:
    imported = LegalBenchRag().read(folder(tmp_path / "l", asked(snippet(49, 99, answer="Friday."))))
    assert imported.gold.questions[0].evidence == (Evidence((Passage("x/a.txt", 49, 56),)),)
    assert imported.notes[0].what.endswith(
        "is not what stands at [49, 99): taken at 49, where alone it stands"
    )


def test_ids_are_each_once_over_all_benchmarks(tmp_path: Path) -> None:
    more = json.dumps({"tests": [asked(id="house-000"), asked(id=4)]})
    imported = LegalBenchRag().read(folder(tmp_path / "l", asked(), more=more))
    assert [question.id for question in imported.gold.questions] == ["house-000", "4"]
    assert "stands at benchmarks/house.json: tests[0] already" in imported.refused[-1].what


def test_benchmarks_that_are_none_are_told_together(tmp_path: Path) -> None:
    path = folder(tmp_path / "l", [], list="[]", torn='{"tests": [', deep='{"tests": 3}')
    with pytest.raises(BadInput) as raised:
        LegalBenchRag().read(path)
    assert [problem.where for problem in raised.value.problems] == [
        *("benchmarks/deep.json", "benchmarks/list.json", "benchmarks/torn.json:1"),
        *("corpus/bad.txt", "benchmarks/house.json: tests[0]"),
    ]


def test_what_it_cannot_hold() -> None:
    one, other = Passage("a.txt", 0, 4), Passage("a.txt", 34, 38)
    questions = [
        Question("a", "?", (Evidence((one, other)),)),
        Question("b", "?", (Evidence((one,)),), ("t",), {"year": 1}, answer="x", synthetic="model"),
    ]
    fitted = LegalBenchRag().fit(gold_set("s", [Document("a.txt", TEXT, {"year": 1})], questions))
    assert [str(problem) for problem in (*fitted.refused, *fitted.lost)] == [
        "question a: has alternatives, which LegalBench-RAG does not know",
        "questions: the filter is lost for 1 of 1 (b)",
        "documents: metadata are lost for 1 of 1 (a.txt)",
    ]
    (kept,) = fitted.gold.questions
    assert (kept.tags, kept.answer, kept.synthetic) == (("t",), "x", "model")


def test_what_a_person_did_not_ask_stays_told(tmp_path: Path) -> None:
    told = {"tags": ["a"], "answer": "On Tuesday.", "synthetic": "proxy"}
    imported = LegalBenchRag().read(folder(tmp_path / "l", asked(**told), asked(synthetic="person")))
    (question,) = imported.gold.questions
    assert (question.tags, question.answer, question.synthetic) == (("a",), "On Tuesday.", "proxy")
    assert imported.refused[-1].what == 'synthetic is "person", not proxy or model'
    LegalBenchRag().write(imported.gold, tmp_path / "out")
    (test,) = json.loads((tmp_path / "out/benchmarks/questions.json").read_text("utf-8"))["tests"]
    assert {key: test[key] for key in told} == told
