"""Markdown: sections, what stays whole, where the rest is cut, and that nothing is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies.document import Document
from strategies.errors import BadInput
from strategies.markdown import Markdown
from strategies.markup.markdown_blocks import Block, blocks_of
from strategies.paragraph import Paragraph
from strategies.strategy import Cut
from strategies.tools import Tools
from strategies.units.counting import counter_of

TOOLS = Tools()


def cuts(text: str, **parameters: object) -> list[Cut]:
    return list(Markdown(**parameters).cuts(Document("one.md", text), TOOLS))


def chunks(text: str, unit: str = "words", **parameters: object) -> list[str]:
    return [text[cut.start : cut.end] for cut in cuts(text, unit=unit, **parameters)]


def sections(text: str, unit: str = "words", **parameters: object) -> list[str]:
    return [" > ".join(cut.section or ()) for cut in cuts(text, unit=unit, **parameters)]


FENCES = "# Pump\n\n````md\n```sh\n# prime it\n```\n# drain it\n````\n\n## Care\n\nOil it twice a year.\n"
TABLE = "| Lamp | Watt |\n|------|------|\n" + "".join(f"| L{n} | {n * 10} |\n" for n in range(1, 7))


class TestSections:
    def test_fences_within_fences_hold_no_headings(self) -> None:
        assert sections(FENCES, size=40) == ["Pump", "Pump > Care"]
        first = chunks(FENCES, size=40)[0]
        assert first.startswith("# Pump")
        assert first.endswith("````")

    @pytest.mark.parametrize("fence", ["```", "`````", "~~~", "~~~~~"])
    def test_fences_of_any_mark(self, fence: str) -> None:
        text = f"# A\n\n{fence}\n# no\n{fence}\n\n# B\n\ntext\n"
        assert sections(text, size=40) == ["A", "B"]

    def test_a_fence_closes_only_on_its_own_mark(self) -> None:
        text = "# A\n\n~~~\n```\n# no\n~~\n# no\n~~~~\n\n# B\n\ntext\n"
        assert sections(text, size=40) == ["A", "B"]

    def test_a_fence_that_never_closes_holds_the_rest(self) -> None:
        assert sections("# A\n\n```\n# no\n\n# no\n", size=40) == ["A"]

    def test_indented_code_quotes_and_html_hold_no_headings(self) -> None:
        text = "# A\n\n    # no\n\n> # no\n\n<div>\n# no\n</div>\n\n- # no\n"
        assert sections(text, size=40) == ["A"]

    def test_underlined_headings(self) -> None:
        assert sections("Pump\n====\n\nold\n\nCare\n----\n\noil it\n", size=9) == ["Pump", "Pump > Care"]

    def test_levels_open_and_close_paths(self) -> None:
        text = "# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd\n"
        assert sections(text, size=40) == ["A", "A > B", "A > C", "D"]

    def test_text_before_the_first_heading_has_no_section(self) -> None:
        assert sections("lead\n\n# A\n\na\n", size=40) == ["", "A"]

    def test_front_matter_is_a_block_without_heading_meaning(self) -> None:
        text = "---\ntitle: Gate\n# note: x\n---\n\n# Gate\n\nOpens at six.\n"
        assert chunks(text, size=40) == ["---\ntitle: Gate\n# note: x\n---", "# Gate\n\nOpens at six."]
        assert sections(text, size=40) == ["", "Gate"]

    def test_the_media_type_does_not_matter(self) -> None:
        document = Document("one.txt", "# A\n\na\n", media_type="text/plain")
        assert [cut.section for cut in Markdown(size=9).cuts(document, TOOLS)] == [("A",)]


class TestHeadings:
    def test_a_chunk_never_crosses_a_heading(self) -> None:
        assert chunks("# A\n\na\n\n# B\n\nb\n", size=40) == ["# A\n\na", "# B\n\nb"]

    def test_one_without_text_stays_with_the_next_where_that_fits(self) -> None:
        text = "# A\n\n## B\n\nfour words of text\n"
        assert chunks(text, size=8) == ["# A\n\n## B\n\nfour words of text"]
        assert sections(text, size=8) == ["A > B"]

    def test_else_the_nearest_heading_keeps_its_text(self) -> None:
        text = "# A\n\n## B\n\nfour words of text\n"
        assert chunks(text, size=7) == ["# A", "## B\n\nfour words of text"]
        assert sections(text, size=7) == ["A", "A > B"]

    def test_a_paragraph_is_cut_rather_than_leave_its_heading_alone(self) -> None:
        text = "# A\n\nOne is here. Two is here.\n"
        assert chunks(text, size=6) == ["# A\n\nOne is here.", "Two is here."]

    def test_a_list_too(self) -> None:
        assert chunks("# A\n\n- one two\n- three four\n", size=6) == ["# A\n\n- one two", "- three four"]

    def test_code_and_tables_stay_whole_even_then(self) -> None:
        code = "```\none two\nthree\n```"
        assert chunks(f"# A\n\n{code}\n", size=5) == ["# A", code]

    def test_headings_alone(self) -> None:
        text = "# A\n## B\n# C\n"
        assert chunks(text, size=40) == ["# A\n## B\n# C"]
        assert sections(text, size=2) == ["A", "A > B", "C"]

    def test_a_heading_above_the_size_is_cut_at_words(self) -> None:
        assert chunks("# one two three\n\nfour\n", size=2) == ["# one", "two three", "four"]


class TestTables:
    def test_whole_where_it_fits(self) -> None:
        text = f"some words before it\n\n{TABLE}"
        assert chunks(text, size=60) == [text.strip()]
        assert chunks(text, size=38) == ["some words before it", TABLE.strip()]

    @pytest.mark.parametrize("size", range(20, 100, 7))
    @pytest.mark.parametrize("overlap", [0, 19])
    def test_cut_only_between_rows(self, size: int, overlap: int) -> None:
        text = f"# Lamps\n\n{TABLE}\nPrices on request.\n"
        for cut in cuts(text, size=size, overlap=overlap, unit="characters"):
            if text[cut.start : cut.end].startswith("|"):
                assert text[cut.start - 1] == "\n"
            if text[cut.start : cut.end].endswith("|"):
                assert text[cut.end] == "\n"
            assert not cut.oversize

    def test_its_head_stays_with_the_line_under_it(self) -> None:
        assert chunks(TABLE, "characters", size=50)[0] == "| Lamp | Watt |\n|------|------|\n| L1 | 10 |"

    def test_a_row_above_the_size_is_whole_and_oversize(self) -> None:
        text = "| a |\n|---|\n| one two three four |\n| b |\n"
        found = cuts(text, size=4, unit="words")
        assert [(text[cut.start : cut.end], cut.oversize) for cut in found] == [
            ("| a |\n|---|", False),
            ("| one two three four |", True),
            ("| b |", False),
        ]

    def test_overlap_is_whole_rows(self) -> None:
        found = chunks(TABLE, "characters", size=46, overlap=12)
        assert [chunk.splitlines()[0][2:6] for chunk in found] == ["Lamp", "L1 |", "L3 |", "L5 |"]


class TestCode:
    CODE = "```py\na = 1\n\nb = 2\n    c = 3\n```"

    def test_whole_where_it_fits(self) -> None:
        text = f"some words before\n\n{self.CODE}\n\nand after"
        assert chunks(text, size=11) == ["some words before", self.CODE, "and after"]

    def test_cut_at_line_ends_with_its_indentation(self) -> None:
        assert chunks(self.CODE, size=4) == ["```py\na = 1", "b = 2", "    c = 3\n```"]

    def test_a_line_above_the_size_is_cut_at_words(self) -> None:
        assert chunks("```\none two three\n```", size=2) == ["```", "one two", "three\n```"]

    def test_a_lead_in_stays_with_the_first_lines_of_long_code(self) -> None:
        assert chunks(f"Run this:\n\n{self.CODE}", size=6)[0] == "Run this:\n\n```py\na = 1"


class TestOtherBlocks:
    def test_lists_are_cut_between_items(self) -> None:
        text = "- one two\n- three\n  four\n- five six\n"
        assert chunks(text, size=6) == ["- one two\n- three\n  four", "- five six"]

    def test_items_are_cut_between_their_blocks(self) -> None:
        text = "1. one two\n\n   ```\n   x\n   ```\n\n   - three\n   - four five\n"
        assert chunks(text, size=6) == ["1. one two\n\n   ```\n   x\n   ```", "   - three\n   - four five"]

    def test_quotes_are_cut_between_their_blocks(self) -> None:
        assert chunks("> one two\n>\n> three four\n", size=4) == ["> one two\n>", "> three four"]

    def test_paragraphs_are_cut_at_sentences_then_words(self) -> None:
        text = "One is here. Two of them are here today."
        assert chunks(text, size=4) == ["One is here.", "Two of them are", "here today."]

    def test_html_is_cut_at_line_ends(self) -> None:
        assert chunks("<div>\n<p>one two</p>\n</div>\n", size=2) == ["<div>", "<p>one two</p>", "</div>"]

    def test_link_definitions_are_kept(self) -> None:
        text = "| a |\n|---|\n\n[one]: /two\n\n```\nx\n```\n[three]: /four\n"
        assert [block.kind for block in blocks_of(text)] == ["table", "paragraph", "code", "paragraph"]

    def test_a_text_without_markup_is_cut_like_paragraphs(self) -> None:
        text = "One is here.\nTwo is here.\n\nThree is here. Four is here.\n\nFive.\n"
        plain = Paragraph(size=6, overlap=3, unit="words").cuts(Document("one", text), TOOLS)
        assert chunks(text, size=6, overlap=3) == [text[cut.start : cut.end] for cut in plain]


class TestOverlap:
    def test_whole_blocks_of_the_same_section(self) -> None:
        text = "# A\n\none\n\ntwo two\n\nthree\n\n# B\n\nfour\n"
        assert chunks(text, size=5, overlap=3) == [
            "# A\n\none\n\ntwo two",
            "one\n\ntwo two\n\nthree",
            "# B\n\nfour",
        ]


class TestIsolate:
    TEXT = f"# A\n\nbefore\n\n{TABLE}\nafter\n\n```\nx\n```\n\nend\n"

    def test_each_has_a_chunk_of_its_own(self) -> None:
        table, code = TABLE.strip(), "```\nx\n```"
        alone = chunks(self.TEXT, size=100, isolate=["table", "code"])
        assert alone == ["# A\n\nbefore", table, "after", code, "end"]
        assert chunks(self.TEXT, size=100, isolate=["code"]) == [
            f"# A\n\nbefore\n\n{table}\n\nafter",
            code,
            "end",
        ]

    def test_no_overlap_reaches_in_or_out(self) -> None:
        text = "one\n\n```\nx\n```\n\n```\ny\n```\n\ntwo\n"
        assert chunks(text, size=9, overlap=8, isolate=["code"]) == [
            "one",
            "```\nx\n```",
            "```\ny\n```",
            "two",
        ]

    def test_one_above_the_size_is_cut_and_still_alone(self) -> None:
        found = chunks(f"before\n\n{TABLE}\nafter\n", "characters", size=50, isolate=["table"])
        assert found[0] == "before"
        assert found[1].startswith("| Lamp")
        assert found[-2].endswith("| L6 | 60 |")
        assert found[-1] == "after"

    def test_within_a_list(self) -> None:
        text = "- one\n\n  ```\n  x\n  ```\n- two\n"
        assert chunks(text, size=40, isolate=["code"]) == ["- one", "  ```\n  x\n  ```", "- two"]


class TestPositions:
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_any_line_break(self, end: str) -> None:
        text = FENCES.replace("\n", end)
        assert sections(text, size=40) == ["Pump", "Pump > Care"]
        assert [chunk.split(end) for chunk in chunks(text, size=40)] == [
            chunk.split("\n") for chunk in chunks(FENCES, size=40)
        ]

    @pytest.mark.parametrize(
        "odd", ["\0", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\ufeff", "😀"]
    )
    def test_odd_characters_shift_nothing(self, odd: str) -> None:
        text = f"{odd}lead{odd}\n\n# A{odd}b\n\ntext{odd}\n\n# B\n\nend{odd}text"
        found = cuts(text, size=40)
        assert [text[cut.start : cut.start + 3] for cut in found[1:]] == ["# A", "# B"]

    BLOCKS = st.sampled_from(
        [
            "# A\n", "## B\n", "Set\n===\n", "one two three\n", "\n", "\n\n", "\r\n", "\r", "- item\n",
            "  - inner\n", "1. first\n", "> quoted\n", "> > deep\n", "```\n", "````md\n", "~~~\n",
            "    code\n", "| a | b |\n", "|---|---|\n", "<div>\n", "</div>\n", "---\n", "title: x\n",
            "[a]: /b\n", "\t", "- - x\n", "word " * 12 + "\n", "\0", "\x85", "👩\u200d👧", "* * *\n", "|",
            "`", "\\", "<!--\n", "-->\n",
        ]
    )  # fmt: skip

    @given(
        st.lists(BLOCKS, max_size=25).map("".join),
        st.integers(1, 30),
        st.integers(0, 29),
        st.sampled_from(["words", "characters", "cl100k_base"]),
        st.sets(st.sampled_from(["table", "code"])),
    )
    @settings(deadline=None)
    def test_nothing_but_white_space_is_lost(
        self, text: str, size: int, overlap: int, unit: str, isolate: set[str]
    ) -> None:
        covered, before = 0, Cut(-1, -1)
        found = cuts(text, size=size, overlap=min(overlap, size - 1), unit=unit, isolate=tuple(isolate))
        for cut in found:
            own = text[cut.start : cut.end]
            assert own.strip()
            assert cut.start > before.start
            assert cut.end > before.end
            assert not text[covered : cut.start].strip()
            assert cut.oversize == (counter_of(unit).count(own) > size)
            assert not cut.oversize or len(own) == 1 or not set(own.strip()) & set("\r\n")
            covered, before = cut.end, cut
        assert not text[covered:].strip()

    @given(st.lists(BLOCKS, max_size=25).map("".join))
    @settings(deadline=None)
    def test_blocks_join_to_the_text(self, text: str) -> None:
        def check(blocks: tuple[Block, ...], start: int, end: int) -> None:
            assert (blocks[0].start, blocks[-1].end) == (start, end)
            assert all(one.end == two.start for one, two in pairwise(blocks))
            for block in blocks:
                assert block.start < block.end
                if block.children:
                    check(block.children, block.start, block.end)

        if text:
            check(blocks_of(text), 0, len(text))


class TestTime:
    @pytest.mark.timeout(120)
    @pytest.mark.parametrize(
        "text",
        [
            "a" * 200_000,
            "> " * 20_000 + "x",
            "- " * 20_000 + "x",
            "```\n" * 20_001,
            "[a]: /b\n" * 10_000,
            "[" * 100_000,
            "# a\n" * 10_000,
            "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 10_000,
        ],
        ids=lambda text: text[:8],
    )
    def test_any_text_ends(self, text: str) -> None:
        assert cuts(text, size=500, overlap=50)[-1].end == len(text.rstrip())


class TestParameters:
    @pytest.mark.parametrize("isolate", [["tables"], "table", ["table", "table"], ["heading"]])
    def test_isolate_knows_two_kinds(self, isolate: object) -> None:
        with pytest.raises(BadInput, match="isolate"):
            Markdown(size=10, isolate=isolate)

    def test_their_order_does_not_matter(self) -> None:
        assert Markdown(size=10, isolate=["table", "code"]) == Markdown(size=10, isolate=["code", "table"])
