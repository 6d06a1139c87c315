"""Where chunks lie: line ends, table rows, what is left out, and what a record says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from strategies import build
from strategies.document import Document
from strategies.modifiers import Modifiers
from strategies.splitting import split
from strategies.tools import Tools

from .scenes import asking, measured, write_set

LETTER = "Keys\n\nThe cellar key hangs by the stove.\n\nReturn it on Friday.\n"
QUOTE = "The cellar key hangs by the stove."


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_evidence_counted_in_the_file_is_found_whole_under_any_line_end(tmp_path: Path, end: str) -> None:
    text = LETTER.replace("\n", end)
    start = text.index(QUOTE)
    assert start == 4 + 2 * len(end)
    place = {"document": "letter.txt", "start": start, "end": start + len(QUOTE)}
    folder = write_set(
        tmp_path / "letters",
        {"letter.txt": text.encode()},
        [{"id": "key", "question": "Where hangs the cellar key?", "evidence": [place]}],
    )
    (record,) = measured(folder, {"strategy": "paragraph", "unit": "words", "size": 7}).records
    assert [text[row["start"] : row["end"]] for row in record.chunks] == [
        "Keys", QUOTE, "Return it on Friday.",
    ]  # fmt: skip
    assert record.metrics["context_recall_at_1"] == record.metrics["evidence_intact"] == 1.0


ROWS = [
    f"| Pier {number} | {number * 7} m | {'deep' if number % 2 else 'shallow water'} |"
    for number in range(12)
]
MOORINGS = "\n".join(
    ["# Moorings", "", "| Pier | Length | Note |", "| --- | --- | --- |", *ROWS, "", "Ask first."]
)


@pytest.mark.parametrize("overlap", [0, 40])
@pytest.mark.parametrize("size", [60, 90, 200])
def test_every_row_of_a_table_is_whole_in_each_chunk_that_touches_it(size: int, overlap: int) -> None:
    document = Document("moorings.md", MOORINGS, media_type="text/markdown")
    strategy = build("markdown", {"unit": "characters", "size": size, "overlap": overlap})
    chunks = split(document, strategy, Tools(), Modifiers(headings="section"))
    assert len(chunks) > 2
    for row in ROWS:
        start = MOORINGS.index(row)
        touching = [chunk for chunk in chunks if chunk.start < start + len(row) and start < chunk.end]
        assert touching
        assert all(row in chunk.text for chunk in touching)
    for chunk in chunks:
        assert chunk.text == MOORINGS[chunk.start : chunk.end]


def test_what_is_put_before_a_chunk_is_recorded_apart_from_its_range(tmp_path: Path) -> None:
    folder = write_set(
        tmp_path / "moorings",
        {"moorings.md": MOORINGS},
        [asking("pier", "How long is pier 3?", "moorings.md", ROWS[3])],
    )
    grid = {"strategy": "markdown", "unit": "characters", "size": 90, "headings": ["none", "section"]}
    plain, headed = measured(folder, grid).records
    assert all("embedded_prefix" not in row for row in plain.chunks)
    assert all("Moorings" in row["embedded_prefix"] for row in headed.chunks)
    assert [(row["start"], row["end"]) for row in headed.chunks] == [
        (row["start"], row["end"]) for row in plain.chunks
    ]
    assert headed.metrics["tokens_embedded"] > plain.metrics["tokens_embedded"]


SPACED = "  Tide,,  table \r\n\r\n\thigh   at six,,,\n\n\nlow\tat noon  \n"


@pytest.mark.parametrize(
    ("parameters", "coverage"),
    [
        ({"strategy": "fixed", "unit": "characters", "size": 12}, 1.0),
        ({"strategy": "paragraph", "unit": "characters", "size": 20}, (14 + 18 + 11) / len(SPACED)),
    ],
)
def test_only_white_space_is_left_out_and_the_record_says_how_much(
    tmp_path: Path, parameters: dict[str, object], coverage: float
) -> None:
    folder = write_set(
        tmp_path / "tides",
        {"tide.txt": SPACED.encode()},
        [asking("low", "When is low water?", "tide.txt", "low\tat noon")],
    )
    (record,) = measured(folder, parameters).records
    held = {place for row in record.chunks for place in range(row["start"], row["end"])}
    assert "".join(sign for place, sign in enumerate(SPACED) if place not in held).strip() == ""
    assert record.metrics["coverage"] == pytest.approx(coverage)
    assert record.metrics["coverage"] == len(held) / len(SPACED)
    assert record.metrics["context_recall_at_64_tokens"] == 1.0  # the spacing of the evidence is untouched


STEPS = "b b b b b b -/\nc c c -/\n\nOne more step,and the-next/one: a-b/c d,e.\n" * 5


@pytest.mark.parametrize("size", [8, 11, 16, 32])
@pytest.mark.parametrize(
    "name",
    ["fixed", "sentence", "paragraph", "recursive", "markdown", "code", "page", "html", "table", "atoms"],
)
def test_the_count_of_a_whole_chunk_keeps_to_the_size(tmp_path: Path, name: str, size: int) -> None:
    tools = Tools()
    chunks = split(Document("steps.txt", STEPS), build(name, {"size": size}), tools)
    counts = [tools.counter("cl100k_base").count(chunk.text) for chunk in chunks]
    assert all(count <= size or chunk.oversize for count, chunk in zip(counts, chunks, strict=True))
    assert not any(chunk.oversize for chunk in chunks)
    assert max(counts) > size // 2  # it is no empty promise


def test_the_longest_chunks_are_recorded(harbour: Path) -> None:
    (record,) = measured(harbour, {"strategy": "sentence", "size": 12}).records
    lengths = sorted(row["tokens"] for row in record.chunks)
    assert record.metrics["chunk_tokens_max"] == lengths[-1]
    assert lengths[-2] <= record.metrics["chunk_tokens_p95"] <= lengths[-1]
    assert record.metrics["oversize_chunks"] == 0


def test_files_left_out_and_the_rule_of_relevance_are_recorded(tmp_path: Path) -> None:
    documents = {
        "first.txt": b"\xef\xbb\xbfOpening words of the log.",
        "empty.txt": b"",
        "old.txt": "Fünf Möwen".encode("cp1252"),
        "wide.txt": "Sechs Boote".encode("utf-16"),
        "blob.txt": b"seven\0sails",
    }
    folder = write_set(
        tmp_path / "logs", documents, [asking("log", "What opens?", "first.txt", "Opening words")]
    )
    grid = {"strategy": "fixed", "unit": "words", "size": 9}
    (record,) = measured(folder, grid, options={"skip_bad": True}, relevance="any").records
    assert record.metrics["documents_skipped"] == 3
    assert record.metrics["documents"] == 2
    assert [(row["document"], row["start"], row["end"]) for row in record.chunks] == [
        ("first.txt", 0, len("Opening words of the log."))
    ]
    assert any("3 unreadable files" in warning for warning in record.warnings)
    assert record.config["settings"]["rule"] == "any"
