"""Which row of a configuration stands for which id of a database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from evaluation.stores.store import Rows


class RowIds:
    """Ids only ever grow, so the row of one is its place among those that are left.

    >>> ids = RowIds()
    >>> ids.add(["a", "b", "a"]).tolist(), ids.remove("a"), ids.add(["c"]).tolist()
    ([0, 1, 2], True, [3])
    >>> ids.rows(np.array([3, 1])).tolist(), ids.count(["b", "c", "elsewhere"]), len(ids)
    ([1, 0], 2, 2)
    """

    def __init__(self) -> None:
        self._ids: Rows = np.zeros(0, dtype=np.int64)
        self._documents: list[str] = []
        self._sizes: Counter[str] = Counter()
        self._next = 0

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, documents: Sequence[str]) -> Rows:
        """New ids for chunks, of each of which the document is told."""
        new = np.arange(self._next, self._next + len(documents), dtype=np.int64)
        self._next += len(documents)
        self._ids = np.concatenate([self._ids, new])
        self._documents += documents
        self._sizes.update(documents)
        return new

    def remove(self, document: str) -> bool:
        """Forget the ids of a document's chunks; whether there were any."""
        kept = [row for row, name in enumerate(self._documents) if name != document]
        self._ids, self._documents = self._ids[kept], [self._documents[row] for row in kept]
        return self._sizes.pop(document, 0) > 0

    def rows(self, ids: Rows) -> Rows:
        """The rows of ids that are left."""
        return np.asarray(np.searchsorted(self._ids, ids), dtype=np.int64)

    def count(self, documents: Iterable[str]) -> int:
        """How many chunks documents have, of which some may not be here."""
        return sum(self._sizes[name] for name in documents)

    def known(self, documents: Iterable[str]) -> list[str]:
        """Those of the documents that have chunks."""
        return [name for name in documents if name in self._sizes]
