"""LangChain's splitters of texts: separators, tokens, Markdown, Python."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from strategies.document import Document
from strategies.errors import Problem
from strategies.libraries.library import Library, Part, broken
from strategies.strategy import SplitTools, parameter
from strategies.units.encodings import ENCODINGS, load

# fmt: off
Language = Literal[
    "c", "cobol", "cpp", "csharp", "elixir", "go", "haskell", "html", "java", "js", "kotlin", "latex", "lua",
    "markdown", "php", "powershell", "proto", "python", "r", "rst", "ruby", "rust", "scala", "sol", "swift",
    "ts", "visualbasic6",
]
# fmt: on

SIZE = "largest chunk, in units; pieces are counted alone and added up"
OVERLAP = 'units of whole pieces repeated from the chunk before, or a share such as "10%"'
UNIT = "what `size` and `overlap` count: LangChain's `length_function`"
STRIP = "strip white space from both ends of a chunk"
KEEP = (
    "where a separator goes: `start` of the piece behind it (true), `end` of the one before, false: nowhere"
)


@dataclass(frozen=True, slots=True)
class TextSplitter(Library):
    """What LangChain's splitters share that join pieces up to a size."""

    extra: ClassVar[str] = "langchain"
    package: ClassVar[str] = "langchain_text_splitters"
    distributions: ClassVar[tuple[str, ...]] = ("langchain-text-splitters",)

    size: int = parameter(SIZE)
    overlap: int | str = parameter(OVERLAP, default=0)
    unit: str = parameter(UNIT, default="cl100k_base")
    strip_whitespace: bool = parameter(STRIP, default=True)

    @abstractmethod
    def splitter(self, common: dict[str, Any]) -> Any:
        """The library's splitter; `common` are the settings that all of them take."""

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `split_text` returns."""
        splitter = self.splitter(
            {
                "chunk_size": self.size,
                "chunk_overlap": self.overlap,
                "length_function": tools.counter(self.unit).count,
                "strip_whitespace": self.strip_whitespace,
            }
        )
        return [Part(text) for text in splitter.split_text(document.text)]


@dataclass(frozen=True, slots=True)
class RecursiveCharacterTextSplitter(TextSplitter):
    """LangChain's `RecursiveCharacterTextSplitter`.

    Cuts at the first separator of the list that the text holds, cuts what is larger than `size` at the ones
    behind it, and joins neighbours of one level up to `size`. Pieces of different levels are never joined,
    so chunks are often far smaller than `size`. With `language`, the separators are LangChain's for that
    language (patterns such as `\\nclass `), as in `from_language`.

    Use it to measure what most LangChain users run. Costs many times what `recursive` does in tokens,
    because every piece is counted alone.
    """

    name: ClassVar[str] = "langchain:RecursiveCharacterTextSplitter"
    drops: ClassVar[str] = "white space at chunk ends; separators at chunk ends under `keep_separator: false`"

    separators: tuple[str, ...] | None = parameter(
        'what to cut at, coarse to fine, "" between any two characters; '
        'as read without `language`: ["\\n\\n", "\\n", " ", ""]',
        default=None,
    )
    keep_separator: bool | Literal["start", "end"] = parameter(KEEP, default="start")
    is_separator_regex: bool = parameter("whether separators are regular expressions", default=False)
    language: Language | None = parameter("take the separators of this language instead", default=None)

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        Library.__post_init__(self)
        if self.keep_separator is True:
            object.__setattr__(self, "keep_separator", "start")
        if self.language is not None:
            object.__setattr__(self, "is_separator_regex", True)
        elif self.separators is None:
            object.__setattr__(self, "separators", ("\n\n", "\n", " ", ""))

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Separators that cannot be used."""
        if self.separators is not None and self.language is not None:
            yield Problem("separators", "stands beside language", "Give one of the two")
        if self.separators is not None and not len(self.separators):
            yield Problem("separators", "is empty", 'Give at least one, or [""] to cut between characters')
        if self.is_separator_regex and self.separators is not None and "separators" not in known:
            yield from broken("separators", self.separators)

    def splitter(self, common: dict[str, Any]) -> Any:
        """The library's splitter."""
        import langchain_text_splitters as library

        made = library.RecursiveCharacterTextSplitter
        common |= {"keep_separator": self.keep_separator}
        if self.language is not None:
            return made.from_language(library.Language(self.language), **common)
        assert self.separators is not None
        return made(separators=list(self.separators), is_separator_regex=self.is_separator_regex, **common)


