"""What is wrong with a gold set, what deserves a look, and what the set can tell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.gold.loading import count, locate, read
from evaluation.gold.nouns import GoldSet, Question
from evaluation.gold.power import Halves, Power, Wanted, halves, power, wanted
from evaluation.gold.warnings import look
from evaluation.gold.warnings.copied_words import Overlap, overlaps
from evaluation.gold.warnings.finding import Finding
from evaluation.gold.warnings.material import Material
from evaluation.statistics.planning import ASSUMED_SD
from strategies.errors import BadInput, Problem


@dataclass(frozen=True, slots=True)
class GoldReport:
    """The outcome of `check`; plain data, fit for JSON by `as_dict`."""

    name: str
    path: str
    digest: str
    problems: tuple[Problem, ...]
    """Why the set cannot be used; empty if it can."""
    warnings: tuple[Finding, ...]
    """What deserves a look although the set can be used: one a rule, the most harmful first."""
    counts: dict[str, int]
    """As the card counts: documents, characters, cl100k_tokens, questions, evidence_spans."""
    all_questions: Power
    by_people: Power | None
    """The same of the questions that people asked, where others were made otherwise."""
    tags: dict[str, Power]
    """By tag, in the order of their names."""
    assumed_sd: float
    """Standard deviation of paired differences on which `detectable` rests."""
    halves: Halves
    """Whether the set can be split."""
    wanted: Wanted | None
    """Whether it can show the difference asked for, if one was."""
    wanted_by_people: Wanted | None
    """Whether people's questions alone can, where others were made otherwise."""
    overlaps: tuple[Overlap, ...]
    """What each scored question shares with its evidence; empty where there are problems."""

    @property
    def ok(self) -> bool:
        """Whether the set can be used."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The report as dicts, lists and scalars."""
        return {"ok": self.ok, **asdict(self)}


def check(path: Path | str, *, skip_bad: bool = False, difference: float | None = None) -> GoldReport:
    """Read a gold set, by path or bundled name, and report on it. Raises nothing for a bad set.

    `difference`, above 0 and at most 1, is one in a mean that the user wants to see.
    """
    try:
        folder = locate(path)
    except BadInput as error:
        empty = GoldSet(name=str(path), documents=(), questions=(), digest="")
        return _report(empty, str(path), error.problems, difference)
    reading = read(folder, skip_bad=skip_bad)
    return _report(reading.gold, str(folder), reading.problems, difference)


def _report(gold: GoldSet, path: str, problems: tuple[Problem, ...], difference: float | None) -> GoldReport:
    material = Material(gold)
    tagged: defaultdict[str, list[Question]] = defaultdict(list)
    for question in gold.questions:
        for tag in dict.fromkeys(question.tags):
            tagged[tag].append(question)
    asked = [question for question in gold.questions if not question.synthetic]
    mixed = 0 < len(asked) < len(gold.questions)
    documents = len(gold.documents)
    return GoldReport(
        name=gold.name,
        path=path,
        digest=gold.digest,
        problems=problems,
        warnings=tuple(look(material, files_only=bool(problems))),
        counts=count(gold),
        all_questions=power(gold.questions),
        by_people=power(asked) if mixed else None,
        tags={tag: power(tagged[tag]) for tag in sorted(tagged)},
        assumed_sd=ASSUMED_SD,
        halves=halves(gold.questions),
        wanted=None if difference is None else wanted(difference, gold.questions, documents),
        wanted_by_people=wanted(difference, asked, documents) if difference is not None and mixed else None,
        overlaps=() if problems else tuple(material.once(overlaps)),
    )
