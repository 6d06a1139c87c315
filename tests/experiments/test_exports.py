"""Files parse back to the same values, cannot be run by a spreadsheet, and are replaced whole."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from experiments.columns import Column, Kind
from experiments.exports import FORMATS, Format, read_csv, write, write_table
from experiments.exports.csv import neutral, restored
from experiments.records import RunRecord
from experiments.tables import Cell, Table, wide
from strategies.errors import BadInput

# What a cell may hold: see `experiments.tables`.
texts = st.text(
    st.one_of(
        st.sampled_from("=+-@'\"|\\`*_<>&;#~$[], \t\r\n\u00a0\u2028\ufeff＝é中😀"),
        st.characters(exclude_categories=["Cs", "Cc"]),
    ),
    min_size=1,
    max_size=12,
)
values: dict[Kind, st.SearchStrategy[Any]] = {
    "text": texts,
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    kinds: list[Kind] = ["text", *draw(st.lists(st.sampled_from(list(values)), max_size=4))]
    n_rows = draw(st.integers(0, 4))
    names = draw(st.lists(texts.filter(lambda text: text != "name"), min_size=4, max_size=4, unique=True))
    columns = tuple(
        Column(name, name, "unit", "none", "score", kind, "meaning")
        for name, kind in zip(["name", *names], kinds, strict=False)
    )
    cells = []
    for held in columns:
        value = values[held.kind] if held.name == "name" else st.one_of(st.none(), values[held.kind])
        cells.append(draw(st.lists(value, min_size=n_rows, max_size=n_rows).map(tuple)))
    return Table(columns, tuple(cells))


def rendered(name: str, table: Table) -> bytes:
    return b"".join(FORMATS[name].render(table))


def exactly(rows: Iterator[dict[str, Cell]] | list[dict[str, Any]]) -> list[list[tuple[str, type, str]]]:
    """Rows so that 1, 1.0 and True, or 0.0 and -0.0, differ."""
    return [[(name, type(cell), repr(cell)) for name, cell in row.items()] for row in rows]


@given(tables())
def test_csv_parses_back_to_the_same_values_and_types(
    tmp_path_factory: pytest.TempPathFactory, table: Table
) -> None:
    path = tmp_path_factory.getbasetemp() / "table.csv"
    path.write_bytes(rendered("csv", table))
    assert exactly(read_csv(path)) == exactly(table.rows())


@given(tables())
def test_csv_is_read_by_others_as_we_read_it(table: Table) -> None:
    lines = list(csv.reader(io.StringIO(rendered("csv", table).decode(), newline="")))
    assert [restored(name) for name in lines[0]] == [held.name for held in table.columns]
    for line, row in zip(lines[1:], zip(*table.cells, strict=True), strict=True):
        for found, cell in zip(line, row, strict=True):
            if isinstance(cell, bool) or cell is None:
                assert found == ("" if cell is None else str(cell).lower())
            else:
                assert type(cell)(restored(found)) == cell


@given(tables())
def test_no_csv_cell_can_be_run(table: Table) -> None:
    for line in csv.reader(io.StringIO(rendered("csv", table).decode(), newline="")):
        for found in line:
            dangerous = found[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") and found
            assert not dangerous or isinstance(float(found), float)


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1", "'=1", "-"]
)
def test_a_text_that_looks_like_a_formula_is_neutralised_and_restored(text: str) -> None:
    assert neutral(text) == f"'{text}"
    assert restored(neutral(text)) == text


@pytest.mark.parametrize("text", ["fixed-96", "'quoted'", "10%", "a=b", "", "it's"])
def test_a_harmless_text_stays_as_it_is(text: str) -> None:
    assert neutral(text) == text == restored(text)


def test_negative_numbers_are_left_alone() -> None:
    table = wide([RunRecord("a-1", "-a", "finished", metrics={"similarity_margin": -0.25})])
    line = rendered("csv", table).decode().splitlines()[1]
    assert line.startswith('"\'-a",')
    assert ",-0.25," in line


def test_pandas_reads_the_csv_as_documented(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    records = [
        RunRecord(
            "a-1", "a", "finished", params={"headings": "none"}, metrics={"mrr_at_5": 0.1 + 0.2, "chunks": 3}
        ),
        RunRecord("b-1", 'b,\n"c"', "finished", params={"headings": "NA"}),
    ]
    write(records, "csv", path, statistics={"a": {"tied": True}, 'b,\n"c"': {"tied": False}})
    made = pd.read_csv(path, keep_default_na=False, na_values=[""])
    assert list(made["name"]) == ["a", 'b,\n"c"']
    assert list(made["headings"]) == ["none", "NA"]
    assert made["mrr_at_5"][0] == 0.1 + 0.2
    assert list(made["mrr_at_5"].isna()) == [False, True]
    assert made["tied"].dtype == bool
    assert "nan" not in path.read_text().lower()


@given(tables())
def test_json_parses_back_to_the_same_values_and_types(table: Table) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    made = json.loads(rendered("json", table), parse_constant=refuse)
    assert made["schema"] == 1
    assert exactly(made["rows"]) == exactly(table.rows())
    assert [(held["name"], held["unit"], held["kind"]) for held in made["columns"]] == [
        (held.name, held.unit, held.kind) for held in table.columns
    ]


@given(tables())
def test_parquet_parses_back_to_the_same_values_and_types(table: Table) -> None:
    made = pq.read_table(io.BytesIO(rendered("parquet", table)))
    assert exactly(made.to_pylist()) == exactly(table.rows())
    assert {field.metadata[b"unit"] for field in made.schema} == {b"unit"}


def cells_of(source: str) -> list[list[str]]:
    """Every row of the one table of a Markdown text; anything but plain text in a cell is an error."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(source):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            assert token.map is not None
            assert {child.type for child in token.children or ()} <= {"text"}
            rows[-1].append("".join(child.content for child in token.children or ()))
        else:
            assert token.type.startswith(("table_", "thead_", "tbody_", "th_", "td_", "tr_"))
    return rows


