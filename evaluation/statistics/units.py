"""What is drawn as one when questions are resampled: questions that stand on the same documents.

Two questions about one document succeed and fail together when that document is cut well or badly, so
they carry less information than two questions about different documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from evaluation.gold import Question

FEWEST_COMPONENTS = 8
"""With fewer groups than this, too few flips of whole groups are left to tell anything; questions are drawn
instead, as if each stood for itself. From 8 groups on, groups keep their promise where questions do not."""

FEW = 20
"""With fewer units than this, intervals are rough."""


@dataclass(frozen=True, slots=True)
class Units:
    """The units of resampling of a set of questions."""

    labels: tuple[int, ...]
    """The unit of each question, 0 to n - 1, numbered in order of first appearance."""
    kind: Literal["component", "question"]
    """What a unit is: all questions that share documents, or a single question."""
    n: int
    """How many units there are."""
    warning: str | None = None
    """Why the units are not what they should be, for the user to read; None where all is well."""


def components(questions: Sequence[Question]) -> tuple[int, ...]:
    """Label every question with its connected component: questions that share evidence documents.

    Sharing is transitive, and the documents of alternatives count like any other. A question without
    evidence is a component of its own. Labels run from 0 in order of first appearance. Union-find, so
    the time is linear in the number of passages.
    """
    parent = list(range(len(questions)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    first_with: dict[str, int] = {}
    for number, question in enumerate(questions):
        for evidence in question.evidence:
            for passage in evidence.passages:
                one, other = root(number), root(first_with.setdefault(passage.document, number))
                parent[max(one, other)] = min(one, other)

    label_of: dict[int, int] = {}
    return tuple(label_of.setdefault(root(number), len(label_of)) for number in range(len(questions)))


def resampling_units(questions: Sequence[Question]) -> Units:
    """Choose the unit of resampling: the component or, where those are fewer than 8, the question.

    Questions drawn one by one are taken as independent. Where several of them share documents they are
    not quite, the intervals come out too narrow, and the warning says so.
    """
    return settled(components(questions))


def settled(labels: Sequence[int]) -> Units:
    """The unit of resampling of questions whose components are known, as of a part of a set."""
    numbers: dict[int, int] = {}
    labels = tuple(numbers.setdefault(label, len(numbers)) for label in labels)
    groups, total = len(numbers), len(labels)
    if groups >= FEWEST_COMPONENTS:
        what = "questions" if groups == total else "groups of questions that share documents"
        rough = f"Only {groups} {what} (fewer than {FEW}): intervals are rough." if groups < FEW else None
        return Units(labels, "component", groups, rough)
    if groups == total:
        warning = f"Only {total} questions (fewer than {FEW}): intervals are rough."
    else:
        made = "one group" if groups == 1 else f"only {groups} groups"
        warning = (
            f"The {total} questions form {made} by the documents they share (fewer than "
            f"{FEWEST_COMPONENTS}), so each question is resampled on its own: intervals may be too narrow."
        )
    return Units(tuple(range(total)), "question", total, warning)
