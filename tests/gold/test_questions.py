"""The form of questions.jsonl: one explicit schema, every slip named with its line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluation.gold.questions import Anchor, Row, features, library, read_rows
from strategies.errors import Problem


def read(*rows: Any) -> tuple[list[Row], list[str]]:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    problems: list[Problem] = []
    found = list(read_rows(text, "q.jsonl", problems))
    return found, [str(problem) for problem in problems]


def question(**changes: Any) -> dict[str, Any]:
    row = {"id": "a", "question": "Who keeps the key?", "evidence": [], **changes}
    return {key: value for key, value in row.items() if value is not ...}


def entry(**changes: Any) -> dict[str, Any]:
    return question(evidence=[changes])


def test_ids_become_text_and_stay_apart() -> None:
    rows = [question(id=7), question(id="007"), question(id="7.0"), question(id="q7", evidence="quoted")]
    forward, problems = read(*rows)
    backward, _ = read(*reversed(rows))
    assert problems == []
    assert [row.id for row in forward] == ["7", "007", "7.0", "q7"]
    by_id = {row.id: (row.question, row.evidence) for row in backward}
    assert by_id == {row.id: (row.question, row.evidence) for row in forward}


def test_every_form_of_evidence_ends_in_one_shape() -> None:
    quote = Anchor(None, None, None, "words", False)
    assert read(question(evidence="words"))[0][0].evidence == ((quote,),)
    assert read(question(evidence=["words", "words"]))[0][0].evidence == ((quote,), (quote,))
    named = {"document": "d", "quote": "words"}
    assert read(question(evidence=named)) == read(question(evidence=[named]))
    rows, problems = read(
        question(
            evidence=[
                {
                    "document": "d",
                    "start": 1,
                    "end": 4,
                    "alternatives": [{"document": "e", "quote": "w", "any": True}],
                }
            ]
        )
    )
    assert problems == []
    assert rows[0].evidence == ((Anchor("d", 1, 4, None, False), Anchor("e", None, None, "w", True)),)


def test_null_counts_as_left_out() -> None:
    written = question(
        tags=None,
        filter=None,
        evidence=[
            {"document": "d", "start": None, "end": None, "quote": "w", "any": None, "alternatives": None},
        ],
    )
    assert read(written) == read(question(evidence=[{"document": "d", "quote": "w"}]))


def test_filters_keep_the_types_of_their_values() -> None:
    wanted = {"year": 2024, "draft": True, "share": 0.5, "code": "007"}
    found = read(question(filter=wanted))[0][0].filter
    assert found == wanted
    assert [type(value) for value in found.values()] == [int, bool, float, str]


def test_blank_lines_carriage_returns_and_line_separators_do_not_end_a_row() -> None:
    rows, problems = read(
        json.dumps(question(question="One\u2028two"), ensure_ascii=False) + "\r", "", question(id="b")
    )
    assert problems == []
    assert [(row.line, row.question) for row in rows] == [(1, "One\u2028two"), (3, "Who keeps the key?")]


SLIPS: list[tuple[Any, str]] = [
    ('{"id": "a", "question" "x"}', "q.jsonl:1: column 24: is not JSON"),
    ("[1, 2]", "q.jsonl:1: is [1, 2], not an object"),
    ('{"id": "a", "question": "?", "evidence": [], "filter": {"x": NaN}}', "NaN is not a JSON value"),
    ("[" * 100_000, "is not JSON"),
    ('{"id": "a", "id": "b", "question": "?", "evidence": []}', "'id' stands twice"),
    ('{"id": "a", "question": "\\ud83d", "evidence": []}', "surrogate"),
    (question(id=...), "id is missing"),
    (question(id=True), "id is true"),
    (question(id=1.5), "id is 1.5"),
    (question(id=" "), 'id is " "'),
    (question(question=""), 'question is ""'),
    (question(question=5), "question is 5"),
    (question(evidence=...), "evidence is missing"),
    (question(evidence=None), "evidence is missing"),
    (question(evidence=12), "q.jsonl:1: question a: evidence is 12"),
    (question(evidence=[3]), "evidence[0] is the number 3. Chunk numbers would not survive another chunking"),
    (question(evidence=[[1]]), "evidence[0] is [1]"),
    (question(evidence=[None]), "evidence[0] is missing"),
    (question(evidence=[""]), 'evidence[0].quote is ""'),
    (entry(), "evidence[0] names no place"),
    (entry(document="d"), "evidence[0] names no place"),
    (entry(document="d", start=1), "evidence[0] has no end"),
    (entry(start=1, end=2), "evidence[0] has no document"),
    (entry(document="d", start="1", end=2), 'evidence[0].start is "1"'),
    (entry(document="d", start=1.0, end=2), "evidence[0].start is 1.0"),
    (entry(document="d", start=True, end=2), "evidence[0].start is true"),
    (entry(document="d", start=0, end=10**30), "evidence[0].end is 1000"),
    (entry(document="", quote="w"), 'evidence[0].document is ""'),
    (entry(document="d", quote="w", any="yes"), 'evidence[0].any is "yes"'),
    (entry(document="d", start=1, end=2, any=True), "evidence[0].any needs a document and a quote"),
    (entry(quote="w", any=True), "evidence[0].any needs a document and a quote"),
    (entry(document="d", quote="w", alternatives="w"), 'evidence[0].alternatives is "w"'),
    (entry(document="d", quote="w", alternatives=[7]), "evidence[0].alternatives[0] is the number 7"),
    (
        entry(document="d", quote="w", alternatives=[{"document": "d", "quote": "v", "alternatives": []}]),
        "evidence[0].alternatives[0]: 'alternatives' cannot stand here",
    ),
    (entry(document="d", qoute="w"), "'qoute' is not a known key. Did you mean quote?"),
    (entry(document="d", text="w"), "'text' is not a known key. Call it quote"),
    (question(tag=["x"]), "'tag' is not a known key. Did you mean tags?"),
    (question(document="d"), "'document' stands beside the question. Put it into each entry"),
    (question(tags="single"), 'tags is "single"'),
    (question(tags=[1]), "tags is [1]"),
    (question(filter=[]), "filter is []"),
    (question(filter={"year": [2023, 2024]}), "filter.year is [2023, 2024]"),
    (question(filter={"year": None}), "filter.year is missing"),
]


@pytest.mark.parametrize(("row", "message"), SLIPS, ids=range(len(SLIPS)))
def test_each_slip_is_named(row: Any, message: str) -> None:
    _, problems = read(row)
    assert any(message in problem for problem in problems), problems
    assert all(problem.startswith("q.jsonl:1: ") for problem in problems)


@pytest.mark.parametrize(
    "key", ["chunk_id", "chunk_ids", "chunks", "relevant_docs", "node_id", "ids", "passage_ids"]
)
def test_chunk_ids_are_refused_with_the_reason(key: str) -> None:
    for row in (question(**{key: [1, 2]}), entry(**{key: 4})):
        _, problems = read(row)
        assert any("ties the evidence to chunks" in p and "survive another chunking" in p for p in problems)


def test_what_is_shown_of_a_long_key_is_short() -> None:
    long = "k" * 100_000
    twice = f'{{"id": "b", "question": "?", "evidence": [], "{long}": 1, "{long}": 2}}'
    _, problems = read(question(**{long: 1}, filter={long: []}), entry(**{long: 1}), twice)
    assert len(problems) == 6  # the two rows that share an id are one more
    assert max(map(len, problems)) < 300


def test_one_id_in_two_lines_names_both() -> None:
    _, problems = read(question(id=1), question(id="b"), question(id="1"))
    assert len(problems) == 1
    assert problems[0].startswith("q.jsonl:3: question 1: id '1' stands in lines 1 and 3")


def test_all_slips_of_a_file_are_reported_and_the_rest_is_read() -> None:
    rows, problems = read(question(id="a"), "{", question(id="b", evidence=5, tags="x"), question(id="c"))
    assert [row.id for row in rows] == ["a", "b", "c"]
    assert [problem.split(": ")[0] for problem in problems] == ["q.jsonl:2", "q.jsonl:3", "q.jsonl:3"]


def test_a_file_without_a_question_is_a_problem() -> None:
    assert "holds no question" in read("", " ")[1][0]


def test_the_schema_is_the_librarys_own_and_guesses_nothing() -> None:
    datasets = library()
    schema = features(datasets)
    assert isinstance(schema, datasets.Features)
    assert schema["id"] == datasets.Value("string")
    assert schema["evidence"].feature.feature["start"] == datasets.Value("int64")
