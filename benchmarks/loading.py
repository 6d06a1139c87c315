"""Memory and time of loading a gold set, at growing numbers of questions and documents.

    python benchmarks/loading.py [THOUSANDS OF QUESTIONS ...]

Each size (default: 25, 50 and 100) is loaded in a process of its own: documents of 20 kB, a hundred
questions on each, whose evidence is a range, an exact quote, or one that has to be folded. Prints the size of
the set on disk, seconds, the time a question as a multiple of that at the first size, and how far the peak of
memory rose over what the process held after its imports, in megabytes and as a multiple of the set's size.
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

DOCUMENT_CHARACTERS = 20_000
QUESTIONS_A_DOCUMENT = 100


def main(sizes: list[str]) -> int:
    """One line a size."""
    if len(sizes) == 2 and sizes[0] == "--one":
        return one(Path(sizes[1]))
    print("| questions | documents | set, MB | seconds | each, of the first | memory, MB | of the set |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    first = 0.0
    for size in sizes or ["25", "50", "100"]:
        with tempfile.TemporaryDirectory(prefix="chunksweep-loading-") as name:
            folder = Path(name)
            size_bytes = write_set(folder, int(size) * 1000)
            command = [sys.executable, __file__, "--one", name]
            found = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        seconds, memory_bytes = found["seconds"], found["bytes"]
        each = seconds / found["questions"]
        first = first or each
        print(
            f"| {found['questions']:,} | {found['documents']:,} | {size_bytes / 1e6:.1f} | {seconds:.1f} "
            f"| {each / first:.2f} | {memory_bytes / 1e6:,.0f} | {memory_bytes / size_bytes:.1f} |",
            flush=True,
        )
    return 0


def one(folder: Path) -> int:
    """Load one set in this process."""
    from evaluation.gold import load
    from evaluation.gold.questions import library
    from strategies.telemetry import telemetry_off

    telemetry_off()
    library()
    before = resident_bytes()
    started = time.perf_counter()
    gold = load(folder)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    found = {"questions": len(gold.questions), "documents": len(gold.documents)}
    print(json.dumps({**found, "seconds": seconds, "bytes": peak - before}))
    return 0


def resident_bytes() -> int:
    """Memory that this process holds now."""
    import psutil

    return int(psutil.Process().memory_info().rss)


def write_set(folder: Path, questions: int) -> int:
    """A data set of generated words; the bytes of its documents and questions."""
    dice = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(dice.choices(letters, k=dice.randint(2, 10))) for _ in range(20_000)]
    (folder / "documents").mkdir()
    (folder / "card.yaml").write_text("name: generated\n")
    written = 0
    with open(folder / "questions.jsonl", "w", encoding="utf-8") as file:
        for number in range(questions // QUESTIONS_A_DOCUMENT):
            name, lines, size = f"{number:05}.txt", [], 0
            while size < DOCUMENT_CHARACTERS:
                lines.append(" ".join(dice.choices(words, k=12)).capitalize() + ".")
                size += len(lines[-1]) + 1
            text = "\n".join(lines)
            written += (folder / "documents" / name).write_text(text)
            for asked in range(QUESTIONS_A_DOCUMENT):
                line = dice.choice(lines)
                start = text.index(line)
                place = (
                    {"document": name, "start": start, "end": start + len(line)},
                    {"document": name, "quote": line},
                    {"document": name, "quote": line.upper()},
                )[asked % 3]
                about = " ".join(dice.sample(line.split(), 6))
                row = {"id": f"{number}-{asked}", "question": f"{about}?", "evidence": [place]}
                written += file.write(json.dumps({**row, "tags": ["single"]}) + "\n")
    return written


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
