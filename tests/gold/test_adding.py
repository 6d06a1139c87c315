"""Questions added to a set: given as options, or asked for on a terminal."""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import os
import pty
import re
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from evaluation.gold import bundled, load
from evaluation.gold.adding import begin, evidence, save, suggested_id
from evaluation.gold.card_claims import replaced
from evaluation.gold.changing import add_questions
from evaluation.gold.check import check
from evaluation.gold.making import proxy_lines
from evaluation.gold.nouns import Evidence, Passage, Question
from experiments import gold_dialogue
from experiments.cli.app import run
from experiments.gold_dialogue import Dialogue
from strategies.errors import BadInput
from tests.gold.conftest import MakeSet

RULES = (
    "Quiet hours run from ten at night to seven in the morning.\n\n"
    "Rubbish is collected on Tuesday. Put the bins out the evening before.\n\n"
    "Bicycles belong in the cellar. Put the bins out the evening before.\n"
)
LETTER = "Rubbish is collected on Thursday.\nBicycles belong in the cellar.\n"
CARD = (
    "# Ours.\r\nname: house   # of flats\r\n"
    "counts: {evidence_spans: 1,\r\n  documents: 2, 'questions': 1}\r\n"
    "checksum: {checksum}\r\nlicence: CC0-1.0\r\n"
)
ONE = {"id": "quiet", "question": "When must it be quiet?", "evidence": ["Quiet hours run from ten"]}


@pytest.fixture
def house(make_set: MakeSet) -> Path:
    return make_set({"rules.md": RULES, "letter.txt": LETTER}, [ONE])


def add(folder: Path, *quotes: str, question: str = "Which day is it?", more: Iterable[str] = ()) -> int:
    given = [word for quote in quotes for word in ("--quote", quote)]
    return run(["gold", "add", str(folder), "--question", question, *given, *more])


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]


# By options


def test_a_question_is_added_with_its_place_and_what_stands_there(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--tag", "single", "--tag", "day", "--answer", " Tuesday ", "--id", "day"]
    assert add(house, "collected on\ntuesday", "Quiet hours", more=more) == 0
    assert "Rubbish is >>>collected on Tuesday<<<." in capsys.readouterr().out
    assert rows(house)[1] == {
        "id": "day",
        "question": "Which day is it?",
        "evidence": [
            {"document": "rules.md", "start": 71, "end": 91, "quote": "collected on Tuesday"},
            {"document": "rules.md", "start": 0, "end": 11, "quote": "Quiet hours"},
        ],
        "tags": ["single", "day"],
        "answer": "Tuesday",
    }
    assert [question.id for question in load(house).questions] == ["quiet", "day"]


def test_a_quote_that_stands_nowhere_is_never_taken(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (house / "questions.jsonl").read_bytes()
    assert add(house, "Rubbish is colected on Tuesday") == 2
    err = capsys.readouterr().err
    assert (
        'does not stand in any document. At 60 rules.md reads "Rubbish is collected on Tuesday", 0.98' in err
    )
    assert 'Or: At 0 letter.txt reads "Rubbish is collected on Thursday", 0.' in err
    assert (house / "questions.jsonl").read_bytes() == before


def test_a_quote_that_repeats_asks_for_its_document_or_any(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(house, "Put the bins out") == 2
    assert "stands in rules.md at 93 and rules.md at 162" in capsys.readouterr().err
    assert add(house, "Bicycles belong", more=["--document", "letter.txt"]) == 0
    assert rows(house)[1]["evidence"][0]["document"] == "letter.txt"
    assert add(house, "Put the bins out", more=["--any", "--id", "bins"]) == 0
    assert load(house).questions[2].evidence == (
        Evidence((Passage("rules.md", 93, 109), Passage("rules.md", 162, 178))),
    )
    assert add(house, "Bicycles", more=["--document", "leter.txt"]) == 2
    assert "Did you mean letter.txt?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--question", "Who?"], "--quote: is missing"),
        (["--quote", "Quiet"], "--question: is missing"),
        (["--tag", "a"], "--question: is missing"),
        (["--question", " ", "--quote", "Quiet"], "question: is empty"),
        (["--question", "Who?", "--quote", "Quiet", "--id", " "], "id: is empty"),
        (["--question", "Who?", "--quote", "Quiet", "--id", "quiet"], "'quiet' is taken"),
        (["--question", "Who?", "--quote", "Quiet", "--tag", ""], "tag: is empty"),
        (["--question", "Who?", "--quote", "  "], "--quote: is empty"),
        (["--question", "Who?\udcff", "--quote", "Quiet"], "half of a surrogate pair"),
        ([], "asks on a terminal, and this is none"),
    ],
)
def test_slips_in_options_change_nothing(
    options: list[str], said: str, house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (house / "questions.jsonl").read_bytes()
    assert run(["gold", "add", str(house), *options]) == 2
    assert said in capsys.readouterr().err
    assert (house / "questions.jsonl").read_bytes() == before


def test_bundled_sets_are_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match="is a set that comes with chunksweep"):
        begin("handbook")
    (tmp_path / "mine").symlink_to(bundled()["minis"])
    for path in (str(bundled()["minis"]), str(tmp_path / "mine"), "mine"):
        with pytest.raises(BadInput, match="minis: is a set that comes with chunksweep"):
            begin(path)


