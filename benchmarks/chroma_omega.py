"""Precision-Omega on the Chroma set, of `cluster` and of the strategies that need no embedder beside it.

    python benchmarks/chroma_omega.py [--chroma FOLDER] [--cache FOLDER] [--sizes N ...] [--json | --markdown]

Sizes are counted in tokens of all-MiniLM-L6-v2, which also makes the vectors of `cluster`; published values
are those of Chroma's report for that model (Smith and Troynikov, "Evaluating Chunking Strategies for
Retrieval", 2024). Exits 1 if `cluster` is more than 2 points from the published value of a size that has one.

The set is not part of this repository: its folder (`documents/`, `questions.jsonl`) is --chroma, else
$CHUNKSWEEP_CHROMA, else `shared/gold/chroma` beside the repository. Embedding it takes minutes; with --cache,
vectors are kept in a folder and a second run takes seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
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
from strategies.strategy import Vectors
from strategies.tools import TOKENS, Tools

UNIT = "embedder"
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
WITHIN = 2.0


def main() -> int:
    """One row a strategy and size."""
    options = read_options()
    documents, questions = read(options.chroma)
    embedder = open_embedder(EmbedderSpec())
    desk = EmbeddingDesk(embedder, options.cache)

    def embed(texts: Sequence[str]) -> Vectors:
        desk.prepare(texts, "passage")
        return desk.vectors(texts, "passage").vectors

    tools = Tools(counters={UNIT: embedder.counter(UNIT)}, embed=embed)
    measured = {found.id: Measured.of(found, tools.borders(found, TOKENS)[:-1]) for found in documents}
    rows = []
    for name in STRATEGIES:
        for size in options.sizes:
            started = time.perf_counter()
            strategy = build(name, {"size": size, "unit": UNIT})
            chunks = [chunk for found in documents for chunk in split(found, strategy, tools)]
            seconds = time.perf_counter() - started
            context = ScoringContext(measured, Layout.of(chunks), Settings())
            scores = [score_question(question, None, context) for question in questions]
            percent = 100 * (aggregate(scores, 0)["precision_omega"].mean or 0.0)
            lengths = [tools.counter(UNIT).count(chunk.text) for chunk in chunks]
            rows.append(
                {
                    "strategy": name,
                    "size": size,
                    "chunks": len(chunks),
                    "mean size": round(sum(lengths) / len(lengths), 1),
                    "precision_omega, %": round(percent, 1),
                    "published, %": PUBLISHED.get((name, size)),
                    "split, s": round(seconds, 1),
                }
            )
            print(f"{name} {size}: {percent:.1f} %", file=sys.stderr, flush=True)
    show(rows, as_json=options.json)
    return int(any(off(row) > WITHIN for row in rows if row["strategy"] == "cluster"))


def read_options() -> argparse.Namespace:
    beside = Path(__file__).resolve().parents[2] / "shared" / "gold" / "chroma"
    default = Path(os.environ.get("CHUNKSWEEP_CHROMA") or beside)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--chroma", type=Path, default=default, help="folder of the set")
    parser.add_argument("--cache", type=Path, help="folder in which vectors are kept")
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 250])
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a list of objects")
    form.add_argument("--markdown", action="store_true", help="a table (what is printed anyway)")
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


def off(row: dict[str, Any]) -> float:
    """Points between a row and what was published, 0 where nothing was."""
    published = row["published, %"]
    return 0.0 if published is None else abs(row["precision_omega, %"] - published)


def show(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    print(f"| {' | '.join(rows[0])} |\n|{'---|' * len(rows[0])}")
    for row in rows:
        print(f"| {' | '.join('' if value is None else str(value) for value in row.values())} |")


if __name__ == "__main__":
    sys.exit(main())
