"""Sweep files: what they mean, and that all that is wrong is said at once, each with its line."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.embedding import EmbedderSpec
from evaluation.search import SEARCH, Search
from evaluation.settings import Settings
from evaluation.yaml_reading import parse_yaml
from experiments.grid import expand
from experiments.init_template import TEMPLATE
from experiments.sweep import load_sweep, read_sweep, sweep_from_options, sweeps
from experiments.sweep_schema import KEYS
from strategies import STRATEGIES
from strategies.errors import BadInput

ROOT = Path(__file__).parents[2]

SMALL = """\
name: small
dataset: handbook
grid:
  - {strategy: fixed, size: 96}
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "sweep.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def complaints(folder: Path, text: str | bytes) -> list[str]:
    """What is said about a file, without the folder's name."""
    path = write(folder, text)
    with pytest.raises(BadInput) as caught:
        load_sweep(path)
    return [str(problem).replace(str(path), "sweep.yaml") for problem in caught.value.problems]


def test_a_small_file_gets_every_default(tmp_path: Path) -> None:
    sweep = load_sweep(write(tmp_path, SMALL))
    assert sweep.name == "small"
    assert sweep.dataset == "handbook"
    assert sweep.embedder == EmbedderSpec()
    assert sweep.search == {}
    assert sweep.settings == Settings(
        (1, 3, 5, 10), (512, 1024, 2048, 4096), "half", "context_recall_at_1024_tokens"
    )
    assert (sweep.baseline, sweep.margin, sweep.invalid, sweep.seed, sweep.repeats) == (
        None,
        0.02,
        "refuse",
        7,
        1,
    )


def test_every_key_is_read(tmp_path: Path) -> None:
    sweep = load_sweep(
        write(
            tmp_path,
            """\
name: everything, in 2026
dataset: handbook
embedder: {model: intfloat/e5-small-v2, query_prompt: "query: ", passage_prompt: ""}
vectors: direct
retrieval: {k: [10, 5], token_budgets: 2048}
filter: {year: 2024, draft: false, by: Zoë}
relevance: contains
headline: answerable_at_2048_tokens
baseline: fixed-96-9
margin: 0
invalid: skip
seed: 0
repeats: 3
grid:
  - {strategy: fixed, size: 96, overlap: [0, 10%, 96]}
""",
        )
    )
    assert sweep.name == "everything, in 2026"
    assert sweep.embedder == EmbedderSpec("intfloat/e5-small-v2", "query: ", "")
    filters = (("by", "Zoë"), ("draft", False), ("year", 2024))
    assert sweep.settings == Settings((5, 10), (2048,), "contains", "answerable_at_2048_tokens", filters)
    assert (sweep.baseline, sweep.margin, sweep.invalid) == ("fixed-96-9", 0.0, "skip")
    assert (sweep.seed, sweep.repeats) == (0, 3)
    assert [config.name for config in expand(sweep).configs] == ["fixed-96", "fixed-96-9"]


ALL_WRONG = """\
name: bad/name
dataset: handbook
embeder: other
retrieval: {k: [1, 2e2, 5, 5, 0], token_budgets: 512, depth: 3}
relevance: haf
margin: 1e-3
seed: -1
repeats: yes
grid:
  - strategy: fixed
    size: [10, 2e2]
    overlap: [9, 10]
  - {strategy: fixd, size: 96}
  - strategy: fixed
    size: [96, 96.0]
    sise: 3
    headings: sections
  - {size: 3}
  - nothing
"""
ALL_SAID = """\
sweep.yaml:1: name holds '/'. Use letters, digits, spaces and - _ . only
sweep.yaml:1: headline context_recall_at_1024_tokens needs 1024 among the token_budgets. Add 1024 to retrieval.token_budgets, or choose another headline
sweep.yaml:3: unknown key embeder. Did you mean embedder?
sweep.yaml:4: unknown key depth. Known: k, token_budgets
sweep.yaml:4: k is the text '2e2', must be a whole number from 1 to 10,000. Write 200, without quotes or exponent
sweep.yaml:4: k holds 5 twice. Keep one of them
sweep.yaml:4: k is 0, must be a whole number from 1 to 10,000
sweep.yaml:5: relevance is the text 'haf', must be one of any, half, contains. Did you mean half?
sweep.yaml:6: margin is the text '1e-3', must be a number from 0 to under 1. Write 0.001, without quotes or exponent
sweep.yaml:7: seed is -1, must be a whole number from 0 to 4,294,967,295
sweep.yaml:8: repeats is the text 'yes', must be a whole number from 1 to 100
sweep.yaml:11: size is the text '2e2', not a whole number. Write 200, without quotes or exponent
sweep.yaml:12: fixed, size 10, overlap 10: overlap 10 is not less than size 10. Use 0 to 9
sweep.yaml:13: 'fixd' is not a strategy. Did you mean fixed?
sweep.yaml:15: fixed-96 stands in the grid twice. Remove one of them; to measure each twice, write repeats: 2
sweep.yaml:16: fixed has no sise. Did you mean size?
sweep.yaml:17: headings is the text 'sections', not none or section or document. Did you mean section?
sweep.yaml:18: a line of the grid has no strategy. Write strategy: and one of STRATEGIES
sweep.yaml:19: a line of the grid is not a map. Write it as {strategy: fixed, size: [96, 192]}
"""  # noqa: E501


