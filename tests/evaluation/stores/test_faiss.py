"""What FAISS alone owes: its indexes are what their names say, and refuse what they cannot be."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.search import Search
from evaluation.stores import StoreError, VectorType
from evaluation.stores.exact import Exact
from evaluation.stores.faiss import DEFAULTS, INDEX, USES, Faiss, FaissStore
from strategies.document import Chunk
from strategies.errors import BadInput
from strategies.parameters import as_record, parameters

TYPES: tuple[VectorType, ...] = ("float32", "float16", "int8", "binary")


def chunks(count: int) -> list[Chunk]:
    return [Chunk("abc"[i % 3], 0, i, i + 1, "x", 1, "x", (i, i + 1)) for i in range(count)]


def some(count: int, dimensions: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    vectors = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def built(store: Faiss, folder: Path, vectors: Any, vector_type: VectorType = "float32") -> FaissStore:
    opened = store.open(folder, vector_type=vector_type)
    opened.build(vectors, chunks(len(vectors)))
    return opened


# Equal to exact search


@pytest.mark.parametrize("vector_type", TYPES)
@settings(deadline=None)
@given(
    seed=st.integers(0, 10**6),
    count=st.integers(1, 120),
    dimensions=st.integers(1, 20),
    grid=st.sampled_from([1, 2, 8, 10**6]),
    depth=st.integers(1, 130),
    length=st.sampled_from([1e-3, 1.0, 250.0]),
    documents=st.sampled_from([None, frozenset("a"), frozenset("bc")]),
)
def test_flat_is_exact_search_row_for_row(
    vector_type: VectorType,
    seed: int,
    count: int,
    dimensions: int,
    grid: int,
    depth: int,
    length: float,
    documents: frozenset[str] | None,
) -> None:
    """On a coarse grid most scores tie, and vectors of any length come from dot products."""
    rng = np.random.default_rng(seed)
    vectors = (np.round(rng.normal(size=(count, dimensions)) * grid) / grid * length).astype(np.float32)
    query = (np.round(rng.normal(size=dimensions) * grid) / grid).astype(np.float32)
    exact = Exact().open(Path("unused"), vector_type=vector_type)
    flat = Faiss().open(Path("unused"), vector_type=vector_type)
    for store in (exact, flat):
        store.build(vectors, chunks(count))
    for _ in range(2):
        one, other = (store.search(query, depth, documents) for store in (exact, flat))
        assert dict(zip(*map(list, one), strict=True)) == dict(zip(*map(list, other), strict=True))
        for store in (exact, flat):
            store.replace_document("b", vectors[:1] * 2, chunks(2)[1:])


@pytest.mark.parametrize("vector_type", TYPES)
@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_an_index_that_looks_at_everything_is_exact(
    kind: str, vector_type: VectorType, tmp_path: Path
) -> None:
    all_of_it = {"hnsw": {"ef_search": 400, "m": 64}, "ivf": {"nlist": 7, "nprobe": 7}}[kind]
    vectors = some(300, 24)
    vectors[40:60] = vectors[40]
    store = built(Faiss(index=kind, **all_of_it), tmp_path, vectors, vector_type)
    exact = Exact().open(tmp_path, vector_type=vector_type)
    exact.build(vectors, chunks(300))
    for query in some(20, 24, seed=1):
        for documents in (None, frozenset("ab")):
            one, other = exact.search(query, 12, documents), store.search(query, 12, documents)
            assert dict(zip(*map(list, one), strict=True)) == dict(zip(*map(list, other), strict=True))


@pytest.mark.parametrize("kind", ["pq", "ivf_pq"])
def test_scores_of_codes_are_those_of_the_vectors_that_they_stand_for(kind: str, tmp_path: Path) -> None:
    """All codes are looked at, so that the answer is the best of what is decoded, ties included."""
    probes = {"ivf_pq": {"nprobe": 99}}.get(kind, {})
    store = built(Faiss(index=kind, bits=4, pq_m=2, **probes), tmp_path, some(400, 8))
    import faiss

    store.stored()
    index = faiss.read_index(str(tmp_path / INDEX))
    decoded = index.reconstruct_n(0, 400).astype(np.float64)
    for query in some(20, 8, seed=1):
        scores = np.round(np.einsum("nd,d->n", decoded, query.astype(np.float64)), 6)
        found = store.search(query, 10)
        last = np.sort(scores)[-10]
        assert sorted(found.rows.tolist()) == np.flatnonzero(scores >= last).tolist()
        np.testing.assert_allclose(found.scores, scores[found.rows], atol=1.1e-6)
        among = store.search(query, 10, frozenset("a"))
        assert set(among.rows.tolist()) <= set(range(0, 400, 3))
        assert among.scores.max() == pytest.approx(scores[::3].max(), abs=1.1e-6)


# What is written


@pytest.mark.parametrize("vector_type", TYPES)
@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_the_file_holds_the_codes_of_the_type(kind: str, vector_type: VectorType, tmp_path: Path) -> None:
    import faiss

    vectors = some(100, 12)
    store = built(Faiss(index=kind), tmp_path, vectors, vector_type)
    measured = store.stored()
    assert measured.vectors == 100 * {"float32": 48, "float16": 24, "int8": 12, "binary": 2}[vector_type]
    assert measured.vectors + measured.index == (tmp_path / INDEX).stat().st_size
    binary = vector_type == "binary"
    index = (faiss.read_index_binary if binary else faiss.read_index)(str(tmp_path / INDEX))
    assert index.ntotal == 100
    held = index.reconstruct_n(0, 100)
    exact = Exact().open(tmp_path, vector_type=vector_type)
    exact.build(vectors, chunks(100))
    exact.stored()
    codes = np.load(tmp_path / "vectors.npy")
    if vector_type == "int8":
        low, width = np.load(tmp_path / "ranges.npy")
        codes = low + (codes.astype(np.float64) + 128.5) / 255 * width
    np.testing.assert_allclose(held, codes, atol=0 if binary else 1e-7)
    if kind == "hnsw":
        assert measured.index > 100 * 2 * 32 * 4  # two links of 4 bytes for each of m


@pytest.mark.parametrize("kind", USES)
def test_the_same_vectors_give_the_same_file(kind: str, tmp_path: Path) -> None:
    """To the byte: training and filling leave nothing to chance."""
    written = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        built(Faiss(index=kind), tmp_path / name, some(3000, 16)).stored()
        written.append((tmp_path / name / INDEX).read_bytes())
    assert written[0] == written[1]


def test_parameters_reach_the_index(tmp_path: Path) -> None:
    import faiss

    vectors = some(300, 12)

    def written(store: Faiss) -> Any:
        built(store, tmp_path, vectors).stored()
        return faiss.read_index(str(tmp_path / INDEX))

    graph = written(Faiss(index="hnsw", m=7, ef_construction=33))
    assert (graph.hnsw.nb_neighbors(1), graph.hnsw.nb_neighbors(0)) == (7, 14)
    assert graph.hnsw.efConstruction == 33
    assert written(Faiss(index="ivf", nlist=11)).nlist == 11
    assert written(Faiss(index="ivf")).nlist == 300 // 39
    codes = written(Faiss(index="ivf_pq", nlist=3, pq_m=4, bits=6))
    assert (codes.nlist, codes.pq.M, codes.pq.nbits) == (3, 4, 6)
    assert written(Faiss(index="pq")).pq.M == 1  # of 12 dimensions, the most that leave a part 8


def test_more_probes_find_more(tmp_path: Path) -> None:
    vectors, queries = some(1000, 16), some(30, 16, seed=1)
    found = []
    for probes in (1, 4, 25):
        store = built(Faiss(index="ivf", nlist=25, nprobe=probes), tmp_path, vectors)
        best = [int(np.argmax(vectors @ query)) for query in queries]
        found.append(
            sum(row in store.search(query, 1).rows for row, query in zip(best, queries, strict=True))
        )
    assert found[0] < found[1] < found[2] == 30


def test_few_candidates_stay_few_however_deep_the_list(tmp_path: Path) -> None:
    """FAISS alone widens a search to the depth that is asked for, and finds what `ef_search` misses."""
    vectors, queries = some(2000, 48), some(40, 48, seed=1)
    best = [int(np.argmax(vectors @ query)) for query in queries]
    store = built(Faiss(index="hnsw", m=2, ef_construction=4, ef_search=1), tmp_path, vectors)
    for depth in (1, 50, 500):
        hits = [
            row == found.rows[np.argmax(found.scores)]
            for row, found in zip(best, (store.search(query, depth) for query in queries), strict=True)
        ]
        assert sum(hits) < 20
        if depth == 1:
            first = hits
        assert hits == first


# What is refused


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"index": "flat", "m": 16}, "m: means nothing for index: flat. Leave it out; it is for hnsw"),
        ({"index": "hnsw", "nprobe": 3}, "nprobe: means nothing for index: hnsw. .* for ivf or ivf_pq"),
        ({"index": "hnsw", "m": 1}, "m: is 1, not from 2 to 2048"),
        ({"index": "hnsw", "m": 2049}, "m: is 2049, not from 2"),
        (
            {"index": "hnsw", "ef_construction": 2**31},
            "ef_construction: is 2147483648, not from 1",
        ),
        ({"index": "hnsw", "ef_search": 10**6 + 1}, "ef_search: is 1000001, not from 1 to 1000000"),
        ({"index": "ivf", "nlist": 2**31}, "nlist: is 2147483648, not from 1 to 2147483647"),
        ({"index": "ivf", "nprobe": 2**31}, "nprobe: is 2147483648"),
        ({"index": "pq", "pq_m": 2**31}, "pq_m: is 2147483648"),
        ({"index": "pq", "bits": 9}, "bits: is 9, not from 1 to 8"),
        ({"index": "ivf", "nlist": 0}, "nlist: is 0"),
        ({"index": "hsnw"}, "Did you mean hnsw"),
    ],
)
def test_parameters_that_cannot_be_are_refused(said: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        Faiss(**said)


def test_what_an_index_cannot_hold_is_refused_before_any_work() -> None:
    for kind in ("pq", "ivf_pq"):
        for vector_type in TYPES[1:]:
            with pytest.raises(
                BadInput, match=rf"vector_type: {vector_type} means nothing for index: {kind}"
            ):
                Search(store=Faiss(index=kind), vector_type=vector_type)
    for store in (Exact(), Faiss()):
        with pytest.raises(BadInput, match="signs keep no length"):
            Search(store=store, vector_type="binary", metric="dot")
        assert Search(store=store, vector_type="int8", metric="dot").store == store


@pytest.mark.parametrize(
    ("store", "count", "problem"),
    [
        (Faiss(index="ivf", nlist=10), 9, "cannot part 9 chunks into nlist: 10 lists"),
        (Faiss(index="pq"), 255, "learns 256 codes of 8 bits from as many chunks at least, and here are 255"),
        (Faiss(index="ivf_pq", bits=5), 31, "learns 32 codes of 5 bits"),
        (Faiss(index="pq", bits=1, pq_m=5), 60, "pq_m: 5 does not divide the 12 .* 1, 2, 3, 4, 6, 12"),
    ],
)
def test_too_few_vectors_fail_with_what_to_do(store: Faiss, count: int, problem: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=problem):
        built(store, tmp_path, some(count, 12))


def test_the_least_that_an_index_needs_is_enough(tmp_path: Path) -> None:
    for store, count in (
        (Faiss(index="ivf", nlist=10, nprobe=10), 10),
        (Faiss(index="pq"), 256),
        (Faiss(index="ivf_pq", bits=5), 32),
        (Faiss(index="pq"), 0),
    ):
        assert len(built(store, tmp_path, some(count, 12)).search(some(1, 12)[0], 500).rows) == count


def test_without_the_library_the_store_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Faiss().check()
    monkeypatch.setattr(Faiss, "packages", ("no_such_library",))
    assert not Faiss.is_installed()
    with pytest.raises(BadInput, match=re.escape("pip install 'chunksweep[faiss]'")):
        Faiss().check()


def test_versions_and_defaults_are_told() -> None:
    assert set(Faiss().versions()) == {"faiss-cpu"}
    assert Faiss(index="hnsw") == Faiss(index="hnsw", m=32, ef_construction=200, ef_search=64)
    assert as_record(Faiss(index="hnsw"))["m"] == DEFAULTS["m"] == 32
    told = {parameter.name: parameter.help for parameter in parameters(Faiss)}
    for index, names in USES.items():
        for name in names:
            assert index in told[name]
            assert str(DEFAULTS.get(name, "unless said")) in told[name]


# Beside torch

TOGETHER = """
import {first}
import {second}
import numpy as np, torch, tempfile
from pathlib import Path
from evaluation.stores.faiss import Faiss
from tests_vectors import vectors, chunks
threads = torch.get_num_threads()
a = torch.from_numpy(vectors)
before = (a @ a.T).sum().item()
store = Faiss(index="hnsw").open(Path(tempfile.mkdtemp()))
store.build(vectors, chunks)
rows = [store.search(query, 3).rows.tolist() for query in vectors[:20]]
after = (a @ a.T).sum().item()
assert torch.get_num_threads() == threads
assert before == after
print(sum(row in found for row, found in enumerate(rows)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("order", [("torch", "faiss"), ("faiss", "torch")], ids="-".join)
def test_faiss_and_torch_work_in_one_process(order: tuple[str, str], tmp_path: Path) -> None:
    """Each brings a runtime for threads of its own: whichever comes first, both compute what they should."""
    (tmp_path / "tests_vectors.py").write_text(
        "import numpy as np\n"
        "from strategies.document import Chunk\n"
        "vectors = np.random.default_rng(0).normal(size=(3000, 64)).astype('float32')\n"
        "vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)\n"
        "chunks = [Chunk('a', 0, i, i + 1, 'x', 1, 'x', (i, i + 1)) for i in range(3000)]\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += TOGETHER.format(first=order[0], second=order[1])
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "20"


def test_a_deep_list_of_a_graph_loses_none_that_tie(tmp_path: Path) -> None:
    axes = np.eye(8, dtype=np.float32)
    store = built(Faiss(index="hnsw", ef_search=4), tmp_path, axes[[0] * 30 + [1] * 30])
    found = store.search((axes[0] + axes[1]) / 2, 60)
    assert sorted(found.rows.tolist()) == list(range(60))


def test_a_filter_on_a_graph_finds_what_an_application_finds(tmp_path: Path) -> None:
    """Who asks for ten gets what `ef_search` candidates leave of the filter, and a deeper list no more."""
    vectors = some(3000, 16)
    store = Faiss(index="hnsw", m=8, ef_search=16).open(tmp_path)
    names = ["few" if number % 50 == 0 else "many" for number in range(3000)]
    store.build(vectors, [Chunk(name, 0, i, i + 1, "x", 1, "x", (i, i + 1)) for i, name in enumerate(names)])
    counts = [len(store.search(query, 10, frozenset(["few"])).rows) for query in some(40, 16, seed=1)]
    assert min(counts) < 10  # FAISS loses some here; a search that widened itself would hide it
    for query in some(40, 16, seed=1):
        first, deep = (store.search(query, depth, frozenset(["few"])).rows.tolist() for depth in (10, 60))
        assert set(first) <= set(deep)
