"""HTML sources: tags as browsers read them, the blocks of a page, its headings, what a reader sees."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from linear import grows_linearly
from mangled import ENDLESS, sources

from strategies.document import Document
from strategies.markup.html_source import HtmlSource
from strategies.markup.html_tokens import decoded, tokens
from strategies.outline import outline


def read(text: str) -> list[tuple[str, str]]:
    return [(token.kind, text[token.start : token.end]) for token in tokens(text)]


def leaves(text: str) -> list[str]:
    return [text[leaf.start : leaf.end] for leaf in HtmlSource(text).leaves]


def groups(text: str) -> dict[str, list[str]]:
    source = HtmlSource(text)
    found: dict[str, list[str]] = {}
    for group in source.groups:
        start, end = source.range(group)
        found.setdefault(group.name, []).append(text[start:end])
    return found


def shown(text: str) -> str:
    return HtmlSource(text).visible(0, len(text))


class TestTokens:
    @pytest.mark.parametrize(
        "tag",
        [
            "<p>",
            "<P\n class = x >",
            "<a title='>'>",
            '<a title=">" b>',
            "<a b=c'>",
            "<a b='c'd>",
            "<a =x>",
            "<x-y:z/>",
            "<p / q>",
        ],
    )
    def test_a_tag_ends_outside_of_quotes(self, tag: str) -> None:
        assert read(f"{tag}six") == [("open", tag), ("text", "six")]

    @pytest.mark.parametrize("text", ["a < b", "1<2", "<", "<<", "< p>", "a <", "<é>"])
    def test_what_is_no_tag_is_text(self, text: str) -> None:
        assert read(text) == [("text", text)]

    @pytest.mark.parametrize(
        "comment",
        ["<!-- <p> -->", "<!-->", "<!--->", "<!-- a --!>", "<!DOCTYPE html>", "<?x y?>", "</ x>", "</>"],
    )
    def test_comments_and_what_browsers_take_for_such(self, comment: str) -> None:
        assert read(f"{comment}six") == [("comment", comment), ("text", "six")]

    def test_a_comment_that_is_never_closed_hides_the_rest(self) -> None:
        assert read("six<!-- a <p> b") == [("text", "six"), ("comment", "<!-- a <p> b")]

    def test_a_tag_that_is_never_closed_is_text_and_hides_nothing(self) -> None:
        assert read("<p>six <b and <i>seven</i>") == [
            ("open", "<p>"),
            ("text", "six "),
            ("open", "<b and <i>"),  # as browsers read it
            ("text", "seven"),
            ("close", "</i>"),
        ]
        assert read("six <b and <i b='>seven</i") == [
            ("text", "six "),
            ("open", "<b and <i b='>"),
            ("text", "seven</i"),
        ]
        assert read('six <a b="<p>seven</p>"') == [
            ("text", 'six <a b="'),
            ("open", "<p>"),
            ("text", "seven"),
            ("close", "</p>"),
            ("text", '"'),
        ]

    def test_scripts_run_to_their_own_end(self) -> None:
        text = "<script>if (a<b) '</p>'</SCRIPT >six"
        assert read(text)[1:] == [("raw", "if (a<b) '</p>'"), ("close", "</SCRIPT >"), ("text", "six")]
        assert read("<style>p</styles></style>")[1] == ("raw", "p</styles>")
        assert read("<script>six")[1:] == [("raw", "six")]
        assert read("<script src='a'/>six")[1:] == [("text", "six")]

    def test_titles_hold_no_tags(self) -> None:
        assert read("<title>a <b> &amp; c</title>")[1] == ("text", "a <b> &amp; c")

    def test_cdata(self) -> None:
        assert read("<![CDATA[a <b> ]] c]]>d") == [("cdata", "<![CDATA[a <b> ]] c]]>"), ("text", "d")]

    def test_references_of_any_length(self) -> None:
        assert decoded("&lt;&#65;&#x42;&nosuch;&copy") == "<AB&nosuch;©"
        assert decoded("&#" + "0" * 6000 + "65;&#" + "9" * 6000 + ";") == "A\ufffd"

    @given(sources)
    def test_they_join_to_the_text(self, text: str) -> None:
        found = list(tokens(text))
        assert all(token.start < token.end for token in found)
        assert "".join(text[token.start : token.end] for token in found) == text


class TestLeaves:
    def test_tags_stay_with_the_text_next_to_them(self) -> None:
        text = "<div><section><p>a</p></section>b<ul><li>c<li>d</ul></div>"
        assert leaves(text) == ["<div><section><p>a</p></section>", "b", "<ul><li>c", "<li>d</ul></div>"]

    def test_inline_tags_and_comments_before_a_block_belong_to_it(self) -> None:
        text = "<p>a <b>b</b></p>\n<!-- c --><a href=x><div>d</div></a>"
        assert leaves(text) == ["<p>a <b>b</b></p>\n", "<!-- c --><a href=x><div>d</div></a>"]

    def test_a_term_stays_with_what_explains_it(self) -> None:
        assert leaves("<dl><dt>a</dt><dd>b</dd><dt>c<dt>d<dd>e<dd>f</dl>") == [
            "<dl><dt>a</dt><dd>b</dd>",
            "<dt>c<dt>d<dd>e",
            "<dd>f</dl>",
        ]
        assert leaves("<dl><dt>a</dt></dl><dd>b") == ["<dl><dt>a</dt></dl>", "<dd>b"]

    def test_a_rule_stands_alone(self) -> None:
        assert leaves("a<hr>b<hr><p>c") == ["a", "<hr>", "b", "<hr>", "<p>c"]

    def test_kinds(self) -> None:
        text = "<h1>a</h1><script>b</script><pre>c</pre><p>d"
        assert [leaf.kind for leaf in HtmlSource(text).leaves] == ["heading", "raw", "code", "text"]

    @given(sources)
    def test_they_join_and_groups_are_nested_or_apart(self, text: str) -> None:
        source = HtmlSource(text)
        assert bool(source.leaves) == bool(text.strip())
        assert "".join(text[leaf.start : leaf.end] for leaf in source.leaves) == text or not text.strip()
        for one, two in pairwise(source.leaves):
            assert one.end == two.start
        assert all(text[leaf.start : leaf.end].strip() for leaf in source.leaves)
        stack: list[int] = []
        for one, two in pairwise(source.groups):
            assert one.first <= two.first
        for group in source.groups:
            assert 0 <= group.first <= group.last < len(source.leaves)
            while stack and stack[-1] < group.first:
                stack.pop()
            assert not stack or group.last <= stack[-1]
            stack.append(group.last)


class TestGroups:
    def test_end_tags_may_be_left_out(self) -> None:
        found = groups("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e")
        assert found["ul"] == ["<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "<ul><li>c</ul>"]
        assert found["li"] == ["<ul><li>a", "<li>b<ul><li>c</ul>", "<ul><li>c</ul>", "<li>d</ul>"]

    def test_one_without_text_ends_where_the_next_opens(self) -> None:
        assert groups("<ul><li><li>a</ul>")["li"] == ["<ul><li>", "<li>a</ul>"]
        assert groups("<table><tr><td><tr><td>a</table>")["tr"] == ["<table><tr><td>", "<tr><td>a</table>"]

    def test_rows_and_cells(self) -> None:
        found = groups("<table><thead><tr><th>a<th>b<tbody><tr><td>c<td>d<tr><td>e</table><p>f")
        assert found["thead"] == ["<table><thead><tr><th>a<th>b"]
        assert found["tr"] == ["<table><thead><tr><th>a<th>b", "<tbody><tr><td>c<td>d", "<tr><td>e</table>"]
        assert found["td"] == ["<tbody><tr><td>c", "<td>d", "<tr><td>e</table>"]

    def test_a_table_in_a_cell_ends_nothing_outside(self) -> None:
        found = groups("<table><tr><td><ul><li>a<table><tr><td>b</ul></table>c</td><td>d</table>")
        assert found["table"][0].endswith("<td>d</table>")
        assert found["table"][1] == "<table><tr><td>b</ul></table>"
        assert found["ul"] == ["<table><tr><td><ul><li>a<table><tr><td>b</ul></table>c</td>"]

    def test_stray_end_tags_end_nothing(self) -> None:
        assert groups("<ul><li>a</ol></table></td><li>b</ul>")["ul"] == [
            "<ul><li>a</ol></table></td><li>b</ul>"
        ]


class TestHeadings:
    def test_words_as_a_reader_sees_them(self) -> None:
        (mark,) = HtmlSource("<h3 id='a'>R&amp;D\n <b>at</b><br>six</h3>").headings()
        assert (mark.label, mark.level, mark.start) == ("R&D at six", 3, 0)

    def test_tags_on_that_open_before_it_belong_to_its_section(self) -> None:
        text = "<p>a</p><section><header><h2>B</h2></header><p>c</p></section>"
        (mark,) = HtmlSource(text).headings()
        assert (mark.label, mark.start) == ("B", 8)

    def test_those_in_quotes_comments_and_scripts_are_none(self) -> None:
        text = (
            "<h1>A</h1><blockquote><h1>no</h1></blockquote><!-- <h1>no</h1> --><script><h1>no</h1></script>"
        )
        assert [mark.label for mark in HtmlSource(text).headings()] == ["A"]

    @pytest.mark.parametrize("end", ["</h2>", "</h1>", "", "\n"])
    def test_one_that_is_not_closed_ends_at_the_next_block(self, end: str) -> None:
        text = f"<h2>A{end}<p>b</p><h2>C</h2>"
        assert [(mark.label, mark.level) for mark in HtmlSource(text).headings()] == [("A", 2), ("C", 2)]
        assert [mark.label for mark in HtmlSource(f"<h2>A{end}<p>b</p>c").headings()] == ["A"]

    def test_blocks_in_a_heading(self) -> None:
        assert [mark.label for mark in HtmlSource("<h1><div>A</div><p>B</p></h1>").headings()] == ["A B"]

    @pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml"])
    def test_the_outline_of_a_document(self, media_type: str) -> None:
        text = "<h1>A</h1><p>a</p><h3>B</h3><p>b</p><h2>C</h2><p>c</p>"
        found = outline(Document("a.html", text, media_type=media_type))
        assert [found.section(text.index(f"<p>{letter}")) for letter in "abc"] == [
            ("A",),
            ("A", "B"),
            ("A", "C"),
        ]
        assert outline(Document("a.txt", text)).section(len(text)) == ()


class TestVisibleText:
    def test_a_line_for_each_block(self) -> None:
        assert shown("<p>a\n <i>b</i>c</p>\n\n<ul><li>d<br>e</li></ul> f") == "a bc\nd\ne\nf"

    def test_a_space_between_cells_and_a_line_for_each_row(self) -> None:
        assert shown("<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>") == "a b\nc d"

    def test_preformatted_text_keeps_its_white_space(self) -> None:
        assert shown("<p>a  b</p><pre>c\n   <b>d</b>  e</pre>f") == "a b\nc\n   d  e\nf"

    def test_scripts_styles_and_comments_are_not_seen(self) -> None:
        assert shown("a<script>b</script><style>c</style><!-- d --><?e?>f") == "a\nf"

    def test_of_a_range_that_begins_and_ends_within_tokens(self) -> None:
        text = "<p>one two</p><pre>three\n  four</pre><![CDATA[five]]>"
        source = HtmlSource(text)
        assert source.visible(text.index("ne"), text.index(" four")) == "ne two\nthree"
        assert source.visible(text.index(" four"), text.index("ve]]>")) == "four\nfi"
        assert source.visible(1, 3) == ""

    def test_cdata_is_shown_as_it_is(self) -> None:
        assert shown("<![CDATA[a <b> &amp;]]> c") == "a <b> &amp; c"


@pytest.mark.parametrize("part", ENDLESS)
def test_time_is_linear(part: str) -> None:
    def work(size: int) -> None:
        source = HtmlSource(part * (size // len(part)))
        source.headings()
        source.visible(0, size)
        _ = source.atoms, source.masked

    assert grows_linearly(work, 10_000)
