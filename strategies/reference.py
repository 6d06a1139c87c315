"""The reference part of `docs/strategies.md`, written from the classes themselves.

`python -m strategies.reference docs/strategies.md` brings the page up to date; a test compares them.
"""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path

from strategies import STRATEGIES, parameters
from strategies.strategy import Strategy

BEGIN, END = "<!-- begin: written by strategies.reference -->", "<!-- end -->"


def reference() -> str:
    """A section for every strategy: what it does, and its parameters."""
    return "\n\n".join(section(name, cls) for name, cls in STRATEGIES.items())


def section(name: str, cls: type[Strategy]) -> str:
    """One strategy's section, in Markdown."""
    return f"## `{name}`\n\n{inspect.getdoc(cls)}\n\n{parameter_table(cls)}"


def parameter_table(cls: type) -> str:
    """The parameters of a strategy as a Markdown table."""
    rows = ["| parameter | type | default | meaning |", "|---|---|---|---|"]
    for parameter in parameters(cls):
        default = (
            "required" if parameter.required else f"`{json.dumps(parameter.default, ensure_ascii=False)}`"
        )
        rows.append(f"| `{parameter.name}` | {parameter.type} | {default} | {parameter.help} |")
    return "\n".join(rows)


def updated(page: str) -> str:
    """A page with its generated part renewed."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}"


def main(path: str) -> None:
    """Bring a page up to date."""
    page = Path(path)
    page.write_text(updated(page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])
