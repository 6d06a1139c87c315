"""Each rule on a set that it must warn of, and on one that it must not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.gold.check import check
from evaluation.gold.check_lines import lines
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question
from evaluation.gold.warnings import OF_FILES, RULES
from evaluation.gold.warnings.elsewhere import copies
from evaluation.gold.warnings.finding import Finding
from evaluation.gold.warnings.material import Material
from strategies.document import Document

FOLDER = Path(__file__).resolve().parents[3] / "evaluation" / "gold" / "warnings"
PLAIN = "name: x\n"

Rows = list[dict[str, Any]]


def row(name: str, text: str, *evidence: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "question": text, "evidence": list(evidence), **more}


def at(document: str, start: int, end: int) -> dict[str, Any]:
    return {"document": document, "start": start, "end": end}


def quote(document: str, text: str, **more: Any) -> dict[str, Any]:
    return {"document": document, "quote": text, **more}


def files(number: int) -> dict[str, str]:
    """Documents of one sentence each, no two alike."""
    return {f"{n}.txt": f"Gate{n} opens at {n} hours in street{n}." for n in range(number)}


def asked(number: int, documents: int, **more: Any) -> Rows:
    """Questions in words of their own, spread over such documents."""
    return [
        row(f"q{n}", f"When may visitor{n} enter?", f"street{n % documents}.", **more) for n in range(number)
    ]


@dataclass(frozen=True)
class Case:
    """A set, and what a rule says of it: nothing, or words that stand in its warning, and cases."""

    rule: str
    documents: Mapping[str, str | bytes]
    questions: Rows
    says: str = ""
    shows: str = ""
    cases: tuple[Mapping[str, Any], ...] | None = None
    card: str = PLAIN
    skip_bad: bool = False
    about: str = field(default="", compare=False)


BELL = {"a.txt": "Ring the bell. ", "b.txt": "First,\n“ring the\nbell.”"}
LEFT = "name: x\ndocuments: {a.txt: {metadata: {side: left}}}\n"
LONG = {"a.txt": f"Visitors ring the bell. {'More is said of nothing at all here. ' * 12}"}
WORDS = " ".join(f"word{n} and gate" for n in range(4000))
"""Text where `gate` is in every stretch, and every `wordN` in one."""
GATES = {"a.txt": WORDS}
GERMAN = " ".join(
    f"Das Tor der Stadt ist offen, und Bewohner{n} ist in Haus{n} von Straße{n}." for n in range(160)
)
FIRST, SECOND = quote("0.txt", "street0"), quote("1.txt", "street1")
YES = {"a.txt": "Yes. " * 8 + "Dogs are allowed."}

CASES = [
    Case(
        "elsewhere",
        BELL,
        [row("bare", "Who rings?", quote("a.txt", "Ring the bell."))],
        "1 of 1 evidence span also stands elsewhere word for word (0 letter by letter)",
        "question bare: evidence[0] also in b.txt at 8",
        (
            {
                "question": "bare",
                "evidence": 0,
                "places": 1,
                "exact": 0,
                "first": [{"document": "b.txt", "start": 8}],
            },
        ),
    ),
    Case(
        "elsewhere",
        {"a.txt": "Ring twice. Ring twice. RING TWICE."},
        [row("q", "How?", at("a.txt", 0, 11))],
        "(1 letter by letter)",
        cases=(
            {
                "question": "q",
                "evidence": 0,
                "places": 2,
                "exact": 1,
                "first": [{"document": "a.txt", "start": 12}, {"document": "a.txt", "start": 24}],
            },
        ),
        about="letter by letter and otherwise",
    ),
    Case(
        "elsewhere",
        BELL,
        [
            row(
                "listed",
                "Who?",
                quote("a.txt", "Ring the bell.", alternatives=[quote("b.txt", "ring the bell.")]),
            ),
            row("filtered", "Who, on the left?", quote("a.txt", "Ring the bell."), filter={"side": "left"}),
        ],
        card=LEFT,
        about="listed, or out of reach",
    ),
    Case(
        "elsewhere",
        {"a.txt": "\u00adRing the bell."},
        [row("q", "Who?", at("a.txt", 0, 15))],
        about="what folds away at the beginning makes no other place",
    ),
    Case(
        "no_subject",
        files(2),
        [
            row("it", "What does it say about this?", "street0."),
            row("many", "How many are there?", "street0."),
            row("text", "According to the document, what is the main topic?", "street1."),
            row("fine", "When does Gate1 open?", "street1."),
            row("none", "Where is it?"),
        ],
        "3 of 4 questions name nothing to search for",
        "it: What does it say about this?",
        tuple(
            {"question": name, "text": text}
            for name, text in (
                ("it", "What does it say about this?"),
                ("many", "How many are there?"),
                ("text", "According to the document, what is the main topic?"),
            )
        ),
    ),
    Case(
        "no_subject",
        GATES,
        [row("gate", "Where is the gate?", "word7 and gate")],
        "1 of 1 questions names nothing",
        about="a word that is everywhere",
    ),
    Case(
        "no_subject",
        GATES,
        [
            row("gate", "Where is the gate of word7?", "word7 and gate"),
            row("other", "Where is the portal?", "word8 and gate"),
        ],
        about="a word that is rare, and one that the documents do not have",
    ),
    Case(
        "no_subject",
        {"a.txt": f"Das Tor der Stadt ist am Morgen offen. {GERMAN}"},
        [
            row("was", "Wann ist das Tor der Stadt offen?", "am Morgen"),
            row("hund", "Wann darf der Hund hinein?", "am Morgen"),
            *(row(f"q{n}", f"Wann schläft Bewohner{n}?", f"Haus{n} von") for n in range(20)),
        ],
        "1 of 22 questions names nothing",
        "was: Wann ist",
        about="in another language, by how often words stand in documents and questions",
    ),
    Case(
        "cut_words",
        {"a.txt": "Bicycles belong in the cellar."},
        [row("q", "Where do bikes go?", at("a.txt", 2, 26))],
        "1 of 1 places of evidence begins or ends inside a word",
        "evidence[0] at 2 of a.txt: Bi|cycles belong",
        (
            {
                "question": "q",
                "evidence": 0,
                "document": "a.txt",
                "at": [2, 26],
                "reads": "Bi|cycles belong i",
            },
        ),
    ),
    Case(
        "cut_words",
        {"a.txt": "_Bicycles_ belong in the cellar (2), not outside.", "b.txt": "犬は鎖につないで。"},
        [
            row("one", "Where do bikes go?", at("a.txt", 1, 9), at("a.txt", 33, 34)),
            row("two", "犬は?", at("b.txt", 2, 4)),
        ],
        about="signs around it, and a script without spaces",
    ),
    Case(
        "short_evidence",
        YES,
        [row("q", "Are dogs allowed?", at("a.txt", 0, 4))],
        "1 of 1 evidence span is at most 12 characters that stand in 5 other places or more",
        "reads 'Yes.', which stands in 7 other places",
        ({"question": "q", "evidence": 0, "text": "Yes.", "places": 7},),
    ),
    Case("short_evidence", YES, [row("q", "Are dogs allowed?", "Dogs")], about="short, and once"),
    Case(
        "half_document",
        LONG,
        [row("q", "Who rings?", at("a.txt", 0, 300), at("a.txt", 0, 23))],
        "1 of 2 evidence spans is half of the document or more",
        "evidence[0] is 64% of a.txt",
        ({"question": "q", "evidence": 0, "document": "a.txt", "share": 0.641},),
    ),
    Case(
        "half_document",
        {**LONG, "short.txt": "Ring the bell.", "white.txt": f"Ring the bell.{' ' * 900}."},
        [
            row("part", "Who rings?", at("a.txt", 0, 200)),
            row("short", "Who rings, in short?", at("short.txt", 0, 14)),
            row("white", "Who rings in white?", at("white.txt", 0, 14)),
        ],
        about="less than half, and short documents",
    ),
    Case(
        "asked_twice",
        files(4),
        [row(f"q{n}", "How  much?" if n else "how much?", f"street{n}.") for n in range(3)],
        "1 question is asked more than once",
        "q0, q1, q2 ask the same",
        ({"questions": ["q0", "q1", "q2"]},),
    ),
    Case(
        "asked_twice",
        files(2),
        [
            row("q0", "How much?", "street0."),
            row("q1", "How much?", "street1.", filter={"year": 1}),
            row("q2", "How many?", "street1."),
        ],
        card="name: x\ndocuments: {1.txt: {metadata: {year: 1}}}\n",
        about="filters differ",
    ),
    Case(
        "nearly_the_same",
        files(2),
        [
            row("a", "At what time does the northern gate of the old town open?", "street0."),
            row("b", "At what time does the northern gate of the town open?", "street0."),
            row("c", "Who keeps the key of the cellar where bicycles stand?", "street1."),
        ],
        "2 of 3 questions are nearly the same as another",
        "a and b (91%)",
        ({"questions": ["a", "b"], "similarity": 0.909},),
    ),
    Case(
        "nearly_the_same",
        files(2),
        [
            row("a", "At what time does the northern gate of the old town open in 2023?", "street0."),
            row("b", "At what time does the northern gate of the old town open in 2024?", "street1."),
            row(
                "c",
                "At what time does the northern gate of the old town open in 2024?",
                "street1.",
                filter={"year": 1},
            ),
            row("d", "Who rings the bell?", "street1."),
            row("e", "Who rings the gong?", "street1."),
        ],
        card="name: x\ndocuments: {1.txt: {metadata: {year: 1}}}\n",
        about="another year, another filter, one word of few",
    ),
    Case(
        "copied_words",
        {"a.txt": "Visitors ring the bell at the northern gate. Dogs stay outside."},
        [
            row("copy", "Do visitors ring the bell at the northern gate?", at("a.txt", 0, 44)),
            row("own", "May I bring my puppy?", at("a.txt", 45, 63)),
        ],
        "1 of 2 questions is in the words of their evidence",
        "copy: 100% of its words, 8 in a row",
        ({"question": "copy"},),
    ),
    Case(
        "copied_words",
        {"a.txt": "Visitors ring the bell at the northern gate. Dogs stay outside."},
        [
            row("own", "How do guests announce themselves at the gate?", at("a.txt", 0, 44)),
            row("name", "What of dogs?", at("a.txt", 45, 63)),
        ],
        about="in words of its own, and with a name alone",
    ),
    Case(
        "same_evidence",
        files(2),
        [
            row("thrice", "When?", FIRST, SECOND, FIRST, FIRST),
            row(
                "turned",
                "When then?",
                quote("0.txt", "street0", alternatives=[quote("1.txt", "street1")]),
                quote("1.txt", "street1", alternatives=[quote("0.txt", "street0")]),
            ),
        ],
        "2 questions list the same evidence more than once",
        "question thrice: evidence[0], evidence[2], evidence[3] are the same",
        ({"question": "thrice", "evidence": [0, 2, 3]}, {"question": "turned", "evidence": [0, 1]}),
    ),
    Case(
        "same_evidence",
        files(2),
        [
            row(
                "fine",
                "When?",
                quote("0.txt", "street0"),
                quote("1.txt", "street1"),
                quote("0.txt", "street0", alternatives=[quote("1.txt", "street1")]),
            )
        ],
        about="alternatives make another entry",
    ),
    Case(
        "one_document",
        files(3),
        [*asked(10, 1), row("other", "What of Gate1?", "street1.")],
        "10 of 11 questions are about 0.txt",
        cases=({"document": "0.txt", "questions": 10},),
    ),
    Case("one_document", files(3), asked(12, 3), about="spread"),
    Case("one_document", files(3), asked(9, 1), about="few questions"),
    Case("one_document", files(2), asked(12, 1), about="two documents"),
    Case(
        "few_with_tag",
        files(12),
        [*asked(11, 11, tags=["many"]), row("few", "What of Gate11?", "street11.", tags=["few", "many"])],
        "1 of 2 tags has fewer than 10 scored questions (few): they show no difference below 0.27",
        cases=({"tag": "few", "scored": 1},),
    ),
    Case("few_with_tag", files(10), asked(10, 10, tags=["many"]), about="enough"),
    Case(
        "unscored",
        files(1),
        [*asked(1, 1), row("silent", "May I keep a dog?")],
        "not scored for lack of evidence: 1 of 2 (silent)",
        cases=({"question": "silent"},),
    ),
    Case("unscored", files(1), asked(1, 1)),
    Case(
        "trimmed",
        {"a.txt": "Ring the bell. \n"},
        [row("q", "How?", at("a.txt", 0, 16), at("a.txt", 4, 8), at("a.txt", 9, 15))],
        "3 spans begin or end with white space; they were trimmed (q)",
        cases=({"question": "q"},) * 3,
    ),
    Case(
        "trimmed",
        {"a.txt": "Ring the bell. \n"},
        [row("q", "How?", at("a.txt", 0, 14), quote("a.txt", " bell. "))],
        about="offsets without white space, and a quote with it",
    ),
    Case(
        "synthetic",
        files(3),
        [
            row("a", "When?", "street0.", synthetic="proxy"),
            row("b", "Where?", "street1.", synthetic="proxy"),
            row("c", "What of Gate2?", "street2."),
        ],
        "2 of 3 questions are proxies",
        cases=({"question": "a", "synthetic": "proxy"}, {"question": "b", "synthetic": "proxy"}),
    ),
    Case("synthetic", files(2), asked(2, 2)),
    Case("blank", {**files(1), "b.txt": " \n"}, asked(1, 1), "1 document holds no text (b.txt)"),
    Case("blank", files(2), asked(1, 1)),
    Case(
        "byte_order_mark",
        {**files(1), "b.txt": b"\xef\xbb\xbfx"},
        asked(1, 1),
        "begins with a byte-order mark (b.txt)",
    ),
    Case("byte_order_mark", files(2), asked(1, 1)),
    Case(
        "skipped",
        {**files(1), "b.txt": b"\0"},
        asked(1, 1),
        "1 file left out for lack of readable text (b.txt)",
        skip_bad=True,
    ),
    Case("skipped", files(2), asked(1, 1), skip_bad=True),
    Case(
        "skipped",
        files(2),
        asked(1, 1),
        "1 file left out when the set was made, as the card says",
        "scan.pdf: holds no text on its 2 pages",
        ({"document": "scan.pdf", "why": "holds no text on its 2 pages"},),
        card="name: x\nskipped: {scan.pdf: holds no text on its 2 pages}\n",
        about="of the card",
    ),
    Case(
        "reading",
        files(2),
        [row("q", "When?", "street1.", filter={"side": "left"})],
        "1 thing noticed while the files were read",
        "the filter excludes its own evidence in 1.txt",
        card="name: x\ndocuments: {0.txt: {metadata: {side: left}}}\n",
    ),
    Case("reading", files(2), asked(1, 1)),
]


def of_rule(case: Case, make_set: Any) -> tuple[list[Finding], str]:
    report = check(make_set(case.documents, case.questions, case.card), skip_bad=case.skip_bad)
    assert report.ok, report.problems
    return [one for one in report.warnings if one.rule == case.rule], "\n".join(lines(report))


@pytest.mark.parametrize(
    "case",
    CASES,
    ids=lambda case: f"{case.rule}-{'warns' if case.says else 'silent'}{case.about and '-'}{case.about}",
)
def test_a_rule_warns_where_it_must_and_nowhere_else(case: Case, make_set: Any) -> None:
    findings, shown = of_rule(case, make_set)
    if not case.says:
        assert findings == []
        return
    (finding,) = findings
    assert case.says in finding.what
    assert finding.what in shown
    assert case.shows in shown
    assert finding.remedy in shown
    if case.cases is not None:
        assert finding.cases == case.cases


@given(st.text("ab\u00ad\u200b\u2060\ufeff\u2003\u00a0\x0b \n", min_size=1, max_size=12))
def test_no_evidence_is_a_copy_of_itself(text: str) -> None:
    text = text.strip()
    assume(set(text) & set("ab"))
    asked = Question("q", "Who?", (Evidence((Passage("a", 0, len(text)),)),))
    assert copies(Material(GoldSet("x", (Document("a", text),), (asked,), ""))) == []


def test_every_rule_has_its_file_and_every_rule_both_kinds_of_sets() -> None:
    written = {path.stem for path in FOLDER.glob("*.py") if "\ndef find(" in path.read_text("utf-8")}
    assert written == set(RULES)
    assert {case.rule for case in CASES if case.says} == set(RULES)
    assert {case.rule for case in CASES if not case.says} == set(RULES)
    assert set(OF_FILES) <= set(RULES)
