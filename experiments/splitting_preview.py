"""One file cut by one strategy, for looking at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.text import Text

import strategies
from evaluation.documents import decode, media_type
from evaluation.embedding import EmbedderSpec, open_embedder
from evaluation.yaml_reading import parse_option
from strategies.counting import EMBEDDER_UNITS
from strategies.document import Chunk, Document
from strategies.errors import BadInput, Problem, refuse
from strategies.splitting import split
from strategies.tools import Tools

_COLOURS = ("cyan", "green")


def cut_file(
    file: Path, strategy: str, params: Mapping[str, str], headings: str, embedder: str | None
) -> tuple[Chunk, ...]:
    """The chunks of a file; parameters are texts as on a command line. Raises BadInput."""
    try:
        text = decode(file.read_bytes(), str(file))
    except OSError as error:
        raise refuse(str(file), f"cannot be read ({error.strerror})", "Name a text file") from None
    if isinstance(text, Problem):
        raise BadInput([text])
    document = Document(file.name, text, media_type=media_type(file.name))
    cls = strategies.STRATEGIES.get(strategy)
    lists = {known.name for known in strategies.parameters(cls) if "list of" in known.type} if cls else set()
    values = {key: parse_option(value, f"--set {key}") for key, value in params.items()}
    # One word stands for a list of it, as in a sweep.
    values |= {key: [value] for key, value in values.items() if key in lists and not isinstance(value, list)}
    built = strategies.build(strategy, values)
    unit = getattr(built, "unit", "")
    if unit not in EMBEDDER_UNITS:
        return split(document, built, Tools(), headings)
    model = open_embedder(EmbedderSpec(embedder) if embedder else EmbedderSpec())
    return split(document, built, Tools(counters={unit: model.counter(unit)}), headings)


def show_chunks(console: Console, chunks: Sequence[Chunk]) -> None:
    """Chunk after chunk; what a chunk shares with the one before it is underlined."""
    before = 0
    for chunk in chunks:
        shared = max(0, before - chunk.start)
        facts = [f"chunk {chunk.index}", f"[{chunk.start}:{chunk.end}]", f"{chunk.tokens} tokens"]
        facts += [f"{shared} characters of the one before"] if shared else []
        facts += [" > ".join(chunk.section)] if chunk.section else []
        facts += [f"page {chunk.page}"] if chunk.page else []
        facts += ["oversize"] if chunk.oversize else []
        console.print(Text(f"--- {'  '.join(facts)}", style="bold"), soft_wrap=True)
        colour = _COLOURS[chunk.index % 2]
        lead = chunk.embedded_text.removesuffix(chunk.text)
        body = Text(lead, style="dim italic")
        body.append(chunk.text[:shared], style=f"{colour} underline")
        body.append(chunk.text[shared:], style=colour)
        console.print(body, soft_wrap=True)
        before = chunk.end
    total, characters = (
        sum(chunk.tokens for chunk in chunks),
        sum(chunk.end - chunk.start for chunk in chunks),
    )
    twice = ", what they share counted in each" if any(a.end > b.start for a, b in pairwise(chunks)) else ""
    console.print(Text(f"{len(chunks)} chunks, {total:,} tokens, {characters:,} characters{twice}"))
