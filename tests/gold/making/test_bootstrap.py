"""Proxy questions: what they are made of, how they are spread, and that no line of a person is ever lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold import GoldSet, load
from evaluation.gold.check import check
from evaluation.gold.copies_that_count import MOST_PLACES, whole_sentences
from evaluation.gold.documents import media_type
from evaluation.gold.loading import QUESTIONS
from evaluation.gold.making.bootstrap import IN_ONE_ANOTHER, KINDS, SPREAD_TOO_WIDE, Proxies, make_proxies
from evaluation.gold.making.proxy_lines import as_made, bootstrap
from evaluation.gold.nouns import Question
from evaluation.gold.writing import write_gold
from experiments.cli.app import run
from strategies.document import Document, Mark
from strategies.errors import BadInput

GUIDE = """\
# Guide to the house

This guide explains the customs of the house to people who have just moved in here.

## Quiet hours

The porter locks the cellar at ten each evening without exception. Quiet hours run until seven in the morning.
Musicians may practise in the laundry on Saturdays, provided that nobody objects in writing.

## Bicycles

Bicycles belong in the cellar, where every flat owns exactly two hooks near the boiler. Trailers do not fit.
Ask the caretaker for the combination of the padlock before you carry anything heavy down.

## Rubbish

| day | bin |
| --- | --- |
| Tuesday | paper |

Rubbish is collected on Tuesdays from the yard behind the chestnut tree. Glass goes to the corner.

## Guests

Guests who stay for longer than a fortnight are written down in the green book of the porter. He smiles.

## Heating

The boiler warms all radiators between October and April, whatever thermometers claim. Blankets are lent.

## Introduction

