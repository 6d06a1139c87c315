"""The reference part of `docs/formats.md`, written from the classes themselves.

`python -m evaluation.gold.formats.page docs/formats.md` brings the page up to date; a test compares them.
"""

from __future__ import annotations

import inspect
import sys
from typing import get_args

from evaluation.gold.formats import FORMATS
from evaluation.gold.formats.format import Format, Kept
from strategies.reference import parameter_table, renewed, rewrite

BEGIN, END = "<!-- begin: written by evaluation.gold.formats.page -->", "<!-- end -->"


def reference() -> str:
    """A table of formats, and a section for every one: what it is, its parameters."""
    rows = ["| format | layout | evidence of a question | keeps | loses |", "|---|---|---|---|---|"]
    kinds: tuple[Kept, ...] = get_args(Kept)
    for name, cls in FORMATS.items():
        kept = ", ".join(kind for kind in kinds if kind in cls.keeps) or "nothing more"
        lost = ", ".join(kind for kind in kinds if kind not in cls.keeps) or "nothing"
        layout = cls.layout.replace("*", r"\*")
        rows.append(f"| [`{name}`](#{name}) | {layout} | {cls.evidence} | {kept} | {lost} |")
    return "\n\n".join(["\n".join(rows), *(section(name, cls) for name, cls in FORMATS.items())])


def section(name: str, cls: type[Format]) -> str:
    """One format's section, in Markdown."""
    caution = f"Mind: {cls.caution}.\n\n" if cls.caution else ""
    return f"### `{name}`\n\n{inspect.getdoc(cls)}\n\n{caution}{parameter_table(cls)}"


def updated(page: str) -> str:
    """A page with its generated part renewed."""
    return renewed(page, BEGIN, END, reference())


if __name__ == "__main__":
    rewrite(sys.argv[1], updated)
