"""Faults that must never pass unseen: each is planted in a copy, and the fast tests must catch it.

`python tests/mutants.py` plants all of them, `python tests/mutants.py tie-rule` one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("strategies", "evaluation", "experiments", "datasets", "docs", "tests", "pyproject.toml")


class Mutant(NamedTuple):
    """One fault: a piece of source replaced, and the tests that must notice."""

    name: str
    fault: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]


MUTANTS = (
    Mutant(
        "touching-intersects",
        "`<=` for `<` in the intersection of intervals",
        "strategies/spans.py",
        "        if start < end:\n            common.append((start, end))",
        "        if start <= end:\n            common.append((start, end))",
        ("tests/strategies/test_spans.py",),
    ),
    Mutant(
        "tie-of-an-index",
        "an index is asked for no more than the depth, whatever ties with the last",
        "evaluation/stores/faiss.py",
        "            if k == count or len(rows) < k:\n",
        "            if True:\n",
        ("tests/evaluation/stores/test_faiss.py",),
    ),
    Mutant(
        "half-proxies",
        "a recommendation is said to rest on proxies alone though people asked, too",
        "evaluation/gold/provenance.py",
        'return set(made) == {"proxy"}',
        'return "proxy" in set(made)',
        ("tests/experiments/test_synthetic.py",),
    ),
    Mutant(
        "changed-proxy",
        "a proxy that somebody changed gives way to new ones",
        "evaluation/gold/making/proxy_lines.py",
        'row["id"] == proxy_id(row)',
        'row["id"].startswith(row["tags"][0])',
        ("tests/gold/making/test_bootstrap.py",),
    ),
    Mutant(
        "wider-graph",
        "a long list widens the search of a graph, so that its first hits are better than users get",
        "evaluation/stores/faiss.py",
        "return climbing(nearest, depth, first, len(self._payloads))",
        "return climbing(nearest, depth, max(first, depth), len(self._payloads))",
        ("tests/evaluation/stores/test_faiss.py",),
    ),
    Mutant(
        "lower-edge",
        "int8 decodes to the lower edge of a step",
        "evaluation/stores/quantising.py",
        "np.float32(128.5)",
        "np.float32(128)",
        ("tests/evaluation/stores/test_quantising.py",),
    ),
    Mutant(
        "k-off-by-one",
        "K off by one",
        "evaluation/metrics/mrr.py",
        "relevant[:k]",
        "relevant[: k + 1]",
        ("tests/evaluation/test_metrics.py", "tests/evaluation/test_scoring.py"),
    ),
    Mutant(
        "size-not-in-key",
        "size missing from the key under which chunks are kept",
        "experiments/run_config.py",
        "return digest(deciding(self.strategy, self.modifiers), 32)",
        "form, modifiers = deciding(self.strategy, self.modifiers)\n"
        '        return digest([{k: v for k, v in form.items() if k != "size"}, modifiers], 32)',
        ("tests/experiments/test_grid.py", "tests/experiments/test_runner.py"),
    ),
    Mutant(
        "tie-rule",
        "ties broken by the order of the chunks",
        "evaluation/ranking/order.py",
        "(rows, self._own_starts[rows], self._starts[rows], self._documents[rows], -scores)",
        "(rows, -scores)",
        ("tests/evaluation/test_retrieval.py",),
    ),
    Mutant(
        "overlap-counted-twice",
        "text that is there already counted again in recall",
        "evaluation/pouring.py",
        "pieces, measured = text.add(hit.start, hit.end), documents[hit.document]",
        "pieces, measured = ((hit.start, hit.end),), documents[hit.document]",
        ("tests/evaluation/test_metrics.py", "tests/evaluation/test_scoring.py"),
    ),
    Mutant(
        "evidence-not-trimmed",
        "white space left at the ends of evidence",
        "evaluation/gold/resolving.py",
        "return [(end - len(inside.lstrip()), start + len(inside.rstrip()))]",
        "return [(start, end)]",
        ("tests/gold/test_resolving.py", "tests/gold/test_gold.py"),
    ),
    Mutant(
        "first-occurrence",
        "the first occurrence taken for a repeated quote",
        "evaluation/gold/resolving.py",
        "        elif len(found) > 1 and not anchor.any:",
        "        elif len(found) > 1 and not anchor.any:\n            return found[:1]\n        elif False:",
        ("tests/gold/test_resolving.py", "tests/gold/test_gold.py"),
    ),
    Mutant(
        "newline-translation",
        "line ends translated on reading",
        "evaluation/gold/documents.py",
        'return data.removeprefix(_UTF8_BOM).decode("utf-8")',
        'return data.removeprefix(_UTF8_BOM).decode("utf-8").replace("\\r\\n", "\\n")',
        ("tests/gold/test_documents.py", "tests/gold/test_gold.py"),
    ),
    Mutant(
        "decoded-tokens",
        "token slices decoded one by one to find their borders",
        "strategies/units/encodings.py",
        "        starts = np.zeros(len(tokens) + 1, dtype=np.int64)\n",
        "        lengths = [len(encoding.decode([token])) for token in tokens.tolist()]\n"
        "        return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)\n"
        "        starts = np.zeros(len(tokens) + 1, dtype=np.int64)\n",
        ("tests/strategies/test_counting.py", "tests/strategies/test_fixed.py"),
    ),
    Mutant(
        "failed-left-out",
        "failed questions left out of a mean",
        "evaluation/scoring.py",
        "counted, n_failed = len(values), missing",
        "counted, n_failed = len(present), missing",
        ("tests/evaluation/test_scoring.py", "tests/evaluation/test_evaluate.py"),
    ),
    Mutant(
        "no-simultaneous-correction",
        "pairs bounded one by one",
        "evaluation/statistics/max_t.py",
        "        critical = max(critical, *(float(np.partition(t, rank - 1)[rank - 1]) for t in flips))",
        "        pass",
        ("tests/evaluation/test_statistics_max_t.py",),
    ),
    Mutant(
        "stale-run-kept",
        "a RUNNING run of a dead process kept",
        "experiments/owner.py",
        "        except psutil.NoSuchProcess:\n            return True",
        "        except psutil.NoSuchProcess:\n            return False",
        ("tests/experiments/test_owner.py",),
    ),
    Mutant(
        "filter-of-the-sweep",
        "the filter of a sweep recorded, but not searched by",
        "evaluation/evaluate.py",
        "passing(dict(settings.filter), index.documents)",
        "index.documents",
        ("tests/experiments/test_filter.py",),
    ),
    Mutant(
        "metadata-not-stored",
        "metadata of documents left out of what a store keeps",
        "evaluation/footprint.py",
        '"metadata": dict(chunk.metadata),',
        '"metadata": {},',
        ("tests/evaluation/stores/test_contract.py::test_what_is_stored_of_a_chunk_comes_back",),
    ),
    Mutant(
        "card-before-sidecar",
        "the card believed where a sidecar says something else",
        "evaluation/gold/describing.py",
        "    for one in reversed(said):",
        "    for one in said:",
        ("tests/gold/test_metadata.py",),
    ),
    Mutant(
        "wrong-chunk-retrieved",
        "retrieved chunks shown one row off",
        "experiments/chunk_list.py",
        "chunk = record.chunks[place]",
        "chunk = record.chunks[place - 1]",
        ("tests/experiments/test_chunk_list.py",),
    ),
    Mutant(
        "window-edge",
        "a token takes its vector from the window in which it stands at the edge",
        "evaluation/windows.py",
        "(before[following] + before[end] - 1) // 2 + 1",
        "before[end]",
        ("tests/evaluation/test_late.py",),
    ),
    Mutant(
        "late-cost",
        "late vectors are charged less than all of their windows",
        "evaluation/vectors/late.py",
        "np.rint(shares * spent.tokens)",
        "np.floor(shares * (spent.tokens - 1))",
        ("tests/evaluation/test_late.py",),
    ),
    Mutant(
        "inside-the-one-before",
        "a library's text placed inside the chunk before it, though it occurs again",
        "strategies/libraries/aligning.py",
        "max(start + 1, end - len(part) + 1, self._earliest(end), shared, first)",
        "max(start + 1, self._earliest(end), shared, first)",
        ("tests/strategies/test_aligning.py",),
    ),
    Mutant(
        "cutting-for-nothing",
        "vectors that a strategy cuts by left out of the tokens embedded",
        "evaluation/cutting.py",
        "return 0 if self.vectored is None else self.vectored.tokens",
        "return 0",
        ("tests/experiments/test_cutting_costs.py",),
    ),
    Mutant(
        "self-similarity",
        "similarities of texts to themselves counted into the mean that gains of `cluster` are less",
        "strategies/cluster.py",
        "(float(np.square(total).sum()) - squares) / (n * (n - 1))",
        "float(np.square(total).sum()) / (n * n)",
        ("tests/strategies/test_cluster.py",),
    ),
    Mutant(
        "child-returned",
        "a chunk returned in place of its parent",
        "strategies/modifiers/parents.py",
        "returned=(parent.start, parent.end)",
        "returned=None",
        ("tests/strategies/test_modifiers.py",),
    ),
    Mutant(
        "fragments-past-the-size",
        "a fragment joined without counting the two together",
        "strategies/modifiers/min_chunk.py",
        "self._ruler.count(one.start, end) >",
        "self._ruler.count(other.start, end) >",
        ("tests/strategies/test_modifiers.py",),
    ),
    Mutant(
        "half-the-neighbours",
        "one neighbour too few returned behind a chunk",
        "strategies/modifiers/neighbours.py",
        "ranges[max(at - reach, 0) : at + reach + 1]",
        "ranges[max(at - reach, 0) : at + reach]",
        ("tests/strategies/test_modifiers.py",),
    ),
    Mutant(
        "half-an-answer",
        "an answer that was cut at its limit of tokens taken for whole",
        "strategies/language_model/chat_client.py",
        'if finish == "length":',
        'if finish == "limit":',
        ("tests/strategies/chat/test_failures.py",),
    ),
    Mutant(
        "price-of-one-question",
        "what a thousand questions cost, for one",
        "evaluation/cost.py",
        '("query_tokens_mean", embedding, 1e6 / 1000)',
        '("query_tokens_mean", embedding, 1e6)',
        ("tests/evaluation/test_cost.py",),
    ),
    Mutant(
        "pattern-of-few",
        "a pattern said of however small a part of the misses",
        "experiments/patterns.py",
        "questions >= LEAST and questions >= SHARE * len(self.rows)",
        "questions >= LEAST",
        ("tests/experiments/test_patterns.py",),
    ),
    Mutant(
        "lost-is-outranked",
        "a store that is not exact is never blamed",
        "evaluation/search.py",
        "return self.no_similarity is None and (self.store != EXACT",
        "return self.no_similarity is not None and (self.store != EXACT",
        ("tests/evaluation/test_not_found.py",),
    ),
)


def verdict(mutant: Mutant) -> str:
    """`caught`, or how it got away."""
    with _copy() as copy:
        path = copy / mutant.file
        text = path.read_text(encoding="utf-8")
        if text.count(mutant.right) != 1:
            return f"not planted: {mutant.file} holds the code {text.count(mutant.right)} times"
        path.write_text(text.replace(mutant.right, mutant.wrong), encoding="utf-8")
        done = _fast_tests(copy, mutant.tests)
    return "caught" if done.returncode == 1 else f"not caught: {_ending(done)}"


def control() -> str:
    """`passed` if the same tests pass where nothing is planted; else no verdict above means anything."""
    with _copy() as copy:
        done = _fast_tests(copy, tuple(dict.fromkeys(test for mutant in MUTANTS for test in mutant.tests)))
    return "passed" if done.returncode == 0 else f"failed without a fault: {_ending(done)}"


@contextmanager
def _copy() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="chunksweep-mutant-") as name:
        copy = Path(name)
        for part in COPIED:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / part)
        yield copy


def _fast_tests(copy: Path, tests: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    # The copy must be what is imported, whatever is installed.
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


def _ending(done: subprocess.CompletedProcess[str]) -> str:
    return f"pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main(names: list[str]) -> int:
    """Plant them, two at a time; 0 if all were caught."""
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    with ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(verdict, chosen))
    for mutant, found in zip(chosen, verdicts, strict=True):
        print(f"{mutant.name}: {found} ({mutant.fault})")
    caught = sum(found == "caught" for found in verdicts)
    unharmed = control()
    print(f"{caught} of {len(chosen)} caught; without a fault: {unharmed}")
    return 0 if chosen and caught == len(chosen) and unharmed == "passed" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
