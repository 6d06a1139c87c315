"""What Smith and Troynikov published for all-MiniLM-L6-v2, and how they defined it.

"Evaluating Chunking Strategies for Retrieval" (Chroma, 2024), all corpora together, five chunks retrieved;
definitions as in the code that came with it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chroma_omega import SEPARATORS

from evaluation.gold import Passage
from strategies.document import Chunk, Document
from strategies.spans import Ranges, intersect, length, union

UNIT, SPECIAL = "embedder", "embedder+special"
"""Tokens of all-MiniLM-L6-v2 alone, and with the two special tokens that it adds to a text."""

Place = tuple[str, int, int]
"""Document, start, end."""


class Scores(NamedTuple):
    """Of one question shares, of all of them means; in percent where they are published."""

    recall: float
    precision: float
    omega: float
    iou: float


class Line(NamedTuple):
    """A row of the published table."""

    splitter: str
    size: int
    overlap: int
    scores: Scores
    mean_size: int | None = None

    @property
    def name(self) -> str:
        """As --only takes it."""
        return f"{self.splitter.lower()}-{self.size}-{self.overlap}"

    @property
    def cut_by(self) -> tuple[str, dict[str, Any]]:
        """The strategy that stands for the splitter, and its parameters.

        The report says that sizes are cl100k tokens. Those of the recursive rows are tokens of the model,
        special ones included: only so do the mean sizes and Precision Ω come out as published.
        """
        size: dict[str, Any] = {"size": self.size}
        if self.splitter == "Recursive":
            more = {"overlap": self.overlap, "unit": SPECIAL, "separators": SEPARATORS}
            return "langchain:RecursiveCharacterTextSplitter", size | more
        if self.splitter == "TokenText":
            return "langchain:TokenTextSplitter", size | {"overlap": self.overlap}
        return "cluster", size | {"unit": UNIT}


LINES = (
    Line("Recursive", 200, 0, Scores(75.7, 6.5, 31.2, 6.5), 128),
    Line("Recursive", 250, 0, Scores(78.5, 5.4, 26.7, 5.4), 162),
    Line("Recursive", 250, 125, Scores(78.7, 4.9, 21.9, 4.9), 180),
    Line("TokenText", 200, 0, Scores(76.6, 4.1, 19.1, 4.1)),
    Line("TokenText", 250, 0, Scores(77.1, 3.3, 16.4, 3.3)),
    Line("TokenText", 250, 125, Scores(82.4, 3.6, 11.4, 3.5)),
    Line("Cluster", 200, 0, Scores(75.2, 7.2, 33.6, 7.2), 102),
    Line("Cluster", 250, 0, Scores(77.3, 6.1, 28.6, 6.0), 168),
)

OTHER_OMEGA = {(800, 400): 4.7, (400, 200): 8.4, (400, 0): 12.5, (200, 0): 21.0}
"""Precision Ω of TokenText by size and overlap in the report's table of text-embedding-3-large."""


def raw_spans(path: Path) -> dict[str, list[Passage]]:
    """The evidence by question, with the white space that stands at its ends in the set."""
    with path.open(encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]
    return {
        row["id"]: [Passage(row["document"], span["start"], span["end"]) for span in row["evidence"]]
        for row in asked
    }


def first_copies(documents: Sequence[Document], chunks: Sequence[Chunk]) -> dict[Place, Place]:
    """Place of each chunk -> where its document holds that text for the first time: what a search finds."""
    texts = {one.id: one.text for one in documents}
    moved = {}
    for chunk in chunks:
        first = texts[chunk.document_id].find(chunk.text)
        place = (chunk.document_id, chunk.start, chunk.end)
        moved[place] = (chunk.document_id, first, first + len(chunk.text))
    return moved


def at_k(places: Sequence[Place], spans: Sequence[Passage]) -> tuple[float, float, float]:
    """Recall, precision and IoU of one question whose evidence lies in one document.

    They differ from this project's in three things. All characters count in recall, not only those that
    are not white space, and evidence keeps the white space at its ends. Precision and IoU add up the lengths
    of all retrieved chunks, so that text in two of them counts twice.

    >>> span = Passage("d", 10, 20)
    >>> at_k([("d", 0, 15), ("d", 10, 25), ("e", 0, 10)], [span])  # all 10, in 15 + 15 + 10
    (1.0, 0.25, 0.25)
    >>> at_k([("d", 0, 15), ("e", 0, 10)], [span])  # 5 of 10; 5 in 25; 25 and the 5 not found
    (0.5, 0.2, 0.16666666666666666)
    """
    found = length(intersect(text(places, spans), evidence(spans)))
    wanted = length(evidence(spans))
    retrieved = sum(end - start for _, start, end in places)
    return found / wanted, found / retrieved, found / (retrieved + wanted - found)


def omega(places: Collection[Place], spans: Sequence[Passage]) -> float:
    """Precision of the chunks that hold evidence or only touch it, text in two of them counted once.

    >>> omega({("d", 0, 10), ("d", 10, 30), ("d", 40, 50)}, [Passage("d", 10, 20)])
    0.3333333333333333
    """
    near = {
        place for place in places if any(place[1] <= span.end and span.start <= place[2] for span in spans)
    }
    around = text(near, spans)
    return length(intersect(around, evidence(spans))) / length(around) if around else 0.0


def text(places: Collection[Place], spans: Sequence[Passage]) -> Ranges:
    """What the places hold of the document in which the evidence lies."""
    return union((start, end) for document, start, end in places if document == spans[0].document)


def evidence(spans: Sequence[Passage]) -> Ranges:
    """All spans of a question."""
    return union((span.start, span.end) for span in spans)
