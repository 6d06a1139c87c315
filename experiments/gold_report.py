"""A gold report for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from evaluation.gold_check import GoldReport, Power

MOST_LINES = 30
"""Problems or warnings that are printed: a screen of each. `--json` has all."""


def show_report(report: GoldReport, console: Console | None = None) -> None:
    """Problems, warnings, counts, and what the set can tell."""
    console = console or Console()
    _list(console, "Problems", [str(problem) for problem in report.problems], "red")
    _list(console, "Warnings", [str(warning) for warning in report.warnings], "yellow")
    counts = ", ".join(f"{value:,} {key.replace('_', ' ')}" for key, value in report.counts.items())
    console.print(Text(f"{report.name}: {counts}"), soft_wrap=True)
    grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("questions")
    for head in ("scored", "units", "detectable difference"):
        grid.add_column(head, justify="right")
    for name, power in [("all", report.all_questions), *report.tags.items()]:
        grid.add_row(
            *map(Text, (name, f"{power.scored}", f"{power.units} {power.unit}s", _detectable(power)))
        )
    console.print(grid)
    console.print(
        Text(
            "Detectable: the smallest true difference of a mean that 8 of 10 comparisons of two "
            "configurations would find, if paired differences vary with a standard deviation of "
            f"{report.assumed_sd} (an assumption)."
        ),
        style="dim",
    )
    console.print(
        Text("The set can be used." if report.ok else "The set cannot be used until its problems are solved.")
    )


def _detectable(power: Power) -> str:
    return "-" if not power.units else f"{power.detectable:.3f}"


def _list(console: Console, title: str, lines: list[str], style: str) -> None:
    if not lines:
        return
    console.print(Text(f"{title} ({len(lines)})", style=f"bold {style}"))
    for line in lines[:MOST_LINES]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if len(lines) > MOST_LINES:
        console.print(Text(f"  ... and {len(lines) - MOST_LINES} more; --json lists all"))
    console.print()
