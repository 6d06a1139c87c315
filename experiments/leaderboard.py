"""The comparison in a terminal: as many columns as fit, every configuration's name whole, folded if long."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import NamedTuple

from rich import filesize
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table as Grid
from rich.text import Text

from evaluation.evaluate import TRUNCATED_SHARE
from evaluation.judging.measures import JUDGED
from evaluation.searching import STORE_RECALL
from evaluation.statistics.explain import Row as Priced
from experiments.columns import FAILED_PREFIX, measure
from experiments.compared import paid
from experiments.paragraph import Paragraph
from experiments.tables import Cell, Table
from strategies.errors import counted, visible

Row = Mapping[str, Cell]

PRIORITY = (
    "headline_dev",
    "headline_test",
    "test_interval",
    "interval",
    "store_recall",
    "difference_to_baseline",
    "difference_interval",
    "p_baseline_holm",
    "loss_bound",
    "tokens_embedded",
    "stored_bytes",
    "pareto_probability",
    "embedding_cost",
    "storage_cost_per_month",
    "prompt_cost_per_1000_questions",
    "judged",
    "chunks",
    "mrr",
    "misses_total",
    "evidence_intact",
    "search_ms_median",
    "overlap_effective",
    "precision_omega",
    "embed_ms",
)
"""Columns after name and headline: the last go first. `mrr` is the deepest one, `judged` are those of
`JUDGED`; `store_recall` is there where stores differ or one of them loses too much."""

INTERVALS = {
    "interval": ("95 % interval", "headline_low", "headline_high"),
    "test_interval": ("test interval", "headline_test_low", "headline_test_high"),
    "difference_interval": ("its interval", "difference_low", "difference_high"),
}
"""Columns that show two of a table's: header, lower and upper end."""

LEGEND = {
    "★": "recommended: the cheapest whose loss stays within the margin",
    "≈": "cannot be told apart from the best; pairs are compared, so a lower mean may stay in",
    "!": f"more than {TRUNCATED_SHARE * 100:.0f} % of the tokens are past the embedder's limit",
    "?": "not comparable: a score could not be had for some questions",
    "#": "not comparable: searches only documents that hold the evidence, others all of them",
}
_ASCII = str.maketrans({"★": "*", "≈": "~", "–": "-", "↑": "^", "↓": "v", "≤": "<=", "Ω": "omega"})
_ARROWS = {"higher": " ↑", "lower": " ↓", "none": ""}
_GAP = 2
_HEADER_WIDTH = 13
NAMED = 3
"""Columns without room that are named."""
_PIECES = re.compile(r"[^-_/,;:. ]*[-_/,;:. ]*")


class Shown(NamedTuple):
    """A column as it is shown."""

    header: str
    cell: Callable[[Row], str]
    judged: bool = False
    """Whether it was asked for by the sweep's `judge:`."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The wide table, best headline first; equal ones by cost, as in the recommendation."""

    table: Table
    headline: str
    limit: int | None = None
    """Rows to show; None for all."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows = ranked(self.table.rows(), self.headline)
        hidden = rows[self.limit :] if self.limit is not None else []
        rows = rows[: self.limit]
        written: Callable[[str], str] = (lambda text: text.translate(_ASCII)) if options.ascii_only else str
        signs = [marks(row) for row in rows]
        columns = _columns(self.table, rows, self.headline)
        grid, fitting = _grid(rows, signs, columns, options.max_width, written)
        yield grid
        notes = [f"{mark} {meaning}" for mark, meaning in LEGEND.items() if mark in "".join(signs)]
        if hidden:
            notes.append(f"{len(hidden)} more not shown")
        if any(row.get("headline_low") == row.get("headline_high") is not None for row in rows):
            notes.append(
                "An interval without width means that all questions scored alike, as a few may by chance"
            )
        if unseen := columns[fitting:]:
            notes.append(_no_room(unseen))
        for note in notes:
            yield Paragraph(Text(written(note), style="dim"))
        for row in rows:
            if row["status"] != "finished":
                yield Text(f"{row['status']}: {one_line(row['name'])}: {one_line(row['error'])}", style="red")


def _no_room(unseen: Sequence[Shown]) -> str:
    """Where to find columns that do not fit: the first by name, and all that were asked for by `judge:`."""
    named = [column.header for place, column in enumerate(unseen) if place < NAMED or column.judged]
    more = f" and {len(unseen) - len(named)} more" if len(unseen) > len(named) else ""
    they = "It is" if len(unseen) == 1 else "They are"
    return (
        f"No room here for {counted(len(unseen), 'column')}: {', '.join(named)}{more}. {they} in the files "
        "of chunksweep export, in --json and in MLflow"
    )


def ranked(rows: Iterable[Row], headline: str) -> list[Row]:
    """The best headline first, or that of the questions to choose on where the sweep has a split.

    Equal ones stand in the recommendation's order of cheapness. Rows that are not comparable, without
    headline, or did not finish stand last.
    """
    sign = 1.0 if measure(headline).direction == "lower" else -1.0

    def key(row: Row) -> tuple[bool, bool, bool, float, tuple[float, float, float, float, str]]:
        value = _number(row, headline)
        value = _number(row, "headline_dev") if row.get("headline_dev") is not None else value
        return (
            row["status"] != "finished",
            value is None,
            bool({"?", "#"} & set(marks(row))),
            0.0 if value is None else round(sign * value, 12),  # equal as `recommend` finds equal
            Priced(str(row["name"]), 0.0, **paid(row)).cost,
        )

    return sorted(rows, key=key)


def marks(row: Row) -> str:
    """The signs of `LEGEND` that the row bears; `?` for any judge that failed, the headline's or another."""
    finished = row["status"] == "finished"
    bears = {
        "★": bool(row.get("recommended")),
        "≈": bool(row.get("tied")),
        "!": (_number(row, "truncated_token_share") or 0.0) > TRUNCATED_SHARE,
        "?": any((_number(row, name) or 0.0) > 0 for name in row if name.startswith(FAILED_PREFIX)),
        "#": bool(row.get("apart")),
    }
    return "".join(mark for mark, held in bears.items() if held and finished)


