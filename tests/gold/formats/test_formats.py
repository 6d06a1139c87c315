"""What every foreign format owes. A format joins by standing in FORMATS, with a sample of its files here."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.gold import Evidence, GoldSet, Passage, Question, load
from evaluation.gold.formats import FORMATS
from evaluation.gold.formats.chroma import Chroma
from evaluation.gold.formats.format import Format, Imported, gold_set
from evaluation.gold.formats.names import Names, escaped
from evaluation.gold.unwritable import Taken, foreign_problem, name_problem
from evaluation.gold.writing import write_gold
from experiments.cli.app import run
from strategies.document import Document
from strategies.errors import BadInput

from ..nasty import CLASHING, FOREIGN, sets  # noqa: TID252  (a neighbour's)

ROOT = Path(__file__).resolve().parents[3]

RULES = "# Rules\r\n\r\nBins go out on Tuesday.\r\nBins go out on Tuesday, or \u201clater\u201d.\r\n"
LETTER = "From April on, bins go out on Thursday.\n"


def chroma(home: Path) -> Path:
    """Two corpora, a question of one piece and one of two, and a row without evidence."""
    path = home / "general_evaluation_data"
    (path / "corpora").mkdir(parents=True)
    (path / "corpora" / "rules.md").write_bytes(RULES.encode())
    (path / "corpora" / "2024-03.md").write_bytes(b"\xef\xbb\xbf" + LETTER.encode())
    tuesday = {"content": " on Tuesday", "start_index": 22, "end_index": 33}
    thursday = {"content": "Thursday", "start_index": 30, "end_index": 38}
    april = {"content": "From April on", "start_index": 0, "end_index": 13}
    rows = [("When?", [tuesday], "rules"), ("And now?", [thursday, april], "2024-03"), ("Who?", [], "rules")]
    quoted = [
        ",".join(f'"{cell}"' for cell in (str(n), asked, json.dumps(places).replace('"', '""'), corpus))
        for n, (asked, places, corpus) in enumerate(rows)
    ]
    (path / "questions_df.csv").write_text("\n".join([",question,references,corpus_id", *quoted, ""]))
    return path


def legalbench_rag(home: Path) -> Path:
    """Two benchmarks; a test over two files, and one without snippets."""
    path = home / "legal"
    (path / "corpus" / "letters").mkdir(parents=True)
    (path / "benchmarks").mkdir()
    (path / "corpus" / "rules.txt").write_bytes(RULES.encode())
    (path / "corpus" / "letters" / "2024-03.txt").write_bytes(LETTER.encode())
    snippets = [
        {"file_path": "rules.txt", "span": [11, 34], "answer": "Bins go out on Tuesday."},
        {"file_path": "letters/2024-03.txt", "span": [29, 38]},
    ]
    tests = [{"query": "When?", "snippets": snippets, "tags": ["bins", "bins"]}]
    (path / "benchmarks" / "house.json").write_text(json.dumps({"tests": tests}))
    (path / "benchmarks" / "more.json").write_text(json.dumps({"tests": [{"query": "Who?", "snippets": []}]}))
    return path


def squad(home: Path) -> Path:
    """An article of two paragraphs, answers that repeat, a question that is impossible."""
    path = home / "dev.json"
    answers = [{"text": "Tuesday", "answer_start": 26}, {"text": "Tuesday", "answer_start": 26}]
    answers.append({"text": "on Tuesday", "answer_start": 23})
    later = [{"text": "Thursday", "answer_start": 30}]
    paragraphs = [
        {"context": RULES, "qas": [{"id": "a", "question": "When?", "answers": answers}]},
        {
            "context": LETTER,
            "qas": [
                {"id": 7, "question": "And now?", "answers": later, "is_impossible": False},
                {
                    "id": "c",
                    "question": "Who?",
                    "answers": [],
                    "is_impossible": True,
                    "plausible_answers": later,
                },
            ],
        },
    ]
    articles = [{"title": "AC/DC rules.", "paragraphs": paragraphs}, {"title": "Empty", "paragraphs": []}]
    path.write_text(json.dumps({"version": "v2.0", "data": articles}))
    return path


def beir(home: Path) -> Path:
    """Two splits, a title, metadata, a grade, a query that nothing answers and one of the other split."""
    path = home / "scifact"
    (path / "qrels").mkdir(parents=True)
    corpus = [
        {"_id": "rules.md", "title": "", "text": RULES, "metadata": {"url": "x", "by": {"name": "Zo\u00eb"}}},
        {"_id": 4, "title": "Letter", "text": LETTER},
        {"_id": "MED-10/a b", "title": "Only a title", "text": ""},
    ]
    queries = [{"_id": name, "text": f"When {name}?"} for name in ("q1", "2", "none", "trained")]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    head = "query-id\tcorpus-id\tscore\n"
    test = "q1\trules.md\t2\nq1\t4\t1\n2\tMED-10/a b\t1\n2\trules.md\t0\nnone\t4\t0\n"
    (path / "qrels" / "test.tsv").write_text(head + test, "utf-8")
    (path / "qrels" / "train.tsv").write_text(f"{head}trained\t4\t1\n", "utf-8")
    return path


def ragas_testset(home: Path) -> Path:
    """A row of two hops, one of words that repeat, one without contexts."""
    path = home / "ragas" / "testset.jsonl"
    (path.parent / "documents").mkdir(parents=True)
    (path.parent / "documents" / "rules.md").write_bytes(RULES.encode())
    (path.parent / "documents" / "2024.txt").write_bytes(LETTER.encode())
    hops = ["<1-hop>\n\n# Rules\n\nBins go out on Tuesday.", "<2-hop>\n\n" + LETTER]
    rows = [
        {"user_input": "When?", "reference_contexts": hops, "reference": "On Thursday."},
        {"user_input": "And before?", "reference_contexts": ["Bins go out on Tuesday"], "id": "before"},
        {"user_input": "Who?", "reference_contexts": None, "persona_name": "Reader"},
    ]
    rows[0]["synthesizer_name"] = "multi_hop_specific_query_synthesizer"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def hugging_face(home: Path) -> Path:
    """SQuAD as the hub has it: the text in each row, answers in lists."""
    path = home / "card.yaml"
    path.write_text(
        "name: hub-set\n"
        "source: {dataset: ./squad, split: train}\n"
        "documents: {id: title, text: context, metadata: [topic]}\n"
        "questions: {id: id, question: question, evidence: answers.text, start: answers.answer_start,\n"
        "            several: any, answer: answers.text, tags: kind}\n",
        "utf-8",
    )
    both = {"text": ["Tuesday", "on Tuesday"], "answer_start": [26, 23]}
    rows = [
        {"id": "a", "title": "R", "context": RULES, "question": "When?", "answers": both},
        {
            "id": "b",
            "title": "R",
            "context": RULES,
            "question": "?",
            "answers": {"text": [], "answer_start": []},
        },
        {"id": "c", "title": "L", "context": LETTER, "question": "Now?"},
    ]
    rows[2]["answers"] = {"text": ["Thursday"], "answer_start": [30]}
    (home / "squad").mkdir()
    lines = (json.dumps(row | {"topic": "bins", "kind": ["a", "b"]}) + "\n" for row in rows)
    (home / "squad" / "train-00000.jsonl").write_text("".join(lines), "utf-8")
    return path


SAMPLES: dict[str, Callable[[Path], Path]] = {
    "chroma": chroma,
    "legalbench-rag": legalbench_rag,
    "squad": squad,
    "beir": beir,
    "ragas-testset": ragas_testset,
    "hugging-face": hugging_face,
}
"""Writes a small set of the format below a folder, and says where."""

formats = pytest.mark.parametrize("name", FORMATS)


def test_every_format_has_its_file_and_its_sample() -> None:
    parts = {"format", "fitting", "folders", "importing", "names", "page", "placing", "rows", "told"}
    parts |= {"contexts", "hub_mapping", "hub_rows", "hub_evidence"}
    found = {path.stem for path in (ROOT / "evaluation/gold/formats").glob("*.py")} - {"__init__"} - parts
    assert {name.replace("-", "_") for name in FORMATS} == found
    assert SAMPLES.keys() == FORMATS.keys()
    for name, cls in FORMATS.items():
        assert cls.__module__ == f"evaluation.gold.formats.{name.replace('-', '_')}"


@formats
def test_a_sample_survives_the_way_there_and_back(name: str, tmp_path: Path) -> None:
    one = FORMATS[name]()
    first = one.read(SAMPLES[name](tmp_path))
    assert (first.refused, len(first.gold.questions) >= 2, len(first.files) >= 1) == ((), True, True)
    fitted = one.fit(first.gold)
    assert (fitted.refused, fitted.lost, fitted.gold.digest) == ((), (), first.gold.digest)
    one.write(fitted.gold, tmp_path / "out")
    again = one.read(tmp_path / "out")
    assert (again.refused, changed(again), again.gold.digest) == ((), [], first.gold.digest)


@formats
def test_a_sample_goes_through_the_command_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source = SAMPLES[name](tmp_path)
    assert run(["gold", "import", name, str(source)]) == 0
    assert run(["gold", "check", f"./{name}"]) == 0
    assert run(["gold", "export", f"./{name}", name, "out"]) == 0
    assert run(["gold", "import", name, "out", "--to", "again", "--name", "Again", "--json"]) == 0
    out = capsys.readouterr().out
    told = json.loads(out[out.rindex("\n{") :])
    assert told["digest"] == load(Path(name)).digest == load(Path("again")).digest
    assert (told["name"], told["refused"], told["left_out"]) == ("Again", [], 0)
    card = load(Path(name)).card
    assert str(card["how_made"]).startswith(f"Imported from {name}: {source.name}, ")
    assert "sha256:" in str(card["how_made"])
    assert run(["gold", "import", name, str(source)]) == 2
    assert run(["gold", "export", f"./{name}", name, "out"]) == 2
    assert capsys.readouterr().err.count("is there already") == 2


def changed(imported: Imported) -> list[str]:
    """Notes but for those on what is odd about the set itself."""
    of_the_set = ("asks what line", "hold no text", "stands in more than")
    return [note.what for note in imported.notes if not any(what in note.what for what in of_the_set)]


def round_trip(one: Format, gold: GoldSet) -> None:
    fitted = one.fit(gold)
    assert len(fitted.gold.questions) + len(fitted.refused) == len(gold.questions)
    whole = not fitted.refused and not fitted.lost
    assert whole == (fitted.gold.digest == gold.digest)
    again = one.fit(fitted.gold)
    assert (again.refused, again.lost, again.gold) == ((), (), fitted.gold)
    with tempfile.TemporaryDirectory() as home:
        one.write(fitted.gold, Path(home, "out"))
        back = one.read(Path(home, "out"))
    assert (back.refused, changed(back), back.gold.digest) == ((), [], fitted.gold.digest)
    missing = {question.id for question in gold.questions} - {q.id for q in fitted.gold.questions}
    assert len(missing) == len(fitted.refused)


PARTS = [*(cls() for cls in FORMATS.values()), Chroma(first_occurrence=True)]


@pytest.mark.parametrize("one", PARTS, ids=str)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(sets(plain=True))
def test_what_fits_is_kept_whole(one: Format, gold: GoldSet) -> None:
    round_trip(one, gold)


@pytest.mark.parametrize("one", PARTS, ids=str)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(sets())
def test_what_is_lost_is_told(one: Format, gold: GoldSet) -> None:
    round_trip(one, gold)


@pytest.mark.parametrize("one", PARTS, ids=str)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(sets(plain=True, anywhere=False))
def test_names_that_not_every_file_system_holds_are_changed_and_told(one: Format, gold: GoldSet) -> None:
    round_trip(one, gold)
    taken = Taken()
    for document in one.fit(gold).gold.documents:
        assert (foreign_problem(document.id), taken.by(document.id)) == ("", "")
        taken.add(document.id)


@formats
def test_two_names_that_differ_in_case_alone(name: str) -> None:
    texts = [Document(id, f"Bins go out on {day}.") for id, day in (("A.txt", "Monday"), ("a.txt", "Friday"))]
    entry = Evidence((Passage("a.txt", 0, len(texts[1].text)),))
    gold = gold_set("twins", texts, [Question("q", "When?", (entry,))])
    round_trip(FORMATS[name](), gold)
    assert "another name is needed for 1 of 2: a.txt becomes a~2.txt" in {
        problem.what for problem in FORMATS[name]().fit(gold).lost
    }


@settings(max_examples=300, deadline=None)
@given(FOREIGN | st.sampled_from(CLASHING))
def test_what_can_be_a_document_is_called_so(foreign: str) -> None:
    assert foreign_problem(escaped(foreign)) == ""
    if not foreign_problem(foreign):
        assert Names().new(foreign) == foreign


@pytest.mark.parametrize(
    ("foreign", "name"),
    [
        ("Zelda: A Link?", "Zelda%3A A Link%3F"),
        ("con", "%63on"),
        ("x/Nul.tar.gz", "x/%4Eul.tar.gz"),
        ("com\u00b9.txt", "%63om\u00b9.txt"),
        ("console.md", "console.md"),
        ("Apple Inc.", "Apple Inc%2E"),
        ("a /b", "a%20/b"),
        (f"/{'a' * 233} b", f"%2F{'a' * 233}"),  # cut where a blank would end it
        (f"{' ' * 300}b", "%"),
        ('a\\b<1>|"*\t', "a%5Cb%3C1%3E%7C%22%2A%09"),
    ],
)
def test_names_that_windows_alone_refuses_are_escaped(foreign: str, name: str) -> None:
    assert Names().new(foreign) == escaped(foreign) == name


def test_names_do_not_clash() -> None:
    names, taken = Names(), Taken()
    wanted = [
        "a",
        "A",
        "a/b",
        "a",
        "b/c",
        "B/d",
        "B",
        "x.md",
        "X.md",
        "x" * 300,
        "x" * 300,
        "",
        "",
        "..",
        "a/../b",
    ]
    given = [names.new(foreign) for foreign in wanted]
    assert given[:9] == ["a", "A~2", "a%2Fb", "a~3", "b/c", "B%2Fd", "B~2", "x.md", "X~2.md"]
    for name in given:
        assert (name_problem(name), taken.by(name)) == ("", "")
        taken.add(name)


def test_a_list_of_formats(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "formats", "--json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["layout"] for row in rows} == {name: cls.layout for name, cls in FORMATS.items()}


def test_slips_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {
        "gold import sqad x": "format: 'sqad' is not known. Did you mean squad?",
        f"gold import squad {tmp_path}/none": "none: is not there. squad is one JSON file",
        "gold import squad x --first-occurrence": "first_occurrence: is not a parameter of squad",
        "gold import chroma x --set first_ocurrence=true": "Did you mean first_occurrence?",
        "gold import chroma x --set first_occurrence=1": "first_occurrence: is 1, not true or false",
        "gold export handbook sqad x": "Did you mean squad?",
    }
    for line, what in lines.items():
        assert run(line.split()) == 2
        assert what in capsys.readouterr().err, line


@formats
def test_importing_twice_writes_the_same_bytes(name: str, tmp_path: Path) -> None:
    source = SAMPLES[name](tmp_path)
    for folder in ("one", "two"):  # the set is called as its folder
        assert run(["gold", "import", name, str(source), "--to", str(tmp_path / folder / "set")]) == 0
    files = [
        {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}
        for home in (tmp_path / "one", tmp_path / "two")
    ]
    assert len(files[0]) >= 3
    assert files[0] == files[1]


@formats
def test_what_the_card_said_is_told_to_be_lost(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = FORMATS[name]().read(SAMPLES[name](tmp_path)).gold
    said = {
        "language": "en",
        "licence": "CC0-1.0",
        "description": "Bins.",
        "version": "1",
        "how_made": "Here.",
    }
    card = {**said, "difficulty": {"hard": 1}, "counts": {"questions": len(gold.questions)}}
    write_gold(tmp_path / "set", replace(gold, name="bins"), card)
    (lost,) = FORMATS[name]().fit(load(tmp_path / "set")).lost
    assert str(lost) == (
        "card.yaml: description, difficulty, how_made, language, licence and version are lost. "
        "Write them into the card again after an import"
    )
    assert run(["gold", "export", str(tmp_path / "set"), name, str(tmp_path / "out")]) == 0
    assert f"chunksweep: note: {lost}" in capsys.readouterr().err


@formats
def test_questions_that_no_person_wrote_are_told_after_the_way_back(name: str, tmp_path: Path) -> None:
    gold = FORMATS[name]().read(SAMPLES[name](tmp_path)).gold
    made = gold_set(
        gold.name, gold.documents, [replace(one, synthetic="proxy", answer="x") for one in gold.questions]
    )
    fitted = FORMATS[name]().fit(made)
    assert (fitted.refused, fitted.lost) == ((), ())
    FORMATS[name]().write(fitted.gold, tmp_path / "out")
    assert FORMATS[name]().read(tmp_path / "out").gold.digest == made.digest


@formats
def test_what_is_no_set_at_all_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xff\xfe\0")
    (tmp_path / "folder").mkdir()
    for path in ("file", "folder"):
        with pytest.raises(BadInput):
            FORMATS[name]().read(tmp_path / path)
