"""LanceDB: its indexes, its partitions, what it logs, and what it leaves behind."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from evaluation.stores import StoreError, VectorType
from evaluation.stores.exact import Exact
from evaluation.stores.lancedb import GRAPHS, IVF, LanceDB
from evaluation.stores.ties import climbing, with_ties
from strategies.errors import BadInput

from .test_contract import chunk, clustered, lettered, turned

INDEXED: list[tuple[str, VectorType]] = [
    *((index, "float32") for index in IVF if index != "ivf_hnsw_sq"),  # that one stands in the contract
    ("ivf_rq", "float16"),
    ("ivf_flat", "binary"),
]


@pytest.mark.parametrize(("index", "vector_type"), INDEXED)
def test_every_index_finds_most_and_tells_true_scores(
    index: str, vector_type: VectorType, tmp_path: Path
) -> None:
    (vectors, queries), chunks = clustered(), lettered(2000)
    (tmp_path / "exact").mkdir()
    exact = Exact().open(tmp_path / "exact", vector_type=vector_type)
    store = LanceDB(index=index).open(tmp_path, vector_type=vector_type)  # type: ignore[arg-type]
    for one in (exact, store):
        one.build(vectors, chunks)
    assert store.stored().index > 0
    hits = 0
    for number, query in enumerate(queries):
        documents = frozenset("ab") if number % 2 else None
        found = store.search(query, 10, documents)
        everything = exact.search(query, 2000, documents)
        true = dict(zip(everything.rows.tolist(), everything.scores.tolist(), strict=True))
        for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
            assert score == pytest.approx(true[row], abs=1e-3 if vector_type == "float16" else 2e-6)
        tenth = sorted(true.values())[-10]
        hits += min(10, sum(true[row] >= tenth for row in found.rows.tolist()))
    assert hits / (10 * len(queries)) > (0.99 if index.endswith("flat") else 0.9)
    store.close()


def test_a_dot_product_is_one_of_vectors_of_any_length(tmp_path: Path) -> None:
    vectors, queries = clustered()
    lengths = np.linspace(0.5, 3, 2000, dtype=np.float32)[:, None]
    for index in ("none", "ivf_flat"):
        (tmp_path / index).mkdir()
        store = LanceDB(index=index).open(tmp_path / index, metric="dot")  # type: ignore[arg-type]
        store.build(vectors * lengths, lettered(2000))
        found = store.search(queries[0] * 2, 5)
        true = (vectors * lengths) @ (queries[0] * 2)
        assert sorted(found.scores) == pytest.approx(np.sort(true)[-5:].tolist(), abs=1e-5)
        store.close()


def test_parameters_stand_where_they_mean_something() -> None:
    assert LanceDB(index="ivf_hnsw_sq") == LanceDB(index="ivf_hnsw_sq", m=20, nprobes=20, candidates=100)
    assert LanceDB() == LanceDB(index="none")
    with pytest.raises(BadInput) as caught:
        LanceDB(nprobes=4, m=8)
    assert [problem.where for problem in caught.value.problems] == ["nprobes", "m"]
    with pytest.raises(BadInput, match="num_sub_vectors: means nothing with index ivf_sq"):
        LanceDB(index="ivf_sq", num_sub_vectors=8)
    for index in GRAPHS:
        assert LanceDB(index=index).unfit("binary", "cosine") is not None  # type: ignore[arg-type]
        assert LanceDB(index=index).unfit("float16", "dot") is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"m": 3}, "m: is 3, not from 4 to 2048"),
        ({"m": 2049}, "m: is 2049"),
        ({"m": 400}, "ef_construction: is 300, less than m: 400. Use 400 or more"),
        ({"ef_construction": 10**6 + 1}, "ef_construction: is 1000001, not from 1 to 1000000"),
        ({"candidates": 10**6 + 1}, "candidates: is 1000001"),
        ({"nprobes": 2**32}, "nprobes: is 4294967296, not from 1 to 4294967295"),
        ({"num_partitions": 2**32}, "num_partitions: is 4294967296"),
        ({"num_sub_vectors": 2**32}, "num_sub_vectors: is 4294967296"),
    ],
)
def test_numbers_that_lancedb_cannot_take_are_refused(said: dict[str, int], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        LanceDB(index="ivf_hnsw_pq", **said)  # type: ignore[arg-type]


def test_the_largest_numbers_work(tmp_path: Path) -> None:
    most = {"nprobes": 2**32 - 1, "num_partitions": 2**32 - 1, "candidates": 10**6, "ef_construction": 10**6}
    store = LanceDB(index="ivf_hnsw_flat", m=4, **most).open(tmp_path)  # type: ignore[arg-type]
    store.build(clustered()[0], lettered(2000))
    assert len(store.search(clustered()[1][0], 5).rows) == 5
    store.close()


def test_an_error_tells_no_place_of_lancedbs_source(tmp_path: Path) -> None:
    store = LanceDB().open(tmp_path)
    store.build(turned(8), lettered(8))
    for path in tmp_path.rglob("data/*"):
        path.unlink()
    with pytest.raises(StoreError, match=r"lancedb: .*Not found: .*/data/\w+\.lance$"):
        store.replace_document("a", turned(1), lettered(1, "a"))


def test_what_lancedb_refuses_is_said(tmp_path: Path) -> None:
    store = LanceDB(index="ivf_rq").open(tmp_path)
    with pytest.raises(StoreError, match="must be divisible by 8"):
        store.build(turned(4), lettered(4))


def test_thousands_of_documents_are_one_filter(tmp_path: Path) -> None:
    store, vectors = LanceDB().open(tmp_path), clustered()[0]
    names = [f'it\'s "{n}".md' for n in range(2000)]
    store.build(vectors, [chunk(name, 0, 1) for name in names])
    found = store.search(vectors[3], 2000, frozenset(names[1::2]) | {"nowhere"})
    assert sorted(found.rows.tolist()) == list(range(1, 2000, 2))


def test_a_table_that_is_replaced_in_leaves_no_older_version(tmp_path: Path) -> None:
    store = LanceDB(index="ivf_flat").open(tmp_path)
    store.build(clustered()[0], lettered(2000))
    for _ in range(3):
        store.replace_document("a", clustered()[0][:250], lettered(250, "a"))
    assert len(list(tmp_path.rglob("*.manifest"))) == 1
    (index,) = store._table.list_indices()
    assert len(list(tmp_path.rglob("index.idx"))) == index.num_segments
    assert store.stored().index == index.size_bytes
    fragments = store._table.stats()["fragment_stats"]["num_fragments"]
    assert len(list(tmp_path.rglob("data/*"))) == fragments
    assert list(tmp_path.rglob("_deletions/*")) == []
    assert len(store.search(clustered()[1][0], 2000).rows) == 2000


def test_opening_again_and_again_starts_no_more_threads(tmp_path: Path) -> None:
    counts = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        store = LanceDB(index="ivf_flat").open(folder)
        store.build(clustered()[0], lettered(2000))
        store.search(clustered()[1][0], 5)
        store.close()
        counts.append(threading.active_count())
    assert len(set(counts[1:])) == 1


LOUD = """
import pathlib, sys, tempfile
import numpy as np
from evaluation.stores.lancedb import LanceDB
from strategies.document import Chunk
folder = pathlib.Path(sys.argv[1])
store = LanceDB(index="ivf_pq", num_partitions=50).open(folder)
chunks = [Chunk("a", n, n, n + 1, "x", 1, "x", (n, n + 1)) for n in range(300)]
store.build(np.eye(300, 32, dtype=np.float32) + np.float32(0.01), chunks)
store.replace_document("b", np.eye(4, 32, dtype=np.float32), chunks[:4])
print(len(store.search(np.ones(32, dtype=np.float32), 5).rows))
"""


@pytest.mark.slow
def test_nothing_is_written_on_the_error_stream(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", LOUD, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) >= 5


# Lists of any depth


def test_a_list_is_asked_for_until_a_row_is_worse_than_its_last() -> None:
    scores = np.array([0.9, *[0.5] * 60, 0.4])
    asked: list[int] = []

    def nearest(limit: int) -> tuple[np.ndarray, np.ndarray]:
        asked.append(limit)
        return np.arange(62)[:limit], scores[:limit]

    found = with_ties(nearest, 2, 62)
    assert found.rows.tolist() == list(range(61))
    assert asked == [18, 36, 62]


def test_a_deeper_list_goes_on_below_what_was_found_first() -> None:
    """Row 9 scores 0.95, but only who asks for six rows or more is told of it; rows 2 to 4 tie."""
    rows, scores = np.arange(8), np.array([0.9, 0.8, 0.7, 0.7, 0.7, 0.6, 0.5, 0.4])

    def nearest(limit: int) -> tuple[np.ndarray, np.ndarray]:
        if limit < 6:
            return rows[:limit], scores[:limit]
        return np.array([9, *rows[: limit - 1]]), np.array([0.95, *scores[: limit - 1]])

    assert climbing(nearest, 2, 3, 9).rows.tolist() == [0, 1]
    assert climbing(nearest, 3, 3, 9).rows.tolist() == [0, 1, 2, 3, 4]
    assert climbing(nearest, 6, 3, 9).rows.tolist() == [0, 1, 2, 3, 4, 5]
    assert climbing(nearest, 9, 3, 9).rows.tolist() == list(range(8))
    assert climbing(nearest, 2, 6, 9).rows.tolist() == [9, 0]
    assert climbing(nearest, 2, 1, 9).rows.tolist() == [0, 1]


@pytest.mark.parametrize("index", ["ivf_pq", "ivf_hnsw_pq"])
def test_an_index_that_was_not_made_is_no_index(index: str, tmp_path: Path) -> None:
    """LanceDB learns codes from 256 vectors; with fewer it makes none, says nothing and compares all rows."""
    store = LanceDB(index=index).open(tmp_path)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match=f"no {index} index of 32 chunks"):
        store.build(turned(32), lettered(32))