def shown(value: Cell, unit: str) -> str:
    """A value for people.

    >>> shown(0.71234, "share"), shown(1536000, "bytes"), shown(52310, "tokens"), shown(1830.4, "ms")
    ('0.712', '1.5 MB', '52,310', '1.8 s')
    >>> shown(12.34, "ms"), shown(0.0432, "ms"), shown(0.0, "ms")
    ('12.3 ms', '0.043 ms', '0.0 ms')
    """
    if value is None:
        return "–"
    if isinstance(value, str | bool):
        return one_line(str(value).lower() if isinstance(value, bool) else value)
    if unit == "bytes":
        return filesize.decimal(round(value))
    if unit == "ms":
        return f"{value / 1000:,.1f} s" if value >= 1000 else f"{value:.{_decimals(value, least=1)}f} ms"
    if unit == "money":
        return _money(value)
    if unit in ("tokens", "count", "characters"):
        return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
    return f"{value:.3f}"


def _money(value: float) -> str:
    """Two digits behind the point, or as many as two digits that are not 0 take.

    >>> _money(1234.5), _money(0.0123), _money(0.00000532), _money(0.0)
    ('1,234.50', '0.012', '0.0000053', '0.00')
    """
    return f"{value:,.{_decimals(value, least=2)}f}"


def _decimals(value: float, *, least: int) -> int:
    """Digits behind the point that show two which are not 0, or more if `least` is."""
    return least if value == 0 else max(least, 1 - floor(log10(abs(value))))


def one_line(text: Cell) -> str:
    """The text without line ends and tabs, for a terminal.

    >>> one_line("two\\n lines")
    'two lines'
    """
    return visible(" ".join(str(text or "").split()))


def wrapped(name: str, width: int) -> list[str]:
    """The name in lines of at most `width` cells, broken after separators where it can be.

    >>> wrapped("fixed-cl100k_base-192", 12)
    ['fixed-', 'cl100k_base-', '192']
    """
    lines = [""]
    for piece in filter(None, _PIECES.findall(name)):
        if cell_len(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, width)
    return [line for line in lines if line]


def summary(
    recommendation: str,
    *,
    warnings: Sequence[str] = (),
    misses: Sequence[tuple[str, int, str]] = (),
    title: str = "Why questions were missed:",
    ui: str = "",
) -> RenderableType:
    """What to do now: the recommendation, warnings, why questions were missed, and where to look further.

    `misses` are (reason, questions, remedy); the three most frequent are shown, under `title`.
    """
    parts = [Paragraph(Text(recommendation, style="bold"))]
    parts += [Paragraph(Text(f"warning: {warning}", style="yellow")) for warning in warnings]
    if misses:
        parts.append(Paragraph(Text(title)))
    for reason, count, remedy in sorted(misses, key=lambda miss: -miss[1])[:3]:
        parts.append(Paragraph(Text(f"{count:,} {reason}: {remedy}"), 2))
    if ui:
        parts.append(Paragraph(Text(ui)))
    return Group(*parts)


