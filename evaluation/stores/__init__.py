"""Where vectors lie and are searched. One file a store; STORES says which there are."""

from __future__ import annotations

from evaluation.stores.exact import Exact
from evaluation.stores.faiss import Faiss
from evaluation.stores.lancedb import LanceDB
from evaluation.stores.pgvector import PgVector
from evaluation.stores.store import Found, Rows, Similarity, Store, StoreError, VectorStore, VectorType

__all__ = [
    "EXACT",
    "STORES",
    "Found",
    "Rows",
    "Similarity",
    "Store",
    "StoreError",
    "VectorStore",
    "VectorType",
]

STORES: dict[str, type[Store]] = {"exact": Exact, "faiss": Faiss, "lancedb": LanceDB, "pgvector": PgVector}
"""Every store, by the word that a sweep file uses."""

EXACT = Exact()
"""The store of a sweep that names none."""
