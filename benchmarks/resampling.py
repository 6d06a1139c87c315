"""What intervals and tests keep of their promises where questions about one document are alike.

    python benchmarks/resampling.py [--sets 300]

Sets of questions are simulated, ten about each document, whose scores under two equal configurations are
alike within a document (intraclass correlation 0.2). Whole groups are resampled, or single questions. Prints
how many intervals hold the true mean (95 % are promised), how often the baseline test calls the equals
different at 5 %, and how often the simultaneous bounds do.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from evaluation.statistics import against, mean_intervals, simultaneous

DOCUMENTS, QUESTIONS, ALIKE, SEED = (8, 12, 19), 10, 0.2, 5
MEAN, DEVIATION = 0.5, 0.15


def main(arguments: list[str]) -> int:
    """Simulate, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sets", type=int, default=300, help="simulated sets of each size (default 300)")
    sets = parser.parse_args(arguments).sets
    dice = np.random.default_rng(SEED)
    print("| documents | resampled | intervals hold, % | different, % | shown worse, % |")
    print("| --- | --- | --- | --- | --- |")
    for documents in DOCUMENTS:
        groups = np.repeat(np.arange(documents), QUESTIONS)
        units = {"groups": groups.tolist(), "questions": list(range(len(groups)))}
        found = {name: np.zeros(3) for name in units}
        for _ in range(sets):
            scores = np.column_stack([simulated(groups, dice) for _ in range(2)])
            for name, labels in units.items():
                low, high = mean_intervals(scores, labels, resamples=1000, seed=1)
                p = against(scores, 0, labels, permutations=1000, seed=1).p[1]
                bounds = simultaneous(scores, labels, permutations=500, seed=1)
                found[name] += low[0] <= MEAN <= high[0], p <= 0.05, bool((bounds.lower > 0).any())
        for name, counts in found.items():
            cells = " | ".join(f"{100 * count / sets:.0f}" for count in counts)
            print(f"| {documents} | {name} | {cells} |", flush=True)
    return 0


def simulated(groups: np.ndarray, dice: np.random.Generator) -> np.ndarray:
    """Scores of one configuration, shape (n_questions,)."""
    shared = dice.normal(0, ALIKE**0.5, groups.max() + 1)[groups]
    own = dice.normal(0, (1 - ALIKE) ** 0.5, len(groups))
    return np.clip(MEAN + DEVIATION * (shared + own), 0, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
