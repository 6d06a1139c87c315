"""SQuAD files: offsets shifted into the article, and every slip in one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.gold import Evidence, GoldSet, Passage, Question, load
from evaluation.gold.formats.format import gold_set
from evaluation.gold.formats.squad import Squad
from experiments.cli.app import run
from strategies.document import Document
from strategies.errors import BadInput

CONTEXT = "Bins go out on Tuesday. Cans too. Bins go out on Friday."


def file(home: Path, content: Any) -> Path:
    path = home / "dev.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return path


def asked(*answers: Any, **more: Any) -> dict[str, Any]:
    return {"id": "q", "question": "When?", "answers": list(answers), **more}


def article(*qas: Any, **more: Any) -> dict[str, Any]:
    return {"data": [{"title": "Bins", "paragraphs": [{"context": CONTEXT, "qas": list(qas), **more}]}]}


def test_places_are_those_of_the_article(tmp_path: Path) -> None:
    paragraphs = [
        {"context": "One.", "qas": [asked({"text": "One", "answer_start": 0})]},
        {"context": "Two, two.", "qas": [asked({"text": "two", "answer_start": 5}, id="r")]},
    ]
    content = {"data": [{"title": "T", "paragraphs": paragraphs}, {"title": "T", "paragraphs": []}, {}]}
    content["data"].append({"title": "U", "paragraphs": [{"context": " ", "qas": []}]})
    imported = Squad().read(file(tmp_path, content))
    assert [(one.id, one.text) for one in imported.gold.documents] == [
        ("T", "One.\n\nTwo, two."),
        ("T~2", ""),
        ("U", " "),
        ("article-002", ""),
    ]
    first, second = (question.evidence[0].passages for question in imported.gold.questions)
    assert (first, second) == ((Passage("T", 0, 3),), (Passage("T", 11, 14),))
    assert [str(note) for note in imported.notes] == [
        "dev.json: data[1]: is called T~2: 'T' names no file, or is taken",
        "dev.json: 3 of 4 articles hold no text: T~2, article-002 and U",
    ]


def test_questions_without_answers(tmp_path: Path) -> None:
    """Only who says that nothing answers a question makes it one without evidence."""
    likely = [{"text": "Tuesday", "answer_start": 15}]
    qas = [
        asked(id="said", is_impossible=True, plausible_answers=likely),
        {"id": "bare", "question": "?", "is_impossible": True, "answers": None, "plausible_answers": []},
        asked(id="listed"),
        asked(id="false", is_impossible=False),
        {"id": "none", "question": "?"},
        {"id": "null", "question": "?", "answers": None, "is_impossible": False},
        asked(id="text", is_impossible="true"),
    ]
    imported = Squad().read(file(tmp_path, article(*qas)))
    assert {question.id: question.evidence for question in imported.gold.questions} == {
        "said": (),
        "bare": (),
        "listed": (),
    }
    where, remedy = "dev.json: data[0].paragraphs[0].qas", "Write true if nothing in the text answers it"
    assert [str(problem) for problem in imported.refused] == [
        f"{where}[3]: has no answers, and is_impossible is false. {remedy}",
        f"{where}[4]: has no answers, and is_impossible is missing. {remedy}",
        f"{where}[5]: has no answers, and is_impossible is false. {remedy}",
        f'{where}[6]: is_impossible is "true", not true or false',
    ]
    assert [str(note) for note in imported.notes] == [
        "dev.json: 1 of 3 questions have plausible_answers, which are left out: said",
        "dev.json: 1 of 3 questions have an empty list of answers: nothing answers them: listed",
    ]


def test_answers_are_alternatives_and_distinct(tmp_path: Path) -> None:
    answers = [
        {"text": text, "answer_start": at}
        for text, at in (("Tuesday.", 15), (" Tuesday. ", 14), ("Friday", 49))
    ]
    (question,) = Squad().read(file(tmp_path, article(asked(*answers)))).gold.questions
    assert question.evidence == (Evidence((Passage("Bins", 15, 23), Passage("Bins", 49, 55))),)


@pytest.mark.parametrize(
    ("qa", "what"),
    [
        (3, "is 3, not an object"),
        (asked(id=None), "id is missing, not text"),
        (asked(id=1.5), "id is 1.5, not text"),
        (asked(id=True), "id is true, not text"),
        (asked(question=""), 'question is "", not text'),
        (asked(answers={}), "answers is a map, not a list"),
        (
            asked({"text": "Cans", "answer_start": 24}, is_impossible=True),
            "is_impossible is true, but there are",
        ),
        (
            asked({"text": "Bins", "answer_start": 3}),
            "answers[0]: text is not what stands at [3, 7), and stands at 0",
        ),
        (
            asked({"text": "Glass", "answer_start": 0}),
            "answers[0]: text is not what stands at [0, 5), and stands now",
        ),
        (asked({"text": "Bins", "answer_start": "0"}), 'answers[0]: answer_start is "0", not an offset'),
        (asked({"text": "Bins"}), "answers[0]: answer_start is missing, not an offset"),
        (asked({"answer_start": 0}), "answers[0]: text is missing, not text"),
        (asked("Bins"), 'answers[0]: is "Bins", not an object'),
        (asked(question="\ud800"), "question holds half of a surrogate pair"),
    ],
)
def test_questions_that_are_refused(qa: Any, what: str, tmp_path: Path) -> None:
    imported = Squad().read(file(tmp_path, article(qa, asked(id="good"))))
    assert [question.id for question in imported.gold.questions] == ["good"]
    (problem,) = imported.refused
    assert problem.where == "dev.json: data[0].paragraphs[0].qas[0]"
    assert problem.what.startswith(what)


def test_an_answer_that_stands_once_elsewhere_is_taken(tmp_path: Path) -> None:
    imported = Squad().read(file(tmp_path, article(asked({"text": "Cans", "answer_start": 23}))))
    assert imported.gold.questions[0].evidence == (Evidence((Passage("Bins", 24, 28),)),)
    assert str(imported.notes[0]) == (
        "dev.json: data[0].paragraphs[0].qas[0]: answers[0]: text is not what stands at [23, 27): "
        "taken at 24, where alone it stands"
    )


def test_ids_of_two_questions(tmp_path: Path) -> None:
    imported = Squad().read(file(tmp_path, article(asked(id=1), asked(id="1"), asked(id="01"))))
    assert [question.id for question in imported.gold.questions] == ["1", "01"]
    assert "id '1' stands at dev.json: data[0].paragraphs[0].qas[0] already" in imported.refused[0].what


@pytest.mark.parametrize("context", [None, 3, "a\0b", "\ud800"])
def test_an_article_without_its_text_is_refused_with_its_questions(context: Any, tmp_path: Path) -> None:
    content = article(asked(), asked(id="r"), context=context)
    content["data"] += article(asked(id="s"))["data"]
    imported = Squad().read(file(tmp_path, content))
    assert [question.id for question in imported.gold.questions] == ["s"]
    assert {problem.where for problem in imported.refused} == {"dev.json: data[0]"}
    assert imported.refused[-1].what == "its 2 questions are left out with it"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "dev.json:1: is not JSON (column 1"),
        ('{"data": [\n,', "dev.json:2: is not JSON (column 1"),
        ("[" * 100_000, "dev.json: is not JSON"),
        ([], "dev.json: is no object with a list `data`"),
        ({"data": {}}, "dev.json: is no object with a list `data`"),
    ],
)
def test_files_that_are_none(content: Any, what: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        Squad().read(file(tmp_path, content))
    assert str(raised.value).startswith(what)


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = file(tmp_path, "\ufeff" + json.dumps(article(asked())))
    assert len(Squad().read(path).gold.questions) == 1


def small() -> GoldSet:
    """A question that fits, and each kind that does not."""
    texts = [Document("a.txt", CONTEXT), Document("b.txt", CONTEXT)]
    a, b, c = Passage("a.txt", 0, 4), Passage("a.txt", 34, 38), Passage("b.txt", 0, 4)
    kinds = {"one": ((a, b),), "two": ((a,), (b,)), "far": ((a, c),), "none": ()}
    questions = [Question(id, "?", tuple(map(Evidence, entries)), ("t",)) for id, entries in kinds.items()]
    return gold_set("small", texts, questions)


def test_what_squad_cannot_hold() -> None:
    fitted = Squad().fit(small())
    assert [str(problem) for problem in fitted.refused] == [
        "question two: has 2 pieces of evidence, where SQuAD holds one",
        "question far: has alternatives in several documents, where SQuAD holds those of one",
    ]
    assert fitted.lost == ()


def test_what_is_written_is_squad_2(tmp_path: Path) -> None:
    Squad().write(Squad().fit(small()).gold, tmp_path / "new" / "out.json")
    content = json.loads((tmp_path / "new" / "out.json").read_text("utf-8"))
    assert (content["version"], [one["title"] for one in content["data"]]) == ("v2.0", ["a.txt", "b.txt"])
    (paragraph,) = content["data"][0]["paragraphs"]
    assert paragraph["context"] == CONTEXT
    assert paragraph["qas"] == [
        {
            **asked({"text": "Bins", "answer_start": 0}, {"text": "Bins", "answer_start": 34}),
            "id": "one",
            "question": "?",
            "is_impossible": False,
            "tags": ["t"],
        },
        {"id": "none", "question": "?", "answers": [], "is_impossible": True, "tags": ["t"]},
    ]


def test_what_a_person_did_not_ask_stays_told(tmp_path: Path) -> None:
    told = {"tags": ["a", "b"], "answer": "On Tuesday.", "synthetic": "proxy"}
    path = file(tmp_path, article(asked(is_impossible=True, **told), asked(id="r", synthetic="person")))
    imported = Squad().read(path)
    (question,) = imported.gold.questions
    assert question == Question("q", "When?", (), ("a", "b"), {}, "On Tuesday.", "proxy")
    assert [problem.what for problem in imported.refused] == ['synthetic is "person", not proxy or model']
    Squad().write(Squad().fit(imported.gold).gold, tmp_path / "out.json")
    (row,) = json.loads((tmp_path / "out.json").read_text("utf-8"))["data"][0]["paragraphs"][0]["qas"]
    assert {key: row[key] for key in told} == told


def test_questions_that_do_not_fit_are_left_out_by_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(
        tmp_path, article(asked({"text": "Bins", "answer_start": 0}, {"text": "Bins", "answer_start": 34}))
    )
    assert run(["gold", "import", "squad", str(path), "--to", str(tmp_path / "set")]) == 0
    lines = (tmp_path / "set" / "questions.jsonl").read_text("utf-8")
    row = {
        "id": "two",
        "question": "?",
        "evidence": [{"document": "Bins", "quote": quote} for quote in ("Tuesday", "Friday")],
    }
    (tmp_path / "set" / "questions.jsonl").write_text(lines + json.dumps(row) + "\n", "utf-8")
    command = ["gold", "export", str(tmp_path / "set"), "squad", str(tmp_path / "out.json")]
    assert run(command) == 2
    assert not (tmp_path / "out.json").exists()
    err = capsys.readouterr().err
    assert "chunksweep: question two: has 2 pieces of evidence, where SQuAD holds one\n" in err
    assert "Nothing was written: 1 question cannot be converted, 1 question can." in err
    assert run([*command, "--skip-bad"]) == 0
    said = capsys.readouterr()
    assert "chunksweep: left out: question two: has 2 pieces" in said.err
    assert "1 document, 1 question, 1 span, 1 alternative; left out 1 question." in said.out
    assert Squad().read(tmp_path / "out.json").gold.questions == load(tmp_path / "set").questions[:1]
    for name in ("one", "two"):  # nothing fits, nothing is written
        (tmp_path / "set" / "questions.jsonl").write_text(json.dumps(row | {"id": name}) + "\n", "utf-8")
    assert run([*command[:-1], str(tmp_path / "none.json"), "--skip-bad"]) == 2
    assert "squad can hold none of them" in capsys.readouterr().err
    assert not (tmp_path / "none.json").exists()
