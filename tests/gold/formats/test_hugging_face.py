"""Data sets by a card of their fields, from local files; the hub is out of reach of tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.gold import Evidence, Passage, load
from evaluation.gold.formats.format import Imported
from evaluation.gold.formats.hugging_face import HuggingFace
from evaluation.gold.questions import library
from experiments.cli.app import run
from strategies.errors import BadInput

TEXT = "Bins go out on Tuesday. Cans too. Bins go out on Friday."
SOURCE = "source: {dataset: ./rows}"
DOCUMENTS = "documents: {id: d, text: t}"


def card(home: Path, *lines: str, rows: list[Any] | None = None, file: str = "rows/train.jsonl") -> Path:
    """A card, and rows of JSON lines beside it."""
    if rows is not None:
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        content = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        (home / file).write_text("".join(f"{row}\n" for row in content), "utf-8")
    (home / "card.yaml").write_text("\n".join(lines) + "\n", "utf-8")
    return home / "card.yaml"


def parquet(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    library().Dataset.from_list(rows).to_parquet(str(path))


def read(home: Path, questions: str, *rows: Any, documents: str = DOCUMENTS) -> Imported:
    return HuggingFace().read(card(home, SOURCE, documents, f"questions: {questions}", rows=list(rows)))


def row(**more: Any) -> dict[str, Any]:
    return {"d": "a", "t": TEXT, "q": "When?", **more}


def spans(imported: Imported) -> list[list[list[tuple[int, int]]]]:
    """The ranges of each piece of evidence of each question."""
    return [
        [[(p.start, p.end) for p in entry.passages] for entry in one.evidence]
        for one in imported.gold.questions
    ]


@pytest.mark.parametrize(
    ("questions", "given", "expected"),
    [
        ("{question: q, evidence: e}", {"e": "Cans too"}, [[(24, 32)]]),
        ("{question: q, evidence: e}", {"e": "cans\nTOO"}, [[(24, 32)]]),
        ("{question: q, evidence: e, start: s}", {"e": "Bins", "s": 34}, [[(34, 38)]]),
        ("{question: q, evidence: e, start: s}", {"e": "Cans", "s": 20}, [[(24, 28)]]),
        ("{question: q, start: s, end: n}", {"s": 23, "n": 33}, [[(24, 33)]]),
        ("{question: q, start: s, end: n}", {"s": "23", "n": 33.0}, [[(24, 33)]]),
        ("{question: q, evidence: e}", {"e": None}, []),
        ("{question: q, evidence: e}", {"e": []}, []),
        ("{question: q, evidence: e, several: all}", {"e": ["Cans", "Friday"]}, [[(24, 28)], [(49, 55)]]),
        ("{question: q, evidence: e, several: any}", {"e": ["Cans", "Friday"]}, [[(24, 28), (49, 55)]]),
        ("{question: q, evidence: e, several: any}", {"e": ["Cans", "Cans"]}, [[(24, 28)]]),
        ("{question: q, evidence: e}", {"e": ["Cans"]}, [[(24, 28)]]),
        (
            "{question: q, document: d, evidence: e, several: any}",
            {"e": ["Cans", "Friday"]},
            [[(24, 28), (49, 55)]],
        ),
        (
            "{question: q, evidence: e}",
            {"e": [["Cans", "too"], ["Friday"]]},
            [[(24, 28), (29, 32)], [(49, 55)]],
        ),
        (
            "{question: q, evidence: x.e, start: x.s, several: all}",
            {"x": [{"e": "Bins", "s": 34}, {"e": "Cans", "s": 24}]},
            [[(34, 38)], [(24, 28)]],
        ),
    ],
)
def test_forms_of_evidence(questions: str, given: dict[str, Any], expected: Any, tmp_path: Path) -> None:
    other = row(q="Other?", **given)  # a second row, so that a column of nulls or empty lists has a type
    imported = read(tmp_path, questions, row(**given), other)
    assert (imported.refused, spans(imported)) == ((), [expected, expected])


def test_what_else_is_taken(tmp_path: Path) -> None:
    rows = [
        row(id=7, topic=["x", "y"], day="2024-03-01", a=[" Tue ", "x"], k="single", by={"name": "Z"}),
        row(id=8, topic=["x", "y"], day="2024-03-01", a=[], k="", by={"name": "Other"}),
    ]
    imported = read(
        tmp_path,
        "{id: id, question: q, answer: a, tags: [k, topic]}",
        *rows,
        documents="documents: {text: t, metadata: [topic, day, by]}",
    )
    (document,) = imported.gold.documents
    assert document.id.startswith("text-")
    assert document.metadata == {"topic": "x, y", "day": "2024-03-01T00:00:00", "by.name": "Z"}
    assert [(one.id, one.answer, one.tags) for one in imported.gold.questions] == [
        ("7", "Tue", ("single", "x", "y")),
        ("8", "", ("x", "y")),
    ]
    assert [str(note) for note in imported.notes] == [
        "./rows row 1: other metadata of a document in 1 later rows are left out"
    ]


def test_documents_and_questions_of_their_own(tmp_path: Path) -> None:
    parquet(tmp_path / "docs" / "part.parquet", [{"d": "a", "t": TEXT}, {"d": "b", "t": "Glass. Bins."}])
    path = card(
        tmp_path,
        "documents: {source: {dataset: ./docs}, id: d, text: t}",
        "questions: {source: {dataset: ./rows, split: test},",
        "            question: q, document: x, evidence: e, several: all}",
        rows=[
            {"q": "?", "x": ["b", "a"], "e": ["Bins", "Cans"]},
            {"q": "?", "x": ["b"], "e": ["Glass", "Bins"]},
            {"q": "?", "x": None, "e": ["Glass"]},
            {"q": "?", "x": None, "e": ["Bins"]},
            {"q": "?", "x": ["aa"], "e": ["Cans"]},
            {"q": "?", "x": ["a", "b", "a"], "e": ["Cans", "Bins"]},
        ],
        file="rows/test-0.jsonl",
    )
    (tmp_path / "rows" / "train.jsonl").write_text('{"q": "of another split"}\n')
    imported = HuggingFace().read(path)
    assert [[e.passages for e in one.evidence] for one in imported.gold.questions] == [
        [(Passage("b", 7, 11),), (Passage("a", 24, 28),)],
        [(Passage("b", 0, 5),), (Passage("b", 7, 11),)],
        [(Passage("b", 0, 5),)],
    ]
    assert [str(problem) for problem in imported.refused] == [
        './rows row 3: e stands in a at 0, a at 34 and b at 7: "Bins". Name the field of its offsets',
        "./rows row 4: there is no document aa. Did you mean a?",
        "./rows row 5: x holds another number of items than the evidence has",
    ]
    assert [file.name for file in imported.files] == ["card.yaml", "part.parquet", "test-0.jsonl"]


@pytest.mark.parametrize(
    ("questions", "given", "what"),
    [
        ("{question: q, evidence: e}", {"e": "Glass"}, 'e stands nowhere in a: "Glass"'),
        ("{question: q, evidence: e}", {"e": "Bins"}, 'e stands in a at 0 and a at 34: "Bins"'),
        ("{question: q, evidence: e}", {"e": 7}, "e holds 7, not words"),
        ("{question: q, evidence: e}", {"e": [" "]}, 'e holds " ", not words'),
        ("{question: q, evidence: e, start: s}", {"e": "Bins", "s": 3}, "e is not what stands at [3, 7)"),
        ("{question: q, evidence: e, start: s}", {"e": "Bins", "s": 0.5}, "s is 0.5, not an offset"),
        ("{question: q, evidence: e, start: s}", {"e": ["Bins"], "s": []}, "s holds another number of items"),
        ("{question: q, start: s, end: n}", {"s": 50, "n": 60}, "[50, 60) is no range of words in a"),
        ("{question: q, start: s, end: n}", {"s": -4, "n": -1}, "[-4, -1) is no range of words in a"),
        ("{question: q, answer: e}", {"e": 7}, "e is 7, not text"),
        ("{question: q, tags: e}", {"e": 7}, "e is 7, not text"),
        ("{question: e}", {"e": None}, "e is missing, not text"),
        ("{question: q, id: e}", {"e": 1.5}, "e is 1.5, not text"),
        # What the library takes for a time is text no more.
        ("{question: q, id: e}", {"e": "2024-03-01"}, "e is read as datetime"),
        ("{question: q, more: e}", {"e": "{"}, "e is not JSON"),
        ("{question: q, more: e}", {"e": '{"tags": 1}'}, "e: tags is 1, not a list"),
    ],
)
def test_questions_that_are_refused(questions: str, given: dict[str, Any], what: str, tmp_path: Path) -> None:
    imported = read(tmp_path, questions, row(**given), {**row(), "e": None, "s": None, "n": None})
    assert (imported.refused[0].where, imported.refused[0].what[: len(what)]) == ("./rows row 0", what)
    assert len(imported.refused) == (2 if questions == "{question: e}" else 1)


def test_documents_that_are_refused_with_their_questions(tmp_path: Path) -> None:
    rows = [
        row(),
        row(t="Another text."),
        row(d=None),
        row(t=None),
        row(d="n", t="a\0b"),
        row(d="B/../b"),
    ]
    imported = read(tmp_path, "{question: q}", *rows)
    assert [(problem.where, problem.what[:24]) for problem in imported.refused] == [
        ("./rows row 1", "gives a another text tha"),
        ("./rows row 2", "d is missing, not text"),
        ("./rows row 3", "t is missing, not text"),
        ("./rows row 4", "its text holds a NUL"),
    ]
    assert [one.id for one in imported.gold.questions] == ["row-000000", "row-000005"]
    assert [one.id for one in imported.gold.documents] == ["B/%2E%2E/b", "a"]
    assert [str(note) for note in imported.notes] == ["./rows row 5: B/../b is called B/%2E%2E/b"]


def test_a_list_without_its_meaning_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        read(tmp_path, "{question: q, evidence: e}", *[row(e=["Cans", "Friday"])] * 3)
    assert str(raised.value) == (
        "card.yaml:3: questions.several is missing: ./rows row 0 has 2 pieces of evidence. "
        "Write all where every one of them is needed, any where one will do"
    )


def test_everything_wrong_with_a_card_is_told_at_once(tmp_path: Path) -> None:
    path = card(
        tmp_path,
        "nmae: x",
        "source: {dataset: org/name, revision: main, streaming: 1, limit: 0, trust_remote_code: true}",
        "documents: {txt: t, metadata: {a: b}, source: {dataset: ./x, revision: abc, config: c}}",
        "questions: {question: [q], start: s, several: both, source: 3}",
    )
    with pytest.raises(BadInput) as raised:
        HuggingFace().read(path)
    told = [str(problem) for problem in raised.value.problems]
    expected = (
        "card.yaml:1: nmae is not a known key. Did you mean name?",
        "card.yaml:2: source.trust_remote_code is not a known key",
        "card.yaml:2: source.streaming is 1. Write true or false",
        "card.yaml:2: source.limit is 0. Write the number of rows that are read",
        "card.yaml:2: source.revision is main, which may move: a set of the hub may change. Copy the hash of "
        "a commit, 40 characters, from https://huggingface.co/datasets/org/name/commits/main",
        "card.yaml:2: source.split is missing",
        "card.yaml:3: documents.txt is not a known key. Did you mean text?",
        "card.yaml:3: documents has no text",
        "card.yaml:3: documents.metadata is a map",
        "card.yaml:3: documents.source.revision is for the hub",
        "card.yaml:3: documents.source.config is for the hub",
        'card.yaml:4: questions.question is ["q"], not text',
        "card.yaml:4: questions.start stands alone",
        'card.yaml:4: questions.several is "both"',
        "card.yaml:4: questions.source is 3",
    )
    assert len(told) == len(expected)
    for what in expected:
        assert any(one.startswith(what) for one in told), what


REST = [DOCUMENTS, "questions: {question: q}"]


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["3"], "is no map of keys and values"),
        (["name: x"], "documents is missing"),
        (REST, "source is missing"),
        (["source: {split: train}", *REST], "source has no dataset"),
        (["source: {dataset: ./none}", *REST], "./none: is not there"),
        (["source: {dataset: ./rows, split: x}", *REST], "of the split x"),
        (["source: {dataset: ./mixed}", *REST], "csv and json files together"),
        (["source: {dataset: ./bad}", *REST], "./bad: cannot be read"),
        (
            [
                "documents: {source: {dataset: ./rows}, text: t}",
                "questions: {source: {dataset: ./rows}, question: q, start: q, end: q}",
            ],
            "questions has no document",
        ),
    ],
)
def test_cards_and_sources_that_are_none(lines: list[str], what: str, tmp_path: Path) -> None:
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed" / "a.csv").write_text("q\n")
    (tmp_path / "mixed" / "b.jsonl").write_text("{}\n")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.parquet").write_bytes(b"no parquet")
    with pytest.raises(BadInput) as raised:
        HuggingFace().read(card(tmp_path, *lines, rows=[row()]))
    assert what in str(raised.value)


def test_fields_that_the_data_have_not_are_told_before_rows_are_read(tmp_path: Path) -> None:
    lines = (
        SOURCE,
        "documents: {id: dd, text: t, metadata: [x.name, x.nmae]}",
        "questions: {question: Q, evidence: y.e, start: y.s}",
    )
    given = row(x={"name": "n"}, y=[{"e": "Cans"}])
    path = card(tmp_path, *lines, rows=[given, given])
    parquet(tmp_path / "rows2" / "a.parquet", [given, given])
    for source in ("rows", "rows2"):
        path.write_text(path.read_text("utf-8").replace("./rows}", f"./{source}}}"), "utf-8")
        with pytest.raises(BadInput) as raised:
            HuggingFace().read(path)
        assert [str(problem).split(". ")[0] for problem in raised.value.problems] == [
            f"card.yaml:2: documents.id is dd, which ./{source} has not",
            f"card.yaml:2: documents.metadata is x.nmae, which ./{source} has not",
            f"card.yaml:3: questions.question is Q, which ./{source} has not",
            f"card.yaml:3: questions.start is y.s, which ./{source} has not",
        ]


def test_a_field_that_holds_nothing_at_first_may_have_anything_in_it(tmp_path: Path) -> None:
    imported = read(tmp_path, "{question: q, evidence: x.e, start: x.s}", row(x=None), row(x=None))
    assert (imported.refused, spans(imported)) == ((), [[], []])


def test_cells_of_csv_are_text(tmp_path: Path) -> None:
    table = f'q,"d",t,s,n,x.y\nWhen?,007,"{TEXT}",24,32,NA\n"?\n",007,"{TEXT}",,,1.50\n'
    imported = HuggingFace().read(
        card(
            tmp_path,
            "source: {dataset: ./rows.csv}",
            DOCUMENTS,
            "questions: {question: q, start: s, end: n, tags: x.y}",
            rows=[table],
            file="rows.csv",
        )
    )
    assert [one.id for one in imported.gold.documents] == ["007"]
    assert [(one.text, one.tags) for one in imported.gold.questions] == [
        ("When?", ("NA",)),
        ("?\n", ("1.50",)),
    ]
    assert spans(imported) == [[[(24, 32)]], []]


def test_rows_that_cannot_be_read_end_the_import(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\./rows: cannot be read"):
        read(tmp_path, "{question: q}", row(), "{")


def test_nothing_is_left_in_the_cache(tmp_path: Path) -> None:
    datasets = library()
    cache = Path(datasets.config.HF_DATASETS_CACHE)
    before = sorted(cache.rglob("*")) if cache.exists() else []
    assert len(read(tmp_path, "{question: q}", row()).gold.questions) == 1
    assert (sorted(cache.rglob("*")) if cache.exists() else []) == before
    assert not datasets.are_progress_bars_disabled()


COMMIT = "0123456789abcdef0123456789abcdef01234567"
HUB = f"source: {{dataset: org/name, config: c, split: dev, revision: {COMMIT}, limit: 3}}"


def test_the_hub_is_asked_for_one_commit_and_no_more_rows_than_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets, asked = library(), list[dict[str, Any]]()

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(3):
            yield row(q=f"{number}?")
        raise AssertionError("a row beyond the limit was read")

    def load_dataset(**given: Any) -> Any:
        asked.append(given)
        return datasets.IterableDataset.from_generator(rows)

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    imported = HuggingFace().read(card(tmp_path, HUB, DOCUMENTS, "questions: {question: q}"))
    assert [one.text for one in imported.gold.questions] == ["0?", "1?", "2?"]
    assert asked == [{"path": "org/name", "name": "c", "split": "dev", "revision": COMMIT, "streaming": True}]


def test_a_hub_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load_dataset(**given: Any) -> Any:
        raise ConnectionError("no route")

    monkeypatch.setattr(library(), "load_dataset", load_dataset)
    with pytest.raises(BadInput, match=r"org/name: cannot be read: ConnectionError: no route\. Is the hub"):
        HuggingFace().read(card(tmp_path, HUB, DOCUMENTS, "questions: {question: q}"))


def test_through_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = card(
        tmp_path,
        "name: my set",
        SOURCE,
        DOCUMENTS,
        "questions: {question: q, evidence: e}",
        rows=[row(e="Cans"), row(e="Glass")],
    )
    command = ["gold", "import", "hugging-face", str(path), "--to", str(tmp_path / "set")]
    assert run(command) == 2
    assert "./rows row 1: e stands nowhere in a" in capsys.readouterr().err
    assert run([*command, "--skip-bad"]) == 0
    gold = load(tmp_path / "set")
    assert (gold.name, len(gold.questions)) == ("my set", 1)
    made = str(gold.card["how_made"])
    assert made.startswith("Imported from hugging-face: card.yaml, 2 files, sha256:")
    assert " Read: ./rows, by {" in made
    assert made.endswith("}. Left out 1 row or file that could not be converted.")
    assert run(["gold", "export", str(tmp_path / "set"), "hugging-face", str(tmp_path / "out")]) == 0
    back = HuggingFace().read(tmp_path / "out" / "mapping.yaml")
    assert (back.gold.digest, back.named) == (gold.digest, "my set")
    assert back.gold.questions[0].evidence == (Evidence((Passage("a", 24, 28),)),)
