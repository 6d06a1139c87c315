"""Testsets of ragas: contexts that are looked for, every slip in a row, and the library itself."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from evaluation.gold import Evidence, GoldSet, Passage, Question, load
from evaluation.gold.formats.contexts import bare, places
from evaluation.gold.formats.format import gold_set
from evaluation.gold.formats.ragas_testset import RagasTestset
from evaluation.gold.quotes import Corpus
from experiments.cli.app import run
from strategies.document import Document
from strategies.errors import BadInput
from strategies.telemetry import telemetry_off

from ..nasty import sets  # noqa: TID252  (a neighbour's)

RULES = "Bins go out on Tuesday. Cans too.\n\nBins go out on Friday, \u201clater\u201d.\n"
LETTER = "Bins go out on Thursday.\nCANS too\n"


def laid_out(home: Path, *rows: Any, name: str = "testset.jsonl") -> Path:
    """Rows, and two documents beside them."""
    (home / "documents" / "x").mkdir(parents=True)
    (home / "documents" / "rules.txt").write_text(RULES, "utf-8", newline="")
    (home / "documents" / "x" / "letter.txt").write_text(LETTER, "utf-8", newline="")
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    (home / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return home / name


def asked(*contexts: str, **more: Any) -> dict[str, Any]:
    return {"user_input": "When?", "reference_contexts": list(contexts), **more}


def table(path: Path, *rows: dict[str, Any]) -> Path:
    """Rows as the library's `to_csv` writes them: lists as Python shows them."""
    with path.with_suffix(".csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path.with_suffix(".csv")


def test_contexts_are_looked_for_as_they_are_then_folded(tmp_path: Path) -> None:
    path = laid_out(
        tmp_path,
        asked("<1-hop>\n\nCans too.", '<12-hop>\n\nbins go out\non FRIDAY, "later".'),
        asked("Bins go out on", reference=" On Tuesday. "),
        asked("Cans"),
    )
    both, several, exact = RagasTestset().read(path).gold.questions
    assert both.evidence == (
        Evidence((Passage("rules.txt", 24, 33),)),
        Evidence((Passage("rules.txt", 35, 66),)),
    )
    spans = (("rules.txt", 0, 14), ("rules.txt", 35, 49), ("x/letter.txt", 0, 14))
    assert several.evidence == (Evidence(tuple(Passage(*span) for span in spans)),)
    assert several.answer == "On Tuesday."
    # What stands somewhere as it is, is not looked for in other letters.
    assert exact.evidence == (Evidence((Passage("rules.txt", 24, 28),)),)


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("{", "is not JSON"),
        ([], "is [], not an object"),
        ({"reference_contexts": []}, "user_input is missing, not text"),
        (
            {"user_input": [{"content": "Hi", "type": "human"}]},
            "user_input is a conversation of several turns",
        ),
        ({"user_input": "?", "reference_context_ids": ["c1"]}, "names its contexts by reference_context_ids"),
        (
            {"user_input": "?", "reference_contexts": [7, 8]},
            "reference_contexts is [7, 8], not a list of texts",
        ),
        ({"user_input": "?", "reference_contexts": "Bins"}, 'reference_contexts is "Bins", not a list'),
        (asked("Cans too.", "Glass"), 'reference_contexts[1] stands in no document: "Glass"'),
        (
            asked("cans Too"),
            "reference_contexts[0] stands nowhere as it is, and reads differently in rules.txt at 24 and "
            'x/letter.txt at 25: "cans Too"',
        ),
        (asked(reference=1), "reference is 1, not text"),
        (asked(synthesizer_name=1), "synthesizer_name is 1, not text"),
        (asked(id="good"), "id 'good' stands at testset.jsonl:1 already"),
    ],
)
def test_rows_that_are_refused(row: Any, what: str, tmp_path: Path) -> None:
    imported = RagasTestset().read(laid_out(tmp_path, asked("Cans too.", id="good"), row))
    assert [one.id for one in imported.gold.questions] == ["good"]
    (problem,) = imported.refused
    assert (problem.where, problem.what[: len(what)]) == ("testset.jsonl:2", what)