def test_all_that_is_wrong_is_said_at_once_with_its_line(tmp_path: Path) -> None:
    said = ALL_SAID.replace("STRATEGIES", ", ".join(sorted(STRATEGIES)))
    assert complaints(tmp_path, ALL_WRONG) == said.splitlines()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "sweep.yaml: is empty. Run chunksweep init"),
        ("# nothing but a comment\n", "sweep.yaml: is empty"),
        ("- a\n- b\n", "sweep.yaml:1: is not a map of keys"),
        ("just text", "sweep.yaml:1: is not a map of keys"),
        ("name: a\nname: b\n", "sweep.yaml:2: name is written twice, first in line 1"),
        ("name: a\ngrid:\n\t- b\n", "sweep.yaml:3: is not YAML: .*Indent with spaces"),
        ("name: a\ngrid: [\n", "sweep.yaml:3: is not YAML: "),
        ("name: a\n---\nname: b\n", "sweep.yaml:2: is not YAML: .*remove the second ---"),
        ("name: a: b\n", "sweep.yaml:1: is not YAML: "),
        ("name: \x07\n", r"sweep.yaml:1: the character '\\x07' is not allowed"),
        ("name: a\ngrid: &x [*x]\n", "sweep.yaml:2: anchors repeat or nest without end"),
        ("[" * 3000, "sweep.yaml: lists or maps are nested too deeply"),
        ("name: !!python/name:os.system x\n", "sweep.yaml:1: the tag tag:.* is not supported"),
        ("? [a, b]\n: c\n", "sweep.yaml:1: a key is a list or a map"),
        (b"name: ok\ndataset: caf\xe9\n", "sweep.yaml:2: byte 0xe9 is not UTF-8"),
        ("name: ok\n".encode("utf-16"), "sweep.yaml:1: byte 0xff is not UTF-8"),
    ],
)
def test_files_that_are_no_sweep_at_all(tmp_path: Path, text: str | bytes, said: str) -> None:
    (complaint,) = complaints(tmp_path, text)
    assert re.match(said, complaint), complaint


def test_anchors_that_multiply_are_stopped(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "anchors repeat" in complaints(tmp_path, "\n".join(lines))[0]


def test_anchors_and_merges_that_end_are_read() -> None:
    text = "base: &b {size: [96, 192], overlap: 0}\nline: {<<: *b, overlap: 10%}\n"
    assert parse_yaml(text, "f").content["line"] == {"size": [96, 192], "overlap": "10%"}


@pytest.mark.parametrize(
    "word", ["yes", "on", "2e2", "010", "1:30", "1_000", "2026-11-30", ".nan", ".inf", "0x10"]
)
def test_words_that_yaml_would_bend_stay_text(word: str) -> None:
    assert parse_yaml(f"a: {word}", "f").content == {"a": word}


keys = st.text("abc", min_size=1)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.text("ab1 :-#'\"\\\n%é", max_size=6))
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=3)),
    max_leaves=8,
)


@given(trees)
def test_what_json_writes_is_read_back(content: Any) -> None:
    # JSON is YAML; a line a value, so that each has a line of its own.
    assert parse_yaml(json.dumps(content, indent=1), "f").content == content


