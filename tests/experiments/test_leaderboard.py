"""The leaderboard fits every terminal, shows every name whole, and never ranks what cannot be ranked."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType

from evaluation.judging.measures import JUDGED
from evaluation.statistics.explain import Row
from experiments.columns import measure
from experiments.compared import paid
from experiments.leaderboard import (
    LEGEND,
    PRIORITY,
    Leaderboard,
    counted,
    marks,
    one_line,
    ranked,
    shown,
    summary,
    wrapped,
)
from experiments.records import RunRecord
from experiments.tables import Table, wide

HEADLINE = "context_recall_at_1024_tokens"
MEASURES = [
    name
    for name in PRIORITY
    if name not in ("interval", "mrr", "judged", "loss_bound", "store_recall") and "baseline" not in name
]


def record(name: str, headline: float | None = 0.5, **metrics: float) -> RunRecord:
    values = metrics if headline is None else {HEADLINE: headline, **metrics}
    return RunRecord(config_id=f"{name}-0123456789", name=name, status="finished", metrics=values)


def failed(name: str, error: str = "no text") -> RunRecord:
    return RunRecord(config_id=f"{name}-0123456789", name=name, status="failed", error=error)


def drawn(what: RenderableType, width: int, *, color: bool = False, encoding: str = "utf-8") -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    Console(file=file, width=width, force_terminal=color, color_system="standard" if color else None).print(
        what
    )
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return file.buffer.getvalue().decode(encoding)


def full() -> tuple[list[RunRecord], Table]:
    names = ["fixed-cl100k_base-96-0", "recursive-cl100k_base-192-25%-headings-section", "m", "x" * 90]
    records = [
        record(
            name,
            0.9 - number / 10,
            **dict.fromkeys(MEASURES, 1000.0 * (number + 1)),
            mrr_at_5=0.5,
            mrr_at_10=0.6,
        )
        for number, name in enumerate(names)
    ]
    records += [failed("semantic-percentile-128", "the library returned text that the document never had")]
    verdict = {
        name: {
            "headline_low": 0.5,
            "headline_high": 0.75,
            "loss_bound": 0.01,
            "tied": True,
            "p_baseline_holm": 0.04,
        }
        for name in names
    }
    verdict[names[1]] |= {"recommended": True, "difference_to_baseline": -0.02}
    return records, wide(records, verdict)


@pytest.mark.parametrize("width", range(40, 201))
def test_at_every_width_names_are_whole_and_lines_fit(width: int) -> None:
    records, table = full()
    text = drawn(Leaderboard(table, HEADLINE), width)
    lines = text.splitlines()
    assert max(map(cell_len, lines)) <= width
    assert "…" not in text
    # The names stand in the second column, after the marks; the lines of one name follow each other.
    start = next(line for line in lines if "configuration" in line).index("configuration")
    column = "".join(re.split(r" {2,}|$", line[start:])[0] for line in lines)
    for held in records:
        assert held.name in column


def test_a_wide_terminal_shows_every_column_and_a_narrow_one_the_most_important() -> None:
    _, table = full()
    whole = drawn(Leaderboard(table, HEADLINE), 400)
    assert all(word in whole for word in ("MRR@10", "embedded", "stored", "misses", "search"))
    assert "MRR@5" not in whole
    counts = [
        len(re.findall(r"0\.500–0\.750|\d kB", drawn(Leaderboard(table, HEADLINE), width)))
        for width in (40, 120, 400)
    ]
    assert counts == sorted(counts)
    assert counts[0] == 0
    narrow = wide([record("fixed-96", 0.7123, tokens_embedded=52310, stored_bytes=1_500_000, embed_ms=4000)])
    assert "0.712" in drawn(Leaderboard(narrow, HEADLINE), 40)
    assert "4.0 s" not in drawn(Leaderboard(narrow, HEADLINE), 40)
    assert "4.0 s" in drawn(Leaderboard(narrow, HEADLINE), 80)


def order(*records: RunRecord, headline: str = HEADLINE) -> list[Any]:
    return [row["name"] for row in ranked(wide(records).rows(), headline)]


def test_the_best_headline_comes_first_and_cost_decides_between_equals() -> None:
    assert order(record("low", 0.1), record("high", 0.9)) == ["high", "low"]
    assert order(
        record("b", 0.5, tokens_embedded=9, stored_bytes=1),
        record("c", 0.5, tokens_embedded=5, stored_bytes=3),
        record("a", 0.5, tokens_embedded=5, stored_bytes=4),
    ) == ["c", "a", "b"]


def test_equals_stand_in_the_order_of_cheapness_of_the_recommendation() -> None:
    """A language model's tokens first, then reranked pairs, tokens embedded, bytes, name."""
    dear = {"tokens_embedded": 9, "stored_bytes": 9}
    records = [
        record("asks", llm_input_tokens=1, llm_output_tokens=2),
        record("asks-less", llm_input_tokens=2, **dear),
        record("reranks", rerank_pairs=5),
        record("reranks-less", rerank_pairs=4, **dear),
        record("b", **dear),
        record("a", **dear),
        record("smaller", tokens_embedded=9, stored_bytes=8),
    ]
    expected = ["smaller", "a", "b", "reranks-less", "reranks", "asks-less", "asks"]
    assert order(*records) == expected
    assert [
        one.name for one in sorted(records, key=lambda one: Row(one.name, 0.5, **paid(one.metrics)).cost)
    ] == (expected)
    # A sum in another order may be one bit off: that is no better score.
    assert order(record("dear", 0.1 + 0.2, **dear), record("cheap", 0.3)) == ["cheap", "dear"]


