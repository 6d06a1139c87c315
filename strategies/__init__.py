"""How documents are cut: strategies, the nouns they speak, and the tools they may ask for."""

from __future__ import annotations

from collections.abc import Mapping

from strategies.errors import nearest, refuse
from strategies.fixed import Fixed
from strategies.html import Html
from strategies.markdown import Markdown
from strategies.paragraph import Paragraph
from strategies.parameters import canonical, made, parameters
from strategies.recursive import Recursive
from strategies.sentence import Sentence
from strategies.strategy import Strategy

STRATEGIES: dict[str, type[Strategy]] = {
    "fixed": Fixed,
    "sentence": Sentence,
    "paragraph": Paragraph,
    "recursive": Recursive,
    "markdown": Markdown,
    "html": Html,
}
"""Every strategy, by the word that a sweep file uses."""

__all__ = ["STRATEGIES", "build", "canonical", "find", "parameters"]


def find(name: str) -> type[Strategy]:
    """The class of a strategy, by the word in a sweep file. Raises BadInput."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    raise refuse("strategy", f"{name!r} is not a strategy", nearest(str(name), STRATEGIES))


def build(name: str, params: Mapping[str, object]) -> Strategy:
    """The strategy of a sweep entry. Raises BadInput with every problem: name, keys, types, values."""
    return made(find(name), params, name)
