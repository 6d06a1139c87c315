"""Chunks of a run, and what each question retrieved of them: kept small in a record, whole in a table.

A record holds for each question the rows of its hits in the chunk list. That list says where they lie and how
they begin, and the list of documents what is known about the document: each of these is written once, however
many questions retrieve it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from experiments.records import Row, RunRecord
from strategies.document import Chunk, Document

if TYPE_CHECKING:
    from evaluation.evaluate import Retrieved

TEXT_CHARACTERS = 200
"""Of the text that a hit returns, as many are shown."""


def chunk_rows(
    chunks: Sequence[Chunk], retrieved: Iterable[Retrieved], documents: Iterable[Document]
) -> tuple[Row, ...]:
    """The chunk list; a chunk that a question retrieved is shown with how its text begins."""
    texts = {document.id: document.text for document in documents}
    shown = {hit.chunk for found in retrieved for hit in found.hits}
    return tuple(
        chunk_row(chunk)
        | ({"text": beginning(texts[chunk.document_id], *chunk.returned)} if row in shown else {})
        for row, chunk in enumerate(chunks)
    )


def chunk_row(chunk: Chunk) -> Row:
    """A chunk as a line of the chunk list: where it lies, not its text."""
    row: Row = {
        "document": chunk.document_id,
        "index": chunk.index,
        "start": chunk.start,
        "end": chunk.end,
        "tokens": chunk.tokens,
    }
    if chunk.section:
        row["section"] = list(chunk.section)
    if chunk.page is not None:
        row["page"] = chunk.page
    if chunk.oversize:
        row["oversize"] = True
    if chunk.returned != (chunk.start, chunk.end):
        row["returned"] = list(chunk.returned)
    if chunk.embedded_text != chunk.text:
        row["embedded_prefix"] = chunk.embedded_text.removesuffix(chunk.text)
    return row


def beginning(text: str, start: int, end: int) -> str:
    """How a range of a text begins, on one line.

    >>> beginning("  # Gate\\n\\nThe north gate", 2, 13)
    '# Gate The'
    """
    words = " ".join(text[start : min(end, start + 4 * TEXT_CHARACTERS)].split())
    return words if len(words) <= TEXT_CHARACTERS else f"{words[: TEXT_CHARACTERS - 3]}..."


def retrieved_rows(retrieved: Iterable[Retrieved]) -> tuple[Row, ...]:
    """One row a question: by rank, its hits as rows of the chunk list, their scores; the relevant ranks."""
    return tuple(
        {
            "question_id": found.question_id,
            "chunks": [hit.chunk for hit in found.hits],
            "scores": [hit.score for hit in found.hits],
            "relevant": [rank for rank, relevant in enumerate(found.relevant, start=1) if relevant],
        }
        for found in retrieved
    )


def document_rows(documents: Iterable[Document]) -> tuple[Row, ...]:
    """One row a document of which something is known."""
    return tuple(
        {"document": document.id, "metadata": dict(document.metadata)}
        for document in documents
        if document.metadata
    )


def with_metadata(record: RunRecord) -> Iterator[Row]:
    """The chunk list, each chunk with the metadata of its document."""
    known = _metadata(record)
    for chunk in record.chunks:
        about = known.get(chunk.get("document", ""))
        yield chunk if about is None else {**chunk, "metadata": about}


def hits(record: RunRecord) -> Iterator[Row]:
    """What each question retrieved, one row a hit; a question that retrieved nothing keeps one row.

    `start` and `end` are those of the text that is returned; `chunk` is the chunk's index in its document.
    """
    known = _metadata(record)
    asked = {row.get("question_id"): row for row in record.questions}
    for found in record.retrieved:
        row = asked.get(found["question_id"], {})
        question = {
            "question_id": found["question_id"],
            "question": row.get("question"),
            "synthetic": row.get("synthetic") or None,
        }
        if not found["chunks"]:
            yield question
        for rank, (place, score) in enumerate(zip(found["chunks"], found["scores"], strict=True), start=1):
            chunk = record.chunks[place]
            start, end = chunk.get("returned", (chunk["start"], chunk["end"]))
            yield {
                **question,
                "rank": rank,
                "score": score,
                "relevant": rank in found["relevant"],
                "document": chunk["document"],
                "start": start,
                "end": end,
                "chunk": chunk["index"],
                "section": " > ".join(chunk.get("section", ())) or None,
                "page": chunk.get("page"),
                "metadata": known.get(chunk["document"]),
                "text": chunk.get("text"),
            }


def _metadata(record: RunRecord) -> Mapping[str, Any]:
    return {row["document"]: row["metadata"] for row in record.documents}
