"""Late chunking (Günther et al. 2024, arXiv:2409.04701): the whole text is embedded, then cut.

The model reads a document in windows as long as it takes, and gives one vector a token, each made in
sight of the window around it. A chunk's vector is the mean over its tokens, scaled to unit length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluation.embedding import unit_rows
from evaluation.embedding_desk import Embedded, EmbeddingDesk
from evaluation.token_cache import WindowTokens
from evaluation.token_desk import TokenDesk
from evaluation.windows import LEAST_TOKENS, Window, room, windows
from strategies.document import Chunk, Document
from strategies.encodings import replace_surrogates
from strategies.errors import refuse
from strategies.strategy import Vectors


class Late:
    """Pools the token vectors of a document for each of its chunks; every window is embedded once."""

    limit_tokens = None
    """Windows keep to the model's limit, so nothing of a chunk is cut off, however long it is."""

    def __init__(self, desk: EmbeddingDesk) -> None:
        """Raises BadInput where the embedder cannot give vectors of tokens, or leaves them no room."""
        embedder = desk.embedder
        direct = "Use vectors: direct, or another embedder"
        if why := embedder.lacks_token_vectors():
            raise refuse("vectors", f"late vectors need vectors of tokens, but {embedder.name} {why}", direct)
        if room(embedder) < LEAST_TOKENS:
            what = f"late vectors need windows of at least {LEAST_TOKENS} tokens, but {embedder.name} "
            what += (
                f"takes {embedder.limit_tokens}, of which prompt and special tokens leave {room(embedder)}"
            )
            raise refuse("vectors", what, direct)
        self.desk = TokenDesk(embedder, desk.folder)
        self._cut: dict[str, tuple[Window, ...]] = {}

    def texts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """The document's windows, whatever its chunks; none where it has no chunks."""
        text = replace_surrogates(document.text)
        return [text[window.start : window.end] for window in self._windows(text)] if chunks else []

    def vectors(self, document: Document, chunks: Sequence[Chunk]) -> Embedded:
        """One pooled vector a chunk. The cost of all windows is shared out by the chunks' lengths.

        A document in which the model finds no token gives zero vectors, which are like no question.
        """
        found = self.desk.vectors(self.texts(document, chunks), "passage")
        cut = self._windows(replace_surrogates(document.text)) if chunks else ()
        token_vectors, starts = _joined(cut, found)
        if not len(starts):
            token_vectors = np.zeros((0, self.desk.embedder.dim), np.float32)
        spans = np.array([(chunk.start, chunk.end) for chunk in chunks], dtype=np.int64).reshape(-1, 2)
        lengths = np.array([len(chunk.embedded_text) for chunk in chunks], dtype=np.int64)
        shares = np.append(0, np.cumsum(lengths)) / max(1, int(lengths.sum()))
        spent, ms = sum(tokens.tokens for tokens in found), sum(tokens.embed_ms for tokens in found)
        until = np.rint(shares * spent).astype(np.int64)
        return Embedded(
            vectors=pool(token_vectors, starts, spans),
            tokens=until[1:] - until[:-1],
            seen_characters=lengths,
            embed_ms=(shares[1:] - shares[:-1]) * ms,
            same_machine=all(tokens.machine == self.desk.machine for tokens in found),
            windows=len(found),
        )

    def _windows(self, text: str) -> tuple[Window, ...]:
        if text not in self._cut:
            self._cut[text] = windows(text, self.desk.embedder)
        return self._cut[text]


def _joined(cut: Sequence[Window], found: Sequence[WindowTokens]) -> tuple[Vectors, npt.NDArray[np.int64]]:
    """The document's token vectors and where its tokens start, each token from the window that is its own."""
    vectors: list[Vectors] = [np.zeros((0, 0), np.float32)]
    starts = [np.zeros(0, np.int64)]
    for window, tokens in zip(cut, found, strict=True):
        places = tokens.starts + window.start
        low, high = np.searchsorted(places, [window.first, window.last])
        if low < high:
            vectors.append(tokens.vectors[low:high])
            starts.append(places[low:high])
    return np.concatenate(vectors[1:] or vectors), np.concatenate(starts)


def pool(vectors: Vectors, starts: npt.NDArray[np.int64], spans: npt.NDArray[np.int64]) -> Vectors:
    """Unit vectors of spans: for each, the mean of the tokens that start inside it.

    `vectors` has shape (n_tokens, dim), `starts` (n_tokens,) never decreases, `spans` has shape (n, 2), start
    and end; the result shape (n, dim). A span in which no token starts takes the token that covers its
    start, or the first one where none starts before it. Without tokens all are zero.

    >>> vectors, starts = np.float32([[1, 0], [0, 1], [0, 3]]), np.array([0, 4, 6])
    >>> pool(vectors, starts, np.array([[0, 5], [4, 9], [5, 6]])).tolist()
    [[0.7071067690849304, 0.7071067690849304], [0.0, 1.0], [0.0, 1.0]]
    """
    if not len(starts):
        return np.zeros((len(spans), vectors.shape[1]), np.float32)
    bounds = np.searchsorted(starts, spans)
    rows = np.unique(bounds)
    rows = rows[rows < len(starts)]
    # Sums between neighbouring bounds, then from the first bound to each: no array of doubles is as long
    # as the document. The length of a sum does not matter, since rows are scaled.
    sums = np.zeros((len(rows) + 1, vectors.shape[1]))
    if len(rows):
        np.cumsum(np.add.reduceat(vectors, rows, axis=0, dtype=np.float64), axis=0, out=sums[1:])
    first, last = np.searchsorted(rows, bounds).T
    pooled = sums[last] - sums[first]
    bare = bounds[:, 0] >= bounds[:, 1]
    covering = np.searchsorted(starts, spans[bare, 0], side="right") - 1
    pooled[bare] = vectors[np.maximum(covering, 0)]
    return unit_rows(pooled)
