"""Proxy questions, made of the documents alone: for a first sweep on documents that nobody has asked about.

Drafts of each kind stand in an order that is drawn by a seed and spread over the documents in proportion to
the square root of their length: the i-th draft (from 0) of a document of n characters comes at
(i + 1/2) / sqrt(n), which is Webster's method of dividing seats: a document with too few drafts leaves its
share to the others.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from evaluation.gold.copies import find_places, fold_quote
from evaluation.gold.making import cloze, headings
from evaluation.gold.making.draft import Draft, asked
from evaluation.gold.making.sections import Sections, sections
from evaluation.gold.nouns import Evidence, Passage, Question
from strategies.document import Document

KINDS: Mapping[str, Callable[[Sequence[Sections], str, Counter[str]], list[Draft]]] = {
    "headings": headings.drafts,
    "cloze": cloze.drafts,
}
"""The ways to make proxies; each is the tag of its questions."""

MOST_PLACES = 5
"""Places in which the words of a piece of evidence may stand, each of which will do."""

SPREAD_TOO_WIDE = f"its evidence stands word for word in more than {MOST_PLACES} places"


@dataclass(frozen=True, slots=True)
class Proxies:
    """What was made, and what was left out."""

    questions: tuple[Question, ...]
    """By kind; of each kind in the order of the documents."""
    wanted: int
    left_out: Mapping[str, Mapping[str, int]]
    """Kind -> why a section or sentence is no question -> how many."""

    @property
    def kinds(self) -> dict[str, int]:
        """How many questions there are of each kind that was asked for."""
        made = Counter(question.tags[0] for question in self.questions)
        return {kind: made[kind] for kind in self.left_out}


def make_proxies(
    documents: Sequence[Document],
    wanted: int,
    *,
    seed: int,
    kinds: Sequence[str] = tuple(KINDS),
    language: str = "en",
    beside: Iterable[Question] = (),
) -> Proxies:
    """So many proxies, as many of each kind, or what the documents have; each asks what no other asks.

    `beside` are the questions that stay. Where one kind lacks drafts the others make up for it. Time is
    linear in the documents.
    """
    left_out = {kind: Counter[str]() for kind in kinds}
    maker = _Maker(documents, list(beside))
    read = [sections(document) for document in documents]
    orders = {
        kind: maker.suited(
            _spread(KINDS[kind](read, language, left_out[kind]), documents, seed), kind, left_out
        )
        for kind in kinds
    }
    made: dict[str, list[Question]] = {kind: [] for kind in kinds}
    for place, kind in enumerate(kinds):
        share = wanted // len(kinds) + (place < wanted % len(kinds))
        made[kind] += islice(orders[kind], share)
    for kind in kinds:
        made[kind] += islice(orders[kind], wanted - sum(map(len, made.values())))
    order = {document.id: place for place, document in enumerate(documents)}

    def standing(question: Question) -> tuple[int, int]:
        first = question.evidence[0].passages[0]
        return order[first.document], first.start

    questions = tuple(question for kind in kinds for question in sorted(made[kind], key=standing))
    return Proxies(questions, wanted, {kind: dict(counts) for kind, counts in left_out.items()})


def proxy_id(kind: str, question: str, evidence: Sequence[str]) -> str:
    """The id of a proxy: of its words and those of its evidence, so that one changed by hand can be told.

    >>> proxy_id("headings", "Guides > Quiet hours", ["From ten at night."])
    'headings-d878256b98'
    """
    content = json.dumps([kind, question, *evidence])
    return f"{kind}-{hashlib.sha256(content.encode()).hexdigest()[:10]}"


def _spread(drafts: Iterable[Draft], documents: Sequence[Document], seed: int) -> Iterator[Draft]:
    """The drafts in the order in which they are taken."""
    length = {document.id: len(document.text) for document in documents}
    by_document: defaultdict[str, list[tuple[bytes, Draft]]] = defaultdict(list)
    for draft in drafts:
        content = f"{seed} {draft.document} {draft.evidence} {draft.text}"
        drawn = hashlib.blake2b(content.encode(), digest_size=8).digest()
        by_document[draft.document].append((drawn, draft))
    order = [
        ((place + 0.5) / math.sqrt(length[document]), drawn, draft)
        for document, held in by_document.items()
        for place, (drawn, draft) in enumerate(sorted(held))
    ]
    return (draft for _, _, draft in sorted(order))


class _Maker:
    """Turns drafts into questions, unless one asks what is asked already or its evidence is everywhere."""

    def __init__(self, documents: Sequence[Document], beside: Collection[Question]) -> None:
        self._documents = documents
        self._texts = {document.id: document.text for document in documents}
        self._asked = {asked(question.text) for question in beside}
        self._ids = {question.id for question in beside}

    def suited(
        self, drafts: Iterator[Draft], kind: str, left_out: Mapping[str, Counter[str]]
    ) -> Iterator[Question]:
        """The questions of drafts that will do, in order; copies are looked up for many of them at a time."""
        size = 64
        while batch := list(islice(drafts, size)):
            for draft, evidence in zip(batch, self._evidence(batch), strict=True):
                texts = [self._texts[draft.document][start:end] for start, end in draft.evidence]
                name, said = proxy_id(kind, draft.text, texts), asked(draft.text)
                if evidence is None:
                    left_out[kind][SPREAD_TOO_WIDE] += 1
                elif said in self._asked or name in self._ids:
                    left_out[kind]["it is asked already"] += 1
                else:
                    self._asked.add(said)
                    self._ids.add(name)
                    yield Question(name, draft.text, evidence, (kind,), synthetic="proxy")
            size *= 2

    def _evidence(self, drafts: Sequence[Draft]) -> list[tuple[Evidence, ...] | None]:
        """The evidence of drafts with every place where its words stand; None where these are too many."""
        quotes = {
            (draft.document, place): fold_quote(self._texts[draft.document][slice(*place)])
            for draft in drafts
            for place in draft.evidence
        }
        distinct = list(dict.fromkeys(quotes.values()))
        found = dict(zip(distinct, find_places(self._documents, distinct), strict=True))
        made = list[tuple[Evidence, ...] | None]()
        for draft in drafts:
            entries = []
            for place in draft.evidence:
                there = found[quotes[draft.document, place]]
                first = Passage(draft.document, *place)
                others = [
                    Passage(self._documents[number].id, start, end)
                    for number, start, end in zip(
                        *(
                            part[: MOST_PLACES + 1].tolist()
                            for part in (there.documents, there.starts, there.ends)
                        ),
                        strict=True,
                    )
                ]
                entries.append(Evidence((first, *(other for other in others if other != first))))
            places = [passage for entry in entries for passage in entry.passages]
            too_many = any(len(entry.passages) > MOST_PLACES for entry in entries)
            made.append(None if too_many or _overlap(places) else tuple(entries))
        return made


def _overlap(places: Sequence[Passage]) -> bool:
    """Whether two places share text, as those of `ha ha` in `ha ha ha` do."""
    order = sorted(places)
    return any(a.document == b.document and b.start < a.end for a, b in pairwise(order))
