"""Haystack's document splitters. Nothing is downloaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Literal

from strategies.document import Document
from strategies.errors import Problem, refuse
from strategies.libraries.aligning import anywhere
from strategies.libraries.library import Library, Part
from strategies.strategy import SplitTools, parameter
from strategies.telemetry import telemetry_off
from strategies.units.encodings import ENCODINGS, load

# fmt: off
Language = Literal[
    "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "it", "ml", "nl", "no", "pl", "pt", "ru", "sl",
    "sv", "tr",
]
# fmt: on


IDLE = 50
"""Steps without any progress after which a loop counts as endless."""


class Splitter(Library):
    """What Haystack's splitters share."""

    extra: ClassVar[str] = "haystack"
    package: ClassVar[str] = "haystack"
    distributions: ClassVar[tuple[str, ...]] = ("haystack-ai", "nltk")


def run(splitter: Any, document: Document) -> list[Part]:
    """What a splitter makes of a document, where it says that it stands."""
    from haystack import Document as Source

    made = splitter.run(documents=[Source(content=document.text)])["documents"]
    return [Part(found.content, start=found.meta["split_idx_start"]) for found in made]


def find_sentence_models() -> None:
    """Raise BadInput unless NLTK has its sentence models, which Haystack would download.

    They also lie in llama-index, where that is installed.
    """
    import nltk

    found = find_spec("llama_index")
    folders = found.submodule_search_locations if found else None
    places = [str(Path(folder, "core", "_static", "nltk_cache")) for folder in folders or ()]
    nltk.data.path += [place for place in places if place not in nltk.data.path]
    try:
        nltk.data.find("tokenizers/punkt_tab")
    except LookupError:
        raise refuse(
            "strategy",
            "Haystack's sentences need NLTK's models `punkt_tab`, which are not on this machine",
            "Fetch them with `python -m nltk.downloader punkt_tab`, or install chunksweep[llama-index]",
        ) from None


@dataclass(frozen=True, slots=True)
class DocumentSplitter(Splitter):
    """Haystack's `DocumentSplitter`.

    Windows of `split_length` words, lines, paragraphs or other units. A word is what stands between single
    blanks: line ends are part of words, so windows of words are larger than they seem. With `token`, windows
    are of tokens and never cut a character.

    Use it to measure what most Haystack users run. Costs little; windows keep no other size, so check the
    truncation count.
    """

    name: ClassVar[str] = "haystack:DocumentSplitter"
    drops: ClassVar[str] = "nothing"

    split_by: Literal["word", "sentence", "passage", "page", "line", "period", "token"] = parameter(
        "what is counted; `sentence` needs NLTK's models `punkt_tab`", default="word"
    )
    split_length: int = parameter("units a chunk", default=200)
    split_overlap: int = parameter("units repeated from the chunk before", default=0)
    split_threshold: int = parameter("a last chunk of fewer units joins the one before", default=0)
    respect_sentence_boundary: bool = parameter(
        "end windows of words with a sentence; needs NLTK's models `punkt_tab`", default=False
    )
    language: Language = parameter("language of NLTK's sentences", default="en")
    tokenizer_encoding: str = parameter("encoding of tiktoken, for `split_by: token`", default="cl100k_base")

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Numbers that do not move forward, and options that stand alone."""
        yield from lengths(self, known)
        if "split_threshold" not in known and self.split_threshold < 0:
            yield Problem("split_threshold", f"is {self.split_threshold}", "Use 0 or more")
        if self.respect_sentence_boundary and self.split_by != "word" and "split_by" not in known:
            yield Problem("respect_sentence_boundary", f"stands beside split_by: {self.split_by}", "Use word")
        if "tokenizer_encoding" not in known and self.tokenizer_encoding not in ENCODINGS:
            what = f"{self.tokenizer_encoding!r} is no encoding of tiktoken"
            yield Problem("tokenizer_encoding", what, f"Known: {', '.join(ENCODINGS)}")

    def earliest(self, document: Document, tools: SplitTools) -> Callable[[int], int]:
        """Windows share whole units, whose characters are not known here."""
        return anywhere if self.split_overlap else Splitter.earliest(self, document, tools)

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The windows."""
        made = load_haystack().DocumentSplitter(
            split_by=self.split_by,
            split_length=self.split_length,
            split_overlap=self.split_overlap,
            split_threshold=self.split_threshold,
            respect_sentence_boundary=self.respect_sentence_boundary,
            language=self.language,
        )
        if self.split_by == "sentence" or self.respect_sentence_boundary:
            find_sentence_models()
        if self.split_by == "token":
            tools.counter(self.tokenizer_encoding)
            made._tiktoken_tokenizer = load(self.tokenizer_encoding)[
                0
            ]  # its own way to load one downloads it
        return run(made, document)


