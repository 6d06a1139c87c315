"""Tables: where they are, groups of rows, the header that is repeated, and the text between."""

from __future__ import annotations

import pytest
from contract import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linear import grows_linearly
from mangled import ENDLESS, sources

from strategies.document import Chunk, Document
from strategies.markup.tables_in import tables_in
from strategies.splitting import split
from strategies.table import Table
from strategies.tools import Tools

TOOLS = Tools()
MARKDOWN, HTML, CSV, TSV = "text/markdown", "text/html", "text/csv", "text/tab-separated-values"


def cut(
    text: str, media_type: str = MARKDOWN, unit: str = "words", **parameters: object
) -> tuple[Chunk, ...]:
    return check(Document("one", text, media_type=media_type), Table(unit=unit, **parameters), TOOLS)


def chunks(text: str, media_type: str = MARKDOWN, **parameters: object) -> list[str]:
    return [chunk.text for chunk in cut(text, media_type, **parameters)]


def embedded(text: str, media_type: str = MARKDOWN, **parameters: object) -> list[str]:
    return [chunk.embedded_text for chunk in cut(text, media_type, **parameters)]


def rows(text: str, media_type: str = MARKDOWN) -> list[list[str]]:
    document = Document("one", text, media_type=media_type)
    return [[text[start:end] for start, end in table.rows] for table in tables_in(document)]


def heads(text: str, media_type: str = HTML) -> list[int]:
    return [table.heads for table in tables_in(Document("one", text, media_type=media_type))]


HEAD = "| Lamp | Watt |\n|---|---|"
LAMPS = f"{HEAD}\n| L1 | 10 |\n| L2 | 20 |\n| L3 | 30 |"


class TestGroups:
    def test_rows_are_grouped_and_the_header_is_repeated_in_what_is_embedded_alone(self) -> None:
        text = f"Prices.\n\n{LAMPS}\n\nOn request.\n"
        # A row counts 5 words, the header 6.
        assert chunks(text, size=11) == [
            "Prices.",
            f"{HEAD}\n| L1 | 10 |",
            "| L2 | 20 |\n| L3 | 30 |",
            "On request.",
        ]
        assert embedded(text, size=11) == [
            "Prices.",
            f"{HEAD}\n| L1 | 10 |",
            f"{HEAD}\n| L2 | 20 |\n| L3 | 30 |",
            "On request.",
        ]

    def test_a_table_that_fits_is_one_chunk_apart_from_its_neighbours(self) -> None:
        assert chunks(f"a\n\n{LAMPS}\n\nb\n\n{LAMPS}", size=90) == ["a", LAMPS, "b", LAMPS]

    def test_tables_that_touch_share_no_chunk(self) -> None:
        text = f"{LAMPS}\n\n{LAMPS}"
        assert chunks(text, size=90, overlap=40) == [LAMPS, LAMPS]

    def test_a_header_larger_than_the_size_is_not_repeated(self) -> None:
        found = cut(LAMPS, size=5)
        assert [chunk.text for chunk in found] == [HEAD, "| L1 | 10 |", "| L2 | 20 |", "| L3 | 30 |"]
        assert [chunk.oversize for chunk in found] == [True, False, False, False]
        assert [chunk.embedded_text for chunk in found] == [chunk.text for chunk in found]

    def test_a_row_larger_than_the_size_is_whole_and_oversize(self) -> None:
        text = "| a |\n|---|\n| one two three four |\n| b |"
        found = cut(text, size=4)
        assert [(chunk.text, chunk.oversize) for chunk in found] == [
            ("| a |\n|---|", False),
            ("| one two three four |", True),
            ("| b |", False),
        ]

    def test_overlap_is_whole_rows(self) -> None:
        assert chunks(LAMPS, size=11, overlap=5)[1:] == [
            "| L1 | 10 |\n| L2 | 20 |",
            "| L2 | 20 |\n| L3 | 30 |",
        ]

    def test_the_text_between_is_cut_into_paragraphs_then_sentences(self) -> None:
        text = f"One is here. Two is here.\n\nThree.\n\n{LAMPS}\nlast row\n\nEnd."
        assert chunks(text, size=4)[:2] == ["One is here.", "Two is here.\n\nThree."]
        assert chunks(text, size=90) == ["One is here. Two is here.\n\nThree.", f"{LAMPS}\nlast row", "End."]


