"""Time of `gold check` on sets of growing size.

    python benchmarks/gold_check.py [--characters N] [--questions N]

Documents and questions are generated: by default 2 million characters and 10,000 questions of one span each,
of which a tenth stands elsewhere too; then twice and four times as many of both. Prints seconds of processor
time for reading the set, for the two rules that compare much with much, for all rules, and for the whole.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

DOCUMENT_CHARACTERS = 20_000
HEAD = (
    "million characters",
    "questions",
    "spans that stand elsewhere",
    "read, s",
    "copies, s",
    "near-duplicates, s",
    "all warnings, s",
    "whole check, s",
)


def main(words: list[str]) -> int:
    """One line a size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--characters", type=int, default=2_000_000)
    parser.add_argument("--questions", type=int, default=10_000)
    options = parser.parse_args(words)
    print(f"| {' | '.join(HEAD)} |")
    print(f"|{' --- |' * len(HEAD)}", flush=True)
    for times in (1, 2, 4):
        with tempfile.TemporaryDirectory(prefix="chunksweep-gold-") as name:
            write_set(Path(name), options.characters * times, options.questions * times)
            print(f"| {' | '.join(measured(Path(name)))} |", flush=True)
    return 0


def measured(folder: Path) -> list[str]:
    """The cells of one size."""
    from evaluation.gold.check import check
    from evaluation.gold.loading import read
    from evaluation.gold.warnings import look, nearly_the_same
    from evaluation.gold.warnings.elsewhere import copies
    from evaluation.gold.warnings.material import Material

    started = time.process_time()
    gold = read(folder).gold
    read_s = time.process_time() - started

    started = time.process_time()
    found = copies(Material(gold))
    copies_s = time.process_time() - started

    started = time.process_time()
    list(nearly_the_same.find(Material(gold)))
    alike_s = time.process_time() - started

    started = time.process_time()
    list(look(Material(gold)))
    warnings_s = time.process_time() - started

    started = time.process_time()
    check(folder)
    whole_s = time.process_time() - started
    characters = sum(len(document.text) for document in gold.documents)
    seconds = (read_s, copies_s, alike_s, warnings_s, whole_s)
    sizes = [f"{characters / 1e6:.1f}", f"{len(gold.questions):,}", f"{len(found):,}"]
    return sizes + [f"{number:.2f}" for number in seconds]


def write_set(folder: Path, characters: int, questions: int) -> None:
    """A set of generated sentences; a tenth of those that are evidence stand in two documents."""
    dice = random.Random(11)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 10))) for _ in range(20_000)]
    (folder / "documents").mkdir()
    (folder / "card.yaml").write_text("name: generated\n")
    documents = max(2, characters // DOCUMENT_CHARACTERS)
    each = [questions // documents + (number < questions % documents) for number in range(documents)]
    repeated: list[str] = []
    lines: list[str] = []
    for number in range(documents):
        text = "\n".join(repeated)
        repeated = []
        for _ in range(each[number]):
            sentence = " ".join(dice.choices(words, k=12)) + "."
            start = len(text) + 1
            text = f"{text}\n{sentence}"
            if dice.random() < 0.1:
                repeated.append(sentence)
            asked = " ".join(dice.choices(words, k=10))
            evidence = [{"document": f"{number:06}.txt", "start": start, "end": start + len(sentence)}]
            lines.append(json.dumps({"id": len(lines), "question": f"What {asked}?", "evidence": evidence}))
        while len(text) < characters / documents:
            text = f"{text} {' '.join(dice.choices(words, k=60))}."
        (folder / "documents" / f"{number:06}.txt").write_text(text)
    (folder / "questions.jsonl").write_text("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
