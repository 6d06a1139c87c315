"""What every store owes, whatever it is made of: each joins `STORED` as a parameter.

Each store is held against plain NumPy over the vectors as their type leaves them (`reference`), which
knows no store's code but that of the vector types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from evaluation.stores import Found, Store, VectorStore, VectorType
from evaluation.stores.exact import Exact
from evaluation.stores.faiss import Faiss
from evaluation.stores.lancedb import LanceDB
from evaluation.stores.pgvector import PgVector
from evaluation.stores.quantising import fitted
from strategies.document import Chunk, Document, Mark
from strategies.parameters import as_record
from strategies.strategy import Vectors


@dataclass(frozen=True)
class Stored:
    """A store with parameters, and what may be expected of it."""

    store: Store
    vector_type: VectorType = "float32"
    recall: float = 1.0
    """Of the ten best of `clustered()`, at least so many are found; 1 says that the index is exact."""
    own_codes: bool = False
    """Vectors are stored in codes of its own making: scores are near those of the vectors, not the same."""
    error: float = 0.0
    """How far a score may be off: 0 where it is computed in float64."""

    def __str__(self) -> str:
        said = {name: value for name, value in as_record(self.store).items() if value is not None}
        return "-".join([self.store.name, *(f"{name}={said[name]}" for name in said), self.vector_type])


TYPES: tuple[VectorType, ...] = ("float32", "float16", "int8", "binary")

DATABASES: dict[VectorType, float] = {"float32": 1e-6, "float16": 5e-4, "binary": 0.0}
"""Vector type -> how far a score may be off where it is a database's own: halves are compared with halves."""

STORED = (
    *(Stored(Exact(), kind) for kind in TYPES),
    *(Stored(Faiss(), kind) for kind in TYPES),
    *(Stored(Faiss(index="hnsw", m=16, ef_search=48), kind, recall=0.95) for kind in TYPES),
    *(Stored(Faiss(index="ivf", nprobe=8), kind, recall=0.95) for kind in TYPES),
    *(Stored(LanceDB(), kind, error=error) for kind, error in DATABASES.items()),
    Stored(LanceDB(index="ivf_hnsw_sq"), recall=0.95, error=1e-6),
    *(Stored(PgVector(), kind, error=error) for kind, error in DATABASES.items()),
    Stored(PgVector(index="hnsw", ef_search=200), recall=0.95, error=1e-6),
)
"""Indexes that take any number of vectors."""

TRAINED = (
    Stored(Faiss(index="pq", pq_m=8), recall=0.6, own_codes=True),
    Stored(Faiss(index="pq", bits=4, pq_m=16), recall=0.55, own_codes=True),
    Stored(Faiss(index="ivf_pq", nprobe=12), recall=0.6, own_codes=True),
)
"""Indexes that need many vectors, and are held to what is said of `clustered()`."""


every = pytest.mark.parametrize("stored", STORED, ids=str)
trained = pytest.mark.parametrize("stored", [*STORED, *TRAINED], ids=str)


Opened = Callable[[], VectorStore]


@pytest.fixture
def opened(stored: Stored, tmp_path: Path) -> Iterator[Opened]:
    """Opens stores, each in a folder of its own, and closes them in the end."""
    stores: list[VectorStore] = []

    def open_one() -> VectorStore:
        folder = tmp_path / f"store-{len(stores)}"
        folder.mkdir()
        stores.append(stored.store.open(folder, vector_type=stored.vector_type))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def chunk(document: str, start: int, end: int) -> Chunk:
    text = "x" * (end - start)
    return Chunk(document, 0, start, end, text, end - start, text, (start, end))


def unit(*rows: Sequence[float]) -> Vectors:
    matrix = np.array(rows, dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths == 0, 1, lengths)


def turned(dimensions: int) -> Vectors:
    """Orthogonal unit vectors whose signs differ too: a Hadamard matrix; `dimensions` is a power of 2."""
    matrix = np.ones((1, 1), dtype=np.float32)
    while len(matrix) < dimensions:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return (matrix / np.float32(dimensions**0.5)).astype(np.float32)


def reference(
    vectors: Vectors, vector_type: VectorType, query: Vectors, rows: Sequence[int]
) -> dict[int, float]:
    """The score of each row, from what the type leaves of the vectors."""
    if vector_type == "binary":
        same = (vectors > 0) == (query > 0)
        scores = 2 * same.mean(axis=1) - 1
    else:
        quantiser = fitted(vectors, vector_type)
        kept = quantiser.decode(quantiser.encode(vectors)).astype(np.float64)
        scores = np.einsum("nd,d->n", kept, query.astype(np.float64))
    return {row: round(float(scores[row]), 6) for row in rows}