Words.
"""

CODE = '''\
"""Locks."""


class Gate:
    """A gate that somebody may lock."""

    def open_slowly(self, seconds):
        """Open it."""
        for second in range(seconds):
            self.turn(second)
            self.grease(second, amount=0.25)
        return self.state == "open"


def main():
    pass


def count_turns(gate, seconds):
    turned = [gate.turn(second) for second in range(seconds)]
    return sum(turned) / max(1, len(turned)) if turned else None


def ring_bell(times):
    for time in range(times):
        print("ring", time, "of", times, "in the tower of the old gate")
    return times
'''

PAGE = """<html><head><title>Ferry</title><script>
var x = "Never a question at all, my friend of code.";</script></head>
<body><h1>Ferry across the bay</h1><p>The ferry crosses the bay every forty minutes from the <b>old</b> pier
&amp; back. Bicycles travel on the lower deck for free on weekdays. Dogs need a lead.</p>
<h2>Winter timetable</h2><p>In winter the last boat leaves the island shortly before seven. Storms cancel
every crossing without any notice whatsoever.</p>
<h2>Prices</h2><table><tr><td>Adults pay four euro for a crossing in the summer months.</td></tr></table>
<h2>Lost things</h2><ul><li>Ask at the kiosk.</li></ul>
<p>Umbrellas pile up in the kiosk beside the northern pier.</p>
</body></html>"""


def documents(**texts: str) -> list[Document]:
    """Documents by name, a dot written as two underscores."""
    names = {name.replace("__", "."): text for name, text in texts.items()}
    return [Document(name, text, media_type=media_type(name)) for name, text in sorted(names.items())]


def made(held: Sequence[Document], wanted: int = 100, **options: Any) -> Proxies:
    return make_proxies(held, wanted, **{"seed": 7, **options})


def evidence(proxies: Proxies, held: Sequence[Document]) -> dict[str, list[str]]:
    """Question -> the words of its evidence, as first listed."""
    texts = {document.id: document.text for document in held}
    return {
        question.text: [
            texts[entry.passages[0].document][entry.passages[0].start : entry.passages[0].end]
            for entry in question.evidence
        ]
        for question in proxies.questions
    }


def test_a_heading_asks_for_what_stands_below_it() -> None:
    held = documents(guide__md=GUIDE)
    found = evidence(made(held, kinds=["headings"]), held)
    headings = ("Quiet hours", "Bicycles", "Rubbish", "Guests", "Heating")
    assert set(found) == {"Guide to the house", *(f"Guide to the house > {words}" for words in headings)}
    (text,) = found["Guide to the house > Bicycles"]
    assert text.startswith("Bicycles belong in the cellar")
    assert text.endswith("anything heavy down.")
    assert not any("#" in text for texts in found.values() for text in texts)


def test_sections_that_are_no_evidence_are_counted_with_the_reason() -> None:
    held = documents(guide__md=GUIDE, copy__md=f"{GUIDE}\n## Other\n\nText.\n")
    left_out = made(held, kinds=["headings"]).left_out["headings"]
    # Seven of each guide: under the same titles, so that all repeat, but for the one that is new.
    assert left_out == {"the headings repeat": 14, "it is shorter than 12 tokens": 1}
    long = GUIDE.replace("# Guide to the house", "# Guide") + "\n## Very long\n\n" + "All about it. " * 120
    alone = made(documents(guide__md=long), kinds=["headings"]).left_out["headings"]
    assert alone == {
        "the heading is a single word": 1,
        "it is more than a quarter of its document": 1,
        "it is shorter than 12 tokens": 1,
    }
    rest = documents(guide__md=f"{long}\n\n## All else\n\n" + "Nothing at all. " * 500)
    assert "it is longer than 256 tokens" in made(rest, kinds=["headings"]).left_out["headings"]


def test_a_heading_of_the_same_words_elsewhere_is_told_by_its_path() -> None:
    other = GUIDE.replace("Guide to the house", "Guide to the yard").replace("cellar", "shed")
    held = documents(guide__md=GUIDE, other__md=other)
    found = evidence(made(held, kinds=["headings"]), held)
    assert {"Guide to the house > Bicycles", "Guide to the yard > Bicycles"} <= set(found)


def test_definitions_of_source_code_are_asked_by_name() -> None:
    held = documents(gate__py=CODE)
    found = evidence(made(held), held)
    assert set(found) == {"Gate > open_slowly", "count_turns", "ring_bell"}
    assert found["count_turns"][0].startswith("turned = [")
    assert "def " not in "".join(text for texts in found.values() for text in texts)
    assert made(held, kinds=["cloze"]).questions == ()


def test_headings_that_a_reader_marked_are_headings_whatever_lines_they_take() -> None:
    text = (
        "Rules of the\nold harbour\n"
        "Boats leave from the west pier at noon, and a deposit of twelve euro is paid.\n"
        "Storms\nWhen the red ball is up, no boat may leave the harbour under any circumstances at all.\n"
        + "The rest is of no interest to anybody who sails, rows or swims in the old harbour today.\n"
        * 6
    )
    at = text.index("Storms")
    marks = (Mark("heading", 0, "Rules of the old harbour"), Mark("heading", at, "Storms", 2))
    end = text.index("The rest")
    held = [Document("a.txt", text, marks=(*marks, Mark("heading", end, "The rest", 1)))]
    found = evidence(made(held, kinds=["headings"]), held)
    assert found == {
        "Rules of the old harbour": [
            "Boats leave from the west pier at noon, and a deposit of twelve euro is paid."
        ],
        "Rules of the old harbour > Storms": [
            "When the red ball is up, no boat may leave the harbour under any circumstances at all."
        ],
    }


def test_a_sentence_asks_for_those_around_it_and_is_no_evidence_itself() -> None:
    held = documents(guide__md=GUIDE)
    proxies = made(held, kinds=["cloze"])
    found = evidence(proxies, held)
    assert found["The porter locks the cellar at ten each evening without exception."] == [
        "Quiet hours run until seven in the morning.\n"
        "Musicians may practise in the laundry on Saturdays, provided that nobody objects in writing."
    ]
    both = found[
        "Musicians may practise in the laundry on Saturdays, provided that nobody objects in writing."
    ]
    assert both == [
        "The porter locks the cellar at ten each evening without exception. "
        "Quiet hours run until seven in the morning."
    ]
    assert all(asked not in " ".join(text.split()) for asked, texts in found.items() for text in texts)
    assert all(question.tags == ("cloze",) for question in proxies.questions)
    assert "This guide explains" not in str(found)  # alone in its section


def test_html_is_asked_as_a_reader_sees_it() -> None:
    held = documents(ferry__html=PAGE)
    found = evidence(made(held), held)
    assert "The ferry crosses the bay every forty minutes from the old pier & back." in found
    assert found["Ferry across the bay > Winter timetable"][0].startswith("In winter the last boat")
    assert not any("friend of code" in asked or "Adults" in asked for asked in found)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 12:00:01 ERROR worker[12] failed: code=17 retry=3\n" * 40,
        "name,amount\nanna,12\n" * 30,
        "| Column one | Column two |\n| --- | --- |\n| The boat leaves at noon from the pier. | 2 |\n",
        "Aaa bbb ccc. " * 50,
        "",
    ],
    ids=["log", "csv", "table", "repeated", "empty"],
)
def test_noise_asks_nothing_and_says_why(text: str) -> None:
    proxies = made(documents(noise__txt=text, data__csv="a,b\n1,2\n"))
    assert proxies.questions == ()
    assert proxies.kinds == {"headings": 0, "cloze": 0}


def test_words_that_stand_in_every_sentence_say_nothing() -> None:
    plain = [
        f"The house and the yard and the gate are shut on {day}." for day in ("one", "two", "six", "ten") * 9
    ]
    numbered = [sentence.replace("shut", f"shut {number}") for number, sentence in enumerate(plain)]
    left_out = made(documents(a__txt=" ".join(numbered)), kinds=["cloze"]).left_out["cloze"]
    assert sum(left_out.values()) == 36
    assert "it has too few rare words to say what it is about" in left_out


CHINESE = (
    "港口的灯塔在星期天向所有的游客开放参观。渡轮每四十分钟从西边的码头出发一次。狗必须用皮带牵着才能上船。"
)


def test_scripts_without_spaces_are_asked_too() -> None:
    held = documents(harbour__txt=CHINESE)
    asked = evidence(made(held, language="zh"), held)
    assert asked["渡轮每四十分钟从西边的码头出发一次。"] == [
        "港口的灯塔在星期天向所有的游客开放参观。",
        "狗必须用皮带牵着才能上船。",
    ]


def test_copies_of_evidence_are_alternatives_and_too_many_are_none() -> None:
    def parish(n: int) -> Document:
        name = letters(n)
        said = f"The {name} keeper of Saint {name.title()}ton counts the lanterns before dusk each day."
        return Document(f"{n}.txt", f"Rowing boats leave from the west pier at noon. {said}")

    proxies = made([parish(n) for n in range(MOST_PLACES)], kinds=["cloze"])
    assert len(proxies.questions) == MOST_PLACES
    for question in proxies.questions:
        (entry,) = question.evidence
        own = f"{next(n for n in range(MOST_PLACES) if letters(n) in question.text)}.txt"
        assert entry.passages[0].document == own
        assert {passage.document for passage in entry.passages} == {f"{n}.txt" for n in range(MOST_PLACES)}
    many = made([parish(n) for n in range(MOST_PLACES + 1)], kinds=["cloze"])
    assert many.questions == ()
    assert many.left_out["cloze"][SPREAD_TOO_WIDE] == MOST_PLACES + 1


GATE = (
    "The gate is open. Bicycles may be wheeled through the archway by every tenant during daylight hours. "
    "Caretakers oil hinges with graphite every second autumn before frost."
)


def alternatives(proxies: Proxies) -> set[tuple[str, int]]:
    return {
        (place.document, place.start)
        for question in proxies.questions
        for entry in question.evidence
        for place in entry.passages[1:]
    }


def test_words_inside_other_sentences_and_words_are_no_copies() -> None:
    held = documents(
        a__txt=GATE,
        b__txt="Nobody should ever believe that the gate is open. Wardens patrol terraces.",
        c__txt="The gate is opening. It rains.\n\nUm, the gate is open. It rains.",
        d__txt="It rains. The gate is open. It rains.",
    )
    assert alternatives(made(held, kinds=["cloze"])) == {("d.txt", 10)}


def test_evidence_in_other_evidence_of_the_same_question_is_left_out() -> None:
    held = documents(
        a__txt="The bell rings. Bicycles may be wheeled through archways by every tenant during daylight. "
        "The bell rings. Caretakers oil hinges."
    )
    proxies = made(held, kinds=["cloze"])
    assert proxies.questions == ()
    assert proxies.left_out["cloze"][IN_ONE_ANOTHER] == 1


def test_a_sentence_that_stands_twice_is_no_question() -> None:
    twice = "Bicycles may be wheeled through archways by every tenant during daylight."
    beside = ("The brass bell rings daily.", "Caretakers oil all hinges daily.")
    held = documents(a__txt=f"{beside[0]} {twice}", b__txt=f"{beside[1]} {twice}")
    proxies = made(held, kinds=["cloze"])
    assert proxies.questions == ()
    assert proxies.left_out["cloze"]["the sentence stands there more than once"] == 2


def letters(n: int) -> str:
    """A number as a word."""
    return "".join("abcdefghij"[int(digit)] for digit in str(1000 + n))


def long_text(name: str, sentences: int) -> str:
    return " ".join(
        f"The {name}{letters(n)} keeper crosses {letters(n)}{name} yard before dusk by lantern {letters(n)}."
        for n in range(sentences)
    )


def test_questions_are_spread_by_the_square_root_of_the_length() -> None:
    held = documents(
        big__txt=long_text("ox", 400), small__txt=long_text("yak", 25), tiny__txt=long_text("emu", 4)
    )
    proxies = made(held, 30, kinds=["cloze"])
    counts = Counter(question.evidence[0].passages[0].document for question in proxies.questions)
    # Lengths as 400 : 25 : 4, so roots as 20 : 5 : 2.
    assert counts == {"big.txt": 22, "small.txt": 6, "tiny.txt": 2}
    rest = made(held, 1000, kinds=["cloze"])
    assert len(rest.questions) == sum((400, 25, 4))  # where there are no more, all are taken
    assert len({question.text for question in rest.questions}) == len(rest.questions)


def test_the_seed_decides_and_a_document_more_changes_no_id() -> None:
    held = documents(a__txt=long_text("ox", 60), b__md=GUIDE)
    ids = [question.id for question in made(held, 20).questions]
    assert ids == [question.id for question in made(held, 20).questions]
    assert ids != [question.id for question in made(held, 20, seed=8).questions]
    everything = {question.id for question in made(held, 1000).questions}
    longer = documents(a__txt=long_text("ox", 60), b__md=GUIDE, c__txt=long_text("emu", 60))
    assert everything <= {question.id for question in made(longer, 1000).questions}


def test_kinds_share_the_number_and_make_up_for_each_other() -> None:
    held = documents(a__txt=long_text("ox", 60), b__md=GUIDE)
    assert made(held, 4).kinds == {"headings": 2, "cloze": 2}
    assert made(held, 30).kinds == {"headings": 6, "cloze": 24}
    assert made(held, 3).kinds == {"headings": 2, "cloze": 1}


# The file


def write_set(folder: Path, held: Sequence[Document]) -> Path:
    """A set as `gold new` makes it: documents, and no question yet."""
    write_gold(folder, GoldSet("set", tuple(held), (Question("q", "?", ()),), ""))
    (folder / QUESTIONS).write_bytes(b"")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    held = documents(guide__md=GUIDE, gate__py=CODE, ferry__html=PAGE, rows__csv="a,b\n1,2\n")
    return write_set(tmp_path / "set", held)


PERSON = (
    '{"id":"mine",  "question": "When is it quiet?", "evidence": ["Quiet hours run until seven"], "tags": []}'
)


def test_a_new_set_is_filled_and_is_clean_but_for_what_it_is(folder: Path) -> None:
    found = bootstrap(folder, 100, seed=7, kinds=list(KINDS))
    gold = load(folder)
    assert len(gold.questions) == len(found.proxies.questions) >= 8
    assert {question.synthetic for question in gold.questions} == {"proxy"}
    assert {question.id for question in gold.questions} == {
        question.id for question in found.proxies.questions
    }
    rules = {warning.rule for warning in check(folder).warnings}
    assert "synthetic" in rules
    # Four short documents: few of a kind, and many of the guide.
    assert rules <= {"synthetic", "few_with_tag", "one_document"}


def test_questions_of_people_are_never_touched(folder: Path) -> None:
    own = [PERSON, '{"id": "two", "question": "Bikes?", "evidence": [], "synthetic": "model"}']
    (folder / QUESTIONS).write_text("\n".join([own[0], "", own[1]]), "utf-8")
    before = (folder / QUESTIONS).read_bytes()
    with pytest.raises(BadInput, match="holds 2 questions already, 0 of them proxies"):
        bootstrap(folder, 5, seed=7, kinds=list(KINDS))
    assert (folder / QUESTIONS).read_bytes() == before
    first = bootstrap(folder, 5, seed=7, kinds=list(KINDS), replace=True)
    assert (first.kept, first.replaced, first.changed) == (2, 0, 0)
    with pytest.raises(BadInput, match="holds 7 questions already, 5 of them proxies"):
        bootstrap(folder, 5, seed=7, kinds=list(KINDS))
    lines = (folder / QUESTIONS).read_text("utf-8").splitlines()
    assert lines[:2] == own
    mended = json.loads(lines[2]) | {"question": "What a person would ask"}
    lines[2] = json.dumps(mended)
    (folder / QUESTIONS).write_text("\n".join(lines), "utf-8")
    second = bootstrap(folder, 3, seed=9, kinds=list(KINDS), replace=True)
    assert (second.kept, second.replaced, second.changed) == (3, 4, 1)
    assert (folder / QUESTIONS).read_text("utf-8").splitlines()[:3] == [*own, lines[2]]
    assert len(load(folder).questions) == 6


ADDED = {
    "answer": "Ten in the evening.",
    "filter": {"year": 2024},
    "tags": ["cloze", "hard"],
    "question": "When is it quiet?",
    "note": "mine",
}


@pytest.mark.parametrize("key", [*ADDED, "alternative", "range", "quote", "entry"])
def test_whatever_a_person_changed_in_a_proxy_is_kept(folder: Path, key: str) -> None:
    bootstrap(folder, 4, seed=7, kinds=["cloze"])
    row, *others = map(json.loads, (folder / QUESTIONS).read_text("utf-8").splitlines())
    first = row["evidence"][0]
    if key in ADDED:
        row[key] = ADDED[key]
    elif key == "alternative":
        first["alternatives"] = [{"quote": "Trailers do not fit."}]
    elif key == "range":
        first["start"] += 1
    elif key == "quote":
        del first["quote"]
    else:
        row["evidence"].append({"quote": "Trailers do not fit."})
    assert not as_made(json.dumps(row))
    assert all(as_made(json.dumps(dict(reversed(other.items())))) for other in others)
    if key in ("answer", "tags", "alternative", "entry"):  # what the set bears
        line = json.dumps(row)
        (folder / QUESTIONS).write_text("\n".join([line, *map(json.dumps, others)]), "utf-8")
        again = bootstrap(folder, 4, seed=7, kinds=["cloze"], replace=True)
        assert (again.kept, again.changed, again.replaced) == (1, 1, 3)
        assert (folder / QUESTIONS).read_text("utf-8").splitlines()[0] == line


def test_proxies_of_documents_that_changed_give_way(folder: Path) -> None:
    bootstrap(folder, 20, seed=7, kinds=list(KINDS))
    guide = folder / "documents" / "guide.md"
    guide.write_text(
        "# Another first line\n\n" + guide.read_text("utf-8").replace("Tuesdays", "Mondays"), "utf-8"
    )
    with pytest.raises(BadInput):
        load(folder)
    bootstrap(folder, 20, seed=7, kinds=list(KINDS), replace=True)
    assert load(folder).questions


def test_what_a_person_asked_is_not_asked_again(folder: Path) -> None:
    asked = {"id": "p", "question": "guide TO the house  > bicycles", "evidence": ["Trailers do not fit."]}
    (folder / QUESTIONS).write_text(json.dumps(asked) + "\n", "utf-8")
    found = bootstrap(folder, 100, seed=7, kinds=["headings"], replace=True)
    assert "Guide to the house > Bicycles" not in {question.text for question in found.proxies.questions}
    assert found.proxies.left_out["headings"]["it is asked already"] == 1


def test_a_broken_set_is_refused_and_left_as_it_is(folder: Path) -> None:
    (folder / QUESTIONS).write_text(
        f'{PERSON}\n{{"id": "bad", "question": "?", "evidence": ["nowhere"]}}\n', "utf-8"
    )
    (folder / "card.yaml").write_text("name: set\ncounts: {questions: 2}\n", "utf-8")
    before = (folder / QUESTIONS).read_bytes()
    with pytest.raises(BadInput) as caught:
        bootstrap(folder, 5, seed=7, kinds=list(KINDS), replace=True)
    told = str(caught.value)
    assert "stands in no document" in told
    assert "card.yaml: counts.questions is of the questions as they are" in told
    assert (folder / QUESTIONS).read_bytes() == before


def test_documents_without_anything_to_ask_are_bad_input(tmp_path: Path) -> None:
    write_set(tmp_path / "set", documents(a__txt="Short.\n"))
    with pytest.raises(BadInput, match=r"no proxy can be made: .*cloze leave out"):
        bootstrap(tmp_path / "set", 5, seed=7, kinds=list(KINDS))
    assert (tmp_path / "set" / QUESTIONS).read_bytes() == b""


@pytest.mark.parametrize(
    "line", ["", "[]", "{}", "null", '{"evidence": [1], "synthetic": "proxy"}', "\ud800", "[" * 99999]
)
def test_lines_of_any_kind_are_no_proxies(line: str) -> None:
    assert not as_made(line)


# The command


def test_the_command_says_what_it_made_and_why_not_more(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gold", "bootstrap", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "proxy questions (" in out
    assert "Fewer than the 100 asked for: headings leave out" in out
    assert "they rank cuts only roughly" in out
    assert f"chunksweep run quick --dataset {folder}" in out
    assert run(["gold", "bootstrap", str(folder)]) == 2
    assert "--replace puts new proxies" in capsys.readouterr().err
    assert run(["gold", "bootstrap", str(folder), "--replace", "--questions", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["made"], told["wanted"], len(told["ids"]), told["kept"]) == (3, 3, 3, 0)
    assert told["replaced"] >= 8


def test_slips_are_told_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["gold", "bootstrap", str(folder), "--kinds", "clozes,heading,clozes"]) == 2
    told = capsys.readouterr().err
    assert "'clozes' is no way to make proxies. Did you mean cloze?" in told
    assert "Did you mean headings?" in told
    assert run(["gold", "bootstrap", str(folder), "--kinds", ","]) == 2
    assert run(["gold", "bootstrap", "handbook", "--replace"]) == 2
    assert "comes with chunksweep, which is not changed" in capsys.readouterr().err


# Whatever the documents are


SENTENCES = (
    "The keeper of the old lighthouse counts ninety steps each evening before dusk falls. ",
    "Caf\u00e9 owners on the northern e\u0301tage serve pancakes, porridge and lemonade until midnight! ",
    "Every Thursday the harbour master inspects barges, dinghies and ferries along the quay. ",
    "\u200bZero width blanks surround this sentence about parsnips, turnips and celery here.\u200b ",
    "Twelve&nbsp;monks &lt;quietly&gt; translate manuscripts about astronomy, botany and geometry. ",
    CHINESE,
)
MARKUP = (
    *(
        "# Head one\n\n",
        "## The second head\n",
        "Head\n====\n",
        "<h2>A &amp; b c</h2>",
        "<p>",
        "</p>\n",
        "<td>",
    ),
    *("\f", "Why? ", "No. ", "| a | b |\n|---|---|\n| 1 | 2 |\n", "```\ncode\n```\n", "- item\n", "  "),
    *("\r\n\r\n", "\n\n", "\n", "\u2028", "\ufeff", "\u0301", "\u00ad", "\U0001f600"),
    "def open_gate(a):\n    return a + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8\n",
)
PIECES = st.sampled_from(SENTENCES + MARKUP)
NAMES = ["a.md", "b.html", "c.txt", "d.py", "e.csv", "f.jsonl", "g/h.md"]


@st.composite
def nasty(draw: st.DrawFn) -> list[Document]:
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True)):
        text = "".join(draw(st.lists(PIECES, max_size=24)))
        starts = (
            draw(st.lists(st.integers(0, max(0, len(text) - 1)), max_size=3, unique=True)) if text else []
        )
        marks = tuple(Mark("heading", start, f"Mark at {start}", 1 + start % 3) for start in sorted(starts))
        found.append(Document(name, text.removeprefix("\ufeff"), media_type=media_type(name), marks=marks))
    return sorted(found, key=lambda document: document.id)


@given(nasty(), st.integers(1, 30))
def test_what_is_made_of_any_documents_loads(
    tmp_path_factory: pytest.TempPathFactory, held: list[Document], wanted: int
) -> None:
    held = [
        Document(
            one.id,
            one.text,
            media_type=one.media_type,
            marks=tuple(m for m in one.marks if m.start < len(one.text)),
        )
        for one in held
    ]
    if not make_proxies(held, wanted, seed=1).questions:
        return
    folder = write_set(tmp_path_factory.mktemp("nasty") / "set", held)
    found = bootstrap(folder, wanted, seed=1, kinds=list(KINDS))
    gold = load(folder)
    assert sorted(q.id for q in gold.questions) == sorted(q.id for q in found.proxies.questions)
    assert gold.questions == found.proxies.questions
    assert len(gold.questions) <= wanted
    lines = (folder / QUESTIONS).read_text("utf-8").split("\n")
    assert all(as_made(line) for line in lines if line)
    texts = {document.id: document.text for document in gold.documents}
    for place in (p for q in gold.questions for entry in q.evidence for p in entry.passages[1:]):
        assert whole_sentences(texts[place.document], place.start, place.end)
    told = "\n".join(str(warning) for warning in check(folder).warnings)
    assert "ask the same" not in told
