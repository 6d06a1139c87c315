"""Code: units, what stays with what, where large units are cut, sections, and the laws on broken code."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from contract import check
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import grows_linearly

from strategies.code import Code
from strategies.document import Document
from strategies.errors import BadInput
from strategies.recursive import Recursive
from strategies.source_code.code_units import LONGEST_NAME
from strategies.strategy import Cut
from strategies.tools import Tools

TOOLS = Tools()
FOLDER = Path(__file__).parent / "code"
SAMPLES = {path.stem: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt"))}
SECTIONS = json.loads((FOLDER / "sections.json").read_text("utf-8"))


def cuts(text: str, language: str = "python", unit: str = "words", **parameters: object) -> list[Cut]:
    strategy = Code(unit=unit, programming_language=language, **parameters)
    return list(strategy.cuts(Document("gate", text), TOOLS))


def chunks(text: str, language: str = "python", **parameters: object) -> list[str]:
    return [text[cut.start : cut.end] for cut in cuts(text, language, **parameters)]


def sections(text: str, language: str = "python", **parameters: object) -> list[str]:
    return [" > ".join(cut.section or ()) for cut in cuts(text, language, **parameters)]


def described(text: str, language: str, size: int) -> list[list[str]]:
    """Section, first and last line of every chunk."""
    found = []
    for one in cuts(text, language, size=size):
        first, *rest = text[one.start : one.end].strip().splitlines()
        found.append([" > ".join(one.section or ()), first.strip(), (rest or [first])[-1].strip()])
    return found


class TestSamples:
    @pytest.mark.parametrize("size", [30, 70])
    @pytest.mark.parametrize("language", SAMPLES)
    def test_chunks_begin_and_end_where_a_reader_would_cut(self, language: str, size: int) -> None:
        assert described(SAMPLES[language], language, size) == SECTIONS[language][str(size)]

    @pytest.mark.parametrize("language", SAMPLES)
    def test_line_ends_do_not_matter(self, language: str) -> None:
        text = SAMPLES[language]
        windows = text.replace("\n", "\r\n")
        here = [(one.replace("\r\n", "\n")) for one in chunks(windows, language, size=30)]
        assert here == chunks(text, language, size=30)
        assert sections(windows, language, size=30) == sections(text, language, size=30)

    @pytest.mark.parametrize("language", SAMPLES)
    def test_places_are_code_points(self, language: str) -> None:
        text = SAMPLES[language]
        moved = cuts(" \n\t\n" + text.replace("gate", "gäte").replace("dog", "犬犬犬"), language, size=30)
        plain = cuts(text, language, size=30)
        assert [(cut.start - 4, cut.end - 4) for cut in moved] == [(cut.start, cut.end) for cut in plain]
        assert [len(cut.section or ()) for cut in moved] == [len(cut.section or ()) for cut in plain]

    def test_a_mark_of_byte_order_belongs_to_the_first_chunk(self) -> None:
        assert chunks("\ufeff\n\nx = 1\ny = 2\n", size=4) == ["\ufeff\n\nx = 1", "y = 2"]

    @pytest.mark.parametrize("language", SAMPLES)
    def test_all_of_it_fits_into_one_chunk(self, language: str) -> None:
        assert chunks(SAMPLES[language], language, size=1000) == [SAMPLES[language].strip()]


class TestTogether:
    def test_small_units_are_joined(self) -> None:
        text = "def a():\n    pass\n\n\ndef b():\n    pass\n\n\ndef c():\n    pass\n"
        assert chunks(text, size=6) == [text[:40].strip(), "def c():\n    pass"]

    def test_statements_between_definitions_are_one_unit(self) -> None:
        text = "def a():\n    pass\n\nX = 1\nY = 2\nZ = 3\n\ndef b():\n    pass\n"
        assert chunks(text, size=9) == ["def a():\n    pass", "X = 1\nY = 2\nZ = 3", "def b():\n    pass"]

    def test_indentation_stays(self) -> None:
        text = "class A:\n    def a(self):\n        pass\n\n    def b(self):\n        pass\n"
        assert chunks(text, size=5) == [
            "class A:\n    def a(self):\n        pass",
            "    def b(self):\n        pass",
        ]

    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("python", "X = 1\n\n# what it does\n@once\ndef a():\n    pass\n"),
            ("rust", "const X: u8;\n\n/// what it does\n#[once]\nfn a() {}\n"),
            ("typescript", "let x;\n\n/** what it does */\n@once()\nexport class A {}\n"),
            ("java", "int x = 1;\n\n/** what it does */\n@Once\nclass A {}\n"),
            ("csharp", "int x = 1;\n\n// what it does\n[Once]\nclass A {}\n"),
            ("cpp", "int x = 1;\n\n// what it does\n[[once]] void a() {}\n"),
            ("go", "var x = 1\n\n// what it does\n// once\nfunc a() {}\n"),
        ],
    )
    def test_comments_and_attributes_stay_with_what_follows(self, language: str, text: str) -> None:
        before, _, after = text.partition("\n\n")
        size = len(after.split())
        assert chunks(text, language, size=size) == [before, after.strip()]

    def test_a_comment_at_the_end_of_a_line_stays_there(self) -> None:
        text = "x = 1  # why\ny = 2  # how\n"
        assert chunks(text, size=5) == ["x = 1  # why", "y = 2  # how"]

    def test_imports_stay_where_that_fits(self) -> None:
        text = "X = 1\n\nimport one\nimport two\n\n# why\ndef a():\n    pass\n"
        imports, rest = "import one\nimport two", "# why\ndef a():\n    pass"
        assert chunks(text, size=9) == ["X = 1", f"{imports}\n\n{rest}"]
        assert chunks(text, size=8) == [f"X = 1\n\n{imports}", rest]

    def test_a_comment_stays_with_the_beginning_of_what_does_not_fit_with_it(self) -> None:
        text = "# one two three\ndef a():\n    b()\n    c()\n"
        assert chunks(text, size=7) == ["# one two three\ndef a():\n    b()", "    c()"]

    def test_as_many_comment_lines_as_fit_stay_with_a_statement(self) -> None:
        text = "# one\n# two\n# three\nx = 1\n"
        assert chunks(text, size=7) == ["# one", "# two\n# three\nx = 1"]

    def test_a_comment_larger_than_a_chunk_is_cut_off(self) -> None:
        text = "# one two\n# three four\nclass A:\n    b = 1\n    c = 2\n"
        assert chunks(text, size=5) == ["# one two", "# three four", "class A:\n    b = 1", "    c = 2"]

    def test_a_comment_stays_where_imports_do_not_fit_with_it(self) -> None:
        members = "".join(f"    {name}\n" for name in "bcdefg")
        text = f"import a\nimport b\n# one\n# two\nclass A:\n{members}"
        assert chunks(text, size=7) == [
            "import a\nimport b",
            "# one\n# two\nclass A:\n    b",
            "    c\n    d\n    e\n    f\n    g",
        ]

    def test_a_head_stays_with_the_first_member(self) -> None:
        text = 'class A(B):\n    """What it is."""\n\n    x = 1\n    y = 2\n'
        assert chunks(text, size=8) == [text[:44].strip(), "    y = 2"]

    def test_a_head_and_a_docstring_that_fill_a_chunk_stand_alone(self) -> None:
        text = 'def a(b):\n    """What it does."""\n    return b\n'
        assert chunks(text, size=5) == ['def a(b):\n    """What it does."""', "    return b"]

    def test_a_head_larger_than_a_chunk_takes_nothing_with_it(self) -> None:
        text = "def a(b, c, d, e, f):\n    if x:\n        y\n        z\n"
        assert chunks(text, size=4) == ["def a(b, c, d,", "e, f):", "    if x:\n        y\n        z"]

    def test_what_closes_stays_with_the_last(self) -> None:
        text = "class A {\n  a() {}\n  b() {}\n}\n"
        assert chunks(text, "javascript", size=5) == ["class A {\n  a() {}", "  b() {}\n}"]

    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("python", "if a:\n    b()\nelse:\n    c()\n"),
            ("javascript", "if (a) {\n  b();\n}\nelse {\n  c();\n}\n"),
            ("c", "void f() {\n if (a)\n {\n  b();\n }\n else {\n  c();\n }\n}\n"),
        ],
    )
    def test_else_goes_with_its_block(self, language: str, text: str) -> None:
        size = max(len(text.partition("else")[0].split()), 4)
        before, word, after = text.partition("else")
        assert chunks(text, language, size=size) == [
            before.rstrip(),
            (text[len(before) - 1] * (language == "c")) + word + after.rstrip(),
        ]


class TestLarge:
    def test_a_class_is_cut_between_its_members(self) -> None:
        text = "class A {\n  void a() { x(); y(); }\n\n  void b() { x(); y(); }\n}\n"
        assert chunks(text, "java", size=10) == [
            "class A {\n  void a() { x(); y(); }",
            "  void b() { x(); y(); }\n}",
        ]

    def test_a_function_is_cut_between_its_statements_then_in_blocks(self) -> None:
        text = "def a():\n    b()\n    for x in y:\n        c(x)\n        d(x)\n    e()\n"
        assert chunks(text, size=6) == [
            "def a():\n    b()",
            "    for x in y:\n        c(x)\n        d(x)",
            "    e()",
        ]
        assert chunks(text, size=5) == [
            "def a():\n    b()",
            "    for x in y:\n        c(x)",
            "        d(x)\n    e()",
        ]

    def test_blocks_anywhere_are_found(self) -> None:
        text = 'test("a", () => {\n  one();\n  two();\n});\nrun(function () {\n  three();\n});\n'
        assert chunks(text, "javascript", size=6) == [
            'test("a", () => {\n  one();',
            "  two();\n});",
            "run(function () {\n  three();\n});",
        ]

    def test_members_of_an_enumeration(self) -> None:
        text = "enum A {\n  // one\n  B,\n  C, D,\n}\n"
        assert chunks(text, "typescript", size=6) == ["enum A {\n  // one\n  B,", "  C, D,\n}"]

    def test_a_long_statement_is_cut_at_blank_lines_and_lines(self) -> None:
        text = "x = [\n    1, 2,\n    3, 4,\n\n    5, 6,\n]\n"
        assert chunks(text, size=6) == ["x = [\n    1, 2,", "    3, 4,\n\n    5, 6,\n]"]

    def test_statements_on_one_line(self) -> None:
        text = "function a(){b();c();d()}function e(){f()}"
        assert chunks(text, "javascript", unit="characters", size=20) == [
            "function a(){b();",
            "c();d()}",
            "function e(){f()}",
        ]

    def test_a_definition_that_is_cut_begins_a_chunk(self) -> None:
        text = "x()\n\n\ndef a():\n    b()\n    c()\n    d()\n\n\ny()\n"
        assert chunks(text, size=4) == ["x()", "def a():\n    b()\n    c()", "    d()\n\n\ny()"]

    def test_what_is_nested_too_deep_is_cut_at_lines(self) -> None:
        text = "if (a) {\n" * 40 + "b();\n" + "}\n" * 40
        found = chunks(text, "c", size=3)
        assert "b();\n}\n}" in found
        assert max(len(one.split()) for one in found) == 3

    def test_cases(self) -> None:
        text = "switch (a) {\n  case 1:\n    b();\n    c();\n  case 2:\n    d();\n}\n"
        assert chunks(text, "javascript", size=6) == [
            "switch (a) {\n  case 1:\n    b();",
            "    c();\n  case 2:\n    d();\n}",
        ]


class TestSections:
    @pytest.mark.parametrize(
        ("language", "text", "section"),
        [
            ("python", "class A:\n    async def b(self):\n        x\n        y\n", "A > b"),
            ("python", "@c\nclass A:\n    @c\n    def b(self):\n        x\n        y\n", "A > b"),
            ("javascript", "const a = function () {\n  x;\n  y;\n};\n", "a"),
            ("javascript", "a.b.c = () => {\n  x;\n  y;\n};\n", "a.b.c"),
            ("javascript", "export default function () {\n  x;\n  y;\n}\n", ""),
            ("javascript", "f({\n  a() {\n    x;\n    y;\n  },\n});\n", "a"),
            (
                "typescript",
                "namespace A {\n  export class B {\n    c() {\n      x;\n      y;\n    }\n  }\n}\n",
                "A > B > c",
            ),
            ("java", "class A {\n  A() {\n    x();\n    y();\n  }\n}\n", "A > A"),
            ("go", "func (a *A) b() {\n\tx()\n\ty()\n}\n", "A > b"),
            ("go", "func (A[T]) b() {\n\tx()\n\ty()\n}\n", "A > b"),
            ("rust", "impl<T> A for B<T> {\n  fn c() {\n    x();\n    y();\n  }\n}\n", "A for B<T> > c"),
            ("rust", "mod a {\n  fn b() {\n    x();\n    y();\n  }\n}\n", "a > b"),
            ("c", "static char **a(int b)\n{\n  x();\n  y();\n}\n", "a"),
            ("cpp", "int& A::B::c() {\n  x();\n  y();\n}\n", "A > B > c"),
            ("cpp", "template <class T> A<T>::~A() {\n  x();\n  y();\n}\n", "A<T> > ~A"),
            (
                "cpp",
                "namespace a { class B {\n  bool operator==(B c) {\n    x();\n    y();\n  }\n}; }\n",
                "a > B > operator==",
            ),
            ("csharp", "namespace A;\nclass B {\n  void C() {\n    x();\n    y();\n  }\n}\n", "B > C"),
        ],
    )
    def test_names(self, language: str, text: str, section: str) -> None:
        found = [
            " > ".join(cut.section or ())
            for cut in cuts(text, language, unit="characters", size=10)
            if text[cut.start : cut.end].lstrip().startswith("y")
        ]
        assert found == [section]

    def test_a_chunk_has_the_innermost_definition_that_holds_all_of_it(self) -> None:
        text = "class A:\n    def b(self):\n        x\n\n    def c(self):\n        y\n\n\ndef d():\n    z\n"
        assert sections(text, size=5) == ["A", "A > c", "d"]
        assert sections(text, size=8) == ["A", "d"]
        assert sections(text, size=11) == [""]

    def test_two_of_one_name_are_two(self) -> None:
        text = "class A:\n    x = 1\n    def b(self):\n        x\n    def b(self):\n        y\n"
        assert sections(text, size=5) == ["A", "A > b", "A > b"]
        assert sections(text, size=6) == ["A", "A"]

    def test_a_type_that_is_only_mentioned_is_no_definition(self) -> None:
        text = "struct A a;\nstruct B { int b; } c;\ntypedef struct D { int d; } E;\n"
        assert sections(text, "c", size=8) == ["", "B", "D"]

    def test_a_long_name_is_shortened(self) -> None:
        text = f"class {'a' * 500}:\n    x\n    y\n"
        assert sections(text, unit="characters", size=520)[-1] == "a" * LONGEST_NAME + "..."


class TestOverlap:
    def test_whole_units_are_repeated(self) -> None:
        text = "a = 1\nb = 2\nc = 3\nd = 4\n"
        assert chunks(text, size=6, overlap=3) == ["a = 1\nb = 2", "b = 2\nc = 3", "c = 3\nd = 4"]

    def test_never_less_than_a_whole_one(self) -> None:
        text = "a = 1\nb = 2\nc = 3\n"
        assert chunks(text, size=6, overlap=2) == ["a = 1\nb = 2", "c = 3"]


class TestOtherText:
    TEXT = "The gate opens at six.\nVisitors sign.\n\nDogs stay outside.\n"

    def test_no_known_language_is_cut_at_blank_lines_and_lines(self) -> None:
        found = list(Code(size=5, unit="words").cuts(Document("gate.txt", self.TEXT), TOOLS))
        assert [self.TEXT[cut.start : cut.end] for cut in found] == [
            "The gate opens at six.",
            "Visitors sign.\n\nDogs stay outside.",
        ]
        assert [cut.section for cut in found] == [None, None]
        lines = Recursive(size=5, unit="words", separators=("\n\n", "\n", " ", ""))
        assert found == list(lines.cuts(Document("gate.txt", self.TEXT), TOOLS))

    def test_what_keeps_the_parser_busy_is_cut_like_that_too(self) -> None:
        text = "*,\n" * 2000
        assert cuts(text, "rust", size=50) == cuts(text, "auto", size=50)

    @pytest.mark.parametrize(
        ("document", "count"),
        [
            (Document("a.py", "x = 1; y = 2"), 2),
            (Document("a.txt", "x = 1; y = 2", media_type="text/x-python"), 2),
            (Document("a.txt", "x = 1; y = 2"), 2),
        ],
    )
    def test_auto_goes_by_media_type_and_suffix(self, document: Document, count: int) -> None:
        found = list(Code(size=3, unit="words").cuts(document, TOOLS))
        assert len(found) == count
        assert (found[0].section is None) == (document.id == "a.txt" and document.media_type == "text/plain")

    def test_a_language_that_is_given_is_that_of_all(self) -> None:
        document = Document("a.py", "fn a() {}\nfn b() {}\n")
        found = list(Code(size=3, unit="words", programming_language="rust").cuts(document, TOOLS))
        assert [cut.section for cut in found] == [("a",), ("b",)]

    def test_the_grammars_that_may_be_used_are_versions(self) -> None:
        assert set(Code(size=9, programming_language="go").versions()) == {"tree-sitter", "tree-sitter-go"}
        assert len(Code(size=9).versions()) == 10  # TypeScript has two languages in one package

    def test_a_language_that_is_not_known_is_refused(self) -> None:
        with pytest.raises(BadInput, match="Did you mean csharp"):
            Code(size=10, programming_language="c-sharp")


class TestBroken:
    def test_definitions_are_found_around_an_error(self) -> None:
        text = "def a():\n    x\n\ndef ) b(:\n\ndef c():\n    y\n\ndef d():\n    z\n"
        assert {"c", "d"} <= set(sections(text, size=3))

    def test_what_cannot_be_read_is_cut_at_lines(self) -> None:
        text = "class ) a b c\nd e f g\nh(\n"
        assert chunks(text, "javascript", size=8) == ["class ) a b c", "d e f g\nh("]

    def test_a_class_that_never_closes(self) -> None:
        text = "class A {\n  a() { x(); }\n  b() { y(); }\n"
        found = chunks(text, "javascript", size=8)
        assert "".join("".join(found).split()) == "".join(text.split())

    @pytest.mark.parametrize("language", SAMPLES)
    @settings(max_examples=20)
    @given(data=st.data())
    def test_the_laws_hold_on_mangled_code(self, language: str, data: st.DataObject) -> None:
        text = SAMPLES[language]
        places = st.integers(0, len(text))
        for _ in range(data.draw(st.integers(1, 6))):
            start, new = data.draw(places), data.draw(st.sampled_from(STRAY))
            text = text[:start] + new + text[start + data.draw(st.integers(0, 40)) :]
        size = data.draw(st.sampled_from([1, 5, 17, 60, 400]))
        strategy = Code(
            size=size,
            overlap=data.draw(st.integers(0, size - 1)),
            unit=data.draw(st.sampled_from(["characters", "words", "cl100k_base"])),
            programming_language=data.draw(st.sampled_from([language, language, "python", "cpp"])),
        )
        found = check(Document("gate", text), strategy, TOOLS)
        assert not any(chunk.oversize for chunk in found if len(chunk.text) > 1)


STRAY = ["", "", "(", ")", "{", "}", "[", "<", '"', "'", "`", "/*", "*/", "//", "#", "\\", ";", "\n", "\r\n"]
STRAY += [
    "\r",
    "\t",
    "\x00",
    "\x0c",
    "\ufeff",
    "\ud800",
    "🦉",
    "e\u0301",
    "大門",
    "    ",
    "\n\n\n",
    "if ",
    "else ",
]
STRAY += ["class A", "def ", "fn ", "=> {", '"""', "#if X\n", "@", "<b>", "x" * 60, "case 1:", "\u2028"]


