"""`chunksweep split`: one document cut before your eyes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from experiments.cli import asking, options

if TYPE_CHECKING:
    from strategies.document import Chunk


def split(
    file: Annotated[Path, typer.Argument(help="A UTF-8 text file.")],
    strategy: Annotated[str, typer.Option(help="Strategy, see: chunksweep list strategies.")],
    unit: Annotated[str | None, typer.Option(help="What size and overlap count.", show_default=False)] = None,
    size: Annotated[str | None, typer.Option(help="Largest chunk, in units.", show_default=False)] = None,
    overlap: Annotated[
        str | None, typer.Option(help="Units of the chunk before, or a share as 10%.", show_default=False)
    ] = None,
    headings: Annotated[
        str | None, typer.Option(help="none, section or document.", show_default=False)
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Another parameter; a list in brackets, as isolate=[table,code]; "
            "a strategy in braces, as parents={strategy: fixed, size: 400}.",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(help="Model to cut by meaning, and to count `--unit embedder`.", show_default=False),
    ] = None,
    cache_dir: options.CacheDir = None,
    json: options.Json = False,
) -> None:
    """Cut a file and show the chunks.

    Text that a chunk shares with the one before it is marked.
    """
    from json import dumps

    from rich.console import Console

    from experiments.cache_place import cache_place
    from experiments.splitting_preview import cut_file, show_chunks

    given = {"unit": unit, "size": size, "overlap": overlap, "headings": headings}
    texts = {key: value for key, value in given.items() if value is not None} | asking.pairs(set_ or [])
    chunks = cut_file(file, strategy, texts, embedder, cache_place(cache_dir))
    if json:
        typer.echo(dumps([_row(chunk) for chunk in chunks], ensure_ascii=True, indent=1))
    else:
        show_chunks(Console(highlight=False), chunks)


def _row(chunk: Chunk) -> dict[str, object]:
    from dataclasses import asdict

    return {key: value for key, value in asdict(_plain(chunk)).items() if value not in (None, {}, ())}


def _plain(chunk: Chunk) -> Chunk:
    from dataclasses import replace

    return replace(chunk, metadata=dict(chunk.metadata))
