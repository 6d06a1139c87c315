"""The report on a gold set: problems, what deserves a look, what the set can tell."""

from __future__ import annotations

import json
import math

import pytest

from evaluation.gold.check import check, lines


def rows(count: int, documents: int, **more: object) -> list[dict[str, object]]:
    """Questions whose evidence is one word of its own, spread over the documents."""
    return [
        {
            "id": f"q{n}",
            "question": f"Question {n}?",
            "evidence": [{"document": f"{n % documents}.txt", "quote": f"word{n}."}],
            **more,
        }
        for n in range(count)
    ]


def texts(count: int, documents: int) -> dict[str, str]:
    return {f"{d}.txt": " ".join(f"word{n}." for n in range(d, count, documents)) for d in range(documents)}


def test_a_good_set_is_counted(make_set) -> None:
    report = check(make_set(texts(4, 2), rows(4, 2, tags=["single"])))
    assert report.ok
    assert report.problems == report.warnings == ()
    assert report.counts["documents"] == 2
    assert report.counts["characters"] == 2 * len("word0. word2.")
    assert report.counts["questions"] == report.counts["evidence_spans"] == 4
    assert report.counts["cl100k_tokens"] > 0
    assert list(report.tags) == ["single"]


def test_few_groups_make_the_question_the_unit(make_set) -> None:
    power = check(make_set(texts(30, 5), rows(30, 5))).all_questions
    assert (power.scored, power.components, power.unit, power.units) == (30, 5, "question", 30)
    assert power.detectable == pytest.approx((1.96 + 0.84) * 0.3 / math.sqrt(30), rel=2e-3)


def test_twenty_groups_are_the_unit(make_set) -> None:
    report = check(make_set(texts(60, 20), rows(60, 20)))
    power = report.all_questions
    assert (power.scored, power.components, power.unit, power.units) == (60, 20, "component", 20)
    assert any(line.split()[:4] == ["all", "60", "20", "group"] for line in lines(report))
    assert power.detectable == pytest.approx((1.96 + 0.84) * 0.3 / math.sqrt(20), rel=2e-3)


def test_each_tag_and_only_scored_questions_count(make_set) -> None:
    questions = rows(9, 3, tags=["plain"])
    questions[0]["tags"] = ["plain", "rare"]
    questions[1]["evidence"] = []
    report = check(make_set(texts(9, 3), questions))
    assert (report.all_questions.questions, report.all_questions.scored) == (9, 8)
    assert (report.tags["rare"].scored, report.tags["plain"].scored) == (1, 8)
    assert report.tags["rare"].detectable == pytest.approx(0.84, abs=1e-3)
    assert any("not scored for lack of evidence: 1 of 9 (q1)" in str(warning) for warning in report.warnings)


def test_a_set_of_unscored_questions_can_tell_nothing(make_set) -> None:
    report = check(make_set({"a.txt": ""}, [{"id": "a", "question": "?", "evidence": []}]))
    assert report.ok
    assert report.all_questions.units == 0
    assert report.all_questions.detectable == 1.0
    assert any("documents/a.txt: holds no text" in str(warning) for warning in report.warnings)


def test_copies_of_evidence_deserve_a_look_unless_they_are_listed_or_out_of_reach(make_set) -> None:
    documents = {"a.txt": "Ring the bell. ", "b.txt": "First,\n“ring the\nbell.”"}
    evidence = {"document": "a.txt", "quote": "Ring the bell."}
    questions = [
        {"id": "bare", "question": "1?", "evidence": [evidence]},
        {
            "id": "listed",
            "question": "2?",
            "evidence": [{**evidence, "alternatives": [{"document": "b.txt", "quote": "ring the bell."}]}],
        },
        {"id": "filtered", "question": "3?", "evidence": [evidence], "filter": {"side": "left"}},
    ]
    card = "name: x\ndocuments: {a.txt: {metadata: {side: left}}}\n"
    warnings = [str(warning) for warning in check(make_set(documents, questions, card)).warnings]
    assert len(warnings) == 1
    assert "question bare: the words of evidence[0] also stand in b.txt at 8" in warnings[0]


def test_the_same_question_twice_deserves_a_look_unless_filters_differ(make_set) -> None:
    questions = rows(4, 1)
    for number, row in enumerate(questions):
        row["question"] = "How  much?" if number else "how much?"
    questions[3]["filter"] = {"year": 1}
    report = check(make_set(texts(4, 1), questions, "name: x\ndocuments: {0.txt: {metadata: {year: 1}}}\n"))
    assert [warning.what for warning in report.warnings] == ["q0, q1, q2 ask the same"]


