"""How fast documents are cut: every strategy and the libraries' splitters, side by side.

    python benchmarks/splitting.py [--text PATH ...] [--chroma FOLDER] [--size TOKENS] [--repeats N]
                                   [--no-libraries] [--markdown | --json]

Texts (default: the bundled handbook and Python's language reference, from its `pydoc_data`; --chroma adds
the corpora of a Chroma set, see `chroma_omega.py`) are cut in one process, tokens counted with cl100k. A
figure is the best of N rounds in processor time; the rounds of all candidates interleave, so that a busy
moment hits them alike. Ours is the whole call, `split(document, strategy, Tools())` with fresh tools and no
count remembered: counting, cutting and chunks with their tokens and sections. Compare ratios of one run, not
figures of two machines. Strategies that need an embedder or a language model are left out, and libraries
that are not installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import product
from pathlib import Path

from libraries import COUNTERPARTS, FRAMEWORKS, LIBRARIES, Splitter
from report import Bar, Measured, Row, markdown, print_tables
from texts import KINDS, documents, texts

from strategies import STRATEGIES, build, parameters
from strategies.document import Document
from strategies.splitting import split
from strategies.tools import Tools
from strategies.units.encodings import load, remembered_count

CEILING = "tiktoken encode_ordinary"
SWEEP = tuple(product((128, 256, 512), ("0%", "10%", "25%")))
"""Nine pairs of size and overlap."""
LINEAR = ("markdown", "code")


def main(arguments: list[str]) -> int:
    """Measure, and print the tables."""
    options = read_options(arguments)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    measured: list[Measured] = []
    left_out: list[str] = []
    for name, text in texts(options.text, options.chroma).items():
        of_text, left_out = measure(name, text[: options.characters], options)
        measured.append(of_text)
    if options.json:
        print(json.dumps({"texts": [asdict(one) for one in measured], "left_out": left_out}))
    elif options.markdown:
        print(markdown(measured, left_out))
    else:
        print_tables(measured, left_out)
    return 0


def read_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--text",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="UTF-8 file, or folder of .txt and .md files, instead of the default text; may be repeated",
    )
    parser.add_argument("--chroma", type=Path, metavar="FOLDER", help="the Chroma set, as one more text")
    parser.add_argument("--characters", type=int, help="cut no more than the first so many of each text")
    parser.add_argument("--size", type=int, default=256, help="size of a chunk in tokens (default 256)")
    parser.add_argument("--no-libraries", action="store_true", help="time the strategies alone")
    parser.add_argument("--repeats", type=int, default=5, help="rounds, of which the best counts (default 5)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown tables")
    form.add_argument("--json", action="store_true", help="print figures as JSON")
    options = parser.parse_args(arguments)
    for path in options.text:
        if not path.exists():
            parser.error(f"--text {path}: does not exist")
    if options.chroma and not (options.chroma / "documents").is_dir():
        parser.error(f"--chroma {options.chroma}: holds no folder `documents`")
    return options


def measure(name: str, text: str, options: argparse.Namespace) -> tuple[Measured, list[str]]:
    """Everything on one text, and what was left out."""
    candidates, left_out = candidates_for(text, options.size, {} if options.no_libraries else LIBRARIES)
    best = timed({key: make for key, (_, make) in candidates.items()}, options.repeats)
    rows: list[Row] = []
    for key, (document, _) in candidates.items():
        ceiling_seconds = best[f"{CEILING}, {document.media_type}"]
        speed, share = megabytes(document) / best[key], ceiling_seconds / best[key]
        rows.append(Row(key.partition(", ")[0], document.media_type, speed, share))
    bars = [*speed_bars(best), *sweep_bars(text, options.repeats), *linear_bars(text, options)]
    return Measured(name, megabytes(Document("", text)), tuple(rows), tuple(bars)), left_out


Job = Callable[[], Callable[[], object]]
"""Makes a call that is ready to be timed once."""


def candidates_for(
    text: str, size: int, libraries: Mapping[str, Callable[[int], Splitter]]
) -> tuple[dict[str, tuple[Document, Job]], list[str]]:
    """Document and job of everything to be timed, by `name, media type`; what is left out, and why."""
    kinds = documents(text)
    candidates: dict[str, tuple[Document, Job]] = {}
    left_out: list[str] = []
    for name, cls in STRATEGIES.items():
        if cls.needs:
            left_out.append(f"{name} (needs {' and '.join(cls.needs)})")
            continue
        document = kinds[KINDS.get(name, "text/plain")]
        candidates[f"{name}, {document.media_type}"] = document, ours(name, document, size)
    for name, make in libraries.items():
        try:
            make(size)
        except ImportError as error:
            left_out.append(f"{name} ({error.name or error} is not installed)")
            continue
        candidates[f"{name}, text/plain"] = kinds["text/plain"], theirs(make, text, size)
    for document in {id(document): document for document, _ in candidates.values()}.values():
        candidates[f"{CEILING}, {document.media_type}"] = document, ceiling(document.text)
    return candidates, left_out


def ours(name: str, document: Document, size: int) -> Job:
    """A strategy with its defaults and this size, where it has one."""
    known = {parameter.name for parameter in parameters(STRATEGIES[name])}
    given: dict[str, object] = {"size": size} if "size" in known else {}
    if "routes" in known:
        given["routes"] = [{"media_type": "text/*", "use": "recursive"}]
    strategy = build(name, given)

    def job() -> Callable[[], object]:
        remembered_count.cache_clear()
        return lambda: split(document, strategy, Tools())

    return job


def theirs(make: Callable[[int], Callable[[str], object]], text: str, size: int) -> Job:
    """A library's splitter, made afresh for each round."""

    def job() -> Callable[[], object]:
        splitter = make(size)
        return lambda: splitter(text)

    return job


