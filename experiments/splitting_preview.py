"""One file cut by one strategy, for looking at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.text import Text

import strategies
from evaluation.embedding import EmbedderSpec, open_embedder
from evaluation.embedding_desk import EmbeddingDesk
from evaluation.gold.describing import read_document
from evaluation.yaml_reading import parse_option
from experiments.paragraph import shown
from strategies.document import Chunk
from strategies.errors import BadInput, Problem
from strategies.language_model.chat import Chat
from strategies.modifiers import Modifiers
from strategies.nesting import needs, units
from strategies.parameters import attempt
from strategies.splitting import split
from strategies.strategy import Strategy, Vectors
from strategies.tools import Tools
from strategies.units.counting import EMBEDDER_UNITS, Counter

_COLOURS = ("cyan", "green")


def cut_file(
    file: Path,
    strategy: str,
    params: Mapping[str, str],
    embedder: str | None = None,
    cache_dir: Path | None = None,
) -> tuple[Chunk, ...]:
    """The chunks of a file; parameters and modifiers are texts as on a command line. Raises BadInput.

    `cache_dir` keeps the vectors of strategies that cut by meaning, and a language model's answers.
    """
    document = read_document(file)
    cls = strategies.find(strategy)
    lists = {known.name for known in strategies.parameters(cls) if "list of" in known.type}
    values = {key: parse_option(value, f"--set {key}") for key, value in params.items()}
    # One word stands for a list of it, as in a sweep.
    values |= {key: [value] for key, value in values.items() if key in lists and not isinstance(value, list)}
    of_modifiers = {held.name for held in strategies.parameters(Modifiers)}
    modifying = {key: values.pop(key) for key in of_modifiers & values.keys()}
    problems: list[Problem] = []
    built = attempt(problems, cls, values, strategy)
    modifiers = attempt(problems, Modifiers, modifying, strategy)
    if built is None or modifiers is None:
        raise BadInput(problems)
    with ExitStack() as opened:
        tools = _tools(modifiers.cutters(built), embedder, cache_dir, opened)
        return split(document, built, tools, modifiers)


def _tools(
    asked: Sequence[Strategy], embedder: str | None, cache_dir: Path | None, opened: ExitStack
) -> Tools:
    """Tools that give what is asked for; nothing is loaded that is not. Caches are closed by `opened`."""
    needed = needs(*asked)
    counters: Mapping[str, Counter] = {}
    embed = chat = None
    if "embedder" in needed or any(unit in EMBEDDER_UNITS for unit in units(*asked)):
        spec = EmbedderSpec(embedder) if embedder else EmbedderSpec()
        desk = EmbeddingDesk(open_embedder(spec), cache_dir)
        opened.callback(desk.close)
        counters = {unit: desk.embedder.counter(unit) for unit in EMBEDDER_UNITS}
        embed = partial(_vectors, desk)
    if "chat" in needed:
        answering = Chat(cache_dir)
        opened.callback(answering.close)
        chat = answering.answers
    return Tools(counters=counters, embed=embed, chat=chat)


def _vectors(desk: EmbeddingDesk, texts: Sequence[str]) -> Vectors:
    return desk.vectors(texts, "passage").vectors


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
        if chunk.returned != (chunk.start, chunk.end):
            facts.append(f"returns [{chunk.returned[0]}:{chunk.returned[1]}]")
        console.print(shown(Text(f"--- {'  '.join(facts)}", style="bold")), soft_wrap=True)
        colour = _COLOURS[chunk.index % 2]
        made = not chunk.embedded_text.endswith(chunk.text)  # another text, not one with a line before it
        lead = "" if made else chunk.embedded_text.removesuffix(chunk.text)
        body = Text(lead, style="dim italic")
        body.append(chunk.text[:shared], style=f"{colour} underline")
        body.append(chunk.text[shared:], style=colour)
        console.print(shown(body), soft_wrap=True)
        if made:
            told = Text(f"embedded: {chunk.embedded_text}", style="dim italic")
            console.print(shown(told), soft_wrap=True)
        before = chunk.end
    total, characters = (
        sum(chunk.tokens for chunk in chunks),
        sum(chunk.end - chunk.start for chunk in chunks),
    )
    twice = ", what they share counted in each" if any(a.end > b.start for a, b in pairwise(chunks)) else ""
    console.print(Text(f"{len(chunks)} chunks, {total:,} tokens, {characters:,} characters{twice}"))
