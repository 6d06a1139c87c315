"""card.yaml: only its name is required, and what it claims must be true."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from itertools import pairwise

import pytest

from evaluation.gold import load
from evaluation.gold.card import checksum, read_card
from strategies.errors import BadInput

ROW = '{"id": "a", "question": "What?", "evidence": "Second"}\n'
FILES = {"b.md": "# Second\n", "a/first.txt": "Erste Zeile: größer.\n"}


def problems(text: str) -> str:
    return "\n".join(map(str, read_card(text, "card.yaml")[1]))


def test_a_name_is_enough() -> None:
    card, found = read_card("name: lease", "card.yaml")
    assert (card.name, card.counts, card.checksum, found) == ("lease", {}, None, [])


def test_how_hard_a_set_is_may_be_told_in_any_words() -> None:
    said = {"bm25": {"hit_at_5": 0.5}, "people": "half of them"}
    card, found = read_card(json.dumps({"name": "lease", "difficulty": said}), "card.yaml")
    assert (card.raw["difficulty"], found) == (said, [])


def test_documents_get_their_media_type_and_metadata(make_set) -> None:
    card = (
        "name: x\ndocuments:\n  b.md:\n    media_type: text/plain\n    metadata: {year: 2024, draft: true}\n"
    )
    first, second = load(make_set(FILES, ROW, card)).documents
    assert (first.id, first.media_type, dict(first.metadata)) == ("a/first.txt", "text/plain", {})
    assert (second.media_type, dict(second.metadata)) == ("text/plain", {"year": 2024, "draft": True})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "card.yaml: is no map of keys and values. Write at least `name: my-documents`"),
        ("- name", "is no map of keys and values"),
        ("name: [", "card.yaml:1: is not YAML: "),
        ("name: a\nname: b", "card.yaml:2: name is written twice, first in line 1"),
        ("name: a\nversion: \x07", "card.yaml:2: the character '\\x07' is not allowed in YAML"),
        (
            "name: a\nversion: !!timestamp x",
            "card.yaml:2: the tag tag:yaml.org,2002:timestamp is not supported",
        ),
        ("name: a\ncounts: !!map x", "card.yaml:2: the tag tag:yaml.org,2002:map is not supported"),
        ("name: !!python/name:os.system x", "card.yaml:1: the tag"),
        (f"name: a\ncounts: {{documents: {'9' * 5000}}}", "card.yaml:2: a number has 5000 digits"),
        (f"name: a\ncounts: {{documents: 0x{'f' * 5000}}}", "card.yaml:2: counts.documents is "),
        ("[" * 3000, "nested too deeply"),
        ("name: &x [*x]", "card.yaml:1: anchors repeat or nest without end"),
        ('name: "\\ud800"', "card.yaml:1: holds half of a surrogate pair"),
        ('name: a\ndocuments: {a.md: {metadata: {"\\udfff": 1}}}', "a key holds half of a surrogate pair"),
        ('name: "a\\e[31mb"', 'name is "a\\u001b[31mb". Remove line breaks and control characters'),
        ('name: "a\\nb"', 'card.yaml:1: name is "a\\nb". Remove line breaks'),
        (f"name: {'x' * 121}", "name is 121 characters long. Use at most 120"),
        ("version: '1'", "card.yaml: name is missing"),
        ("name: 2024", 'card.yaml:1: name is 2024, not text. Quote it: name: "..."'),
        ("name: a\nversion: 1.10", "card.yaml:2: version is 1.1, not text. Quote it"),
        ("name: a\nlanguage: true", "language is true, not text. Quote it"),
        ("name: a\nlicense: MIT", "card.yaml:2: license is not a known key. Did you mean licence?"),
        ("name: a\ncounts: 3", "counts is 3"),
        ("name: a\ncounts: {documents: many}", 'card.yaml:2: counts.documents is "many"'),
        ("name: a\ncounts: {document: 3}", "counts.document is not a known key. Did you mean documents?"),
        ("name: a\ndocuments: [a.md]", 'card.yaml:2: documents is ["a.md"]'),
        ("name: a\ndifficulty: hard", 'card.yaml:2: difficulty is "hard". Write keys and values'),
        (
            "name: a\ndocuments:\n  a.md: {mediatype: x}",
            "card.yaml:3: documents.a.md.mediatype is not a known",
        ),
        ("name: a\ndocuments: {a.md: {media_type: 3}}", "documents.a.md.media_type is 3, not text"),
        (
            "name: a\ndocuments:\n  a.md:\n    metadata:\n      tags: [{x: 1}]",
            "card.yaml:5: metadata tags is ",
        ),
        ("name: a\ndocuments: {a.md: {metadata: 3}}", "documents.a.md.metadata is 3. Write keys and values"),
    ],
)
def test_each_slip_is_named(text: str, message: str) -> None:
    assert message in problems(text)


def test_anchors_that_multiply_are_stopped() -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    rows += [f"{to}: &{to} [{', '.join([f'*{of}'] * 9)}]" for of, to in pairwise("abcdefgh")]
    (said,) = read_card("\n".join([*rows, "name: *h"]), "card.yaml")[1]
    assert "anchors repeat" in said.what
    assert said.where.startswith("card.yaml:")


def test_what_is_shown_of_a_value_or_a_key_is_short() -> None:
    # Each anchor doubles what a value would print, and stays far below the limit on values.
    long, key = "x" * 100_000, "k" * 1000
    rows = [
        f"version: &a [{long}, {long}]",
        "language: &b [*a, *a]",
        "description: {a: *b, b: {c: {d: *b}}}",
        f"{key}: 1",
        f"counts: {{{key}: {long}}}",
        f"documents: {{{key}: {{{key}: 1, metadata: {{{key}: [[{long}]]}}, media_type: [{long}]}}}}",
        f"name: {long}",
    ]
    found = read_card("\n".join(rows), "card.yaml")[1]
    assert len(found) == 10
    assert max(len(str(problem)) for problem in found) < 500


def test_all_slips_are_reported_together() -> None:
    assert len(problems("nam: a\nversion: 1\ncounts: {documents: x}").splitlines()) == 4


def test_words_and_dates_of_a_card_stay_text() -> None:
    metadata = "{day: 2024-05-01, of: [x, 2, true], by: {name: Z}}"
    text = f"name: a\nlanguage: no\ndocuments: {{a.md: {{metadata: {metadata}}}}}"
    card, found = read_card(text, "card.yaml")
    assert (card.raw["language"], found) == ("no", [])
    assert card.documents["a.md"].metadata == {"day": "2024-05-01", "of": "x, 2, true", "by.name": "Z"}


def test_a_document_that_is_not_there_is_a_problem(make_set) -> None:
    with pytest.raises(
        BadInput,
        match=r"documents\.c/first\.txt: there is no such file in documents/\. Did you mean a/first\.txt\?",
    ):
        load(make_set(FILES, ROW, "name: x\ndocuments: {c/first.txt: {}}\n"))


def test_true_counts_pass_and_false_ones_give_the_right_value(make_set) -> None:
    right = "{documents: 2, characters: 30, cl100k_tokens: %d, questions: 1, evidence_spans: 1}"
    wrong = make_set(FILES, ROW, "name: x\ncounts: " + right % 999, folder="wrong")
    with pytest.raises(BadInput) as error:
        load(wrong)
    assert len(error.value.problems) == 1
    what = error.value.problems[0].what
    assert what.startswith("counts.cl100k_tokens is 999, but the files hold ")
    tokens = int(what.rsplit(" ", 1)[1])
    assert load(make_set(FILES, ROW, "name: x\ncounts: " + right % tokens)).name == "x"


def test_of_a_set_that_is_not_whole_no_claim_is_checked(make_set) -> None:
    card = "name: x\nchecksum: 'sha256:0'\ncounts: {documents: 3, questions: 1}\n"
    folder = make_set({**FILES, "bad.txt": b"\0"}, ROW, card)
    assert load(folder, skip_bad=True).skipped == ("bad.txt",)
    with pytest.raises(BadInput) as error:
        load(folder)
    assert [problem.where for problem in error.value.problems] == ["documents/bad.txt"]


def test_counts_of_questions_wait_until_all_questions_are_good(make_set) -> None:
    card = "name: x\ncounts: {documents: 9, questions: 9}\n"
    with pytest.raises(BadInput) as error:
        load(make_set(FILES, ROW + "{", card))
    assert [problem.what.split(",")[0] for problem in error.value.problems][:1] == ["counts.documents is 9"]
    assert [problem.where for problem in error.value.problems] == ["card.yaml", "questions.jsonl:2"]


def expected_checksum() -> str:
    lines = [
        f"{hashlib.sha256(FILES['a/first.txt'].encode()).hexdigest()}  documents/a/first.txt\n",
        f"{hashlib.sha256(FILES['b.md'].encode()).hexdigest()}  documents/b.md\n",
        f"{hashlib.sha256(ROW.encode()).hexdigest()}  questions.jsonl\n",
    ]
    return "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()


def test_the_checksum_is_verified_over_visible_files(make_set) -> None:
    card = f"name: x\nchecksum: '{expected_checksum()}'\n"
    folder = make_set({**FILES, ".hidden": "x"}, ROW, card)
    assert load(folder).name == "x"
    (folder / "documents" / "b.md").write_bytes(b"# Second\r\n")
    with pytest.raises(BadInput) as error:
        load(folder)
    right = error.value.problems[0].what.rsplit(" ", 1)[1]
    (folder / "card.yaml").write_text(f"name: x\nchecksum: '{right}'\n")
    assert load(folder).documents[1].text == "# Second\r\n"


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum")
def test_the_checksum_is_what_the_manual_says(make_set) -> None:
    command = (
        "find documents -type f -not -path '*/.*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum > sums; "
        "sha256sum questions.jsonl >> sums; sha256sum < sums"
    )
    folder = make_set(FILES, ROW)
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=True)
    assert "sha256:" + done.stdout.split()[0] == expected_checksum()


def test_the_checksum_does_not_depend_on_the_order_of_files() -> None:
    files = [("documents/b", b"2"), ("documents/a", b"1"), ("questions.jsonl", b"")]
    assert checksum(files) == checksum(reversed(files))
