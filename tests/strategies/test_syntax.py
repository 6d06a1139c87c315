"""Syntax trees: which language, places in any text, and an end on any text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linear import grows_linearly
from tree_sitter import Node

from evaluation.gold.documents import media_type
from strategies.document import Document
from strategies.source_code.grammars import GRAMMARS
from strategies.source_code.syntax import (
    MEDIA_TYPES,
    SUFFIXES,
    ProgrammingLanguage,
    Syntax,
    _language,
    parse,
    programming_language,
)

LANGUAGES: tuple[ProgrammingLanguage, ...] = get_args(ProgrammingLanguage)

# Inputs on which the grammars themselves would take hours: a little more of each takes four times as long.
ENDLESS: list[tuple[ProgrammingLanguage, str]] = [
    ("rust", "*,"),
    ("go", "->=>"),
    ("javascript", "->|"),
    ("rust", "!->#"),
]
DOUBTFUL: list[tuple[ProgrammingLanguage, str]] = [
    ("typescript", "a<b,"),
    ("csharp", "a<b"),
    ("java", "*f("),
]


def parsed(text: str, language: ProgrammingLanguage) -> Syntax:
    syntax = parse(text, language)
    assert syntax is not None
    return syntax


def nodes(syntax: Syntax) -> Iterator[Node]:
    """Every node that has no child."""
    waiting = [syntax.root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if not node.children:
            yield node


def leaves(text: str, language: ProgrammingLanguage) -> set[str]:
    """What the places of the leaves cut out of the text."""
    syntax = parsed(text, language)
    return {text[syntax.place(node.start_byte) : syntax.place(node.end_byte)] for node in nodes(syntax)}


class TestLanguage:
    @pytest.mark.parametrize(
        ("id", "media_type", "language"),
        [
            ("gate.py", "text/plain", "python"),
            ("yard/GATE.PYI", "text/plain", "python"),
            ("gate.jsx", "text/plain", "javascript"),
            ("gate.tsx", "text/plain", "tsx"),
            ("gate.h", "text/plain", "cpp"),
            ("gate.c", "text/plain", "c"),
            ("gate", "text/x-go", "go"),
            ("gate.py", "text/x-java", "java"),
            ("gate.txt", "text/plain", None),
            ("gate", "text/markdown", None),
            ("py", "", None),
        ],
    )
    def test_the_media_type_goes_before_the_suffix(
        self, id: str, media_type: str, language: str | None
    ) -> None:
        assert programming_language(Document(id, "", media_type=media_type)) == language

    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_files_get_a_media_type_that_says_the_same(self, suffix: str) -> None:
        assert MEDIA_TYPES[media_type(f"gate{suffix}")] == SUFFIXES[suffix]

    def test_each_is_reached_both_ways(self) -> None:
        assert set(SUFFIXES.values()) == set(MEDIA_TYPES.values()) == set(LANGUAGES) == set(GRAMMARS)


class TestGrammars:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_the_tables_name_types_that_exist(self, language: ProgrammingLanguage) -> None:
        grammar, compiled = GRAMMARS[language], _language(language)
        known = {compiled.node_kind_for_id(kind) for kind in range(compiled.node_kind_count)}
        named = grammar.bodies | grammar.definitions | grammar.leads | grammar.imports
        assert named | grammar.values | grammar.with_body <= known
        # JavaScript and TypeScript share their wrappers.
        others = {"field_definition", "public_field_definition", "ambient_declaration"}
        assert (set(grammar.wrappers) | set(grammar.named_by)) - known <= others
        assert set(grammar.named_by) <= set(grammar.wrappers)
        fields = {compiled.field_name_for_id(field) for field in range(1, compiled.field_count + 1)}
        looked_into = set(grammar.wrappers.values()) - {"first", "last", "only"}
        assert (looked_into | set(grammar.named_by.values())) - fields <= {"property"}

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_the_root_is_a_body(self, language: ProgrammingLanguage) -> None:
        assert parsed("", language).root.type in GRAMMARS[language].bodies


class TestPlaces:
    def test_characters_of_any_width(self) -> None:
        text = "größe = '🦉'\nn = 大門 + é\n"
        assert {"größe", "🦉", "n", "大門", "+"} <= leaves(text, "python")

    def test_a_lone_surrogate_is_one_character(self) -> None:
        assert {"a", "b", "1", "2"} <= leaves("a = '\ud800'; x = 1\nb = '\udfff'; y = 2\n", "python")

    def test_line_ends_and_marks_stay(self) -> None:
        assert {"one", "two"} <= leaves("\ufeffint one;\r\nint\ttwo;\r\n", "c")

    @pytest.mark.parametrize("language", LANGUAGES)
    @settings(max_examples=40)
    @given(text=st.text(st.characters() | st.sampled_from("\x00\r\n\t(){}[]<>;,'\"#/*🦉\ud800"), max_size=60))
    def test_any_text_has_a_tree_that_lies_in_it(self, language: ProgrammingLanguage, text: str) -> None:
        syntax = parsed(text, language)
        for node in nodes(syntax):
            assert 0 <= syntax.place(node.start_byte) <= syntax.place(node.end_byte) <= len(text)
        assert syntax.place(len(text.encode("utf-8", "surrogatepass"))) == len(text)


class TestEnd:
    @pytest.mark.parametrize(("language", "part"), ENDLESS)
    def test_a_parser_that_does_not_get_on_is_stopped(self, language: ProgrammingLanguage, part: str) -> None:
        assert parse(part * (6000 // len(part)), language) is None

    @pytest.mark.parametrize(("language", "part"), DOUBTFUL)
    def test_brackets_that_never_close_cost_no_more_than_others(
        self, language: ProgrammingLanguage, part: str
    ) -> None:
        assert grows_linearly(lambda size: parse(part * (size // len(part)), language), 1500)

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("part", ["1,", "x=a[i]+b(c);\n", "f(g(h(1)));"])
    def test_dense_code_is_not_stopped(self, language: ProgrammingLanguage, part: str) -> None:
        assert parse(part * (20_000 // len(part)), language) is not None

    @pytest.mark.parametrize("part", "([{<")
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_a_deep_tree(self, language: ProgrammingLanguage, part: str) -> None:
        parse(part * 20_000, language)
