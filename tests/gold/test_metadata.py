"""Metadata: whatever the source and its form, flat names and scalars that JSON gives back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold import load
from evaluation.gold.describing import read_document
from evaluation.gold.front_matter import front_matter
from evaluation.gold.metadata import flat, shown
from evaluation.scalars import is_scalar
from evaluation.yaml_reading import parse_yaml
from strategies.document import Document, Mark
from strategies.errors import BadInput
from strategies.outline import outline

QUESTION = '{"id": "a", "question": "What?", "evidence": "Second"}\n'
GUIDE = "---\ntitle: Gate\nyear: 2023\nowner: {name: Zoë}\n---\n# Second\n"


def said(error: pytest.ExceptionInfo[BadInput]) -> list[str]:
    return [str(problem) for problem in error.value.problems]


# --- the rule


def test_lists_and_maps_become_text_and_dotted_names() -> None:
    raw = {
        "tags": ["a", 1, 2.5, True, None],
        "none": None,
        "empty": [],
        "no": {},
        "blank": "",
        "by": {"who": {"name": "Z"}, "at": "2024-05-01"},
    }
    assert flat(raw, str) == (
        {"tags": "a, 1, 2.5, true", "blank": "", "by.who.name": "Z", "by.at": "2024-05-01"},
        [],
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [[1]]", "m.yaml:1: metadata a is a list of 1. Write one text, number or truth value, or a list"),
        ("b: 1\na:\n  c:\n    - {x: 1}", "m.yaml:3: metadata a.c is a list of 1"),
        (
            f"a: {2**63}",
            "m.yaml:1: metadata a is 9223372036854775808. Numbers have 64 bits: write it in quotes",
        ),
        (f"a: 1{'0' * 400}.0", "m.yaml:1: metadata a is Infinity. Numbers have 64 bits"),
        ("a.b: 1\na: {b: 2}", "m.yaml:2: metadata a.b stands twice"),
        ('" ": 1', "m.yaml:1: metadata have a key without a name"),
    ],
)
def test_what_is_no_metadata_is_named_with_its_line(text: str, message: str) -> None:
    yaml = parse_yaml(text, "m.yaml")
    _, (problem,) = flat(yaml.content, yaml.where)
    assert message in str(problem)


def test_the_largest_numbers_are_kept() -> None:
    assert flat({"a": 2**63 - 1, "b": -(2**63) + 1, "c": 1e308}, str)[1] == []


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=3), anything, max_size=4))
def test_metadata_of_anything_are_scalars_that_survive_json(raw: dict[str, Any]) -> None:
    metadata, problems = flat(raw, str)
    assert all(is_scalar(value) and not isinstance(value, list) for value in metadata.values())
    assert json.loads(json.dumps(metadata, allow_nan=False)) == metadata
    assert all(problem.what.isprintable() and len(problem.what) < 300 for problem in problems)


@given(anything)
def test_what_is_shown_of_a_value_is_short(value: Any) -> None:
    assert len(shown(value)) < 120


# --- front matter


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("close", ["---", "...", "--- "])
def test_front_matter_is_read_whatever_its_line_ends(end: str, close: str) -> None:
    text = end.join(["---", "title: 'Gate: north'", "day: 2024-05-01", "on: yes", close, "# Gate", ""])
    metadata = {"title": "Gate: north", "day": "2024-05-01", "on": "yes"}
    assert front_matter(text, "gate.md") == (metadata, [])


@pytest.mark.parametrize(
    "text",
    ["", "# Gate", "---\n---\n# Gate", "---\n\ntitle: x\n---\n", "---\n# only a note\n---\n", "--- \nx"],
)
def test_no_front_matter_is_no_metadata(text: str) -> None:
    assert front_matter(text, "gate.md") == ({}, [])


@pytest.mark.parametrize(
    ("inside", "place", "what"),
    [
        ("title: a: b", "g.md:2", "is not YAML"),
        ("title: a\n\tb", "g.md:3", "is not YAML"),
        ("title: {{ page }}", "g.md:2", "a key is a list or a map"),
        ("a: 1\na: 2", "g.md:3", "a is written twice, first in line 2"),
        ("Just a sentence.", "g.md:1", "it is no map of keys and values"),
        ("- a\n- b", "g.md:1", "it is no map of keys and values"),
        ("a: !include x", "g.md:2", "the tag !include is not supported"),
        ("a: \x07", "g.md:2", "the character"),
    ],
)
def test_front_matter_that_cannot_be_read_is_a_warning(inside: str, place: str, what: str) -> None:
    metadata, (warning,) = front_matter(f"---\n{inside}\n---\n# Gate\n", "g.md")
    assert (metadata, warning.where) == ({}, place)
    assert warning.what.startswith(f"front matter that is no metadata, only text: {what}")


def test_what_can_be_read_of_front_matter_is() -> None:
    metadata, (warning,) = front_matter("---\nyear: 2024\nauthors:\n  - {name: Z}\n---\n", "g.md")
    assert (metadata, warning.where) == ({"year": 2024}, "g.md:3")


@given(st.text(st.sampled_from("-.\n\r ab:[{&*!'\"#\t"), max_size=60))
def test_no_front_matter_ends_in_an_error(inside: str) -> None:
    metadata, warnings = front_matter(f"---\n{inside}\n---\n", "g.md")
    assert all(is_scalar(value) for value in metadata.values())
    assert all(warning.where.startswith("g.md") for warning in warnings)


def test_only_markdown_has_front_matter_and_a_bad_one_costs_nothing_but_a_warning(make_set) -> None:
    card = "name: x\ndocuments: {c.txt: {media_type: text/markdown}}\n"
    files = {
        "a.md": GUIDE,
        "b.txt": GUIDE,
        "c.txt": GUIDE.replace("Second", "Third"),
        "d.md": "---\na: b: c\n---\nx",
    }
    files["b.txt"] = files["b.txt"].replace("Second", "Fourth")
    gold = load(make_set(files, QUESTION, card))
    metadata = {"title": "Gate", "year": 2023, "owner.name": "Zoë"}
    assert [dict(document.metadata) for document in gold.documents] == [metadata, {}, metadata, {}]
    assert [document.text for document in gold.documents] == [files[name] for name in sorted(files)]
    assert [warning.where for warning in gold.warnings] == ["documents/d.md:2"]


# --- sidecars


def test_a_sidecar_says_what_is_known_of_the_document_of_its_whole_name(make_set) -> None:
    files = {
        "deep/a.md": "# Second\n\nOn page two.",
        "deep/a.md.meta.yaml": "year: 2024\nauthor: {name: Zoë}\nmedia_type: text/plain\n"
        "pages: [{start: 0, label: i}, {start: 10, label: 2}]\n",
        "deep/a.txt": "Other.",
        "b.txt": "Plain.",
        "b.txt.meta.yaml": "# nothing yet\n",
    }
    gold = load(make_set(files, QUESTION, "name: x\ncounts: {documents: 3}\n"))
    assert [document.id for document in gold.documents] == ["b.txt", "deep/a.md", "deep/a.txt"]
    assert gold.documents[1] == Document(
        "deep/a.md",
        files["deep/a.md"],
        {"year": 2024, "author.name": "Zoë"},
        "text/plain",
        (Mark("page", 0, "i"), Mark("page", 10, "2")),
    )
    assert [outline(gold.documents[1]).page(at) for at in (0, 9, 10, 20)] == ["i", "i", "2", "2"]
    assert gold.documents[0].metadata == gold.documents[2].metadata == {}
    assert gold.warnings == ()


def test_a_sidecar_goes_before_the_card_and_the_card_before_front_matter(make_set) -> None:
    card = "name: x\ndocuments: {a.md: {media_type: text/x-markdown, metadata: {year: 2024, kind: card}}}\n"
    files = {"a.md": GUIDE, "a.md.meta.yaml": "kind: sidecar\n"}
    (document,) = load(make_set(files, QUESTION, card)).documents
    assert document.metadata == {"title": "Gate", "year": 2024, "owner.name": "Zoë", "kind": "sidecar"}
    assert document.media_type == "text/x-markdown"


WRONG = {
    "a.txt": "Second place.",
    "a.txt.meta.yaml": "year: 2024\nyear: 2025\n",
    "b.txt": "x",
    "b.txt.meta.yaml": "year: 2024\nmetadata: {kind: x}\nmedia_type: 3\nof:\n  - [1]\npages: 7\n",
    "c.md": "x",
    "c.meta.yaml": "year: 2024\n",
    "d.md": "x",
    "d.md.meta.yaml": "- year\n",
    "e.md": "x" * 9,
    "e.md.meta.yaml": "pages:\n- {start: 0, label: 1}\n- {start: 0, label: 2}\n- {start: 10, label: 2}\n"
    "- {start: 3, label: [2]}\n- {start: 3}\n- {start: true, label: 3}\n- 5\n- {start: 9, label: ' '}\n",
    "d.txt": "x",
    "d.txt.meta.yaml": "metadata: rules\n",
    "f.md": "x",
    "f.md.meta.yaml": b"\xff",
    "gone.md.meta.yaml": "year: 2024\n",
}


def test_all_that_is_wrong_with_sidecars_is_said_at_once(make_set) -> None:
    with pytest.raises(BadInput) as error:
        load(make_set(WRONG, QUESTION))
    messages = said(error)
    pages = "Write pages: [{start: 0, label: 1}, {start: 1840, label: 2}]"
    expected = [
        "documents/f.md.meta.yaml: is not UTF-8",
        "documents/a.txt.meta.yaml:2: year is written twice, first in line 1",
        "documents/b.txt.meta.yaml:3: media_type is 3. Write text, such as text/markdown",
        "documents/b.txt.meta.yaml:2: metadata is no key of a sidecar, where all keys are metadata. Write",
        f"documents/b.txt.meta.yaml:6: pages is 7. {pages}",
        "documents/b.txt.meta.yaml:4: metadata of is a list of 1",
        "documents/c.meta.yaml: there is no document documents/c that it could be about. Rename it c.md",
        "documents/d.md.meta.yaml:1: is no map of keys and values",
        "documents/d.txt.meta.yaml:1: metadata is no key of a sidecar",
        "documents/e.md.meta.yaml:3: pages[1].start is 0. Write an offset in characters, from 1 to 9",
        "documents/e.md.meta.yaml:4: pages[2].start is 10. Write an offset in characters, from 1 to 9",
        "documents/e.md.meta.yaml:5: pages[3].label is [2]",
        f"documents/e.md.meta.yaml:6: pages[4] is not a start and a label. {pages}",
        "documents/e.md.meta.yaml:7: pages[5].start is true",
        "documents/e.md.meta.yaml:8: pages[6] is not a start and a label",
        'documents/e.md.meta.yaml:9: pages[7].label is " "',
        "documents/gone.md.meta.yaml: there is no document documents/gone.md that it could be about",
    ]
    assert len(messages) == len(expected)
    for message, start in zip(messages, expected, strict=True):
        assert message.startswith(start)


def test_a_sidecar_of_a_document_that_was_left_out_is_no_problem(make_set) -> None:
    files = {"a.txt": "Second.", "b.txt": b"\0", "b.txt.meta.yaml": "year: 2024\n"}
    assert load(make_set(files, QUESTION), skip_bad=True).skipped == ("b.txt",)


def test_a_folder_of_sidecars_holds_no_document(make_set) -> None:
    with pytest.raises(BadInput, match="holds no document"):
        load(make_set({"a.txt.meta.yaml": "year: 2024\n"}, QUESTION))


def test_what_a_sidecar_says_is_part_of_the_identity_and_its_bytes_of_the_checksum(make_set) -> None:
    folder = make_set({"a.txt": "Second.", "a.txt.meta.yaml": "year: 2024\n"}, QUESTION)
    sidecar, digests = folder / "documents" / "a.txt.meta.yaml", [load(folder).digest]
    for text in ("year: 2025\n", "year: 2024\npages: [{start: 0, label: 1}]\n", "year: 2024 # as before\n"):
        sidecar.write_text(text)
        digests.append(load(folder).digest)
    assert len(set(digests)) == 3
    assert digests[3] == digests[0]
    (folder / "card.yaml").write_text("name: x\nchecksum: 'sha256:0'\n")
    right = _right_checksum(folder)
    (folder / "card.yaml").write_text(f"name: x\nchecksum: '{right}'\n")
    load(folder)
    sidecar.write_text("year: 2024\n")
    with pytest.raises(BadInput, match="checksum is"):
        load(folder)


def _right_checksum(folder: Path) -> str:
    with pytest.raises(BadInput) as error:
        load(folder)
    return error.value.problems[0].what.rpartition(" ")[2]


# --- one file alone


def test_a_file_of_no_set_is_described_as_in_one(tmp_path: Path) -> None:
    file = tmp_path / "gate.md"
    file.write_text(GUIDE)
    front = {"title": "Gate", "year": 2023, "owner.name": "Zoë"}
    assert read_document(file) == Document("gate.md", GUIDE, front, "text/markdown")
    beside = tmp_path / "gate.md.meta.yaml"
    beside.write_text("year: 2024\npages: [{start: 0, label: 1}]\n")
    assert read_document(file).metadata == {**front, "year": 2024}
    assert read_document(file).marks == (Mark("page", 0, "1"),)
    beside.write_text("year: [[1]]\npages: 3\n")
    with pytest.raises(BadInput) as error:
        read_document(file)
    assert [problem.where for problem in error.value.problems] == [f"{beside}:2", f"{beside}:1"]
    for unreadable in (tmp_path / "none.md", tmp_path):
        with pytest.raises(BadInput, match="cannot be read"):
            read_document(unreadable)
    file.write_bytes(b"\xff")
    with pytest.raises(BadInput, match="is not UTF-8"):
        read_document(file)
