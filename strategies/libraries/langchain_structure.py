"""LangChain's splitters by headings and by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from strategies.document import Document
from strategies.errors import Problem
from strategies.libraries.library import Library, Part, broken
from strategies.libraries.views import View, printing
from strategies.strategy import Need, SplitTools, parameter


def levels_problem(levels: Sequence[int]) -> str:
    """What is wrong with a list of heading levels."""
    if not levels:
        return "is empty"
    wrong = [level for level in levels if not 1 <= level <= 6]
    return f"holds {wrong[0]}, and levels are 1 to 6" if wrong else ""


@dataclass(frozen=True, slots=True)
class MarkdownHeaderTextSplitter(Library):
    """LangChain's `MarkdownHeaderTextSplitter`.

    The text between headings of the asked levels, whatever its size; the headings above become the
    chunk's section. Indentation, blank lines and characters that do not print are taken out of what is
    embedded; chunks stay slices of the document. Only headings that begin with `#` count.

    Use it to measure a pipeline that has it: check the truncation count, because no size is kept. Costs
    less than `markdown`: nothing is counted.
    """

    name: ClassVar[str] = "langchain:MarkdownHeaderTextSplitter"
    extra: ClassVar[str] = "langchain"
    package: ClassVar[str] = "langchain_text_splitters"
    distributions: ClassVar[tuple[str, ...]] = ("langchain-text-splitters",)
    drops: ClassVar[str] = (
        "heading lines, unless `strip_headers: false`; indentation; blank lines; what does not print"
    )

    headers_to_split_on: tuple[int, ...] = parameter(
        "heading levels to cut at: 1 for `#`", default=(1, 2, 3), check=levels_problem
    )
    strip_headers: bool = parameter("leave heading lines out of the chunks", default=True)
    return_each_line: bool = parameter(
        "a chunk for every block between blank lines, not for every section", default=False
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        Library.__post_init__(self)
        object.__setattr__(self, "headers_to_split_on", tuple(sorted(set(self.headers_to_split_on))))

    def view(self, document: Document) -> View:
        """The characters that print."""
        return printing(document.text)

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `split_text` returns, with the headings above."""
        from langchain_text_splitters import MarkdownHeaderTextSplitter as Splitter

        splitter = Splitter(
            [("#" * level, str(level)) for level in self.headers_to_split_on],
            return_each_line=self.return_each_line,
            strip_headers=self.strip_headers,
        )
        for found in splitter.split_text(document.text):
            path = tuple(heading for _, heading in sorted(found.metadata.items()) if heading)
            yield Part(found.page_content, section=path)


@dataclass(frozen=True, slots=True)
class SemanticChunker(Library):
    """LangChain's `SemanticChunker` (of langchain-experimental, after Kamradt, 2024).

    Embeds every sentence with its neighbours and cuts where the distance to the next one is above a
    threshold that is taken from the document's own distances. Keeps no size, and is embedded with the
    sweep's embedder.

    Use it to measure a pipeline that has it, and `semantic` for sizes that are kept. Costs the
    embedding of about `2 * buffer_size + 1` times the text.
    """

    name: ClassVar[str] = "langchain:SemanticChunker"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)
    extra: ClassVar[str] = "langchain"
    package: ClassVar[str] = "langchain_experimental"
    distributions: ClassVar[tuple[str, ...]] = ("langchain-experimental", "langchain-community")
    drops: ClassVar[str] = "white space between sentences, which becomes one blank"

    buffer_size: int = parameter("sentences on each side that are embedded with one", default=1)
    breakpoint_threshold_type: Literal["percentile", "standard_deviation", "interquartile", "gradient"] = (
        parameter("how the threshold is taken from the distances", default="percentile")
    )
    breakpoint_threshold_amount: float | None = parameter(
        "percentile (0 to 100), deviations or ranges; as read: 95, 3, 1.5, 95", default=None
    )
    number_of_chunks: int | None = parameter("about so many chunks instead of a threshold", default=None)
    sentence_split_regex: str = parameter("what stands between sentences", default=r"(?<=[.?!])\s+")
    min_chunk_size: int | None = parameter("least characters of a chunk", default=None)

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        Library.__post_init__(self)
        if self.breakpoint_threshold_amount is None:
            usual = {"percentile": 95.0, "standard_deviation": 3.0, "interquartile": 1.5, "gradient": 95.0}
            amount = usual[self.breakpoint_threshold_type]
            object.__setattr__(self, "breakpoint_threshold_amount", amount)

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Numbers out of range, and a pattern that cannot be read."""
        if "buffer_size" not in known and self.buffer_size < 0:
            yield Problem("buffer_size", f"is {self.buffer_size}", "Use 0 or more")
        if (
            "number_of_chunks" not in known
            and self.number_of_chunks is not None
            and self.number_of_chunks < 1
        ):
            yield Problem("number_of_chunks", f"is {self.number_of_chunks}", "Use 1 or more")
        if "min_chunk_size" not in known and self.min_chunk_size is not None and self.min_chunk_size < 0:
            yield Problem("min_chunk_size", f"is {self.min_chunk_size}", "Use 0 or more")
        amount = self.breakpoint_threshold_amount
        if amount is not None and not known & {"breakpoint_threshold_amount", "breakpoint_threshold_type"}:
            by_share = self.breakpoint_threshold_type in ("percentile", "gradient")
            if amount < 0 or (by_share and amount > 100):
                remedy = "Use 0 to 100" if by_share else "Use 0 or more"
                yield Problem("breakpoint_threshold_amount", f"is {amount:g}", remedy)
        if "sentence_split_regex" not in known:
            yield from broken("sentence_split_regex", (self.sentence_split_regex,))

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `split_text` returns, with the sweep's embedder."""
        from langchain_core.embeddings import Embeddings
        from langchain_experimental.text_splitter import SemanticChunker as Splitter

        class Desk(Embeddings):  # type: ignore[misc]  # read without its types
            """The sweep's embedder."""

            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [[float(value) for value in row] for row in tools.embed(texts)]

            def embed_query(self, text: str) -> list[float]:
                return self.embed_documents([text])[0]

        splitter = Splitter(
            Desk(),
            buffer_size=self.buffer_size,
            breakpoint_threshold_type=self.breakpoint_threshold_type,
            breakpoint_threshold_amount=self.breakpoint_threshold_amount,
            number_of_chunks=self.number_of_chunks,
            sentence_split_regex=self.sentence_split_regex,
            min_chunk_size=self.min_chunk_size,
        )
        # A blank last sentence has nothing to embed.
        return [Part(text) for text in splitter.split_text(document.text.strip())]
