"""The table of kinds of files, as it stands in `docs/documents.md`."""

from __future__ import annotations

from evaluation.gold.readers import ALL

HEAD = ("kind", "files", "read by", "becomes", "keeps", "loses")


def markdown_table() -> str:
    """One row a reader, in the order of the report."""
    lines = [f"| {' | '.join(HEAD)} |", "| --- " * len(HEAD) + "|"]
    for reader in ALL:
        suffixes = ", ".join(f"`{suffix}`" for suffix in reader.suffixes) or _OTHERS[reader.name]
        cells = (f"`{reader.name}`", suffixes, reader.library or "chunksweep")
        lines.append("| " + " | ".join((*cells, reader.becomes, reader.keeps, reader.loses)) + " |")
    return "\n".join(lines) + "\n"


_OTHERS = {"text": "all others that are UTF-8", "html source": "`.html`, `.htm`"}
"""What readers read that no suffix leads to."""
