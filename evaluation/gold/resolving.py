"""Rows to questions: every place that a row names is looked up in the documents, once."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from evaluation.gold.documents import nearest_document
from evaluation.gold.filters import filter_problem
from evaluation.gold.near import NearMatches, reading
from evaluation.gold.nouns import Evidence, Passage, Question, admits
from evaluation.gold.questions import Anchor, Row
from evaluation.gold.quotes import Corpus, Quote, Range, shown
from evaluation.gold.standing import standing
from strategies.document import Document, Scalar
from strategies.errors import Problem, brief, listed

SHOWN_PLACES = 5
"""Places of a repeated quote that a message lists."""
MOST_HINTS = 50
"""Documents of one set that are not there and come with the one that was probably meant."""


@dataclass(slots=True)
class Resolver:
    """Looks up the places of rows, and gathers what is wrong with them."""

    documents: Mapping[str, Document]
    where: str
    """Name of the questions' file, for messages."""
    skipped: frozenset[str] = frozenset()
    """Documents left out by request: evidence in them can no longer be scored."""
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    trimmed: list[str] = field(default_factory=list)
    """The question of each range of offsets that began or ended with white space."""
    corpus: Corpus = field(init=False)
    near: NearMatches = field(init=False)
    _admitted: dict[str, frozenset[str]] = field(init=False, default_factory=dict)
    _hints: int = MOST_HINTS

    def __post_init__(self) -> None:
        self.corpus = Corpus(self.documents)
        self.near = NearMatches(self.corpus)

    def question(self, row: Row) -> Question:
        """The question of a row; evidence that does not resolve is a problem and is left out."""
        entries = [self._entry(row, entry, f"evidence[{n}]") for n, entry in enumerate(row.evidence)]
        evidence = tuple(Evidence(passages) for passages in entries if passages)
        lost = [n for n, passages in enumerate(entries) if passages is None]
        if lost:
            self._warn(
                row,
                f"evidence[{lost[0]}] stands in a file that could not be read: the question is not scored",
            )
            evidence = ()
        self._filter(row, evidence)
        return Question(row.id, row.question, evidence, row.tags, row.filter, row.answer, row.synthetic)

    def _problem(self, row: Row, what: str, remedy: str = "") -> None:
        self.problems.append(Problem(f"{self.where}:{row.line}", f"question {row.id}: {what}", remedy))

    def _warn(self, row: Row, what: str, remedy: str = "") -> None:
        self.warnings.append(Problem(f"{self.where}:{row.line}", f"question {row.id}: {what}", remedy))

    def _entry(self, row: Row, anchors: Sequence[Anchor], where: str) -> tuple[Passage, ...] | None:
        """Passages of an entry, in the order of the file; None if only skipped documents hold them."""
        passages: list[Passage] = []
        lost = False
        for number, anchor in enumerate(anchors):
            place = where if number == 0 else f"{where}.alternatives[{number - 1}]"
            if anchor.document is None:
                found = self._anywhere(row, anchor, place)
                passages += found or []
                lost |= found is None
                continue
            document = unicodedata.normalize("NFC", anchor.document)
            if document in self.documents:
                ranges = self._ranges(row, anchor, document, place)
                passages += [Passage(document, start, end) for start, end in ranges]
            elif document in self.skipped:
                lost = True
            else:
                remedy = nearest_document(document, self.documents) if self._may_hint() else ""
                self._problem(row, f"{place}: there is no document {brief(repr(anchor.document))}", remedy)
        return None if lost and not passages else tuple(dict.fromkeys(passages))

    def _ranges(self, row: Row, anchor: Anchor, document: str, place: str) -> Iterable[Range]:
        """Where an anchor stands in its document; nothing where that is a problem."""
        if anchor.start is not None and anchor.end is not None:
            return self._offsets(row, anchor, document, anchor.start, anchor.end, place)
        quote = Quote(anchor.quote or "")
        if anchor.any:
            found = self.corpus.every(document, quote)
        else:
            places = islice(self.corpus.places(quote, [document]), SHOWN_PLACES + 1)
            found = [(passage.start, passage.end) for passage in places]
        if not found:
            self._not_found(row, quote, document, place)
        elif len(found) > 1 and not anchor.any:
            remedy = 'Give "start" and "end", or a longer quote, or "any": true if each of them will do'
            self._problem(row, f"{place}: {shown(quote)} stands in {document} at {_starts(found)}", remedy)
            return ()
        return found

    def _offsets(
        self, row: Row, anchor: Anchor, document: str, start: int, end: int, place: str
    ) -> Iterable[Range]:
        text = self.documents[document].text
        quote = None if anchor.quote is None else Quote(anchor.quote)
        what = f"{place}: [{start}, {end}) of {document}"
        if not 0 <= start < end <= len(text):
            size = f"the document has {len(text)} characters"
            remedy = f"Offsets are half-open and count characters from 0; {size}"
            if quote is not None:
                remedy = f"T{size[1:]}. {self._now(quote, document)}"
            self._problem(row, f"{what} is {'empty' if start == end else 'not a range of it'}", remedy)
            return ()
        inside = text[start:end]
        if not inside.strip():
            self._problem(
                row, f"{what} holds only white space", "Point at the words that answer the question"
            )
            return ()
        if quote is not None and not self.corpus.reads(document, start, end, quote):
            remedy = self._now(quote, document)
            self._problem(row, f"{what} reads {shown(Quote(inside))}, not its quote", remedy)
            return ()
        if inside != inside.strip():
            self.trimmed.append(row.id)
        return [(end - len(inside.lstrip()), start + len(inside.rstrip()))]

    def _anywhere(self, row: Row, anchor: Anchor, place: str) -> list[Passage] | None:
        """The one passage of a quote without a document: it must occur once in all of them.

        None where it stands in none of them, and may stand in a file that was left out.
        """
        quote = Quote(anchor.quote or "")
        found = list(islice(self.corpus.places(quote), SHOWN_PLACES + 1))
        if len(found) == 1:
            return found
        if not found and self.skipped:
            return None
        if not found:
            self._problem(row, f"{place}: {shown(quote)} stands in no document", self._meant(quote))
            return []
        places = listed([f"{passage.document} at {passage.start}" for passage in found], most=SHOWN_PLACES)
        remedy = 'Name the document: {"document", "quote"}, with "start" and "end" if it repeats there'
        self._problem(row, f"{place}: {shown(quote)} stands in {places}", remedy)
        return []

    def _may_hint(self) -> bool:
        """Whether to look for what was probably meant, which is slow where much is wrong."""
        self._hints -= 1
        return self._hints >= 0

    def _not_found(self, row: Row, quote: Quote, document: str, place: str) -> None:
        self._problem(
            row, f"{place}: {shown(quote)} does not stand in {document}", self._meant(quote, document)
        )

    def _meant(self, quote: Quote, document: str | None = None) -> str:
        """What was probably meant, which is said but never taken."""
        found = self.near.find(quote)
        if document is not None and not (found and found[0].score == 1):
            here = [near for near in found if near.document == document]
            found = here or self.near.find(quote, document, most=1) or found
        if not found:
            return "Copy the words from the document" + ("" if document else ", and name it")
        best = found[0]
        if best.score == 1 and len(best.ranges) == 1:
            return f"It stands in {best.document} at {best.ranges[0][0]}"
        return reading(best, quote, self.documents[best.document].text, document)

    def _now(self, quote: Quote, document: str) -> str:
        """Where the quote of a range that reads otherwise stands, or what is like it."""
        place, why = standing(self.corpus, document, quote)
        if place is not None:
            return f"Its quote stands at {place[0]} now; chunksweep gold move corrects all such ranges"
        return f"Its quote {why}: correct the one or the other" if why else self._meant(quote, document)

    def _filter(self, row: Row, evidence: Sequence[Evidence]) -> None:
        if not row.filter:
            return
        admitted = self._admits(row.filter)
        if problem := filter_problem("", row.filter, list(self.documents.values())) if not admitted else None:
            self._problem(row, problem.what, problem.remedy)
        elif outside := sorted({p.document for e in evidence for p in e.passages} - admitted):
            names = ", ".join(outside)
            self._warn(
                row, f"the filter excludes its own evidence in {names}", "It can only be missed as `filtered`"
            )

    def _admits(self, wanted: Mapping[str, Scalar]) -> frozenset[str]:
        key = json.dumps(wanted, sort_keys=True)
        if key not in self._admitted:
            passing = (d.id for d in self.documents.values() if admits(wanted, d.metadata))
            self._admitted[key] = frozenset(passing)
        return self._admitted[key]


def _starts(ranges: Sequence[Range]) -> str:
    return listed([str(start) for start, _ in ranges])