def ceiling(text: str) -> Job:
    """What counting alone costs."""
    return lambda: lambda: load("cl100k_base")[0].encode_ordinary(text)


def timed(jobs: Mapping[str, Job], repeats: int) -> dict[str, float]:
    """Seconds of processor time of each job: the best of so many rounds, after one that warms up."""
    best = dict.fromkeys(jobs, float("inf"))
    for turn in range(repeats + 1):
        for name, make in jobs.items():
            call = make()
            gc.collect()
            gc.freeze()  # what the libraries brought with them is not to be looked through in anyone's time
            begin = time.process_time()
            call()
            if turn:
                best[name] = min(best[name], time.process_time() - begin)
    return best


def megabytes(document: Document) -> float:
    """Size of a document's text in UTF-8."""
    return len(document.text.encode()) / 1e6


def speed_bars(best: Mapping[str, float]) -> list[Bar]:
    """Ours against the counterparts and the ceiling."""
    bars: list[Bar] = []
    for name, others in COUNTERPARTS.items():
        own = best[f"{name}, text/plain"]
        bars.append(Bar(f"{name} / {CEILING}", best[f"{CEILING}, text/plain"] / own, at_least=0.4))
        for other in others:
            if (seconds := best.get(f"{other}, text/plain")) is not None:
                goal = 3.0 if other.startswith(FRAMEWORKS) else 1.0
                bars.append(Bar(f"{name} / {other}", seconds / own, at_least=goal))
    return bars


def sweep_bars(text: str, repeats: int) -> list[Bar]:
    """Nine pairs of size and overlap with tools of their own each, against nine that share theirs."""
    document = Document("text", text)
    jobs: dict[str, Job] = {}
    for name in COUNTERPARTS:
        configurations = [build(name, {"size": size, "overlap": overlap}) for size, overlap in SWEEP]

        def alone(configurations: list[object] = configurations) -> Callable[[], object]:  # type: ignore[assignment]
            def call() -> None:
                for one in configurations:
                    remembered_count.cache_clear()
                    split(document, one, Tools())  # type: ignore[arg-type]

            return call

        def together(configurations: list[object] = configurations) -> Callable[[], object]:  # type: ignore[assignment]
            def call() -> None:
                remembered_count.cache_clear()
                tools = Tools()
                for one in configurations:
                    split(document, one, tools)  # type: ignore[arg-type]

            return call

        jobs |= {f"{name} alone": alone, f"{name} together": together}
    best = timed(jobs, repeats)
    return [
        Bar(
            f"{name}: nine splits / one sweep of nine",
            best[f"{name} alone"] / best[f"{name} together"],
            at_least=3.0,
        )
        for name in COUNTERPARTS
    ]


def linear_bars(text: str, options: argparse.Namespace) -> list[Bar]:
    """Twice the text, against the text."""
    jobs: dict[str, Job] = {}
    for name in LINEAR:
        if name in STRATEGIES:
            document = documents(text)[KINDS[name]]
            twice = Document("twice", document.text * 2, media_type=document.media_type)
            jobs |= {
                f"{name} once": ours(name, document, options.size),
                f"{name} twice": ours(name, twice, options.size),
            }
    best = timed(jobs, options.repeats)
    return [
        Bar(f"{name}: twice the text / the text", best[f"{name} twice"] / best[f"{name} once"], at_most=2.2)
        for name in LINEAR
        if f"{name} once" in best
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
