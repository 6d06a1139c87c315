"""Text in lines that end where it does: what rich wraps or pads itself ends in spaces."""

from __future__ import annotations

from dataclasses import dataclass

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