def test_who_asked_is_kept_and_what_else_there_was_is_told(tmp_path: Path) -> None:
    path = laid_out(
        tmp_path,
        asked(synthesizer_name="single_hop", persona_name="Reader", retrieved_contexts=["x"]),
        asked(synthesizer_name="single_hop", tags=["a", "b"], synthetic="proxy", persona_name="Reader"),
        asked(persona_name=""),
    )
    imported = RagasTestset().read(path)
    assert [(one.id, one.tags, one.synthetic) for one in imported.gold.questions] == [
        ("ragas-000", ("single_hop",), "model"),
        ("ragas-001", ("a", "b"), "proxy"),
        ("ragas-002", (), ""),
    ]
    assert [str(note) for note in imported.notes] == [
        "testset.jsonl: what is no part of a gold set is left out: persona_name (2) and "
        "retrieved_contexts (1)"
    ]


def test_tables(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    rows = [
        asked("Bins go out on Friday, \u201clater\u201d.", "Cans too.", reference="A 'b'"),
        {"user_input": "Two\nlines?", "reference_contexts": '["Cans too."]', "reference": ""},
        {"user_input": "None?", "reference_contexts": "", "reference": ""},
        {"user_input": "Ids?", "reference_contexts": "Cans too.", "reference": ""},
        {"user_input": "Code?", "reference_contexts": "__import__('os').getcwd()", "reference": ""},
        # As numpy shows a list: Python would join the two.
        {"user_input": "Array?", "reference_contexts": "['Cans too.' 'Bins go out']", "reference": ""},
    ]
    imported = RagasTestset().read(table(path, *rows))
    assert [len(one.evidence) for one in imported.gold.questions] == [2, 1, 0]
    assert imported.gold.questions[0].answer == "A 'b'"
    assert [(one.where, one.what[:25]) for one in imported.refused] == [
        ("testset.csv:6", 'reference_contexts is "Ca'),
        ("testset.csv:7", 'reference_contexts is "__'),
        ("testset.csv:8", "reference_contexts[0] sta"),
    ]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "is empty"),
        ("question,contexts\n", "has no column user_input. It has question, contexts"),
        ('user_input\n"a\n', "is not CSV"),
    ],
)
def test_tables_that_are_none(content: str, what: str, tmp_path: Path) -> None:
    path = laid_out(tmp_path).with_suffix(".csv")
    path.write_text(content, "utf-8")
    with pytest.raises(BadInput) as raised:
        RagasTestset().read(path)
    assert what in str(raised.value)


