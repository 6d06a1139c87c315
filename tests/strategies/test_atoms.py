"""Atoms: code, tables and JSON whole and apart, the text between cut by another strategy."""

from __future__ import annotations

import json

import pytest
from contract import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linear import grows_linearly
from mangled import sources

from strategies import build, canonical
from strategies.atoms import Atoms
from strategies.document import Chunk, Document
from strategies.errors import BadInput
from strategies.markup.atoms_in import json_values
from strategies.splitting import split
from strategies.tools import Tools

TOOLS = Tools()
MARKDOWN, HTML = "text/markdown", "text/html"


def cut(text: str, media_type: str = MARKDOWN, **parameters: object) -> tuple[Chunk, ...]:
    atoms = build("atoms", {"unit": "words"} | parameters)
    return check(Document("one", text, media_type=media_type), atoms, TOOLS)


def chunks(text: str, media_type: str = MARKDOWN, **parameters: object) -> list[str]:
    return [chunk.text for chunk in cut(text, media_type, **parameters)]


def values(text: str) -> list[str]:
    return [text[start:end] for start, end in json_values(text, 0, len(text))]


CODE = "```sh\none two\n\nthree\n```"
TABLE = "| a | b |\n|---|---|\n| c | d |"
VALUE = '{\n  "a": [1, "}"],\n  "b": {}\n}'
TEXT = f"One is here. Two is here.\n\n{CODE}\n\n{TABLE}\n\nThree.\n\n{VALUE}\n\nFour."


class TestAtoms:
    def test_each_is_a_chunk_and_the_text_between_is_cut_by_another_strategy(self) -> None:
        assert chunks(TEXT, size=9) == ["One is here. Two is here.", CODE, TABLE, "Three.", VALUE, "Four."]
        assert chunks(TEXT, size=9, prose={"strategy": "sentence", "size": 4})[:3] == [
            "One is here.",
            "Two is here.",
            CODE,
        ]

    def test_one_larger_than_the_size_is_whole_and_oversize(self) -> None:
        found = cut(TEXT, size=5)
        assert [chunk.text for chunk in found] == [
            "One is here.",
            "Two is here.",
            CODE,
            TABLE,
            "Three.",
            VALUE,
            "Four.",
        ]
        assert [chunk.text for chunk in found if chunk.oversize] == [TABLE, VALUE]  # of 11 and 7 words

    def test_one_that_fills_its_document_is_cut_where_it_does_not_fit(self) -> None:
        assert chunks(f"\n{CODE}\n", size=5) == [CODE]
        assert chunks(f"\n{CODE}\n", size=4) == ["```sh\none two", "three\n```"]
        assert chunks(f"a\n\n{CODE}", size=4) == ["a", CODE]
        assert chunks(f"{CODE}\n\na", size=4) == [CODE, "a"]
        assert chunks("a,b\nc,d\n", "text/csv", size=2) == ["a,b\nc,d"]
        assert chunks("a,b\nc,d\n", "text/csv", size=1) == ["a,b", "c,d"]

    def test_what_is_not_kept_is_text(self) -> None:
        assert chunks(TEXT, size=90, keep=["table"]) == [
            TEXT[: TEXT.index("|")].strip(),
            TABLE,
            TEXT[TEXT.index("Three") :],
        ]

    def test_json_in_code_is_code_whatever_is_kept(self) -> None:
        text = f"a\n\n```\n{VALUE}\n```\n\nb"
        assert chunks(text, size=90) == ["a", f"```\n{VALUE}\n```", "b"]
        assert chunks(text, size=90, keep=["json"]) == [text]

    def test_in_lists_and_quotes(self) -> None:
        text = "- a\n\n  ```\n  b\n  ```\n\n> | c |\n> |---|\n> | d |\n"
        assert chunks(text, size=90) == ["- a", "  ```\n  b\n  ```", "> | c |\n> |---|\n> | d |"]

    def test_indented_code_keeps_its_indentation(self) -> None:
        assert chunks("a\n\n    b\n      c\n\nd", size=90) == ["a", "    b\n      c", "d"]

    def test_html(self) -> None:
        code, table = "<div><pre>a\n b</pre></div>", "<table><tr><td><pre>c</pre><td>d</table>"
        text = f"<h1>H</h1><p>e &amp; f</p>{code}{table}g"
        assert chunks(text, HTML, size=90, prose="html") == ["<h1>H</h1><p>e &amp; f</p>", code, table, "g"]
        found = cut(text, HTML, size=90, prose="html")
        assert [chunk.embedded_text for chunk in found] == ["H\ne & f", "a\n b", "c\nd", "g"]
        assert {chunk.section for chunk in found} == {("H",)}

    def test_lines_of_json(self) -> None:
        text = '{"a": 1}\n{"b": 2}\n\nno json\n'
        assert chunks(text, "application/jsonl", size=90) == ['{"a": 1}', '{"b": 2}', "no json"]
        assert chunks("- a\n\n      b\n", "application/jsonl", size=90) == ["- a\n\n      b"]

    def test_the_outer_overlap_is_that_of_the_text_between(self) -> None:
        text = f"{CODE}\n\na\n\nb\n\nc\n\n{CODE}"
        assert chunks(text, size=2, overlap=1) == [CODE, "a\n\nb", "b\n\nc", CODE]


