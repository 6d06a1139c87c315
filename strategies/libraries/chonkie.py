"""Chonkie's chunkers, those that cut documents and need neither a download nor an account.

`strategies.reference` says which are left out, and why.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from strategies.document import Document
from strategies.errors import Problem
from strategies.libraries.chonkie_tools import embeddings, imported, tokenizer
from strategies.libraries.library import Library, Part
from strategies.sizes import not_negative, positive
from strategies.strategy import Need, SplitTools, parameter

SIZE = "largest chunk, in units: Chonkie's `chunk_size`"
UNIT = "what `size` and `overlap` count: Chonkie's `tokenizer`"
NOTHING = "nothing, but chunks of white space alone"
SENTENCE_ENDS = (". ", "! ", "? ", "\n")
PLACE = "where a delimiter goes: the piece before it (prev) or behind it (next)"


def _delimiters(given: tuple[str, ...]) -> str:
    return 'holds an empty text ""' if "" in given else ""


def _inside(share: float) -> str:
    return "" if 0 < share < 1 else f"is {share:g}; use more than 0 and less than 1"


@dataclass(frozen=True, slots=True)
class Chunker(Library):
    """What Chonkie's chunkers share."""

    extra: ClassVar[str] = "chonkie"
    package: ClassVar[str] = "chonkie"
    distributions: ClassVar[tuple[str, ...]] = ("chonkie", "chonkie-core")

    @abstractmethod
    def chunker(self, document: Document, tools: SplitTools) -> Any:
        """The library's chunker."""

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `chunk` returns, with its own offsets."""
        return [Part(one.text, one.start_index) for one in self.chunker(document, tools).chunk(document.text)]


@dataclass(frozen=True, slots=True)
class TokenChunker(Chunker):
    """Chonkie's `TokenChunker`: windows of tokens.

    Windows of `size` tokens over the whole document, whatever they cut through. Tokens are those of `unit`,
    and none ends inside a character, where Chonkie's own tokenizers would return broken characters. A
    window that counts more than `size` when it is counted alone stays as it is, marked oversize.

    Use it to measure a pipeline that has it; `fixed` does the same and keeps the size. Costs little more
    than counting the text once.
    """

    name: ClassVar[str] = "chonkie:TokenChunker"
    drops: ClassVar[str] = NOTHING

    size: int = parameter(SIZE)
    overlap: int | str = parameter(
        'units repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter(UNIT, default="cl100k_base")

    def chunker(self, document: Document, tools: SplitTools) -> Any:
        """The library's chunker."""
        return imported().TokenChunker(
            tokenizer(document, tools, self.unit), chunk_size=self.size, chunk_overlap=self.overlap
        )


@dataclass(frozen=True, slots=True)
class SentenceChunker(Chunker):
    """Chonkie's `SentenceChunker`: whole sentences, packed.

    Cuts behind every delimiter, joins sentences of fewer than `min_characters_per_sentence` characters with
    the next, and packs as many as fit into `size`. A sentence that is larger stays whole, however large:
    check the oversize and truncation counts. Abbreviations end sentences ("Dr. ").

    Use it to measure a pipeline that has it; `sentence` knows abbreviations and keeps the size. Costs about
    as much as counting the text.
    """

    name: ClassVar[str] = "chonkie:SentenceChunker"
    drops: ClassVar[str] = NOTHING

    size: int = parameter(SIZE)
    overlap: int | str = parameter(
        'units of whole sentences repeated from the chunk before, or a share such as "10%"; each sentence '
        "counts one more",
        default=0,
    )
    unit: str = parameter(UNIT, default="cl100k_base")
    min_sentences_per_chunk: int = parameter("least sentences a chunk", default=1, check=positive)
    min_characters_per_sentence: int = parameter("least characters a sentence", default=12, check=positive)
    delim: tuple[str, ...] = parameter("what ends a sentence", default=SENTENCE_ENDS, check=_delimiters)
    include_delim: Literal["prev", "next"] = parameter(PLACE, default="prev")

    def chunker(self, document: Document, tools: SplitTools) -> Any:
        """The library's chunker."""
        return imported().SentenceChunker(
            tokenizer(document, tools, self.unit),
            chunk_size=self.size,
            chunk_overlap=self.overlap,
            min_sentences_per_chunk=self.min_sentences_per_chunk,
            min_characters_per_sentence=self.min_characters_per_sentence,
            delim=list(self.delim),
            include_delim=self.include_delim,
        )


