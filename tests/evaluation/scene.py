"""Small documents, chunks and hits for tests of scores. One token a word, unless said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from evaluation.gold import Evidence, Passage, Question
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.retrieval import Hit
from evaluation.scoring import ScoringContext
from evaluation.settings import Settings
from strategies.document import Chunk, Document
from strategies.spans import Range

Place = tuple[str, int, int]


def measured(text: str, token_starts: Sequence[int] | None = None, name: str = "d") -> Measured:
    starts = [word.start() for word in re.finditer(r"\S+", text)] if token_starts is None else token_starts
    return Measured.of(Document(name, text), np.array(starts, dtype=np.int64))


def chunk(document: str, index: int, own: Range, returned: Range | None = None) -> Chunk:
    return Chunk(document, index, *own, "", 0, "", returned or own)


def question(*entries: Place | Sequence[Place], name: str = "q") -> Question:
    """A question; an entry is one place, or a list of alternative places."""
    alternatives = [[entry] if isinstance(entry, tuple) else entry for entry in entries]
    evidence = tuple(Evidence(tuple(Passage(*place) for place in places)) for places in alternatives)
    return Question(name, "?", evidence)


def hits(*places: Place) -> list[Hit]:
    """A ranked list; similarities fall from 0.9 by 0.1."""
    return [Hit(*place, score=round(0.9 - 0.1 * i, 6), chunk=i) for i, place in enumerate(places)]


def context(
    documents: Mapping[str, Measured],
    index: Iterable[Place],
    ks: tuple[int, ...] = (1, 3, 5),
    budgets: tuple[int, ...] = (4, 8),
    rule: str = "half",
) -> ScoringContext:
    chunks = [chunk(document, i, (start, end)) for i, (document, start, end) in enumerate(index)]
    settings = Settings(ks=ks, budgets=budgets, rule=rule, headline=f"answerable_at_{budgets[0]}_tokens")  # type: ignore[arg-type]
    return ScoringContext(documents, Layout.of(chunks), settings)
