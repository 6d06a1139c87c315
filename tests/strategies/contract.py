"""The laws that strategies owe, as one check, and the texts that break splitters.

A strategy joins by its entry in `strategies.STRATEGIES` or, where its library is installed, in
`strategies.THIRD_PARTY`: the suite in `test_contract.py` reads these tables. What is worth trying beside
its defaults goes into `VARIANTS`; what it cannot be built without, into `needed`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any
from zlib import crc32

from strategies import STRATEGIES, THIRD_PARTY, build, canonical, parameters
from strategies.document import Chunk, Document
from strategies.errors import BadInput, SplitError
from strategies.language_model.chat_model import ChatModel
from strategies.modifiers import PLAIN, Modifiers
from strategies.nesting import embeds_more, is_many_to_one, is_native
from strategies.splitting import split
from strategies.strategy import AnswerCheck, Strategy
from strategies.tools import Tools

EVERY: Mapping[str, type[Strategy]] = {
    **STRATEGIES,
    **{name: library for name, library in THIRD_PARTY.items() if library.is_installed()},
}
"""Every strategy that can run here."""

UNITS = ("characters", "words", "cl100k_base", "embedder", "embedder+special")

VARIANTS: Mapping[str, tuple[Mapping[str, object], ...]] = {
    "fixed": ({}, {"keep_graphemes": True}),
    "sentence": ({}, {"language": "zh"}),
    "recursive": ({}, {"separators": [",", " ", ""]}, {"separators": ["\n"]}),
    "markdown": ({}, {"isolate": ["table", "code"]}),
    "semantic": ({}, {"threshold_kind": "similarity", "buffer": 0}),
    "cluster": ({}, {"piece_size": 7}),
    "max_min": ({}, {"hard_thr": 0.1}),
    "hybrid": ({}, {"base": "markdown", "merge_above": 0.2}),
    "code": (
        {},
        {"programming_language": "python"},
        {"programming_language": "tsx"},
        {"programming_language": "cpp"},
    ),
    "page": ({}, {"join": True}),
    "html": ({}, {"embed": "source"}),
    "chonkie:FastChunker": ({"size_bytes": 64}, {"size_bytes": 9, "pattern": "the", "prefix": True}),
    "chonkie:SemanticChunker": ({"similarity_window": 1, "min_characters_per_sentence": 1},),
    "atoms": ({}, {"keep": ["json", "code"], "prose": "markdown"}),
}
"""Parameters beside size, overlap and unit; strategies that are not listed are tried with their defaults."""

SENTENCE = "The gate opens at six. "
NASTY: Mapping[str, str] = {
    "blank": " \r\n\t\u3000\n",
    "one sentence": "The gate opens at six.",
    "one letter": "x",
    "white space around": "\n\n   a gate  \r\n\r\n  ",
    "cjk without spaces": "大門は六時に開きます。青い本に署名してください！鍵は二回まわす？" * 6,
    "emoji sequences": "👩\u200d👩\u200d👧\u200d👦🇳🇱🇩🇪👍🏽❤\ufe0f🦉🦉" * 8,
    "combining marks": "n\u0303 \u0301\u0302 Z\u0351\u036b\u0343\u036a\u0302A\u0334\u0335\u031e " * 12
    + "a"
    + "\u0301" * 60,
    "mixed scripts": "Öl für 猫 и мышь، قطة, बिल्ली, 고양이, γάτα 🐈‍⬛. " * 5,
    "controls": "a\x00b\x01c\x0b\x0cd\x1c\x1de\x7f\x85f\u2028g\u2029h\ufeffi\ufffdj\u200bk" * 4,
    "repeated sentences": SENTENCE * 40,
    "repeated words": "tick tick tick tick tock tick",
    "crlf": "# Pump\r\n\r\nThe code changes on Monday.\r\n\r\nVisitors sign.\r\n\r\n- one\r\n- two\r\n",
    "blank lines with spaces": "one\n  \ntwo\n\t\n\n\n   three\n \n",
    "special tokens": "Joined with <|endoftext|> in a dump. A gap is <|fim_middle|>; [SEP] and [CLS] too. "
    * 3,
    "counts that do not add up": "a a a a a a a a a a a -/\nb b b b -/\n" * 4,
    "kept white space": "def gate():\n    code  =  7\n\n    return code   \n\n\nnext,,,last,\n",
    "nested fences": "# Set\n\n````md\n~~~\n# one\n~~~\n```sh\n# two\n```\n````\n\n## Use\n\nTurn it twice.\n"
    * 3,
    "table": "# Rates\n\n| Zone | Day | Night |\n|---|---|---|\n"
    + "".join(f"| Z{n} | {n * 5} | {n * 10} |\n" for n in range(30))
    + "\nRates are in euro.\n",
    "front matter": "---\ntitle: Gate\ntags: [a, b]\n---\n\n# Gate\n\nOpens at six.\n",
    "headings only": "# A\n## B\n### C\n\n# D\n",
    "lists": "- one\n  - two\n    - three\n\n      deep text that goes on\n- four\n\n1. five\n2. six\n" * 4,
    "punctuation": "...!?!?... --- ,,, ;;; ((( ))) \n" * 10,
    "long sentence": "and then the gate " * 80 + ".",
    "one white run": "a" + " " * 3000 + "b",
}

SHORT: Mapping[str, str] = {
    "letters": "abcdefghij",
    "words": "to be, or\nnot. To be!",
    "owls": "a🦉🦉 b🦉.",
    "joined": "👩\u200d👧e\u0301 🇳🇱",
    "cjk": "大門は。開く",
    "lines": "# A\r\n\r\nb c\r\n\r\n",
    "code": "```\nx y\n```\nz",
    "row": "|a|b|\n|-|-|\n|c|d|",
}

CROSSED = (
    "# Gate\r\n\r\nOpens at six. Visitors, sign\nthe book! 👩\u200d👧e\u0301 大門は。開く "
    "🦉🦉\n\n```\nx  y\n\nz\n```\n\n|a|b|\n|-|-|\n|c|d|\n\ntick tick tick"
)
"""A bit of everything, about as long as the largest size of the full cross."""

LONG = "".join(text for name, text in sorted(NASTY.items()) if name != "one white run") * 2
"""All nasty texts, one after the other."""


def variants() -> Iterator[tuple[str, Mapping[str, object]]]:
    """Every strategy with every set of its other parameters."""
    for name in EVERY:
        for other in VARIANTS.get(name, ({},)):
            yield name, other


@cache
def units_of(name: str) -> tuple[str, ...]:
    """Units that are worth trying with a strategy, of those that it takes."""
    if not makes(name, "unit"):
        return ("cl100k_base",)
    units = UNITS if EVERY[name].native else ("characters", "cl100k_base")
    return tuple(unit for unit in units if _takes(name, unit))


def _takes(name: str, unit: str) -> bool:
    try:
        make(name, unit, 10, 0)
    except BadInput as error:
        return not any(problem.where == "unit" for problem in error.problems)
    return True


def makes(name: str, *keys: str) -> bool:
    """Whether a strategy takes all of these parameters."""
    return set(keys) <= {parameter.name for parameter in parameters(EVERY[name])}


ROUTES = [{"media_type": "text/markdown", "use": "markdown"}, {"path": "*.log", "use": "fixed"}]


def needed(name: str) -> Mapping[str, object]:
    """What a strategy cannot be made without, sizes aside."""
    if makes(name, "base_url"):
        return {"base_url": "http://localhost/v1", "model": "nonsense"}
    return {"routes": ROUTES} if makes(name, "routes") else {}


def nonsense(model: ChatModel, prompts: Iterable[str], check: AnswerCheck) -> list[str]:
    """A language model that gives any answer which passes for one, the same for the same prompt."""
    answers = [f"[{border}, {2 * border}]" for border in range(2, 6)] + ['["a", "b"]', "[]", '["]"]', "a"]
    fitting = [answer for answer in answers if not check(answer)]
    return [fitting[crc32(prompt.encode("utf-8", "replace")) % len(fitting)] for prompt in prompts]


def make(name: str, unit: str, size: int, overlap: int, other: Mapping[str, object] = {}) -> Strategy:
    """A strategy of this size and overlap, as far as it has them."""
    asked = {"unit": unit, "size": size, "overlap": overlap} | needed(name) | other
    known = {parameter.name for parameter in parameters(EVERY[name])}
    return build(name, {key: value for key, value in asked.items() if key in known})


def pair(name: str, unit: str, size: int, overlap: int, other: Mapping[str, object]) -> Strategy | None:
    """As `make`, but None where a library cannot work with a pair, and is refused it."""
    try:
        return make(name, unit, size, overlap, other)
    except BadInput as error:
        if EVERY[name].native or {problem.where for problem in error.problems} != {"overlap"}:
            raise
        return None


def check(
    document: Document, strategy: Strategy, tools: Tools, modifiers: Modifiers = PLAIN
) -> tuple[Chunk, ...]:
    """Split a document, hold the chunks to the laws that it owes, and return them.

    A library may refuse a document, or return what the document never had: that is said and shown.
    """
    before = dataclasses.replace(document)
    native = is_native(strategy)
    try:
        chunks = split(document, strategy, tools, modifiers)
    except SplitError as error:
        if native or document.id not in str(error) or strategy.name not in str(error):
            raise
        return ()
    assert document == before
    _are_slices_in_order(document, strategy, chunks)
    if not native:
        return chunks
    _cover_all_but_white_space(document, chunks)
    _keep_to_the_size(document, strategy, tools, chunks)
    _embed_their_text(chunks, modifiers.headings, own=not embeds_more(strategy))
    return chunks


def _are_slices_in_order(document: Document, strategy: Strategy, chunks: tuple[Chunk, ...]) -> None:
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.document_id == document.id
        assert chunk.text == document.text[chunk.start : chunk.end]
        assert chunk.text.strip(), "blank chunk"
        assert 0 <= chunk.returned[0] < chunk.returned[1] <= len(document.text)
    native, many_to_one = is_native(strategy), is_many_to_one(strategy)
    for one, following in pairwise(chunks):
        if not native:
            assert one.start <= following.start, "starts move back"
            continue
        if many_to_one and (one.start, one.end) == (following.start, following.end):
            assert one.embedded_text != following.embedded_text, "one text twice"
            continue
        assert one.start < following.start, "starts do not increase"
        assert one.end < following.end, "a chunk lies inside the one before"


def _cover_all_but_white_space(document: Document, chunks: tuple[Chunk, ...]) -> None:
    covered, start = 0, -1
    for chunk in chunks:
        assert not document.text[covered : chunk.start].strip(), "text is left out"
        if (chunk.end, chunk.start) != (covered, start):  # texts made from one passage share it
            assert document.text[covered : chunk.end].strip(), "a chunk only repeats"
        start = chunk.start
        covered = chunk.end
    assert not document.text[covered:].strip(), "the end is left out"


def _keep_to_the_size(
    document: Document, strategy: Strategy, tools: Tools, chunks: tuple[Chunk, ...]
) -> None:
    asked: dict[str, Any] = canonical(strategy)
    size, overlap = asked.get("size"), asked.get("overlap")
    if size is None:
        return
    counter = tools.counter(asked["unit"])
    for chunk in chunks:
        assert (counter.count(chunk.text) > size) == chunk.oversize, (
            "the size is not kept, or oversize is not true"
        )
    for one, following in pairwise(chunks):
        if (one.start, one.end) == (following.start, following.end):
            continue  # texts made from one passage share it
        shared = document.text[following.start : one.end]
        if shared and overlap is not None:
            in_place = tools.ruler(document, asked["unit"]).units_in(following.start, one.end)
            alone = counter.count(shared) - counter.overhead
            assert min(int(in_place), alone) <= overlap, "more is repeated than asked"


def _embed_their_text(chunks: tuple[Chunk, ...], headings: str, *, own: bool) -> None:
    for chunk in chunks:
        line, _, rest = chunk.embedded_text.partition("]\n")
        if headings == "document" or (headings == "section" and chunk.section):
            assert line.startswith(("[Document: ", "[Section: "))
        else:
            rest = chunk.embedded_text
        assert rest == chunk.text if own else rest.strip()
