"""How long it takes to find what reads most like a quote that stands nowhere, and whether it is the place.

    python benchmarks/near_matches.py [--chroma FOLDER] [--quotes 200] [--most 4]

A corpus is taken once, twice and four times, each copy in other letters; each quote is a stretch of the first
copy that has lost one word. Building the index should take twice as long for twice the characters, and a
quote the same time in all. A suggestion is right where its words are those the quote was taken from, since
passages repeat.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from pathlib import Path

from texts import default_text, text_of

from evaluation.gold.near import NearMatches
from evaluation.gold.quotes import Corpus, Quote
from strategies.document import Document

SEED = 11
QUOTE_WORDS = (8, 60)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def main(arguments: list[str]) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chroma", type=Path, help="folder of the Chroma set (default: bundled prose)")
    parser.add_argument("--quotes", type=int, default=200, help="quotes of each size (default 200)")
    parser.add_argument("--most", type=int, default=4, help="times the corpus is taken at most (default 4)")
    options = parser.parse_args(arguments)
    text = text_of(options.chroma / "documents") if options.chroma else default_text()
    print("| characters | fold and index, s | a quote, ms | first suggestion is right, % | memory, MiB |")
    print("| --- | --- | --- | --- | --- |")
    times = 1
    while times <= options.most:
        documents = {str(n): Document(str(n), copy(text, n)) for n in range(times)}
        print(row(documents, options.quotes), flush=True)
        times *= 2
    return 0


def copy(text: str, number: int) -> str:
    """The text with its plain letters changed for others: the same shape, and other words."""
    if not number:
        return text
    others = list(LETTERS)
    random.Random(number).shuffle(others)
    return text.translate(str.maketrans(LETTERS, "".join(others)))


def row(documents: dict[str, Document], quotes: int) -> str:
    """One line of the table."""
    dice = random.Random(SEED)
    near = NearMatches(Corpus(documents))
    started = time.perf_counter()
    near.find(Quote("nothing that stands there"))
    built = time.perf_counter() - started
    words = documents["0"].text.split(" ")
    asked = []
    for _ in range(quotes):
        size = dice.randint(*QUOTE_WORDS)
        at = dice.randrange(1, len(words) - size)
        whole = words[at : at + size]
        kept = list(whole)
        del kept[dice.randrange(1, size - 1)]
        asked.append((Quote(" ".join(kept)), " ".join(whole).split()))
    found = 0
    started = time.perf_counter()
    for quote, whole in asked:
        best = near.find(quote, most=1)
        if best and best[0].document == "0":
            first, last = best[0].ranges[0]
            found += documents["0"].text[first:last].split() == whole
    each = (time.perf_counter() - started) / quotes
    characters = sum(len(document.text) for document in documents.values())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"| {characters:,} | {built:.2f} | {1000 * each:.1f} | {100 * found / quotes:.1f} | {memory:.0f} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
