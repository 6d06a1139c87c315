"""The decision matrix: how each configuration does on each kind of question, and which may be best there."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as Grid
from rich.text import Text

from evaluation.gold.provenance import provenance_warnings
from evaluation.statistics import mean_intervals, simultaneous
from experiments.columns import GROUP_COLUMNS
from experiments.compared import Compared, compared
from experiments.leaderboard import one_line, wrapped
from experiments.paragraph import Paragraph
from experiments.results import SweepResult, sides_of
from experiments.tables import Table, table_of
from strategies.errors import nearest, refuse

BEYOND = 10
"""Flips that are to lie beyond the level of a group: with fewer it is too rough, with none out of reach."""

FEWEST = 4_000
"""Flips, however few groups there are."""

TAG, MADE = "tag", "synthetic"
"""Groups by the questions' own tags, and by who asked; other words are names of metadata of documents."""

PERSON = "person"
"""The group of questions that are not synthetic."""

FEW = 10
"""A group of fewer questions is shown, and marked."""

LEVEL = 0.95
"""Confidence that nothing is called worse wrongly in any group; the groups share what is left of it."""


def by_group(result: SweepResult, by: str) -> Table:
    """One row a group of questions and configuration; groups by name, configurations as in the grid.

    `by` is `tag`, `synthetic` (`proxy`, `model`, or `person` for who asked), or the name of a metadata: a
    question then belongs to the value of every document that holds its evidence, alternatives included, as it
    belongs to each of its tags. With a split only the questions to choose on are asked. In each group the
    configurations are compared as in the whole (`simultaneous`), at a level that G groups share (Bonferroni):
    with 95 % confidence no configuration is called worse in any group though it is the best there. That holds
    where groups of questions that share documents are resampled; where `resampled` says `question` these are
    too few, and questions are taken as independent that may not be. Raises BadInput where no question has
    such a group.
    """
    whole = compared(result.judging, result.records)
    sides = sides_of(result.judging, result.records)
    if sides:
        whole = whole.only({key for key, side in sides.items() if side == "dev"})
    groups = _groups(whole, by)
    rows = [
        row
        for group, ids in groups.items()
        for row in _rows(group, whole.only(ids), len(groups), result.judging.seed)
    ]
    return result.told(table_of([(held, [row.get(held.name) for row in rows]) for held in GROUP_COLUMNS]))


def permutations(groups: int) -> int:
    """Flips in each of so many groups, of which `BEYOND` lie beyond the level that they ask for.

    >>> permutations(1), permutations(20), permutations(100)
    (4000, 4000, 20000)
    """
    return max(FEWEST, math.ceil(round(BEYOND * groups / (1 - LEVEL), 6)))


def _groups(whole: Compared, by: str) -> dict[str, set[str]]:
    """Group -> ids of its questions, groups by name."""
    values_of: dict[str, Sequence[Any]]
    if by == MADE:
        values_of = {row["question_id"]: [row.get("synthetic") or PERSON] for row in whole.questions}
    else:
        values_of = _tags(whole) if by == TAG else _metadata(whole, by)
    found: dict[str, set[str]] = {}
    for key, values in values_of.items():
        for value in values:
            found.setdefault(value if isinstance(value, str) else json.dumps(value), set()).add(key)
    return dict(sorted(found.items()))


def _tags(whole: Compared) -> dict[str, Sequence[Any]]:
    """Question id -> its tags."""
    found = {row["question_id"]: row.get("tags") or () for row in whole.questions}
    if not any(found.values()):
        raise refuse("--by tag", "no question has a tag", "Name a metadata of the documents instead")
    return found


def _metadata(whole: Compared, by: str) -> dict[str, Sequence[Any]]:
    """Question id -> the values of a metadata of the documents that hold its evidence."""
    records = [record for repeats in whole.finished.values() for record in repeats]
    # Records of an older version do not say where the evidence lies; any other says it for all.
    rows = [row for record in records for row in record.questions if "documents" in row]
    documents_of = {row["question_id"]: row["documents"] for row in rows}
    if whole.questions and not rows:
        what = "needs to know where evidence lies, which these older records do not say"
        raise refuse(f"--by {by}", what, "Run the sweep again with --fresh")
    known = next((record.documents for record in records if record.documents), ())
    metadata = {row["document"]: row["metadata"] for row in known}
    found: dict[str, Sequence[Any]] = {
        row["question_id"]: [
            metadata[document][by]
            for document in documents_of.get(row["question_id"], ())
            if by in metadata.get(document, {})
        ]
        for row in whole.questions
    }
    if not any(found.values()):
        names = sorted({name for held in metadata.values() for name in held})
        what = "no document that holds evidence has this metadata"
        there = nearest(by, names) or "The documents have no metadata"
        raise refuse(f"--by {by}", what, f"{there.replace('Known:', 'Metadata there:')}, or use --by tag")
    return found


