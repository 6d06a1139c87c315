"""The texts that `benchmarks/splitting.py` cuts."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from strategies.document import Document

KINDS = {"markdown": "text/markdown", "table": "text/markdown", "atoms": "text/markdown", "html": "text/html"}
KINDS |= {"code": "text/x-python"}
"""The media type that a strategy is meant for, where it is not plain text."""

PROSE = (".md", ".txt")
"""Suffixes of the files that are read from a folder."""


def texts(paths: Sequence[Path], chroma: Path | None) -> dict[str, str]:
    """The texts to cut, by what they are called."""
    found = {str(path): text_of(path) for path in paths} or {"handbook and Python": default_text()}
    if chroma is not None:
        found["Chroma's corpora"] = text_of(chroma / "documents")
    return found


def text_of(path: Path) -> str:
    """A file's text, or that of all text files below a folder."""
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix in PROSE)
    return "\n\n".join(file.read_text(encoding="utf-8") for file in files)


def default_text() -> str:
    """English prose that is on every machine: the handbook's documents and Python's language reference."""
    from pydoc_data.topics import topics

    handbook = Path(__file__).parents[1] / "datasets" / "handbook" / "documents"
    return "\n\n".join([text_of(handbook), *topics.values()])


def documents(text: str) -> Mapping[str, Document]:
    """The text as each kind of document, by media type; source code is Python's own library."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    sectioned = "\n\n".join(
        f"## Part {n}\n\n{block}" if n % 8 == 0 else block for n, block in enumerate(blocks)
    )
    marked_up = "\n".join(
        f"<h2>Part {n}</h2>\n<p>{html.escape(block)}</p>" if n % 8 == 0 else f"<p>{html.escape(block)}</p>"
        for n, block in enumerate(blocks)
    )
    made = {
        "text/plain": text,
        "text/markdown": sectioned,
        "text/html": f"<html><body>\n{marked_up}\n</body></html>\n",
        "text/x-python": source_code(len(text)),
    }
    return {media_type: Document("text", own, media_type=media_type) for media_type, own in made.items()}


def source_code(characters: int) -> str:
    """About so many characters of whole modules of Python's library."""
    found: list[str] = []
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        found.append(path.read_text(encoding="utf-8", errors="replace"))
        if sum(map(len, found)) >= characters:
            break
    return "\n\n".join(found)
