"""HTML: sections, what stays whole, where the rest is cut, what is embedded, and that nothing is lost."""

from __future__ import annotations

import re
from html import escape

import pytest
from contract import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linear import grows_linearly
from mangled import ENDLESS, sources

from strategies.document import Chunk, Document
from strategies.html import Html
from strategies.markup.html_tokens import tokens
from strategies.modifiers import Modifiers
from strategies.sentence import Sentence
from strategies.splitting import split
from strategies.tools import Tools

TOOLS = Tools()


def html(text: str, media_type: str = "text/html") -> Document:
    return Document("one.html", text, media_type=media_type)


def cut(text: str, unit: str = "words", **parameters: object) -> tuple[Chunk, ...]:
    return check(html(text), Html(unit=unit, **parameters), TOOLS)


def chunks(text: str, unit: str = "words", **parameters: object) -> list[str]:
    return [chunk.text for chunk in cut(text, unit, **parameters)]


def embedded(text: str, unit: str = "words", **parameters: object) -> list[str]:
    return [chunk.embedded_text for chunk in cut(text, unit, **parameters)]


def sections(text: str, **parameters: object) -> list[str]:
    return [" > ".join(chunk.section) for chunk in cut(text, **parameters)]


class TestSections:
    PAGE = (
        "<body><h1>Gate</h1><p>a</p><section>\n<h2>Day &amp; <i>night</i></h2><p>b</p></section>"
        "<h1>Wall</h1>c"
    )

    def test_a_chunk_never_crosses_a_heading(self) -> None:
        assert chunks(self.PAGE, size=90) == [
            "<body><h1>Gate</h1><p>a</p>",
            "<section>\n<h2>Day &amp; <i>night</i></h2><p>b</p></section>",
            "<h1>Wall</h1>c",
        ]
        assert sections(self.PAGE, size=90) == ["Gate", "Gate > Day & night", "Wall"]

    def test_nor_where_an_element_holds_it(self) -> None:
        text = "<ul><li>a</li><li><h2>B</h2>b</li></ul>"
        assert chunks(text, size=90) == ["<ul><li>a</li>", "<li><h2>B</h2>b</li></ul>"]

    def test_another_media_type_is_read_as_html_where_asked(self) -> None:
        found = check(html(self.PAGE, "text/plain"), Html(size=90, unit="words"), TOOLS)
        assert [chunk.section for chunk in found] == [("Gate",), ("Gate", "Day & night"), ("Wall",)]

    def test_every_strategy_knows_them(self) -> None:
        text = "<p>a.</p>\n\n<h1>Gate</h1>\n\n<p>b.</p>\n\n<h2>Day</h2>\n\nc"
        found = split(html(text), Sentence(size=1, unit="words"), TOOLS)
        assert [chunk.section for chunk in found] == [(), ("Gate",), ("Gate",), *[("Gate", "Day")] * 2]

    def test_the_line_of_headings_stands_before_visible_text(self) -> None:
        found = split(html(self.PAGE), Html(size=90, unit="words"), TOOLS, Modifiers(headings="section"))
        assert found[1].embedded_text == "[Section: Gate > Day & night]\nDay & night\nb"

    def test_one_without_text_stays_with_the_next_where_that_fits(self) -> None:
        text = "<h1>A</h1> <h2>B</h2> <p>four words of text</p>"
        assert chunks(text, size=6) == [text]
        assert sections(text, size=6) == ["A > B"]
        assert chunks(text, size=5) == ["<h1>A</h1>", "<h2>B</h2> <p>four words of text</p>"]

    def test_a_paragraph_is_cut_rather_than_leave_its_heading_alone(self) -> None:
        assert chunks("<h1>A</h1> <p>One is here. Two is here.</p>", size=5) == [
            "<h1>A</h1> <p>One is here.",
            "Two is here.</p>",
        ]

    def test_a_list_too(self) -> None:
        assert chunks("<h1>A</h1> <ul><li>one two</li> <li>three</li></ul>", size=3) == [
            "<h1>A</h1> <ul><li>one two</li>",
            "<li>three</li></ul>",
        ]

    def test_one_above_the_size_is_cut_at_words(self) -> None:
        text = "<h1>one two three</h1><p>four</p>"
        assert chunks(text, size=2) == ["<h1>one two", "three</h1><p>four</p>"]


