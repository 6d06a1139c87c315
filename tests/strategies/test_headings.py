"""Headings: found where CommonMark has them, at their place in the untouched text, and said once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import grows_linearly

from strategies.document import Document, Mark
from strategies.modifiers.headings import heading_line
from strategies.outline import front_matter_end, markdown_blocks, markdown_headings, outline


def labels(text: str) -> list[tuple[int, str]]:
    return [(mark.level, mark.label) for mark in markdown_headings(text)]


class TestMarkdown:
    def test_both_styles(self) -> None:
        assert labels("# One #\n\nTwo\nlines\n===\n\nThree\n---\n\n###### Six\n") == [
            (1, "One"),
            (1, "Two lines"),
            (2, "Three"),
            (6, "Six"),
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "#no space",
            "####### seven",
            "    # indented code",
            "```sh\n# comment\n```",
            "~~~\n# comment\n~~~",
            "````md\n```\n# one\n```\n# two\n````",
            "```\n~~~\n# one\n",  # never closed
            "<div>\n# html\n</div>",
            "> # quoted",
            "- # in a list",
            "\\# escaped",
            "| a |\n|---|\n| # b |",
        ],
    )
    def test_no_heading(self, text: str) -> None:
        assert labels(text) == []

    def test_a_longer_fence_hides_what_looks_like_its_end(self) -> None:
        text = "# Wash\n\n~~~~\n~~~\n# first\n~~~\n# second\n~~~~\n\n## Dry\n\nHang it up.\n"
        assert labels(text) == [(1, "Wash"), (2, "Dry")]

    def test_words_without_their_marks(self) -> None:
        text = "# The *new* `PUT` [call](http://x.y/z) ![logo](l.png) &amp; more\\!\n"
        assert labels(text) == [(1, "The new PUT call logo & more!")]

    def test_reference_links(self) -> None:
        assert labels("# See [the call]\n\n[the call]: /call\n") == [(1, "See the call")]

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_positions_are_those_of_the_untouched_text(self, line_end: str) -> None:
        lines = ["---", "title: Gate", "---", "", "\u2028# no", "# One \x85\u2028\x00", "", "Two", "==="]
        text = line_end.join(lines)
        found = [(text[mark.start :].split(line_end)[0], mark.label) for mark in markdown_headings(text)]
        assert found == [("# One \x85\u2028\x00", "One \ufffd"), ("Two", "Two")]

    @given(
        st.lists(
            st.sampled_from(["# a\n", "b\n", "===\n", "\r\n", "\r", "```\n", "> # c\n", "---\n", "\u2028"])
        )
    )
    def test_starts_are_lines(self, parts: list[str]) -> None:
        text = "".join(parts)
        _, starts = markdown_blocks(text)
        assert starts == sorted(set(starts))
        assert starts[0] == 0
        assert starts[-1] == len(text)
        for mark in markdown_headings(text):
            assert mark.start in starts

    def test_linear(self) -> None:
        part = "# Gate\n\nThe code *changes* on Monday.\n\n```\n# no\n```\n\n"
        assert grows_linearly(lambda copies: markdown_headings(part * copies), 200)


class TestFrontMatter:
    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    def test_it_is_no_heading(self, line_end: str) -> None:
        # CommonMark alone would read `title: Gate` as the heading above a line of hyphens.
        text = line_end.join(["---", "title: Gate", "# no: 1", "---", "# Gate", ""])
        assert labels(text) == [(1, "Gate")]
        assert text[front_matter_end(text) :].startswith("# Gate")

    @pytest.mark.parametrize("text", ["---\ntitle: x\n...\n", "---\na: 1\n---", "---\n---\n"])
    def test_it_ends(self, text: str) -> None:
        assert front_matter_end(text) == len(text)

    @pytest.mark.parametrize(
        "text", ["---\n\na\n\n---\n", "---\na: 1\n", "\n---\na: 1\n---\n", "----\na\n----\n", ""]
    )
    def test_it_is_not_there(self, text: str) -> None:
        assert front_matter_end(text) == 0


class TestOutline:
    def test_paths(self) -> None:
        text = "intro\n# A\n## B\n#### D\n## C\n# E\nend"
        found = outline(Document("d.md", text, media_type="text/markdown"))
        assert found.section(0) == ()
        assert [found.section(text.index(letter)) for letter in "ABDCE"] == [
            ("A",),
            ("A", "B"),
            ("A", "B", "D"),
            ("A", "C"),
            ("E",),
        ]
        assert found.section(len(text)) == ("E",)
        assert found.section(text.index("## B") - 1) == ("A",)
        assert found.section(text.index("## B")) == ("A", "B")

    def test_an_empty_heading_ends_a_section_without_a_name(self) -> None:
        text = "# A\n## B\n#\nend"
        assert outline(Document("d.md", text, media_type="text/markdown")).section(len(text)) == ()

    def test_plain_text_has_no_headings(self) -> None:
        assert outline(Document("d.txt", "# A\n")).section(2) == ()

    def test_marks(self) -> None:
        marks = (
            Mark("page", 20, "2"),
            Mark("heading", 5, "A"),
            Mark("page", 0, "1"),
            Mark("heading", 9, "B", 2),
        )
        found = outline(Document("d.pdf", "x" * 30, marks=marks))
        assert [found.section(position) for position in (4, 5, 9, 29)] == [(), ("A",), ("A", "B"), ("A", "B")]
        assert [found.page(position) for position in (0, 19, 20)] == ["1", "1", "2"]
        assert outline(Document("d.txt", "x")).page(0) is None


class TestHeadingLine:
    POLICY = Document("policies/security.md", "", {"title": "Security Policy"})

    def test_document_and_section(self) -> None:
        path = ("Access", "MFA Requirements")
        assert heading_line(self.POLICY, path, "none") == ""
        assert heading_line(self.POLICY, path, "section") == "[Section: Access > MFA Requirements]\n"
        assert (
            heading_line(self.POLICY, path, "document")
            == "[Document: Security Policy > Section: Access > MFA Requirements]\n"
        )

    def test_without_a_section(self) -> None:
        assert heading_line(self.POLICY, (), "section") == ""
        assert heading_line(self.POLICY, (), "document") == "[Document: Security Policy]\n"

    def test_the_id_stands_in_for_a_title(self) -> None:
        assert heading_line(Document("a/b.md", ""), ("C",), "document") == "[Document: a/b.md > Section: C]\n"

    def test_a_first_heading_that_repeats_the_title_is_said_once(self) -> None:
        line = heading_line(self.POLICY, ("security  policy", "MFA"), "document")
        assert line == "[Document: Security Policy > Section: MFA]\n"
        assert heading_line(self.POLICY, ("Security Policy",), "document") == "[Document: Security Policy]\n"

    def test_it_is_one_line(self) -> None:
        document = Document("d", "", {"title": "Two\nlines"})
        assert heading_line(document, ("A\r\nB",), "document") == "[Document: Two lines > Section: A B]\n"
