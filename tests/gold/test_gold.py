"""Loading whole sets: names, identity, and all problems at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.gold import bundled, digest, load, locate
from evaluation.gold import loading as gold_module
from evaluation.gold.nouns import Evidence, GoldSet, Passage, Question, admits
from strategies.document import Document
from strategies.errors import BadInput

FILES = {
    "lease.md": "# Lease\r\n\r\nThe tenant pays on Monday.\r\n",
    "notes/keys.txt": "Keys hang in the porch.",
}
ROWS = [
    {"id": 1, "question": "When is rent due?", "evidence": [{"document": "lease.md", "quote": "on Monday"}]},
    {"id": "2", "question": "Where are the keys?", "evidence": ["in the porch"], "tags": ["single"]},
    {"id": "none", "question": "Who built the house?", "evidence": []},
]


def test_a_set_is_read_whole(make_set) -> None:
    found = load(make_set(FILES, ROWS))
    assert found.name == "small"
    assert [document.id for document in found.documents] == ["lease.md", "notes/keys.txt"]
    assert [document.media_type for document in found.documents] == ["text/markdown", "text/plain"]
    assert found.documents[0].text == FILES["lease.md"]
    assert found.questions == (
        Question("1", "When is rent due?", (Evidence((Passage("lease.md", 27, 36),)),)),
        Question("2", "Where are the keys?", (Evidence((Passage("notes/keys.txt", 10, 22),)),), ("single",)),
        Question("none", "Who built the house?", ()),
    )
    assert found.documents[0].text[27:36] == "on Monday"
    assert found.card == {"name": "small"}
    assert (found.skipped, found.byte_order_marks, found.warnings) == ((), (), ())


def test_all_problems_are_reported_at_once_in_the_order_of_reading(make_set) -> None:
    rows = [
        "{",
        {"id": "a", "question": "?", "evidence": [{"document": "lease.md", "quote": "on Tuesday"}]},
        {"id": "b", "question": "", "evidence": []},
        {"id": "c", "question": "?", "evidence": [{"document": "lease.md", "start": 0, "end": 999}]},
    ]
    with pytest.raises(BadInput) as error:
        load(make_set({**FILES, "bad.txt": b"\0"}, rows, "nam: x\n"))
    assert [problem.where for problem in error.value.problems] == [
        "card.yaml:1",
        "card.yaml",
        "documents/bad.txt",
        "questions.jsonl:1",
        "questions.jsonl:2",
        "questions.jsonl:3",
        "questions.jsonl:4",
    ]


def test_a_missing_or_foreign_questions_file_is_a_problem(make_set) -> None:
    folder = make_set(FILES, ROWS)
    (folder / "questions.jsonl").write_bytes(json.dumps(ROWS[0]).encode("utf-16"))
    with pytest.raises(BadInput, match=r"questions\.jsonl: is UTF-16"):
        load(folder)
    (folder / "questions.jsonl").unlink()
    with pytest.raises(BadInput, match=r"questions\.jsonl: is missing"):
        load(folder)


def test_a_byte_order_mark_before_the_first_row_is_no_part_of_it(make_set) -> None:
    assert load(make_set(FILES, "\ufeff" + json.dumps(ROWS[0]))).questions[0].id == "1"


# --- names


def test_the_bundled_sets_are_found_and_load() -> None:
    sets = bundled()
    if not sets:
        pytest.skip("this checkout has no bundled set")
    for name, folder in sets.items():
        found = load(name)
        assert found == load(folder)
        assert found.questions


def test_a_path_that_holds_a_set_wins_over_a_bundled_name(make_set, monkeypatch: pytest.MonkeyPatch) -> None:
    own = make_set(FILES, ROWS, folder="handbook")
    other = make_set(FILES, ROWS, folder="elsewhere")
    monkeypatch.setattr(gold_module, "bundled", lambda: {"handbook": other})
    monkeypatch.chdir(own.parent)
    assert locate("handbook") == Path("handbook")
    (own / "card.yaml").unlink()
    assert locate("handbook") == other
    with pytest.raises(
        BadInput, match=r"the folder holds no card\.yaml\. A data set needs one: write at least"
    ):
        locate(Path("handbook"))


def test_a_folder_of_files_is_told_how_to_make_a_set(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.pdf").touch()
    with pytest.raises(BadInput, match=r"chunksweep gold new SET --from .*docs$"):
        locate(tmp_path / "docs")


def test_an_unknown_name_lists_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gold_module, "bundled", lambda: {"handbook": Path("x"), "letters": Path("y")})
    with pytest.raises(BadInput, match=r"Did you mean handbook\?"):
        load("handbok")
    with pytest.raises(BadInput, match="Known: handbook, letters"):
        load("zzz")


def test_an_installed_copy_finds_the_shared_sets(
    make_set, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "prefix" / "share" / "chunksweep" / "datasets"
    shared.mkdir(parents=True)
    make_set(FILES, ROWS, folder="small").rename(shared / "small")
    site = tmp_path / "site-packages"
    # Hugging Face's library lies where a checkout has its data: it must not be taken for it.
    (site / "datasets").mkdir(parents=True)
    (site / "datasets" / "__init__.py").touch()
    monkeypatch.setattr(gold_module, "__file__", str(site / "evaluation" / "gold.py"))
    monkeypatch.setattr(gold_module.sysconfig, "get_path", lambda name, scheme="": str(tmp_path / "prefix"))
    assert bundled() == {"small": shared / "small"}


# --- identity


def test_the_digest_does_not_depend_on_the_order_of_lines_or_files(make_set) -> None:
    one = make_set(FILES, ROWS, folder="one")
    two = make_set(dict(reversed(FILES.items())), ROWS[::-1], folder="two")
    assert load(one).digest == load(two).digest
    assert [question.id for question in load(two).questions] == ["none", "2", "1"]


def test_any_byte_of_a_document_changes_the_digest(make_set) -> None:
    folder = make_set(FILES, [ROWS[2]])
    data = FILES["lease.md"].encode()
    digests = {load(folder).digest}
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        (folder / "documents" / "lease.md").write_bytes(changed)
        digests.add(load(folder).digest)
    assert len(digests) == len(data) + 1


BASE = (
    [Document("a", "text", {"year": 2024}, "text/plain"), Document("b", "more")],
    [Question("q", "?", (Evidence((Passage("a", 0, 4), Passage("b", 0, 4))),), ("t",), {"year": 2024})],
)
CHANGES = [
    ([Document("c", "text", {"year": 2024}), BASE[0][1]], BASE[1]),
    ([Document("a", "text", {"year": "2024"}), BASE[0][1]], BASE[1]),
    ([Document("a", "text", {"year": 2024}, "text/html"), BASE[0][1]], BASE[1]),
    (BASE[0][:1], BASE[1]),
    (BASE[0], []),
    (BASE[0], [Question("r", "?", BASE[1][0].evidence, ("t",), {"year": 2024})]),
    (BASE[0], [Question("q", "!", BASE[1][0].evidence, ("t",), {"year": 2024})]),
    (
        BASE[0],
        [Question("q", "?", (Evidence((Passage("b", 0, 4), Passage("a", 0, 4))),), ("t",), {"year": 2024})],
    ),
    (BASE[0], [Question("q", "?", BASE[1][0].evidence, (), {"year": 2024})]),
    (BASE[0], [Question("q", "?", BASE[1][0].evidence, ("t",), {"year": True})]),
]


def test_everything_that_identifies_the_data_is_in_the_digest() -> None:
    digests = {digest(*BASE), *(digest(documents, questions) for documents, questions in CHANGES)}
    assert len(digests) == len(CHANGES) + 1
    assert digest(BASE[0][::-1], BASE[1]) == digest(*BASE)


def test_a_filter_compares_kinds_and_values() -> None:
    assert admits({}, {})
    assert admits({"year": 2024}, {"year": 2024.0, "other": "x"})
    assert not admits({"year": 2024}, {})
    assert not admits({"year": 2024}, {"year": "2024"})
    assert not admits({"draft": True}, {"draft": 1})
    assert not admits({"a": 1, "b": 2}, {"a": 1, "b": 3})


def test_gold_sets_can_be_made_by_hand() -> None:
    assert GoldSet("x", (), (), "0").warnings == ()
