"""A diagnosis in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from experiments.diagnosis import OLD, Diagnosis, Distribution, Missed, Similarities
from experiments.leaderboard import one_line
from experiments.paragraph import Paragraph
from strategies.errors import counted

_BARS = " ▁▂▃▄▅▆▇█"
_ASCII_BARS = " .:-=+*#%"
_GAP = 2
MOST_TAGS = 12
"""Tags that are shown; `--json` has all."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The diagnosis, section after section."""

    diagnosis: Diagnosis

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        found = self.diagnosis
        yield Paragraph(Text(_head(found), style="bold"))
        yield from (Paragraph(Text(f"warning: {note}", style="yellow")) for note in found.notes)
        for title, section in (
            ("Why questions were missed", _reasons(found)),
            ("What many of them have in common", _patterns(found)),
            ("By tag", _tags(found)),
            ("Similarity of question and chunk (cosine)", _similarities(found, console, options)),
            ("Duplicates", _duplicates(found)),
            ("The worst questions", _worst(found)),
        ):
            parts = list(section)
            if parts:
                yield Text(f"\n{title}:", style="bold")
                yield from parts


def histogram(counts: tuple[int, ...], *, ascii_only: bool = False) -> str:
    """One mark a bin, the fullest highest; any count above 0 is seen.

    >>> histogram((0, 1, 50, 100)), histogram((0, 1, 50, 100), ascii_only=True)
    (' ▁▄█', ' .=%')
    """
    bars, most = _ASCII_BARS if ascii_only else _BARS, max(counts, default=0)
    steps = len(bars) - 1
    return "".join(bars[max(1, count * steps // most) if count else 0] for count in counts)


def _head(found: Diagnosis) -> str:
    missed = f"{found.missed:,} of {counted(found.questions, 'question')} missed"
    failed = f", {found.failed:,} failed" if found.failed else ""
    return f"{found.sweep}: {found.configuration}: {missed} in {found.budget:,} tokens{failed}"


def _reasons(found: Diagnosis) -> Iterator[RenderableType]:
    for reason in sorted(found.reasons, key=lambda reason: -reason.questions):
        yield Paragraph(Text(f"{reason.questions:,} {reason.reason}: {reason.remedy}"), _GAP)


def _patterns(found: Diagnosis) -> Iterator[RenderableType]:
    for pattern in found.patterns:
        share = f"{pattern.questions:,} of {pattern.of:,}"
        yield Paragraph(Text(f"{share}: {pattern.finding}. {pattern.remedy}"), _GAP)
    if found.missed and not found.patterns and OLD not in found.notes:
        yield Paragraph(Text("Nothing that enough of them show."), _GAP)


def _tags(found: Diagnosis) -> Iterator[RenderableType]:
    if not found.tags:
        return
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    grid.add_column("  tag")
    for head in ("missed", "of"):
        grid.add_column(head, justify="right", no_wrap=True)
    grid.add_column("why")
    for tag in found.tags[:MOST_TAGS]:
        why = ", ".join(f"{count:,} {reason}" for reason, count in tag.reasons.items())
        cells = (f"  {one_line(tag.tag)}", f"{tag.missed:,}", f"{tag.questions:,}", why)
        grid.add_row(*map(Text, cells))
    yield grid
    if len(found.tags) > MOST_TAGS:
        yield Text(f"  {len(found.tags) - MOST_TAGS} more not shown", style="dim")


def _similarities(found: Diagnosis, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
    """A table with histograms; without them, or in sentences, where there is no room."""
    if found.not_cosine:
        yield Paragraph(Text(f"Not cosine: {found.not_cosine}."), _GAP)
    if found.similarities is None:
        return
    for bars in (True, False):
        grid = _similarity_table(found.similarities, bars, options.ascii_only)
        if Measurement.get(console, options.update(max_width=_NO_LIMIT), grid).maximum <= options.max_width:
            yield grid
            return
    for name, held in _kinds(found.similarities):
        told = ", ".join(f"{head} {cell}" for head, cell in zip(_HEADS, _cells(held), strict=True) if cell)
        yield Paragraph(Text(f"{name}: {told}"), _GAP)


_HEADS = ("n", "none", "min", "25%", "median", "75%", "max")
_NO_LIMIT = 10_000
"""Cells: wider than any of these tables."""


def _similarity_table(similarities: Similarities, bars: bool, ascii_only: bool) -> Grid:
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="dim")
    grid.add_column("", no_wrap=True)
    for head in _HEADS:
        grid.add_column(head, justify="right", no_wrap=True)
    if bars:
        grid.add_column(_range(similarities), no_wrap=True)
    for name, held in _kinds(similarities):
        drawn = [histogram(held.histogram, ascii_only=ascii_only)] if bars else []
        grid.add_row(*map(Text, (f"  {name}", *_cells(held), *drawn)))
    return grid


def _cells(held: Distribution) -> list[str]:
    """The cells under `_HEADS`."""
    numbers = [f"{value:.3f}" for value in held.quartiles] or [""] * 5
    return [f"{held.n:,}", f"{held.unknown:,}", *numbers]


def _kinds(similarities: Similarities) -> tuple[tuple[str, Distribution], ...]:
    return (
        ("first hits", similarities.first_hits),
        ("first relevant hits", similarities.first_relevant_hits),
        ("missing evidence", similarities.missing_evidence),
    )


def _range(similarities: Similarities) -> str:
    return f"{similarities.low:.2f} to {similarities.high:.2f}"


def _duplicates(found: Diagnosis) -> Iterator[RenderableType]:
    if found.duplicate_share:
        shares = ", ".join(
            f"{share:.1%} of the first {k:,}" for k, share in found.duplicate_share.items() if k > 1
        )
        yield Paragraph(Text(f"Hits that lie at least 90 % inside an earlier one: {shares or 'none'}."), _GAP)


def _worst(found: Diagnosis) -> Iterator[RenderableType]:
    for missed in found.worst:
        yield Paragraph(Text(f"{missed.question_id} ({missed.reason}): {one_line(missed.question)}"), _GAP)
        for line in _found_instead(missed):
            yield Paragraph(Text(line, style="dim"), 2 * _GAP)


def _found_instead(missed: Missed) -> Iterator[str]:
    hit = missed.first_hit
    if hit is None:
        yield "first hit: none"
    else:
        place = f"{hit['document']} [{hit['start']:,}, {hit['end']:,})"
        yield f"first hit: {one_line(place)}, {hit['score']:.3f}: {one_line(hit['text'])}"
    for entry in missed.evidence:
        places = " or ".join(f"{document} [{start:,}, {end:,})" for document, start, end in entry)
        yield f"missing: {one_line(places)}"
    if missed.evidence_rank is None:
        yield "nothing of it is ranked"
    else:
        whole = (
            "never whole in the list"
            if missed.evidence_tokens is None
            else f"all evidence within {missed.evidence_tokens:,} tokens"
        )
        yield f"first of it at rank {missed.evidence_rank:,}, {missed.evidence_score:.3f}; {whole}"