class TestJson:
    @pytest.mark.parametrize(
        "value",
        ['{"a": 1}', "[1, 2]", '["a", "b"]', "[{}]", "[[1]]", '{"a": "\\"{"}', "[1,\n2]", '{"a":\r\n"b"}'],
    )
    def test_values_that_begin_and_end_lines(self, value: str) -> None:
        assert values(f"a\n  {value} \nb") == [value]
        assert values(value) == [value]

    @pytest.mark.parametrize(
        "text",
        [
            '{"a": 1}, and so on',
            'see {"a": 1}',
            "[1]",
            '["a"]',
            "{}",
            "[ ]",
            "{a: 1}",
            '{"a": 1',
            '"a": 1}',
            '{"a": "\n"}',
            "[1, 2}",
            "{\n[1, 2]\n}",
            "[" * 5000 + "]" * 5000,
        ],
    )
    def test_what_is_none(self, text: str) -> None:
        assert values(text) == []

    def test_the_outermost(self) -> None:
        assert values('[\n{"a": 1},\n{"b": [2,\n3]}\n]') == ['[\n{"a": 1},\n{"b": [2,\n3]}\n]']

    def test_what_stays_open_hides_nothing_below(self) -> None:
        assert values('{ 5" pipe ]\n{"a": 1}') == ['{"a": 1}']
        assert values('{\n"b\n{"a": 1}') == ['{"a": 1}']
        assert values('{\n"b\n{"a": 1}\n}') == ['{"a": 1}']
        assert values('{\n{"a": 1}') == ['{"a": 1}']

    def test_long_numbers_and_deep_ones(self) -> None:
        assert values("[1, " + "9" * 5000 + "]") != []
        assert [bool(values("[" * n + "1, 2" + "]" * n)) for n in (201, 202)] == [True, False]

    def test_a_value_that_begins_within_a_line_of_a_range(self) -> None:
        text = 'a {"b": 1}\n{"c": 2}'
        assert json_values(text, 2, len(text)) == [(11, 19)]
        assert json_values(text, 11, 15) == []

    @given(
        st.recursive(
            st.none() | st.integers() | st.text('ab{}[]"\\\n', max_size=5),
            lambda inner: (
                st.lists(inner, max_size=4) | st.dictionaries(st.text('a{"', max_size=3), inner, max_size=4)
            ),
        ),
        st.sampled_from([None, 0, 2]),
    )
    def test_all_that_json_writes(self, value: object, indent: int | None) -> None:
        written = json.dumps(value, indent=indent)
        found = values(f"see\n{written}\nend")
        if isinstance(value, dict | list) and len(value) > 1:
            assert found == [written]
        elif not isinstance(value, dict | list):
            assert found == []