@given(tables())
def test_markdown_parses_back_to_the_same_values(table: Table) -> None:
    rows = cells_of(rendered("markdown", table).decode())
    shown = [
        held
        for held, cells in zip(table.columns, table.cells, strict=True)
        if any(c is not None for c in cells)
    ]
    shown = shown if any(held.name == "name" for held in shown) else [table.columns[0], *shown]
    assert [restored(name) for name in rows[0]] == [held.name for held in shown]
    assert len(rows) == len(table) + 1
    for found, row in zip(rows[1:], table.rows(), strict=True):
        for text, held in zip(found, shown, strict=True):
            cell = row[held.name]
            expected = "" if cell is None else str(cell).lower() if isinstance(cell, bool) else cell
            assert (restored(text) if held.kind in ("text", "boolean") else text) == (
                expected if isinstance(expected, str) else repr(expected)
            )


def test_markdown_shows_only_columns_with_values() -> None:
    source = rendered(
        "markdown", wide([RunRecord("a-1", "a|b", "finished", metrics={"mrr_at_10": 0.5, "chunks": 3})])
    )
    assert source.decode().splitlines() == [
        "| name | config_id | status | repeats | mrr_at_10 | chunks |",
        "| --- | --- | --- | ---: | ---: | ---: |",
        r"| a\|b | a-1 | finished | 1 | 0.5 | 3 |",
    ]


RECORDS = [
    RunRecord("a-1", "a", "finished", metrics={"chunks": 3}, questions=({"question_id": "q", "x": 1.0},))
]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("long", [False, True])
def test_every_format_writes_both_tables_to_a_file_and_to_standard_output(
    name: str, long: bool, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / f"table{FORMATS[name].suffix}"
    write(RECORDS, name, path, long=long)
    write(RECORDS, name, None, long=long)
    assert capfdbinary.readouterr().out == path.read_bytes() != b""
    assert os.listdir(tmp_path) == [path.name]


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="Did you mean parquet"):
        write(RECORDS, "parket")


def test_a_terminal_gets_no_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    with pytest.raises(BadInput, match="terminal"):
        write(RECORDS, "parquet")


def interrupted(table: Table) -> Iterator[bytes]:
    yield b"half"
    raise KeyboardInterrupt


def full_disk(table: Table) -> Iterator[bytes]:
    yield b"half"
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(("render", "error"), [(interrupted, KeyboardInterrupt), (full_disk, BadInput)])
def test_a_file_is_replaced_whole_or_not_at_all(
    render: Any, error: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old")
    with pytest.raises(error):
        write_table(wide(RECORDS), Format(".csv", render), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [path.name]


def test_a_replaced_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "table.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write(RECORDS, "csv", link)
    assert link.is_symlink()
    assert path.read_bytes() == rendered("csv", wide(RECORDS))
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_path_that_cannot_be_written_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (
        tmp_path,
        tmp_path / "nowhere" / "t.csv",
        tmp_path / "file" / "t.csv",
        tmp_path / ("x" * 300),
    ):
        with pytest.raises(BadInput) as caught:
            write(RECORDS, "csv", path)
        assert caught.value.problems[0].where == str(path)
        assert caught.value.problems[0].remedy


def test_a_device_is_written_to_and_not_replaced() -> None:
    write(RECORDS, "csv", Path(os.devnull))
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("source", ['"a"\n"b', '"a"\n"b"c\n', '"a"\nb\n', '"a","b"\n"c"\n'])
def test_a_csv_that_is_not_ours_is_refused(source: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(source)
    with pytest.raises(BadInput):
        read_csv(path)


def test_a_csv_saved_again_by_a_spreadsheet_still_reads(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbf"name","chunks","tied"\r\n"\'=a",3,\r\n')
    assert read_csv(path) == [{"name": "=a", "chunks": 3, "tied": None}]
