"""Precision-Omega on the Chroma set: ours, and what was published for it.

    python benchmarks/chroma_omega.py [--chroma FOLDER] [--cache FOLDER] [--only cluster|recursive]
                                      [--sizes N ...] [--json]

Two tables. `cluster` beside strategies that need no embedder, in tokens of all-MiniLM-L6-v2, which also makes
its vectors; and `recursive` beside LangChain's splitter of that name with the same parameters, in tokens of
cl100k. Published values are those of Chroma's report (Smith and Troynikov, "Evaluating Chunking Strategies
for Retrieval", 2024). Exits 1 if `cluster` or LangChain's splitter is more than 2 points from them.

The set is not part of this repository: its folder (`documents/`, `questions.jsonl`) is --chroma, else
$CHUNKSWEEP_CHROMA, else the optional data folder `../shared/gold/chroma`. Embedding it takes minutes; with
--cache, vectors are kept in a folder and a second run takes seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.embedding import EmbedderSpec, open_embedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.gold import Evidence, Passage, Question
from evaluation.layout import Layout
from evaluation.measured import Measured
from evaluation.scoring import ScoringContext, aggregate, score_question
from evaluation.settings import Settings
from strategies import build
from strategies.document import Document
from strategies.splitting import split
from strategies.strategy import Strategy, Vectors
from strategies.tools import TOKENS, Tools

STRATEGIES = ("cluster", "recursive", "sentence", "fixed")
PUBLISHED = {
    ("cluster", 200): 33.6,
    ("cluster", 250): 28.6,
    ("recursive", 200): 31.2,
    ("recursive", 250): 26.7,
    ("fixed", 200): 19.1,
    ("fixed", 250): 16.4,
}
"""Percent, over all five corpora, without overlap; `fixed` is the report's TokenText."""

LANGCHAIN = "langchain:RecursiveCharacterTextSplitter"
SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]
"""Those of the report; all else is as LangChain has it."""
RECURSIVE = {(400, 200): 13.9, (400, 0): 17.7, (200, 0): 29.9, (800, 400): 6.7}
"""Percent by size and overlap."""

UNIT = "embedder"
JUDGED = ("cluster", LANGCHAIN)
WITHIN = 2.0
Row = dict[str, Any]


def main() -> int:
    """One row a strategy and size."""
    options = read_options()
    documents, questions = read(options.chroma)
    embedder = open_embedder(EmbedderSpec())
    desk = EmbeddingDesk(embedder, options.cache)

    def embed(texts: Sequence[str]) -> Vectors:
        desk.prepare(texts, "passage")
        return desk.vectors(texts, "passage").vectors

    tools = Tools(counters={"embedder": embedder.counter("embedder")}, embed=embed)
    measured = {found.id: Measured.of(found, tools.borders(found, TOKENS)[:-1]) for found in documents}

    def row(strategy: Strategy, size: int, overlap: int, unit: str, published: float | None) -> Row:
        chunks = [chunk for found in documents for chunk in split(found, strategy, tools)]
        context = ScoringContext(measured, Layout.of(chunks), Settings())
        scores = [score_question(question, None, context) for question in questions]
        percent = 100 * (aggregate(scores, 0)["precision_omega"].mean or 0.0)
        print(f"{strategy.name} {size}-{overlap}: {percent:.2f} %", file=sys.stderr, flush=True)
        counts = [tools.counter(unit).count(chunk.text) for chunk in chunks]
        return {
            "strategy": strategy.name,
            "size": size,
            "overlap": overlap,
            "chunks": len(chunks),
            "mean size": round(sum(counts) / len(counts), 1),
            "precision omega, %": round(percent, 2),
            "published, %": published,
        }

    tables: dict[str, list[Row]] = {}
    if options.only != "recursive":
        tables["cluster"] = [
            row(build(name, {"size": size, "unit": UNIT}), size, 0, UNIT, PUBLISHED.get((name, size)))
            for name in STRATEGIES
            for size in options.sizes
        ]
    if options.only != "cluster":
        tables["recursive"] = [
            row(
                build(name, {"size": size, "overlap": overlap, "separators": SEPARATORS}),
                size,
                overlap,
                TOKENS,
                published if name == LANGCHAIN else None,
            )
            for (size, overlap), published in RECURSIVE.items()
            for name in (LANGCHAIN, "recursive")
        ]
    print(json.dumps(tables, indent=2) if options.json else "\n\n".join(map(markdown, tables.values())))
    judged = (one for rows in tables.values() for one in rows if one["strategy"] in JUDGED)
    return int(any(off(one) > WITHIN for one in judged))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 250], help="of the first table")
    parser.add_argument("--only", choices=["cluster", "recursive"], help="one of the two tables")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    return of_the_set(parser)


def of_the_set(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Options, those of every benchmark on this set among them; ends the program where it is not there."""
    optional = Path(__file__).resolve().parents[2] / "shared" / "gold" / "chroma"
    default = Path(os.environ.get("CHUNKSWEEP_CHROMA") or optional)
    parser.add_argument("--chroma", type=Path, default=default, help="folder of the set")
    parser.add_argument("--cache", type=Path, help="folder in which vectors are kept")
    options = parser.parse_args()
    if not (options.chroma / "questions.jsonl").is_file():
        parser.error(f"no Chroma set in {options.chroma}: give --chroma or set CHUNKSWEEP_CHROMA")
    return options


def read(folder: Path) -> tuple[list[Document], list[Question]]:
    documents = [
        Document(path.name, path.read_bytes().decode("utf-8"))
        for path in sorted((folder / "documents").glob("*.txt"))
    ]
    texts = {found.id: found.text for found in documents}

    def evidence(document: str, start: int, end: int) -> Evidence:
        text = texts[document][start:end]
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        return Evidence((Passage(document, start, end),))

    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        asked = [json.loads(line) for line in lines]
    return documents, [
        Question(
            row["id"],
            row["question"],
            tuple(evidence(row["document"], span["start"], span["end"]) for span in row["evidence"]),
        )
        for row in asked
    ]


def off(row: Row) -> float:
    """Points between a row and what was published, 0 where nothing was."""
    published = row["published, %"]
    return 0.0 if published is None else abs(row["precision omega, %"] - published)


def markdown(rows: list[Row]) -> str:
    """A table."""
    cells = [list(rows[0]), ["---"] * len(rows[0])]
    cells += [["" if value is None else str(value) for value in row.values()] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


if __name__ == "__main__":
    sys.exit(main())
