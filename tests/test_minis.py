"""The bundled set `minis`: its traps are in its bytes, strategies pass them, and whole sweeps run on it."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import regex
import yaml

from evaluation.gold import GoldSet, Passage, Question, load
from evaluation.gold.check import check
from experiments.cli.app import run
from strategies import STRATEGIES, build
from strategies.document import Chunk, Document
from strategies.splitting import split
from strategies.tools import Tools

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "datasets" / "minis"
SMOKE = ROOT / "experiments" / "sweeps" / "smoke.yaml"

FREE = [name for name, cls in STRATEGIES.items() if not cls.needs]
"""Strategies that ask neither an embedder nor a language model."""
SIZES = (24, 96)
ROUTES = {"routes": [{"media_type": "text/markdown", "use": "markdown"}, {"path": "*.html", "use": "html"}]}


def raw(name: str) -> bytes:
    return (FOLDER / "documents" / name).read_bytes()


@pytest.fixture(scope="module")
def gold() -> GoldSet:
    return load("minis")


@pytest.fixture(scope="module")
def documents(gold: GoldSet) -> Mapping[str, Document]:
    return {document.id: document for document in gold.documents}


@pytest.fixture(scope="module")
def questions(gold: GoldSet) -> Mapping[str, Question]:
    return {question.id: question for question in gold.questions}


def cut(document: Document, name: str, **params: object) -> tuple[Chunk, ...]:
    return split(document, build(name, params), Tools())


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in chunks]


def holding(chunks: tuple[Chunk, ...], passage: Passage) -> list[int]:
    """The chunks that hold a passage whole."""
    return [chunk.index for chunk in chunks if chunk.start <= passage.start and passage.end <= chunk.end]


# The set


def test_the_set_is_small_and_true(gold: GoldSet) -> None:
    report = check("minis")
    assert report.problems == ()
    assert report.counts == yaml.safe_load((FOLDER / "card.yaml").read_text("utf-8"))["counts"]
    assert (len(gold.documents), len(gold.questions)) == (11, 27)
    assert "`minis`: 11 tiny documents with 27 questions" in (ROOT / "README.md").read_text("utf-8")
    assert all(100 <= len(document.text) <= 900 for document in gold.documents)
    asked = {passage.document for q in gold.questions for entry in q.evidence for passage in entry.passages}
    assert asked == {document.id for document in gold.documents}
    assert all(q.evidence for q in gold.questions)


def test_git_leaves_the_bytes_alone() -> None:
    assert (FOLDER / ".gitattributes").read_text("utf-8") == "* -text\n"


# The traps


def test_a_fence_of_four_marks_holds_one_of_three_and_lines_that_look_like_headings() -> None:
    lines = raw("fences.md").decode().splitlines()
    assert [line for line in lines if line.startswith("```")] == ["````markdown", "```sh", "```", "````"]
    inside = lines[lines.index("````markdown") + 1 : lines.index("````")]
    assert [line.partition(" ")[0] for line in inside if line.startswith("#")] == ["#", "#", "#"]


def test_a_file_as_an_editor_of_windows_saves_it(documents: Mapping[str, Document]) -> None:
    data = raw("windows.txt")
    assert data.startswith(b"\xef\xbb\xbfFound")
    assert data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r") == 7
    assert data.endswith(b"belongs to Una")
    text = documents["windows.txt"].text
    assert (text[0], len(text)) == ("F", len(data) - 3)


def test_chinese_has_no_blank_anywhere() -> None:
    text = raw("owl.txt").decode()
    assert text.count("。") == 5
    assert not re.search(r"\s", text.rstrip("\n"))


def test_emoji_are_joined_toned_and_flags() -> None:
    text = raw("signs.md").decode()
    clusters = [cluster for cluster in regex.findall(r"\X", text) if len(cluster) > 1]
    assert {len(cluster) for cluster in clusters} == {2, 4, 5, 7}
    family, norway, netherlands = "👨\u200d👩\u200d👧\u200d👦", "🇳🇴", "🇳🇱"
    assert {family, norway, netherlands, "👍🏽", "👎🏻"} <= set(clusters)
    # The same two flags in both orders: read from the wrong letter on, four of them spell other flags.
    assert norway + netherlands in text
    assert netherlands + norway in text


def test_a_row_of_the_table_is_wider_than_a_chunk() -> None:
    rows = [line for line in raw("fares.md").decode().splitlines() if line.startswith("|")]
    assert rows[0] == "| What | Fare | Stowed | Remarks |"
    assert rows[1] == "|---|---|---|---|"
    assert max(len(row) for row in rows) == 417
    assert sorted(len(row) for row in rows)[-2] < 60


def test_a_sentence_stands_twice(questions: Mapping[str, Question]) -> None:
    assert raw("landings.txt").count(b"Ring the bell twice and wait.") == 2
    (either,) = questions["bell-call"].evidence
    assert either.passages == (Passage("landings.txt", 14, 43), Passage("landings.txt", 103, 132))
    assert questions["bell-south"].evidence[0].passages == (Passage("landings.txt", 103, 132),)
    (home,) = questions["bell-home"].evidence
    assert home.passages == (Passage("landings.txt", 44, 87), Passage("landings.txt", 133, 179))


def test_front_matter_has_every_odd_kind_of_value(documents: Mapping[str, Document]) -> None:
    assert raw("cabin.md").startswith(b'---\ntitle: "Rules: the cabin"\nedition: 007\n')
    assert documents["cabin.md"].metadata == {
        "title": "Rules: the cabin",
        "edition": "007",
        "written": "2024-02-29",
        "draft": False,
        "tags": "cabin, 3, night",
        "keeper.name": "Ösp",
        "keeper.berth": 2,
        "odd key": "no",
    }


def test_html_has_entities_and_lists_three_deep() -> None:
    text = raw("cafe.html").decode()
    assert set(re.findall(r"&\w+;", text)) == {
        *("&eacute;", "&amp;", "&mdash;", "&frac12;", "&nbsp;", "&lt;", "&gt;")
    }
    depths = [0]
    for tag in re.findall(r"</?ul>", text):
        depths.append(depths[-1] + (1 if tag == "<ul>" else -1))
    assert (max(depths), depths[-1]) == (3, 0)


def test_json_is_one_line_without_a_blank() -> None:
    text = raw("engine.json").decode()
    assert text.index("\n") == len(text) - 1
    assert " " not in text
    assert len(text) > 600
    assert json.dumps(json.loads(text), separators=(",", ":")) == text.rstrip("\n")


def test_form_feeds_end_pages_whose_numbers_the_sidecar_knows(documents: Mapping[str, Document]) -> None:
    text = raw("rules.txt").decode()
    document = documents["rules.txt"]
    feeds = [at for at, character in enumerate(text) if character == "\f"]
    assert [mark.start for mark in document.marks] == [0, *(at + 1 for at in feeds)]
    assert [mark.label for mark in document.marks] == ["iv", "3", "4", "index"]
    assert document.metadata == {"printed": 1931}
    # A sentence goes on behind the second one.
    assert text[feeds[1] - 8 : feeds[1] + 7] == "lows it\n\fcounts"


def test_accents_are_apart_and_quotes_are_curly_but_not_in_the_questions(
    documents: Mapping[str, Document], questions: Mapping[str, Question]
) -> None:
    text = raw("lanterne.txt").decode()
    assert unicodedata.is_normalized("NFD", text)
    assert not unicodedata.is_normalized("NFC", text)
    rows = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines()]
    (quote,) = (row["evidence"][0]["quote"] for row in rows if row["id"] == "lanterne-brume")
    assert quote == '"Derri\u00e8re la brume, c\'est-\u00e0-dire \u00e0 c\u00f4t\u00e9."'
    assert quote not in text
    (passage,) = questions["lanterne-brume"].evidence[0].passages
    found = documents["lanterne.txt"].text[passage.start : passage.end]
    # An accent each in "Derrière", "à" and "à", and two in "côté", are characters of their own.
    assert len(found) == len(quote) + 5
    assert (found[0], found[-1]) == ("\u201c", "\u201d")
    assert unicodedata.normalize("NFC", found).strip("\u201c\u201d").replace("\u2019", "'") == quote[1:-1]


# Strategies


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FREE)
def test_chunks_are_slices_that_hold_all_evidence(name: str, size: int, gold: GoldSet) -> None:
    held: dict[str, set[int]] = {}
    for document in gold.documents:
        params = {"size": size} | (ROUTES if name == "routed" else {})
        chunks = cut(document, name, **params)
        for chunk in chunks:
            assert chunk.text == document.text[chunk.start : chunk.end]
            assert chunk.text.strip()
            assert chunk.metadata == document.metadata
        for one, following in pairwise(chunks):
            assert one.start < following.start
            assert one.end < following.end
        held[document.id] = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    texts = {document.id: document.text for document in gold.documents}
    for question in gold.questions:
        for passage in (passage for entry in question.evidence for passage in entry.passages):
            lost = set(range(passage.start, passage.end)) - held[passage.document]
            assert not "".join(texts[passage.document][at] for at in sorted(lost)).strip(), question.id


def test_nothing_inside_a_fence_is_a_heading_or_a_border(
    documents: Mapping[str, Document], questions: Mapping[str, Question]
) -> None:
    chunks = cut(documents["fences.md"], "markdown", size=40)
    top = "Notes for the notice board"
    assert [chunk.section for chunk in chunks] == [(top,), (top,), (top, "Where they hang")]
    fence = questions["fence-template"].evidence[0].passages[0]
    assert spans(chunks)[1] == (fence.start, fence.end)


def test_what_stands_twice_is_held_by_position(
    documents: Mapping[str, Document], questions: Mapping[str, Question]
) -> None:
    north, south = questions["bell-call"].evidence[0].passages
    # Borders at 60, 120 and 180: [14, 43) lies before the first, [103, 132) on both sides of the second.
    chunks = cut(documents["landings.txt"], "fixed", size=60, unit="characters")
    assert (holding(chunks, north), holding(chunks, south)) == ([0], [])
    # Chunks of 80 that begin every 60: the second is [60, 140).
    chunks = cut(documents["landings.txt"], "fixed", size=80, overlap=20, unit="characters")
    assert (holding(chunks, north), holding(chunks, south)) == ([0], [1])


def test_a_sentence_over_two_pages_is_whole_on_neither(
    documents: Mapping[str, Document], questions: Mapping[str, Question]
) -> None:
    fog = questions["rules-fog"].evidence[0].passages[0]
    pages = cut(documents["rules.txt"], "page")
    assert [chunk.page for chunk in pages] == ["iv", "3", "4", "index"]
    assert holding(pages, fog) == []
    # All but the last page, joined: 80 + 66 + 39 characters with their feeds; the index makes 213.
    joined = cut(documents["rules.txt"], "page", size=200, unit="characters", join=True)
    assert holding(joined, fog) == [0]
    assert [chunk.page for chunk in joined] == ["iv", "index"]


def test_chinese_is_cut_behind_its_full_stops(
    documents: Mapping[str, Document], questions: Mapping[str, Question]
) -> None:
    # Sentences of 14, 20, 20, 35 and 35 characters: only the first two fit together into 40.
    chunks = cut(documents["owl.txt"], "sentence", size=40, unit="characters", language="zh")
    assert spans(chunks) == [(0, 34), (34, 54), (54, 89), (89, 124)]
    assert holding(chunks, questions["owl-surgeon"].evidence[0].passages[0]) == [2]
    blind = cut(documents["owl.txt"], "fixed", size=40, unit="characters")
    assert holding(blind, questions["owl-surgeon"].evidence[0].passages[0]) == []


def test_a_row_that_is_too_wide_stays_whole_and_says_so(
    documents: Mapping[str, Document], questions: Mapping[str, Question]
) -> None:
    chunks = cut(documents["fares.md"], "table", size=40)
    (wide,) = [chunk for chunk in chunks if chunk.oversize]
    assert len(wide.text) == 417
    assert wide.text.startswith("| A piano |")
    head, piano = (entry.passages[0] for entry in questions["fares-piano-price"].evidence)
    assert holding(chunks, piano) == [wide.index]
    assert head.end < wide.start
    goat = questions["fares-goat"].evidence[1].passages[0]
    (row,) = holding(chunks, goat)
    assert "| What | Fare |" not in chunks[row].text
    assert "| What | Fare |" in chunks[row].embedded_text


def test_joined_emoji_are_cut_or_kept_as_asked(documents: Mapping[str, Document]) -> None:
    document = documents["signs.md"]
    borders = {0}
    for cluster in regex.findall(r"\X", document.text):
        borders.add(max(borders) + len(cluster))
    plain = cut(document, "fixed", size=24, unit="characters")
    kept = cut(document, "fixed", size=24, unit="characters", keep_graphemes=True)
    # The pilot's face is [21, 26).
    assert plain[0].end == 24
    assert kept[0].end == 21
    assert {border for span in spans(kept) for border in span} <= borders
    assert not {border for span in spans(plain) for border in span} <= borders


# Sweeps


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for both sweeps: making it takes seconds."""
    return tmp_path_factory.mktemp("minis")