def test_problems_and_warnings_of_loading_are_in_the_report(make_set) -> None:
    questions = rows(2, 2, filter={"side": "left"})
    questions.append({"id": "bad", "question": "?", "evidence": {"document": "1.txt", "quote": "nowhere"}})
    card = "name: x\ndocuments: {0.txt: {metadata: {side: left}}}\n"
    report = check(make_set({**texts(2, 2), "bom.txt": b"\xef\xbb\xbfx", "no.txt": b"\0"}, questions, card))
    assert [problem.where for problem in report.problems] == ["documents/no.txt", "questions.jsonl:3"]
    shown = "\n".join(str(warning) for warning in report.warnings)
    assert "excludes its own evidence in 1.txt" in shown
    assert "documents/bom.txt: begins with a byte-order mark" in shown


def test_skipped_files_are_warnings(make_set) -> None:
    report = check(make_set({**texts(2, 2), "no.txt": b"\0"}, rows(2, 2)), skip_bad=True)
    assert report.ok
    assert [warning.where for warning in report.warnings] == ["documents/no.txt"]


def test_an_unknown_set_is_a_report_too() -> None:
    report = check("no such set")
    assert not report.ok
    assert report.counts["documents"] == 0


@pytest.mark.parametrize(
    "path", ["", "~nosuch/x", "x" * 5000, "y/" * 3000, "a\0b", "a\x1b[31mb", "caf\udce9"]
)
def test_a_path_that_can_be_none_is_a_problem_on_one_printable_line(path: str) -> None:
    (problem,) = check(path).problems
    assert problem.where
    assert problem.remedy
    shown = lines(check(path))
    assert shown[0].endswith(": 1 problem")
    assert shown[0] != ": 1 problem"
    assert all(line.isprintable() and len(line) < 400 for line in shown)


def test_without_documents_no_empty_list_of_them_is_shown(make_set) -> None:
    question = {"id": 1, "question": "?", "evidence": [{"document": "a.txt", "quote": "x"}]}
    problems = [str(problem) for problem in check(make_set({}, [question])).problems]
    assert any("there is no document 'a.txt'" in problem for problem in problems)
    assert not any("Known" in problem for problem in problems)


def test_the_same_evidence_twice_in_a_question_deserves_a_look(make_set) -> None:
    one, two = ({"document": "0.txt", "quote": f"word{n}."} for n in (0, 1))
    both = {**one, "alternatives": [two]}
    questions = [
        {"id": "thrice", "question": "1?", "evidence": [one, two, one, one]},
        {"id": "turned", "question": "2?", "evidence": [both, {**two, "alternatives": [one]}]},
        {"id": "fine", "question": "3?", "evidence": [one, two, both]},
    ]
    report = check(make_set(texts(2, 1), questions))
    assert report.ok
    assert [warning.what for warning in report.warnings] == [
        "question thrice: evidence[0], evidence[2], evidence[3] are the same",
        "question turned: evidence[0], evidence[1] are the same",
    ]


def test_nothing_printed_moves_the_cursor(make_set) -> None:
    question = rows(1, 1, tags=["\x1b[2Jtag"])[0] | {"id": "a\x1b[31m\nb"}
    good = lines(check(make_set(texts(1, 1), [question])))
    bad = lines(check(make_set(texts(1, 1), [{**question, "evidence": "none"}], folder="bad")))
    assert all(line.isprintable() for line in good + bad)
    assert any("\\x1b[2Jtag" in line for line in good)
    assert any("\\x1b[31m" in line for line in bad)


def test_a_report_is_json_and_prints_plain_lines(make_set) -> None:
    report = check(make_set(texts(4, 2), [*rows(4, 2, tags=["single"]), {"id": "bad"}]))
    back = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert back["ok"] is False
    assert back["tags"]["single"]["scored"] == 4
    assert back["assumed_sd"] == 0.3
    assert lines(report)[0] == "small: 2 problems"
    shown = lines(check(make_set(texts(4, 2), rows(4, 2, tags=["single"]), folder="whole")))
    assert shown[0] == "small: ready"
    assert any("single" in line and "0.420" in line for line in shown)
    assert any("standard deviation of 0.3" in line for line in shown)
    assert all("\n" not in line for line in shown)


def test_many_warnings_are_cut_short_in_print_only(make_set) -> None:
    files = {f"{n:02}.txt": "" for n in range(20)}
    report = check(
        make_set({**files, "full.txt": "word0."}, [{"id": 1, "question": "?", "evidence": "word0."}])
    )
    assert len(report.warnings) == 20
    shown = lines(report)
    assert "  and 8 more; --json lists all" in shown
    assert sum("holds no text" in line for line in shown) == 12


def test_a_set_with_problems_is_not_measured(make_set) -> None:
    row = {"id": "q", "question": "Who?", "evidence": [{"document": "a.txt", "quote": "Nobody."}]}
    folder = make_set({"a.txt": "Somebody."}, [row])
    shown = "\n".join(lines(check(folder)))
    assert "does not stand in" in shown
    assert "not scored" not in shown
    assert "What the set can tell" not in shown
