"""How hard a bundled set is: what two plain searches find in it, as the lines of its card.

    python benchmarks/difficulty.py NAME

Cuts the documents into pieces of 192 cl100k tokens without overlap (`fixed`; of 64 for `minis`, which is so
small), searches them once by words (BM25) and once by vectors (the packaged all-MiniLM-L6-v2), and prints the
key `difficulty` of `card.yaml`: means over all questions that have evidence. Where they are near 1, a set can
tell nothing apart.
"""

from __future__ import annotations

import sys

from evaluation.gold import load
from experiments.cache_place import cache_place
from experiments.grid import expand
from experiments.sweep import read_sweep
from experiments.workbench import Workbench

SIZE_AND_BUDGET = {"minis": (64, 128)}
"""Tokens of a chunk and of what is retrieved, where a set holds hardly more than the usual 192 and 1,024."""
SEARCHES = {"bm25": "bm25", "all-MiniLM-L6-v2": "dense"}
DIGITS = 4

Figures = dict[str, dict[str, float]]
"""By search, then by score: the mean over all questions that have evidence."""


def difficulty(name: str, searches: tuple[str, ...] = tuple(SEARCHES)) -> Figures:
    """What the searches score on a set, by its path or bundled name. Raises BadInput."""
    return {search: _scores(name, SEARCHES[search]) for search in searches}


def _scores(name: str, retriever: str) -> dict[str, float]:
    size, budget = SIZE_AND_BUDGET.get(name, (192, 1024))
    content = {
        "name": "difficulty",
        "dataset": name,
        "embedder": "all-MiniLM-L6-v2",
        "retriever": retriever,
        "grid": [{"strategy": "fixed", "size": size, "overlap": 0}],
        "retrieval": {"k": [5, 10], "token_budgets": [budget]},
        "headline": f"context_recall_at_{budget}_tokens",
    }
    sweep = read_sweep(content)
    (config,) = expand(sweep).configs
    bench = Workbench.open(sweep, load(sweep.dataset), cache_place())
    evaluation, _ = bench.measure(config, lambda phase: None, lambda done, of: None, {})
    scores = (f"context_recall_at_{budget}_tokens", "mrr_at_10", "hit_at_5")
    return {score: round(evaluation.metrics[score], DIGITS) for score in scores}


def lines(figures: Figures) -> list[str]:
    """The figures as lines of a card."""
    rows = (
        f"  {search}: {{{', '.join(f'{score}: {value:.{DIGITS}f}' for score, value in scores.items())}}}"
        for search, scores in figures.items()
    )
    return ["difficulty:", *rows]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/difficulty.py NAME")
    print("\n".join(lines(difficulty(sys.argv[1]))))
