"""What holds for the strategies of every library."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import pytest
from contract import NASTY, VARIANTS, make, units_of

from evaluation.embedders.hashing import HashingEmbedder
from strategies import parameters
from strategies.document import Document
from strategies.errors import SplitError
from strategies.libraries import THIRD_PARTY
from strategies.libraries.library import Library, Part, calls, placed
from strategies.nesting import embeds_more
from strategies.splitting import split
from strategies.strategy import SplitTools, parameter
from strategies.tools import Tools

CUT_CHARACTERS = {
    "langchain:TokenTextSplitter",
    "haystack:RecursiveDocumentSplitter",
    "chonkie:FastChunker",
    "semchunk",
}
"""They cut characters in two, or fail where they would; nothing else here fails."""

LEAVE_OUT = {"langchain:MarkdownHeaderTextSplitter", "langchain:HTMLHeaderTextSplitter"}
"""They leave out more than white space."""

SAY_WHERE = {"chonkie", "haystack", "semchunk", "semantic_text_splitter"}
"""Libraries that say where a chunk begins."""


def _shown(text: str) -> str:
    """What libraries leave alone in a text."""
    return "".join(letter for letter in text if letter.isprintable() and not letter.isspace())


@pytest.mark.parametrize("name", THIRD_PARTY)
class TestEach:
    def test_it_says_what_people_need_to_know(self, name: str) -> None:
        cls = THIRD_PARTY[name]
        assert cls.name == name
        assert not cls.native
        assert cls.drops
        assert not cls.drops.endswith(".")
        for one in parameters(cls):
            assert one.help
            assert not one.help.endswith(".")

    def test_it_embeds_its_slices_or_says_that_it_does_not(self, name: str) -> None:
        strategy = make(name, units_of(name)[0], 40, 10)
        tools = Tools(embed=HashingEmbedder(dim=16).embed)
        texts = [text for text in NASTY.values() if text.isascii() and text.strip()]
        texts.append("<h1>A</h1><p>b <i>c</i> d &amp; e</p>")
        chunks = [chunk for text in texts for chunk in split(Document("gate.md", text), strategy, tools)]
        same = [_shown(chunk.embedded_text) == _shown(chunk.text) for chunk in chunks]
        assert len(same) >= len(texts)
        assert all(same) != embeds_more(strategy)

    @pytest.mark.parametrize("size", [7, 64])
    def test_it_loses_nothing_that_prints_and_stands_where_it_says(self, name: str, size: int) -> None:
        tools = Tools(embed=HashingEmbedder(dim=16).embed)
        for unit, text in product(units_of(name), [*NASTY.values(), "a" * 2000]):
            document = Document("gate.md", text)
            strategy = make(name, unit, size, size // 3, VARIANTS.get(name, ({},))[0])
            assert isinstance(strategy, Library)
            try:
                chunks = split(document, strategy, tools)
            except SplitError:
                assert name in CUT_CHARACTERS
                assert not text.isascii()
                continue
            held = bytearray(len(text))
            for chunk in chunks:
                held[chunk.start : chunk.end] = b"\1" * len(chunk.text)
            left = "".join(letter for letter, kept in zip(text, held, strict=True) if not kept)
            assert not left.strip() or name in LEAVE_OUT
            parts = [part for part in strategy.parts(document, tools) if part.text.strip()]
            if name.partition(":")[0] in SAY_WHERE:
                assert [(part.start, part.text) for part in parts] == [(c.start, c.text) for c in chunks]

    def test_it_is_installed_for_these_tests(self, name: str) -> None:
        assert THIRD_PARTY[name].is_installed()
        versions = make(name, units_of(name)[0], 40, 10).versions()
        assert versions.keys() == set(THIRD_PARTY[name].distributions)


def test_the_table_imports_no_library() -> None:
    packages = {cls.package for cls in THIRD_PARTY.values()} | {"langchain_core", "nltk", "bs4", "torch"}
    code = f"import sys, strategies.libraries; print(*[name for name in {packages} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_at_least_twelve_are_offered() -> None:
    assert len(THIRD_PARTY) >= 12
    assert list(THIRD_PARTY) == list(dict.fromkeys(THIRD_PARTY))


@dataclass(frozen=True, slots=True)
class Given(Library):
    """Returns what it is given."""

    name: ClassVar[str] = "given"
    extra: ClassVar[str] = "given"
    package: ClassVar[str] = "json"
    distributions: ClassVar[tuple[str, ...]] = ("numpy",)
    drops: ClassVar[str] = "nothing"

    texts: tuple[str, ...] = parameter("what it returns", default=())
    size: int = parameter("largest chunk", default=9)
    overlap: int | str = parameter("units repeated", default=0)
    unit: str = parameter("unit", default="characters")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The texts; an error for an empty one."""
        for text in self.texts:
            if not text:
                raise KeyError("no\ntext")
            yield Part(text)


def test_what_is_embedded_is_what_the_library_returned() -> None:
    document = Document("gate.txt", "one\n\ntwo three\tfour")
    found = split(document, Given(("one two", "three\tfour")), Tools())
    assert [(c.text, c.embedded_text, c.oversize) for c in found] == [
        ("one\n\ntwo", "one two", False),
        ("three\tfour", "three\tfour", True),
    ]


def test_its_errors_name_the_document_and_what_it_said() -> None:
    with pytest.raises(SplitError) as error:
        split(Document("gate.txt", "one"), Given(("one", "")), Tools())
    assert str(error.value) == r"gate.txt: given failed: KeyError: 'no\ntext'"


def test_panics_of_compiled_libraries_are_errors_too_and_interrupts_are_none() -> None:
    class PanicException(BaseException):
        """As Rust's panics come to Python."""

    document = Document("gate.txt", "one")
    said = r"^gate\.txt: given failed: PanicException: index out of range$"
    with pytest.raises(SplitError, match=said), calls(document, "given"):
        raise PanicException("index out of range")
    with pytest.raises(KeyboardInterrupt), calls(document, "given"):
        raise KeyboardInterrupt


def test_text_that_was_never_there_names_document_and_chunk() -> None:
    with pytest.raises(SplitError) as error:
        split(Document("gate.txt", "one two"), Given(("one", "three")), Tools())
    assert str(error.value) == "gate.txt: given: chunk 1 stands nowhere in the document: 'three'"


def test_the_overlap_that_was_asked_says_where_repeats_lie() -> None:
    document = Document("gate.txt", "go go go go")
    texts = ("go go", "go go", "go go")
    assert [c.start for c in split(document, Given(texts, overlap=2), Tools())] == [0, 3, 6]
    assert [c.start for c in split(document, Given(texts[:2]), Tools())] == [0, 6]


def test_versions_are_those_of_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Given, "distributions", ("numpy", "no-such-library"))
    assert Given().versions().keys() == {"numpy"}


def test_sections_and_what_else_is_embedded() -> None:
    parts = [Part("one", section=("A",), embedded="A: one"), Part(" "), Part("two", start=4)]
    first, second = placed(Document("gate.txt", "one two"), "given", parts)
    assert (first.start, first.section, first.embedded_text) == (0, ("A",), "A: one")
    assert (second.start, second.section, second.embedded_text) == (4, None, None)
