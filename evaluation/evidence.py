"""A question's evidence, made ready to be measured against any text.

All passages of a question, alternatives included, are cut at one another's ends into disjoint *segments*.
What a text holds of each segment is counted once; what it holds of a passage, or of a union of passages,
is then a sum, and no character ever counts twice.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evaluation.gold import Passage, Question
from evaluation.measured import Counts, Measured
from strategies.errors import BadInput, Problem
from strategies.spans import Range

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DocumentSegments:
    """The segments of one document, in order, and the rows that hold their counts."""

    ranges: tuple[Range, ...]
    first_row: int
    measured: Measured

    def rows(self, start: int, end: int) -> slice:
        """The rows of the segments that a passage, whose ends are segment ends, is made of."""
        first, past = bisect_left(self.ranges, (start,)), bisect_left(self.ranges, (end,))
        return slice(self.first_row + first, self.first_row + past)

    def count(self, pieces: Iterable[Range], non_white: Counts, characters: Counts) -> None:
        """Add to both counts, each of shape (n_segments,), what disjoint pieces of text hold."""
        for start, end in pieces:
            i = bisect_right(self.ranges, (start, start)) - 1
            if i < 0 or self.ranges[i][1] <= start:
                i += 1
            while i < len(self.ranges) and self.ranges[i][0] < end:
                common = max(start, self.ranges[i][0]), min(end, self.ranges[i][1])
                non_white[self.first_row + i] += self.measured.non_white_length((common,))
                characters[self.first_row + i] += common[1] - common[0]
                i += 1


@dataclass(frozen=True, slots=True)
class PreparedEvidence:
    """The evidence of one question, in segments. Depends on the documents only, never on chunks."""

    question: Question
    passages: tuple[Passage, ...]
    """Of all entries, one after another."""
    entries: tuple[slice, ...]
    """Which passages are the alternatives of each entry."""
    segments: Mapping[str, DocumentSegments]
    members: Mask
    """Shape (n_passages, n_segments): which segments make up each passage."""
    non_white: Counts
    """Shape (n_segments,): characters of each segment that are not white space."""
    characters: Counts
    """Shape (n_segments,): all characters of each segment."""

    @classmethod
    def of(cls, question: Question, documents: Mapping[str, Measured]) -> PreparedEvidence:
        """Prepare a question; raises `BadInput` if a passage lies outside its document or is blank."""
        passages = tuple(passage for entry in question.evidence for passage in entry.passages)
        _check(question, documents)
        segments: dict[str, DocumentSegments] = {}
        n_segments = 0
        for document in dict.fromkeys(passage.document for passage in passages):
            ranges = _segments([passage for passage in passages if passage.document == document])
            segments[document] = DocumentSegments(ranges, n_segments, documents[document])
            n_segments += len(ranges)
        members = np.zeros((len(passages), n_segments), dtype=np.bool_)
        for row, passage in enumerate(passages):
            members[row, segments[passage.document].rows(passage.start, passage.end)] = True
        ends = np.cumsum([len(entry.passages) for entry in question.evidence], dtype=np.int64).tolist()
        entries = tuple(slice(start, end) for start, end in pairwise([0, *ends]))
        non_white, characters = np.zeros((2, n_segments), dtype=np.int64)
        for of_document in segments.values():
            of_document.count(of_document.ranges, non_white, characters)
        return cls(question, passages, entries, segments, members, non_white, characters)

    def shares(self, covered: Counts) -> npt.NDArray[np.float64]:
        """Share of each passage that a text holds, from its non-white counts by segment."""
        shares: npt.NDArray[np.float64] = (self.members @ covered) / (self.members @ self.non_white)
        return shares

    def whole(self, covered: Counts) -> Mask:
        """Which passages a text holds whole, white space aside: bool, shape (n_passages,)."""
        whole: Mask = np.asarray(self.members @ covered == self.members @ self.non_white)
        return whole

    @property
    def has_alternatives(self) -> bool:
        """Whether any entry has more than one passage."""
        return len(self.passages) > len(self.entries)

    def best(self, covered: Counts) -> list[int]:
        """The passage of each entry that a text covers best, the first listed where equal."""
        shares = self.shares(covered)
        return [entry.start + int(shares[entry].argmax()) for entry in self.entries]

    def chosen(self, covered: Counts) -> Mask:
        """Which segments make up E, the union of the best covered passages: bool, shape (n_segments,)."""
        if not self.has_alternatives:
            return np.ones(len(self.non_white), dtype=np.bool_)
        mask: Mask = np.any(self.members[self.best(covered)], axis=0)
        return mask


def _segments(passages: Iterable[Passage]) -> tuple[Range, ...]:
    """Disjoint ranges, cut wherever a passage starts or ends, that together are the passages."""
    change: dict[int, int] = {}
    for passage in passages:
        change[passage.start] = change.get(passage.start, 0) + 1
        change[passage.end] = change.get(passage.end, 0) - 1
    ranges, open_passages = [], 0
    for start, end in pairwise(sorted(change)):
        open_passages += change[start]
        if open_passages:
            ranges.append((start, end))
    return tuple(ranges)


def _check(question: Question, documents: Mapping[str, Measured]) -> None:
    problems = []
    where = f"question {question.id}"
    for entry in question.evidence:
        if not entry.passages:
            problems.append(Problem(where, "an evidence entry has no passage"))
        for passage in entry.passages:
            place = f"{passage.document} [{passage.start}, {passage.end})"
            measured = documents.get(passage.document)
            if measured is None:
                problems.append(Problem(where, f"evidence lies in an unknown document: {place}"))
            elif not 0 <= passage.start < passage.end < len(measured.non_white):
                problems.append(Problem(where, f"evidence lies outside its document: {place}"))
            elif not measured.non_white_length([(passage.start, passage.end)]):
                problems.append(Problem(where, f"evidence is blank: {place}"))
    if problems:
        raise BadInput(problems)
