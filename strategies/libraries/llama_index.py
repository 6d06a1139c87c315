"""LlamaIndex's node parsers: sentences, tokens, windows, Markdown, meaning."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from strategies.document import Document
from strategies.errors import Problem
from strategies.libraries.library import Library, Part, broken
from strategies.strategy import Cut, Need, SplitTools, parameter

SIZE = "largest chunk, in units; pieces are counted alone and added up"
OVERLAP = 'units of whole pieces repeated from the chunk before, or a share such as "10%"'
UNIT = "what `size` and `overlap` count: LlamaIndex's `tokenizer`"

# A tab of its own kind between the headings of a path, whose own separator may stand in a heading.
_BETWEEN = "\x1f"
_HEADING = re.compile(r"#+\s(.*)")


class NodeParser(Library):
    """What LlamaIndex's parsers share."""

    extra: ClassVar[str] = "llama-index"
    package: ClassVar[str] = "llama_index"
    distributions: ClassVar[tuple[str, ...]] = ("llama-index-core", "nltk")


def sentences() -> Callable[[str], list[str]]:
    """LlamaIndex's own `split_by_sentence_tokenizer`: NLTK's tokenizer as it is before any training.

    Made here because the library's first looks for stop words that it never uses, and downloads them where
    it finds none.
    """
    from llama_index.core.node_parser.text.utils import split_by_sentence_tokenizer_internal
    from nltk.tokenize import PunktSentenceTokenizer

    tokenizer = PunktSentenceTokenizer()
    return lambda text: list(split_by_sentence_tokenizer_internal(text, tokenizer))


def units(tools: SplitTools, unit: str) -> Callable[[str], range]:
    """A tokenizer whose answer is as long as a text counts units: LlamaIndex looks at no more."""
    count = tools.counter(unit).count
    return lambda text: range(count(text))


@dataclass(frozen=True, slots=True)
class SentenceSplitter(NodeParser):
    """LlamaIndex's `SentenceSplitter`.

    Whole sentences up to `size`: paragraphs, then sentences (NLTK's untrained tokenizer, without
    abbreviations), then phrases, words and characters, as far as needed. A character that is larger than
    `size` fails the document.

    Use it to measure what most LlamaIndex users run. Costs many times what `sentence` does in tokens,
    because every piece is counted alone.
    """

    name: ClassVar[str] = "llama_index:SentenceSplitter"
    drops: ClassVar[str] = "white space at chunk ends; what `secondary_chunking_regex` does not match"

    size: int = parameter(SIZE)
    overlap: int | str = parameter(OVERLAP, default=0)
    unit: str = parameter(UNIT, default="cl100k_base")
    separator: str = parameter("what stands between words", default=" ")
    paragraph_separator: str = parameter("what stands between paragraphs", default="\n\n\n")
    secondary_chunking_regex: str | None = parameter(
        "pattern of a phrase, for sentences that are too large",
        default="[^,.;。？！]+[,.;。？！]?|[,.;。？！]",
    )

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Separators that cannot be used."""
        for name in ("separator", "paragraph_separator"):
            if name not in known and not getattr(self, name):
                yield Problem(name, "is empty")
        if self.secondary_chunking_regex and "secondary_chunking_regex" not in known:
            yield from broken("secondary_chunking_regex", (self.secondary_chunking_regex,))

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `split_text` returns."""
        from llama_index.core.node_parser import SentenceSplitter as Splitter

        assert isinstance(self.overlap, int)
        splitter = Splitter(
            chunk_size=self.size,
            chunk_overlap=self.overlap,
            tokenizer=units(tools, self.unit),
            chunking_tokenizer_fn=sentences(),
            separator=self.separator,
            paragraph_separator=self.paragraph_separator,
            secondary_chunking_regex=self.secondary_chunking_regex,
        )
        return [Part(text) for text in splitter.split_text(document.text)]