@pytest.mark.parametrize("content", [None, b"", b"\n", b'{"id": "x"', b'\xef\xbb\xbf{"id": 7}'])
def test_any_state_of_the_file_can_be_added_to(
    content: bytes | None, house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = house / "questions.jsonl"
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    assert add(house, "on Tuesday") == 0
    said = capsys.readouterr().err
    assert ("problem" in said) == bool(content and content.strip())
    head = content or b""
    assert file.read_bytes().startswith(head)
    assert json.loads(file.read_bytes()[len(head) :])["evidence"][0]["start"] == 81


def test_an_id_behind_a_byte_order_mark_is_taken(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = house / "questions.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert add(house, "on Tuesday", more=["--id", "quiet"]) == 2
    assert "'quiet' is taken" in capsys.readouterr().err
    load(house)


def test_a_file_that_is_no_text_is_refused(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (house / "questions.jsonl").write_bytes(b"\xff\xfe\n")
    assert add(house, "on Tuesday") == 2
    assert "questions.jsonl: is not UTF-8" in capsys.readouterr().err


def test_a_question_in_the_words_of_its_evidence_is_told(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(house, "Rubbish is collected on Tuesday.", question="Is rubbish collected on Tuesday?") == 0
    assert "in the words of its evidence" in capsys.readouterr().err
    assert add(house, "Quiet hours run", question="When should my trumpet be silent?") == 0
    assert "in the words" not in capsys.readouterr().err


def test_evidence_that_cuts_a_word_is_told(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(house, "Bring", "collected on Tues", more=["--id", "x"]) == 2
    assert add(house, "collected on Tues", more=["--id", "x"]) == 0
    said = "Evidence in rules.md at 71 begins or ends inside a word: llected on Tues|day. Put the bi"
    assert said in capsys.readouterr().err
    assert add(house, "collected on Tuesday", more=["--id", "y"]) == 0
    assert "inside a word" not in capsys.readouterr().err


def test_a_question_without_evidence_can_be_given(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(house, question="May I keep a dog?", more=["--no-evidence", "--tag", "none, dogs,"]) == 0
    assert "no evidence: the question is not scored" in capsys.readouterr().out
    assert rows(house)[1] == {
        "id": "keep-dog",
        "question": "May I keep a dog?",
        "evidence": [],
        "tags": ["none", "dogs"],
    }
    assert add(house, "Quiet hours", more=["--no-evidence"]) == 2
    assert "--no-evidence: does not go with --quote" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where do I send it?", "where-send"),
        ("In which states can goods be returned?", "goods-returned"),
        ("What is it?", "what-is-it"),
        ("Wo steht die M\u00fclltonne?", "wo-steht-die-mulltonne"),
        ("?", "question"),
    ],
)
def test_suggested_ids_name_what_is_asked(question: str, name: str) -> None:
    assert suggested_id(question, ()) == name


def test_json_is_what_show_prints(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(house, "on Tuesday", more=["--json", "--id", "day"]) == 0
    added = json.loads(capsys.readouterr().out)
    assert run(["gold", "show", "day", "--dataset", str(house), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == added


ROOMS = " ".join(f"Der Raum wird im Haus {n} genutzt und im Mai geputzt." for n in range(30))
GERMAN = [
    {
        "id": str(n),
        "question": f"Wo wird der Raum im Haus {n} x genutzt?",
        "evidence": [f"im Haus {n} genutzt und"],
    }
    for n in range(24)
]


@pytest.mark.parametrize("held", [GERMAN, []])
@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Wann wird der Aufzug gewartet?", "Der Aufzug wird im April gewartet."),
        ("Was wird im Haus gewartet?", "Der Aufzug wird im April gewartet."),
        ("What is the lift for?", "What the lift is for"),
        ("When is the lift mended?", "The lift is mended in April"),
    ],
)
def test_copies_are_told_as_the_check_tells_them(
    question: str, quote: str, held: list[Any], make_set: MakeSet
) -> None:
    text = "Der Aufzug wird im April gewartet. The lift is mended in April. What the lift is for, all know."
    folder = make_set({"a.txt": text, "b.txt": ROOMS}, held)
    draft = begin(str(folder))
    new = Question("new", question, evidence(draft, [quote]))
    told = draft.copies(new)
    save(draft, new)
    report = check(str(folder))
    assert not report.problems
    assert told == report.overlaps[-1].copied


@given(st.text(max_size=60), st.sets(st.sampled_from(["question", "question-2", "a", "a-2"])))
def test_suggested_ids_are_free_and_short(question: str, taken: set[str]) -> None:
    name = suggested_id(question, taken)
    assert name not in taken
    assert 0 < len(name) <= 43
    assert re.fullmatch(r"[^\W_]+(-[^\W_]+)*", name)


# What the card claims


def with_claims(house: Path, checksum: str | None = None) -> str:
    """Write the card with the right checksum, or this one."""
    (house / "card.yaml").write_bytes(CARD.replace("{checksum}", "'sha256:0'").encode())
    with pytest.raises(BadInput) as caught:
        load(house)
    (found,) = re.findall(r"sha256:[0-9a-f]{64}", str(caught.value))
    text = CARD.replace("{checksum}", f'"{checksum or found}"  # as of now')
    (house / "card.yaml").write_bytes(text.encode())
    return text


def test_claims_of_the_card_stay_true_and_all_else_stays(house: Path) -> None:
    before = with_claims(house)
    load(house)
    assert add(house, "on Tuesday", "Quiet hours") == 0
    assert load(house).card["counts"] == {"evidence_spans": 3, "documents": 2, "questions": 2}
    after = (house / "card.yaml").read_bytes().decode()
    changed = re.sub(r"sha256:\w+", "", before).replace("spans: 1", "spans: 3").replace("ns': 1", "ns': 2")
    assert re.sub(r"sha256:\w+", "", after) == changed


def test_a_checksum_that_was_wrong_is_not_made_right(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_claims(house, "sha256:abc")
    assert add(house, "on Tuesday") == 0
    assert "checksum was wrong before this change" in capsys.readouterr().err
    with pytest.raises(BadInput, match="checksum is sha256:abc"):
        load(house)


def test_a_claim_that_cannot_be_renewed_is_told(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = (
        'name: house\ndescription: &one "1"\nversion: *one\ncounts: {questions: &n 1, evidence_spans: *n}\n'
    )
    (house / "card.yaml").write_text(card)
    load(house)
    assert add(house, "on Tuesday", "Quiet hours") == 0
    said = capsys.readouterr().err
    assert (
        "card.yaml: could not be brought up to date. Write counts.questions: 2, counts.evidence_spans: 3"
        in said
    )
    assert (house / "card.yaml").read_text() == card


@pytest.mark.parametrize("full", ["card.yaml", "questions.jsonl"])
def test_where_a_file_cannot_be_written_both_stay(
    full: str, house: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_claims(house)
    before = {path.name: path.read_bytes() for path in house.glob("*.*")}
    make = tempfile.mkstemp

    def mkstemp(prefix: str, dir: str) -> tuple[int, str]:
        if full in prefix:
            raise OSError(28, "No space left on device")
        return make(prefix=prefix, dir=dir)

    monkeypatch.setattr(tempfile, "mkstemp", mkstemp)
    assert add(house, "on Tuesday") == 1
    assert "No space left on device" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in house.glob("*.*")} == before
    monkeypatch.undo()
    assert add(house, "on Tuesday") == 0
    assert load(house).card["counts"]["questions"] == 2


def test_a_card_that_cannot_be_put_in_its_place_is_a_note(
    house: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_claims(house)
    replace = os.replace

    def closed(name: str, path: str) -> None:
        if path.endswith("card.yaml"):
            raise PermissionError(1, "Operation not permitted")
        replace(name, path)

    monkeypatch.setattr(os, "replace", closed)
    assert add(house, "on Tuesday") == 0
    assert "card.yaml: could not be brought up to date (Operation not permitted)" in capsys.readouterr().err
    assert len(rows(house)) == 2
    assert sorted(os.listdir(house)) == ["card.yaml", "documents", "questions.jsonl"]


def test_a_signal_between_the_two_files_waits(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_claims(house)
    replace = os.replace

    def interrupted(name: str, path: str) -> None:
        replace(name, path)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "replace", interrupted)
    assert add(house, "on Tuesday") == 130
    monkeypatch.undo()
    assert len(load(house).questions) == 2  # whose checksum holds


def test_values_are_replaced_in_any_style() -> None:
    assert replaced("a: 1\nname: 'x'\nchecksum: sha256:1\n", {("checksum",): "sha256:2"}) is not None
    assert replaced("name: x\n", {("counts", "questions"): 2}) is None
    assert replaced("name: x\nchecksum: |\n  sha256:1\n", {("checksum",): "sha256:2"}) is None


# Several at once


def test_several_at_once_lose_nothing(house: Path) -> None:
    """A lock belongs to who opened the folder: threads wait for each other as processes do."""
    with_claims(house)

    def add_many(name: str) -> None:
        draft = begin(str(house))
        for number in range(10):
            entry = Evidence((Passage("rules.md", 0, 11),))
            save(draft, Question(f"{name}-{number}", "When?", (entry,)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add_many, "abcd"))
    expected = {"quiet", *(f"{name}-{number}" for name in "abcd" for number in range(10))}
    assert {question.id for question in load(house).questions} == expected


def test_who_generates_and_who_adds_lose_nothing(house: Path) -> None:
    draft = begin(str(house))

    def generate(number: int) -> None:
        add_questions(
            house, [json.dumps({"id": f"made-{number}", "question": "Who?", "evidence": []}) + "\n"]
        )

    def ask(number: int) -> None:
        save(draft, Question(f"asked-{number}", "When?", (Evidence((Passage("rules.md", 0, 11),)),)))

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work, n) for n in range(20) for work in (generate, ask)]:
            done.result()
    expected = {"quiet", *(f"{kind}-{n}" for kind in ("made", "asked") for n in range(20))}
    assert {question.id for question in load(house).questions} == expected


def test_who_makes_questions_waits_for_who_adds(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`gold bootstrap` has read the set when somebody else adds to it."""
    draft = begin(str(house))
    adding = threading.Thread(
        target=save, args=(draft, Question("mine", "When?", (Evidence((Passage("rules.md", 0, 11),)),)))
    )
    make = proxy_lines.make_proxies

    def meanwhile(*given: Any, **more: Any) -> Any:
        adding.start()
        adding.join(0.2)
        return make(*given, **more)

    monkeypatch.setattr(proxy_lines, "make_proxies", meanwhile)
    made = proxy_lines.bootstrap(house, 3, seed=7, kinds=["cloze"], replace=True).proxies.questions
    adding.join()
    assert [question.id for question in load(house).questions] == ["quiet", *(q.id for q in made), "mine"]


# Asked for


Answer = Callable[[Path, list[str]], str]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Run the dialogue over these lines, and give what it prints; prompts are not asked for in vain."""

    def answered(folder: Path, lines: list[str]) -> str:
        waiting = iter(lines)
        file = io.StringIO()

        def ask(prompt: str = "") -> str:
            file.write(prompt)
            try:
                line = next(waiting)
            except StopIteration:
                raise EOFError from None
            file.write(line + "\n")
            return line

        monkeypatch.setattr(builtins, "input", ask)
        dialogue = Dialogue(begin(str(folder)), Console(file=file, width=200), contextlib.nullcontext)
        with pytest.raises(EOFError):
            dialogue.run()
        assert list(waiting) == []
        return file.getvalue()

    return answered


def test_near_matches_are_offered_and_one_is_taken(house: Path, answer: Answer) -> None:
    quote = ["Rubbish is colected", "on Tuesday.", ""]
    said = answer(house, ["Which day is it?", *quote, "9", "1", "n", "a, b", "Tuesday", "", "y"])
    assert "  1 0.98 alike: rules.md, line 3, [60, 92)" in said
    assert "Give a number from 1 to 2" in said
    assert "Id [" in said
    (row,) = rows(house)[1:]
    assert row["evidence"] == [
        {"document": "rules.md", "start": 60, "end": 92, "quote": "Rubbish is collected on Tuesday."}
    ]
    assert (row["tags"], row["answer"]) == (["a", "b"], "Tuesday")


def test_both_parts_around_an_ellipsis_are_taken(house: Path, answer: Answer) -> None:
    answer(house, ["Which?", "Quiet hours run ... Rubbish is collected", "", "1", "n", "", "", "x", "y"])
    assert [entry["quote"] for entry in rows(house)[1]["evidence"]] == [
        "Quiet hours run",
        "Rubbish is collected",
    ]


def test_a_quote_can_be_typed_again_or_given_up(house: Path, answer: Answer) -> None:
    again = ["Rubbish is colected on", "", "e", "Zzz qqq vvv", "", "Quiet hours", ""]
    lines = ["Which?", *again, "y", "Rubbish is colected on", "", "g", "n", "", "", "x", "y"]
    said = answer(house, lines)
    assert "nothing reads much like it" in said
    assert [entry["quote"] for entry in rows(house)[1]["evidence"]] == ["Quiet hours"]


@pytest.mark.parametrize(
    ("choice", "passages"),
    [
        (["2"], [("rules.md", 162)]),
        (["a"], [("rules.md", 93), ("rules.md", 162)]),
    ],
)
def test_of_a_quote_that_repeats_one_place_or_any_is_taken(
    choice: list[str], passages: list[tuple[str, int]], house: Path, answer: Answer
) -> None:
    answer(house, ["When?", "put the bins out", "", *choice, "n", "", "", "x", "y"])
    (entry,) = load(house).questions[1].evidence
    assert [(passage.document, passage.start) for passage in entry.passages] == passages


@pytest.mark.parametrize(
    ("choice", "documents"), [("1", ["letter.txt"]), ("2", ["rules.md"]), ("a", ["letter.txt", "rules.md"])]
)
def test_the_document_is_asked_for_where_there_are_several(
    choice: str, documents: list[str], house: Path, answer: Answer
) -> None:
    said = answer(house, ["Where?", "belong in the cellar", "", choice, "n", "", "", "x", "y"])
    assert "It stands in 2 documents" in said
    (entry,) = load(house).questions[1].evidence
    assert [passage.document for passage in entry.passages] == documents


def test_ids_are_unique_and_nothing_is_saved_against_ones_will(house: Path, answer: Answer) -> None:
    said = answer(
        house, ["Quiet?", "Quiet hours", "", "", "", "", "quiet", "", "n", "Dog?", "", "n", "", "", "d", ""]
    )
    assert "That id is taken." in said
    assert "Id [quiet-2]: " in said
    assert "Not saved." in said
    assert "Without evidence the question is not scored." in said
    assert [row["id"] for row in rows(house)] == ["quiet", "d"]
    assert rows(house)[1]["evidence"] == []


@pytest.mark.parametrize("number", ["9" * 5000, "0", "3", "\u0661"])
def test_only_a_listed_number_is_one(number: str, house: Path, answer: Answer) -> None:
    said = answer(house, ["Which?", "put the bins out", "", number, "1", "n", "", "", "", ""])
    assert "Give a number from 1 to 2" in said
    assert "Saved" in said


def test_what_could_not_be_saved_can_be_saved_again(
    house: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_now, failed = gold_dialogue.save, []

    def full(*given: Any) -> Any:
        if not failed:
            failed.append(1)
            raise OSError(28, "No space left on device")
        return save_now(*given)

    monkeypatch.setattr(gold_dialogue, "save", full)
    said = answer(house, ["Which?", "on Tuesday", "", "n", "", "", "day", "y", "day", "y"])
    assert "It could not be saved (No space left on device)." in said
    assert [row["id"] for row in rows(house)] == ["quiet", "day"]


def test_a_cut_word_is_told_at_once(house: Path, answer: Answer) -> None:
    said = answer(house, ["Which day?", "collected on Tues", ""])
    assert (
        "Careful: Evidence in rules.md at 71 begins or ends inside a word: llected on Tues|day. Put the bi"
        in said
    )


def test_copied_words_are_told_at_once(house: Path, answer: Answer) -> None:
    said = answer(house, ["Is rubbish collected on Tuesday?", "Rubbish is collected on Tuesday", ""])
    assert "Careful: the question is in the words of its evidence" in said


# On a terminal of its own


def on_a_terminal(folder: Path, script: list[tuple[str, bytes]]) -> tuple[int, str]:
    """Start the command, and type each answer when its prompt is there: exit code, and what was shown."""
    code = "import sys; from experiments.cli import main; sys.argv = ['chunksweep', 'gold', 'add']; main()"
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200"}
        environment["PYTHONPATH"] = str(Path(__file__).parents[2])
        os.execve(sys.executable, [sys.executable, "-c", code], environment)
    shown = ""
    waiting = list(script)
    seen = 0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if waiting and (at := shown.find(waiting[0][0], seen)) >= 0:
            seen = at + len(waiting[0][0])
            os.write(terminal, waiting.pop(0)[1])
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not data:
                break
            shown += data.decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert waiting == [], shown
    return os.waitstatus_to_exitcode(status), shown


SAVED = [
    ("Question: ", b"Which day is it?\r"),
    ("> ", b"Rubbish is collected\r"),
    ("> ", b"on Tuesdya.\r"),
    ("> ", b"\r"),
    ("Which?", b"1\r"),
    ("[y/N]", b"n\r"),
    ("Tags", b"single\r"),
    ("Answer", b"\r"),
    ("Id [", b"day\r"),
    ("Save?", b"\r"),
]


@pytest.mark.slow
def test_the_end_of_input_ends_it_and_what_was_saved_is_there(house: Path) -> None:
    code, shown = on_a_terminal(house, [*SAVED, ("Saved day", b""), ("Question: ", b"\x04")])
    assert code == 0
    assert "1 question added." in shown
    assert "\x1b[1;4m" in shown or "Rubbish is collected on Tuesday." in shown
    assert [question.id for question in load(house).questions] == ["quiet", "day"]


@pytest.mark.slow
def test_ctrl_c_stops_it_and_loses_nothing_that_was_saved(house: Path) -> None:
    script = [*SAVED, ("Saved day", b""), ("Question: ", b"Next?\r"), ("> ", b"\x03")]
    code, shown = on_a_terminal(house, script)
    assert code == 130
    assert "1 question added." in shown
    assert shown.strip().endswith("chunksweep: Stopped by SIGINT.")
    assert "Traceback" not in shown
    assert [question.id for question in load(house).questions] == ["quiet", "day"]
    assert sorted(path.name for path in house.iterdir()) == ["card.yaml", "documents", "questions.jsonl"]
