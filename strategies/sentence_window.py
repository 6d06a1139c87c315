"""One sentence embedded, its neighbours returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from strategies.document import Document
from strategies.packing import pack
from strategies.parameters import settle
from strategies.pieces import FINEST, LINES, pieces_of, shorten
from strategies.segmenting import language_problem, sentences
from strategies.sizes import not_negative
from strategies.strategy import Cut, SplitTools, Strategy, parameter


@dataclass(frozen=True, slots=True)
class SentenceWindow(Strategy):
    """Every sentence is a chunk of its own; what is returned for it is the sentences around it too.

    The idea of LlamaIndex's `SentenceWindowNodeParser`: a single sentence is matched sharply, and read with
    `window` sentences before and after it. Sentences are those of `sentence`. One that is larger than
    `size`, where a size is given, is cut at line ends, then at words, then at characters, and each part
    counts as a sentence.

    Use it where answers are single facts and readers need what stands around them. Costs many short
    vectors, several times those of chunks of 200 tokens. Hits close to one another return nearly the
    same text, so compare it at an equal budget of tokens.
    """

    name: ClassVar[str] = "sentence_window"
    joinable: ClassVar[bool] = False

    window: int = parameter("sentences returned on each side", default=3, check=not_negative)
    size: int | None = parameter("largest sentence, in units; null: any", default=None)
    unit: str = parameter("what `size` counts", default="cl100k_base")
    language: str = parameter(
        "code of the documents' language: en, de, zh ...", default="en", check=language_problem
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        if self.size is None:  # nothing is counted then: equal cuts compare equal
            object.__setattr__(self, "unit", "cl100k_base")

    def cuts(self, document: Document, tools: SplitTools) -> Iterator[Cut]:
        """Yield the sentences, in order."""
        found = pieces_of(document.text, partial(sentences, language=self.language))
        if self.size is None:
            ranges = [Cut(piece.start, piece.end) for piece in found]
        else:
            # Each begins a chunk, so that only the parts of one sentence are joined again.
            each = [piece._replace(fresh=True) for piece in found]
            ruler = tools.ruler(document, self.unit)
            ranges = list(pack(shorten(each, (LINES, *FINEST), ruler, self.size), ruler, size=self.size))
        for at, cut in enumerate(ranges):
            first, last = ranges[max(at - self.window, 0)], ranges[min(at + self.window, len(ranges) - 1)]
            yield replace(cut, returned=(first.start, last.end))