@dataclass(frozen=True, slots=True)
class CharacterTextSplitter(TextSplitter):
    """LangChain's `CharacterTextSplitter`.

    Cuts at one separator and joins neighbours up to `size`. What holds no separator stays whole, however
    large: check the oversize and truncation counts.

    Use it to measure a pipeline that has it. Costs a few times as much as counting the text. A separator
    that is a regular expression and is not kept is written into the chunks as it stands, so that such a
    chunk is refused.
    """

    name: ClassVar[str] = "langchain:CharacterTextSplitter"
    drops: ClassVar[str] = "white space and separators at chunk ends"

    separator: str = parameter("what to cut at; an empty one cuts between characters", default="\n\n")
    keep_separator: bool | Literal["start", "end"] = parameter(KEEP, default=False)
    is_separator_regex: bool = parameter("whether the separator is a regular expression", default=False)

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        Library.__post_init__(self)
        if self.keep_separator is True:
            object.__setattr__(self, "keep_separator", "start")

    def problems(self, known: set[str]) -> Iterable[Problem]:
        """A separator that cannot be used."""
        if self.is_separator_regex and "separator" not in known:
            return broken("separator", (self.separator,))
        return ()

    def splitter(self, common: dict[str, Any]) -> Any:
        """The library's splitter."""
        from langchain_text_splitters import CharacterTextSplitter as Splitter

        return Splitter(
            separator=self.separator,
            is_separator_regex=self.is_separator_regex,
            keep_separator=self.keep_separator,
            **common,
        )


@dataclass(frozen=True, slots=True)
class MarkdownTextSplitter(TextSplitter):
    """LangChain's `MarkdownTextSplitter`.

    A `RecursiveCharacterTextSplitter` with separators for Markdown. Its separators for headings and rules
    are patterns that it takes literally, so it cuts at fences, blank lines, lines and words alone; the
    recursive splitter with `language: markdown` takes them as patterns.

    Use it to measure a pipeline that has it. Costs several times what `recursive` does in tokens, because
    every piece is counted alone.
    """

    name: ClassVar[str] = "langchain:MarkdownTextSplitter"
    drops: ClassVar[str] = "white space at chunk ends"

    def splitter(self, common: dict[str, Any]) -> Any:
        """The library's splitter."""
        from langchain_text_splitters import MarkdownTextSplitter as Splitter

        return Splitter(**common)


@dataclass(frozen=True, slots=True)
class PythonCodeTextSplitter(TextSplitter):
    """LangChain's `PythonCodeTextSplitter`.

    A `RecursiveCharacterTextSplitter` with separators for Python: classes, functions, blank lines, lines,
    words. It reads no syntax: a string that holds such a line is cut there too.

    Use it to measure a pipeline that has it; for other languages, see `language` of the recursive one. Costs
    about as much as `code`, and several times as much as counting the text, because pieces are counted alone.
    """

    name: ClassVar[str] = "langchain:PythonCodeTextSplitter"
    drops: ClassVar[str] = "white space at chunk ends, the indentation of a first line included"

    def splitter(self, common: dict[str, Any]) -> Any:
        """The library's splitter."""
        from langchain_text_splitters import PythonCodeTextSplitter as Splitter

        return Splitter(**common)


@dataclass(frozen=True, slots=True)
class TokenTextSplitter(Library):
    """LangChain's `TokenTextSplitter`.

    Windows of `size` tokens over the text. The tokens of a window are decoded on their own: where a
    character lies across a border, both windows hold a replacement character that the document never
    had, and the document is refused. Safe for English; texts in Chinese or with emoji mostly fail.

    Use it to measure a pipeline that has it, and `fixed` for windows that fit every text. Costs two or
    three times as much as counting the text. Special tokens that a text spells are ordinary text here.
    """

    name: ClassVar[str] = "langchain:TokenTextSplitter"
    extra: ClassVar[str] = "langchain"
    package: ClassVar[str] = "langchain_text_splitters"
    distributions: ClassVar[tuple[str, ...]] = ("langchain-text-splitters",)
    drops: ClassVar[str] = "the halves of characters that lie across a border, which it replaces"

    size: int = parameter("tokens a chunk")
    overlap: int | str = parameter(
        'tokens repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter("an encoding of tiktoken: its `encoding_name`", default="cl100k_base")

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """A unit that is no encoding."""
        if "unit" not in known and self.unit not in ENCODINGS:
            yield Problem("unit", f"{self.unit} is no encoding of tiktoken", f"Known: {', '.join(ENCODINGS)}")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What the splitter's own function returns, with an encoding that needs no network."""
        from langchain_text_splitters import Tokenizer, split_text_on_tokens

        tools.counter(self.unit)  # tells people what is missing, if the encoding cannot be loaded
        encoding = load(self.unit)[0]
        assert isinstance(self.overlap, int)
        tokenizer = Tokenizer(
            chunk_overlap=self.overlap,
            tokens_per_chunk=self.size,
            decode=encoding.decode,
            encode=encoding.encode_ordinary,
        )
        return [Part(text) for text in split_text_on_tokens(text=document.text, tokenizer=tokenizer)]