class TestWhole:
    TABLE = "<table><tr><th>Lamp</th> <th>Watt</th></tr> <tr><td>L1</td> <td>10</td></tr></table>"

    def test_a_table_that_fits(self) -> None:
        assert chunks(f"<p>one two</p> {self.TABLE}", size=6) == [f"<p>one two</p> {self.TABLE}"]
        assert chunks(f"<p>one two</p> {self.TABLE}", size=5) == ["<p>one two</p>", self.TABLE]

    def test_then_its_rows(self) -> None:
        assert chunks(self.TABLE, size=3) == [
            "<table><tr><th>Lamp</th> <th>Watt</th></tr>",
            "<tr><td>L1</td> <td>10</td></tr></table>",
        ]

    def test_then_its_cells(self) -> None:
        assert chunks("<table><tr><td>one two</td> <td>three four</td></table>", size=3) == [
            "<table><tr><td>one two</td>",
            "<td>three four</td></table>",
        ]

    def test_lists_then_items_then_what_is_in_them(self) -> None:
        inner = "<ul><li>three</li> <li>four five</li></ul>"
        text = f"<ul><li>one two</li> <li>{inner}</li></ul>"
        assert chunks(text, size=5) == [text]
        assert chunks(text, size=4) == ["<ul><li>one two</li>", f"<li>{inner}</li></ul>"]
        assert chunks(text, size=2) == [
            "<ul><li>one two</li>",
            "<li><ul><li>three</li>",
            "<li>four five</li></ul></li></ul>",
        ]

    def test_preformatted_text_then_its_lines(self) -> None:
        code = "<pre>a = 1\n  b  =  2\nc</pre>"
        assert chunks(f"<p>one</p> {code}", size=7) == ["<p>one</p>", code]
        assert chunks(code, size=4) == ["<pre>a = 1", "  b  =  2\nc</pre>"]

    def test_a_term_with_what_explains_it(self) -> None:
        assert chunks("<dl><dt>a</dt> <dd>b</dd> <dt>c</dt> <dd>d</dd></dl>", size=3) == [
            "<dl><dt>a</dt> <dd>b</dd>",
            "<dt>c</dt> <dd>d</dd></dl>",
        ]

    def test_overlap_is_whole_elements_of_the_same_section(self) -> None:
        text = "<p>a</p> <p>b b</p> <p>c</p> <h1>D</h1> <p>e</p>"
        assert chunks(text, size=3, overlap=2) == [
            "<p>a</p> <p>b b</p>",
            "<p>b b</p> <p>c</p>",
            "<h1>D</h1> <p>e</p>",
        ]


