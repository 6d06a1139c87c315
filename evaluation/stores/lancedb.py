"""LanceDB: an embedded database, whose tables are files of the store's folder."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from evaluation.footprint import StoredBytes, as_bytes, as_text, folder_bytes, metadata_line
from evaluation.stores.nearest import Scores, nothing, rounded
from evaluation.stores.payloads import check_numbers
from evaluation.stores.quantising import fitted
from evaluation.stores.row_ids import RowIds
from evaluation.stores.store import Found, Rows, Similarity, Store, StoreError, VectorType, settle_index
from evaluation.stores.ties import climbing, with_ties
from strategies.document import Chunk
from strategies.errors import Problem
from strategies.parameters import settle
from strategies.sizes import within
from strategies.strategy import Vectors, parameter

IVF = ("ivf_flat", "ivf_sq", "ivf_pq", "ivf_rq", "ivf_hnsw_flat", "ivf_hnsw_sq", "ivf_hnsw_pq")
"""Indexes of vectors: each parts them, and holds them whole or in fewer bits, with or without graphs."""

GRAPHS = tuple(index for index in IVF if "hnsw" in index)
PRODUCT = tuple(index for index in IVF if index.endswith("pq"))

TRAINED_ON = 256
"""Vectors that LanceDB wants for each partition."""

USED_BY = {
    "num_partitions": (IVF, None),
    "nprobes": (IVF, 20),
    "num_sub_vectors": (PRODUCT, None),
    "m": (GRAPHS, 20),
    "ef_construction": (GRAPHS, 300),
    "candidates": (IVF, 100),
}
"""Parameter -> the indexes that use it, and its value there unless said."""

_UINT32 = 2**32 - 1
"""LanceDB counts in 32 bits."""
_LINKS = 2048
"""LanceDB takes more, but they would weigh more than any vector. Below 4 it makes no graph."""
_CANDIDATES = 1_000_000
"""LanceDB makes room for them all: for some thousand million it ends the process for lack of memory."""

_SOURCE = re.compile(r",?\s*(?:\bat\s+)?[\w.~/\\:-]*[/\\][\w./\\-]+\.rs(?::\d+)+")
"""Where in its own source LanceDB found an error, as its messages tell."""

TABLE, VECTOR = "chunks", "vector"


@dataclass(frozen=True, slots=True)
class LanceDB(Store):
    """A table of LanceDB on disk, searched row by row or through one of its indexes."""

    name: ClassVar[str] = "lancedb"
    vector_types: ClassVar[tuple[VectorType, ...]] = ("float32", "float16", "binary")
    extra: ClassVar[str | None] = "lancedb"
    packages: ClassVar[tuple[str, ...]] = ("lancedb",)
    distributions: ClassVar[tuple[str, ...]] = ("lancedb",)

    index: Literal[
        "none", "ivf_flat", "ivf_sq", "ivf_pq", "ivf_rq", "ivf_hnsw_flat", "ivf_hnsw_sq", "ivf_hnsw_pq"
    ] = parameter("index of vectors; none compares every row", default="none")
    num_partitions: int | None = parameter(
        f"parts of an ivf index, at most one for {TRAINED_ON} rows; LanceDB's own choice unless said",
        default=None,
        check=within(1, _UINT32),
    )
    nprobes: int | None = parameter(
        "parts that are searched, more where a filter leaves too little; 20 unless said",
        default=None,
        check=within(1, _UINT32),
    )
    num_sub_vectors: int | None = parameter(
        "bytes that ivf_pq and ivf_hnsw_pq make of a vector; a 16th of its dimensions unless said",
        default=None,
        check=within(1, _UINT32),
    )
    m: int | None = parameter(
        "neighbours of a vector in an hnsw graph; 20 unless said", default=None, check=within(4, _LINKS)
    )
    ef_construction: int | None = parameter(
        "candidates while an hnsw graph is built; 300 unless said", default=None, check=within(1, _CANDIDATES)
    )
    candidates: int | None = parameter(
        "rows that an index is asked for, however few hits are wanted, and whose whole vectors are compared; "
        "100 unless said",
        default=None,
        check=within(1, _CANDIDATES),
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem. What LanceDB would choose is written down where it is fixed."""
        settle(self, self._between)

    def _between(self, known: set[str]) -> Iterator[Problem]:
        if "index" in known:
            return
        yield from settle_index(self, USED_BY, known)
        if self.index in GRAPHS and not known & {"m", "ef_construction"}:
            links, looked_at = self.m or 0, self.ef_construction or 0
            if looked_at < links:
                what = f"is {looked_at}, less than m: {links}"
                yield Problem("ef_construction", what, f"Use {links} or more, or a smaller m")

    def unfit(self, vector_type: VectorType, metric: Similarity) -> tuple[str, str] | None:
        """Signs are compared row by row, or in ivf_flat."""
        if vector_type == "binary" and self.index not in ("none", "ivf_flat"):
            return f"{self.index} of lancedb holds no binary", "Use index none or ivf_flat"
        return Store.unfit(self, vector_type, metric)

    @property
    def varies(self) -> bool:
        """Centres of parts, codebooks and graphs are drawn at random, which no setting fixes."""
        return self.index != "none"

    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> LanceDBStore:
        """A database in the folder; its table is made when there are rows."""
        return LanceDBStore(self, folder, vector_type, metric)