@dataclass(frozen=True, slots=True)
class Level:
    """One level of Chonkie's `RecursiveRules`: delimiters, or blanks, or else tokens."""

    delimiters: tuple[str, ...] | None = parameter("what to cut at", default=None, check=_delimiters)
    whitespace: bool = parameter("cut at blanks", default=False)
    include_delim: Literal["prev", "next"] = parameter(PLACE, default="prev")


@dataclass(frozen=True, slots=True)
class RecursiveChunker(Chunker):
    """Chonkie's `RecursiveChunker`: at delimiters, coarse to fine.

    Cuts at the delimiters of the first level, joins neighbours up to `size`, and cuts what is still larger
    at the next level: by default line ends, sentence ends, other punctuation, blanks, tokens. Without a
    last level of tokens (`{}`), what holds no delimiter stays whole, however large. Pieces of fewer than
    `min_characters_per_chunk` characters are joined before they are counted, so that a small `size` is
    often not met by words. Tokens are those of `unit`, and none ends inside a character.

    Use it to measure a pipeline that has it. Costs about as much as counting the text.
    """

    name: ClassVar[str] = "chonkie:RecursiveChunker"
    drops: ClassVar[str] = NOTHING

    size: int = parameter(SIZE)
    unit: str = parameter("what `size` counts: Chonkie's `tokenizer`", default="cl100k_base")
    min_characters_per_chunk: int = parameter("least characters a piece", default=24, check=positive)
    rules: tuple[Level, ...] | None = parameter(
        'levels, coarse to fine, such as {delimiters: ["\\n\\n"]}, {whitespace: true}, {}; '
        "null: those of Chonkie",
        default=None,
    )

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Levels that cut at two things at once."""
        for index, level in enumerate(self.rules or ()) if "rules" not in known else ():
            if level.delimiters and level.whitespace:
                yield Problem(f"rules[{index}].whitespace", "stands beside delimiters", "Give one of the two")
            if " " in (level.delimiters or ()):
                yield Problem(
                    f"rules[{index}].delimiters",
                    "holds a blank, which Chonkie refuses",
                    "Say whitespace: true",
                )

    def chunker(self, document: Document, tools: SplitTools) -> Any:
        """The library's chunker."""
        library = imported()
        levels = (
            None
            if self.rules is None
            else [
                library.RecursiveLevel(
                    list(level.delimiters) if level.delimiters else None,
                    level.whitespace,
                    level.include_delim,
                )
                for level in self.rules
            ]
        )
        return library.RecursiveChunker(
            tokenizer(document, tools, self.unit),
            chunk_size=self.size,
            rules=library.RecursiveRules(levels),
            min_characters_per_chunk=self.min_characters_per_chunk,
        )

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `chunk` returns, with its own offsets."""
        try:
            return Chunker.parts(self, document, tools)
        finally:  # the library keeps thousands of texts, and every chunker that counted one
            imported().RecursiveChunker._estimate_token_count.cache_clear()


@dataclass(frozen=True, slots=True)
class SemanticChunker(Chunker):
    """Chonkie's `SemanticChunker`: where neighbouring sentences differ most.

    Compares the vector of every sentence with that of the `similarity_window` sentences before it, smooths
    the similarities (Savitzky-Golay) and cuts at their minima; with `skip_window`, groups that are alike
    are joined over others between them. Groups above `size` are cut between sentences; a sentence that is
    larger stays whole. `threshold` is the share of minima that are cut at, or with `skip_window` also the
    similarity that joins. Documents of few sentences, at most `similarity_window`, stay whole, however
    large. Vectors are the sweep's embedder's.

    Use it to measure a pipeline that has it. Costs the embedding of about `similarity_window + 1` times the
    text.
    """

    name: ClassVar[str] = "chonkie:SemanticChunker"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)
    drops: ClassVar[str] = NOTHING

    size: int = parameter(SIZE)
    unit: str = parameter("what `size` counts: the tokenizer of Chonkie's embeddings", default="cl100k_base")
    threshold: float = parameter("share of the minima that are cut at, 0 to 1", default=0.8, check=_inside)
    similarity_window: int = parameter("sentences that one is compared with", default=3, check=positive)
    min_sentences_per_chunk: int = parameter("least sentences between two cuts", default=1, check=positive)
    min_characters_per_sentence: int = parameter("least characters a sentence", default=24, check=positive)
    delim: tuple[str, ...] = parameter("what ends a sentence", default=SENTENCE_ENDS, check=_delimiters)
    include_delim: Literal["prev", "next"] = parameter(PLACE, default="prev")
    skip_window: int = parameter(
        "groups that may lie between two that are joined; 0 joins none", default=0, check=not_negative
    )
    filter_window: int = parameter("similarities that are smoothed together, an odd number", default=5)
    filter_polyorder: int = parameter("degree of the smoothing polynomial", default=3, check=not_negative)
    filter_tolerance: float = parameter(
        "largest slope at what still counts as a minimum, 0 to 1", default=0.2, check=_inside
    )

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """A window that cannot be smoothed."""
        if "filter_window" not in known and (self.filter_window < 1 or self.filter_window % 2 == 0):
            yield Problem("filter_window", f"is {self.filter_window}", "Use an odd number")
        elif (
            not known & {"filter_window", "filter_polyorder"} and self.filter_polyorder >= self.filter_window
        ):
            what = f"{self.filter_polyorder} is not less than filter_window {self.filter_window}"
            yield Problem("filter_polyorder", what, f"Use 0 to {self.filter_window - 1}")

    def chunker(self, document: Document, tools: SplitTools) -> Any:
        """The library's chunker."""
        return imported().SemanticChunker(
            embeddings(document, tools, self.unit),
            threshold=self.threshold,
            chunk_size=self.size,
            similarity_window=self.similarity_window,
            min_sentences_per_chunk=self.min_sentences_per_chunk,
            min_characters_per_sentence=self.min_characters_per_sentence,
            delim=list(self.delim),
            include_delim=self.include_delim,
            skip_window=self.skip_window,
            filter_window=self.filter_window,
            filter_polyorder=self.filter_polyorder,
            filter_tolerance=self.filter_tolerance,
        )


