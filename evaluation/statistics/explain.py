"""The recommendation in words, as a user reads it in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.statistics.max_t import Simultaneous

SLACK = 0.1
"""Costs that differ by at most this share count as equal, before one row is called clearly cheaper."""

WORTHLESS = 0.5
"""Where more than this share of the best mean may be lost, a choice would be a guess."""


class Row(NamedTuple):
    """A configuration: its name, its mean score and what it costs."""

    name: str
    mean: float
    tokens_embedded: float
    stored_bytes: float
    llm_tokens: float = 0.0
    rerank_pairs: float = 0.0

    @property
    def cost(self) -> tuple[float, float, float, float, str]:
        """The order of cheapness: a language model's tokens, which cost by far the most; pairs that are
        reranked, which every question pays for again; tokens embedded; stored bytes; name."""
        return self.llm_tokens, self.rerank_pairs, self.tokens_embedded, self.stored_bytes, self.name

    def clearly_cheaper(self, other: Row) -> bool:
        """Whether it costs clearly less of something than the other, and clearly more of nothing.

        >>> Row("a", 0, 80, 54).clearly_cheaper(Row("b", 0, 100, 50))
        True
        >>> Row("a", 0, 80, 60).clearly_cheaper(Row("b", 0, 100, 50))
        False
        """
        costs = list(zip(self.cost[:-1], other.cost[:-1], strict=True))
        more = any(own > (1 + SLACK) * theirs for own, theirs in costs)
        return not more and any(own < (1 - SLACK) * theirs for own, theirs in costs)


def recommend_sentence(
    rows: Sequence[Row],
    result: Simultaneous,
    chosen: int,
    best: int,
    cheapest: int,
    tied: NDArray[np.bool_],
    loss_bound: NDArray[np.float64],
    margin: float,
    by: str = "",
) -> str:
    """Why `chosen` is recommended, and what it costs beside the best (or, if it is that, the cheapest).

    `by` says what the questions are that it rests on, where that must be said.
    """
    row, top = rows[chosen], rows[best]
    sure = _percent(result.level)
    at_most = f"loses at most {_up(loss_bound[chosen])} to whichever is really best (margin {margin:g})"
    if chosen != best:
        return (
            f"Recommended{by}: {row.name} (mean {row.mean:.3f}). It is the cheapest that, with {sure} "
            f"confidence, {at_most}. The best measured, {top.name}, has {top.mean:.3f}. {_cost(row, top)}"
        )
    if tied.sum() == 1:
        reason = f"the best measured; all others are shown to be worse with {sure} confidence"
    else:
        reason = f"the best measured and the cheapest that, with {sure} confidence, {at_most}"
    text = f"Recommended{by}: {row.name} (mean {row.mean:.3f}), {reason}."
    if rows[cheapest].clearly_cheaper(row):
        low, high = float(result.lower[cheapest, best]), result.upper[cheapest, best]
        other = rows[cheapest]
        loss = f"loses {low:.3f}" if low >= 0 else f"may be anything from {-low:.3f} better"
        text += f" The cheapest, {other.name}, {loss} to {_up(high)}{'' if low >= 0 else ' worse'}. "
        text += _cost(row, other)
    return text


def cannot_tell_sentence(
    rows: Sequence[Row],
    result: Simultaneous,
    best: int,
    undecided: Sequence[int],
    tied: NDArray[np.bool_],
    margin: float,
    needed: int | None,
    asked: str,
    side: str | None = None,
) -> str:
    """Why nothing is recommended, with one of the undecided as the example.

    `undecided` are rows in the order of cheapness; the example is the first that is clearly cheaper than the
    best, or the first of all where none is. `asked` says how many questions there are, and of what kind;
    `side` is theirs, where they are a part of a split.
    """
    top = rows[best]
    saving = next((row for row in undecided if rows[row].clearly_cheaper(top)), None)
    rival = undecided[0] if saving is None else saving
    other, others = rows[rival], int(tied.sum()) - 1
    better, most = max(0.0, -result.lower[rival, best]), float(result.upper[rival, best])
    which = f"{other.name} is" if others == 1 else f"{others} others are"
    if others == 1:
        example = "It"
    elif rival == undecided[0]:
        example = f"The cheapest of them that is undecided, {other.name},"
    else:
        example = f"The cheapest of those that are clearly cheaper, {other.name},"
    if saving is not None:
        costs = _cost(other, top)
    elif others == 1:
        costs = f"It is not clearly cheaper than {top.name}."
    else:
        costs = f"None that is undecided is clearly cheaper than {top.name}."
    of = f"{side} " if side else ""
    settle = (
        f"About {needed:,} {of}questions like these would settle it."
        if needed is not None
        else "No practical number of questions like these would settle it; a larger margin might."
    )
    if most > WORTHLESS * top.mean:
        so = "So much may be lost that nothing can be chosen yet"
    elif saving is not None:
        so = f"So take {other.name} if a loss of {_up(most)} would not matter, {top.name} if it would"
    else:
        so = f"So {top.name} is the one to take for now: nothing that is clearly cheaper may be better"
    return (
        f"Cannot tell from {asked}: {top.name} measured best (mean {top.mean:.3f}), but {which} not shown "
        f"to be worse with {_percent(result.level)} confidence. {example} may be anything from {better:.3f} "
        f"better to {_up(most)} worse, and the margin is {margin:g}. {costs} {settle} {so}."
    )


def _cost(row: Row, beside: Row) -> str:
    tokens = _share(row.tokens_embedded, beside.tokens_embedded, "tokens")
    stored = _share(row.stored_bytes, beside.stored_bytes, "bytes")
    asked = ""
    if row.llm_tokens or beside.llm_tokens:
        asked = f"costs {_share(row.llm_tokens, beside.llm_tokens, 'tokens')} of a language model, "
    if row.rerank_pairs or beside.rerank_pairs:
        asked += f"reranks {_share(row.rerank_pairs, beside.rerank_pairs, 'pairs')}, "
    return f"Beside {beside.name}, {row.name} {asked}embeds {tokens} and stores {stored}."


def _share(value: float, beside: float, unit: str) -> str:
    """How much more or less, in percent; in figures where the other is 0."""
    if value == beside:
        return f"as many {unit}"
    word = "fewer" if value < beside else "more"
    if beside <= 0:
        return f"{abs(value - beside):,.0f} {word} {unit}"
    percent = 100 * abs(value / beside - 1)
    return f"{percent:.0f} % {word} {unit}" if percent >= 1 else f"under 1 % {word} {unit}"


def _percent(level: float) -> str:
    return f"{100 * level:g} %"


def _up(bound: float) -> str:
    """A bound with three decimals, rounded up: what is printed must hold too."""
    return f"{np.ceil(bound * 1000 - 1e-9) / 1000:.3f}"
