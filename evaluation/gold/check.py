"""What is wrong with a gold set, what deserves a look, and what the set can tell."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from evaluation.gold.loading import count, locate, read
from evaluation.gold.nouns import GoldSet, Passage, Question, admits
from evaluation.gold.quotes import Corpus, Quote
from evaluation.statistics.planning import ASSUMED_SD, detectable
from evaluation.statistics.units import components, resampling_units
from strategies.errors import BadInput, Problem, brief

MOST_COMPARISONS = 10_000_000_000
"""Characters of documents times spans up to which copies of evidence are looked for (seconds)."""

MOST_PROBLEMS = 30
"""Problems that `lines` shows: one screen."""
MOST_WARNINGS = 12
"""Warnings that are printed."""


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
class GoldReport:
    """The outcome of `check`; plain data, fit for JSON by `as_dict`."""

    name: str
    path: str
    digest: str
    problems: tuple[Problem, ...]
    """Why the set cannot be used; empty if it can."""
    warnings: tuple[Problem, ...]
    """What deserves a look although the set can be used."""
    counts: dict[str, int]
    """As the card counts: documents, characters, cl100k_tokens, questions, evidence_spans."""
    all_questions: Power
    tags: dict[str, Power]
    """By tag, in the order of their names."""
    assumed_sd: float
    """Standard deviation of paired differences on which `detectable` rests."""

    @property
    def ok(self) -> bool:
        """Whether the set can be used."""
        return not self.problems

    def as_dict(self) -> dict[str, Any]:
        """The report as dicts, lists and scalars."""
        return {"ok": self.ok, **asdict(self)}


def check(path: Path | str, *, skip_bad: bool = False) -> GoldReport:
    """Read a gold set, by path or bundled name, and report on it. Raises nothing for a bad set."""
    try:
        folder = locate(path)
    except BadInput as error:
        empty = GoldSet(name=str(path), documents=(), questions=(), digest="")
        return _report(empty, str(path), error.problems, (), ASSUMED_SD)
    reading = read(folder, skip_bad=skip_bad)
    # What is said of questions would be said of those that happened to resolve.
    found = _of_files(reading.gold) if reading.problems else _warnings(reading.gold)
    warnings = (*reading.gold.warnings, *found)
    return _report(reading.gold, str(folder), reading.problems, warnings, ASSUMED_SD)


def _report(
    gold: GoldSet, path: str, problems: tuple[Problem, ...], warnings: tuple[Problem, ...], assumed_sd: float
) -> GoldReport:
    tags = sorted({tag for question in gold.questions for tag in question.tags})
    return GoldReport(
        name=gold.name,
        path=path,
        digest=gold.digest,
        problems=problems,
        warnings=warnings,
        counts=count(gold),
        all_questions=power(gold.questions, assumed_sd),
        tags={tag: power([q for q in gold.questions if tag in q.tags], assumed_sd) for tag in tags},
        assumed_sd=assumed_sd,
    )


def power(questions: Sequence[Question], assumed_sd: float) -> Power:
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


def _warnings(gold: GoldSet) -> list[Problem]:
    return [*_of_files(gold), *_of_questions(gold.questions), *_copies(gold)]


def _of_files(gold: GoldSet) -> Iterable[Problem]:
    for path in gold.skipped:
        yield Problem(f"documents/{path}", "was left out because it cannot be read")
    for path in gold.byte_order_marks:
        yield Problem(
            f"documents/{path}", "begins with a byte-order mark; offsets count from the character after it"
        )
    for document in gold.documents:
        if not document.text.strip():
            yield Problem(f"documents/{document.id}", "holds no text")


def _of_questions(questions: Sequence[Question]) -> Iterable[Problem]:
    silent = [question.id for question in questions if not question.evidence]
    if silent:
        what = f"not scored for lack of evidence: {len(silent)} of {len(questions)} ({_some(silent)})"
        yield Problem("questions.jsonl", what)
    same: defaultdict[str, list[str]] = defaultdict(list)
    for question in questions:
        words = " ".join(question.text.lower().split())
        same[json.dumps([words, dict(question.filter)], sort_keys=True)].append(question.id)
    for ids in same.values():
        if len(ids) > 1:
            yield Problem("questions.jsonl", f"{_some(ids)} ask the same", "Ask each question once")
    for question in questions:
        entries: defaultdict[frozenset[Passage], list[str]] = defaultdict(list)
        for number, entry in enumerate(question.evidence):
            entries[frozenset(entry.passages)].append(f"evidence[{number}]")
        for numbers in entries.values():
            if len(numbers) > 1:
                what = f"question {question.id}: {_some(numbers)} are the same"
                yield Problem("questions.jsonl", what, "List each piece of evidence once")


def _copies(gold: GoldSet) -> Iterable[Problem]:
    """Evidence whose words also stand elsewhere: who finds them there is scored as a miss."""
    spans = sum(len(question.evidence) for question in gold.questions)
    if spans * sum(len(document.text) for document in gold.documents) > MOST_COMPARISONS:
        yield Problem("questions.jsonl", "the set is so large that copies of evidence were not looked for")
        return
    corpus = Corpus({document.id: document for document in gold.documents})
    for question in gold.questions:
        listed = {(p.document, p.start) for entry in question.evidence for p in entry.passages}
        for number, entry in enumerate(question.evidence):
            first = entry.passages[0]
            quote = Quote(corpus.documents[first.document].text[first.start : first.end])
            places = (
                f"{document} at {start}"
                for document, searched in corpus.documents.items()
                if admits(question.filter, searched.metadata)
                for start, _ in corpus.alike(document, quote)
                if (document, start) not in listed
            )
            if copies := list(islice(places, 4)):
                what = (
                    f"question {question.id}: the words of evidence[{number}] also stand in {_some(copies)}"
                )
                yield Problem(
                    "questions.jsonl", what, "If they answer it there too, add them as alternatives"
                )


def _some(items: Sequence[str]) -> str:
    """The first three of a list, and that there are more."""
    return ", ".join(items[:3]) + (", ..." if len(items) > 3 else "")


def lines(report: GoldReport) -> list[str]:
    """The report for people, one text a line, plain: the first problems and warnings, what it can tell."""
    counts = report.counts
    wrong = len(report.problems)
    state = f"{wrong} problem{'s' if wrong > 1 else ''}" if wrong else "ready"
    head = [
        f"{brief(report.name or report.path) or 'data set'}: {state}",
        f"  {counts['documents']} documents, {counts['characters']:,} characters, "
        f"{counts['cl100k_tokens']:,} cl100k tokens",
        f"  {counts['questions']} questions, {counts['evidence_spans']} evidence spans",
        f"  digest {report.digest[:16]}",
    ]
    problems = _listed("Problems:", report.problems, MOST_PROBLEMS)
    warnings = _listed("Worth a look:", report.warnings, MOST_WARNINGS)
    shown = [*head, *warnings, "", *_power_lines(report)]
    if report.problems:  # counts of what happened to resolve would mislead
        shown = [head[0], *problems, *warnings]
    # Ids, tags and file names may hold what would move a terminal's cursor.
    return [brief(line, longest=len(line)) for line in shown]


def _listed(title: str, found: Sequence[Problem], most: int) -> list[str]:
    if not found:
        return []
    rest = [f"  and {len(found) - most} more; --json lists all"] if len(found) > most else []
    return ["", title, *(f"  {problem}" for problem in found[:most]), *rest]


def _power_lines(report: GoldReport) -> list[str]:
    rows = [("all", report.all_questions), *report.tags.items()]
    width = max(len(tag) for tag, _ in rows)
    unit = {"component": "group", "question": "question"}
    table = [
        f"  {tag:<{width}}  {row.scored:>6}  {row.components:>6}  {unit[row.unit]:<9}  {row.detectable:>6.3f}"
        for tag, row in rows
    ]
    return [
        "What the set can tell:",
        f"  {'':<{width}}  scored  groups  unit       smallest difference",
        *table,
        "  Groups share no evidence document; with fewer than 8 of them, single questions are the unit.",
        "  Smallest difference in a mean found in 80 % of comparisons at 5 % (two-sided), assuming that",
        f"  paired differences have a standard deviation of {report.assumed_sd:g}; a run knows the real one.",
    ]
