"""What an index takes on disk, each part apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strategies.document import Chunk


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """Bytes of one configuration's index."""

    vectors: int
    """The numbers alone: chunks x dimensions x bytes a number."""
    index: int
    """What the store adds to find them; 0 for exact search, but for the ranges of `int8`."""
    text: int
    """UTF-8 of every chunk's text; overlap stores it twice."""
    metadata: int
    """Ids, positions, sections, pages and document metadata, as JSON."""
    on_disk: int
    """All files of the real store, measured."""

    @property
    def total(self) -> int:
        """The parts together: what `stored_bytes` reports."""
        return self.vectors + self.index + self.text + self.metadata


def text_bytes(chunks: Sequence[Chunk]) -> int:
    """UTF-8 bytes of the chunks' texts, each counted as often as it is stored."""
    return sum(len(as_bytes(chunk.text)) for chunk in chunks)


def as_bytes(text: str) -> bytes:
    """A text as a database keeps it: UTF-8, in which lone surrogates keep their three bytes."""
    return text.encode("utf-8", "surrogatepass")


def as_text(found: bytes) -> str:
    """What `as_bytes` made bytes of."""
    return bytes(found).decode("utf-8", "surrogatepass")


def payload(chunk: Chunk) -> dict[str, Any]:
    """What a store keeps of a chunk beside vector and text, as plain JSON values; empty ones are left out."""
    fields = {
        "document": chunk.document_id,
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "returned": list(chunk.returned),
        "section": list(chunk.section),
        "page": chunk.page,
        "metadata": dict(chunk.metadata),
    }
    return {key: value for key, value in fields.items() if value not in (None, [], {})}


def metadata_line(chunk: Chunk) -> str:
    """The payload as one line of JSON."""
    return json.dumps(payload(chunk), ensure_ascii=False)


def folder_bytes(folder: Path) -> int:
    """Size of every file under a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