def _rows(group: str, asked: Compared, groups: int, seed: int) -> Iterator[dict[str, Any]]:
    """The rows of one of so many groups."""
    labels = asked.units.labels
    low, high = mean_intervals(asked.scores, labels, seed=seed)
    said = _verdicts(asked, groups, seed)
    warnings = "; ".join(provenance_warnings(row.get("synthetic") for row in asked.questions))
    for place, name in enumerate(asked.names):
        yield {
            "group": group,
            "name": name,
            "config_id": asked.finished[name][0].config_id,
            "headline": asked.headline,
            "questions": len(asked.scores),
            "few": len(asked.scores) < FEW,
            "resampled": asked.units.kind,
            "mean": float(asked.scores[:, place].mean()),
            "low": float(low[place]),
            "high": float(high[place]),
            "verdict": said.get(name),
            "warnings": warnings,
        }


def _verdicts(asked: Compared, groups: int, seed: int) -> dict[str, str]:
    """Of each configuration that can be compared: best, may be best, worse; or cannot tell of them all."""
    names = [name for name in asked.names if name not in asked.reasons]
    if len(names) < 2:
        return {}
    result = simultaneous(
        asked.scores[:, asked.eligible],
        asked.units.labels,
        level=1 - (1 - LEVEL) / groups,
        permutations=permutations(groups),
        seed=seed,
    )
    best = int(np.argmax(result.mean.round(12)))
    left = result.lower[:, best] <= 0
    if left.all():
        return dict.fromkeys(names, "cannot tell")
    standing = "best" if left.sum() == 1 else "may be best"
    return {name: standing if stays else "worse" for name, stays in zip(names, left, strict=True)}


MARKS = {"best": "★", "may be best": "≈", "worse": "", "cannot tell": "?"}
MEANINGS = {
    "★": "best here, all others are shown to be worse",
    "≈": "may be the best here",
    "?": "cannot tell: none is shown to be worse than another here",
}
_ASCII = str.maketrans({"★": "*", "≈": "~"})
_GAP = 2


@dataclass(frozen=True, slots=True)
class Matrix:
    """The table of `by_group` in a terminal: a row a configuration, a column a group, in as many blocks
    as the width asks for."""

    table: Table
    by: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        written: Callable[[str], str] = (lambda text: text.translate(_ASCII)) if options.ascii_only else str
        groups: dict[str, dict[str, Mapping[str, Any]]] = {}
        for row in self.table.rows():
            groups.setdefault(str(row["group"]), {})[str(row["name"])] = row
        names = list(dict.fromkeys(str(name) for name in self.table["name"]))
        name_width = min(max(map(cell_len, [*names, "configuration"])), max(13, options.max_width // 2))
        columns = [_column(group, rows, names) for group, rows in groups.items()]
        fitting = max(1, (options.max_width - name_width) // (_WIDTH + _GAP))
        for first in range(0, len(columns), fitting):
            grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
            grid.add_column("configuration", no_wrap=True, overflow="fold")
            block = columns[first : first + fitting]
            for header, _ in block:
                grid.add_column(written(header), justify="right", no_wrap=True)
            for place, name in enumerate(names):
                cells = [written(cells[place]) for _, cells in block]
                grid.add_row(*map(Text, ("\n".join(wrapped(one_line(name), name_width)), *cells)))
            yield grid
            yield Text()
        shown = {mark for _, cells in columns for cell in cells for mark in MEANINGS if mark in cell}
        for mark, meaning in MEANINGS.items():
            if mark in shown:
                yield Text(written(f"{mark} {meaning}"), style="dim")
        legend = (
            "Under a group's name: its number of questions. Cells: mean of the headline over these; its "
            f"95 % interval is in --json and in chunksweep export NAME --by {shlex.quote(self.by)}"
        )
        yield Paragraph(Text(legend, style="dim"))
        if single := [group for group, rows in groups.items() if any(map(_too_sure, rows.values()))]:
            too_sure = (
                "Too few of its questions share no document, so they were resampled one by one, and "
                f"'worse' may be said too easily: {', '.join(single)}"
            )
            yield Paragraph(Text(too_sure, style="dim"))
        few = [group for group, rows in groups.items() if any(row["few"] for row in rows.values())]
        if few:
            few_of = f"Fewer than {FEW} questions (their number is in brackets): {', '.join(few)}"
            yield Paragraph(Text(few_of, style="dim"))


def _too_sure(row: Mapping[str, Any]) -> bool:
    """Whether something is called worse by questions that were taken as independent."""
    return bool(row["resampled"] == "question" and row["verdict"] == "worse")


_WIDTH = 14
"""Of a group's column."""


def _column(group: str, rows: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> tuple[str, list[str]]:
    """Header and one cell a configuration: the mean, and what it is there."""
    questions = next(iter(rows.values()))["questions"]
    count = f"({questions:,})" if questions < FEW else f"{questions:,}"
    header = "\n".join([*wrapped(one_line(group), _WIDTH), count])
    marks = [MARKS.get(rows[name]["verdict"] or "", "") or " " for name in names]
    return header, [f"{rows[name]['mean']:.3f} {mark}" for name, mark in zip(names, marks, strict=True)]
