"""Questions in the words of their evidence, counted apart by how they were made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from evaluation.gold.nouns import SYNTHETIC, Question, Synthetic
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import QUESTIONS_OF, Material
from evaluation.ranking.bm25 import words
from strategies.document import Document

COPIED_FROM = 0.8
"""Share of a question's words in its evidence from which it is taken for a copy: four of five. In the bundled
set the median is about a quarter, in Chroma's, written by a model with the text before it, a half."""
FEWEST_WORDS = 3
"""Of fewer words than these, all are often a name that has no other."""
LONG_RUN_WORDS = 6
"""Words in a row that nobody repeats by chance."""
MANY_FROM = 0.1
"""Share of the questions of a way of making from which copies move the figures of a set enough to warn."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a question and its evidence, as first listed, have in common."""

    question: str
    share: float | None
    """Of the question's distinct words that name something, those in the evidence; None if none does."""
    words: int
    """How many distinct words that name something the question has."""
    longest_run_words: int
    """The longest run of any words of the question that stands in a piece of evidence."""
    synthetic: Synthetic = ""
    """How the question was made."""

    @property
    def copied(self) -> bool:
        """Whether the question is in the words of its evidence."""
        much = self.share is not None and self.share >= COPIED_FROM and self.words >= FEWEST_WORDS
        return much or self.longest_run_words >= LONG_RUN_WORDS


def overlaps(material: Material) -> list[Overlap]:
    """What each question that has evidence shares with it."""
    return [
        overlap(question, asked, material.documents, material.common[question.synthetic])
        for question, asked in zip(material.gold.questions, material.words, strict=True)
        if question.evidence
    ]


def overlap(
    question: Question, asked: Sequence[str], documents: Mapping[str, Document], common: Container[str]
) -> Overlap:
    """What a question of these words shares with its evidence; `common` are words that name nothing."""
    own = {word for word in asked if word not in common}
    seen: set[str] = set()
    longest = 0
    for entry in question.evidence:
        first = entry.passages[0]
        told = words(documents[first.document].text[first.start : first.end])
        seen.update(told)
        longest = max(longest, longest_run(asked, told))
    share = len(own & seen) / len(own) if own else None
    return Overlap(question.id, share, len(own), longest, question.synthetic)


def longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest run that stands in both.

    >>> longest_run("may a flat keep a dog".split(), "no flat may keep a dog here".split())
    3
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(one):
        places[word].append(place)
    ending: dict[int, int] = {}
    longest = 0
    for word in other:
        ending = {place: ending.get(place - 1, 0) + 1 for place in places.get(word, ())}
        longest = max(longest, *ending.values(), 0)
    return longest


def _shares(found: Sequence[Overlap]) -> list[float]:
    """Of the questions that have words which name something."""
    return [one.share for one in found if one.share is not None]


def summary(found: Sequence[Overlap]) -> list[str]:
    """The distribution in a line for each way in which questions were made; none where none has words."""
    made = {one.synthetic for one in found}
    ways = [way for way in SYNTHETIC if way in made]
    told = []
    for way in ways:
        of_way = [one for one in found if one.synthetic == way]
        if shares := _shares(of_way):
            head = (
                f"words of {QUESTIONS_OF[way]} that stand in their evidence"
                if len(ways) > 1
                else "words of a question that stand in its evidence"
            )
            many = f"{sum(share >= COPIED_FROM for share in shares):,} of {len(of_way):,}"
            told.append(f"{head}: median {median(shares):.0%}, {COPIED_FROM:.0%} or more in {many}")
    return told


def find(material: Material) -> Iterator[Finding]:
    """Copies, where they are many: they flatter a search by words, and small chunks that hold little else."""
    for way in material.ways:
        every = [one for one in material.once(overlaps) if one.synthetic == way]
        found = sorted(
            (one for one in every if one.copied),
            key=lambda one: (-(one.share or 0), -one.longest_run_words),
        )
        shares = _shares(every)
        if found and len(found) >= MANY_FROM * len(every):
            verb = "is" if len(found) == 1 else "are"
            yield Finding(
                QUESTIONS,
                f"{len(found):,} of {len(every):,} {material.called(way)} {verb} in the words of their "
                "evidence: that flatters search by words, and small chunks",
                "" if way == "proxy" else "Ask as users do, before they have read the answer",
                tuple({"question": one.question} for one in found),
                first_lines([_line(one) for one in found]),
                {"copied": len(found), **({"median_share": median(shares)} if shares else {})},
            )


def _line(one: Overlap) -> str:
    run = f"{one.longest_run_words} in a row"
    share = "" if one.share is None else f"{one.share:.0%} of its words, "
    return f"{one.question}: {share}{run}"