def recalls(**stores: tuple[str, float]) -> Table:
    return wide(
        [
            replace(record(name, store_recall=recall, mrr_at_5=0.5), params={"store": store})
            for name, (store, recall) in stores.items()
        ],
        {name: {"headline_low": 0.5, "headline_high": 0.75} for name in stores},
    )


@pytest.mark.parametrize(
    ("table", "seen"),
    [
        (recalls(a=("numpy", 1.0), b=("numpy", 1.0)), False),
        (recalls(a=("numpy", 1.0), b=("faiss", 1.0)), True),
        (recalls(a=("faiss", 1.0), b=("faiss", 0.79)), True),
        (recalls(a=("faiss", 0.0)), True),
    ],
)
def test_what_a_store_loses_is_seen_where_stores_differ_or_lose(table: Table, seen: bool) -> None:
    head = drawn(Leaderboard(table, HEADLINE), 60)
    assert ("store recall" in head) == seen
    assert "95 % interval" in head
    assert ("0.790" in head) == (0.79 in table["store_recall"])


def test_a_long_name_leaves_room_for_what_was_measured() -> None:
    name = "recursive-embedder-512-10%-headings=section-parents=fixed_2048-ab"
    table = wide(
        [record(name, 0.7123, tokens_embedded=52310, stored_bytes=1_500_000)],
        {name: {"headline_low": 0.5, "headline_high": 0.75, "loss_bound": 0.013, "recommended": True}},
    )
    text = drawn(Leaderboard(table, HEADLINE), 80)
    assert all(number in text for number in ("0.712", "0.500–0.750", "0.013", "52,310"))
    assert name in drawn(Leaderboard(table, HEADLINE), 200)  # on one line, where there is room


def test_what_was_judged_is_shown_or_said_to_be_elsewhere() -> None:
    judged = dict.fromkeys(JUDGED, 0.625)
    table = wide([record("a", 0.5, tokens_embedded=9, **judged)])
    wide_text, narrow = (drawn(Leaderboard(table, HEADLINE), width) for width in (300, 80))
    assert wide_text.count("0.625") == len(JUDGED)
    assert "No room" not in wide_text
    told = " ".join(narrow.split())
    assert narrow.count("0.625") + sum(
        f"{held.label}" in told.partition("No room")[2] for held in JUDGED.values()
    ) == (len(JUDGED))
    assert "chunksweep export" in told


def test_columns_without_room_are_named_and_counted() -> None:
    _, table = full()
    whole, narrow = (drawn(Leaderboard(table, HEADLINE), width) for width in (400, 80))
    assert "No room" not in whole
    told = " ".join(narrow.split()).partition("No room here for ")[2]
    count, names = re.match(r"(\d+) columns: (.+) and \d+ more\. They are in", told).groups()  # type: ignore[union-attr]
    header = narrow.partition("fixed-")[0]
    assert len(names.split(", ")) == 3
    assert not any(name in " ".join(header.split()) for name in names.split(", "))
    assert int(count) + 7 > len(MEASURES) > int(count)
    one = wide([record("fixed-96", 0.7, tokens_embedded=52310, stored_bytes=1_500_000, embed_ms=4000)])
    assert "No room here for 1 column: embed. It is in" in " ".join(
        drawn(Leaderboard(one, HEADLINE), 50).split()
    )


def test_an_interval_without_width_is_not_left_to_look_certain() -> None:
    def text(low: float) -> str:
        table = wide([record("a", 1.0)], {"a": {"headline_low": low, "headline_high": 1.0}})
        return drawn(Leaderboard(table, HEADLINE), 150)

    assert "An interval without width means that all questions scored alike" in text(1.0)
    assert "without width" not in text(0.9)


@pytest.mark.parametrize(
    ("ms", "told"),
    [
        (0.0, "0.0 ms"),
        (0.0432, "0.043 ms"),
        (0.96, "0.96 ms"),
        (4.26, "4.3 ms"),
        (87.21, "87.2 ms"),
        (1830.4, "1.8 s"),
    ],
)
def test_small_times_have_two_digits(ms: float, told: str) -> None:
    assert shown(ms, "ms") == told


def test_a_headline_of_which_less_is_better_turns_the_order() -> None:
    assert measure("prompt_tokens_at_5").direction == "lower"
    records = record("much", prompt_tokens_at_5=900), record("little", prompt_tokens_at_5=100)
    assert order(*records, headline="prompt_tokens_at_5") == ["little", "much"]


