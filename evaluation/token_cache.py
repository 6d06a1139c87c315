"""Content-addressed token vectors on disk: a window is embedded once for a model, and never again.

One SQLite file a model, beside that of its vectors; one row a window, with 4 bytes a dimension and
token (1.5 kB a token at 384 dimensions).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.vector_cache import sampled_pace
from strategies.cache_file import CacheFile
from strategies.strategy import Vectors

_COLUMNS = {"vectors": "blob", "starts": "blob", "tokens": "integer", "embed_ms": "real", "machine": "text"}

_SAMPLE = 100
"""Windows that tell the pace: each row is read whole."""


class WindowTokens(NamedTuple):
    """What is kept of one window."""

    vectors: Vectors
    """float32, shape (n_tokens, dim), as the model gives them: not scaled. Special tokens and the
    prompt's are left out."""
    starts: npt.NDArray[np.int64]
    """Shape (n_tokens,): code point of the window at which each token starts; never decreases."""
    tokens: int
    """That reached the model, special tokens and prompt included."""
    embed_ms: float
    """Time its embedding took when it was embedded."""
    machine: str
    """Where that was: processor, threads and backend."""


class TokenCache:
    """Token vectors of one model. `path` None keeps them in memory.

    Damage counts as not there. A disk that refuses keeps nothing more: token vectors of a whole sweep
    would not fit into memory, so windows are then embedded again by whoever needs them.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._file = CacheFile(path, "windows", _COLUMNS, spill=False)

    @property
    def writable(self) -> bool:
        """Turns False when the disk refuses a write."""
        return self._file.writable

    def get(self, keys: Iterable[bytes]) -> dict[bytes, WindowTokens]:
        """The windows that are there."""
        found = {}
        for key, (vectors, starts, *others) in self._file.get(keys).items():
            places = np.frombuffer(starts, dtype="<i4").astype(np.int64)
            rows = np.frombuffer(vectors, dtype="<f4")
            found[key] = WindowTokens(
                rows.reshape(len(places), -1) if len(places) else rows.reshape(0, 0), places, *others
            )
        return found

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Which of the keys are there, without reading their vectors."""
        return self._file.known(keys)

    def put(self, windows: Mapping[bytes, WindowTokens]) -> None:
        """Keep windows, all or none."""
        self._file.put(
            {
                key: (
                    np.ascontiguousarray(window.vectors, dtype="<f4").tobytes(),
                    np.asarray(window.starts, dtype="<i4").tobytes(),
                    *window[2:],
                )
                for key, window in windows.items()
            }
        )

    def pace(self, machine: str) -> float | None:
        """Milliseconds a token on this machine, from what was embedded here; None if nothing was."""
        return sampled_pace(self._file, "windows", machine, _SAMPLE)

    def close(self) -> None:
        """Close the file; windows stay."""
        self._file.close()
