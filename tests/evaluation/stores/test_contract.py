"""What every store owes, whatever it is made of: each joins `STORED` as a parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from evaluation.stores import Store, VectorStore, VectorType
from evaluation.stores.exact import Exact
from strategies.document import Chunk, Document, Mark
from strategies.strategy import Vectors


@dataclass(frozen=True)
class Stored:
    """A store with parameters, and what may be expected of it."""

    store: Store
    vector_type: VectorType = "float32"
    approximate: bool = False
    """Its index may miss some of the nearest."""

    def __str__(self) -> str:
        return f"{self.store}-{self.vector_type}"


STORED = (Stored(Exact()),)


@pytest.fixture(params=STORED, ids=str)
def stored(request: pytest.FixtureRequest) -> Stored:
    return request.param  # type: ignore[no-any-return]


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
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.mark.parametrize(("chunks", "depth"), [(0, 10), (3, 10), (3, 3), (3, 1)])
def test_never_pads(opened: Opened, chunks: int, depth: int) -> None:
    store = opened()
    store.build(np.eye(4, dtype=np.float32)[:chunks], [chunk("a", i, i + 1) for i in range(chunks)])
    found = store.search(np.array([1, 0.5, 0.25, 0], dtype=np.float32), depth)
    assert found.rows.tolist() == list(range(min(chunks, depth)))
    assert found.scores.tolist() == [1.0, 0.5, 0.25][: min(chunks, depth)]


def test_documents_that_are_not_there_find_nothing(opened: Opened) -> None:
    store = opened()
    store.build(np.eye(3, dtype=np.float32), [chunk(name, 0, 1) for name in "abc"])
    query = np.array([1, 0, 0], dtype=np.float32)
    assert len(store.search(query, 5, frozenset()).rows) == 0
    assert len(store.search(query, 5, frozenset({"d"})).rows) == 0
    assert store.search(query, 5, frozenset({"b", "d"})).rows.tolist() == [1]


def test_searching_some_documents_changes_no_score(opened: Opened) -> None:
    rng = np.random.default_rng(3)
    vectors, query = unit(*rng.normal(size=(50, 16))), unit(rng.normal(size=16))[0]
    store = opened()
    store.build(vectors, [chunk("abc"[i % 3], i, i + 1) for i in range(50)])
    everything, asked = store.search(query, 50), np.arange(50) % 3 == 0
    some = store.search(query, 50, frozenset("a"))
    assert sorted(some.rows.tolist()) == np.flatnonzero(asked).tolist()
    scores = dict(zip(everything.rows.tolist(), everything.scores.tolist(), strict=True))
    assert [scores[row] for row in some.rows.tolist()] == some.scores.tolist()
    best = store.search(query, 5, frozenset("a"))
    assert sorted(best.scores) == sorted(some.scores)[-5:]


def test_a_changed_document_takes_the_place_of_all_it_had(opened: Opened) -> None:
    store = opened()
    store.build(np.eye(6, dtype=np.float32)[:5], [chunk(name, i, i + 1) for i, name in enumerate("abaca")])
    store.replace_document("a", np.eye(6, dtype=np.float32)[4:], [chunk("a", 50, 51), chunk("a", 60, 61)])
    places = [(one["document"], one["start"]) for one in store.payloads()]
    assert places == [("b", 1), ("c", 3), ("a", 50), ("a", 60)]
    for row, axis in enumerate((1, 3, 4, 5)):
        found = store.search(np.eye(6, dtype=np.float32)[axis], 1)
        assert (found.rows.tolist(), found.scores.tolist()) == ([row], [1.0])
    assert len(store.search(np.eye(6, dtype=np.float32)[0], 9, frozenset("a")).rows) == 2
    store.replace_document("a", np.zeros((0, 6), dtype=np.float32), [])
    store.replace_document("nowhere", np.zeros((0, 6), dtype=np.float32), [])
    assert [one["document"] for one in store.payloads()] == ["b", "c"]
    assert len(store.search(np.eye(6, dtype=np.float32)[0], 9).rows) == 2


def test_stored_bytes_are_those_of_the_parts(opened: Opened) -> None:
    chunks = [chunk("a", 0, 10), chunk("a", 5, 15)]
    store = opened()
    store.build(np.eye(8, dtype=np.float32)[:2], chunks)
    stored = store.stored()
    assert stored.vectors == 2 * 8 * 4
    assert stored.text == 20  # the overlap is stored twice
    assert stored.total == stored.vectors + stored.index + stored.text + stored.metadata
    assert stored.on_disk >= stored.total


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
    store.build(np.eye(5, dtype=np.float32), chunks)
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


def test_an_empty_store_holds_nothing(opened: Opened) -> None:
    store = opened()
    store.build(np.zeros((0, 4), dtype=np.float32), [])
    assert store.payloads() == []


def test_vectors_and_chunks_must_match(opened: Opened) -> None:
    with pytest.raises(ValueError, match="2 vectors for 1 chunks"):
        opened().build(np.eye(2, dtype=np.float32), [chunk("a", 0, 5)])
