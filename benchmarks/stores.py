"""What each store of vectors costs and loses on the same chunks.

    python benchmarks/stores.py [--chunks 20000] [--model MODEL] [--queries 200] [--only NAME ...] [--json]

The handbook is cut once (`recursive`, 128 tokens) and embedded (default: the packaged all-MiniLM-L6-v2;
`--model hashing` needs no model). Its chunks are repeated up to the number of chunks, each
repetition with its words turned and a little noise on its vectors, so that no two are the same; queries are
vectors of chunks with more noise. Every store of `STORES` is measured with each of its indexes below and each
vector type that it holds. Prints one Markdown table:

- bytes: vectors, index, text, metadata, and what lies on disk, in MB;
- build, ms: from vectors to an index that can be searched;
- search, ms: median and 95th percentile for the best ten, by one client and by eight threads at once;
- recall: of the ten nearest by exact search of float32 vectors, how many are among the ten that are found.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from evaluation.embedding import DEFAULT_MODEL, EmbedderSpec, open_embedder
from evaluation.footprint import StoredBytes
from evaluation.latency import median_and_p95, stopwatch
from evaluation.stores import STORES, Store, VectorStore, VectorType
from strategies.document import Chunk
from strategies.parameters import as_record
from strategies.strategy import Vectors

DEPTH, CLIENTS, SEED = 10, 8, 17
NOISE, QUERY_NOISE = 0.25, 0.5
"""Length of what is added to a vector of length 1 before it is scaled to length 1 again."""

INDEXES: dict[str, tuple[dict[str, Any], ...]] = {
    "exact": ({},),
    "faiss": tuple({"index": index} for index in ("flat", "hnsw", "ivf", "pq", "ivf_pq")),
    "lancedb": tuple({"index": index} for index in ("none", "ivf_flat", "ivf_pq", "ivf_rq", "ivf_hnsw_sq")),
    "pgvector": tuple({"index": index} for index in ("none", "hnsw", "ivfflat")),
}
"""Store -> the parameters that it is measured with; one that is not here is measured with its defaults."""

CODES = ("ivf_pq", "ivf_rq", "ivf_hnsw_sq")
"""Indexes of LanceDB that make codes of their own, whatever the table holds: measured over float32 alone."""

HEAD = (
    *("store", "vector type", "vectors", "index", "text", "metadata", "on disk, MB", "build, ms"),
    *("search, ms", "p95", f"search, {CLIENTS} clients, ms", "p95", f"recall at {DEPTH}"),
)


@dataclass(frozen=True)
class Row:
    """One store with one vector type."""

    store: str
    vector_type: VectorType
    stored: StoredBytes
    build_ms: float
    search_ms: tuple[float, float]
    clients_ms: tuple[float, float]
    recall: float


def main(arguments: list[str]) -> int:
    """Measure all, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--model", default=DEFAULT_MODEL, help="embedding model (default: the packaged one)")
    parser.add_argument("--only", nargs="*", choices=sorted(STORES), default=sorted(STORES))
    parser.add_argument("--json", action="store_true", help="numbers for a program")
    options = parser.parse_args(arguments)
    chunks, vectors = corpus(options.chunks, options.model)
    queries = near(vectors, options.queries, np.random.default_rng(SEED + 1))
    nearest = [set(np.argsort(-(vectors @ query), kind="stable")[:DEPTH].tolist()) for query in queries]
    rows = []
    for store, vector_type in candidates(options.only):
        print(f"{label(store)} {vector_type}", file=sys.stderr, flush=True)
        rows.append(measured(store, vector_type, vectors, chunks, queries, nearest))
    if options.json:
        print(json.dumps({"chunks": len(chunks), "dim": vectors.shape[1], "rows": list(map(asdict, rows))}))
    else:
        print(markdown(rows))
        print(f"\n{len(chunks):,} chunks, {vectors.shape[1]} dimensions, {len(queries)} queries.")
    return 0