def test_documents_stand_where_a_user_says(tmp_path: Path) -> None:
    path = laid_out(tmp_path / "here", asked("Cans too."))
    (tmp_path / "rules.txt").write_text(RULES, "utf-8", newline="")
    for source in ("../rules.txt", str(tmp_path / "rules.txt")):
        imported = RagasTestset(documents=source).read(path)
        assert [(one.id, one.text) for one in imported.gold.documents] == [("rules.txt", RULES)]
        assert len(imported.files) == 2
    with pytest.raises(BadInput, match=r"none: is not there\. Name the folder or file of the documents"):
        RagasTestset(documents="none").read(path)
    for outside in ("../x", "/x", "."):
        with pytest.raises(BadInput, match="Name a folder beside the testset"):
            RagasTestset(documents=outside).write(imported.gold, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_sidecars_and_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = laid_out(tmp_path, asked("Cans too."))
    (tmp_path / "documents" / "rules.txt.meta.yaml").write_text("year: 2024\n", "utf-8")
    (tmp_path / "documents" / "bad.txt").write_bytes(b"caf\xe9")
    imported = RagasTestset().read(path)
    assert [problem.where for problem in imported.refused] == ["documents/bad.txt"]
    assert [str(note) for note in imported.notes] == [
        "documents: 1 sidecars are left out: they are no documents"
    ]
    assert [one.id for one in imported.gold.documents] == ["rules.txt", "x/letter.txt"]


def test_what_it_cannot_hold() -> None:
    texts = [Document("a", RULES), Document("b", "<1-hop>\n\nBins go out.")]
    first, other = Passage("a", 0, 11), Passage("a", 35, 46)
    in_b = Passage("b", 9, 20)
    kinds = {
        "all": ((first, other, in_b),),
        "one": ((first,),),
        "turned": ((other, first, in_b),),
        "marked": ((Passage("b", 0, 21),),),
        "twice": ((first, other, in_b), (first, other, in_b)),
        "none": (),
    }
    questions = [Question(id, "?", tuple(map(Evidence, entries))) for id, entries in kinds.items()]
    fitted = RagasTestset().fit(gold_set("s", texts, questions))
    assert [one.id for one in fitted.gold.questions] == ["all", "none"]
    assert [problem.where for problem in fitted.refused] == [
        f"question {name}" for name in ("one", "turned", "marked", "twice")
    ]
    assert "are not all the places of its words, in order" in fitted.refused[0].what
    assert "begins as ragas marks its contexts" in fitted.refused[2].what
    assert "has the same words as evidence twice" in fitted.refused[3].what


def anywhere(gold: GoldSet) -> GoldSet:
    """The set, but that evidence is wherever its words stand; what is marked as ragas does is left out."""
    corpus = Corpus({document.id: document for document in gold.documents})
    questions = []
    for one in gold.questions:
        texts = [corpus.documents[e.passages[0].document].text for e in one.evidence]
        spans = [(e.passages[0].start, e.passages[0].end) for e in one.evidence]
        words = dict.fromkeys(text[a:b] for text, (a, b) in zip(texts, spans, strict=True))
        found = [Evidence(tuple(places(some, corpus))) for some in words if bare(some) == some]
        questions.append(replace(one, evidence=tuple(found), filter={}))
    return gold_set(gold.name, gold.documents, questions)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(gold=sets())
def test_evidence_wherever_its_words_stand_comes_back(
    gold: GoldSet, tmp_path_factory: pytest.TempPathFactory
) -> None:
    fitted = RagasTestset().fit(anywhere(gold))
    assert (fitted.refused, len(fitted.gold.questions)) == ((), len(gold.questions))
    path = tmp_path_factory.mktemp("ragas") / "out"
    RagasTestset().write(fitted.gold, path)
    back = RagasTestset().read(path)
    assert (back.refused, back.notes, back.gold.digest) == ((), (), fitted.gold.digest)


def test_through_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = laid_out(tmp_path / "here", asked("Cans too.", synthesizer_name="x"), asked("Glass"))
    command = ["gold", "import", "ragas-testset", str(path), "--to", str(tmp_path / "set")]
    assert run(command) == 2
    assert 'testset.jsonl:2: reference_contexts[0] stands in no document: "Glass"' in capsys.readouterr().err
    assert run([*command, "--skip-bad", "--set", "documents=documents"]) == 0
    gold = load(tmp_path / "set")
    assert [(one.tags, one.synthetic) for one in gold.questions] == [(("x",), "model")]
    assert "Left out 1 row or" in str(gold.card["how_made"])


@pytest.mark.slow
def test_the_library_reads_what_is_written_and_writes_what_is_read(tmp_path: Path) -> None:
    telemetry_off()
    schema = pytest.importorskip("ragas.dataset_schema")
    gold = RagasTestset().read(
        laid_out(
            tmp_path / "here",
            asked("Cans too.", reference="Too.", synthesizer_name="single_hop", id="one"),
            asked("Bins go out on Friday, \u201clater\u201d.", "Bins go out on Thursday."),
        )
    )
    RagasTestset().write(gold.gold, tmp_path / "out")
    data = schema.EvaluationDataset.from_jsonl(tmp_path / "out" / "testset.jsonl")
    assert [type(sample).__name__ for sample in data] == ["SingleTurnSample"] * 2
    first, second = data.samples
    assert (first.user_input, first.reference, first.reference_contexts) == ("When?", "Too.", ["Cans too."])
    assert len(second.reference_contexts) == 2
    for name in ("jsonl", "csv"):
        home = tmp_path / name
        path = laid_out(home, name=f"data.{name}")
        getattr(data, f"to_{name}")(path)
        back = RagasTestset().read(path)
        assert back.refused == ()
        assert [one.evidence for one in back.gold.questions] == [one.evidence for one in gold.gold.questions]
