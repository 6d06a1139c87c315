"""What an import and an export say of themselves: on the card, and in words that are true and end."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from evaluation.gold import Evidence, GoldSet, Passage, Question, load
from evaluation.gold.formats import FORMATS
from evaluation.gold.formats.chroma import Chroma
from evaluation.gold.formats.format import gold_set
from evaluation.gold.writing import write_gold
from experiments.cli.app import run
from strategies.document import Document

from .test_formats import SAMPLES

ROOT = Path(__file__).resolve().parents[3]
TEXT = "Bins go out on Tuesday. Cans too. Bins go out on Friday. Cans, too."


def how_made(folder: Path) -> str:
    return str(load(folder).card["how_made"])


def entry(*starts: int, words: str = "Bins") -> Evidence:
    return Evidence(tuple(Passage("a.md", start, start + len(words)) for start in starts))


def asked(*entries: Evidence, id: str = "q") -> GoldSet:
    return gold_set("s", [Document("a.md", TEXT)], [Question(id, "When?", entries)])


@pytest.mark.parametrize("name", FORMATS)
def test_questions_that_say_nothing_are_marked_by_request(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = SAMPLES[name](tmp_path)
    plain = FORMATS[name]().read(source).gold.questions
    command = ["gold", "import", name, str(source), "--synthetic", "proxy"]
    assert run([*command, "--to", str(tmp_path / "set"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    gold = load(tmp_path / "set")
    assert [one.synthetic for one in gold.questions] == [one.synthetic or "proxy" for one in plain]
    count = sum(not one.synthetic for one in plain)
    assert (told["digest"], told["marked"], count > 0) == (gold.digest, count, True)
    noun = "question is" if count == 1 else "questions are"
    said = f"{count} {noun} marked as proxy, by request."
    assert said in how_made(tmp_path / "set")
    assert run([*command, "--to", str(tmp_path / "more")]) == 0
    assert said in capsys.readouterr().out
    assert run(["gold", "import", name, str(source), "--synthetic", "person"]) == 2


def test_a_mark_of_its_own_holds(tmp_path: Path) -> None:
    rows = [
        {"user_input": "When?", "reference_contexts": ["Bins"], "synthesizer_name": "x"},
        {"user_input": "Who?", "reference_contexts": ["Bins"]},
    ]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "a.txt").write_text("Bins")
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["gold", "import", "ragas-testset", str(tmp_path / "t.jsonl"), "--to", str(tmp_path / "set")]
    assert run([*command, "--synthetic", "proxy"]) == 0
    assert [one.synthetic for one in load(tmp_path / "set").questions] == ["model", "proxy"]
    assert "1 question is marked as proxy" in how_made(tmp_path / "set")


@pytest.mark.parametrize("name", FORMATS)
def test_the_command_on_the_card_makes_the_same_set_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = SAMPLES[name](tmp_path)
    monkeypatch.chdir(source.parent)
    assert run(["gold", "import", name, str(source), "--to", "a/set", "--synthetic", "model"]) == 0
    command = how_made(Path("a/set")).partition("`")[2].partition("`")[0]
    program, *words = shlex.split(command)
    assert (program, words[:4]) == ("chunksweep", ["gold", "import", name, source.name])
    assert run([*words, "--to", "b/set"]) == 0
    files = [
        {path.relative_to(home): path.read_bytes() for path in Path(home).rglob("*") if path.is_file()}
        for home in ("a", "b")
    ]
    assert files[0] == files[1]


@pytest.mark.parametrize(
    ("name", "chosen", "told"),
    [
        ("chroma", ["--first-occurrence"], "--first-occurrence"),
        ("chroma", [], "--set first_occurrence=false"),
        ("beir", ["--set", "split=2024"], "--set split=2024 --set least_score=1"),
        ("beir", ["--set", "least_score=2"], "--set split=test --set least_score=2"),
        ("ragas-testset", ["--set", "documents=my texts"], "--set 'documents=my texts'"),
        ("squad", ["--skip-bad"], "squad dev.json`"),
    ],
)
def test_parameters_stand_on_the_card(name: str, chosen: list[str], told: str, tmp_path: Path) -> None:
    source = SAMPLES[name](tmp_path)
    if "split=2024" in chosen:
        shutil.copy(source / "qrels" / "test.tsv", source / "qrels" / "2024.tsv")
    if name == "ragas-testset":
        (source.parent / "documents").rename(source.parent / "my texts")
    assert run(["gold", "import", name, str(source), "--to", str(tmp_path / "set"), *chosen]) == 0
    assert f" {told}`".replace("``", "`") in how_made(tmp_path / "set")


def test_what_was_left_out_is_left_out_again(tmp_path: Path) -> None:
    source = SAMPLES["chroma"](tmp_path)
    (source / "corpora" / "bad.md").write_bytes(b"caf\xe9")
    command = ["gold", "import", "chroma", str(source), "--skip-bad", "--to", str(tmp_path / "set")]
    assert run(command) == 0
    assert "--skip-bad`" in how_made(tmp_path / "set")


def test_the_mapping_of_a_data_set_stands_on_the_card(tmp_path: Path) -> None:
    source = SAMPLES["hugging-face"](tmp_path)
    assert run(["gold", "import", "hugging-face", str(source), "--to", str(tmp_path / "set")]) == 0
    said = how_made(tmp_path / "set")
    assert "Read: ./squad train, by {" in said
    mapping, _ = json.JSONDecoder().raw_decode(said, said.index("{"))
    assert mapping["source"] == {"dataset": "./squad", "split": "train"}
    assert mapping["documents"] == {"id": "title", "text": "context", "metadata": ["topic"]}
    assert mapping["questions"]["start"] == "answers.answer_start"


@pytest.mark.parametrize("name", FORMATS)
def test_a_set_is_called_as_its_folder(name: str, tmp_path: Path) -> None:
    source = SAMPLES[name](tmp_path)
    assert run(["gold", "import", name, str(source), "--to", str(tmp_path / "our bins.v2")]) == 0
    own = "hub-set" if name == "hugging-face" else "our bins.v2"
    assert load(tmp_path / "our bins.v2").name == own
    command = ["gold", "import", name, str(source), "--to", str(tmp_path / "x"), "--name", "Mine"]
    assert run(command) == 0
    assert load(tmp_path / "x").name == "Mine"


NOT_HELD = "has alternatives, which are not held with --first-occurrence"
OTHERWISE = "has alternatives other than all copies of the same words, in order"


@pytest.mark.parametrize(
    ("entries", "first", "what", "mends"),
    [
        (
            [entry(0)],
            False,
            'has evidence whose words stand in 1 other place, which would count, too: "Bins". '
            "With --first-occurrence it is held",
            True,
        ),
        ([entry(0)], True, "", False),
        ([entry(0, 34)], False, "", False),
        ([entry(0, 34)], True, f"{NOT_HELD}: without it they are", True),
        ([entry(24, words="Cans"), entry(0, 34)], False, OTHERWISE, False),
        ([entry(24, words="Cans"), entry(0, 34)], True, NOT_HELD, False),
        ([Evidence((Passage("a.md", 0, 4), Passage("a.md", 24, 28)))], False, OTHERWISE, False),
    ],
)
def test_why_chroma_refuses_a_question(entries: list[Evidence], first: bool, what: str, mends: bool) -> None:
    gold = asked(*entries)
    refused = Chroma(first_occurrence=first).fit(gold).refused
    assert [problem.what for problem in refused] == ([what] if what else [])
    assert (not Chroma(first_occurrence=not first).fit(gold).refused) == mends


def many(count: int) -> GoldSet:
    return gold_set(
        "s", [Document("a.md", TEXT)], [Question(f"q{n}", "When?", (entry(0),)) for n in range(count)]
    )


def test_long_lists_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_gold(tmp_path / "set", many(68))
    command = ["gold", "export", str(tmp_path / "set"), "chroma", str(tmp_path / "out")]
    assert run(command) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 18
    assert said[15] == "chunksweep: and 53 more; --json lists all"
    assert said[16].startswith("chunksweep: note: documents: the media type is lost")
    assert said[17].startswith("chunksweep: Nothing was written: 68 questions cannot be converted, 0 ")
    assert run([*command, "--json"]) == 2
    assert len(json.loads(capsys.readouterr().out)["refused"]) == 68
    assert run([*command, "--first-occurrence"]) == 0
    out = capsys.readouterr().out
    assert f"Read it back with: chunksweep gold import chroma {tmp_path / 'out'} --first-occurrence\n" in out
    table = tmp_path / "out" / "questions_df.csv"
    table.write_text(table.read_text().replace("Bins", "Glass"))
    assert run(["gold", "import", "chroma", str(tmp_path / "out"), "--to", str(tmp_path / "in")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert (len(said), said[15]) == (17, "chunksweep: and 53 more; --json lists all")


@pytest.mark.parametrize("name", FORMATS)
def test_our_own_sets_are_known(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_gold(tmp_path / "set", many(1))
    assert run(["gold", "import", name, str(tmp_path / "set"), "--to", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].endswith("set: looks like a gold set of chunksweep. Use it by its path, without an import")
    (tmp_path / "empty").mkdir()
    assert run(["gold", "import", name, str(tmp_path / "empty"), "--to", str(tmp_path / "out")]) == 2
    assert "looks like" not in capsys.readouterr().err


def test_the_page_names_every_column() -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    columns = ["question", "references", "corpus_id", "id", "tags", "answer", "synthetic"]
    table = page.partition("### Chroma's")[2].partition("\n### ")[0]
    assert [name for name in columns if f"| `{name}` |" not in table] == []
