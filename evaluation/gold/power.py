"""What the questions of a set can tell, before anything is measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.gold.nouns import Question
from evaluation.statistics.planning import ASSUMED_SD, detectable, units_to_detect
from evaluation.statistics.split import sides, split_problem
from evaluation.statistics.units import components, resampling_units


@dataclass(frozen=True, slots=True)
class Power:
    """What the questions of a set, or of one tag, can tell."""

    questions: int
    scored: int
    """Questions that have evidence."""
    components: int
    """Groups of scored questions that share no evidence document with each other."""
    unit: str
    """What is resampled: `component` or, with fewer than 8 of those, `question`."""
    units: int
    detectable: float
    """Smallest true difference in a mean that 80 % of comparisons would find at 5 %, two-sided."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whether a set can show the difference that its user wants to see."""

    difference: float
    units_needed: int
    """Units that it takes."""
    shown: bool
    """Whether the set has as many."""
    groups_missing: int
    """Groups that it takes besides, 0 if it is shown. More questions do not make up for them: from 8 groups
    on, these are the units."""
    documents_missing: int
    """Documents that it takes besides, for a group has one at least that no other has."""


@dataclass(frozen=True, slots=True)
class Halves:
    """What becomes of a set that is split in halves, to choose on one and report on the other."""

    dev: int
    """Scored questions to choose on."""
    test: int
    """Scored questions to report on."""
    against: str
    """Why it must not be split; empty if it may."""


def power(questions: Sequence[Question], assumed_sd: float = ASSUMED_SD) -> Power:
    """What these questions can tell, if paired differences vary as assumed."""
    scored = [question for question in questions if question.evidence]
    units = resampling_units(scored)
    return Power(
        questions=len(questions),
        scored=len(scored),
        components=len(set(components(scored))),
        unit=units.kind,
        units=units.n,
        detectable=detectable(units.n, sd=assumed_sd),
    )


def wanted(
    difference: float, questions: Sequence[Question], documents: int, assumed_sd: float = ASSUMED_SD
) -> Wanted:
    """Whether the questions of a set of so many documents can show a difference, 0 < `difference` <= 1."""
    has, needed = power(questions, assumed_sd), units_to_detect(difference, sd=assumed_sd)
    if has.units >= needed:
        return Wanted(difference, needed, True, 0, 0)
    asked = {passage.document for one in questions for entry in one.evidence for passage in entry.passages}
    missing = needed - has.components
    return Wanted(difference, needed, False, missing, max(0, missing - (documents - len(asked))))


def halves(questions: Sequence[Question]) -> Halves:
    """What a split in halves makes of the questions that have evidence."""
    scored = [question for question in questions if question.evidence]
    labels = components(scored)
    found = sides([question.id for question in scored], labels, test=0.5, seed=0)
    problem = split_problem("split", found, labels)
    return Halves(found.count("dev"), found.count("test"), problem.what if problem else "")
