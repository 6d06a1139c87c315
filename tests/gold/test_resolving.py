"""Quotes and offsets to passages: once, at load, to exactly one place or a problem."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold.nouns import Passage, Question
from evaluation.gold.questions import Anchor, Row
from evaluation.gold.resolving import Resolver
from strategies.document import Document

LEASE = "The tenant pays on Monday.\r\nThe guarantor pays on Friday.\r\nThe tenant pays on Monday."
NOTES = "  Keys hang in the porch.  "
DOCUMENTS = {
    "lease.txt": Document("lease.txt", LEASE, {"year": 2024, "kind": "contract"}),
    "notes/keys.md": Document("notes/keys.md", NOTES, {"year": 2023}),
}


def resolve(*anchors: dict[str, Any] | str, **row: Any) -> tuple[Question, Resolver]:
    """A question with one entry of evidence: the first anchor, then its alternatives."""
    keys = ("document", "start", "end", "quote")
    made = [{"quote": anchor} if isinstance(anchor, str) else anchor for anchor in anchors]
    entry = tuple(Anchor(*(anchor.get(key) for key in keys), any=anchor.get("any", False)) for anchor in made)
    resolver = Resolver(DOCUMENTS, "q.jsonl")
    found = resolver.question(Row(4, "a", "Who?", (entry,) if entry else (), (), row.get("filter", {})))
    return found, resolver


def places(*anchors: dict[str, Any] | str) -> list[tuple[str, int, int]]:
    question, resolver = resolve(*anchors)
    assert resolver.problems == []
    return [(p.document, p.start, p.end) for entry in question.evidence for p in entry.passages]


def problem(*anchors: dict[str, Any] | str, **row: Any) -> str:
    _, resolver = resolve(*anchors, **row)
    assert len(resolver.problems) == 1
    assert str(resolver.problems[0]).startswith("q.jsonl:4: question a: ")
    return str(resolver.problems[0])


def test_offsets_count_carriage_returns() -> None:
    start = LEASE.index("The guarantor")
    assert start == 28
    assert places({"document": "lease.txt", "start": 28, "end": 57}) == [("lease.txt", 28, 57)]
    assert LEASE[28:57] == "The guarantor pays on Friday."


def test_an_exact_quote_and_a_retyped_one_find_the_same_place() -> None:
    exact = {"document": "lease.txt", "quote": "on Monday.\r\nThe guarantor"}
    retyped = {"document": "lease.txt", "quote": " on monday. the GUARANTOR\n"}
    assert places(exact) == places(retyped) == [("lease.txt", 16, 41)]


def test_an_exact_place_beats_those_that_are_only_alike() -> None:
    documents = {"d": Document("d", "PAY NOW. Pay now.")}
    resolver = Resolver(documents, "q.jsonl")
    entry = (Anchor("d", None, None, "Pay now.", False),)
    question = resolver.question(Row(1, "a", "?", (entry,), (), {}))
    assert question.evidence[0].passages == (Passage("d", 9, 17),)
    assert resolver.problems == []


def test_a_repeated_quote_asks_for_more() -> None:
    message = problem({"document": "lease.txt", "quote": "The tenant pays"})
    assert "stands in lease.txt at 0 and 59" in message
    assert '"start"' in message
    assert '"any": true' in message
    assert "longer quote" in message


def test_copies_that_overlap_are_repeats_too() -> None:
    resolver = Resolver({"d": Document("d", "haha ha-ha-ha")}, "q.jsonl")
    resolver.question(Row(1, "a", "?", ((Anchor("d", None, None, "ha-ha", False),),), (), {}))
    assert "at 5 and 8" in str(resolver.problems[0])


def test_any_takes_every_place() -> None:
    found = places({"document": "lease.txt", "quote": "the tenant pays", "any": True})
    assert found == [("lease.txt", 0, 15), ("lease.txt", 59, 74)]


def test_a_quote_alone_must_stand_in_one_place_of_all_documents() -> None:
    assert places("keys HANG in the porch") == [("notes/keys.md", 2, 24)]
    assert "stands in no document" in problem("keys hang in the hall")
    message = problem("on Monday")
    assert "stands in lease.txt at 16 and lease.txt at 75" in message
    assert "Name the document" in message


def test_alternatives_follow_in_the_order_of_the_file_once_each() -> None:
    keys = {"document": "notes/keys.md", "quote": "porch"}
    friday = {"document": "lease.txt", "quote": "Friday"}
    assert places(keys, friday, keys) == [("notes/keys.md", 19, 24), ("lease.txt", 50, 56)]


@pytest.mark.parametrize(
    ("start", "end", "what"),
    [
        (-1, 5, "is not a range"),
        (5, 5, "is empty"),
        (9, 5, "is not a range"),
        (0, 28, "is not a range"),
        (0, 2, "only white space"),
    ],
)
def test_bad_offsets_are_problems(start: int, end: int, what: str) -> None:
    message = problem({"document": "notes/keys.md", "start": start, "end": end})
    assert f"[{start}, {end}) of notes/keys.md" in message
    assert what in message


def test_a_range_may_say_what_it_reads() -> None:
    place = {"document": "notes/keys.md", "start": 0, "end": 27}
    assert places({**place, "quote": "Keys hang in the porch."}) == [("notes/keys.md", 2, 25)]
    assert 'reads "Keys hang in the porch.", not its quote' in problem({**place, "quote": "Keys hang"})


def test_what_is_not_there_says_what_comes_closest() -> None:
    assert "Did you mean lease.txt?" in problem({"document": "leese.txt", "quote": "x"})
    assert "Did you mean notes/keys.md?" in problem({"document": "keys.md", "quote": "x"})
    assert "Known: lease.txt, notes/keys.md" in problem({"document": "zzz", "quote": "x"})
    assert "It stands in notes/keys.md" in problem({"document": "lease.txt", "quote": "Keys hang"})
    message = problem({"document": "lease.txt", "quote": "The guarantor pays on Sunday"})
    assert (
        'does not stand in lease.txt. At 28 the document reads "The guarantor pays on Friday", 0.89 alike'
        in message
    )


def test_a_suggestion_shows_where_the_words_differ_and_is_not_taken() -> None:
    text = " ".join(f"Clause {n} holds for flat {n * 7}." for n in range(40))
    resolver = Resolver({"d": Document("d", text)}, "q.jsonl")
    wrong = text[100:600].replace("Clause 14 holds", "Clause 14 held")
    question = resolver.question(Row(1, "a", "?", ((Anchor("d", None, None, wrong, False),),), (), {}))
    assert question.evidence == ()
    (found,) = resolver.problems
    assert found.remedy.startswith('At 101 the document reads "...')
    assert "Clause 14 holds for flat 98." in found.remedy
    assert found.remedy.endswith('...", 0.99 alike')


def test_parts_around_an_ellipsis_are_two_entries() -> None:
    message = problem({"document": "lease.txt", "quote": "The tenant pays on Monday [...] guarantor pays"})
    assert (
        'At [0, 25) and [32, 46) the document reads "The tenant pays on Monday" and "guarantor pays"'
        in message
    )
    assert "1.00 alike; write each as an entry of its own" in message


def test_every_quote_that_stands_nowhere_has_its_suggestion() -> None:
    resolver = Resolver(DOCUMENTS, "q.jsonl")
    entries = tuple(
        (Anchor("lease.txt", None, None, f"The guarantor pays on {n}", False),) for n in range(120)
    )
    resolver.question(Row(1, "a", "?", entries, (), {}))
    assert len(resolver.problems) == 120
    assert all("At 28 the document reads" in problem.remedy for problem in resolver.problems)


def test_evidence_that_does_not_resolve_is_left_out_of_the_question() -> None:
    question, _ = resolve({"document": "lease.txt", "quote": "no such words"})
    assert question.evidence == ()


@given(st.text(alphabet=" \n\u00a0\u3000xé\u0301", max_size=20), st.integers(-2, 22), st.integers(-2, 22))
def test_a_passage_is_trimmed_and_inside_or_a_problem(text: str, start: int, end: int) -> None:
    resolver = Resolver({"d": Document("d", text)}, "q.jsonl")
    question = resolver.question(Row(1, "a", "?", ((Anchor("d", start, end, None, False),),), (), {}))
    valid = 0 <= start < end <= len(text) and bool(text[start:end].strip())
    assert bool(resolver.problems) != valid
    assert len(question.evidence) == valid
    for entry in question.evidence:
        (passage,) = entry.passages
        inside = text[passage.start : passage.end]
        assert inside == text[start:end].strip()
        assert start <= passage.start < passage.end <= end


def test_filters_that_nothing_passes_name_what_there_is() -> None:
    keys = {"document": "notes/keys.md", "quote": "porch"}
    assert "year is 2023 or 2024 in the documents' metadata" in problem(keys, filter={"year": 2025})
    assert "year is 2023 or 2024 in the documents' metadata" in problem(keys, filter={"year": "2024"})
    assert "Did you mean year?" in problem(keys, filter={"yeer": 2024})
    assert "all of its entries at once" in problem(keys, filter={"year": 2023, "kind": "contract"})


def test_a_filter_that_excludes_its_own_evidence_is_a_warning() -> None:
    keys = {"document": "notes/keys.md", "quote": "porch"}
    _, resolver = resolve(keys, filter={"year": 2024})
    assert resolver.problems == []
    assert "excludes its own evidence in notes/keys.md" in str(resolver.warnings[0])
    _, resolver = resolve(keys, filter={"year": 2023})
    assert resolver.warnings == []


def test_ids_of_documents_match_in_any_unicode_form() -> None:
    resolver = Resolver({"caf\u00e9.md": Document("caf\u00e9.md", "Open late.")}, "q.jsonl")
    entry = (Anchor("cafe\u0301.md", None, None, "Open late", False),)
    question = resolver.question(Row(1, "a", "?", (entry,), (), {}))
    assert question.evidence[0].passages == (Passage("caf\u00e9.md", 0, 9),)


@pytest.mark.parametrize(("quote", "lost"), [("The tenant pays", False), ("Nothing of the kind", True)])
def test_only_what_stands_nowhere_may_stand_in_a_file_that_was_left_out(quote: str, lost: bool) -> None:
    resolver = Resolver(DOCUMENTS, "q.jsonl", frozenset(["bad.txt"]))
    entry = ((Anchor(None, None, None, quote, any=False),),)
    resolver.question(Row(4, "a", "Who?", entry, (), {}))
    assert ["could not be read" in warning.what for warning in resolver.warnings] == [True] * lost
    assert len(resolver.problems) == (not lost)


def test_a_quote_with_more_than_stands_there_is_not_said_to_stand_there() -> None:
    message = problem("No ... The guarantor pays on Friday.")
    assert 'At 28 lease.txt reads "The guarantor pays on Friday.", 0.96 alike' in message
