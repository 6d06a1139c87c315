"""By words: Okapi BM25 as Lucene computes it (Robertson and Zaragoza 2009; Kamphuis et al. 2020).

A chunk's score is the sum, over the words of the question, each as often as it stands there, of

    ln(1 + (N - n + 0.5) / (n + 0.5)) * f / (f + k1 * (1 - b + b * length / mean length))

with f how often the word stands in what is embedded of the chunk, length how many words that has, n the
chunks that hold the word, and N all chunks of the index.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.footprint import StoredBytes
from evaluation.ranking.ranker import Query
from evaluation.stores.nearest import best, nothing, rounded
from evaluation.stores.payloads import Payloads
from evaluation.stores.store import Found
from evaluation.words import words
from strategies.document import Chunk
from strategies.strategy import Vectors

K1, B = 1.5, 0.75
"""How soon more of a word stops to count, and how much a chunk's length does: the library's defaults."""

__all__ = ["BM25", "words"]


class BM25:
    """The chunks that share words with the question; those that share none are not found."""

    def __init__(self, folder: Path) -> None:
        """`folder`: empty; it holds what is measured."""
        import bm25s

        self._library = bm25s  # loaded before anything is timed
        self._folder = folder
        self._payloads = Payloads(folder)
        self._index: Any = None
        self._vocabulary: dict[str, int] = {}

    def build(self, vectors: Vectors, chunks: Sequence[Chunk]) -> None:
        """Index what is embedded of the chunks; vectors are not looked at."""
        self._payloads.take(chunks)
        texts = [words(chunk.embedded_text) for chunk in chunks]
        # Sorted, so that the index is the same in every process.
        self._vocabulary = {
            word: n for n, word in enumerate(sorted({word for text in texts for word in text}))
        }
        ids = [[self._vocabulary[word] for word in text] for text in texts]
        self._index = None
        if self._vocabulary:
            logging.getLogger("bm25s").setLevel(logging.WARNING)  # it asks for every line of its own
            self._index = self._library.BM25(k1=K1, b=B, method="lucene", backend="numpy")
            self._index.index((ids, self._vocabulary), create_empty_token=False, show_progress=False)
            # Stored as float32, summed as float64: the order of words changes no sum, and no tie is lost.
            self._index.dtype = "float64"

    def search(self, query: Query, depth: int, documents: frozenset[str] | None = None) -> Found:
        """All scores, then the best. Documents that are not asked for still count in how rare a word is."""
        asked = [self._vocabulary[word] for word in words(query.text) if word in self._vocabulary]
        if depth < 1 or not asked:
            return nothing()
        scores = self._index.get_scores_from_ids(asked)
        rows = np.flatnonzero(scores) if documents is None else self._payloads.rows_of(documents)
        rows = rows[scores[rows] > 0]
        return best(rows, rounded(scores[rows]), depth)

    def stored(self) -> StoredBytes:
        """The index as the library saves it, beside texts and metadata."""
        index, (text, metadata) = self.save_index(), self._payloads.write()
        return StoredBytes(0, index, text, metadata, on_disk=index + text + metadata)

    def save_index(self) -> int:
        """Bytes of the files of the index alone, written and measured."""
        if self._index is None:
            return 0
        folder = self._folder / "words"
        self._index.save(folder, show_progress=False)
        return sum(path.stat().st_size for path in folder.iterdir())

    def close(self) -> None:
        """Nothing is open."""
