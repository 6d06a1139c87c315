"""LlamaIndex's parsers: what they are told, what they return, where it lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from evaluation.embedders.hashing import HashingEmbedder
from strategies.document import Chunk, Document
from strategies.errors import BadInput, SplitError
from strategies.libraries import THIRD_PARTY
from strategies.parameters import made, parameters
from strategies.splitting import split
from strategies.strategy import Strategy, Vectors
from strategies.tools import Tools

pytest.importorskip("llama_index.core", exc_type=ImportError)

EACH = [name for name in THIRD_PARTY if name.startswith("llama_index:")]


def build(name: str, **asked: Any) -> Strategy:
    """A parser of LlamaIndex by its own name, told what it knows of `asked`."""
    cls = THIRD_PARTY[name if ":" in name else f"llama_index:{name}"]
    known = {parameter.name for parameter in parameters(cls)}
    sizes = {"size", "overlap", "unit"}
    return made(cls, {key: value for key, value in asked.items() if key in known or key not in sizes}, name)


def chunks(text: str, strategy: Strategy, tools: Tools | None = None) -> tuple[Chunk, ...]:
    return split(Document("gate.md", text), strategy, tools or Tools())


def texts(text: str, strategy: Strategy, tools: Tools | None = None) -> list[str]:
    return [chunk.text for chunk in chunks(text, strategy, tools)]


@pytest.mark.parametrize(
    ("name", "given", "where"),
    [
        ("SentenceSplitter", {"separator": ""}, "separator"),
        ("SentenceSplitter", {"paragraph_separator": ""}, "paragraph_separator"),
        ("SentenceSplitter", {"secondary_chunking_regex": "("}, "secondary_chunking_regex"),
        ("TokenTextSplitter", {"separator": ""}, "separator"),
        ("TokenTextSplitter", {"backup_separators": ["\n", ""]}, "backup_separators"),
        ("SentenceWindowNodeParser", {"window_size": 0}, "window_size"),
        ("SemanticSplitterNodeParser", {"buffer_size": -1}, "buffer_size"),
        ("SemanticSplitterNodeParser", {"breakpoint_percentile_threshold": 101}, "breakpoint_percentile"),
    ],
)
def test_what_cannot_work_is_refused(name: str, given: Mapping[str, object], where: str) -> None:
    with pytest.raises(BadInput, match=f"^{where}"):
        build(name, size=9, **given)


# One by one

TEXT = "The gate opens at six. Visitors sign the blue book. Dogs stay outside. The gate opens at six."


def test_whole_sentences_and_the_overlap_that_is_asked() -> None:
    found = chunks(TEXT, build("SentenceSplitter", size=52, overlap=30, unit="characters"))
    assert [(c.start, c.end) for c in found] == [(0, 51), (23, 70), (52, 93)]


def test_it_is_the_library_with_its_defaults() -> None:
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.schema import Document as Source

    text = (TEXT + "\n\n\n") * 30
    theirs = SentenceSplitter(chunk_size=60, chunk_overlap=25, tokenizer=str.split)
    nodes = theirs.get_nodes_from_documents([Source(text=text)])
    ours = chunks(text, build("SentenceSplitter", size=60, overlap=25, unit="words"))
    assert [chunk.embedded_text for chunk in ours] == [node.get_content() for node in nodes]


def test_repeated_sentences_lie_where_they_were_cut() -> None:
    text = "The gate opens at six. " * 40
    found = chunks(text, build("SentenceSplitter", size=70, overlap=25, unit="characters"))
    assert [chunk.start for chunk in found] == list(range(0, 46 * len(found), 46))
    assert found[-1].end == len(text) - 1


def test_a_character_larger_than_the_size_fails_the_document() -> None:
    with pytest.raises(SplitError) as error:
        chunks("大門は六時に開きます。", build("SentenceSplitter", size=1))
    said = "gate.md: llama_index:SentenceSplitter failed: ValueError: Single token exceeded chunk size"
    assert str(error.value) == said


def test_words_up_to_the_size() -> None:
    strategy = build("TokenTextSplitter", size=3, overlap=1, unit="words")
    assert texts("one two three four five", strategy) == ["one two three", "three four five"]
    kept = build("TokenTextSplitter", size=2, unit="words", keep_whitespaces=True)
    assert texts("one two  three", kept) == ["one two ", "  three"]


def test_a_sentence_is_embedded_and_its_window_returned() -> None:
    found = chunks(TEXT, build("SentenceWindowNodeParser", window_size=1))
    assert [c.text.strip() for c in found] == [
        "The gate opens at six.",
        "Visitors sign the blue book.",
        "Dogs stay outside.",
        "The gate opens at six.",
    ]
    assert [c.returned for c in found] == [(0, 52), (0, 71), (23, 93), (52, 93)]
    assert all(chunk.embedded_text == chunk.text for chunk in found)


MARKDOWN = "Before.\n\n# A/B\n\nText.\n\n##  Two\n\n```\n# no\n```\n\n# Last\n"


def test_headings_become_sections_and_their_path_is_embedded() -> None:
    found = chunks(MARKDOWN, build("MarkdownNodeParser"))
    assert [(c.section, c.text) for c in found] == [
        ((), "Before."),
        (("A/B",), "# A/B\n\nText."),
        (("A/B", "Two"), "##  Two\n\n```\n# no\n```"),
        (("Last",), "# Last"),
    ]
    assert found[2].embedded_text == "header_path: /A/B/\n\n##  Two\n\n```\n# no\n```"


def test_the_path_is_as_llama_index_embeds_it() -> None:
    from llama_index.core.node_parser import MarkdownNodeParser
    from llama_index.core.schema import Document as Source
    from llama_index.core.schema import MetadataMode

    nodes = MarkdownNodeParser().get_nodes_from_documents([Source(text=MARKDOWN)])
    theirs = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
    assert [c.embedded_text for c in chunks(MARKDOWN, build("MarkdownNodeParser"))] == theirs
    plain = build("MarkdownNodeParser", include_metadata=False)
    assert [c.embedded_text for c in chunks(MARKDOWN, plain)] == [node.get_content() for node in nodes]
    dotted = chunks(MARKDOWN, build("MarkdownNodeParser", header_path_separator=" > "))
    assert dotted[2].embedded_text.startswith("header_path:  > A/B >")


class TestSemantic:
    TEXT = "Cats purr. Cats sleep. Cats eat. Bolts hold. Bolts rust. Bolts turn."

    @staticmethod
    def embed(texts: Sequence[str]) -> Vectors:
        cats = np.array([[text.count("Cats"), text.count("Bolts")] for text in texts], dtype=np.float32)
        return cats / np.linalg.norm(cats, axis=1, keepdims=True)

    def test_it_cuts_where_the_topic_changes(self) -> None:
        strategy = build("SemanticSplitterNodeParser", buffer_size=0, breakpoint_percentile_threshold=80)
        found = texts(self.TEXT, strategy, Tools(embed=self.embed))
        assert found == [self.TEXT[:33], self.TEXT[33:]]

    def test_all_sentences_are_embedded_at_once(self) -> None:
        asked: list[int] = []

        def embed(texts: Sequence[str]) -> Vectors:
            asked.append(len(texts))
            return self.embed(texts)

        chunks(self.TEXT * 20, build("SemanticSplitterNodeParser"), Tools(embed=embed))
        assert asked == [101]  # "turn.Cats" is no end of a sentence

    def test_it_needs_an_embedder(self) -> None:
        with pytest.raises(BadInput, match="needs an embedder"):
            chunks(self.TEXT, build("SemanticSplitterNodeParser"))


def test_nothing_is_printed_and_nothing_downloaded(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """NLTK_DATA would make the library fetch its models there."""
    import nltk

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a download")

    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk, "download", refuse)
    for name in EACH:
        chunks(TEXT, build(name, size=8), Tools(embed=HashingEmbedder(dim=16).embed))
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
