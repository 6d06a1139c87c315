"""Strategies of other libraries, each behind an extra. Nothing here imports one before it cuts."""

from __future__ import annotations

from strategies.libraries import haystack, langchain, langchain_structure, llama_index
from strategies.libraries.library import Library

THIRD_PARTY: dict[str, type[Library]] = {
    "langchain:RecursiveCharacterTextSplitter": langchain.RecursiveCharacterTextSplitter,
    "langchain:CharacterTextSplitter": langchain.CharacterTextSplitter,
    "langchain:TokenTextSplitter": langchain.TokenTextSplitter,
    "langchain:MarkdownTextSplitter": langchain.MarkdownTextSplitter,
    "langchain:PythonCodeTextSplitter": langchain.PythonCodeTextSplitter,
    "langchain:MarkdownHeaderTextSplitter": langchain_structure.MarkdownHeaderTextSplitter,
    "langchain:SemanticChunker": langchain_structure.SemanticChunker,
    "llama_index:SentenceSplitter": llama_index.SentenceSplitter,
    "llama_index:TokenTextSplitter": llama_index.TokenTextSplitter,
    "llama_index:SentenceWindowNodeParser": llama_index.SentenceWindowNodeParser,
    "llama_index:MarkdownNodeParser": llama_index.MarkdownNodeParser,
    "llama_index:SemanticSplitterNodeParser": llama_index.SemanticSplitterNodeParser,
    "haystack:DocumentSplitter": haystack.DocumentSplitter,
    "haystack:RecursiveDocumentSplitter": haystack.RecursiveDocumentSplitter,
}
"""Every strategy of a library, by the word that a sweep file uses."""

__all__ = ["THIRD_PARTY"]