EXPECTED = (
    r"27 of 27 questions are by a language model",
    r"Only 11 groups of questions that share documents \(fewer than 20\)",
    r"With 27 questions and \d+ configurations, differences of about",
    r"By MRR, the ranking depends on what counts as relevant",
)


def sweep(what: str, place: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Run a sweep by the command; it must succeed, and warn of nothing but what so small a set makes true."""
    uri, cache = f"sqlite:///{place}/mlflow.db", str(place / "vectors")
    code = run(["run", what, "--tracking-uri", uri, "--cache-dir", cache, "--quiet", "--json"])
    said = capsys.readouterr()
    assert code == 0, said.err
    told: dict[str, Any] = json.loads(said.out)
    for note in told["notes"]:
        assert any(re.match(words, note) for words in EXPECTED), note
    for row in told["configurations"]:
        name = row["name"]
        counted = [row[key] for key in ("status", "n_failed", "n_scored", "documents")]
        assert counted == ["finished", 0, 27, 11], name
        assert row["misses_absent"] == row["misses_filtered"] == 0, name
        assert 0 <= row[row["headline"]] <= 1, name
    return told


@pytest.mark.slow
def test_every_strategy_at_two_sizes_with_hashed_vectors(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    content = yaml.safe_load(SMOKE.read_text("utf-8"))
    grid = [{**line, "size": list(SIZES)} for line in content["grid"]]
    content |= {"name": "hashed", "embedder": "hashing", "grid": grid}
    (place / "hashed.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    rows = sweep("hashed.yaml", place, capsys)["configurations"]
    chatty = {name for name, cls in STRATEGIES.items() if "chat" in cls.needs}
    assert {row["strategy"] for row in rows} == STRATEGIES.keys() - chatty
    assert len(rows) == 2 * len(STRATEGIES.keys() - chatty)


@pytest.mark.slow
def test_the_ready_sweep_with_the_packaged_model(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    rows = sweep("smoke", place, capsys)["configurations"]
    assert {row["embedder"] for row in rows} == {"all-MiniLM-L6-v2"}
    assert all(row["truncated_chunks"] == 0 for row in rows)
    # Two hits of 64 tokens, of some 1,490: a model that embeds at all finds most of the evidence.
    assert max(row["context_recall_at_128_tokens"] for row in rows) > 0.7
