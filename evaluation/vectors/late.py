"""Late chunking (Günther et al. 2024, arXiv:2409.04701): the whole text is embedded, then cut.

The model reads a document in windows as long as it takes, and gives one vector a token, each made in
sight of the window around it. A chunk's vector is the mean over its tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.embedding import finite_rows
from evaluation.embedding_desk import Embedded, EmbeddingDesk
from evaluation.token_desk import TokenDesk
from evaluation.windows import LEAST_TOKENS, Window, room, windows
from strategies.document import Chunk, Document
from strategies.errors import refuse
from strategies.strategy import Vectors
from strategies.units.encodings import replace_surrogates

_AT_ONCE = 32
"""Windows whose token vectors are held in memory."""

Starts = npt.NDArray[np.int64]
"""Code points of a document at which tokens start; never decreasing."""


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
        spent = _Spent()
        spans = np.array([(chunk.start, chunk.end) for chunk in chunks], dtype=np.int64).reshape(-1, 2)
        pooled = pool(self._tokens(document, spent) if chunks else (), spans)
        lengths = np.array([len(chunk.embedded_text) for chunk in chunks], dtype=np.int64)
        shares = np.append(0, np.cumsum(lengths)) / max(1, int(lengths.sum()))
        until = np.rint(shares * spent.tokens).astype(np.int64)
        return Embedded(
            vectors=np.zeros((len(chunks), self.desk.embedder.dim), np.float32) if pooled is None else pooled,
            tokens=until[1:] - until[:-1],
            seen_characters=lengths,
            embed_ms=(shares[1:] - shares[:-1]) * spent.embed_ms,
            same_machine=spent.same_machine,
            windows=spent.windows,
        )

    def _tokens(self, document: Document, spent: _Spent) -> Iterator[tuple[Vectors, Starts]]:
        """The document's token vectors and starts, each token from the window that is its own."""
        text = replace_surrogates(document.text)
        cut = self._windows(text)
        for at in range(0, len(cut), _AT_ONCE):
            some = cut[at : at + _AT_ONCE]
            found = self.desk.vectors([text[window.start : window.end] for window in some], "passage")
            for window, tokens in zip(some, found, strict=True):
                spent.windows += 1
                spent.tokens += tokens.tokens
                spent.embed_ms += tokens.embed_ms
                spent.same_machine &= tokens.machine == self.desk.machine
                starts = tokens.starts + window.start
                low, high = np.searchsorted(starts, [window.first, window.last])
                yield tokens.vectors[low:high], starts[low:high]

    def _windows(self, text: str) -> tuple[Window, ...]:
        if text not in self._cut:
            self._cut[text] = windows(text, self.desk.embedder)
        return self._cut[text]


@dataclass(slots=True)
class _Spent:
    """What the windows of a document cost when they were embedded."""

    windows: int = 0
    tokens: int = 0
    embed_ms: float = 0.0
    same_machine: bool = True


def pool(parts: Iterable[tuple[Vectors, Starts]], spans: npt.NDArray[np.int64]) -> Vectors | None:
    """Vectors of spans: for each, the mean of the tokens that start inside it.

    `parts` are token vectors, shape (n_tokens, dim), and their starts, in the order of the text; `spans` has
    shape (n, 2), start and end. The result has shape (n, dim). A span in which no token starts takes
    the token that covers its start, or the first one where none starts before it. None without tokens.

    >>> vectors, starts = np.float32([[1, 0], [0, 1], [0, 3]]), np.array([0, 4, 6])
    >>> pool([(vectors, starts)], np.array([[0, 5], [4, 9], [5, 6]])).tolist()
    [[0.5, 0.5], [0.0, 2.0], [0.0, 1.0]]
    """
    # Borders of spans part the tokens into segments; segment i ends at border i. Memory holds the sum
    # of each segment, how many its tokens are, and the last, not the tokens.
    borders = np.unique(spans)
    sums: npt.NDArray[np.float64] | None = None
    counts = np.zeros(len(borders) + 1, dtype=np.int64)
    for vectors, starts in parts:
        if not len(starts):
            continue
        if sums is None:
            first = vectors[0].copy()
            sums = np.zeros((len(counts), vectors.shape[1]))
            lasts = np.zeros(sums.shape, dtype=np.float32)
        segments = np.searchsorted(borders, starts, side="right")
        begins = np.flatnonzero(np.diff(segments, prepend=-1))
        ends = np.append(begins[1:], len(starts))
        sums[segments[begins]] += np.add.reduceat(vectors, begins, axis=0, dtype=np.float64)
        lasts[segments[begins]] = vectors[ends - 1]
        counts[segments[begins]] += np.diff(begins, append=len(starts))
    if sums is None:
        return None
    low, high = np.searchsorted(borders, spans).T
    upto, started = np.cumsum(sums, axis=0), np.cumsum(counts)
    inside = started[high] - started[low]
    pooled = (upto[high] - upto[low]) / np.maximum(inside, 1)[:, None]
    bare = inside == 0
    held = np.maximum.accumulate(np.where(counts > 0, np.arange(len(counts)), -1))[low]
    pooled[bare] = np.where((held >= 0)[bare, None], lasts[held[bare]], first)
    return finite_rows(pooled)
