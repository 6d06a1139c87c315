"""`chunksweep gold move`: ranges of evidence follow their quotes after documents were edited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli import options

if TYPE_CHECKING:
    from evaluation.gold.moving import Move, Moves


def move(
    path: Annotated[str, typer.Argument(help="Folder of a data set.")] = ".",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be moved, and change nothing.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Move evidence to where its quotes stand now, after documents were edited.

    Every range that no longer reads its quote gets the offsets of the one place in its document where the
    quote stands. What stands in several places, or in none, is left as it is and told.
    """
    import sys
    from dataclasses import asdict
    from json import dumps

    from evaluation.gold.moving import move as move_ranges
    from experiments.paragraph import say
    from experiments.signals import gated_signals
    from strategies.errors import brief

    with gated_signals(goes_on=False) as gate:
        moves = move_ranges(path, dry_run=dry_run, hold=gate.hold)
    if json:
        typer.echo(dumps({"dry_run": dry_run, **asdict(moves)}, indent=1))
    else:
        for line in _lines(moves, dry_run):
            say(brief(line, longest=len(line)), sys.stdout)
    for note in moves.notes:
        options.warn(str(note))
    return 2 if moves.left else 0


def _lines(moves: Moves, dry_run: bool) -> Iterator[str]:
    from evaluation.gold.warnings.finding import some
    from strategies.errors import counted

    verb = "Would move" if dry_run else "Moved"
    moved = f"{verb} {counted(len(moves.moved), 'range')}"
    yield f"{moved}. Read whether each still answers its question:" if moves.moved else f"{moved}."
    for one in moves.moved:
        yield f"  {_named(one)} to [{one.to[0]}, {one.to[1]}){_quote(one)}" if one.to else ""
    if moves.left:
        yield f"Could not move {counted(len(moves.left), 'range')}:"
    for one in moves.left:
        why = one.why or "does not stand there; chunksweep gold check says what is near"
        yield f"  {_named(one)}{_quote(one)} {why}"
    if moves.unquoted:
        verb = "has" if len(moves.unquoted) == 1 else "have"
        ranges = counted(len(moves.unquoted), "range")
        yield (
            f"{ranges} {verb} no quote, so that nothing tells whether evidence still stands there: "
            f"{some(moves.unquoted)}"
        )


def _named(one: Move) -> str:
    return f"{one.question}: {one.where}, {one.document} [{one.start}, {one.end})"


def _quote(one: Move) -> str:
    from evaluation.gold.quotes import Quote, shown

    return f": {shown(Quote(one.quote))}"
