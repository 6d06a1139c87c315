"""The report on a gold set for people: what is wrong, what deserves a look, what the set can tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.gold.check import GoldReport
from evaluation.gold.power import Power, Wanted
from evaluation.gold.questions import NO_QUESTION
from evaluation.gold.warnings.copied_words import summary
from evaluation.gold.warnings.finding import Finding
from strategies.errors import brief, counted

MOST_PROBLEMS = 30
"""Problems that are printed: one screen."""
MOST_TAGS = 30
"""Tags that are printed."""
_UNIT = {"component": "group", "question": "question"}
"""What the units of statistics are called."""


def lines(report: GoldReport) -> list[str]:
    """The report for people, one text a line, plain: the first problems and warnings, what it can tell."""
    counts = report.counts
    wrong = len(report.problems)
    state = counted(wrong, "problem") if wrong else "ready"
    head = [
        f"{brief(report.name or report.path) or 'data set'}: {state}",
        "  " + ", ".join(_counted(counts, "document", "character", "cl100k token")),
        "  " + ", ".join(_counted(counts, "question", "evidence span")),
        *(f"  {told}" for told in summary(report.overlaps)),
        f"  digest {report.digest[:16]}",
    ]
    problems = _listed("Problems:", report.problems, MOST_PROBLEMS)
    warnings = [line for finding in report.warnings for line in _finding(finding)]
    if warnings:
        warnings = ["", "Worth a look:", *warnings]
    shown = [*head, *warnings, "", *_power(report)]
    if [problem.what for problem in report.problems] == [NO_QUESTION]:  # the set is as far as it was made
        name, documents = brief(report.name or report.path), head[1]
        shown = [
            f"{name}: no question yet",
            documents,
            *warnings,
            "",
            "Next:",
            f"  {report.problems[0].remedy}",
        ]
    elif report.problems:  # counts of what happened to resolve would mislead
        shown = [head[0], *problems, *warnings]
    # Ids, tags and file names may hold what would move a terminal's cursor.
    return [brief(line, longest=len(line)) for line in shown]


def _counted(counts: Mapping[str, int], *nouns: str) -> Iterable[str]:
    return (counted(counts[f"{noun.replace(' ', '_')}s"], noun) for noun in nouns)


def _finding(finding: Finding) -> Iterable[str]:
    yield f"  {finding.what}"
    yield from (f"    {line}" for line in finding.shown)
    if finding.remedy:
        yield f"    -> {finding.remedy}"


def _listed(title: str, found: Sequence[object], most: int) -> list[str]:
    if not found:
        return []
    rest = [f"  and {len(found) - most} more; --json lists all"] if len(found) > most else []
    return ["", title, *(f"  {problem}" for problem in found[:most]), *rest]


def _power(report: GoldReport) -> list[str]:
    rows = [
        ("all", report.all_questions),
        *([("by people", report.by_people)] if report.by_people else []),
        *list(report.tags.items())[:MOST_TAGS],
    ]
    rest = len(report.tags) - MOST_TAGS
    width = max(len(tag) for tag, _ in rows)
    table = [
        f"  {name:<{width}}  {of.scored:>6}  {of.components:>6}  {_UNIT[of.unit]:<9}  {of.detectable:>6.3f}"
        for name, of in rows
    ]
    return [
        "What the set can tell:",
        f"  {'':<{width}}  scored  groups  unit       smallest difference",
        *table,
        *([f"  and {rest} more tags; --json lists all"] if rest > 0 else []),
        "  Groups share no evidence document; with fewer than 8 of them, single questions are the unit.",
        "  Smallest difference in a mean found in 80 % of comparisons at 5 % (two-sided), assuming that",
        f"  paired differences have a standard deviation of {report.assumed_sd:g}; a run knows the real one.",
        *_wanted(report),
        f"  {_halves(report)}",
    ]


def _wanted(report: GoldReport) -> Iterable[str]:
    if report.wanted:
        has, asked = report.all_questions, report.wanted
        takes = counted(asked.units_needed, f"independent {_UNIT[has.unit]}")
        shows = _shows(f"{has.units:,}", has, asked)
        yield f"  A difference of {asked.difference:g} takes {takes}; the set has {shows}."
        if not report.wanted_by_people:
            yield from _missing(asked)
    if report.by_people and report.wanted_by_people:
        has, asked = report.by_people, report.wanted_by_people
        shows = _shows(counted(has.units, _UNIT[has.unit]), has, asked)
        yield f"  Of people's questions alone it has {shows}."
        yield from _missing(asked)


def _shows(number: str, has: Power, asked: Wanted) -> str:
    if not asked.shown:
        return f"{number} and cannot show it"
    if has.units > has.components:
        return f"{number} and can show it, if those of one document were independent"
    return f"{number} and can show it"


def _missing(asked: Wanted) -> Iterable[str]:
    """What to do about a difference that cannot be shown."""
    if asked.shown:
        return
    more, fewer = asked.groups_missing, asked.groups_missing - asked.documents_missing
    if not asked.documents_missing:
        about = "about a document" if more == 1 else "each about another document"
        yield f"    -> Ask {counted(more, 'question')}, {about} that has none yet"
        return
    own = f"{counted(fewer, 'document')} of the set {'has' if fewer == 1 else 'have'} no question yet"
    yield (
        f"    -> That takes {counted(more, 'more group')} of documents and questions. "
        f"{own if fewer else 'Each document of the set has a question'}, so add "
        f"{counted(asked.documents_missing, 'document')}, with a question about each"
    )


def _halves(report: GoldReport) -> str:
    split = report.halves
    if split.against:
        return f"A split into halves {split.against}."
    return (
        f"It can be split (`split:` in a sweep) into halves of {split.dev:,} questions to choose on (dev) "
        f"and {split.test:,} to report on (test)."
    )