class TestParameters:
    def test_the_inner_strategy_inherits(self) -> None:
        form = canonical(build("atoms", {"size": 90, "overlap": "10%", "unit": "words", "prose": "sentence"}))
        assert form["prose"] | {"size": 90, "overlap": 9, "unit": "words"} == form["prose"]  # type: ignore[operator]

    def test_the_order_of_what_is_kept_does_not_matter(self) -> None:
        assert Atoms(size=9, keep=("table", "code")) == Atoms(size=9, keep=("code", "table"))
        assert Atoms(size=9) == Atoms(size=9, keep=("table", "json", "code"))

    @pytest.mark.parametrize("keep", [[], ["code", "code"], ["yaml"], "code"])
    def test_kinds_that_are_refused(self, keep: object) -> None:
        with pytest.raises(BadInput, match="keep"):
            build("atoms", {"size": 9, "keep": keep})

    def test_an_inner_size_above_the_outer_is_refused(self) -> None:
        with pytest.raises(BadInput, match=r"prose\.size: is 10, larger than the size around it, 9"):
            build("atoms", {"size": 9, "prose": {"strategy": "sentence", "size": 10}})
        build("atoms", {"size": 9, "prose": {"strategy": "sentence", "size": 10, "unit": "characters"}})


class TestLaws:
    @settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        sources,
        st.sampled_from([HTML, MARKDOWN, "application/json"]),
        st.integers(1, 40),
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(["words", "characters", "cl100k_base", "embedder"]),
        st.sampled_from(["paragraph", "html", "fixed", "table"]),
    )
    def test_any_source(
        self, tools: Tools, text: str, media_type: str, size: int, share: float, unit: str, prose: str
    ) -> None:
        strategy = build("atoms", {"size": size, "overlap": int(size * share), "unit": unit, "prose": prose})
        check(Document("one", text, media_type=media_type), strategy, tools)

    @pytest.mark.parametrize(
        ("part", "media_type"),
        [
            *((part, HTML) for part in ("<pre>", "<pre>a</pre>b", "<table><tr><td><pre>", "{\n")),
            *(
                (part, MARKDOWN)
                for part in ("```\n", "```\na\n", "    a\n\nb\n\n", "- ", "> ", '{"a":1}\n', "[1,\n")
            ),
        ],
    )
    def test_time_is_linear(self, part: str, media_type: str) -> None:
        strategy = Atoms(size=64, overlap=16)

        def work(characters: int) -> None:
            split(
                Document("a", part * (characters // len(part)) + ".", media_type=media_type),
                strategy,
                Tools(),
            )

        assert grows_linearly(work, 2_000)

    @pytest.mark.parametrize(
        "part",
        ["{", "[", "{\n", "[\n", '"', '"\\', '\\"', '"a', "{}\n", "[[]\n", "[1,2]\n", "[1,\n", "\n", " "],
    )
    @pytest.mark.parametrize("before", ["", "[", '"'])
    def test_json_is_found_in_linear_time(self, part: str, before: str) -> None:
        assert grows_linearly(lambda size: json_values(before + part * (size // len(part)), 0, size), 20_000)


@pytest.mark.parametrize(
    "prose", [{"strategy": "paragraph", "unit": "words"}, {"strategy": "sentence", "sentences": 9}]
)
def test_prose_that_counts_otherwise_is_held_to_the_size_out_here(prose: dict[str, object]) -> None:
    document = Document("a", "Alpha beta gamma delta. " * 9)
    strategy = build("atoms", {"size": 10, "unit": "characters", "prose": prose})
    chunks = split(document, strategy, Tools())
    assert all(chunk.oversize == (len(chunk.text) > 10) for chunk in chunks)
    assert any(chunk.oversize for chunk in chunks)