class LanceDBStore:
    """One table: an id, the vector, and what lies beside it as bytes."""

    def __init__(self, store: LanceDB, folder: Path, vector_type: VectorType, metric: Similarity) -> None:
        # Its log on the error stream tells of a new table as a warning; what fails is raised as well.
        os.environ.setdefault("LANCEDB_LOG", "error")
        import lancedb

        self._store, self._folder, self._vector_type = store, folder, vector_type
        # Row by row, the cosine of unit vectors is their dot product, and a vector of zeros has one too.
        self._distance: str = metric if store.index != "none" else "dot"
        if vector_type == "binary":
            self._distance = "hamming"
        self._ids = RowIds()
        self._database: Any = lancedb.connect(folder)
        self._table: Any = None

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Write the table in one piece, then its index."""
        check_numbers(vectors, chunks)
        self._ids = RowIds()
        if not chunks:
            return
        self._quantiser = fitted(vectors, self._vector_type)
        with _told():
            rows = self._rows(vectors, chunks)
            self._table = self._database.create_table(TABLE, rows, mode="overwrite")
            if self._store.index != "none":
                self._table.create_index(VECTOR, config=self._index_config(len(chunks)))
                if not self._index_bytes:  # what LanceDB does with fewer vectors than it learns codes from
                    what = f"LanceDB makes no {self._store.index} index of {len(chunks):,} chunks"
                    raise StoreError(f"{what}: use index: none, or another one, or more chunks")

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        """What LanceDB finds, with the distances that it computed."""
        n = len(self._ids) if documents is None else self._ids.count(documents)
        if depth < 1 or not n:
            return nothing()
        where = "" if documents is None else _among(self._ids.known(documents))

        def nearest(limit: int) -> tuple[Rows, Scores]:
            return self._nearest(query, limit, where)

        if self._store.candidates is None:
            return with_ties(nearest, depth, n)
        return climbing(nearest, depth, self._store.candidates, n)

    def replace_document(self, document: str, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Delete and add, then `optimize`: what is new joins the index as LanceDB sees fit."""
        check_numbers(vectors, chunks)
        if not len(self._ids):
            self.build(vectors, chunks)
            return
        with _told():
            if self._ids.remove(document):
                self._table.delete(_among([document]))
            if chunks:
                self._table.add(self._rows(vectors, chunks))
            # It compacts, removes what is old, and indexes what is new, which makes an index old: so twice.
            for _ in range(2):
                self._table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)

    def stored(self) -> StoredBytes:
        """Text and metadata in UTF-8, before LanceDB encodes them: `on_disk` is what they take there."""
        beside = self._beside()
        text, metadata = (
            sum(map(len, beside[name].to_pylist())) if beside else 0 for name in ("text", "payload")
        )
        return StoredBytes(
            vectors=len(self._ids) * self._code_bytes,
            index=self._index_bytes,
            text=text,
            metadata=metadata,
            on_disk=folder_bytes(self._folder),
        )

    def payloads(self) -> list[dict[str, Any]]:
        """Read from the table."""
        beside = self._beside()
        if beside is None:
            return []
        pairs = zip(beside["payload"].to_pylist(), beside["text"].to_pylist(), strict=True)
        return [{**json.loads(as_text(payload)), "text": as_text(text)} for payload, text in pairs]

    def close(self) -> None:
        """Let go of table and database. LanceDB's idle threads are the process's, and stay with it."""
        self._table = self._database = None

    @property
    def _index_bytes(self) -> int:
        """Bytes of index files; 0 where there is no index."""
        return sum(folder_bytes(folder) for folder in self._folder.rglob("_indices"))

    @property
    def _code_bytes(self) -> int:
        """Bytes of a vector; 0 where none was stored."""
        if self._table is None:
            return 0
        field = self._table.schema.field(VECTOR).type
        return int(field.list_size * field.value_type.bit_width // 8)

    def _beside(self) -> Any:
        """What lies beside the vectors, an Arrow table in order of rows; None where nothing is stored."""
        if not len(self._ids):
            return None
        request = self._table.search().select(["id", "payload", "text"]).limit(len(self._ids))
        return request.to_arrow().sort_by("id")

    def _rows(self, vectors: Vectors, chunks: Sequence[Chunk]) -> Any:
        """An Arrow table of new rows, which get their ids."""
        import pyarrow

        codes = self._quantiser.encode(vectors)
        numbers = pyarrow.array(codes.reshape(-1))
        columns = {
            "document": [as_bytes(chunk.document_id) for chunk in chunks],
            "payload": [as_bytes(metadata_line(chunk)) for chunk in chunks],
            "text": [as_bytes(chunk.text) for chunk in chunks],
        }
        return pyarrow.table(
            {
                "id": pyarrow.array(self._ids.add([chunk.document_id for chunk in chunks])),
                VECTOR: pyarrow.FixedSizeListArray.from_arrays(numbers, codes.shape[1]),
                **{name: pyarrow.array(column, pyarrow.binary()) for name, column in columns.items()},
            }
        )

    def _index_config(self, n: int) -> Any:
        """As LanceDB is told."""
        from lancedb import index

        classes = {
            "ivf_flat": index.IvfFlat,
            "ivf_sq": index.IvfSq,
            "ivf_pq": index.IvfPq,
            "ivf_rq": index.IvfRq,
            "ivf_hnsw_flat": index.HnswFlat,
            "ivf_hnsw_sq": index.HnswSq,
            "ivf_hnsw_pq": index.HnswPq,
        }
        store = self._store
        told = {name: getattr(store, name) for name in ("num_sub_vectors", "m", "ef_construction")}
        if store.num_partitions:
            told["num_partitions"] = max(1, min(store.num_partitions, n // TRAINED_ON))
        told = {name: value for name, value in told.items() if value is not None}
        return classes[store.index](distance_type=self._distance, **told)

    def _nearest(self, query: Vectors, limit: int, where: str) -> tuple[Rows, Scores]:
        """So many rows by LanceDB's own distances, and the similarities that these stand for."""
        store, asked = self._store, query
        if self._distance == "hamming":
            asked = self._quantiser.encode(query[None])[0]
        elif self._distance == "cosine" and not query.any():  # all are as like to nothing: 0
            asked = np.ones_like(query)
        request = self._table.search(asked, vector_column_name=VECTOR, query_type="vector")
        request = request.distance_type(self._distance).limit(limit).select(["id", "_distance"])
        if where:
            request = request.where(where, prefilter=True)
        if store.index != "none":
            request = request.minimum_nprobes(store.nprobes).maximum_nprobes(0)
        if store.index in GRAPHS:
            request = request.ef(limit)
        if store.index not in ("none", "ivf_flat"):
            request = request.refine_factor(1)  # without it, distances are those of fewer bits
        found = request.to_arrow()
        distances = found["_distance"].to_numpy().astype(np.float64)
        return self._ids.rows(found["id"].to_numpy()), rounded(self._scores(distances, query))

    def _scores(self, distances: Scores, query: Vectors) -> Scores:
        """The similarities that distances stand for."""
        if self._distance == "hamming":
            return 1 - 2 * distances / len(query)
        if self._distance == "cosine":  # of unit vectors, were the query one
            return (1 - distances) * np.linalg.norm(query)
        return 1 - distances


def _among(documents: Iterable[str]) -> str:
    """The condition that a row is of one of these documents, whatever letters their names hold."""
    literals = ", ".join(f"X'{as_bytes(name).hex()}'" for name in documents)
    return f"document IN ({literals})"


@contextmanager
def _told() -> Iterator[None]:
    """What LanceDB refuses as a StoreError; no warning that older versions of a table are removed."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="optimize\\(cleanup_older_than=0\\)")
        try:
            yield
        except (RuntimeError, ValueError) as error:
            raise StoreError(f"lancedb: {_SOURCE.sub('', str(error))}") from error
