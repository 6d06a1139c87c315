"""The reference part of `docs/strategies.md`, written from the classes themselves.

`python -m strategies.reference docs/strategies.md` brings the page up to date; a test compares them.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path

from strategies import STRATEGIES, THIRD_PARTY, parameters
from strategies.libraries.library import Library
from strategies.strategy import Strategy

BEGIN, END = "<!-- begin: written by strategies.reference -->", "<!-- end -->"


LIBRARIES = """## Strategies of libraries

The splitters that people deploy, called as their own documentation says, with their chunks placed in the
document. They owe less than ours: chunks are slices in the order of their starts, and every call ends; what
text they leave out, how far they pass the size and what overlap came about is measured like anything else.
Each drops what its section says. A text that the document never had fails the configuration, and is shown.
`split_ms` includes placing their texts in the document and counting them.
`size`, `overlap` and `unit` mean what they mean everywhere; other parameters have the library's names. An
extra installs the library: `pip install 'chunksweep[langchain]'`, or `chunksweep[all]`.

Of Chonkie, five are not offered. `NeuralChunker`, `LateChunker` and `CodeChunker` download models or
grammars of their own (`vectors: late` is what the second is for, with the sweep's embedder), `SlumberChunker`
sends the text to an account with a provider, and `TableChunker` takes a table alone: of a document, it
repeats the text above the table in every chunk, or returns nothing. [Your own
splitter](#your-own-splitter) may call them."""


def reference() -> str:
    """A section for every strategy: what it does, and its parameters."""
    ours = [section(name, cls) for name, cls in STRATEGIES.items()]
    theirs = [section(name, cls) for name, cls in THIRD_PARTY.items()]
    return "\n\n".join([*ours, LIBRARIES, *theirs])


def section(name: str, cls: type[Strategy]) -> str:
    """One strategy's section, in Markdown."""
    level, facts = "##", ""
    if issubclass(cls, Library):
        level = "###"
        facts = f"Drops: {cls.drops}. Installed by `chunksweep[{cls.extra}]`.\n\n"
    return f"{level} `{name}`\n\n{inspect.getdoc(cls)}\n\n{facts}{parameter_table(cls)}"


def parameter_table(cls: type) -> str:
    """The parameters of a strategy as a Markdown table."""
    if not parameters(cls):
        return "It has no parameters."
    rows = ["| parameter | type | default | meaning |", "|---|---|---|---|"]
    for parameter in parameters(cls):
        default = (
            "required" if parameter.required else f"`{json.dumps(parameter.default, ensure_ascii=False)}`"
        )
        rows.append(f"| `{parameter.name}` | {parameter.type} | {default} | {parameter.help} |")
    return "\n".join(rows)


def updated(page: str) -> str:
    """A page with its generated part renewed."""
    return renewed(page, BEGIN, END, reference())


def renewed(page: str, begin: str, end: str, part: str) -> str:
    """A page with another part between two marks that stand in it once."""
    before, rest = page.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{part}\n\n{end}{after}"


def rewrite(path: str, updated: Callable[[str], str]) -> None:
    """Bring a page up to date."""
    page = Path(path)
    page.write_text(updated(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    rewrite(sys.argv[1], updated)