def check(found: Found, expected: dict[int, float], depth: int, stored: Stored) -> None:
    """That an answer is the best `depth` with all ties, or for an approximate index some of them."""
    rows, scores = found.rows.tolist(), found.scores.tolist()
    assert len(set(rows)) == len(rows)
    assert set(rows) <= expected.keys()
    # A sum in another order may fall on the other side of where numbers are rounded.
    step = stored.error + (0 if stored.vector_type == "binary" else 1e-12)
    for row, score in zip(rows, scores, strict=True):
        assert score == round(score, 6)
        assert abs(score - expected[row]) <= (0.5 if stored.own_codes else step), row
    if stored.recall < 1:
        assert len(rows) <= len(expected)
        return
    last = sorted(expected.values(), reverse=True)[: min(depth, len(expected))][-1]
    assert {row for row, score in expected.items() if score > last + 2 * step} <= set(rows)
    if not step or not stored.error:
        assert sorted(rows) == sorted(row for row, score in expected.items() if score >= last - 1e-12)
    assert min(scores) >= last - 2 * step


@cache
def clustered() -> tuple[Vectors, Vectors]:
    """2,000 vectors of 32 dimensions about 40 centres, among them 30 that are the same, and 40 queries."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(40, 32))
    vectors = unit(*(centres[rng.integers(40, size=2000)] + 0.6 * rng.normal(size=(2000, 32))))
    vectors[500:530] = vectors[500]
    queries = unit(*(vectors[::50] + 0.05 * rng.normal(size=(40, 32))))
    return vectors, queries


def lettered(count: int, letters: str = "abcdefgh") -> list[Chunk]:
    """Chunks of documents that take turns."""
    return [chunk(letters[i % len(letters)], i, i + 1) for i in range(count)]


# Few vectors


@every
@pytest.mark.parametrize(("chunks", "depth"), [(0, 10), (1, 1), (1, 5), (3, 10), (3, 3), (3, 1), (3, 0)])
def test_never_pads(opened: Opened, stored: Stored, chunks: int, depth: int) -> None:
    store, vectors = opened(), turned(4)[:chunks]
    store.build(vectors, [chunk("a", i, i + 1) for i in range(chunks)])
    query = unit([1, 0.6, 0.5, 0.4])[0]
    found = store.search(query, depth)
    assert len(found.rows) == min(chunks, depth) or stored.vector_type == "binary"
    assert len(found.rows) >= min(chunks, depth)
    if chunks and depth:
        check(found, reference(vectors, stored.vector_type, query, range(chunks)), depth, stored)
        assert 0 in found.rows


@every
def test_a_store_that_was_never_filled_holds_nothing(opened: Opened) -> None:
    for store in (opened(), opened()):
        assert len(store.search(turned(4)[0], 3).rows) == 0
        assert store.payloads() == []
        assert store.stored().total == 0
        store.build(np.zeros((0, 4), dtype=np.float32), [])
        assert len(store.search(turned(4)[0], 3, frozenset({"a"})).rows) == 0
        assert store.payloads() == []
        assert store.stored().vectors == 0


@every
def test_a_document_comes_into_an_empty_store_and_goes(opened: Opened) -> None:
    store = opened()
    store.build(np.zeros((0, 4), dtype=np.float32), [])
    store.replace_document("a", turned(4)[:2], [chunk("a", 0, 1), chunk("a", 1, 2)])
    assert sorted(store.search(turned(4)[1], 5).rows.tolist()) == [0, 1]
    assert store.stored().vectors > 0
    store.replace_document("a", np.zeros((0, 4), dtype=np.float32), [])
    assert len(store.search(turned(4)[1], 5).rows) == 0
    assert store.payloads() == []
    assert store.stored().vectors == 0


@every
def test_a_store_that_is_built_again_holds_the_new_alone(opened: Opened) -> None:
    store = opened()
    store.build(turned(8), lettered(8))
    store.build(turned(8)[2:4], [chunk("z", 0, 1), chunk("z", 1, 2)])
    assert sorted(store.search(turned(8)[3], 9).rows.tolist()) == [0, 1]
    assert [one["document"] for one in store.payloads()] == ["z", "z"]


@every
def test_a_question_without_a_word_ties_all(opened: Opened, stored: Stored) -> None:
    store, blank = opened(), np.zeros(8, dtype=np.float32)
    vectors = np.concatenate([turned(8), np.zeros((1, 8), dtype=np.float32)])  # and one such chunk
    store.build(vectors, lettered(9))
    found = store.search(blank, 2)
    check(found, reference(vectors, stored.vector_type, blank, range(9)), 2, stored)
    if stored.recall == 1 and stored.vector_type in ("float32", "float16"):
        assert sorted(found.rows.tolist()) == list(range(9))
        assert set(found.scores.tolist()) == {0.0}
    found = store.search(turned(8)[2], 9)
    assert dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))[2] == pytest.approx(1, abs=0.01)


@every
def test_all_that_ties_with_the_last_is_found(opened: Opened, stored: Stored) -> None:
    store, vectors = opened(), turned(8)[[0, 1, 1, 1, 1, 2]]
    store.build(vectors, lettered(6))
    query = unit(turned(8)[0] + 0.5 * turned(8)[1])[0]
    found = store.search(query, 2)
    check(found, reference(vectors, stored.vector_type, query, range(6)), 2, stored)
    assert 0 in found.rows
    if stored.recall == 1:
        assert {0, 1, 2, 3, 4} <= set(found.rows.tolist())


@every
def test_a_tie_is_one_although_sums_in_another_order_differ(opened: Opened, stored: Stored) -> None:
    """The same 300 numbers in 60 orders: their sum is one score, which float32 gives in many shades."""
    rng = np.random.default_rng(5)
    numbers = rng.normal(size=300).astype(np.float32)
    vectors = unit(*(rng.permutation(numbers) for _ in range(60)))
    query = unit(np.ones(300).tolist())[0]
    store = opened()
    store.build(vectors, lettered(60))
    expected = reference(vectors, stored.vector_type, query, range(60))
    found = store.search(query, 3)
    check(found, expected, 3, stored)
    if stored.recall == 1 and stored.vector_type in ("float32", "binary"):
        assert len(found.rows) == 60


@every
def test_documents_that_are_not_there_find_nothing(opened: Opened) -> None:
    store = opened()
    store.build(turned(4)[:3], [chunk(name, 0, 1) for name in "abc"])
    assert len(store.search(turned(4)[0], 5, frozenset()).rows) == 0
    assert len(store.search(turned(4)[0], 5, frozenset({"d"})).rows) == 0
    assert store.search(turned(4)[0], 5, frozenset({"b", "d"})).rows.tolist() == [1]


@every
def test_a_changed_document_takes_the_place_of_all_it_had(opened: Opened) -> None:
    store, axes = opened(), turned(8)
    store.build(axes[:5], [chunk(name, i, i + 1) for i, name in enumerate("abaca")])
    store.replace_document("a", axes[4:6], [chunk("a", 50, 51), chunk("a", 60, 61)])
    places = [(one["document"], one["start"]) for one in store.payloads()]
    assert places == [("b", 1), ("c", 3), ("a", 50), ("a", 60)]
    for row, axis in enumerate((1, 3, 4, 5)):
        found = store.search(axes[axis], 1)
        assert found.rows.tolist() == [row]
        assert found.scores[0] == pytest.approx(1, abs=0.01)
    assert len(store.search(axes[0], 9, frozenset("a")).rows) == 2
    store.replace_document("a", np.zeros((0, 8), dtype=np.float32), [])
    store.replace_document("nowhere", np.zeros((0, 8), dtype=np.float32), [])
    assert [one["document"] for one in store.payloads()] == ["b", "c"]
    assert len(store.search(axes[0], 9).rows) == 2


@every
def test_vectors_and_chunks_must_match(opened: Opened) -> None:
    with pytest.raises(ValueError, match="2 vectors for 1 chunks"):
        opened().build(turned(2), [chunk("a", 0, 5)])
    store = opened()
    store.build(turned(2), lettered(2))
    with pytest.raises(ValueError, match="1 vectors for 2 chunks"):
        store.replace_document("a", turned(2)[:1], lettered(2, "a"))


@every
def test_closing_twice_is_harmless(opened: Opened) -> None:
    store = opened()
    store.build(turned(2), lettered(2))
    store.close()
    store.close()


# What lies beside the vectors


@every
def test_stored_bytes_are_those_of_the_parts(opened: Opened, stored: Stored) -> None:
    chunks = [chunk("a", 0, 10), chunk("a", 5, 15)]
    store = opened()
    store.build(turned(16)[:2], chunks)
    measured = store.stored()
    assert measured.vectors == 2 * {"float32": 64, "float16": 32, "int8": 16, "binary": 2}[stored.vector_type]
    assert measured.text == 20  # the overlap is stored twice
    assert measured.index >= 0
    assert measured.total == measured.vectors + measured.index + measured.text + measured.metadata
    assert measured.on_disk >= measured.vectors
    assert store.stored() == measured  # to measure changes nothing


@every
def test_what_is_stored_of_a_chunk_comes_back(opened: Opened) -> None:
    document = Document(
        "deep/a.md",
        "# Gäte\n\none\u2028line\ftwo \U0001f436 three\n",
        {"year": 2024, "score": 0.5, "draft": False, "by.name": "Zo\u00eb\u2028\n", "empty": ""},
        marks=(Mark("page", 0, "i"), Mark("page", 16, "2")),
    )
    places = [(0, 6), (8, 16), (16, 27), (16, 27)]
    chunks = [
        Chunk(
            document.id, index, start, end, document.text[start:end], 1, "Gate > other words",
            (8, 27) if index == 2 else (start, end), section=("G\u00e4te", "x") if index else (),
            page="i" if start < 16 else "2", metadata=document.metadata,
        )
        for index, (start, end) in enumerate(places)
    ]  # fmt: skip
    chunks.append(chunk("b", 0, 5))  # of a document of which nothing is known
    store = opened()
    store.build(turned(8)[:5], chunks)
    found = store.payloads()
    assert found[:4] == [
        {
            "document": "deep/a.md",
            "index": index,
            "start": start,
            "end": end,
            "returned": [8, 27] if index == 2 else [start, end],
            "page": "i" if start < 16 else "2",
            "metadata": dict(document.metadata),
            "text": document.text[start:end],
            **({"section": ["G\u00e4te", "x"]} if index else {}),
        }
        for index, (start, end) in enumerate(places)
    ]
    kinds = {key: type(value) for key, value in found[0]["metadata"].items()}
    assert kinds == {"year": int, "score": float, "draft": bool, "by.name": str, "empty": str}
    assert found[4] == {
        "document": "b", "index": 0, "start": 0, "end": 5, "returned": [0, 5], "text": "xxxxx",
    }  # fmt: skip


HARD = "\ud800 \u2028\x85\x00 '\"\\%_\U0001f436\u0301"
"""A lone surrogate, ends of lines that are none to JSON, a null, quotes, and what combines."""


@every
def test_hard_texts_survive_in_ids_texts_and_metadata(opened: Opened) -> None:
    names = [f"{HARD}.md", "it's.md", "plain.md"]
    chunks = [
        Chunk(
            name, 0, 0, len(HARD), HARD, 1, HARD, (0, len(HARD)), section=(HARD,), page=HARD,
            metadata={HARD: HARD, "n": 2**53, "x": 1e-9},
        )
        for name in names
    ]  # fmt: skip
    store = opened()
    store.build(turned(4)[:3], chunks)
    for row, name in enumerate(names):
        assert store.search(turned(4)[row], 9, frozenset({name})).rows.tolist() == [row]
    store.replace_document(names[1], np.zeros((0, 4), dtype=np.float32), [])
    store.replace_document(names[0], turned(4)[3:4], chunks[:1])
    found = store.payloads()
    assert [one["document"] for one in found] == [names[2], names[0]]
    assert all(one["text"] == HARD and one["metadata"][HARD] == HARD for one in found)
    assert all((one["section"], one["page"]) == ([HARD], HARD) for one in found)
    assert found[0]["metadata"] == {HARD: HARD, "n": 2**53, "x": 1e-9}
    assert store.search(turned(4)[3], 9, frozenset({names[0]})).rows.tolist() == [1]


# Many vectors


@trained
def test_what_is_found_has_its_true_score_and_enough_is_found(opened: Opened, stored: Stored) -> None:
    (vectors, queries), hits, wanted = clustered(), 0, 0
    store = opened()
    store.build(vectors, lettered(2000))
    for number, query in enumerate(queries):
        depth = (1, 10, 60)[number % 3]
        expected = reference(vectors, stored.vector_type, query, range(2000))
        check(store.search(query, depth), expected, depth, stored)
        ten = set(store.search(query, 10).rows.tolist())
        best = sorted(expected, key=lambda row: -expected[row])[:10]
        last = expected[best[-1]]
        wanted += 10
        # Of rows that tie with the tenth, any will do.
        hits += min(10, sum(expected[row] >= last for row in ten))
    assert hits / wanted >= stored.recall


@trained
def test_searching_some_documents_changes_no_score(opened: Opened, stored: Stored) -> None:
    vectors, queries = clustered()
    store = opened()
    store.build(vectors, lettered(2000))
    for documents, rows in (("a", range(0, 2000, 8)), ("bc", [r for r in range(2000) if r % 8 in (1, 2)])):
        for query in queries[::8]:
            expected = reference(vectors, stored.vector_type, query, rows)
            some = store.search(query, 5, frozenset(documents))
            check(some, expected, 5, stored)
            assert len(some.rows) >= 5 or stored.recall < 1
            everything = store.search(query, 2000)
            scores = dict(zip(everything.rows.tolist(), everything.scores.tolist(), strict=True))
            assert [scores.get(row, score) for row, score in zip(*map(list, some), strict=True)] == list(
                some.scores
            )
    assert len(store.search(queries[0], 5, frozenset("a")).rows) > 0


@trained
def test_a_deeper_list_begins_with_the_same_chunks(opened: Opened, stored: Stored) -> None:
    vectors, queries = clustered()
    store = opened()
    store.build(vectors, lettered(2000))
    for query in queries[::10]:
        for documents in (None, frozenset("abc")):
            before = store.search(query, 5, documents)
            for depth in (20, 80, 300, 2000):
                found = store.search(query, depth, documents)
                pairs = dict(zip(found.rows.tolist(), found.scores.tolist(), strict=True))
                held = dict(zip(before.rows.tolist(), before.scores.tolist(), strict=True))
                assert {row: pairs.get(row) for row in held} == held
                if held:
                    others = [score for row, score in pairs.items() if row not in held]
                    assert max(others, default=-1.0) < min(held.values())
                before = found


@trained
def test_eight_threads_find_what_one_does(opened: Opened, stored: Stored) -> None:
    vectors, queries = clustered()
    store = opened()
    store.build(vectors, lettered(2000))
    asked = [
        (query, 10, frozenset("ab") if number % 2 else None) for number, query in enumerate([*queries] * 4)
    ]
    alone = [store.search(*one) for one in asked]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda one: store.search(*one), asked))
    for one, other in zip(alone, together, strict=True):
        assert dict(zip(*map(list, one), strict=True)) == dict(zip(*map(list, other), strict=True))


@trained
def test_the_same_vectors_give_the_same_index(opened: Opened) -> None:
    vectors, queries = clustered()
    one, other = opened(), opened()
    for store in (one, other):
        store.build(vectors, lettered(2000))
    for query in queries[::5]:
        first, second = one.search(query, 10), other.search(query, 10)
        assert dict(zip(*map(list, first), strict=True)) == dict(zip(*map(list, second), strict=True))


@trained
def test_of_a_document_that_was_replaced_nothing_is_left(opened: Opened, stored: Stored) -> None:
    (vectors, queries), none = clustered(), np.zeros((0, 32), dtype=np.float32)
    store = opened()
    store.build(vectors, lettered(2000))
    before = store.stored()
    kept = [row for row in range(2000) if row % 8]
    scores = [dict(zip(*map(list, store.search(query, 100)), strict=True)) for query in queries[:3]]
    store.replace_document("a", none, [])
    after = store.stored()
    assert after.vectors == before.vectors * 7 // 8
    assert after.text == before.text * 7 // 8
    assert after.on_disk < before.on_disk
    assert [one["start"] for one in store.payloads()] == kept
    assert len(store.search(queries[0], 9, frozenset("a")).rows) == 0
    for query, held in zip(queries[:3], scores, strict=True):
        found = store.search(query, 60)
        assert set(found.rows.tolist()) <= set(range(1750))
        for row, score in zip(*map(list, found), strict=True):
            assert held.get(kept[row], score) == pytest.approx(score, abs=stored.error)
    store.replace_document("a", vectors[::8], [chunk("a", i, i + 1) for i in range(0, 2000, 8)])
    again = store.stored()
    assert (again.vectors, again.text, again.metadata) == (before.vectors, before.text, before.metadata)
    expected = reference(vectors, stored.vector_type, queries[1], range(2000))
    moved = {at: expected[row] for at, row in enumerate([*kept, *range(0, 2000, 8)])}
    check(store.search(queries[1], 10), moved, 10, stored)
