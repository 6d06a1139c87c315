"""How far proxies rank cuts as a set's own questions do.

    python benchmarks/proxies.py [DATASET] [--sweep NAME] [--questions N] [--seed N] [--cache FOLDER]

Runs one sweep on the documents of a data set with its own questions, and with proxies of each kind. Prints,
by kind, Kendall's tau-b of the two rankings by the headline; which cut proxies call the best; and how much
that one loses, by the set's own questions, to the one that these call the best. The first line is a
yardstick: the same between two random halves of the set's own questions.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from evaluation.gold import GoldSet, Question, load
from evaluation.gold.making.bootstrap import KINDS, make_proxies
from evaluation.gold.writing import write_gold
from evaluation.statistics import kendall_tau
from experiments.runner import prepare, run
from experiments.sweep import load_sweep
from experiments.tracking import NullTracker

Means = Mapping[str, float]
"""Configuration -> mean of the headline."""


def main() -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", nargs="?", default="handbook")
    parser.add_argument("--sweep", default="first-look")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--cache", type=Path)
    asked = parser.parse_args()
    gold = load(asked.dataset)
    real = [question for question in gold.questions if question.evidence and question.synthetic != "proxy"]
    scores = measured(gold, real, asked.sweep, asked.cache)
    order = Random(asked.seed).sample(range(len(real)), len(real))
    halves = [
        {name: float(row[part].mean()) for name, row in scores.items()} for part in (order[::2], order[1::2])
    ]
    own = {name: float(row.mean()) for name, row in scores.items()}
    print(f"{'asked by':<22}{'questions':>10}{'tau-b':>8}  {'calls best':<26}{'which loses':>12}")
    print(line("halves of its own", len(real) // 2, *halves))
    for kinds in (*((kind,) for kind in KINDS), tuple(KINDS)):
        made = make_proxies(gold.documents, asked.questions, seed=asked.seed, kinds=kinds).questions
        found = measured(gold, made, asked.sweep, asked.cache)
        means = {name: float(row.mean()) for name, row in found.items()}
        print(line(" and ".join(kinds), len(made), means, own), flush=True)


def measured(
    gold: GoldSet, questions: Sequence[Question], sweep: str, cache: Path | None
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Configuration -> the headline of each question, shape (n_questions,)."""
    with TemporaryDirectory() as folder:
        write_gold(Path(folder) / "set", replace(gold, questions=tuple(questions)))
        asked = load_sweep(sweep, dataset=str(Path(folder) / "set"))
        result = run(prepare(asked, NullTracker(), cache_dir=cache))
    headline = result.judging.headline
    return {
        record.name: np.array([row[headline] or 0.0 for row in record.questions], dtype=np.float64)
        for record in result.records
    }


def line(asked_by: str, questions: int, means: Means, own: Means) -> str:
    """How one ranking agrees with another, and what its choice loses by that one."""
    names = sorted(own)
    tau = kendall_tau([means[name] for name in names], [own[name] for name in names])
    best = max(names, key=lambda name: means[name])
    shown = "-" if tau is None else f"{tau:.2f}"
    return f"{asked_by:<22}{questions:>10}{shown:>8}  {best:<26}{max(own.values()) - own[best]:>12.3f}"


if __name__ == "__main__":
    main()