@dataclass(frozen=True, slots=True)
class TokenTextSplitter(NodeParser):
    """LlamaIndex's `TokenTextSplitter`.

    Words up to `size`, then lines and characters where a word is larger: it counts in tokens, and never
    cuts inside a character.

    Use it to measure a pipeline that has it. Costs many times what `fixed` does in tokens, because every
    word is counted alone.
    """

    name: ClassVar[str] = "llama_index:TokenTextSplitter"
    drops: ClassVar[str] = "white space at chunk ends, unless `keep_whitespaces: true`"

    size: int = parameter(SIZE)
    overlap: int | str = parameter(OVERLAP, default=0)
    unit: str = parameter(UNIT, default="cl100k_base")
    separator: str = parameter("what stands between words", default=" ")
    backup_separators: tuple[str, ...] = parameter("what else to cut at, if there is none", default=("\n",))
    keep_whitespaces: bool = parameter("keep white space at chunk ends", default=False)

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Separators that cannot be used."""
        if "separator" not in known and not self.separator:
            yield Problem("separator", "is empty")
        if "backup_separators" not in known and not all(self.backup_separators):
            yield Problem("backup_separators", "holds an empty text")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """What `split_text` returns."""
        from llama_index.core.node_parser import TokenTextSplitter as Splitter

        assert isinstance(self.overlap, int)
        splitter = Splitter(
            chunk_size=self.size,
            chunk_overlap=self.overlap,
            tokenizer=units(tools, self.unit),
            separator=self.separator,
            backup_separators=list(self.backup_separators),
            keep_whitespaces=self.keep_whitespaces,
        )
        return [Part(text) for text in splitter.split_text(document.text)]


@dataclass(frozen=True, slots=True)
class SentenceWindowNodeParser(NodeParser):
    """LlamaIndex's `SentenceWindowNodeParser`, with its `MetadataReplacementPostProcessor`.

    Every sentence is a chunk and is embedded alone; what a reader gets is the sentence with its
    neighbours. Sentences are NLTK's untrained ones, and keep no size.

    Use it to measure a pipeline that has it. Costs one vector a sentence: the largest index of all.
    """

    name: ClassVar[str] = "llama_index:SentenceWindowNodeParser"
    drops: ClassVar[str] = "white space before the first sentence"

    window_size: int = parameter("sentences on each side that are returned with one", default=3)

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """A window of nothing."""
        if "window_size" not in known and self.window_size < 1:
            yield Problem("window_size", f"is {self.window_size}", "Use 1 or more")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The sentences of the parser's nodes."""
        from llama_index.core.node_parser import SentenceWindowNodeParser as Parser
        from llama_index.core.schema import Document as Source

        parser = Parser.from_defaults(window_size=self.window_size, sentence_splitter=sentences())
        return [
            Part(node.text) for node in parser.build_window_nodes_from_documents([Source(text=document.text)])
        ]

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the sentences, each returning its window."""
        found = list(NodeParser.cuts(self, document, tools))
        for index, cut in enumerate(found):
            first = found[max(index - self.window_size, 0)]
            last = found[min(index + self.window_size, len(found) - 1)]
            yield dataclasses.replace(cut, returned=(first.start, last.end))


@dataclass(frozen=True, slots=True)
class MarkdownNodeParser(NodeParser):
    """LlamaIndex's `MarkdownNodeParser`.

    The text from one heading to the next, whatever its size. With `include_metadata`, the path of the
    headings above stands before the text that is embedded, as LlamaIndex embeds its nodes. Only headings
    that begin with `#` count, and only fences of three backticks are code.

    Use it to measure a pipeline that has it: check the truncation count, because no size is kept. Costs
    less than `markdown`: nothing is counted. The paths are embedded too, and paid for.
    """

    name: ClassVar[str] = "llama_index:MarkdownNodeParser"
    embeds_more: ClassVar[bool] = True
    drops: ClassVar[str] = "white space at chunk ends"

    include_metadata: bool = parameter("put `header_path` before the text that is embedded", default=True)
    header_path_separator: str = parameter("what stands between the headings of a path", default="/")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The parser's nodes, with the headings above each."""
        from llama_index.core.node_parser import MarkdownNodeParser as Parser
        from llama_index.core.schema import Document as Source
        from llama_index.core.schema import MetadataMode

        parser = Parser.from_defaults(header_path_separator=_BETWEEN)
        for node in parser.get_nodes_from_node(Source(text=document.text)):
            path: str = node.metadata["header_path"]
            node.metadata["header_path"] = path.replace(_BETWEEN, self.header_path_separator)
            mode = MetadataMode.EMBED if self.include_metadata else MetadataMode.NONE
            heading = _HEADING.match(node.text)
            above = (*path.split(_BETWEEN), heading[1] if heading else "")
            section = tuple(title.strip() for title in above if title.strip())
            yield Part(node.text, section=section, embedded=node.get_content(metadata_mode=mode))


@dataclass(frozen=True, slots=True)
class SemanticSplitterNodeParser(NodeParser):
    """LlamaIndex's `SemanticSplitterNodeParser` (after Kamradt, 2024).

    Embeds every sentence with its neighbours and cuts where the distance to the next one is above a
    percentile of the document's own distances. Keeps no size, and is embedded with the sweep's embedder.

    Use it to measure a pipeline that has it, and `semantic` for sizes that are kept. Costs the
    embedding of about `2 * buffer_size + 1` times the text.
    """

    name: ClassVar[str] = "llama_index:SemanticSplitterNodeParser"
    needs: ClassVar[tuple[Need, ...]] = ("embedder",)
    drops: ClassVar[str] = "white space before the first sentence"

    buffer_size: int = parameter("sentences on each side that are embedded with one", default=1)
    breakpoint_percentile_threshold: int = parameter(
        "percentile of the distances above which it cuts, 0 to 100", default=95
    )

    def problems(self, known: set[str]) -> Iterator[Problem]:
        """Numbers out of range."""
        if "buffer_size" not in known and self.buffer_size < 0:
            yield Problem("buffer_size", f"is {self.buffer_size}", "Use 0 or more")
        percentile = self.breakpoint_percentile_threshold
        if "breakpoint_percentile_threshold" not in known and not 0 <= percentile <= 100:
            yield Problem("breakpoint_percentile_threshold", f"is {percentile}", "Use 0 to 100")

    def parts(self, document: Document, tools: SplitTools) -> Iterable[Part]:
        """The parser's nodes, with the sweep's embedder."""
        from llama_index.core.node_parser import SemanticSplitterNodeParser as Parser
        from llama_index.core.schema import Document as Source

        parser = Parser(
            embed_model=embedding(tools),
            sentence_splitter=sentences(),
            buffer_size=self.buffer_size,
            breakpoint_percentile_threshold=self.breakpoint_percentile_threshold,
        )
        source = Source(text=document.text)
        return [Part(node.text) for node in parser.build_semantic_nodes_from_documents([source])]


def embedding(tools: SplitTools) -> Any:
    """The sweep's embedder as LlamaIndex's, which hands over as many texts at once as it may."""
    from llama_index.core.embeddings import BaseEmbedding

    class Desk(BaseEmbedding):  # type: ignore[misc]  # a pydantic model that is read without its types
        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return [[float(value) for value in row] for row in tools.embed(texts)]

        def _get_text_embedding(self, text: str) -> list[float]:
            return self._get_text_embeddings([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    return Desk(model_name="sweep", embed_batch_size=2048)
