"""The report on a gold set: problems, what deserves a look, what the set can tell."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold.check import check
from evaluation.gold.check_lines import lines
from evaluation.statistics.planning import detectable, units_to_detect
from experiments.cli.app import run


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
    report = check(make_set(texts(10, 2), rows(10, 2, tags=["single"])))
    assert report.ok
    assert report.problems == report.warnings == ()
    assert report.counts["documents"] == 2
    assert report.counts["characters"] == 2 * len("word0. word2. word4. word6. word8.")
    assert report.counts["questions"] == report.counts["evidence_spans"] == 10
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
    assert any("not scored for lack of evidence: 1 of 9 (q1)" in line for line in lines(report))


def test_a_set_of_unscored_questions_can_tell_nothing(make_set) -> None:
    report = check(make_set({"a.txt": ""}, [{"id": "a", "question": "?", "evidence": []}]))
    assert report.ok
    assert report.all_questions.units == 0
    assert report.all_questions.detectable == 1.0
    assert [warning.what for warning in report.warnings] == [
        "not scored for lack of evidence: 1 of 1 (a)",
        "1 document holds no text (a.txt)",
    ]


def test_problems_and_warnings_of_loading_are_in_the_report(make_set) -> None:
    questions = rows(2, 2, filter={"side": "left"})
    questions.append({"id": "bad", "question": "?", "evidence": {"document": "1.txt", "quote": "nowhere"}})
    card = "name: x\ndocuments: {0.txt: {metadata: {side: left}}}\n"
    report = check(make_set({**texts(2, 2), "bom.txt": b"\xef\xbb\xbfx", "no.txt": b"\0"}, questions, card))
    assert [problem.where for problem in report.problems] == ["documents/no.txt", "questions.jsonl:3"]
    assert [warning.rule for warning in report.warnings] == ["reading", "byte_order_mark"]
    shown = "\n".join(lines(report))
    assert "excludes its own evidence in 1.txt" in shown
    assert "1 document begins with a byte-order mark (bom.txt)" in shown


def test_skipped_files_are_warnings(make_set) -> None:
    report = check(make_set({**texts(2, 2), "no.txt": b"\0"}, rows(2, 2)), skip_bad=True)
    assert report.ok
    assert [warning.cases for warning in report.warnings] == [({"document": "no.txt"},)]


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


def test_a_number_agrees_with_its_noun(make_set) -> None:
    shown = lines(check(make_set(texts(1, 1), rows(1, 1)), difference=0.3))
    assert shown[1].startswith("  1 document, ")
    assert shown[2] == "  1 question, 1 evidence span"


def test_the_median_of_shared_words_is_one(make_set) -> None:
    documents = {"a.txt": "Visitors ring the bell at the northern gate. Dogs stay outside, on the mat."}
    asked = [("a", "Do visitors ring the northern bell?"), ("b", "Where is it?"), ("c", "Who is there?")]
    quote = {"document": "a.txt", "quote": "Visitors ring the bell at the northern gate."}
    report = check(make_set(documents, [{"id": n, "question": q, "evidence": [quote]} for n, q in asked]))
    (finding,) = [one for one in report.warnings if one.rule == "copied_words"]
    assert finding.figures == {"copied": 1, "median_share": 1.0}
    assert any("median 100%" in line for line in lines(report))


def test_many_cases_are_cut_short_in_print_only(make_set) -> None:
    files = {f"{n:02}.txt": "" for n in range(20)}
    question = {"id": 1, "question": "Which word?", "evidence": "word0."}
    report = check(make_set({**files, "full.txt": "word0."}, [question]))
    (blank,) = report.warnings
    assert len(blank.cases) == 20
    assert "  20 documents hold no text (00.txt, 01.txt, 02.txt, ...)" in lines(report)


def test_a_set_with_problems_is_not_measured(make_set) -> None:
    row = {"id": "q", "question": "Who?", "evidence": [{"document": "a.txt", "quote": "Nobody."}]}
    folder = make_set({"a.txt": "Somebody."}, [row])
    shown = "\n".join(lines(check(folder)))
    assert "does not stand in" in shown
    assert "not scored" not in shown
    assert "What the set can tell" not in shown
    report = check(folder, difference=0.1).as_dict()
    assert report["warnings"] == ()
    assert report["overlaps"] == ()


def test_a_difference_asked_for_is_held_against_what_the_set_has(make_set) -> None:
    report = check(make_set(texts(80, 80), rows(80, 80)), difference=0.1)
    assert report.wanted is not None
    assert (report.wanted.units_needed, report.wanted.shown) == (71, True)
    assert "  A difference of 0.1 takes 71 independent groups; the set has 80 and can show it." in lines(
        report
    )
    small = check(make_set(texts(20, 4), rows(20, 4), folder="few"), difference=0.1)
    assert lines(small)[-3:-1] == [
        "  A difference of 0.1 takes 71 independent questions; the set has 20 and cannot show it.",
        "    -> That takes 67 more groups of documents and questions. Each document of the set has a "
        "question, so add 67 documents, with a question about each",
    ]
    assert check(make_set(texts(20, 4), rows(20, 4), folder="none")).wanted is None


@given(st.floats(0.001, 0.999), st.floats(0.05, 1))
def test_the_units_a_difference_takes_are_the_fewest_that_detect_it(difference: float, sd: float) -> None:
    units = units_to_detect(difference, sd)
    assert detectable(units, sd) <= difference
    assert units == 1 or detectable(units - 1, sd) > difference


def test_a_set_says_whether_it_can_be_split(make_set) -> None:
    whole = check(make_set(texts(80, 80), rows(80, 80)))
    assert (whole.halves.dev, whole.halves.test, whole.halves.against) == (40, 40, "")
    assert "40 questions to choose on (dev) and 40 to report on (test)" in lines(whole)[-1]
    tied = check(make_set(texts(80, 1), rows(80, 1), folder="one"))
    assert "form 1 group" in tied.halves.against
    assert "leaves 0 questions" in lines(tied)[-1] or "and 0 to report on" in lines(tied)[-1]


def test_the_command_takes_a_difference_and_prints_json(make_set, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(make_set(texts(12, 12), rows(12, 12)))
    assert run(["gold", "check", folder, "--difference", "0.01"]) == 0
    assert "cannot show it" in capsys.readouterr().out
    assert run(["gold", "check", folder, "--difference", "0.01", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["wanted"] == {
        "difference": 0.01,
        "units_needed": 7064,
        "shown": False,
        "groups_missing": 7052,
        "documents_missing": 7052,
    }
    assert [one["question"] for one in report["overlaps"]] == [f"q{n}" for n in range(12)]
    assert report["halves"]["against"]


@pytest.mark.parametrize("difference", ["0", "-0.1", "1.5", "nan"])
def test_a_difference_that_can_be_none_is_refused(
    difference: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gold", "check", "handbook", "--difference", difference]) == 2
    assert "from 0.001 to 1" in capsys.readouterr().err


def test_what_is_missing_are_groups_and_their_documents(make_set) -> None:
    folder = make_set(texts(20, 20), rows(17, 20))  # three documents have no question
    report = check(folder, difference=0.1)
    assert report.wanted is not None
    assert (report.wanted.units_needed, report.wanted.groups_missing) == (71, 54)
    assert report.wanted.documents_missing == 51
    assert (
        "    -> That takes 54 more groups of documents and questions. 3 documents of the set have no "
        "question yet, so add 51 documents, with a question about each" in lines(report)
    )
    enough = lines(check(make_set(texts(80, 80), rows(69, 80), folder="wide"), difference=0.1))
    assert "    -> Ask 2 questions, each about another document that has none yet" in enough


def test_questions_by_people_are_counted_apart(make_set) -> None:
    proxies = [{**row, "synthetic": "proxy"} for row in rows(80, 80)]
    own = [{**row, "id": f"own{row['id']}"} for row in rows(9, 80)]
    report = check(make_set(texts(80, 80), [*proxies, *own]), difference=0.1)
    assert report.by_people is not None
    assert (report.all_questions.scored, report.by_people.scored) == (89, 9)
    assert report.wanted_by_people is not None
    assert (report.wanted.shown, report.wanted_by_people.shown) == (True, False)
    shown = lines(report)
    assert any(line.split() == ["by", "people", "9", "9", "group", "0.280"] for line in shown)
    at = shown.index("  A difference of 0.1 takes 71 independent groups; the set has 80 and can show it.")
    assert shown[at + 1 : at + 3] == [
        "  Of people's questions alone it has 9 groups and cannot show it.",
        "    -> Ask 62 questions, each about another document that has none yet",
    ]
    alone = check(make_set(texts(80, 80), proxies, folder="proxies"), difference=0.1)
    assert (alone.by_people, alone.wanted_by_people) == (None, None)


def test_made_questions_do_not_hide_what_is_wrong_with_those_of_people(make_set) -> None:
    gate = "Visitors ring the bell at the northern gate."
    documents = {"a.txt": gate, **texts(40, 40)}
    copies = [
        {
            "id": f"own{n}",
            "question": f"Do visitors{n} ring the bell at the northern gate?",
            "evidence": [gate],
        }
        for n in range(10)
    ]
    proxies = [{**row, "question": "Which one?", "synthetic": "proxy"} for row in rows(40, 40)] * 3
    proxies = [{**row, "id": f"p{n}"} for n, row in enumerate(proxies)]
    report = check(make_set(documents, [*copies, *proxies]))
    found = {finding.rule: finding.what for finding in report.warnings}
    assert found["copied_words"].startswith("10 of 10 questions by people are in the words of their evidence")
    assert found["one_document"].startswith("10 of 10 questions by people are about a.txt")
    told = "  words of questions by people that stand in their evidence: median 80%, 80% or more in 10 of 10"
    assert told in lines(report)
    alone = check(make_set(documents, copies, folder="alone"))
    mixed = {one.question: one.share for one in report.overlaps}
    assert all(mixed[one.question] == one.share for one in alone.overlaps)
