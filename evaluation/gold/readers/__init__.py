"""Files of all kinds to documents, one file a reader."""

from __future__ import annotations

from pathlib import PurePosixPath

from evaluation.gold.readers.docx import DOCX
from evaluation.gold.readers.html import HTML, HTML_SOURCE
from evaluation.gold.readers.pdf import PDF
from evaluation.gold.readers.reader import Outcome, Reader, ReadText
from evaluation.gold.readers.rows import ROWS
from evaluation.gold.readers.verbatim import VERBATIM
from evaluation.gold.sources import Choice
from strategies.errors import Problem, brief

READERS: dict[str, Reader] = {
    ".csv": ROWS,
    ".docx": DOCX,
    ".htm": HTML,
    ".html": HTML,
    ".jsonl": ROWS,
    ".ndjson": ROWS,
    ".pdf": PDF,
    ".tsv": ROWS,
}
"""By the suffix of a file in lower case; every other file is `VERBATIM`."""

ALL = (VERBATIM, HTML, HTML_SOURCE, PDF, DOCX, ROWS)
"""In the order in which the page and the report list them."""


def reader_of(name: str, choice: Choice) -> Reader:
    """Who reads a file of that name, as chosen.

    >>> reader_of("Gate.PDF", Choice()).name, reader_of("tickets.csv", Choice()).name
    ('pdf', 'text')
    """
    reader = READERS.get(PurePosixPath(name).suffix.lower(), VERBATIM)
    if reader is HTML and choice.html == "source":
        return HTML_SOURCE
    return VERBATIM if reader is ROWS and choice.rows is None else reader


def read_file(reader: Reader, data: bytes, where: str, choice: Choice, most: int) -> Outcome:
    """What a reader makes of a file; whatever it trips over is a verdict on that file alone."""
    if not data.strip():
        return Problem(where, "is empty" if not data else "holds white space alone", "Remove it")
    try:
        texts = reader.read(data, where, choice, most)
    except MemoryError:  # no fault of the file alone
        raise
    except Exception as error:  # libraries raise all sorts of things on hostile files
        what = f"could not be read by {' '.join(reader.made_by())}: {type(error).__name__}"
        told = f"{what}: {brief(str(error))}" if str(error) else what
        return Problem(where, told, "Open it, and save it anew")
    if not isinstance(texts, Problem) and not any(text.text.strip() for text in texts):
        return Problem(where, "holds white space alone", "Remove it")
    return texts


__all__ = ["ALL", "READERS", "Outcome", "ReadText", "Reader", "read_file", "reader_of"]