@dataclass(frozen=True, slots=True)
class FastChunker(Chunker):
    """Chonkie's `FastChunker`: windows of bytes that end at a delimiter.

    Windows of at most `size_bytes` bytes of UTF-8, each ended behind the last delimiter in it. Where there
    is none, it cuts at the size, inside a character too: a document that this happens to cannot be cut,
    and its configuration fails. So it is for text in Latin letters, and for sizes of some hundred bytes.

    Use it to measure a pipeline that has it. Costs next to nothing.
    """

    name: ClassVar[str] = "chonkie:FastChunker"
    drops: ClassVar[str] = NOTHING

    size_bytes: int = parameter(
        "largest chunk, in bytes: Chonkie's `chunk_size`", default=4096, check=positive
    )
    delimiters: str = parameter("characters to cut at, all ASCII", default="\n.?")
    pattern: str | None = parameter("text to cut at instead of `delimiters`", default=None)
    prefix: bool = parameter("a delimiter begins the next chunk, instead of ending this one", default=False)
    consecutive: bool = parameter("of several delimiters in a row, cut at the first", default=False)
    forward_fallback: bool = parameter(
        "where a window holds no delimiter, cut at the next one behind it", default=False
    )

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Nothing to cut at."""
        if "pattern" not in known and self.pattern == "":
            yield Problem("pattern", 'is ""', "Give a text, or null for `delimiters`")
        if "delimiters" not in known and not self.delimiters.isascii():
            yield Problem("delimiters", f"is {self.delimiters!r}, not ASCII", "Give one `pattern`")

    def chunker(self, document: Document, tools: SplitTools) -> Any:
        """The library's chunker."""
        return imported().FastChunker(
            chunk_size=self.size_bytes,
            delimiters=self.delimiters,
            pattern=self.pattern,
            prefix=self.prefix,
            consecutive=self.consecutive,
            forward_fallback=self.forward_fallback,
        )
