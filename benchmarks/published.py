"""The published all-MiniLM-L6-v2 table of the Chroma set, measured again.

    python benchmarks/published.py [--chroma FOLDER] [--cache FOLDER] [--only ROW ...] [--json | --markdown]

Eight rows, as Smith and Troynikov ("Evaluating Chunking Strategies for Retrieval", Chroma, 2024) give them
for this embedder: LangChain's recursive splitter, windows of tokens, clusters. Five chunks are retrieved from
all five corpora together. The first table holds recall, precision and IoU by their definitions, which
`as_published.py` tells from ours, and our Precision Ω, each beside what was published; the second our own
metrics, and what changes where the place of a chunk is searched for by its text, as theirs is; the third
Precision Ω of windows of tokens as they count it. Exits 1 if the recursive splitter at 200 tokens without
overlap is out of its band.

The set is not part of this repository: its folder (`documents/`, `questions.jsonl`) is --chroma, else
$CHUNKSWEEP_CHROMA, else the optional data folder `../shared/gold/chroma`. With --cache, vectors and finished
rows are kept in a folder: what is interrupted goes on where it was, and a row is measured again once code or
data change. Without it, all is embedded anew: most of an hour on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from as_published import (
    LINES,
    OTHER_OMEGA,
    SPECIAL,
    UNIT,
    Line,
    Place,
    Scores,
    at_k,
    first_copies,
    omega,
    raw_spans,
)
from chroma_omega import markdown, of_the_set, read

from evaluation.cutting import Cutting
from evaluation.embedding import EmbedderSpec, open_embedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.evaluate import Asked, Evaluation, Index, evaluate
from evaluation.gold import GoldSet, digest
from evaluation.measured import Measured
from evaluation.ranking import open_ranker
from evaluation.search import Search
from evaluation.settings import Settings
from strategies import build
from strategies.document import Chunk
from strategies.splitting import split
from strategies.strategy import Vectors
from strategies.tools import TOKENS, Tools

K = 5
SETTINGS = Settings(ks=(K,))
OWN = (f"context_recall_at_{K}", f"char_precision_at_{K}", f"iou_at_{K}", "context_recall_at_1024_tokens")
WINDOWS = (*OTHER_OMEGA, (220, 0), (250, 0), (275, 0), (250, 125), (275, 138))
"""Sizes and overlaps of the third table."""

BAND = {"recall": (76.1, 0.5), "precision": (6.5, 0.1), "iou": (6.5, 0.1)}
"""What the first of `LINES` gives with an exact search, and how far from it a run may be."""

Row = dict[str, Any]


def main() -> int:
    """One row a line of the published table."""
    options = read_options()
    bench = Bench(options.chroma, options.cache)
    rows = [bench.row(line) for line in LINES if not options.only or line.name in options.only]
    windows = [] if options.only else [bench.windows(size, overlap) for size, overlap in WINDOWS]
    bench.desk.close()
    if options.json:
        print(json.dumps({"rows": rows, "windows": windows}, indent=2))
    else:
        print("\n\n".join(markdown(table) for table in (beside(rows), own(rows), windows) if table))
    return int(any(out_of_band(row) for row in rows))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[line.name for line in LINES], help="some of the rows")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print Markdown: the default")
    return of_the_set(parser)


class Bench:
    """The set with its questions embedded, and what cuts and embeds its documents."""

    def __init__(self, chroma: Path, cache: Path | None) -> None:
        documents, questions = read(chroma)
        self.gold = GoldSet("chroma", tuple(documents), tuple(questions), digest(documents, questions))
        self.spans = raw_spans(chroma / "questions.jsonl")
        self.kept = None if cache is None else cache / "published.json"
        self.embedder = open_embedder(EmbedderSpec())
        self.desk = EmbeddingDesk(self.embedder, cache)
        counters = {unit: self.embedder.counter(unit) for unit in (UNIT, SPECIAL)}
        self.tools = Tools(counters=counters, embed=self._embed)
        texts = [question.text for question in questions]
        measured = {one.id: Measured.of(one, self.tools.borders(one, TOKENS)[:-1]) for one in documents}
        self.asked = Asked.of(self.gold, self.desk.vectors(texts, "query"), measured, SETTINGS)

    def row(self, line: Line) -> Row:
        """Measured, or as it was kept."""
        identity = self._identity(line)
        kept = json.loads(self.kept.read_text("utf-8")) if self.kept and self.kept.is_file() else {}
        if line.name not in kept or kept[line.name]["identity"] != identity:
            kept[line.name] = {"identity": identity, "row": self._measure(line)}
            if self.kept is not None:
                begun = self.kept.with_suffix(".part")
                begun.write_text(json.dumps(kept, indent=1), "utf-8")
                begun.replace(self.kept)
        row: Row = kept[line.name]["row"]
        print(f"{line.name}: {row['measured']}", file=sys.stderr, flush=True)
        return row

    def windows(self, size: int, overlap: int) -> Row:
        """TokenText by its chunks alone: the Precision Ω that it has whatever the embedder."""
        chunks = self._cut("langchain:TokenTextSplitter", {"size": size, "overlap": overlap})
        published = [line.scores.omega for line in LINES if line[:3] == ("TokenText", size, overlap)]
        return {
            "TokenText of": size,
            "overlap": overlap,
            "chunks": len(chunks),
            "Ω at first copies, %": round(100 * self._omega(first_copies(self.gold.documents, chunks)), 2),
            "published, this embedder": published[0] if published else None,
            "published, text-embedding-3-large": OTHER_OMEGA.get((size, overlap)),
        }

    def _measure(self, line: Line) -> Row:
        name, params = line.cut_by
        chunks = self._cut(name, params)
        found = self._retrieve(chunks, line)
        moved = first_copies(self.gold.documents, chunks)
        sizes = [self.tools.counter(params.get("unit", TOKENS)).count(chunk.text) for chunk in chunks]
        return {
            "splitter": line.splitter,
            "size": line.size,
            "overlap": line.overlap,
            "strategy": name,
            "parameters": params,
            "chunks": len(chunks),
            "mean size": round(sum(sizes) / len(sizes), 1),
            "mean size, published": line.mean_size,
            "measured": percent(self._at_k(found, {}, found.metrics["precision_omega"])),
            "published": line.scores._asdict(),
            "own": {name: round(100 * found.metrics[name], 2) for name in OWN},
            "prompt tokens": round(found.metrics[f"prompt_tokens_at_{K}"]),
            "truncated chunks": round(found.metrics["truncated_chunks"]),
            "at first copies": percent(self._at_k(found, moved, self._omega(moved))),
            "chunks misplaced": sum(place != first for place, first in moved.items()),
        }

    def _cut(self, name: str, params: Mapping[str, Any]) -> list[Chunk]:
        strategy = build(name, params)
        return [chunk for one in self.gold.documents for chunk in split(one, strategy, self.tools)]

    def _retrieve(self, chunks: Sequence[Chunk], line: Line) -> Evaluation:
        def report(done: int, total: int) -> None:
            print(f"\r{line.name}: {done:,} of {total:,} tokens", end="", file=sys.stderr, flush=True)

        texts = [chunk.embedded_text for chunk in chunks]
        self.desk.prepare(texts, "passage", report)
        embedded = self.desk.vectors(texts, "passage")
        index = Index(self.gold.documents, chunks, embedded, Cutting(0.0), self.embedder.limit_tokens)
        with tempfile.TemporaryDirectory() as folder:
            ranker = open_ranker(Search(), Path(folder))
            found = evaluate(index, self.asked, ranker)
            ranker.close()
        return found

    def _at_k(self, found: Evaluation, moved: Mapping[Place, Place], precision_omega: float) -> Scores:
        """Means over the questions, each hit taken to lie where it is `moved` to."""
        each = []
        for one in found.retrieved:
            places = [(hit.document, hit.start, hit.end) for hit in one.hits]
            each.append(at_k([moved.get(place, place) for place in places], self.spans[one.question_id]))
        recall, precision, iou = (sum(column) / len(each) for column in zip(*each, strict=True))
        return Scores(recall, precision, precision_omega, iou)

    def _omega(self, moved: Mapping[Place, Place]) -> float:
        places: dict[str, set[Place]] = {}
        for place in moved.values():
            places.setdefault(place[0], set()).add(place)
        each = [omega(places[spans[0].document], spans) for spans in self.spans.values()]
        return sum(each) / len(each)

    def _identity(self, line: Line) -> str:
        """Equal where nothing that decides the row has changed: code, data, model, libraries."""
        code = hashlib.sha256()
        for folder in ("benchmarks", "evaluation", "strategies"):
            for path in sorted((Path(__file__).resolve().parents[1] / folder).rglob("*.py")):
                code.update(path.read_bytes())
        libraries = [version(name) for name in ("langchain-text-splitters", "numpy", "tiktoken")]
        told = (*line, line.cut_by, self.gold.digest, self.embedder.fingerprint, libraries, code.hexdigest())
        return hashlib.sha256(repr(told).encode()).hexdigest()

    def _embed(self, texts: Sequence[str]) -> Vectors:
        self.desk.prepare(texts, "passage")
        return self.desk.vectors(texts, "passage").vectors


def percent(scores: Scores) -> dict[str, float]:
    return {name: round(100 * share, 2) for name, share in scores._asdict().items()}


def out_of_band(row: Row) -> list[str]:
    """What of the judged row is out of its band; nothing of another."""
    if (row["splitter"], row["size"], row["overlap"]) != LINES[0][:3]:
        return []
    return [name for name, (middle, off) in BAND.items() if abs(row["measured"][name] - middle) > off]


LABELS = {"recall": "recall", "precision": "precision", "omega": "Ω", "iou": "IoU"}


def beside(rows: Sequence[Row]) -> list[Row]:
    """Ours beside what was published."""
    return [
        {
            **{name: row[name] for name in ("splitter", "size", "overlap", "chunks", "mean size")},
            "published size": row["mean size, published"],
            **{
                f"{label}, {what}": row[source][name]
                for name, label in LABELS.items()
                for what, source in (("%", "measured"), ("published", "published"))
            },
        }
        for row in rows
    ]


def own(rows: Sequence[Row]) -> list[Row]:
    """The same runs by our own metrics, and by searched places."""
    return [
        {
            **{name: row[name] for name in ("splitter", "size", "overlap")},
            **{f"{name}, %": value for name, value in row["own"].items()},
            f"prompt_tokens_at_{K}": row["prompt tokens"],
            "truncated_chunks": row["truncated chunks"],
            "chunks misplaced": row["chunks misplaced"],
            **{f"{label} at first copies, %": row["at first copies"][name] for name, label in LABELS.items()},
        }
        for row in rows
    ]


if __name__ == "__main__":
    sys.exit(main())
