"""Memory and time of one configuration on corpora of growing size.

    python benchmarks/scale.py [MILLIONS OF CHARACTERS ...]

Each size (default: 10 and 30) runs in a process of its own: generated text, 50 questions, `fixed` with 192
tokens, the hashing embedder (vectors of 256 numbers). Prints chunks, the peak memory of the process, seconds
for the configuration, and the median time of one search.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DOCUMENT_CHARACTERS = 100_000


def main(sizes: list[str]) -> int:
    """One line a size."""
    if len(sizes) == 2 and sizes[0] == "--one":
        return one(int(sizes[1]))
    print("| million characters | chunks | peak memory, MB | seconds | search, ms |")
    print("| --- | --- | --- | --- | --- |", flush=True)
    for size in sizes or ["10", "30"]:
        subprocess.run([sys.executable, __file__, "--one", size], check=True)
    return 0


def one(millions: int) -> int:
    """Measure one size in this process."""
    from experiments.runner import prepare, run
    from experiments.sweep import read_sweep
    from experiments.tracking import NullTracker

    with tempfile.TemporaryDirectory(prefix="chunksweep-scale-") as name:
        folder = Path(name)
        characters = write_set(folder, millions * 1_000_000)
        content = {
            "name": "scale",
            "dataset": str(folder),
            "embedder": "hashing",
            "grid": [{"strategy": "fixed", "size": 192}],
        }
        launch = prepare(read_sweep(content), NullTracker(), cache_dir=folder / "cache")
        started = time.perf_counter()
        (record,) = run(launch).records
        seconds = time.perf_counter() - started
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    metrics = record.metrics
    print(
        f"| {characters / 1e6:.1f} | {metrics['chunks']:,.0f} | {peak_mb:,.0f} | {seconds:.1f} "
        f"| {metrics['search_ms_median']:.1f} |",
        flush=True,
    )
    return 0


def write_set(folder: Path, characters: int) -> int:
    """A data set of generated words; how many characters it holds."""
    dice = random.Random(11)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 10))) for _ in range(20_000)]
    (folder / "documents").mkdir()
    (folder / "card.yaml").write_text("name: generated\n")
    written, lines = 0, []
    for number in range(max(1, characters // DOCUMENT_CHARACTERS)):
        sentences = [" ".join(dice.choices(words, k=12)) + "." for _ in range(DOCUMENT_CHARACTERS // 85)]
        text = "\n".join(" ".join(sentences[start : start + 6]) for start in range(0, len(sentences), 6))
        (folder / "documents" / f"{number:05}.txt").write_text(text)
        written += len(text)
        if len(lines) < 50:
            start = text.index(sentences[100])
            place = {"document": f"{number:05}.txt", "start": start, "end": start + len(sentences[100])}
            asked = " ".join(sentences[100].split()[:6]) + "?"
            lines.append(json.dumps({"id": str(number), "question": asked, "evidence": [place]}))
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return written


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
