"""Strategies of other libraries, each behind an extra. Nothing here imports one before it cuts."""

from __future__ import annotations

from strategies.libraries import (
    chonkie,
    haystack,
    langchain,
    langchain_html,
    langchain_structure,
    llama_index,
    semantic_text_splitter,
    semchunk,
)
from strategies.libraries.library import Library

THIRD_PARTY: dict[str, type[Library]] = {
    "langchain:RecursiveCharacterTextSplitter": langchain.RecursiveCharacterTextSplitter,
    "langchain:CharacterTextSplitter": langchain.CharacterTextSplitter,
    "langchain:TokenTextSplitter": langchain.TokenTextSplitter,
    "langchain:MarkdownTextSplitter": langchain.MarkdownTextSplitter,
    "langchain:PythonCodeTextSplitter": langchain.PythonCodeTextSplitter,
    "langchain:MarkdownHeaderTextSplitter": langchain_structure.MarkdownHeaderTextSplitter,
    "langchain:HTMLHeaderTextSplitter": langchain_html.HTMLHeaderTextSplitter,
    "langchain:SemanticChunker": langchain_structure.SemanticChunker,
    "llama_index:SentenceSplitter": llama_index.SentenceSplitter,
    "llama_index:TokenTextSplitter": llama_index.TokenTextSplitter,
    "llama_index:SentenceWindowNodeParser": llama_index.SentenceWindowNodeParser,
    "llama_index:MarkdownNodeParser": llama_index.MarkdownNodeParser,
    "llama_index:SemanticSplitterNodeParser": llama_index.SemanticSplitterNodeParser,
    "haystack:DocumentSplitter": haystack.DocumentSplitter,
    "haystack:RecursiveDocumentSplitter": haystack.RecursiveDocumentSplitter,
    "chonkie:TokenChunker": chonkie.TokenChunker,
    "chonkie:SentenceChunker": chonkie.SentenceChunker,
    "chonkie:RecursiveChunker": chonkie.RecursiveChunker,
    "chonkie:SemanticChunker": chonkie.SemanticChunker,
    "chonkie:FastChunker": chonkie.FastChunker,
    "semchunk": semchunk.Semchunk,
    "semantic_text_splitter:TextSplitter": semantic_text_splitter.TextSplitter,
    "semantic_text_splitter:MarkdownSplitter": semantic_text_splitter.MarkdownSplitter,
}
"""Every strategy of a library, by the word that a sweep file uses."""

__all__ = ["THIRD_PARTY"]