class TestWhereTablesAre:
    def test_in_lists_and_quotes_but_not_in_code(self) -> None:
        quoted = "> | a |\n> |---|\n> | b |"
        listed = "- | c |\n  |---|\n  | d |"
        text = f"{quoted}\n\n```\n| x |\n|---|\n```\n\n{listed}\n"
        assert rows(text) == [["> | a |\n> |---|", "> | b |"], ["- | c |\n  |---|", "  | d |"]]
        assert chunks(text, size=90) == [quoted, "```\n| x |\n|---|\n```", listed]

    def test_raw_html_in_markdown(self) -> None:
        text = "a\n\n<table>\n<tr><th>b</th></tr>\n\n<tr><td>c</td></tr>\n</table>\n\n| d |\n|---|\n| e |\n"
        assert rows(text) == [
            ["<table>\n<tr><th>b</th></tr>", "<tr><td>c</td></tr>\n</table>"],
            ["| d |\n|---|", "| e |"],
        ]
        assert embedded(text, size=3) == ["a", "b", "b\nc", "| d |\n|---|", "| e |"]

    def test_raw_html_that_is_never_closed_is_text(self) -> None:
        assert rows("<table>\n<tr><td>a\n\n# B\n\n</table>\n") == []
        assert rows("---\nx: <table><tr><td>a\n---\n\n<b></table>\n") == []

    def test_html_tables_that_hold_data(self) -> None:
        inner = "<table><tr><td>a</td></tr></table>"
        assert rows(f"<table><tr><td>{inner}</td></tr></table>", HTML) == [
            [f"<table><tr><td>{inner}</td></tr></table>"]
        ]
        assert rows(f"<table><tr><td>x</td></tr><tr><td>{inner}</td></tr></table>", HTML) == [
            [f"<tr><td>{inner}</td></tr></table>"]
        ]
        assert rows("<table><tr><td><h2>a</h2></td></tr></table>", HTML) == []
        assert rows("<table>a</table>", HTML) == []

    def test_rows_of_html_hold_what_stands_between_them(self) -> None:
        text = "<div><table><caption>A</caption>\n<tr><th>b</th></tr>\n<!-- c --><tr><td>d</table></div>"
        assert rows(text, HTML) == [
            ["<div><table><caption>A</caption>\n<tr><th>b</th></tr>", "<!-- c --><tr><td>d</table></div>"]
        ]

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            ("<tr><th>a<th>b<tr><td>c", 1),
            ("<tr><th>a<tr><th>b<tr><th>c<td>d", 2),
            ("<tr><th>a<td>b<tr><td>c", 0),
            ("<thead><tr><td>a<tr><td>b<tbody><tr><td>c", 2),
            ("<tbody><tr><td>a<thead><tr><td>b", 0),
            ("<tr><td>a", 0),
        ],
    )
    def test_the_header_of_html(self, table: str, expected: int) -> None:
        assert heads(f"<table>{table}</table>") == [expected]


class TestHtml:
    TEXT = (
        "<h1>Lamps</h1><p>Prices &amp; more.</p>"
        "<table><caption>All</caption><thead><tr><th>Lamp</th> <th>Watt</th></tr></thead>"
        "\n<tr><td>L1</td> <td>10</td></tr>\n<tr><td>L2</td> <td>20</td></tr></table><p>End"
    )

    def test_header_and_caption_are_repeated_without_tags(self) -> None:
        assert embedded(self.TEXT, HTML, size=3) == [
            "Lamps\nPrices & more.",
            "All\nLamp Watt",
            "All\nLamp Watt\nL1 10",
            "All\nLamp Watt\nL2 20",
            "End",
        ]

    def test_text_and_places_are_those_of_the_source(self) -> None:
        assert chunks(self.TEXT, HTML, size=90) == [
            "<h1>Lamps</h1><p>Prices &amp; more.</p>",
            self.TEXT[self.TEXT.index("<table") : self.TEXT.index("<p>End")],
            "<p>End",
        ]
        assert {chunk.section for chunk in cut(self.TEXT, HTML, size=90)} == {("Lamps",)}

    def test_an_element_that_holds_a_table_is_taken_apart(self) -> None:
        table = "<li><table><tr><td>c</table></li></ul>"
        assert chunks(f"<ul><li>a</li><li>b</li>{table}", HTML, size=90) == [
            "<ul><li>a</li><li>b</li>",
            table,
        ]

    def test_a_chunk_of_two_headings_is_of_the_last(self) -> None:
        (chunk,) = cut("<h1>A</h1><h2>B</h2>c", HTML, size=9)
        assert chunk.section == ("A", "B")

    def test_white_space_before_the_first_table(self) -> None:
        assert chunks("\n <table><tr><td>a</table>", HTML, size=9) == [" <table><tr><td>a</table>"]

    def test_rows_without_anything_to_see_embed_their_source(self) -> None:
        text = "<table><tr><th>a</th></tr> <tr><td><img></td></tr></table>"
        assert embedded(text, HTML, size=1) == ["a", "a\n<tr><td><img></td></tr></table>"]


