"""Every strategy of the table, under every law of the house."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Mapping
from itertools import pairwise, product

import pytest
from contract import (
    CROSSED,
    EVERY,
    LONG,
    NASTY,
    SHORT,
    UNITS,
    check,
    make,
    makes,
    needed,
    nonsense,
    pair,
    units_of,
    variants,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from linear import grows_linearly

from evaluation.embedders.hashing import HashingEmbedder
from strategies import STRATEGIES, THIRD_PARTY, build, canonical, parameters
from strategies.document import Document
from strategies.errors import BadInput
from strategies.modifiers import Modifiers
from strategies.splitting import split
from strategies.tools import Tools

VARIANTS = [pytest.param(name, other, id="-".join([name, *map(str, other)])) for name, other in variants()]
NATIVE = [param for param in VARIANTS if EVERY[str(param.values[0])].native]
FOREIGN = [param for param in VARIANTS if param not in NATIVE]
EACH = [pytest.param(name, id=name) for name in STRATEGIES]

PIECES = [
    *"aé漢🦉.,;!?|#-`~ ", "\n", "\r\n", "\n\n", "   ", "\t", "e\u0301", "👩\u200d👧", "\u2028", "\x00",
    "\x1c", " the gate", " opens. ", "# A\n", "```\n", "~~~~\n", "- b\n", "> c\n", "|d|e|\n|-|-|\n",
    "\n---\n", "Dr. No", "<|endoftext|>", "x" * 30, "1,234.5", "...", "。", "\u3000", "    f\n",
    "<div>\n", "[g]: h\n", "\\",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=40).map("".join)
BEGINNINGS = [*(text[:60] for text in NASTY.values()), "# A\n\n", " b. ", "\n\n"]


def document(text: str) -> Document:
    return Document("rules/gate.md", text, {"title": "Gate"}, media_type="text/markdown")


@pytest.mark.parametrize(("name", "other"), VARIANTS)
@pytest.mark.parametrize("unit", ["characters", "cl100k_base"])
def test_the_full_cross_of_sizes_and_overlaps(
    name: str, unit: str, other: Mapping[str, object], tools: Tools
) -> None:
    if unit not in units_of(name):
        pytest.skip("counts nothing in this unit")
    found = document(CROSSED)
    for size in range(1, 65) if makes(name, "size") else [1]:
        for overlap in range(size) if makes(name, "overlap") else [0]:
            if strategy := pair(name, unit, size, overlap, other):
                check(found, strategy, tools)


@pytest.mark.parametrize(("name", "other"), VARIANTS)
@pytest.mark.parametrize("unit", ["characters", "cl100k_base"])
def test_long_texts(name: str, unit: str, other: Mapping[str, object], tools: Tools) -> None:
    if unit not in units_of(name):
        pytest.skip("counts nothing in this unit")
    found = document(LONG)
    for size, share in product([3, 17, 96, 500, 1000, 2000], [0, 0.1, 0.5]):
        if strategy := pair(name, unit, size, int(size * share), other):
            check(found, strategy, tools)


@pytest.mark.parametrize(("name", "other"), NATIVE)
@pytest.mark.parametrize("text", SHORT.values(), ids=SHORT)
def test_all_small_sizes_and_overlaps(
    name: str, other: Mapping[str, object], text: str, tools: Tools
) -> None:
    for unit, size in product(UNITS, range(1, 7)):
        for overlap in range(size if makes(name, "overlap") else 1):
            check(document(text), make(name, unit, size, overlap, other), tools)


@pytest.mark.parametrize(("name", "other"), VARIANTS)
@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_nasty_texts(name: str, other: Mapping[str, object], text: str, tools: Tools) -> None:
    native = EVERY[name].native
    for unit, (size, overlap) in product(units_of(name), [(1, 0), (7, 3), (20, 0), (64, 16), (5000, 1000)]):
        chunks = check(document(text), make(name, unit, size, overlap, other), tools)
        if native or not text.strip():
            assert bool(chunks) == bool(text.strip())


@pytest.mark.parametrize(("name", "other"), FOREIGN)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts, size=st.integers(1, 40), share=st.floats(0, 1, exclude_max=True))
def test_libraries_with_any_text(
    name: str, other: Mapping[str, object], tools: Tools, text: str, size: int, share: float
) -> None:
    if strategy := pair(name, units_of(name)[0], size, int(size * share), other):
        check(document(text), strategy, tools)


@pytest.mark.parametrize(("name", "other"), NATIVE)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=texts,
    unit=st.sampled_from(UNITS),
    size=st.integers(1, 40),
    share=st.floats(0, 1, exclude_max=True),
    media_type=st.sampled_from(["text/plain", "text/markdown", "text/html", "text/csv", "text/x-python"]),
    headings=st.sampled_from(["none", "section", "document"]),
)
def test_any_text(
    name: str,
    other: Mapping[str, object],
    tools: Tools,
    text: str,
    unit: str,
    size: int,
    share: float,
    media_type: str,
    headings: str,
) -> None:
    strategy = make(name, unit, size, int(size * share), other)
    given_document = dataclasses.replace(document(text), media_type=media_type)
    modifiers = Modifiers(headings=headings)  # type: ignore[arg-type]
    chunks = check(given_document, strategy, tools, modifiers)
    assert split(given_document, strategy, tools, modifiers) == chunks


@pytest.mark.parametrize("name", [name for name in EVERY if EVERY[name].native])
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=texts | st.lists(st.sampled_from(BEGINNINGS), max_size=6).map("".join),
    size=st.integers(1, 30),
    parents=st.none() | st.integers(5, 60),
    least=st.integers(0, 20),
    reach=st.integers(0, 3),
)
def test_any_text_with_modifiers(
    name: str, tools: Tools, text: str, size: int, parents: int | None, least: int, reach: int
) -> None:
    above = None if parents is None else build("recursive", {"size": parents})
    modifiers = Modifiers(parents=above, min_chunk=least, neighbours=reach)
    chunks = check(document(text), make(name, "cl100k_base", size, size // 4), tools, modifiers)
    assert all(chunk.returned[0] <= chunk.start < chunk.end <= chunk.returned[1] for chunk in chunks)
    for one, following in pairwise(chunks):
        assert one.returned[0] <= following.returned[0]
        assert one.returned[1] <= following.returned[1]


@pytest.mark.parametrize("name", EACH)
def test_a_text_that_spells_special_tokens_is_cut_whole(name: str, tools: Tools) -> None:
    text = NASTY["special tokens"]
    chunks = split(document(text), make(name, "cl100k_base", 60, 10), tools)
    for marker in ("<|endoftext|>", "<|fim_middle|>"):
        assert any(marker in chunk.text for chunk in chunks)


@pytest.mark.parametrize("name", [name for name in EVERY if not EVERY[name].native])
def test_libraries_end_on_one_word_of_many_letters(name: str, tools: Tools) -> None:
    check(document("a" * 100_000), make(name, units_of(name)[0], 200, 20), tools)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("unit", ["characters", "cl100k_base", "embedder"])
def test_one_word_of_many_letters(name: str, unit: str, tools: Tools) -> None:
    length = 20_000 if unit == "embedder" else 100_000  # the embedder's tokenizer is slow on long words
    chunks = split(document("a" * length), make(name, unit, 200, 20), tools)
    assert 60 < len({chunk.start for chunk in chunks}) < 1000
    assert not any(chunk.oversize for chunk in chunks)


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(
    "part",
    [
        "The gate opens at six. Visitors sign.\n\n",
        "大門は六時に開きます。",
        "a",
        "- one\n",
        "x\n",
        " ",
        "# A\n",
    ],
)
def test_time_is_linear(name: str, part: str) -> None:
    strategy = make(name, "cl100k_base", 64, 16)

    def work(characters: int) -> None:
        tools = Tools(embed=HashingEmbedder(dim=32).embed, chat=nonsense)
        split(document(part * (characters // len(part)) + "."), strategy, tools)

    assert grows_linearly(work, 3_000)


class TestParameters:
    @pytest.mark.parametrize(("name", "other"), VARIANTS)
    def test_the_canonical_form_builds_the_same_strategy(
        self, name: str, other: Mapping[str, object]
    ) -> None:
        strategy = make(name, units_of(name)[0], 96, 24, other)
        form = canonical(strategy)
        assert json.loads(json.dumps(form)) == form
        assert form.pop("strategy") == name == type(strategy).name
        assert form.keys() == {parameter.name for parameter in parameters(type(strategy))}
        assert build(name, form) == strategy

    @pytest.mark.parametrize("name", EVERY)
    def test_every_parameter_is_explained(self, name: str) -> None:
        for parameter in parameters(EVERY[name]):
            assert parameter.help
            assert not parameter.help.endswith(".") or parameter.help.endswith(" ...")

    @pytest.mark.parametrize("name", [name for name in EVERY if makes(name, "size", "overlap", "unit")])
    def test_equal_experiments_have_equal_forms(self, name: str) -> None:
        forms = [
            canonical(build(name, {**needed(name), **given}))
            for given in (
                {"size": 96, "overlap": 24, "unit": units_of(name)[0]},
                {"overlap": "25%", "unit": units_of(name)[0], "size": 96.0},
                {"size": 96, "overlap": 24.0, "unit": units_of(name)[0]},
            )
        ]
        assert forms[0] == forms[1] == forms[2]
        assert repr(forms[0]) == repr(forms[1]) == repr(forms[2])  # 24 and 24.0 are equal, their text is not

    @pytest.mark.parametrize("name", [name for name in EVERY if makes(name, "size", "overlap")])
    @pytest.mark.parametrize(
        ("size", "overlap"), [(10, 10), (10, 11), (0, 0), (-1, 0), (10, -1), (10, "100%")]
    )
    def test_pairs_that_cannot_move_are_refused(self, name: str, size: int, overlap: object) -> None:
        with pytest.raises(ValueError):
            EVERY[name](size=size, overlap=overlap, **needed(name))  # type: ignore[call-arg]
        with pytest.raises(BadInput, match=r"size|overlap"):
            build(name, {"size": size, "overlap": overlap, **needed(name)})

    @pytest.mark.parametrize("name", EACH)
    def test_a_key_that_a_strategy_does_not_know_is_refused(self, name: str) -> None:
        for key in {"overlap", "separators", "zebra"} - {
            parameter.name for parameter in parameters(EVERY[name])
        }:
            with pytest.raises(BadInput, match=f"{key}: is not a parameter of {name}"):
                build(name, {key: 0})

    @pytest.mark.parametrize("name", [name for name in EVERY if makes(name, "size", "unit")])
    def test_all_problems_are_reported_at_once(self, name: str) -> None:
        with pytest.raises(BadInput) as error:
            build(name, {"size": "2e2", "unit": "wrods", "sise": 4, **needed(name)})
        said = {problem.where: str(problem) for problem in error.value.problems}
        assert said["size"].startswith("size: is the text '2e2', not a whole number")
        assert said["size"].endswith("Write 200, without quotes or exponent")
        assert said["unit"] == "unit: 'wrods' is not a unit. Did you mean words?"
        assert said["sise"] == f"sise: is not a parameter of {name}. Did you mean size?"


def test_the_table_holds_every_strategy_under_its_name() -> None:
    every = {**STRATEGIES, **THIRD_PARTY}
    assert {name: cls.name for name, cls in every.items()} == {name: name for name in every}


def test_the_table_is_read_without_heavy_libraries() -> None:
    heavy = {"torch", "tiktoken", "tokenizers", "sentence_transformers", "markdown_it", "requests", "pandas"}
    code = f"import sys, strategies; print(*[name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_an_unknown_strategy_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"strategy: 'fixd' is not a strategy\. Did you mean fixed\?"):
        build("fixd", {"size": 10})


def test_what_is_required_must_be_given() -> None:
    with pytest.raises(BadInput, match="size: is missing"):
        build("fixed", {"overlap": 0})
