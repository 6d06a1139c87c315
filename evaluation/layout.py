"""Where the chunks of one configuration lie: which text is in the index, and in which pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strategies.document import Chunk
from strategies.spans import Range

Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Placed:
    """Ranges of one document, sorted by start, then end. They may overlap and nest."""

    starts: Positions
    ends: Positions
    rows: Positions
    """Row of the (first) chunk that each range belongs to."""
    reach: Positions
    """Largest end so far: never decreasing, so it can be searched where `ends` cannot."""

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int, int]]) -> Placed:
        """Place (start, end, row) triples."""
        table = np.array(sorted(ranges), dtype=np.int64).reshape(-1, 3)
        starts, ends, rows = np.ascontiguousarray(table.T)
        return cls(starts, ends, rows, np.maximum.accumulate(ends))

    def overlapping(self, start: int, end: int) -> Placed:
        """Those that share at least one character with a range."""
        first, past = self.reach.searchsorted(start, "right"), self.starts.searchsorted(end, "left")
        window = slice(first, max(first, past))
        inside = self.ends[window] > start
        if inside.all():
            return Placed(self.starts[window], self.ends[window], self.rows[window], self.reach[window])
        kept = (column[window][inside] for column in (self.starts, self.ends, self.rows, self.reach))
        return Placed(*kept)

    @property
    def ranges(self) -> list[Range]:
        """The ranges as pairs."""
        return list(zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.starts)


NOWHERE = Placed.of([])


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the chunks of one configuration lie, by document."""

    returned: Mapping[str, Placed]
    """The distinct ranges that a reader can be handed."""
    embedded: Mapping[str, Placed]
    """The chunks' own ranges, one a chunk: the text behind each vector."""

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> Layout:
        """Place all chunks of an index; a chunk's row is its position in the sequence."""
        returned: dict[str, dict[tuple[int, int], int]] = {}
        embedded: dict[str, list[tuple[int, int, int]]] = {}
        for row, chunk in enumerate(chunks):
            returned.setdefault(chunk.document_id, {}).setdefault(chunk.returned, row)
            embedded.setdefault(chunk.document_id, []).append((chunk.start, chunk.end, row))
        return cls(
            {
                document: Placed.of((start, end, row) for (start, end), row in ranges.items())
                for document, ranges in returned.items()
            },
            {document: Placed.of(ranges) for document, ranges in embedded.items()},
        )

    def overlapping(self, document: str, start: int, end: int) -> Placed:
        """The distinct returned ranges that share at least one character with a range of a document."""
        return self.returned.get(document, NOWHERE).overlapping(start, end)
