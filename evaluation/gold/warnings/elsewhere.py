"""Evidence whose words also stand elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.gold.copies import Places, find_places, fold_quote
from evaluation.gold.nouns import Passage, Question, admits
from evaluation.gold.quotes import Positions, seen
from evaluation.gold.warnings.finding import QUESTIONS, Finding, first_lines
from evaluation.gold.warnings.material import Material, filter_key
from strategies.errors import counted

MOST_PLACES = 100
"""Places of one span that are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class _Reach:
    """Where the words of a span stand in the documents that a question searches."""

    at: Positions
    """Document and start in one rising number."""
    exact: npt.NDArray[np.bool_]
    """Whether they stand there letter by letter."""


class _Copies:
    """Looks up the places of spans, each text and filter once."""

    def __init__(self, material: Material) -> None:
        self.documents = material.gold.documents
        self.index = {document.id: n for n, document in enumerate(self.documents)}
        self.width = 1 + max((len(document.text) for document in self.documents), default=0)
        self.texts: dict[Passage, str] = {}
        for question in material.scored:
            for entry in question.evidence:
                first = entry.passages[0]
                self.texts[first] = material.documents[first.document].text[first.start : first.end]
        folded = {text: fold_quote(text) for text in dict.fromkeys(self.texts.values())}
        self.seen = {text: seen(text) for text in folded}
        quotes = list(dict.fromkeys(folded.values()))
        found = dict(zip(quotes, find_places(self.documents, quotes), strict=True))
        self.places: dict[str, Places] = {text: found[quote] for text, quote in folded.items()}
        self._reach: dict[tuple[str, str], _Reach] = {}
        self._admitted: dict[str, npt.NDArray[np.bool_]] = {}

    def reach(self, text: str, question: Question) -> _Reach:
        """Places of a text in the documents that a question searches."""
        wanted = filter_key(question)
        key = (text, wanted)
        if key not in self._reach:
            places = self.places[text]
            if wanted not in self._admitted:
                passing = [admits(question.filter, document.metadata) for document in self.documents]
                self._admitted[wanted] = np.array(passing, dtype=np.bool_)
            inside = self._admitted[wanted][places.documents]
            numbers, starts = places.documents[inside], places.starts[inside]
            shown = text[slice(*self.seen[text])]
            exact = [
                self.documents[n].text.startswith(shown, start)
                for n, start in zip(numbers.tolist(), starts.tolist(), strict=True)
            ]
            self._reach[key] = _Reach(numbers * self.width + starts, np.array(exact, dtype=np.bool_))
        return self._reach[key]

    def at(self, passage: Passage) -> int:
        """The number of a passage's place, after what folds away at its beginning."""
        number = self.index[passage.document]
        text = self.documents[number].text[passage.start : passage.end]
        if text not in self.seen:
            self.seen[text] = seen(text)
        return number * self.width + passage.start + self.seen[text][0]

    def place(self, number: int) -> tuple[str, int]:
        """Document and start."""
        document, start = divmod(number, self.width)
        return self.documents[document].id, start


def find(material: Material) -> Iterator[Finding]:
    """Spans that a search may find in another place, without credit."""
    cases = material.once(copies)
    exact = sum(case["exact"] > 0 for case in cases)
    if cases:
        spans, questions = len(cases), len({case["question"] for case in cases})
        verb = "stands" if spans == 1 else "stand"
        yield Finding(
            QUESTIONS,
            f"{spans:,} of {counted(material.spans, 'evidence span')} also {verb} elsewhere word for word "
            f"({exact:,} letter by letter), of {counted(questions, 'question')}: found there, they count as "
            "missed",
            "If they answer it there too, add them as alternatives",
            tuple(cases),
            first_lines([_line(case) for case in cases]),
            {"spans": spans, "exact": exact, "questions": questions},
        )


def copies(material: Material) -> list[dict[str, Any]]:
    """Every span with other places: how many, how many letter by letter, and the first of them."""
    if not material.scored:
        return []
    look = _Copies(material)
    cases: list[dict[str, Any]] = []
    for question in material.scored:
        listed = sorted({look.at(passage) for entry in question.evidence for passage in entry.passages})
        for number, entry in enumerate(question.evidence):
            found = look.reach(look.texts[entry.passages[0]], question)
            near = np.searchsorted(found.at, listed).tolist()
            own = [n for n, at in zip(near, listed, strict=True) if n < len(found.at) and found.at[n] == at]
            others = len(found.at) - len(own)
            if not others:
                continue
            near_first = found.at[: MOST_PLACES + len(own)].tolist()
            first = [at for at in near_first if at not in listed][:MOST_PLACES]
            cases.append(
                {
                    "question": question.id,
                    "evidence": number,
                    "places": others,
                    "exact": int(found.exact.sum()) - int(found.exact[own].sum()),
                    "first": [dict(zip(("document", "start"), look.place(at), strict=True)) for at in first],
                }
            )
    return cases


def _line(case: dict[str, Any]) -> str:
    places = [f"{place['document']} at {place['start']}" for place in case["first"][:2]]
    more = f" and {case['places'] - 2:,} more" if case["places"] > 2 else ""
    return f"question {case['question']}: evidence[{case['evidence']}] also in {', '.join(places)}{more}"
