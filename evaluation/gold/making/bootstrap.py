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
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from evaluation.gold.copies import Places, find_places, fold_quote
from evaluation.gold.copies_that_count import MOST_PLACES, whole_sentences, whole_words, with_copies
from evaluation.gold.making import cloze, headings
from evaluation.gold.making.draft import Draft, asked
from evaluation.gold.making.sections import Sections, sections
from evaluation.gold.nouns import Evidence, Passage, Question
from evaluation.gold.writing import question_line
from strategies.document import Document

KINDS: Mapping[str, Callable[[Sequence[Sections], str, Counter[str]], list[Draft]]] = {
    "headings": headings.drafts,
    "cloze": cloze.drafts,
}
"""The ways to make proxies; each is the tag of its questions."""

SPREAD_TOO_WIDE = f"its evidence stands word for word in more than {MOST_PLACES} places"
IN_ONE_ANOTHER = "the words of one piece of its evidence stand in another"


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


def proxy_id(row: Mapping[str, object]) -> str:
    """The id of a proxy: of everything else in its line, so that one changed by hand can be told.

    Raises KeyError, IndexError or TypeError where a row has no tag.

    >>> proxy_id({"question": "Guides > Quiet hours", "evidence": [], "tags": ["headings"]})
    'headings-7508f0c55e'
    """
    content = json.dumps({key: row[key] for key in row if key != "id"}, sort_keys=True)
    tags: Any = row["tags"]
    return f"{tags[0]}-{hashlib.sha256(content.encode()).hexdigest()[:10]}"


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
        self._by_id = {document.id: document for document in documents}
        self._asked = {asked(question.text) for question in beside}
        self._ids = {question.id for question in beside}

    def suited(
        self, drafts: Iterator[Draft], kind: str, left_out: Mapping[str, Counter[str]]
    ) -> Iterator[Question]:
        """The questions of drafts that will do, in order; copies are looked up for many of them at a time."""
        size = 64
        while batch := list(islice(drafts, size)):
            for draft, evidence in zip(batch, self._evidence(batch), strict=True):
                said = asked(draft.text)
                if isinstance(evidence, str):
                    left_out[kind][evidence] += 1
                    continue
                question = Question("", draft.text, evidence, (kind,), synthetic="proxy")
                name = proxy_id(json.loads(question_line(question, self._by_id)))
                if said in self._asked or name in self._ids:
                    left_out[kind]["it is asked already"] += 1
                else:
                    self._asked.add(said)
                    self._ids.add(name)
                    yield replace(question, id=name)
            size *= 2

    def _evidence(self, drafts: Sequence[Draft]) -> list[tuple[Evidence, ...] | str]:
        """The evidence of drafts with the copies of its sentences, or why it will not do."""
        quotes = {
            (draft.document, place): fold_quote(self._by_id[draft.document].text[slice(*place)])
            for draft in drafts
            for place in draft.evidence
        }
        distinct = list(dict.fromkeys(quotes.values()))
        places = find_places(self._documents, distinct)
        found = {quote: self._whole(there) for quote, there in zip(distinct, places, strict=True)}
        made = list[tuple[Evidence, ...] | str]()
        for draft in drafts:
            entries = list[Evidence]()
            for place in draft.evidence:
                there = found[quotes[draft.document, place]]
                first = Passage(draft.document, *place)
                if entry := with_copies(first, there, self._by_id, whole_sentences):
                    entries.append(entry)
            passages = [passage for entry in entries for passage in entry.passages]
            if len(entries) < len(draft.evidence):
                made.append(SPREAD_TOO_WIDE)
            else:
                made.append(IN_ONE_ANOTHER if _overlap(passages) else tuple(entries))
        return made

    def _whole(self, there: Places) -> list[Passage]:
        """The first of the places that are whole words: one more than any piece of evidence may have."""
        found = (
            Passage(self._documents[number].id, int(start), int(end))
            for number, start, end in zip(there.documents, there.starts, there.ends, strict=True)
        )
        texts = self._by_id
        whole = (one for one in found if whole_words(texts[one.document].text, one.start, one.end))
        return list(islice(whole, MOST_PLACES + 1))


def _overlap(places: Sequence[Passage]) -> bool:
    """Whether two places share text, as `ha.` and a copy of it in `ha. Ho.` do."""
    order = sorted(places)
    return any(a.document == b.document and b.start < a.end for a, b in pairwise(order))