def _number(row: Row, name: str) -> float | None:
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else None


def _columns(table: Table, rows: Sequence[Row], headline: str) -> list[Shown]:
    """The headline, then every column of `PRIORITY` that has a value in some row."""
    about = measure(headline)

    def leading(row: Row) -> str:
        return shown(row.get(headline), about.unit) if row["status"] == "finished" else str(row["status"])

    def interval(row: Row, lower: str, upper: str) -> str:
        low, high = row.get(lower), row.get(upper)
        if low is None or high is None:
            return ""
        to = " to " if lower == "difference_low" else "–"  # an end of it may be below 0
        return f"{shown(low, about.unit)}{to}{shown(high, about.unit)}"

    columns = [Shown(about.label + _ARROWS[about.direction], leading)]
    deepest = max(
        (held.name for held in table.columns if re.fullmatch(r"mrr_at_\d+", held.name)),
        key=lambda name: int(name.rpartition("_")[2]),
        default="mrr",
    )
    place = PRIORITY.index("judged")
    for name in (*PRIORITY[:place], *JUDGED, *PRIORITY[place + 1 :]):
        if name == "store_recall" and not _stores_matter(rows):
            continue
        if name in INTERVALS:
            header, lower, upper = INTERVALS[name]
            if any(row.get(lower) is not None for row in rows):
                columns.append(Shown(header, lambda row, ends=(lower, upper): interval(row, *ends)))  # type: ignore[misc]
            continue
        name = deepest if name == "mrr" else name
        if name != headline and any(row.get(name) is not None for row in rows):
            held = next((held for held in table.columns if held.name == name), measure(name))
            columns.append(
                Shown(held.label, lambda row, held=held: shown(row.get(held.name), held.unit), name in JUDGED)  # type: ignore[misc]
            )
    return columns


def _stores_matter(rows: Sequence[Row]) -> bool:
    """Whether stores differ, or one of them finds too few of the nearest chunks."""
    finished = [row for row in rows if row["status"] == "finished"]
    differ = any(len({row.get(name) for row in finished} - {None}) > 1 for name in ("store", "vector_type"))
    recalls = [_number(row, "store_recall") for row in finished]
    return differ or any(recall is not None and recall < STORE_RECALL for recall in recalls)


def _grid(
    rows: Sequence[Row],
    signs: Sequence[str],
    columns: Sequence[Shown],
    width: int,
    written: Callable[[str], str],
) -> tuple[Grid, int]:
    """As many columns as fit beside the names, and how many these are.

    Names longer than three tenths of the width are folded, never cut: what is measured must have room.
    """
    signs = [written(sign) for sign in signs]
    names = [one_line(row["name"]) for row in rows]
    sign_width = max(map(cell_len, signs), default=0)
    longest_name = max(map(cell_len, [*names, "configuration"]))
    name_width = min(longest_name, max(len("configuration"), 3 * width // 10))
    left = width - name_width - (sign_width + _GAP if sign_width else 0)
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    cells: list[list[str]] = []
    headers: list[str] = []
    for column in columns:
        made = [written(column.cell(row)) for row in rows]
        longest = max(map(cell_len, made), default=0)
        header = wrapped(written(column.header), max(longest, _HEADER_WIDTH))
        taken = max([longest, *map(cell_len, header)]) + _GAP
        if cells and taken > left:
            break
        left -= taken
        cells.append(made)
        headers.append("\n".join(header))
    name_width = max(1, min(longest_name, name_width + left))
    if sign_width:
        grid.add_column("", no_wrap=True)
    grid.add_column("\n".join(wrapped("configuration", name_width)), no_wrap=True, overflow="fold")
    for head in headers:
        grid.add_column(head, justify="right", no_wrap=True)
    for number, (row, sign, name) in enumerate(zip(rows, signs, names, strict=True)):
        line = ["\n".join(wrapped(name, name_width)), *(made[number] for made in cells)]
        line = [sign, *line] if sign_width else line
        style = "dim" if row["status"] != "finished" else "bold green" if row.get("recommended") else ""
        grid.add_row(*map(Text, line), style=style)
    return grid, len(cells)