def test_a_value_without_a_line_of_its_own_has_the_line_around_it() -> None:
    yaml = parse_yaml("a:\n  b:\n    - 1\n    - 2\n", "f.yaml")
    places = [(), ("a",), ("a", "b"), ("a", "b", 1), ("a", "b", 7), ("a", "c"), ("z",)]
    assert [yaml.where(place) for place in places] == [
        "f.yaml:1", "f.yaml:1", "f.yaml:2", "f.yaml:4", "f.yaml:2", "f.yaml:1", "f.yaml:1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("name: 2026", 'name is 2026, must be text. Write it in quotes: "2026"'),
        ("name:", "name is missing"),
        ('name: ""', "name is missing"),
        ('name: " a"', "name is ' a'. Remove spaces"),
        ("name: ..", "name is '..'. Remove spaces and dots"),
        (f"name: {'x' * 121}", "name is 121 characters long"),
        ('name: "a\\nb"', r"name holds '\n'"),
        ("dataset: [a]", "dataset is the list ['a'], must be text"),
        ("embedder: {modle: x}", "unknown key modle. Did you mean model?"),
        ("embedder: [x]", "embedder is the list ['x'], must be text or a map"),
        ("embedder: {query_prompt: 3}", "query_prompt is 3, must be text"),
        ("vectors: []", "vectors is an empty list"),
        ("vectors: dirct", "vectors is the text 'dirct', not direct or late"),
        ("retrieval: 5", "retrieval is 5, must be a map"),
        ("retrieval: {k: []}", "k is an empty list"),
        ("retrieval: {k: [1.5]}", "k is 1.5, must be a whole number"),
        ("retrieval: {k: [true]}", "k is true"),
        ("filter: 2024", "filter is 2024, must be a map. Write filter: {year: 2024}"),
        ("filter: [year]", "filter is the list ['year'], must be a map"),
        (
            "filter: {year: [2023, 2024]}",
            "year is the list [2023, 2024], must be one text, number or truth value",
        ),
        ("filter: {by: {name: Z}}", "by is a map, must be one text, number or truth value"),
        ("filter: {year: null}", "year is null, must be one text"),
        ("headline: mrr_at_11", "headline mrr_at_11 needs 11 among the k. Add 11 to retrieval.k"),
        ("headline: mrr_at_1O", "headline 'mrr_at_1O' is no metric. Did you mean mrr_at_1"),
        ("headline: prompt_tokens_at_5", "headline prompt_tokens_at_5 is not a score to maximise"),
        ("baseline: fixed-69", "baseline 'fixed-69' is no configuration of the grid. Did you mean fixed-96?"),
        ("margin: 1", "margin is 1, must be a number from 0 to under 1"),
        ("invalid: ignore", "invalid is the text 'ignore', must be one of refuse, skip"),
        ("repeats: 0", "repeats is 0, must be a whole number from 1 to 100"),
        ("repeats: 101", "repeats is 101, must be a whole number from 1 to 100"),
        ("repeats: 100000000", "repeats is 100000000, must be a whole number from 1 to 100"),
        ("seed: 4294967296", "seed is 4294967296, must be a whole number from 0 to 4,294,967,295"),
        ("retrieval: {k: [1, 10001]}", "k is 10001, must be a whole number from 1 to 10,000"),
        ("retrieval: {token_budgets: [1024, 10000001]}", "must be a whole number from 1 to 10,000,000"),
        (f"retrieval: {{k: {list(range(1, 102))}}}", "k holds 101 values. Use at most 100"),
        (f"seed: {'9' * 5000}", "a number has 5000 digits. Use at most 60"),
        ("grid: [{strategy: fixed, size: 1000000001}]", "size is 1000000001. Use at most 1,000,000,000"),
        ("grid: [{strategy: fixed, size: [96, 1000000001.0]}]", "size is 1000000001.0. Use at most"),
        ("headline: mrr_at_" + "9" * 5000, "is no metric"),
        (f"relevance: {'x' * 100_000}", "must be one of any, half, contains"),
        (f"{'x' * 1000}: 1", "unknown key xxx"),
        ('name: "a\\ud800"', "holds half of a surrogate pair"),
        ('dataset: "a\\ud800"', "holds half of a surrogate pair"),
        ('embedder: {query_prompt: "\\ud800"}', "holds half of a surrogate pair"),
        (
            'grid: [{strategy: recursive, size: 9, separators: ["\\udfff", ""]}]',
            "holds half of a surrogate pair",
        ),
        ('embedder: {"\\ud800": x}', "a key holds half of a surrogate pair"),
        ("grid: []", "the grid is empty"),
        ("grid:", "grid is missing"),
        ("grid: fixed", "grid is not a list"),
        ("grid: [{strategy: fixed, size: []}]", "size is an empty list"),
        ("grid: [{strategy: fixed}]", "size is missing"),
        ("grid: [{strategy: [], size: 96}]", "the grid is empty"),
        ("grid: [{strategy: fixed, size: 0}]", "size is 0. Use 1 or more"),
        ("grid: [{strategy: fixed, size: 96, unit: wrds}]", "unit"),
        ("grid: [{strategy: sentence, sentences: 3, overlap_sentences: 3}]", "overlap_sentences"),
    ],
)
def test_one_wrong_line(tmp_path: Path, line: str, said: str) -> None:
    key = line.partition(":")[0]
    lines = [
        kept for kept in SMALL.splitlines() if not kept.startswith((key, "  -" if key == "grid" else key))
    ]
    heard = complaints(tmp_path, "\n".join([line, *lines]))
    assert len(heard) == 1
    assert heard[0].startswith("sweep.yaml:1: ")
    assert said in heard[0]
    assert len(heard[0]) < 1200


