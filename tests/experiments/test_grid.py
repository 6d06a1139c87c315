"""A grid becomes configurations with names and ids that tell exactly what is the same."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from evaluation.search import Search
from experiments.grid import Grid, expand
from experiments.run_config import RunConfig
from experiments.sweep import read_sweep
from strategies.errors import BadInput


def grid(*entries: dict[str, Any], **keys: Any) -> Grid:
    return expand(read_sweep({"name": "a", "dataset": "handbook", "grid": list(entries), **keys}))


def names(*entries: dict[str, Any], **keys: Any) -> list[str]:
    return [config.name for config in grid(*entries, **keys).configs]


def one(**params: Any) -> RunConfig:
    (config,) = grid({"strategy": "fixed", "size": 96, **params}).configs
    return config


def config_id(config: RunConfig) -> str:
    return config.config_id("data", "embedder", {"tiktoken": "0.14.0"})


def test_names_say_what_differs_from_the_defaults() -> None:
    assert names(
        {"strategy": "fixed", "size": [96, 192], "overlap": [0, "25%"]},
        {"strategy": "fixed", "size": 200, "unit": "words"},
        {"strategy": "fixed", "size": 96, "stride": 90, "keep_graphemes": True},
        {"strategy": "recursive", "size": 128, "headings": ["none", "section"]},
        {"strategy": "sentence", "sentences": 3, "overlap_sentences": [0, 1]},
    ) == [
        "fixed-96",
        "fixed-96-24",
        "fixed-192",
        "fixed-192-48",
        "fixed-words-200",
        "fixed-96-6-keep_graphemes=true",
        "recursive-128",
        "recursive-128-headings=section",
        "sentence-sentences=3",
        "sentence-overlap_sentences=1-sentences=3",
    ]


def test_the_order_of_keys_changes_nothing_and_the_order_of_values_is_kept() -> None:
    entry = {"strategy": "fixed", "size": [192, 96], "overlap": [9, 0], "headings": ["section", "none"]}
    expected = grid(entry).configs
    assert [config.name for config in expected[:4]] == [
        "fixed-192-9-headings=section", "fixed-192-9", "fixed-192-headings=section", "fixed-192",
    ]  # fmt: skip
    for seed in range(5):
        items = list(entry.items())
        random.Random(seed).shuffle(items)
        shuffled = grid(dict(items)).configs
        assert shuffled == expected
        assert [config_id(config) for config in shuffled] == [config_id(config) for config in expected]


def test_a_strategy_may_be_an_axis_too() -> None:
    assert names({"strategy": ["fixed", "recursive"], "size": [96, 192]}) == [
        "fixed-96", "fixed-192", "recursive-96", "recursive-192",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "twice"),
    [
        ({"size": [200, 200]}, "fixed-200"),
        ({"size": 200, "overlap": [0, 0.0]}, "fixed-200"),
        ({"size": 200, "overlap": [0, "0%"]}, "fixed-200"),
        ({"size": 9, "overlap": [0, "10%"]}, "fixed-9"),
        ({"size": 100, "overlap": [10, "10%"]}, "fixed-100-10"),
        ({"size": [200, 200.0]}, "fixed-200"),
        ({"size": 200, "headings": ["none", "none"]}, "fixed-200"),
        ({"size": 200, "overlap": 50, "stride": [None, 150]}, None),
    ],
)
def test_what_means_the_same_is_a_duplicate(entry: dict[str, Any], twice: str | None) -> None:
    entry = {"strategy": "fixed", **entry}
    with pytest.raises(BadInput) as caught:
        grid(entry)
    if twice is None:
        assert "overlap" in str(caught.value)
        return
    assert [problem.what for problem in caught.value.problems] == [f"{twice} stands in the grid twice"]
    kept = grid(entry, invalid="skip")
    assert [config.name for config in kept.configs] == [twice]
    assert len(kept.skipped) == 1


def test_duplicates_are_found_across_lines() -> None:
    entries = (
        {"strategy": "fixed", "size": [96, 192]},
        {"strategy": "fixed", "size": 192, "unit": "cl100k_base"},
    )
    with pytest.raises(BadInput, match="fixed-192 stands in the grid twice"):
        grid(*entries)


def test_impossible_pairs_are_all_listed_or_skipped() -> None:
    entry = {"strategy": "fixed", "size": 10, "overlap": [0, 9, 10, 11]}
    with pytest.raises(BadInput) as caught:
        grid(entry)
    assert [problem.what for problem in caught.value.problems] == [
        "fixed, size 10, overlap 10: overlap 10 is not less than size 10",
        "fixed, size 10, overlap 11: overlap 11 is not less than size 10",
    ]
    kept = grid(entry, invalid="skip")
    assert [config.name for config in kept.configs] == ["fixed-10", "fixed-10-9"]
    assert [problem.what for problem in kept.skipped] == [problem.what for problem in caught.value.problems]


@pytest.mark.parametrize(
    "entry",
    [
        {"strategy": "fixd", "size": 10},
        {"strategy": "fixed", "size": [10, "2e2"]},
        {"strategy": "fixed", "size": [10, 0]},
        {"strategy": "fixed", "size": 10, "overlap": [0, "2e1"]},
        {"strategy": "fixed", "size": 10, "overlp": 3},
        {"strategy": "fixed", "size": 10, "unit": ["cl100k_base", "wrds"]},
        {"strategy": "fixed", "size": 10, "headings": ["none", "all"]},
    ],
)
def test_skipping_forgives_pairs_and_nothing_else(entry: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        grid(entry, invalid="skip")


def test_skipping_everything_is_an_empty_grid() -> None:
    with pytest.raises(BadInput, match="no configuration is left"):
        grid({"strategy": "fixed", "size": 10, "overlap": 10}, invalid="skip")


def test_a_grid_without_bounds_is_refused_before_it_is_built() -> None:
    with pytest.raises(BadInput, match="makes 1000000 configurations"):
        grid({"strategy": "fixed", "size": list(range(1, 1001)), "overlap": list(range(1000))})


def test_a_parameter_that_takes_a_list_takes_it_whole() -> None:
    separators = ["\n\n", " ", ""]
    (plain,) = grid({"strategy": "recursive", "size": 96, "separators": separators}).configs
    assert strategies.canonical(plain.strategy)["separators"] == separators
    both = grid({"strategy": "recursive", "size": 96, "separators": [separators, ["\n", ""]]}).configs
    assert [strategies.canonical(config.strategy)["separators"] for config in both] == [
        separators,
        ["\n", ""],
    ]


def test_names_of_unreadable_values_differ_and_are_short() -> None:
    lists = [["[-1]", ""], ["[1]", ""], ["x" * 6001], ["x" * 6000 + "y"], ["-", ""], ["=", ""]]
    configs = grid({"strategy": "recursive", "size": 96, "separators": lists}).configs
    assert len({config.name for config in configs}) == len(lists)
    assert len({config_id(config) for config in configs}) == len(lists)
    assert all(len(config.name) <= 64 for config in configs)


@given(
    st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=4, unique=True), st.sampled_from([48, 96])
)
def test_names_are_safe_for_files_and_stores(separators: list[str], size: int) -> None:
    (config,) = grid({"strategy": "recursive", "size": size, "separators": [separators]}).configs
    assert set(config.name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.=-")
    assert config.name[0].isalpha()
    assert len(config.name) <= 64


def test_an_id_is_the_name_and_ten_digits() -> None:
    name, _, digits = config_id(one(overlap=24)).rpartition("-")
    assert name == "fixed-96-24"
    assert len(digits) == 10
    assert set(digits) <= set("0123456789abcdef")


def test_an_id_changes_with_all_that_decides_a_result_and_nothing_else() -> None:
    config = one()
    ids = {
        config_id(config),
        config.config_id("other data", "embedder", {"tiktoken": "0.14.0"}),
        config.config_id("data", "other embedder", {"tiktoken": "0.14.0"}),
        config.config_id("data", "embedder", {"tiktoken": "0.15.0"}),
        config_id(one(size=97)),
        config_id(one(overlap=1)),
        config_id(one(headings="section")),
        config_id(one(unit="words")),
        *(
            config_id(grid({"strategy": "fixed", "size": 96}, **keys).configs[0])
            for keys in (
                {"retrieval": {"k": [1, 3, 5]}},
                {"retrieval": {"token_budgets": [1024]}},
                {"relevance": "any"},
                {"headline": "mrr_at_10"},
            )
        ),
    }
    assert len(ids) == 12
    for keys in ({"margin": 0.1}, {"seed": 1}, {"repeats": 2}, {"baseline": "fixed-96"}, {"name": "other"}):
        content = {"name": "a", "dataset": "handbook", "grid": [{"strategy": "fixed", "size": 96}], **keys}
        assert config_id(expand(read_sweep(content)).configs[0]) == config_id(config)
    assert config.config_id("data", "embedder", {"a": "1", "b": "2"}) == config.config_id(
        "data", "embedder", {"b": "2", "a": "1"}
    )


def test_chunks_are_shared_by_nothing_that_cuts_or_reads_differently() -> None:
    keys = [
        one().split_key,
        one(size=97).split_key,
        one(overlap=1).split_key,
        one(headings="section").split_key,
    ]
    assert len(set(keys)) == 4
    assert dataclasses.replace(one(), search=Search("late"), name="x").split_key == one().split_key


def test_params_are_short_scalars() -> None:
    (config,) = grid(
        {"strategy": "recursive", "size": 96, "overlap": "25%", "separators": ["\n", ""]}
    ).configs
    params = config.params()
    assert list(params)[:4] == ["strategy", "unit", "size", "overlap"]
    assert (params["strategy"], params["size"], params["overlap"]) == ("recursive", 96, 24)
    assert params["separators"] == '["\\n",""]'
    assert "stride" not in one().params()
    assert all(isinstance(value, str | int | float | bool) for value in params.values())


PARENTS = {"strategy": "recursive", "size": 768}


def test_modifiers_are_axes_of_any_strategy() -> None:
    assert names(
        {"strategy": "fixed", "size": 96, "parents": [None, PARENTS], "neighbours": [0, 1]},
        {"strategy": "sentence", "size": 96, "min_chunk": [0, 32]},
    ) == [
        "fixed-96",
        "fixed-96-parents=recursive_768",
        "fixed-96-neighbours=1",
        "fixed-96-neighbours=1-parents=recursive_768",
        "sentence-96",
        "sentence-96-min_chunk=32",
    ]


def test_a_strategy_inside_another_is_an_axis_and_part_of_the_name() -> None:
    bases = ["sentence", {"strategy": "fixed", "size": 24}]
    assert names({"strategy": "hybrid", "size": 96, "base": bases}) == [
        "hybrid-96-base=sentence_96",
        "hybrid-96-base=fixed_24",
    ]


def test_what_follows_from_the_rest_is_not_part_of_the_name() -> None:
    assert names({"strategy": "semantic", "threshold_kind": ["percentile", "gradient"], "threshold": 90}) == [
        "semantic-threshold=90",
        "semantic-threshold=90-threshold_kind=gradient",
    ]
    assert names({"strategy": "semantic"}) == ["semantic"]


@pytest.mark.parametrize(
    ("modifier", "value"),
    [("parents", PARENTS), ("parents", {**PARENTS, "size": 700}), ("neighbours", 1), ("min_chunk", 8)],
)
def test_modifiers_make_another_experiment_and_another_cut(modifier: str, value: object) -> None:
    plain, modified = one(), one(**{modifier: value})
    assert config_id(plain) != config_id(modified)
    assert plain.split_key != modified.split_key
    assert modified.params()[modifier] == (value if isinstance(value, int) else _flat(modified))
    assert config_id(one(**{modifier: value})) == config_id(modified)


def _flat(config: RunConfig) -> str:
    import json

    return json.dumps(config.canonical()["parents"], sort_keys=True, separators=(",", ":"))


def test_what_is_wrong_inside_a_strategy_has_its_own_place() -> None:
    with pytest.raises(BadInput) as error:
        grid(
            {"strategy": "fixed", "size": 96, "parents": [PARENTS, {"strategy": "fixed", "sise": 4}]},
            {"strategy": "hybrid", "size": [96, 97], "base": {"strategy": "sentence", "size": "big"}},
        )
    assert {problem.where for problem in error.value.problems} == {
        "grid[0].parents[1].sise",
        "grid[1].base.size",
    }


def test_late_vectors_are_refused_where_more_than_the_text_is_embedded() -> None:
    for entry, why in (
        ({"strategy": "fixed", "size": 96, "headings": "section"}, "fixed is given headings to embed"),
        ({"strategy": "table", "size": 96}, "table embeds more than that"),
    ):
        with pytest.raises(
            BadInput, match=f"late vectors are pooled from the document's own text, but {why}"
        ):
            grid(entry, vectors=["late"])
    assert names({"strategy": "langchain:RecursiveCharacterTextSplitter", "size": 96}, vectors=["late"])


def test_what_configurations_need_is_told() -> None:
    parents = {"strategy": "semantic", "unit": "words", "size": 200}
    config = one(parents=parents)
    assert config.needs == ("embedder",)
    assert config.units == ("cl100k_base", "words")
    assert [strategy.name for strategy in config.strategies] == ["fixed", "semantic"]
    assert one().needs == ()


MODEL = {"strategy": "llm", "size": 96, "base_url": "http://localhost/v1", "model": "small"}


def test_how_a_model_is_asked_is_no_other_experiment_and_where_is() -> None:
    (plain,) = grid(MODEL).configs
    for key, value in (("timeout_s", 5), ("retries", 0), ("concurrency", 9), ("api_key_env", "KEY")):
        (other,) = grid({**MODEL, key: value}).configs
        assert (other.name, config_id(other), other.split_key) == (
            plain.name,
            config_id(plain),
            plain.split_key,
        )
        assert other.params()[key] == value
    assert plain.name == "llm-96-model=small"
    (elsewhere,) = grid({**MODEL, "base_url": "http://localhost/v2"}).configs
    assert elsewhere.name == plain.name
    assert config_id(elsewhere) != config_id(plain)
    with pytest.raises(BadInput, match="stands in the grid twice"):
        grid({**MODEL, "retries": [0, 1]})
    both = names({**MODEL, "base_url": ["http://localhost/v1", "http://localhost/v2"]})
    assert both[0] == plain.name != both[1]


def test_skip_leaves_out_pairs_that_cannot_be_and_keeps_the_rest() -> None:
    entries = (
        {"strategy": "table", "size": 96},
        {"strategy": "sentence_window", "min_chunk": [0, 8]},
        {"strategy": "fixed", "size": 96},
    )
    found = grid(*entries, vectors=["direct", "late"], invalid="skip")
    assert [config.name for config in found.configs] == [
        "table-96", "sentence_window", "sentence_window-vectors=late", "fixed-96", "fixed-96-vectors=late",
    ]  # fmt: skip
    assert len(found.skipped) == 2
    with pytest.raises(BadInput, match="min_chunk joins no chunks of sentence_window"):
        grid(entries[1])


def test_what_nobody_inherits_makes_no_other_experiment() -> None:
    routes = [{"path": "*.md", "use": {"strategy": "sentence", "size": 9}}]
    entry = {"strategy": "routed", "routes": routes, "otherwise": {"strategy": "fixed", "size": 8}}
    with pytest.raises(BadInput, match="stands in the grid twice"):
        grid({**entry, "size": [60, 80]})
    assert len(grid({**entry, "otherwise": "fixed", "size": [60, 80]}).configs) == 2


def test_parents_count_in_the_unit_of_their_line() -> None:
    parents = one(unit="words", parents={"strategy": "fixed", "size": 300}).modifiers.parents
    assert parents == strategies.build("fixed", {"size": 300, "unit": "words"})


def test_a_wrong_modifier_makes_no_false_twins() -> None:
    with pytest.raises(BadInput) as error:
        grid(
            {"strategy": "fixed", "size": 40, "neighbours": -1},
            {"strategy": "fixed", "size": 40, "min_chunk": "x"},
        )
    assert not any("twice" in problem.what for problem in error.value.problems)
