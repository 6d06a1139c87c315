"""What of a ranked list is judged. One token a word."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evaluation.judging.case import Case, case_of
from evaluation.retrieval import Hit

from ..scene import context, hits, measured, question  # noqa: TID252  (a neighbour's)

TEXT = "a b c d e f g h i j"  # a word at every even position
TEXTS = {"d": TEXT, "e": "a b c"}
DOCUMENTS = {name: measured(text, name=name) for name, text in TEXTS.items()}
INDEX = [("d", 0, 7), ("d", 4, 11), ("d", 12, 19), ("e", 0, 5)]


def judged(ranked: list[Hit], *evidence: object, k: int | None = None, tokens: int | None = None) -> Case:
    scene = context(DOCUMENTS, INDEX)
    asked = question(*(evidence or (("d", 4, 7),)))  # type: ignore[arg-type]
    return case_of(scene.read(asked, ranked), TEXTS, scene.layout, "half", k=k, tokens=tokens)


def test_hits_are_judged_whole() -> None:
    found = judged(hits(*INDEX), k=2)
    assert found.contexts == ("a b c d", "c d e f")
    assert found.context_ids == ("d:0-7", "d:4-11")


def test_a_prompt_of_tokens_repeats_no_text_and_is_cut_where_it_is_full() -> None:
    found = judged(hits(*INDEX), tokens=7)
    assert [context.strip() for context in found.contexts] == ["a b c d", "e f", "g"]
    assert found.context_ids == ("d:0-7", "d:4-11", "d:12-19")
    assert judged(hits(*INDEX), tokens=6).context_ids == ("d:0-7", "d:4-11")


def test_relevant_ids_are_all_chunks_that_the_rule_calls_so() -> None:
    assert judged(hits(("e", 0, 5)), k=1).relevant_ids == ("d:0-7", "d:4-11")
    assert judged([], ("d", 6, 19), k=1).relevant_ids == ("d:4-11", "d:12-19")


def test_the_reference_is_the_evidence_and_of_alternatives_the_one_that_was_found() -> None:
    either = [("d", 0, 1), ("e", 0, 1), ("d", 18, 19)]
    found = judged(hits(("d", 12, 19)), either, ("d", 8, 11), k=1)
    assert found.references == ("j", "e f")
    assert found.passages == ("a", "a", "j", "e f")
    assert found.reference == "j\ne f"
    assert judged([], either, k=1).references == ("a",)


def test_an_answer_is_compared_with_the_expected_one_and_all_else_with_the_evidence() -> None:
    scene = context(DOCUMENTS, INDEX)
    asked = replace(question(("d", 4, 7)), answer="the third and the fourth letter")
    found = case_of(scene.read(asked, hits(*INDEX)), TEXTS, scene.layout, "half", k=1)
    assert found.reads("reference", "c and d") == "the third and the fourth letter"
    assert found.reads("reference", "") == "c d"
    untold = judged(hits(*INDEX), k=1)
    assert untold.reads("reference", "c and d") == untold.reads("reference", "") == "c d"


def test_nothing_retrieved_is_no_context() -> None:
    for found in (judged([], k=3), judged([], tokens=3)):
        assert found.contexts == found.context_ids == ()


def test_a_blank_context_is_none() -> None:
    scene = context({"b": measured("a     ", name="b")}, [("b", 0, 6)])
    ranked = scene.read(question(("b", 0, 1)), hits(("b", 1, 6), ("b", 0, 6)))
    found = case_of(ranked, {"b": "a     "}, scene.layout, "half", k=2)
    assert found.contexts == ("a     ",)


def test_what_is_read_is_called_as_ragas_calls_it() -> None:
    one = replace(judged(hits(*INDEX), k=1), question="why?")
    assert one.reads("user_input", "so") == "why?"
    assert one.reads("response", "so") == "so"
    assert one.reads("reference", "so") == "c d"
    assert one.reads("reference_contexts", "so") == ["c d"]
    assert one.reads("retrieved_contexts", "so") == ["a b c d"]
    assert one.reads("retrieved_context_ids", "so") == ["d:0-7"]
    assert one.reads("reference_context_ids", "so") == ["d:0-7", "d:4-11"]


@given(st.permutations(INDEX), st.integers(1, 13))
def test_a_prompt_holds_no_more_than_its_tokens_and_no_word_twice(ranked: list[object], tokens: int) -> None:
    found = judged(hits(*ranked), tokens=tokens)  # type: ignore[arg-type]
    words = [word for text in found.contexts for word in text.split()]
    available = 13  # ten words of one document, of which nine are in chunks, and three of the other
    assert len(words) <= min(tokens, available)
    inside_d = [word for word in words if word > "c"]
    assert len(inside_d) == len(set(inside_d))
