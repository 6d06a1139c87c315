from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gold import Evidence, Passage, Question
from evaluation.statistics import components, resampling_units, settled


def question(*evidence: str | tuple[str, ...]) -> Question:
    """A question; each entry is the document of one evidence, or the documents of its alternatives."""
    entries = [(entry,) if isinstance(entry, str) else entry for entry in evidence]
    return Question("q", "?", tuple(Evidence(tuple(Passage(d, 0, 1) for d in entry)) for entry in entries))


def test_sharing_a_document_is_transitive_and_numbered_by_appearance() -> None:
    questions = [question("a"), question("b"), question("c", "b"), question("d"), question("a", "c")]
    assert components(questions) == (0, 0, 0, 1, 0)


def test_documents_of_alternatives_connect_too() -> None:
    assert components([question("a"), question(("b", "a")), question("c")]) == (0, 0, 1)


def test_questions_without_evidence_stand_alone() -> None:
    assert components([question(), question("a"), question(), question("a")]) == (0, 1, 2, 1)


@given(st.lists(st.lists(st.integers(0, 12), max_size=3), max_size=25))
def test_components_are_those_of_a_plain_search(documents: list[list[int]]) -> None:
    labels = components([question(*map(str, each)) for each in documents])
    reached: dict[int, int] = {}
    for start in range(len(documents)):
        if start in reached:
            continue
        reached[start], waiting = len(set(reached.values())), [start]
        while waiting:
            here = waiting.pop()
            for other in range(len(documents)):
                if other not in reached and set(documents[here]) & set(documents[other]):
                    reached[other] = reached[start]
                    waiting.append(other)
    assert labels == tuple(reached[number] for number in range(len(documents)))


def test_a_long_chain_of_documents_is_one_component() -> None:
    chain = [question(f"{i}", f"{i + 1}") for i in range(50_000)]
    assert set(components(chain[::2] + chain[1::2])) == {0}


@pytest.mark.parametrize("groups", [8, 19, 20])
def test_eight_components_are_units_and_rough_under_twenty(groups: int) -> None:
    units = resampling_units([question(f"{i // 2}") for i in range(2 * groups)])
    assert units.labels == tuple(i // 2 for i in range(2 * groups))
    assert (units.kind, units.n) == ("component", groups)
    rough = f"Only {groups} groups of questions that share documents (fewer than 20): intervals are rough."
    assert units.warning == (rough if groups < 20 else None)


def test_fewer_components_make_every_question_a_unit_with_a_warning() -> None:
    units = resampling_units([question(f"{i // 2}") for i in range(14)])
    assert units.labels == tuple(range(14))
    assert (units.kind, units.n) == ("question", 14)
    assert units.warning is not None
    assert "14 questions" in units.warning
    assert "7 groups" in units.warning


def test_few_questions_are_called_few_rather_than_dependent() -> None:
    units = resampling_units([question(f"{i}") for i in range(5)])
    assert (units.kind, units.n) == ("question", 5)
    assert units.warning == "Only 5 questions (fewer than 20): intervals are rough."


def test_no_questions_have_no_units() -> None:
    units = resampling_units([])
    assert (units.labels, units.n) == ((), 0)
    assert units.warning is not None


def test_units_of_a_part_of_a_set() -> None:
    """Thirty components in a set, of which some are left: as before from 8 on, else question by question."""
    labels = [number // 2 for number in range(60)]
    assert settled(labels).labels == tuple(labels)
    part = settled([label for label in labels if label >= 8])
    assert (part.kind, part.n) == ("component", 22)
    assert part.labels == tuple(number // 2 for number in range(44))  # numbered anew
    few = settled([label for label in labels if label >= 23])
    assert (few.kind, few.n) == ("question", 14)
    assert few.warning is not None
    assert "only 7 groups" in few.warning
