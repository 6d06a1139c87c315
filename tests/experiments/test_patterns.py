"""Each pattern is said where its numbers support it, and one question below its threshold it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from evaluation.misses import REMEDIES
from experiments.patterns import LEAST, OF_COSINE, PATTERNS, Pattern, Seen, patterns, remedy
from experiments.records import Row

HOME = [[["home.md", 100, 150]]]  # what is missing: one entry of 50 characters
AWAY = ["away.md"] * 3


def row(name: str, *flags: str, top: float = 0.8, **sought: Any) -> Row:
    about = {"entries": 1, "missing": HOME, "held": 0.0, "rank": None, "score": None, "tokens": None}
    return {
        "question_id": name,
        "miss": flags[0] if flags else "outranked",
        "miss_flags": list(flags or ("outranked",)),
        "top1_similarity": top,
        "sought": about | sought,
    }


def seen(rows: Sequence[Row], documents: Sequence[str] = ("home.md", "away.md"), **more: Any) -> Seen:
    values: dict[str, Any] = {
        "metrics": {},
        "params": {},
        "budget": 1000,
        "largest_k": 10,
        "hit_tokens": 100.0,
        "rows": rows,
        "documents": {row["question_id"]: documents for row in rows},
        "chunk_characters": 400.0,
        "first_scores": [0.8] * 20,
        "relevant_scores": [0.7] * 20,
    }
    return Seen(**{**values, **more})


PLAIN = {"rank": 3, "score": 0.5}  # ranked, far behind the first hit, never whole
SHOWS: dict[str, Callable[[str], Row]] = {
    "truncated": lambda name: row(name, "truncated", **PLAIN),
    "longer_than_chunks": lambda name: row(name, "split", missing=[[["home.md", 0, 401]]]),
    "cut_at_borders": lambda name: row(name, "split", missing=[[["home.md", 0, 400]]]),
    "found_in_part": lambda name: row(name, "split", held=0.5),
    "several_places": lambda name: row(name, "budget", entries=2, **PLAIN),
    "just_past_the_budget": lambda name: row(name, "budget", **PLAIN | {"tokens": 2000}),
    "few_hits_fit": lambda name: row(name, "budget", **PLAIN),
    "wrong_documents": lambda name: row(name),
    "wrong_passage": lambda name: row(name),
    "close_call": lambda name: row(name, "budget", rank=2, score=0.76),
    "low_similarity": lambda name: row(name),
}
"""A question that shows a pattern; all rest of the scene is `SCENES`."""
SCENES: dict[str, dict[str, Any]] = {
    "few_hits_fit": {"hit_tokens": 334.0},
    "wrong_documents": {"documents": AWAY},
    "low_similarity": {"first_scores": [0.29] * 20, "relevant_scores": [0.2] * 20},
}
NOT: dict[str, tuple[Callable[[str], Row], dict[str, Any]]] = {
    "longer_than_chunks": (SHOWS["cut_at_borders"], {}),
    "cut_at_borders": (SHOWS["longer_than_chunks"], {}),
    "found_in_part": (lambda name: row(name, "budget", held=0.5, **PLAIN), {}),  # a chunk holds it whole
    "several_places": (lambda name: row(name, "budget", entries=2, missing=HOME * 2, **PLAIN), {}),
    "just_past_the_budget": (lambda name: row(name, "budget", **PLAIN | {"tokens": 2001}), {}),
    "few_hits_fit": (SHOWS["few_hits_fit"], {"hit_tokens": 333.0}),
    "wrong_documents": (SHOWS["wrong_documents"], {"documents": [*AWAY, "home.md"]}),
    "wrong_passage": (SHOWS["wrong_passage"], {"documents": ["away.md", "home.md"]}),
    "close_call": (lambda name: row(name, "budget", rank=2, score=0.74), {}),
    "low_similarity": (SHOWS["low_similarity"], {"first_scores": [0.31] * 20, "relevant_scores": [0.2] * 20}),
}
"""What is alike, and does not show it."""


@pytest.mark.parametrize("retriever", ["dense", "bm25", "hybrid"])
@pytest.mark.parametrize("rerank", [None, "a-model"])
def test_no_remedy_is_one_that_the_search_has_or_cannot_use(retriever: str, rerank: str | None) -> None:
    params = {"retriever": retriever, "rerank": rerank}
    rows = [SHOWS["wrong_documents"](f"q{number}") for number in range(20)]
    passage = [SHOWS["just_past_the_budget"](f"q{number}") for number in range(20)]
    told = [remedy("outranked", params)]
    for some, documents in ((rows, AWAY), (rows, ["home.md"]), (passage, AWAY)):
        found = patterns(seen(some, documents, params=params), cosine=False)
        assert found
        told += [pattern.remedy for pattern in found]
    text = " ".join(told)
    assert ("another embedder" in text) is (retriever != "bm25")
    assert ("hybrid" in text) is (retriever != "hybrid")
    assert not (rerank and "rerank" in text)
    assert remedy("split", params) == REMEDIES["split"]


def said(name: str, rows: Sequence[Row], **scene: Any) -> Pattern | None:
    found = {pattern.name: pattern for pattern in patterns(seen(rows, **scene), cosine=True)}
    return found.get(name)


def test_every_pattern_of_questions_is_tested() -> None:
    assert {*SHOWS, "duplicates"} == PATTERNS.keys()


@pytest.mark.parametrize("name", SHOWS)
def test_it_is_said_from_five_questions_on_that_are_a_fifth_of_the_missed(name: str) -> None:
    shows = [SHOWS[name](f"s{number}") for number in range(LEAST)]
    # Of a kind that shows nothing: a filter excludes two entries in a document that is retrieved.
    rest = [
        row(f"r{number}", "filtered", rank=4, score=0.1, missing=[[["away.md", 0, 9]]] * 2, entries=2)
        for number in range(21)
    ]
    scene = SCENES.get(name, {})
    found = said(name, [*shows, *rest[:20]], **scene)
    assert found is not None
    assert (found.questions, found.of) == (5, 25)
    assert found.finding
    assert found.remedy.endswith(".")
    assert said(name, [*shows, *rest], **scene) is None  # 5 of 26 are less than a fifth
    assert said(name, shows[:4], **scene) is None  # all, but too few


@pytest.mark.parametrize("name", NOT)
def test_what_is_alike_is_not_taken_for_it(name: str) -> None:
    make, scene = NOT[name]
    assert said(name, [make(f"q{number}") for number in range(10)], **scene) is None


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.19, None), (0.2, "on average 20% of the first 10 hits lie at least 90 % inside an earlier one")],
)
def test_duplicates_need_no_misses(share: float, expected: str | None) -> None:
    every = {f"q{number}": ["home.md"] for number in range(5)}
    found = pattern_of_lists(every, share)
    assert (found and found.finding) == expected
    assert pattern_of_lists(every | {"q0": []}, 0.9) is None  # four lists


def pattern_of_lists(documents: Mapping[str, Sequence[str]], share: float) -> Pattern | None:
    scene = replace(seen([], metrics={"duplicate_share_at_10": share}), documents=documents, first_scores=[])
    return next(iter(patterns(scene, cosine=False)), None)  # of words, say, which have no similarity


def test_without_cosines_nothing_is_said_of_similarity() -> None:
    rows = [row(f"q{number}", "outranked", rank=2, score=0.79) for number in range(10)]
    low = {"first_scores": [0.1] * 10, "relevant_scores": [0.1] * 10}
    found = seen(rows, **low)
    of_cosine = {rule.__name__ for rule in OF_COSINE}
    assert of_cosine <= {one.name for one in patterns(found, cosine=True)}
    assert not of_cosine & {one.name for one in patterns(found, cosine=False)}


def test_low_similarity_blames_chunks_that_are_large_or_the_embedder() -> None:
    rows = [row(f"q{number}") for number in range(10)]
    low = SCENES["low_similarity"]
    large = said("low_similarity", rows, **low, metrics={"chunk_tokens_mean": 700.0})
    small = said("low_similarity", rows, **low, metrics={"chunk_tokens_mean": 90.0})
    assert large is not None
    assert small is not None
    assert large.remedy.startswith("Use smaller chunks: at 700 tokens")
    assert small.remedy.startswith("Try another embedder")
    # Four questions with a relevant hit tell nothing about similarity.
    assert said("low_similarity", rows, first_scores=[0.1] * 20, relevant_scores=[0.1] * 4) is None


def test_of_several_missing_entries_a_flag_is_not_known_to_be_of_any() -> None:
    rows = [row(f"q{number}", "split", missing=HOME * 2, entries=2, held=0.3) for number in range(10)]
    found = {pattern.name for pattern in patterns(seen(rows), cosine=True)}
    assert not found & {"longer_than_chunks", "cut_at_borders", "found_in_part", "wrong_passage"}


def test_remedies_do_not_advise_what_is_there_already() -> None:
    rows = [row(f"q{number}") for number in range(10)]
    plain = said("wrong_documents", rows, documents=AWAY)
    has = {"retriever": "hybrid", "headings": "section"}
    more = said("wrong_documents", rows, documents=AWAY, params=has)
    assert plain is not None
    assert more is not None
    assert "hybrid" in plain.remedy
    assert "headings" in plain.remedy
    assert "hybrid" not in more.remedy
    assert "headings" not in more.remedy


def test_rows_of_older_records_and_of_failed_searches_show_nothing() -> None:
    old = [
        {key: value for key, value in row(f"q{number}").items() if key != "sought"} for number in range(10)
    ]
    assert patterns(seen(old, documents=AWAY), cosine=True) == ()
