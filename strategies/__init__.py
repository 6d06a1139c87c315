"""How documents are cut: strategies, the nouns they speak, and the tools they may ask for."""

from __future__ import annotations

from collections.abc import Mapping

from strategies.atoms import Atoms
from strategies.cluster import Cluster
from strategies.code import Code
from strategies.contextual import Contextual
from strategies.errors import brief, nearest, refuse
from strategies.fixed import Fixed
from strategies.html import Html
from strategies.hybrid import Hybrid
from strategies.libraries import THIRD_PARTY
from strategies.llm import Llm
from strategies.markdown import Markdown
from strategies.max_min import MaxMin
from strategies.page import Page
from strategies.paragraph import Paragraph
from strategies.parameters import canonical, made, parameters
from strategies.proposition import Proposition
from strategies.recursive import Recursive
from strategies.routed import Routed
from strategies.semantic import Semantic
from strategies.sentence import Sentence
from strategies.sentence_window import SentenceWindow
from strategies.strategy import Strategy
from strategies.table import Table
from strategies.user_code.user_splitter import strategy_class

STRATEGIES: dict[str, type[Strategy]] = {
    "fixed": Fixed,
    "sentence": Sentence,
    "paragraph": Paragraph,
    "recursive": Recursive,
    "markdown": Markdown,
    "semantic": Semantic,
    "cluster": Cluster,
    "max_min": MaxMin,
    "hybrid": Hybrid,
    "sentence_window": SentenceWindow,
    "routed": Routed,
    "code": Code,
    "page": Page,
    "html": Html,
    "table": Table,
    "atoms": Atoms,
    "contextual": Contextual,
    "proposition": Proposition,
    "llm": Llm,
}
"""Every strategy, by the word that a sweep file uses."""

__all__ = ["STRATEGIES", "THIRD_PARTY", "build", "canonical", "find", "parameters"]


def find(name: str) -> type[Strategy]:
    """The class of a strategy, by the word in a sweep file. Raises BadInput.

    Ours, then those of libraries, then `module:name` of a user's own code.
    """
    known = {**STRATEGIES, **THIRD_PARTY}
    if name in known:
        return known[name]
    if ":" in name:
        return strategy_class(name)
    raise refuse("strategy", f"{brief(name)!r} is not a strategy", nearest(name, known))


def build(name: str, params: Mapping[str, object]) -> Strategy:
    """The strategy of a sweep entry. Raises BadInput with every problem: name, keys, types, values."""
    return made(find(name), params, name)
