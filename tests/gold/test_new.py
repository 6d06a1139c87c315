"""`gold new`: a folder of files of all kinds to a set, or every reason why not, at once."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from pathlib import Path

import pytest
import yaml

from evaluation.gold import load
from evaluation.gold.card import read_card
from evaluation.gold.from_folder import MAX_MB, new_set
from evaluation.gold.sources import CHOICE_KEYS, Choice, Rows
from experiments.cli.app import run
from experiments.cli.gold.new import new
from strategies.document import Mark
from strategies.errors import BadInput

from .readers import files

CARD = """licence: CC0-1.0
documents: {notes.md: {metadata: {kind: note}}}
sources:
  "tickets/*.csv": {text: [subject, body], id: ticket, metadata: [team, year]}
  "pages/*.html": {html: source}
"""
ALL_KINDS: dict[str, bytes] = {
    "notes.md": b"---\ntitle: N\n---\n# Notes\r\n\r\nText.\r\n",
    "notes.md.meta.yaml": b"year: 2024 # as written\n",
    "src/code.py": b"\xef\xbb\xbfdef f(): pass\n",
    "gate.pdf": files.pdf("Gate\nOpen it.", "More", sections={0: "Gate"}, title="Manual"),
    "gate.pdf.meta.yaml": b"year: 2020\nteam: ops\n",
    "rules.docx": files.rules(),
    "page.html": files.PAGE,
    "pages/own.html": files.PAGE,
    "tickets/may.csv": files.TABLE,
    "tickets/whole.jsonl": files.LINES,
    ".hidden": b"\0",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, contents: dict[str, bytes]) -> Path:
    for name, data in contents.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def problems(folder: Path, source: Path, card: str = "", **options) -> list[str]:
    if card:
        Path("card.yaml").write_text(card)
        options["card"] = Path("card.yaml")
    before = set(os.listdir())
    with pytest.raises(BadInput) as error:
        new_set(folder, source, **options)
    assert set(os.listdir()) == before
    return [str(problem) for problem in error.value.problems]


def test_a_folder_of_all_kinds_becomes_a_set(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(home / "files", ALL_KINDS)
    Path("card.yaml").write_text(CARD)
    assert run(["gold", "new", "set", "--from", "files", "--card", "card.yaml"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert [line.split() for line in shown.out.splitlines()[1:8]] == [
        ["kind", "files", "documents", "characters", "skipped"],
        ["text", "3", "3", str(35 + 14 + len(files.LINES)), "0"],
        ["html", "1", "1", "50", "0"],
        ["html", "source", "1", "1", str(len(files.PAGE)), "0"],
        ["pdf", "1", "1", "19", "0"],
        ["docx", "1", "1", "125", "0"],
        ["rows", "1", "2", "27", "0"],
    ]
    assert "tickets/whole.jsonl is one document. For a document a row" in shown.out
    assert "gold add set" in shown.out

    assert run(["gold", "check", "set"]) == 2
    told = capsys.readouterr().out
    assert told.startswith("set: no question yet\n  9 documents")
    assert "Next:\n  Ask with `chunksweep gold add SET`" in told
    assert "Problems" not in told
    with pytest.raises(BadInput, match=r"holds no question\. Ask with `chunksweep gold add SET`"):
        load("set")

    row = {"id": 1, "question": "When is it stuck?", "evidence": ["It is stuck"]}
    Path("set/questions.jsonl").write_text(json.dumps(row) + "\n")
    gold = load("set")
    documents = {document.id: document for document in gold.documents}
    assert list(documents) == [
        *("gate.pdf.txt", "notes.md", "page.html.md", "pages/own.html", "rules.docx.md", "src/code.py"),
        *("tickets/may.csv/A1.txt", "tickets/may.csv/B2.txt", "tickets/whole.jsonl"),
    ]
    assert gold.questions[0].evidence[0].passages[0].document == "tickets/may.csv/A1.txt"
    assert documents["notes.md"].text == "---\ntitle: N\n---\n# Notes\r\n\r\nText.\r\n"
    assert documents["notes.md"].metadata == {"title": "N", "year": 2024, "kind": "note"}
    assert documents["gate.pdf.txt"].metadata == {"title": "Manual", "year": 2020, "team": "ops"}
    assert documents["gate.pdf.txt"].marks == (
        *(Mark("page", 0, "1"), Mark("page", 15, "2")),
        Mark("heading", 0, "Gate"),
    )
    assert documents["page.html.md"].media_type == "text/markdown"
    assert documents["tickets/may.csv/A1.txt"].metadata == {"team": "ops", "year": 2024}
    assert gold.card["sources"] == yaml.safe_load(CARD)["sources"]
    assert gold.card["licence"] == "CC0-1.0"
    assert gold.card["readers"]["rows"] == {"library": "chunksweep", "version": "0.1.0", "files": 1}
    assert gold.card["readers"]["pdf"]["library"] == "pypdfium2"
    assert "skipped" not in gold.card
    assert Path("set/documents/notes.md.meta.yaml").read_bytes() == ALL_KINDS["notes.md.meta.yaml"]
    assert Path("set/documents/src/code.py").read_bytes() == ALL_KINDS["src/code.py"]

    # The card of a set makes the same set again.
    assert run(["gold", "new", "again", "--from", "files", "--card", "set/card.yaml", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["name"], report["documents"], report["skipped"]) == ("set", 9, {})
    assert Path("again/card.yaml").read_bytes() == Path("set/card.yaml").read_bytes()


def test_a_made_text_tells_its_source_and_when_it_was_edited(home: Path) -> None:
    write(home / "files", {"page.html": files.PAGE})
    new_set(home / "set", home / "files")
    Path("set/questions.jsonl").write_text('{"id": 1, "question": "?", "evidence": []}\n')
    document, sidecar = Path("set/documents/page.html.md"), Path("set/documents/page.html.md.meta.yaml")
    source = yaml.safe_load(sidecar.read_text())["source"]
    assert (source["file"], source["reader"]) == ("page.html", "html")
    assert source["version"].startswith("markdownify ")
    assert source["sha256"] == hashlib.sha256(files.PAGE).hexdigest()
    assert source["text_sha256"] == hashlib.sha256(document.read_bytes()).hexdigest()
    gold = load("set")
    assert (gold.warnings, gold.documents[0].metadata) == ((), {"title": "Gate"})
    document.write_bytes(document.read_bytes() + b"More.\n")
    (warning,) = load("set").warnings
    assert warning.where == "documents/page.html.md.meta.yaml:2"
    assert "was edited after it was read" in warning.what


def test_source_is_metadata_where_it_is_no_map_of_a_made_text(make_set) -> None:
    rows = [{"id": 1, "question": "?", "evidence": []}]
    texts = {
        "a.md": "x",
        "a.md.meta.yaml": "source: scanner\n",
        "b.md": "x",
        "b.md.meta.yaml": "source: {by: me}",
    }
    documents = load(make_set(texts, rows)).documents
    assert [dict(one.metadata) for one in documents] == [{"source": "scanner"}, {"source.by": "me"}]


BAD: dict[str, tuple[bytes, str]] = {
    "blank.txt": (b" \n", "holds white space alone"),
    "broken.docx": (b"PK\x03\x04", "is no whole DOCX"),
    "broken.pdf": (b"%PDF-1.7\n", "is no whole PDF"),
    "empty.md": (b"", "is empty"),
    "huge.txt": (b"x" * 200_001, "is too large: 0.2 MB, and the limit is 0.2"),
    "image.png": (b"\x89PNG\r\n\x1a\n\0", "is a PNG image"),
    "latin.txt": ("Grüße".encode("cp1252"), "it could be Windows cp1252"),
    "locked.pdf": (files.pdf("x", password="secret"), "asks for a password"),
    "nul.txt": (b"words\0words words", "holds a NUL"),
    "scan.pdf": (files.pdf(""), "holds no text on its 1 page, as a scan does"),
    "sheet.xlsx": (b"PK\x03\x04\0", "is an Excel workbook"),
    "wide.txt": ("Zwei".encode("utf-16"), "is UTF-16"),
}


def test_every_bad_file_gets_its_verdict_in_one_report(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home / "files", {"good.md": b"Words.\n", **{name: data for name, (data, _) in BAD.items()}})
    (home / "files" / "nothing.txt").symlink_to("gone")
    expected = {**{name: what for name, (_, what) in BAD.items()}, "nothing.txt": "is a link to nothing"}
    told = problems(home / "set", home / "files", max_mb=0.2)
    assert len(told) == len(expected)
    for message, (name, what) in zip(told, sorted(expected.items()), strict=True):
        assert message.startswith(f"{name}: ")
        assert what in message
        assert message.endswith("or leave it out with --skip-bad")

    assert run(["gold", "new", "set", "--from", "files", "--max-mb", "0.2", "--skip-bad"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("left out: ") == len(expected)
    assert ["pdf", "0", "0", "0", "3"] in [line.split() for line in shown.splitlines()]
    card = yaml.safe_load(Path("set/card.yaml").read_text())
    assert list(card["skipped"]) == sorted(expected)
    assert list(card["readers"]) == ["text"]
    assert [path.name for path in Path("set/documents").iterdir()] == ["good.md"]


def test_two_files_never_become_one_document(home: Path) -> None:
    write(home / "files", {"a.html": files.PAGE, "a.html.md": b"x", "b.html": files.PAGE})
    (told,) = problems(home / "set", home / "files")
    assert told.startswith("a.html: would become a.html.md, which is there already. Rename one of the two")


def test_a_file_left_out_leaves_nothing_behind(home: Path) -> None:
    folder = home / "files"
    room = 4095 - len(str(home / ".set-12345678/documents//t.csv/a.txt.meta.yaml")) - 20
    deep = Path(*["d" * 99] * (room // 100), "d" * (room % 100 or 1))
    row = f"id,text\na,words\n{'b' * 50},words\n".encode()
    write(folder, {"good.md": b"Words.", str(deep / "t.csv"): row})
    Path("card.yaml").write_text('sources: {"*.csv": {text: text, id: id}}')
    made = new_set(home / "set", folder, card=Path("card.yaml"), skip_bad=True)
    assert made.documents == 1
    assert list(made.skipped.values()) == ["has a name that is too long for its document"]
    assert [path.name for path in Path("set/documents").rglob("*") if path.is_file()] == ["good.md"]


def test_the_card_goes_before_what_a_reader_found_and_a_sidecar_before_both(home: Path) -> None:
    write(home / "files", {"gate.pdf": files.pdf("x", title="Gate"), "gate.pdf.meta.yaml": b"team: ops\n"})
    entry = "metadata: {year: 2024, team: dev, kind: manual}"
    Path("card.yaml").write_text(f"documents: {{gate.pdf.txt: {{{entry}}}}}")
    new_set(home / "set", home / "files", card=Path("card.yaml"))
    Path("set/questions.jsonl").write_text('{"id": 1, "question": "?", "evidence": []}\n')
    (document,) = load("set").documents
    assert document.metadata == {"title": "Gate", "year": 2024, "team": "ops", "kind": "manual"}


def test_a_document_stays_when_its_sidecar_is_left_out(home: Path) -> None:
    contents = {"a.md": b"x", "a.md.meta.yaml": b"pages: 3\nheadings: 4\n", "b.html": files.PAGE}
    write(home / "files", {**contents, "b.html.meta.yaml": b"\xff", "c.md.meta.yaml": b"year: 1\n"})
    made = new_set(home / "set", home / "files", skip_bad=True)
    assert made.documents == 2
    assert {name: why[:12] for name, why in made.skipped.items()} == {
        "a.md.meta.yaml": "pages is 3; ",
        "b.html.meta.yaml": "is not UTF-8",
        "c.md.meta.yaml": "there is no ",
    }
    assert sum(tally.skipped for tally in made.readers.values()) == 0
    found = {path.name for path in Path("set/documents").iterdir()}
    assert found == {"a.md", "b.html.md", "b.html.md.meta.yaml"}


def test_what_comes_next_can_be_copied(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "my set " + "x" * 100
    write(home / "files", {"a.md": b"x"})
    assert run(["gold", "new", name, "--from", "files"]) == 0
    shown = capsys.readouterr().out
    assert f"Next: chunksweep gold add '{name}', or chunksweep gold bootstrap '{name}' for" in shown


def test_a_set_is_written_into_the_folder_one_is_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home / "files", {"a.md": b"x"})
    (home / "here").mkdir()
    monkeypatch.chdir(home / "here")
    assert run(["gold", "new", ".", "--from", "../files"]) == 0
    assert sorted(os.listdir()) == ["card.yaml", "documents", "questions.jsonl"]


def test_the_largest_file_is_told_once() -> None:
    assert inspect.signature(new).parameters["max_mb"].default == MAX_MB


def test_sidecars_are_checked_and_those_of_made_texts_say_metadata_alone(home: Path) -> None:
    contents = {
        "a.md": b"x",
        "a.md.meta.yaml": b"pages: 3\n",
        "b.html": files.PAGE,
        "b.html.meta.yaml": b"year: 2024\npages: [{start: 0, label: 1}]\n",
        "c.html.md.meta.yaml": b"year: 2024\n",
        "d.pdf": files.pdf("x"),
        "d.pdf.meta.yaml": b"year: [[1]]\n",
        "e.md": b"x",
        "e.md.meta.yaml": b"\xff",
    }
    told = problems(home / "set", write(home / "files", contents))
    starts = [
        "a.md.meta.yaml:1: pages is 3",
        "b.html.meta.yaml:2: pages is not yours to say of a text that is made here",
        "d.pdf.meta.yaml:1: metadata year is a list of 1",
        "e.md.meta.yaml: is not UTF-8",
        "c.html.md.meta.yaml: there is no file c.html.md",
    ]
    assert len(told) == len(starts)
    for message, start in zip(told, starts, strict=True):
        assert message.startswith(start)


SLIPS = {
    "sources: 3": "sources is 3",
    "sources: {a.csv: 3}": "sources.a.csv is 3",
    "sources: {a.csv: {txt: a}}": "sources.a.csv.txt is not a known key. Did you mean text?",
    "sources: {a.csv: {id: a}}": "sources.a.csv names no field for the text",
    "sources: {a.csv: {text: []}}": "sources.a.csv.text is []",
    "sources: {a.csv: {text: [a, a]}}": "sources.a.csv.text names a twice",
    "sources: {a.csv: {text: a, metadata: [pages]}}": "names pages, which a sidecar keeps for itself",
    "sources: {a.csv: {text: a, delimiter: ab}}": "sources.a.csv.delimiter is",
    "sources: {a.csv: {text: a, id: [b]}}": "sources.a.csv.id is",
    "sources: {b.html: {html: raw}}": 'sources.b.html.html is "raw". Write text or source',
    "sources: {b.html: {html: text, text: a}}": "says how to read rows, and html how to read HTML",
    'sources: {"*.tsv": {text: a}}': "sources.*.tsv fits no file",
    "sources: {b.html: {html: text}, '*.html': {html: source}}": "sources.*.html fits no file",
    "sources: {b.html: {text: a}}": "says how to read .csv, .tsv, .jsonl and .ndjson, and fits b.html",
    "sources: {a.csv: {html: source}}": "sources.a.csv says how to read .html and .htm, and fits a.csv",
    "documents: {b.html: {metadata: {year: 1}}}": "documents.b.html: no such document comes of the folder",
    "counts: {documents: 1}": "counts is known only when the set is done",
    "checksum: 'sha256:0'": "checksum is known only when the set is done",
    "naem: x": "naem is not a known key",
}


@pytest.mark.parametrize("card", SLIPS)
def test_slips_of_the_card_are_told(card: str, home: Path) -> None:
    write(home / "files", {"a.csv": b"a,b\n1,2\n", "b.html": files.PAGE})
    assert any(SLIPS[card] in message for message in problems(home / "set", home / "files", card))


def test_a_slip_among_many_files_says_how_many_there_are(home: Path) -> None:
    write(home / "files", {f"{number}.md": b"x" for number in range(13)})
    (told,) = problems(home / "set", home / "files", "documents: {unknown.pdf: {metadata: {year: 1}}}")
    assert told.endswith("no such document comes of the folder. None of the 13 files has a similar name")


def test_slips_are_told_in_their_order(home: Path) -> None:
    write(home / "files", {"a.csv": b"a,b\n1,2\n"})
    names = ["source", "pages", "metadata", "headings", "media_type"]
    told = problems(home / "set", home / "files", f"sources: {{a.csv: {{text: a, metadata: {names}}}}}")
    assert [message.split(" names ")[1].split(",")[0] for message in told] == names


def test_folders_that_lie_in_each_other_or_are_none_are_refused(home: Path) -> None:
    write(home / "files", {"a.md": b"x", "deep/b.md": b"x"})
    write(home / "full", {"x": b""})
    for folder, source, what in (
        ("files/set", "files", "files/set: lies in files, the folder that is read"),
        ("files", "files", "lies in files"),
        ("files", "files/deep", "files: holds files/deep, the folder that is read"),
        ("set", "gone", "gone: is no folder"),
        ("set", "files/a.md", "files/a.md: is a file. Name the folder"),
        ("full", "files", "full: is there already"),
    ):
        assert what in problems(Path(folder), Path(source))[0]
    for number in (0, -1, float("nan"), 1_000_001):
        (told,) = problems(Path("set"), Path("files"), max_mb=number)
        assert told == f"--max-mb: is {number:.7g}. Use a number from 0.001 to 1000000"
    write(home / "bad", {"x.txt": b"\0"})
    assert "holds a NUL" in problems(Path("gone/deep/set"), Path("bad"))[0]
    assert problems(Path("set"), Path("files"), name="a\nb")[0].startswith("--name: name is")
    (told,) = problems(Path("a" * 150), Path("files"))
    assert told.startswith("aaa")
    assert told.endswith(". Give the set another with --name")
    with pytest.raises(BadInput, match=r"gone\.yaml: cannot be read \(No such file"):
        new_set(Path("set"), Path("files"), card=Path("gone.yaml"))
    (home / "none").mkdir()
    assert "holds no file" in problems(Path("set"), Path("none"))[0]


def test_links_are_followed_once_and_names_are_nfc(home: Path) -> None:
    write(home / "files", {"re\u0301sume\u0301.md": b"x", "sub/a.md": b"x"})
    write(home / "elsewhere", {"b.md": b"x"})
    (home / "files" / "more").symlink_to(home / "elsewhere")
    (home / "files" / "twice").symlink_to(home / "files" / "sub")
    made = new_set(home / "set", home / "files", name="nfc")
    assert made.name == "nfc"
    found = {path.relative_to("set/documents").as_posix() for path in Path("set/documents").rglob("*.md")}
    assert found == {"r\u00e9sum\u00e9.md", "sub/a.md", "more/b.md"}


def test_a_pdf_among_documents_is_called_one(make_set) -> None:
    folder = make_set({"a.pdf": files.pdf("x"), "b.docx": files.rules(), "c.md": "x"}, '{"id": 1}')
    with pytest.raises(BadInput) as error:
        load(folder)
    told = [str(problem) for problem in error.value.problems][:2]
    assert told[0].startswith(
        "documents/a.pdf: is a PDF, not text. Put it into a folder and read that: chunk"
    )
    assert told[1].startswith("documents/b.docx: is a Word document (DOCX), not text")
    assert all(
        "chunksweep gold new SET --from FOLDER, or leave it out with --skip-bad" in one for one in told
    )


def test_progress_is_told_file_by_file(home: Path) -> None:
    told = list[tuple[int, int]]()
    write(home / "files", {"a.md": b"x", "b.md": b"x"})
    new_set(home / "set", home / "files", progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_name_too_long_for_its_document_is_a_verdict(home: Path) -> None:
    write(home / "files", {"x" * 246 + ".html": files.PAGE, "a.md": b"x"})
    assert "has a name that is too long for its document" in problems(home / "set", home / "files")[0]


def test_the_sources_on_the_page_are_sources() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "documents.md").read_text("utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]
    card, wrong = read_card(example, "card.yaml", "name")
    assert wrong == []
    assert card.sources["prices.csv"] == Choice(rows=Rows(("description",), None, (), ";"))
    assert [f"| `{key}` |" in page for key in CHOICE_KEYS] == [True] * len(CHOICE_KEYS)
    assert f"`--max-mb` ({MAX_MB:g})" in page


def test_a_screen_of_files_left_out_is_printed_and_the_card_lists_all(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home / "files", {"good.md": b"Words.", **{f"{number:02}.txt": b"" for number in range(40)}})
    assert run(["gold", "new", "set", "--from", "files", "--skip-bad"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("left out: ") == 31
    assert "left out: 10 more; the card lists all" in shown
    assert len(yaml.safe_load(Path("set/card.yaml").read_text())["skipped"]) == 40