def test_null_means_the_default(tmp_path: Path) -> None:
    keys = (
        "embedder",
        "vectors",
        "retrieval",
        "filter",
        "relevance",
        "headline",
        "baseline",
        "margin",
        "invalid",
        "seed",
    )
    path = write(tmp_path, SMALL + "".join(f"{key}: null\n" for key in keys))
    nulls = load_sweep(path)
    assert nulls == load_sweep(write(tmp_path, SMALL))


def test_a_data_set_can_be_given_beside_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL.replace("dataset: handbook\n", ""))
    with pytest.raises(BadInput, match="dataset is missing"):
        load_sweep(path)
    assert load_sweep(path, dataset="./mine", name="other").dataset == "./mine"
    assert load_sweep(path, dataset="./mine", name="other").name == "other"


def test_a_path_in_a_file_starts_from_its_folder(tmp_path: Path) -> None:
    for written, meant in [
        ("./mine", tmp_path / "mine"),
        ("sets/mine", tmp_path / "sets/mine"),
        ("mine", "mine"),
    ]:
        sweep = load_sweep(write(tmp_path, SMALL.replace("handbook", written)))
        assert sweep.dataset == str(meant)


def test_the_largest_values_are_allowed(tmp_path: Path) -> None:
    text = "retrieval: {k: 10000, token_budgets: [1024, 10000000]}\nseed: 4294967295\nrepeats: 100\n"
    sweep = load_sweep(write(tmp_path, SMALL.replace("96", "1000000000") + text))
    assert (sweep.settings.largest_k, sweep.settings.largest_budget) == (10_000, 10_000_000)
    assert (sweep.seed, sweep.repeats) == (2**32 - 1, 100)


def test_a_home_that_is_not_there_stays_as_written(tmp_path: Path) -> None:
    sweep = load_sweep(write(tmp_path, SMALL.replace("handbook", "~nosuch/x")))
    assert sweep.dataset == str(tmp_path / "~nosuch/x")