def corpus(n: int, model: str) -> tuple[list[Chunk], Vectors]:
    """The handbook's chunks, so often that there are `n`, and a vector for each, float32 of unit length."""
    from evaluation.embedders.hashing import HashingEmbedder
    from evaluation.gold import load
    from strategies import build
    from strategies.splitting import split
    from strategies.tools import Tools

    strategy = build("recursive", {"size": 128})
    own = [chunk for one in load("handbook").documents for chunk in split(one, strategy, Tools())]
    embedder = HashingEmbedder(dim=384) if model == "hashing" else open_embedder(EmbedderSpec(model))
    once = embedder.embed([chunk.embedded_text for chunk in own])
    picked = np.arange(n) % len(own)
    vectors = once[picked].astype(np.float32)
    again = np.flatnonzero(np.arange(n) >= len(own))
    vectors[again] = noisy(vectors[again], NOISE, np.random.default_rng(SEED))
    return [turned(own[row], at // len(own)) for at, row in enumerate(picked.tolist())], vectors


def turned(chunk: Chunk, times: int) -> Chunk:
    """A chunk whose text begins a few words later and ends with them: a database keeps equal texts once."""
    words = chunk.text.split(" ")
    first = 3 * times % len(words)
    return replace(chunk, text=" ".join(words[first:] + words[:first]))


def near(vectors: Vectors, n: int, dice: np.random.Generator) -> Vectors:
    """Queries: vectors of some chunks with noise."""
    return noisy(vectors[dice.choice(len(vectors), n)], QUERY_NOISE, dice)


def noisy(vectors: Vectors, length: float, dice: np.random.Generator) -> Vectors:
    """Vectors with something random of about that length added, of unit length again."""
    noise = dice.normal(scale=length / vectors.shape[1] ** 0.5, size=vectors.shape)
    moved = vectors + noise
    return (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)


def candidates(names: Sequence[str]) -> list[tuple[Store, VectorType]]:
    """Every store with every index that is measured and every vector type that it holds."""
    stores = [STORES[name](**given) for name in STORES if name in names for given in INDEXES.get(name, ({},))]
    types: tuple[VectorType, ...] = get_args(VectorType)
    for store in stores:
        store.check()
    return [
        (store, kind)
        for store in stores
        for kind in types
        if store.unfit(kind, "cosine") is None
        and (kind == "float32" or as_record(store).get("index") not in CODES)
    ]


def measured(
    store: Store,
    vector_type: VectorType,
    vectors: Vectors,
    chunks: Sequence[Chunk],
    queries: Vectors,
    nearest: Sequence[set[int]],
) -> Row:
    """Build it, search it, and take it down."""
    with tempfile.TemporaryDirectory(prefix="chunksweep-stores-") as folder:
        opened = store.open(Path(folder), vector_type=vector_type)
        try:
            with stopwatch() as building:
                opened.build(vectors, chunks)
            hits = sum(
                len(best(opened, query) & found) for query, found in zip(queries, nearest, strict=True)
            )
            wanted = sum(map(len, nearest))
            alone = [timed(opened, query) for query in queries]
            with ThreadPoolExecutor(CLIENTS) as pool:
                asked = list(islice(cycle(queries), max(len(queries), 50 * CLIENTS)))
                list(pool.map(lambda query: timed(opened, query), asked[: 2 * CLIENTS]))  # they are connected
                together = list(pool.map(lambda query: timed(opened, query), asked))
            stored = opened.stored()
        finally:
            opened.close()
    one, many = median_and_p95(alone), median_and_p95(together)
    assert one is not None
    assert many is not None
    return Row(label(store), vector_type, stored, building.ms, one, many, hits / wanted)


def best(store: VectorStore, query: Vectors) -> set[int]:
    """Rows of the best ten; of ties at the end, those that come first."""
    found = store.search(query, DEPTH)
    return set(found.rows[np.lexsort((found.rows, -found.scores))[:DEPTH]].tolist())


def timed(store: VectorStore, query: Vectors) -> float:
    """Milliseconds of one search."""
    with stopwatch() as watch:
        store.search(query, DEPTH)
    return watch.ms


def label(store: Store) -> str:
    """Its name and its index."""
    return " ".join(filter(None, [store.name, str(as_record(store).get("index") or "")]))


def markdown(rows: Sequence[Row]) -> str:
    """The measured part of docs/benchmarks.md."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{' --- |' * len(HEAD)}"]
    for row in rows:
        stored = row.stored
        megabytes = (stored.vectors, stored.index, stored.text, stored.metadata, stored.on_disk)
        times = (*row.search_ms, *row.clients_ms)
        cells = (
            *(row.store, row.vector_type),
            *(f"{number / 1e6:.2f}" for number in megabytes),
            f"{row.build_ms:.0f}",
            *(f"{number:.2f}" for number in times),
            f"{row.recall:.3f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
