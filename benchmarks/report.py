"""What `benchmarks/splitting.py` found, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

Lines = list[tuple[str, ...]]
"""A table as text, its head first."""


@dataclass(frozen=True)
class Row:
    """One candidate on one text."""

    name: str
    kind: str
    """Media type of what it cut."""
    mb_a_second: float
    of_ceiling: float
    """Its speed as a share of that of `encode_ordinary` on the same text."""


@dataclass(frozen=True)
class Bar:
    """A ratio, and the goal that it is held to."""

    what: str
    ratio: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def missed(self) -> bool:
        """Whether it is on the wrong side of the goal."""
        return self.ratio < (self.at_least or 0) or (self.at_most is not None and self.ratio > self.at_most)

    @property
    def goal(self) -> str:
        """The goal in words."""
        return f"at least {self.at_least:g}" if self.at_most is None else f"at most {self.at_most:g}"


@dataclass(frozen=True)
class Measured:
    """Everything on one text."""

    text: str
    """What the text is called."""
    megabytes: float
    rows: tuple[Row, ...]
    bars: tuple[Bar, ...]


def speeds(texts: Sequence[Measured]) -> Lines:
    """Speeds on every text, fastest on the first one first."""
    head = ("cut by", "kind", *(f"{what}, {one.text}" for one in texts for what in ("MB/s", "of ceiling")))
    found = [{(row.name, row.kind): row for row in one.rows} for one in texts]
    keys = sorted(found[0], key=lambda key: (key[1] != "text/plain", key[1], -found[0][key].mb_a_second))
    lines: Lines = [head]
    for name, kind in keys:
        rows = [of_text[name, kind] for of_text in found]
        figures = [f"{number:.2f}" for row in rows for number in (row.mb_a_second, row.of_ceiling)]
        lines.append((name, kind.partition("/")[2], *figures))
    return lines


def ratios(texts: Sequence[Measured]) -> Lines:
    """Ratios on every text, beside their goal."""
    lines: Lines = [("ratio", *(one.text for one in texts), "goal")]
    for bars in zip(*(one.bars for one in texts), strict=True):
        figures = [f"{bar.ratio:.2f}{' (missed)' if bar.missed else ''}" for bar in bars]
        lines.append((bars[0].what, *figures, bars[0].goal))
    return lines


def footer(texts: Sequence[Measured], left_out: Sequence[str]) -> str:
    """What was cut, and what was not measured."""
    sizes = ", ".join(f"{one.text} {one.megabytes:.2f} MB" for one in texts)
    return f"Texts: {sizes}. Left out: {', '.join(left_out) or 'nothing'}."


def markdown(texts: Sequence[Measured], left_out: Sequence[str]) -> str:
    """The measured part of docs/benchmarks.md."""
    tables = []
    for head, *body in (speeds(texts), ratios(texts)):
        lines = [f"| {' | '.join(line)} |" for line in (head, *body)]
        tables.append("\n".join([lines[0], f"|{' --- |' * len(head)}", *lines[1:]]))
    return "\n\n".join([*tables, footer(texts, left_out)])


def print_tables(texts: Sequence[Measured], left_out: Sequence[str]) -> None:
    """Tables for a terminal."""
    console = Console()
    for head, *body in (speeds(texts), ratios(texts)):
        table = Table(*head)
        for line in body:
            table.add_row(*line)
        console.print(table)
    console.print(footer(texts, left_out))