@dataclass(frozen=True, slots=True)
class RecursiveDocumentSplitter(Splitter):
    """Haystack's `RecursiveDocumentSplitter`.

    Cuts at the first separator, joins neighbours up to `size`, cuts what is larger at the separators behind
    it, and at last into words, characters or tokens. An overlap is put before a finished chunk, whose end
    then moves to the next one: with one, chunks end anywhere.

    Use it to measure a pipeline that has it. Costs many times what `recursive` does in tokens.
    """

    name: ClassVar[str] = "haystack:RecursiveDocumentSplitter"
    drops: ClassVar[str] = "nothing; with `unit` a tiktoken encoding, characters that lie across a border"

    size: int = parameter("largest chunk, in units: its `split_length`")
    overlap: int | str = parameter(
        'units repeated from the chunk before, or a share such as "10%"', default=0
    )
    unit: str = parameter(
        "what `size` and `overlap` count: characters, words (what stands between blanks) or an encoding of "
        "tiktoken: its `split_unit`",
        default="cl100k_base",
    )
    separators: tuple[str, ...] = parameter(
        "what to cut behind, coarse to fine; `sentence` needs NLTK's models `punkt_tab`",
        default=("\n\n", "sentence", "\n", " "),
    )

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Units and separators that it does not know."""
        if "unit" not in known and self.unit not in ("characters", "words", *ENCODINGS):
            yield Problem(
                "unit", f"{self.unit} is no unit of Haystack", "Use characters, words or cl100k_base"
            )
        tokens = self.unit in ENCODINGS and not known & {"size", "overlap", "unit"}
        if tokens and self.overlap and self.overlap == self.size - 1:
            yield Problem("overlap", "leaves one token, with which Haystack runs on without end", "Use less")
        if "separators" not in known and not (self.separators and all(self.separators)):
            yield Problem("separators", "is empty or holds an empty text")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The chunks."""
        made = load_haystack().RecursiveDocumentSplitter(
            split_length=self.size,
            split_overlap=self.overlap,
            split_unit={"characters": "char", "words": "word"}.get(self.unit, "token"),
            separators=list(self.separators),
        )
        if "sentence" in self.separators:
            made.nltk_tokenizer = sentence_tokenizer()
        if self.unit in ENCODINGS:
            tools.counter(self.unit)
            made.tiktoken_tokenizer = load(self.unit)[0]
            end_surely(made)
        made._is_warmed_up = True  # its own way downloads an encoding
        return run(made, document)


@cache
def sentence_tokenizer() -> Any:
    """What finds sentences for it: reading the models takes longer than cutting a document."""
    find_sentence_models()
    made = load_haystack().RecursiveDocumentSplitter()
    return made._get_custom_sentence_tokenizer(made.sentence_splitter_params)


def end_surely(splitter: Any) -> None:
    """Make a recursive splitter raise where it would run on without end.

    It decodes the tokens of an overlap and encodes them anew. Where that gives more tokens than there were,
    its last loop, which cuts the rest of the text down, may no longer make it shorter.
    """
    overlap, cut = splitter._apply_overlap, splitter._split_chunk
    calls, shortest, idle = 0, 0, 0

    def counted(chunks: list[str]) -> Any:
        nonlocal calls
        calls = -len(chunks)  # so often it may cut before that loop
        return overlap(chunks)

    def watched(chunk: str) -> Any:
        nonlocal calls, shortest, idle
        first, rest = cut(chunk)
        calls += 1
        if calls <= 1 or len(rest) < shortest:
            shortest, idle = len(rest), 0
        else:
            idle += 1
        if idle > IDLE:
            raise RuntimeError("it would run on without end; use less overlap")
        return first, rest

    splitter._apply_overlap, splitter._split_chunk = counted, watched


def lengths(strategy: DocumentSplitter, known: set[str]) -> Iterator[Problem]:
    """What is wrong with a length and an overlap."""
    length, overlap = strategy.split_length, strategy.split_overlap
    if known & {"split_length", "split_overlap"}:
        return
    if length < 1:
        yield Problem("split_length", f"is {length}", "Use 1 or more")
    elif overlap < 0:
        yield Problem("split_overlap", f"is {overlap}", "Use 0 or more")
    elif overlap >= length:
        what = f"{overlap} is not less than split_length {length}"
        yield Problem("split_overlap", what, f"Use 0 to {length - 1}")


def load_haystack() -> Any:
    """Haystack's preprocessors."""
    telemetry_off()
    from haystack.components import preprocessors

    return preprocessors
