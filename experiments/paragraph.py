"""Text in lines that end where it does: what rich wraps or pads itself ends in spaces.

Whatever users wrote reaches no terminal raw: it could clear the screen, or hide what stands before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Span, Text

from strategies.errors import visible


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The text, wrapped, with every line `indent` cells from the left."""

    text: Text
    indent: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in shown(self.text).wrap(console, max(1, options.max_width - self.indent)):
            line.rstrip()
            if line:
                line.pad_left(self.indent)
            yield line


def shown(text: Text) -> Text:
    """A text with what is no sign of writing escaped, and its styles where they were."""
    signs = [visible(sign) for sign in text.plain]
    escaped = "".join(signs)
    if escaped == text.plain:
        return text
    at = [0, *accumulate(map(len, signs))]
    found = text.blank_copy(escaped)
    found.spans = [Span(at[span.start], at[span.end], span.style) for span in text.spans]
    return found


def fold(console: Console, text: Text) -> None:
    """Print a text: in a terminal between words, on one line elsewhere, where a program may read it."""
    if console.is_terminal:
        console.print(Paragraph(text))
    else:
        console.print(shown(text), soft_wrap=True)


def say(line: str, file: TextIO) -> None:
    """Print a plain line: folded in a terminal, below its own indentation, and as it is elsewhere."""
    line = visible(line)
    if not file.isatty():
        print(line, file=file)
        return
    words = line.lstrip(" ")
    Console(file=file).print(Paragraph(Text(words), len(line) - len(words)))