def test_what_was_not_measured_fully_is_never_above_what_was() -> None:
    records = [
        failed("broken"),
        record("no-headline", None),
        record("partly-judged", 1.0, **{f"n_failed_{HEADLINE}": 1}),
        record("judged-by-another", 0.9, n_failed_another=2),
        record("fully-judged", 0.2, n_failed_another=0),
        record("worst", 0.0, n_failed=1),
    ]
    assert order(*records) == [
        "fully-judged",
        "worst",
        "partly-judged",
        "judged-by-another",
        "no-headline",
        "broken",
    ]
    signs = {str(row["name"]): marks(row) for row in wide(records).rows()}
    assert {name for name, sign in signs.items() if "?" in sign} == {"partly-judged", "judged-by-another"}
    text = drawn(Leaderboard(wide(records), HEADLINE), 80)
    assert LEGEND["?"] in text
    assert "failed: broken: no text" in text


def test_marks_and_their_legend() -> None:
    table = wide(
        [record("a", truncated_token_share=0.06), record("b", truncated_token_share=0.05), record("c")],
        {"a": {"tied": True}, "b": {"recommended": True, "tied": True}, "c": {"recommended": False}},
    )
    assert [marks(row) for row in table.rows()] == ["≈!", "★≈", ""]
    text = drawn(Leaderboard(table, HEADLINE), 100)
    assert all(LEGEND[mark] in text for mark in "★≈!")
    assert LEGEND["?"] not in text
    assert "★" not in drawn(Leaderboard(wide([record("a")]), HEADLINE), 100)


def test_colours_are_for_terminals_only() -> None:
    _, table = full()
    assert "\x1b[" not in drawn(Leaderboard(table, HEADLINE), 80)
    assert "\x1b[" in drawn(Leaderboard(table, HEADLINE), 80, color=True)


def test_a_terminal_without_unicode_gets_ascii_signs() -> None:
    _, table = full()
    text = drawn(Leaderboard(table, HEADLINE), 300, encoding="ascii")
    assert "* recommended" in text
    assert "0.500-0.750" in text


def test_rows_beyond_the_limit_are_counted() -> None:
    text = drawn(
        Leaderboard(wide([record("a", 0.1), record("b", 0.2), record("c", 0.3)]), HEADLINE, limit=2), 80
    )
    assert "2 more" not in text
    assert "1 more not shown" in text
    assert not re.search(r"^a\b", text, re.MULTILINE)


def test_text_from_outside_is_never_read_as_markup() -> None:
    name = "[red]fixed[/red]-96"
    text = drawn(Leaderboard(wide([record(name), failed("b", "[/] \x1b[2Jboom")]), HEADLINE), 80)
    assert name in text
    assert "[/] \\u001b[2Jboom" in text
    assert "[bold]w[/bold]" in drawn(summary("Use fixed", warnings=["[bold]w[/bold]"]), 80)


def test_an_empty_leaderboard_and_one_of_failures_can_be_drawn() -> None:
    assert "configuration" in drawn(Leaderboard(wide([]), HEADLINE), 40)
    assert "no text" in drawn(Leaderboard(wide([failed("a")]), HEADLINE), 40)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60), st.integers(2, 40))
def test_a_broken_name_loses_nothing(name: str, width: int) -> None:
    lines = wrapped(name, width)
    assert "".join(lines) == name
    assert all(cell_len(line) <= width for line in lines)


def test_names_break_after_separators() -> None:
    assert wrapped("recursive-cl100k_base-192-25%", 16) == ["recursive-", "cl100k_base-192-", "25%"]
    assert one_line(None) == ""


def test_the_summary_says_what_to_do() -> None:
    text = drawn(
        summary(
            "Recommended: fixed-96.",
            warnings=["12 of 80 chunks are cut."],
            misses=[
                ("budget", 2, "raise it"),
                ("split", 1200, "cut larger"),
                ("absent", 1, "check"),
                ("filtered", 3, "see"),
            ],
            ui="Look further: chunksweep ui",
        ),
        80,
    )
    assert text.splitlines() == [
        "Recommended: fixed-96.",
        "warning: 12 of 80 chunks are cut.",
        "Why questions were missed:",
        "  1,200 split: cut larger",
        "  3 filtered: see",
        "  2 budget: raise it",
        "Look further: chunksweep ui",
    ]
    assert drawn(summary("Cannot tell."), 80) == "Cannot tell.\n"


@pytest.mark.parametrize("width", [14, 30, 80])
def test_the_misses_stand_under_their_title_and_no_line_ends_in_spaces(width: int) -> None:
    misses = [("split", 1200, "cut larger pieces or add overlap"), ("absent", 1, "check the evidence")]
    text = drawn(summary("Use a.", misses=misses, title="Why a missed:"), width)
    assert "Why a missed:" in text.splitlines()
    assert "Why questions" not in text
    assert [line for line in text.splitlines() if line != line.rstrip() or len(line) > width] == []
    told = text.partition("missed:\n")[2].splitlines()
    assert all(re.match(r"  \S", line) for line in told)
    assert " ".join(line.strip() for line in told) == (
        "1,200 split: cut larger pieces or add overlap 1 absent: check the evidence"
    )


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs"), (1200, "1,200 runs")]
)
def test_one_is_one(number: int, told: str) -> None:
    assert counted(number, "run") == told
