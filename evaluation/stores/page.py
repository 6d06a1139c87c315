"""The reference part of `docs/stores.md`, written from the classes themselves.

`python -m evaluation.stores.page docs/stores.md` brings the page up to date; a test compares them.
"""

from __future__ import annotations

import inspect
import sys
from typing import get_args

from evaluation.stores import STORES, Store, VectorType
from strategies.reference import parameter_table, renewed, rewrite

BEGIN, END = "<!-- begin: written by evaluation.stores.page -->", "<!-- end -->"


def reference() -> str:
    """A table of stores and vector types, and a section for every store: what it is, its parameters."""
    types: tuple[VectorType, ...] = get_args(VectorType)
    head = ["| store | installed by |", *(f" `{one}` |" for one in types)]
    rows = ["".join(head), "| --- " * (2 + len(types)) + "|"]
    for name, cls in STORES.items():
        by = f"`chunksweep[{cls.extra}]`" if cls.extra else "the core"
        held = " | ".join("yes" if one in cls.vector_types else "" for one in types)
        rows.append(f"| [`{name}`](#{name}) | {by} | {held} |")
    return "\n\n".join(["\n".join(rows), *(section(name, cls) for name, cls in STORES.items())])


def section(name: str, cls: type[Store]) -> str:
    """One store's section, in Markdown."""
    return f"### `{name}`\n\n{inspect.getdoc(cls)}\n\n{parameter_table(cls)}"


def updated(page: str) -> str:
    """A page with its generated part renewed."""
    return renewed(page, BEGIN, END, reference())


if __name__ == "__main__":
    rewrite(sys.argv[1], updated)