class TestTime:
    @pytest.mark.parametrize(
        ("language", "opening", "closing"),
        [
            ("python", "(", ""),
            ("rust", "[", "]"),
            ("javascript", "{", "}"),
            ("javascript", "f(() => {", "});"),
            ("c", "if (a) {\n", "}\n"),
        ],
    )
    def test_any_depth(self, language: str, opening: str, closing: str) -> None:
        depth = 100_000 // len(opening + closing)
        text = opening * depth + closing * depth
        found = cuts(text, language, unit="characters", size=2000)
        assert found[0].start == 0
        assert found[-1].end == len(text.rstrip())
        assert all(after.start - before.end <= 1 for before, after in pairwise(found))

    @pytest.mark.parametrize(
        ("language", "part"),
        [
            ("python", "def f(a):\n    # one\n    return a + 1\n\n\n"),
            ("python", "elif a:\n    b()\n"),
            ("java", "/** a */ int f() { return 1; }\n"),
            ("javascript", "function f(a){if(a){b();c(1,2)}return[1,2].map(x=>{return x+1})}"),
            ("javascript", ".then(x => { y(); })"),
            ("cpp", "// a line of words\n"),
            ("go", 'import "a"\n'),
            ("typescript", "f(() => {"),
            ("rust", "1, 2, 3,\n"),
            ("csharp", "The gate opens at six. Visitors sign.\n\n"),
        ],
    )
    def test_it_grows_with_the_text(self, language: str, part: str) -> None:
        def work(characters: int) -> None:
            text = part * (characters // len(part))
            list(Code(size=64, overlap=16, programming_language=language).cuts(Document("a", text), Tools()))

        assert grows_linearly(work, 3_000)
