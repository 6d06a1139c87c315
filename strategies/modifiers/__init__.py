"""What any strategy can carry beside its own parameters: one field, one modifier, one axis of a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from strategies.document import Document
from strategies.errors import BadInput, Problem
from strategies.modifiers.min_chunk import merge_fragments
from strategies.modifiers.neighbours import with_neighbours
from strategies.modifiers.parents import children, parents_problem
from strategies.parameters import settle
from strategies.sizes import not_negative
from strategies.strategy import Cut, Strategy, parameter
from strategies.tools import Tools


@dataclass(frozen=True, slots=True)
class Modifiers:
    """How the cuts of a strategy are handed on. The defaults change nothing."""

    headings: Literal["none", "section", "document"] = parameter(
        "line put before what is embedded: none, the section, or document and section", default="none"
    )
    parents: Strategy | None = parameter(
        "strategy that cuts the passages to return; chunks are cut inside each of them", default=None
    )
    neighbours: int = parameter(
        "chunks on each side that are returned with one", default=0, check=not_negative
    )
    min_chunk: int = parameter(
        "cl100k tokens under which a chunk is merged with a neighbour, where the size allows it",
        default=0,
        check=not_negative,
    )

    def __post_init__(self) -> None:
        """Raise BadInput with every problem."""
        settle(self)
        if self.parents is not None and (problem := parents_problem(self.parents)):
            raise BadInput([Problem("parents", problem)])

    def cutters(self, strategy: Strategy) -> tuple[Strategy, ...]:
        """What cuts under them: the strategy, and that of the parents."""
        return (strategy,) if self.parents is None else (strategy, self.parents)

    def cuts(self, document: Document, strategy: Strategy, tools: Tools) -> tuple[Cut, ...]:
        """The cuts of a strategy, as modified; `headings` is for what is embedded of them."""
        if self.parents is None:
            cuts = tuple(strategy.cuts(document, tools))
        else:
            cuts = tuple(children(document, self.parents, strategy, tools))
        cuts = merge_fragments(cuts, self.min_chunk, document, strategy, tools)
        return with_neighbours(cuts, self.neighbours)


PLAIN = Modifiers()
"""Nothing changed."""
