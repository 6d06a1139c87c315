"""Where the files of a foreign set lie, and what is no file."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from evaluation.gold import load
from evaluation.gold.documents import skippable
from evaluation.gold.formats import FORMATS
from experiments.cli.app import run
from strategies.errors import Problem

NFC = "Caf\u00e9"
NFD = unicodedata.normalize("NFD", NFC)
TEXT = "The house opens at nine.\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def chroma(folder: Path) -> Path:
    row = f'When?,"[{{""content"": ""nine"", ""start_index"": 19, ""end_index"": 23}}]",{NFD}'
    table = f"question,references,corpus_id\n{row}\n"
    return write(folder, {"questions_df.csv": table, f"corpora/{NFD}.md": TEXT})


def legalbench(folder: Path) -> Path:
    tests = [{"query": "When?", "snippets": [{"file_path": f"{NFD}/{NFD}.txt", "span": [19, 23]}]}]
    bench = {"benchmarks/b.json": json.dumps({"tests": tests})}
    return write(folder, {**bench, f"corpus/{NFD}/{NFD}.txt": TEXT})


def ragas(folder: Path) -> Path:
    line = json.dumps({"user_input": "When?", "reference_contexts": ["nine"]})
    return write(folder, {"testset.jsonl": line, f"documents/{NFD}.txt": TEXT})


@pytest.mark.parametrize(
    ("name", "made"), [("chroma", chroma), ("legalbench-rag", legalbench), ("ragas-testset", ragas)]
)
def test_names_in_another_unicode_form_are_found(
    name: str, made: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = made(tmp_path / "in")
    assert run(["gold", "import", name, str(source), "--to", str(tmp_path / "out")]) == 0, capsys.readouterr()
    gold = load(tmp_path / "out")
    assert {Path(document.id).stem for document in gold.documents} == {NFC}
    assert len(gold.questions[0].evidence) == 1
    names = sorted(str(path.relative_to(source)) for path in source.rglob("*") if path.is_file())
    sums = "".join(f"{sha256((source / one).read_bytes()).hexdigest()}  {one}\n" for one in names)
    said = yaml.safe_load((tmp_path / "out" / "card.yaml").read_text())["how_made"]
    assert f"2 files, sha256:{sha256(sums.encode()).hexdigest()}" in said


@pytest.mark.parametrize("name", FORMATS)
def test_what_never_ends_is_not_opened(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for source in (tmp_path / "pipe", Path("/dev/zero")):
        assert run(["gold", "import", name, str(source), "--to", str(tmp_path / "out")]) == 2
        said = capsys.readouterr().err
        assert any(what in said for what in ("not a regular file", "is not there", "holds no")), said
    assert not (tmp_path / "out").exists()


def test_a_pipe_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    assert run(["gold", "import", "squad", "pipe"]) == 2
    assert capsys.readouterr().err == "chunksweep: pipe: is not a regular file. Save it as one\n"
    Path("folder").mkdir()
    os.mkfifo("folder/questions_df.csv")
    assert run(["gold", "import", "chroma", "folder"]) == 2
    assert capsys.readouterr().err == "chunksweep: questions_df.csv: is not a regular file\n"


def test_one_is_told_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    chroma(tmp_path / "in")
    long = f"a set {'x' * 200}"
    assert run(["gold", "import", "chroma", "in", "--to", long]) == 0
    said = capsys.readouterr().out
    assert "1 document, 1 question, 1 span, 0 alternatives." in said
    assert f"chunksweep gold check '{long}'\n" in said  # to be copied
    with (tmp_path / "in" / "questions_df.csv").open("a") as table:
        table.write(f'Where?,[],{NFC},"more",most\n')
    assert run(["gold", "import", "chroma", "in", "--to", "out"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "chunksweep: questions_df.csv:3: has 2 cells beyond the columns. Quote cells that hold commas",
        "chunksweep: Nothing was written: 1 row or file cannot be converted, 1 question can. "
        "Mend them, or leave them out with --skip-bad",
    ]
    (tmp_path / "in" / "corpora" / "nul.txt").write_bytes(b"a\0b")
    assert run(["gold", "import", "chroma", "in", "--to", "out", "--skip-bad"]) == 0
    assert "Left out 2 rows or files that" in (tmp_path / "out" / "card.yaml").read_text()
    assert run(["gold", "import", "legalbench-rag", "in", "--to", "lb"]) == 2
    assert ". Name a folder: corpus/**, benchmarks/*.json" in capsys.readouterr().err


def test_a_remedy_that_asks_is_followed_by_another_sentence() -> None:
    assert skippable(Problem("x", "is odd", "Did you mean y?")).remedy == (
        "Did you mean y? Or leave it out with --skip-bad"
    )
    assert skippable(Problem("x", "is odd")).remedy == "Repair or remove it, or leave it out with --skip-bad"