class TestCuts:
    def test_sentences_as_a_reader_sees_them(self) -> None:
        text = "<p>Dr. <b>Ames</b> pays.</b> <a href='x. Y'><i>Who</i></a> is he? Nobody.</p>"
        assert chunks(text, size=5) == [
            "<p>Dr. <b>Ames</b> pays.</b>",
            "<a href='x. Y'><i>Who</i></a> is he?",
            "Nobody.</p>",
        ]
        assert chunks(text, size=6)[0] == "<p>Dr. <b>Ames</b> pays.</b>"

    def test_lines_end_at_br(self) -> None:
        assert chunks("<p>one two<br>three four<br/>five six</p>", size=2) == [
            "<p>one two<br>",
            "three four<br/>",
            "five six</p>",
        ]

    def test_two_of_them_end_a_sentence(self) -> None:
        assert chunks("one, two<br> <br>three, four five", size=4) == [
            "one, two<br> <br>",
            "three, four five",
        ]

    def test_words_but_not_within_tags(self) -> None:
        text = "<p>one <a href='b c d'>two</a> three</p>"
        assert chunks(text, size=4) == ["<p>one", "<a href='b c d'>two</a>", "three</p>"]

    def test_characters_but_not_within_references(self) -> None:
        assert chunks("ab&amp;cd&lt;<b>e</b>", "characters", size=6) == [
            "ab",
            "&amp;c",
            "d&lt;",
            "<b>e",
            "</b>",
        ]

    def test_a_tag_that_is_larger_than_the_size(self) -> None:
        text = "<img alt='one two three four'>five"
        assert chunks(text, size=2) == ["<img alt='one", "two three", "four'>five"]

    def test_a_long_comment_at_line_ends(self) -> None:
        assert chunks("<!-- one two\nthree four -->", size=3) == ["<!-- one two", "three four -->"]

    def test_scripts_at_line_ends(self) -> None:
        text = "<script>a = '<p>'\nb = 2</script>"
        assert chunks(text, size=3) == ["<script>a = '<p>'", "b = 2</script>"]

    def test_a_script_but_not_within_its_tag(self) -> None:
        assert chunks("<p><style>abcdefghij", "characters", size=7) == ["<p>", "<style>", "abcdefg", "hij"]

    @settings(max_examples=300)
    @given(sources, st.integers(1, 60))
    def test_a_tag_that_fits_is_never_cut(self, text: str, size: int) -> None:
        borders = {
            place for chunk in cut(text, "characters", size=size) for place in (chunk.start, chunk.end)
        }
        for token in tokens(text):
            tag = text[token.start : token.end].rstrip()
            if token.kind in ("open", "close", "comment") and len(tag) <= size:
                assert not borders & set(range(token.start + 1, token.start + len(tag))), tag


class TestEmbeddedText:
    def test_what_a_reader_sees(self) -> None:
        text = "<p class='x'>R&amp;D is\n <b>here</b>.</p><ul><li>a</li></ul>"
        assert embedded(text, size=9) == ["R&D is here.\na"]
        assert embedded(text, size=9, embed="source") == [text]

    def test_the_source_where_there_is_nothing_to_see(self) -> None:
        text = "<script>a</script> <p>b</p>"
        assert embedded(text, size=1) == ["<script>a</script>", "b"]

    def test_half_a_tag_is_not_seen(self) -> None:
        text = "<img alt='one two'>three"
        assert embedded(text, size=2) == ["<img alt='one", "three"]


class TestLaws:
    @settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        sources,
        st.integers(1, 40),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(["words", "characters", "cl100k_base", "embedder"]),
        st.sampled_from(["text", "source"]),
        st.sampled_from(["text/html", "text/plain"]),
    )
    def test_any_source(
        self, tools: Tools, text: str, size: int, share: float, unit: str, embed: str, media_type: str
    ) -> None:
        strategy = Html(size=size, overlap=int(size * share), unit=unit, embed=embed)
        found = check(html(text, media_type), strategy, tools)
        for chunk in found:
            assert not chunk.oversize or len(chunk.text) == 1
            assert embed == "text" or chunk.embedded_text == chunk.text

    @given(st.text("ab .&\n", max_size=60), st.integers(3, 9))
    def test_all_that_a_reader_sees_is_embedded_once(self, text: str, size: int) -> None:
        source = re.sub(r"\S+", lambda word: f"<i title='c d'>{escape(word[0])}</i>", text)
        assert "".join("".join(embedded(source, size=size)).split()) == "".join(text.split())

    @pytest.mark.parametrize("part", ENDLESS)
    def test_time_is_linear(self, part: str) -> None:
        strategy = Html(size=64, overlap=16)

        def work(characters: int) -> None:
            split(html(part * (characters // len(part)) + "."), strategy, Tools())

        assert grows_linearly(work, 2_000)

    @pytest.mark.parametrize(
        "part", ["<div>", "<ul><li>a ", "<table><tr><td>a<p>b ", "<blockquote>\n", "<b>a"]
    )
    def test_elements_in_one_another_need_no_recursion(self, part: str) -> None:
        source = part * 8_000
        found = split(html(source), Html(size=40_000, unit="characters"), TOOLS)
        assert (found[0].start, found[-1].end) == (0, len(source.rstrip()))
