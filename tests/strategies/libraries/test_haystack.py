"""Haystack's splitters: what they are told, what they return, where it lies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from contract import LONG, NASTY

from strategies.document import Chunk, Document
from strategies.errors import BadInput, SplitError
from strategies.libraries import THIRD_PARTY, haystack
from strategies.parameters import made
from strategies.splitting import split
from strategies.strategy import Strategy
from strategies.tools import Tools

pytest.importorskip("nltk")
if not THIRD_PARTY["haystack:DocumentSplitter"].is_installed():
    pytest.skip("haystack-ai is not installed", allow_module_level=True)


def build(name: str, **asked: Any) -> Strategy:
    """A splitter of Haystack by its own name."""
    return made(THIRD_PARTY[f"haystack:{name}"], asked, name)


def chunks(text: str, strategy: Strategy) -> tuple[Chunk, ...]:
    return split(Document("gate.txt", text), strategy, Tools())


def texts(text: str, strategy: Strategy) -> list[str]:
    return [chunk.text for chunk in chunks(text, strategy)]


@pytest.mark.parametrize("by", ["word", "sentence", "passage", "page", "line", "period", "token"])
def test_windows_of_all_kinds_lose_nothing(by: str) -> None:
    for length, overlap in ((1, 0), (7, 6), (64, 21)):
        strategy = build("DocumentSplitter", split_by=by, split_length=length, split_overlap=overlap)
        covered = 0
        for chunk in chunks(LONG, strategy):
            assert not LONG[covered : chunk.start].strip()
            covered = chunk.end
        assert not LONG[covered:].strip()


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("DocumentSplitter", {"split_length": 0}, "split_length: is 0"),
        ("DocumentSplitter", {"split_overlap": -1}, "split_overlap: is -1"),
        ("DocumentSplitter", {"split_length": 5, "split_overlap": 5}, "split_overlap: 5 is not less than"),
        ("DocumentSplitter", {"split_threshold": -1}, "split_threshold: is -1"),
        ("DocumentSplitter", {"split_by": "function"}, "split_by: is the text 'function'"),
        ("DocumentSplitter", {"split_by": "line", "respect_sentence_boundary": True}, "respect_sentence"),
        ("DocumentSplitter", {"tokenizer_encoding": "cl100k"}, "tokenizer_encoding: 'cl100k' is no encoding"),
        ("RecursiveDocumentSplitter", {"size": 9, "overlap": 9}, "overlap: 9 is not less than size 9"),
        ("RecursiveDocumentSplitter", {"size": 9, "overlap": 8}, "overlap: leaves one token"),
        ("RecursiveDocumentSplitter", {"size": 9, "unit": "embedder"}, "unit: embedder is no unit"),
        ("RecursiveDocumentSplitter", {"size": 9, "separators": [""]}, "separators: is empty or holds"),
    ],
)
def test_what_cannot_work_is_refused(name: str, given: Mapping[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        build(name, **given)


# DocumentSplitter

TEXT = "The gate opens at six. Visitors sign the book of Dr. No. Dogs stay outside.\n\nHe left. It is late."


def test_windows_by_hand() -> None:
    assert texts("one two three four five", build("DocumentSplitter", split_length=3, split_overlap=1)) == [
        "one two three ",
        "three four five",
    ]
    assert texts("a\nb\nc", build("DocumentSplitter", split_by="line", split_length=2)) == ["a\nb\n", "c"]
    assert texts("a.b\fc", build("DocumentSplitter", split_by="page", split_length=1)) == ["a.b\f", "c"]


def test_a_short_last_window_joins_the_one_before() -> None:
    strategy = build("DocumentSplitter", split_length=3, split_threshold=2)
    assert texts("one two three four", strategy) == ["one two three four"]


def test_repeated_words_lie_where_they_were_cut() -> None:
    found = chunks("tick " * 40, build("DocumentSplitter", split_length=4, split_overlap=3))
    assert [chunk.start for chunk in found] == list(range(0, 5 * len(found), 5))


def test_sentences_need_models_that_are_here_and_are_never_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk

    strategy = build("DocumentSplitter", split_by="sentence", split_length=1)
    assert texts(TEXT, strategy)[:2] == ["The gate opens at six. ", "Visitors sign the book of Dr. No. "]

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a download")

    haystack.sentence_tokenizer.cache_clear()
    monkeypatch.setattr(nltk, "download", refuse)
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(haystack, "find_spec", lambda name: None)
    monkeypatch.setattr(nltk.data, "find", lambda *_: (_ for _ in ()).throw(LookupError))
    for one in (strategy, build("RecursiveDocumentSplitter", size=3)):
        with pytest.raises(BadInput, match="need NLTK's models `punkt_tab`"):
            chunks(TEXT, one)


def test_windows_of_words_may_end_with_a_sentence() -> None:
    strategy = build("DocumentSplitter", split_length=9, respect_sentence_boundary=True)
    assert texts(TEXT, strategy)[0] == "The gate opens at six. "


def test_windows_of_tokens_never_cut_a_character() -> None:
    strategy = build("DocumentSplitter", split_by="token", split_length=3)
    assert "".join(texts(NASTY["emoji sequences"], strategy)) == NASTY["emoji sequences"]


# RecursiveDocumentSplitter


def test_recursion_by_hand() -> None:
    strategy = build("RecursiveDocumentSplitter", size=12, unit="characters", separators=["\n", " "])
    assert texts("one two\nthree four five\nsix", strategy) == ["one two\n", "three four ", "five\n", "six"]


def test_its_overlap_is_put_before_finished_chunks() -> None:
    strategy = build("RecursiveDocumentSplitter", size=4, overlap=2, unit="words", separators=[" "])
    found = chunks("one two three four five six seven", strategy)
    assert [chunk.text.split() for chunk in found] == [
        ["one", "two", "three", "four"],
        ["three", "four", "five", "six"],
        ["five", "six", "seven"],
    ]


def test_what_would_run_on_without_end_is_ended() -> None:
    """An overlap that decodes to a text of more tokens than it had leaves no room for what is new."""
    strategy = haystack.RecursiveDocumentSplitter(size=7, overlap=5)
    object.__setattr__(strategy, "overlap", 6)  # as no one can ask for it
    with pytest.raises(SplitError, match="RuntimeError: it would run on without end; use less overlap"):
        chunks(NASTY["kept white space"], strategy)


@pytest.mark.slow
def test_telemetry_is_off_unless_it_is_turned_on() -> None:
    """Haystack's import would write a file and, in a pipeline, report it."""
    code = (
        "from strategies.libraries.haystack import load_haystack; load_haystack();"
        "from haystack.telemetry import _telemetry; print(_telemetry.telemetry)"
    )
    plain = {name: value for name, value in os.environ.items() if name != "HAYSTACK_TELEMETRY_ENABLED"}
    done = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=True)
    assert done.stdout == "None\n"


def test_nothing_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    chunks("a b c", build("RecursiveDocumentSplitter", size=2, overlap=1, unit="words"))
    chunks("a", build("DocumentSplitter", split_length=2, split_overlap=1))
    assert capfd.readouterr() == ("", "")