class TestSeparatedValues:
    def test_records_under_the_first(self) -> None:
        text = "lamp,watt\r\nL1,10\r\nL2,20\r\n"
        assert chunks(text, CSV, unit="characters", size=16) == ["lamp,watt\r\nL1,10", "L2,20"]
        assert embedded(text, CSV, unit="characters", size=16) == ["lamp,watt\r\nL1,10", "lamp,watt\nL2,20"]

    @pytest.mark.parametrize(
        ("text", "media_type", "expected"),
        [
            ('a,b\n"c\n\n""d""\n",e\nf,g', CSV, ["a,b", '"c\n\n""d""\n",e', "f,g"]),
            ('a;b\n"c\n";d', CSV, ["a;b", '"c\n";d']),
            ('a\tb\nc\t"d\ne"', TSV, ["a\tb", 'c\t"d\ne"']),
            ('a,b\n5" pipe,6"\nc,d', CSV, ["a,b", '5" pipe,6"', "c,d"]),
            ('a,b\n"c,d\ne,f', CSV, ["a,b", '"c,d', "e,f"]),
            ("a\n\n \nb\rc", CSV, ["a", "b", "c"]),
            ('a,"b,c', CSV, ['a,"b,c']),
        ],
    )
    def test_quotes_and_delimiters(self, text: str, media_type: str, expected: list[str]) -> None:
        assert rows(text, media_type) == [expected]

    def test_a_comma_in_a_file_of_tabs_is_text(self) -> None:
        assert rows('a,"b\nc",d\te', TSV) == [['a,"b', 'c",d\te']]


VALUES = st.lists(
    st.sampled_from([",", ";", "\t", '"', '""', "\n", "\r\n", "a", " b ", "é🦉"]), max_size=30
).map("".join)


class TestLaws:
    @settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        st.one_of(
            st.tuples(sources, st.sampled_from([HTML, MARKDOWN])),
            st.tuples(VALUES, st.sampled_from([CSV, TSV])),
        ),
        st.integers(1, 40),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(["words", "characters", "cl100k_base", "embedder"]),
    )
    def test_any_source(
        self, tools: Tools, source: tuple[str, str], size: int, share: float, unit: str
    ) -> None:
        text, media_type = source
        document = Document("one", text, media_type=media_type)
        tables = tables_in(document)
        found = check(document, Table(size=size, overlap=int(size * share), unit=unit), tools)
        borders = {place for chunk in found for place in (chunk.start, chunk.end)}
        for table in tables:
            assert {table.start, table.end} <= borders
            for start, end in table.rows[table.heads :]:
                assert not any(start < place < end for place in borders)
        for chunk in found:
            inside = any(table.start <= chunk.start < table.end for table in tables)
            assert not chunk.oversize or len(chunk.text) == 1 or inside
            assert inside or media_type == HTML or chunk.embedded_text == chunk.text

    @pytest.mark.parametrize(
        ("part", "media_type"),
        [
            *((part, HTML) for part in ENDLESS if "<t" in part),
            *((part, HTML) for part in ("<table><tr><td>a</table>", "<tr>a</tr>", "<h2>a</h2><table><tr>")),
            *((part, MARKDOWN) for part in ("<table>\n\n", "<table>\n<tr>\n\n", "<table></table>\n\n")),
            *((part, MARKDOWN) for part in ("|", "|a", "|\n", "| a |\n|-|\n| b |\n\n", "> |a|\n> |-|\n")),
        ],
    )
    def test_time_is_linear(self, part: str, media_type: str) -> None:
        strategy = Table(size=64, overlap=16)

        def work(characters: int) -> None:
            split(
                Document("a", part * (characters // len(part)) + ".", media_type=media_type),
                strategy,
                Tools(),
            )

        assert grows_linearly(work, 2_000)

    @pytest.mark.parametrize("part", ['"', '""', '"a', ',"', ',""', ',"""', '"\n', ',"a""', "a,", "\n", "a"])
    def test_time_is_linear_on_separated_values(self, part: str) -> None:
        def work(characters: int) -> None:
            tables_in(Document("a", part * (characters // len(part)), media_type=CSV))
            tables_in(Document("a", '"' + part * (characters // len(part)), media_type=CSV))

        assert grows_linearly(work, 20_000)
