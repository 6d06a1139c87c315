"""Text in lines that end where it does: what rich wraps or pads itself ends in spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The text, wrapped, with every line `indent` cells from the left."""

    text: Text
    indent: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.text.wrap(console, max(1, options.max_width - self.indent)):
            line.rstrip()
            if line:
                line.pad_left(self.indent)
            yield line


def fold(console: Console, text: Text) -> None:
    """Print a text: in a terminal between words, on one line elsewhere, where a program may read it."""
    if console.is_terminal:
        console.print(Paragraph(text))
    else:
        console.print(text, soft_wrap=True)


def say(line: str, file: TextIO) -> None:
    """Print a plain line: folded in a terminal, below its own indentation, and as it is elsewhere."""
    if not file.isatty():
        print(line, file=file)
        return
    words = line.lstrip(" ")
    Console(file=file).print(Paragraph(Text(words), len(line) - len(words)))