@pytest.mark.parametrize("reference", ["", "x" * 5000, "a\0b", "caf\udce9"])
def test_a_name_that_can_be_no_file_is_shown_short_and_printable(reference: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_sweep(reference)
    (problem,) = caught.value.problems
    assert problem.where
    assert str(problem).isprintable()
    assert len(str(problem)) < 400


def test_half_a_surrogate_pair_in_plain_maps_names_its_place() -> None:
    with pytest.raises(BadInput) as caught:
        read_sweep({"name": "a", "dataset": "\ud800", "grid": [{"strategy": "fixed", "size": ["\udc00"]}]})
    assert [problem.where for problem in caught.value.problems] == ["dataset", "grid[0].size[0]"]


def test_no_such_file_names_the_nearest_ready_sweep(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"first-lok: is no file, .* Did you mean first-look"):
        load_sweep("first-lok")
    with pytest.raises(BadInput, match="is a folder"):
        load_sweep(tmp_path)


@pytest.mark.parametrize("name", sorted(sweeps()))
def test_ready_sweeps_load(name: str) -> None:
    sweep = load_sweep(name)
    assert sweep.name == name
    assert sweep.dataset == ("minis" if name == "smoke" else "handbook")
    grid = expand(sweep)
    assert grid.skipped == ()
    # The default model reads 256 word pieces; beyond that, sizes would not differ, but for late vectors.
    params = [config.params() for config in grid.configs]
    unread = {
        said["size"]
        for said in params
        if said["size"] >= 200 and said.get("vectors") == "direct"  # type: ignore[operator]
    }
    assert unread == ({256, 1024} if name == "two-small-or-one-large" else set())
    late = {said["size"] for said in params if said.get("vectors") == "late"}
    assert unread <= late  # each of them is measured whole as well


def test_the_first_look_compares_all_strategies() -> None:
    configs = expand(load_sweep("first-look")).configs
    assert len(configs) >= 12
    assert {config.strategy.name for config in configs} == {
        "fixed",
        "sentence",
        "paragraph",
        "recursive",
        "markdown",
    }


def test_options_stand_in_for_a_file() -> None:
    sweep = sweep_from_options(
        "sets/mine", {"strategy": "fixed", "size": "128,256", "overlap": "0,10%"}, margin=0.1
    )
    assert (sweep.name, sweep.dataset, sweep.margin) == ("mine-fixed", "sets/mine", 0.1)
    assert [config.name for config in expand(sweep).configs] == [
        "fixed-128",
        "fixed-128-12",
        "fixed-256",
        "fixed-256-25",
    ]


def test_problems_of_options_name_the_option() -> None:
    with pytest.raises(BadInput) as caught:
        sweep_from_options(
            "handbook",
            {"strategy": "fixed", "size": "10,x", "overlap": "0,11", "overlp": "3"},
            retrieval={"k": 0},
        )
    assert [problem.where for problem in caught.value.problems] == ["--k", "--overlp", "--overlap", "--size"]


def test_plain_maps_make_a_sweep() -> None:
    content = {"name": "a", "dataset": "handbook", "grid": {"strategy": "fixed", "size": (96, 192)}}
    assert [config.name for config in expand(read_sweep(content)).configs] == ["fixed-96", "fixed-192"]
    with pytest.raises(BadInput) as caught:
        read_sweep({**content, "grid": [{"strategy": "fixed", "size": [96, 0]}]})
    assert [problem.where for problem in caught.value.problems] == ["grid[0].size[1]"]


def test_a_sweep_cannot_be_changed() -> None:
    sweep = sweep_from_options("handbook", {"strategy": "fixed", "size": "96"})
    with pytest.raises(dataclasses.FrozenInstanceError):
        sweep.seed = 8  # type: ignore[misc]


def test_the_template_loads_as_it_is_and_shows_every_default(tmp_path: Path) -> None:
    sweep = load_sweep(write(tmp_path, TEMPLATE))
    plain = load_sweep(write(tmp_path, SMALL))
    assert dataclasses.replace(sweep, name=plain.name, grid=plain.grid, search={}) == plain
    assert Search(**sweep.search) == Search()
    assert len(expand(sweep).configs) >= 8
    content = parse_yaml(TEMPLATE, "f").content
    assert content.keys() == KEYS.keys()


def test_the_page_names_every_key() -> None:
    page = (ROOT / "docs" / "sweep-file.md").read_text(encoding="utf-8")
    embedder = [item.name for item in dataclasses.fields(EmbedderSpec)]
    for key in [*KEYS, *embedder, "retrieval.k", "retrieval.token_budgets", *sweeps()]:
        if key != "retrieval":
            assert f"`{key}`" in page, key

    def plain_default(value: Any) -> str:
        return "none" if value is None else value["store"] if isinstance(value, dict) else str(value)

    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    defaults = {cells[0].strip("| `"): cells[2].strip("` ") for cells in rows if len(cells) == 4}
    plain = read_sweep({"name": "a", "dataset": "b", "grid": {"strategy": "fixed", "size": 96}})
    assert defaults == {
        "embedder": plain.embedder.model,
        **{name: plain_default(one.default) for name, one in SEARCH.items()},
        "retrieval.k": str(list(plain.settings.ks)),
        "retrieval.token_budgets": str(list(plain.settings.budgets)),
        "filter": "none",
        "judge": "none",
        "prices": "none",
        "split": "none",
        "relevance": plain.settings.rule,
        "headline": plain.settings.headline,
        "baseline": "none",
        "margin": str(plain.margin),
        "invalid": plain.invalid,
        "seed": str(plain.seed),
        "repeats": str(plain.repeats),
    }


def test_examples_of_the_page_are_sweeps(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "sweep-file.md").read_text(encoding="utf-8")
    examples = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert len(examples) >= 8
    for example in examples:
        if example.startswith("name:"):
            text = example
        elif example.startswith("grid:"):
            text = SMALL.partition("grid:")[0] + example
        elif example.startswith("  - "):
            text = SMALL.partition("grid:")[0] + "grid:\n" + example
        else:
            text = SMALL + example
        load_sweep(write(tmp_path, text))


def test_brackets_on_the_command_line_are_one_list() -> None:
    axes = {"strategy": "markdown", "size": "96", "isolate": "[table, code]"}
    (one,) = expand(sweep_from_options("handbook", axes)).configs
    (other,) = expand(sweep_from_options("handbook", axes | {"isolate": "table,code"})).configs
    assert one == other
    with pytest.raises(BadInput, match="--isolate"):
        sweep_from_options("handbook", axes | {"isolate": "[table"})
